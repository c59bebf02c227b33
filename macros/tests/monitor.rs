//! What the monitor accepts, refuses and says; and that it agrees with the types.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod lives;

use lives::mapping::{At, BOUNDS, DIAGRAM, EDGES, Mapped, Monitor, NAME, Op, Outcome, Refused, State};
use std::collections::HashSet;

fn after(steps: &[(Op, Outcome)]) -> Monitor {
    let mut monitor = Monitor::new();
    for (op, outcome) in steps {
        monitor.step(*op, *outcome).unwrap();
    }
    monitor
}

#[test]
fn a_life_is_followed_from_its_start_to_its_end() {
    let mut monitor = Monitor::default();
    let life = [
        (Op::Reserve, Outcome::Failed, At::Start),
        (Op::Reserve, Outcome::Done, At::Reserved),
        (Op::Release, Outcome::Failed, At::Reserved),
        (Op::Map, Outcome::Done, At::Mapped),
        (Op::Move, Outcome::Done, At::Mapped),
        (Op::Move, Outcome::Failed, At::Mapped),
        (Op::Import, Outcome::Done, At::Shared),
        (Op::Unshare, Outcome::Done, At::Mapped),
        (Op::Unmap, Outcome::Done, At::Reserved),
        (Op::Map, Outcome::Failed, At::Lost),
        (Op::Release, Outcome::Failed, At::End),
    ];
    for (op, outcome, at) in life {
        assert_eq!(monitor.step(op, outcome), Ok(at));
        assert_eq!(monitor.at(), at);
    }
}

#[test]
fn a_refused_step_leaves_the_monitor_and_says_what_is_allowed() {
    let mut monitor = after(&[(Op::Import, Outcome::Done)]);
    let refused = monitor.step(Op::Map, Outcome::Failed).unwrap_err();
    assert_eq!(
        refused,
        Refused { at: At::Mapped, op: Op::Map, rules: &["MAP-05", "MAP-02", "MAP-03"], allowed: &[At::Reserved] }
    );
    assert_eq!(monitor.at(), At::Mapped);
    assert_eq!(monitor.step(Op::Unmap, Outcome::Done), Ok(At::Reserved));
}

#[test]
fn a_refusal_is_told_in_the_words_of_the_declaration() {
    let said = |mut monitor: Monitor, op| monitor.step(op, Outcome::Done).unwrap_err().to_string();
    assert_eq!(
        said(after(&[(Op::Import, Outcome::Done)]), Op::Map),
        "a mapping in state `Mapped` cannot be mapped: `map` expects `Reserved`, found `Mapped`; \
         MAP-05, MAP-02: `Mapped` is in use; sets are written {a, b}; unmap it first"
    );
    assert_eq!(
        said(Monitor::new(), Op::Move),
        "`move` cannot be done on `mapping` in state `[*]`: `move` expects `Mapped`, found no object yet"
    );
    let gone = after(&[(Op::Reserve, Outcome::Done), (Op::Release, Outcome::Done)]);
    assert_eq!(
        said(gone, Op::Release),
        "`release` cannot be done on `mapping` in state `[*]`: `release` expects `Reserved` or `Lost`, found an object \
         that is gone; MAP-04: {never} released again, whatever the call says"
    );
    assert_eq!(
        said(after(&[(Op::Reserve, Outcome::Done)]), Op::Import),
        "`import` cannot be done on `mapping` in state `Reserved`: `import` expects no object yet or `Mapped`, found \
         `Reserved`; It comes mapped from another process"
    );
}

#[test]
fn the_steps_are_the_lines_and_the_failures_that_leave_the_state() {
    let steps: Vec<String> =
        EDGES.iter().map(|edge| format!("{edge}{}", if edge.implied { " (implied)" } else { "" })).collect();
    assert_eq!(
        steps,
        [
            "[*] --> Reserved : reserve",
            "[*] --> [*] : reserve fails (implied)",
            "[*] --> Mapped : import",
            "[*] --> Lost : import fails",
            "Reserved --> Mapped : map",
            "Reserved --> Lost : map fails",
            "Mapped --> Mapped : move",
            "Mapped --> Mapped : move fails",
            "Mapped --> Reserved : unmap",
            "Mapped --> Mapped : unmap fails (implied)",
            "Mapped --> Shared : import",
            "Mapped --> Mapped : import fails (implied)",
            "Shared --> Mapped : unshare",
            "Shared --> Shared : unshare fails (implied)",
            "Reserved --> [*] : release",
            "Reserved --> Reserved : release fails (implied)",
            "Lost --> [*] : release",
            "Lost --> [*] : release fails",
        ]
    );
    let edge = EDGES.iter().find(|edge| edge.op == Op::Map && edge.outcome == Outcome::Failed).unwrap();
    assert_eq!((edge.rules, edge.from, edge.to), (["MAP-02", "MAP-03"].as_slice(), At::Reserved, At::Lost));
    assert_eq!(edge.why, "MAP-02, MAP-03: a half-made mapping can only be released.");
    assert!(EDGES.iter().filter(|edge| edge.implied).all(|edge| edge.to == edge.from && edge.why.is_empty()));
}

