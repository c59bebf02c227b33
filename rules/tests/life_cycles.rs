//! The types and the monitor of every life cycle allow the same; and the rules that their lines name exist.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl_rules::{
    RuleId, acl, context, dataset, descriptor_address, descriptor_allocate, descriptor_free, descriptor_object, device,
    event, graph, model, stream,
};
use std::collections::HashSet;

/// How many calls long the lives are that are compared.
const DEPTH: u32 = 6;

/// Lives every life of up to [`DEPTH`] calls, each of which is done or fails, by the types and by the monitor. The types
/// are asked by `BOUNDS`, which holds what the compiler answers: whether a state has an operation's bound, and where its
/// constants lead. A call that makes the object has no bound; the monitor alone decides about it.
macro_rules! agree {
    ($test:ident, $cycle:ident) => {
        #[test]
        fn $test() {
            use $cycle::{At, BOUNDS, Monitor, Op, Outcome};

            fn by_types(at: At, op: Op, outcome: Outcome) -> Option<At> {
                let entry = BOUNDS.iter().find(|(state, asked, _)| *state == at && *asked == op);
                let leads = entry.and_then(|(_, _, leads)| *leads);
                leads.map(|(then, otherwise)| if outcome == Outcome::Done { then } else { otherwise })
            }

            fn walk(monitor: Monitor, depth: u32, seen: &mut HashSet<At>) {
                seen.insert(monitor.at());
                if depth == DEPTH {
                    return;
                }
                for op in Op::ALL {
                    for outcome in [Outcome::Done, Outcome::Failed] {
                        let mut next = monitor.clone();
                        let by_monitor = next.step(*op, outcome).ok();
                        if monitor.at() != At::Start {
                            assert_eq!(by_monitor, by_types(monitor.at(), *op, outcome), "{:?} {op:?}", monitor.at());
                        }
                        if by_monitor.is_some() {
                            walk(next, depth + 1, seen);
                        }
                    }
                }
            }

            let mut seen = HashSet::new();
            walk(Monitor::new(), 0, &mut seen);
            assert_eq!(seen, At::ALL.iter().copied().collect(), "the walk comes everywhere");
        }
    };
}
agree!(types_and_monitor_of_the_library_agree, acl);
agree!(types_and_monitor_of_a_device_agree, device);
agree!(types_and_monitor_of_a_context_agree, context);
agree!(types_and_monitor_of_a_stream_agree, stream);
agree!(types_and_monitor_of_an_event_agree, event);
agree!(types_and_monitor_of_a_descriptors_object_agree, descriptor_object);
agree!(types_and_monitor_of_a_descriptors_allocate_function_agree, descriptor_allocate);
agree!(types_and_monitor_of_a_descriptors_free_function_agree, descriptor_free);
agree!(types_and_monitor_of_a_descriptors_address_function_agree, descriptor_address);
agree!(types_and_monitor_of_a_model_agree, model);
agree!(types_and_monitor_of_a_dataset_agree, dataset);
agree!(types_and_monitor_of_a_graph_agree, graph);

macro_rules! named_rules {
    ($($cycle:ident)*) => {{
        let mut named = Vec::new();
        $(
            named.extend($cycle::EDGES.iter().flat_map(|edge| edge.rules).map(|rule| (stringify!($cycle), *rule)));
            named.extend($cycle::Op::ALL.iter().flat_map(|op| op.rules()).map(|rule| (stringify!($cycle), *rule)));
            assert!($cycle::EDGES.iter().all(|edge| edge.implied || !edge.rules.is_empty()), stringify!($cycle));
        )*
        named
    }};
}

#[test]
fn every_line_names_a_rule_of_the_catalogue() {
    let named = named_rules! {
        acl device context stream event descriptor_object descriptor_allocate descriptor_free descriptor_address model
        dataset graph
    };
    let unknown: HashSet<_> = named.into_iter().filter(|(_, rule)| rule.parse::<RuleId>().is_err()).collect();
    assert_eq!(unknown, HashSet::new());
}