#[test]
fn the_diagram_is_the_declared_lines() {
    let declared: String = EDGES.iter().filter(|edge| !edge.implied).map(|edge| format!("    {edge}\n")).collect();
    assert_eq!(DIAGRAM, format!("stateDiagram-v2\n{declared}"));
    assert_eq!(NAME, "mapping");
}

#[test]
fn places_and_operations_have_their_declared_names_in_the_declared_order() {
    let places: Vec<String> = At::ALL.iter().map(|at| format!("{at:>8}")).collect();
    assert_eq!(places, ["     [*]", "Reserved", "  Mapped", "    Lost", "  Shared", "     [*]"]);
    let operations: Vec<String> = Op::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(operations, ["reserve", "import", "map", "move", "unmap", "unshare", "release"]);
    assert_eq!(Op::Import.allowed(), [At::Start, At::Mapped]);
    assert_eq!(Op::Release.rules(), ["MAP-04"]);
}

#[test]
fn places_are_compared_in_constants() {
    const { assert!(<Mapped<u8, str> as State>::AT.is(At::Mapped)) };
    for this in At::ALL {
        for that in At::ALL {
            assert_eq!(this.is(*that), this == that);
        }
    }
}

#[test]
fn a_state_is_a_mark_without_size_that_goes_to_every_thread() {
    fn goes_everywhere<S: State + Send + Sync + std::fmt::Debug>() -> usize {
        size_of::<S>()
    }
    assert_eq!(goes_everywhere::<Mapped<std::rc::Rc<u8>, dyn Fn()>>(), 0);
}

/// What the compiler answers about a state; before the first operation there is no state to ask about.
fn by_types(at: At, op: Op, outcome: Outcome) -> Option<At> {
    match (at, op, outcome) {
        (At::Start, Op::Reserve, Outcome::Done) => Some(At::Reserved),
        (At::Start, Op::Reserve, Outcome::Failed) => Some(At::Start),
        (At::Start, Op::Import, Outcome::Done) => Some(At::Mapped),
        (At::Start, Op::Import, Outcome::Failed) => Some(At::Lost),
        _ => {
            let (.., leads) = BOUNDS.iter().find(|(state, operation, _)| (*state, *operation) == (at, op))?;
            leads.map(|(then, otherwise)| if outcome == Outcome::Done { then } else { otherwise })
        }
    }
}

#[test]
fn every_history_of_six_steps_goes_where_the_types_say() {
    fn walk(monitor: Monitor, depth: usize, steps: &mut usize, met: &mut HashSet<At>) {
        met.insert(monitor.at());
        if depth == 0 {
            return;
        }
        for op in Op::ALL {
            for outcome in [Outcome::Done, Outcome::Failed] {
                let mut next = monitor;
                let step = next.step(*op, outcome);
                *steps += 1;
                assert_eq!(step.ok(), by_types(monitor.at(), *op, outcome), "{op} {outcome:?} in {:?}", monitor.at());
                match step {
                    Ok(to) => assert_eq!(next.at(), to),
                    Err(_) => assert_eq!(next, monitor),
                }
                // A refused step changes nothing: its future is the one of this place.
                if step.is_ok() {
                    walk(next, depth - 1, steps, met);
                }
            }
        }
    }
    let (mut steps, mut met) = (0, HashSet::new());
    walk(Monitor::new(), 6, &mut steps, &mut met);
    assert_eq!(met.len(), At::ALL.len(), "{met:?}");
    assert!(steps > 10_000, "{steps}");
}

#[test]
fn the_table_of_the_types_has_every_state_and_every_operation_with_a_bound() {
    let asked: HashSet<(At, Op)> = BOUNDS.iter().map(|(at, op, _)| (*at, *op)).collect();
    assert_eq!(asked.len(), BOUNDS.len());
    let states = At::ALL.len() - 2;
    // `reserve` starts nowhere but at `[*]`.
    assert_eq!(BOUNDS.len(), states * (Op::ALL.len() - 1));
    assert_eq!(BOUNDS.iter().filter(|(.., leads)| leads.is_some()).count(), 7);
}
