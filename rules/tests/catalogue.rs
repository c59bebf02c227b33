//! The catalogue holds together: ids, areas, reasons.

#![allow(clippy::unwrap_used)]

use ascendcl_rules::{Area, Class, RuleId};
use std::collections::BTreeSet;

/// How many rules each area has. An id is never given up, so that a number only grows.
const COUNTS: [(Area, usize); 22] = [
    (Area::INIT, 13),
    (Area::DEV, 17),
    (Area::CTX, 14),
    (Area::THREAD, 5),
    (Area::STREAM, 22),
    (Area::MEM, 18),
    (Area::VMM, 4),
    (Area::IPC, 3),
    (Area::COPY, 12),
    (Area::EVENT, 12),
    (Area::CB, 12),
    (Area::ALLOC, 21),
    (Area::GE, 25),
    (Area::MODEL, 28),
    (Area::DATA, 11),
    (Area::OP, 12),
    (Area::KERNEL, 6),
    (Area::GRAPH, 10),
    (Area::HCCL, 8),
    (Area::DVPP, 3),
    (Area::MODE, 3),
    (Area::ERR, 9),
];

/// The rules for which `wrong` holds, by their ids.
fn those(wrong: impl Fn(RuleId) -> bool) -> Vec<&'static str> {
    RuleId::all().filter(|id| wrong(*id)).map(RuleId::as_str).collect()
}

#[test]
fn each_area_has_its_rules() {
    assert_eq!(COUNTS.map(|(area, _)| area), Area::ALL);
    for (area, count) in COUNTS {
        assert_eq!(area.rules().len(), count, "{area}");
    }
    assert_eq!(RuleId::all().count(), COUNTS.iter().map(|(_, count)| count).sum());
}

#[test]
fn the_pages_that_are_covered_whole_state_48_rules() {
    assert_eq!(RuleId::all().filter(|id| !id.rule().pages.is_empty()).count(), 48);
}

#[test]
fn an_id_is_its_area_and_its_number_and_numbers_have_no_gaps() {
    for area in Area::ALL {
        for (number, id) in (1..).zip(area.rules()) {
            assert_eq!(id.as_str(), format!("{}-{number:02}", area.code()));
            assert_eq!(id.rule().area, *area, "{id}");
        }
    }
}

#[test]
fn an_id_reads_back_from_how_it_prints_and_from_its_constants_name() {
    for id in RuleId::all() {
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.to_string().replace('-', "_").parse(), Ok(id));
    }
    for unknown in ["ALLOC-22", "ALLOC-7", "alloc-07", "ALLOC", "", "ALLOC-07 "] {
        let refused = unknown.parse::<RuleId>().unwrap_err();
        assert_eq!(refused.to_string(), format!("the catalogue has no rule `{unknown}`"));
    }
}

#[test]
fn rules_are_in_the_order_of_their_ids() {
    assert!(RuleId::all().is_sorted());
    assert_eq!(RuleId::all().collect::<BTreeSet<_>>().len(), RuleId::all().count(), "no two are equal");
}

#[test]
fn no_two_rules_say_the_same() {
    let texts: BTreeSet<_> = RuleId::all().map(|id| id.rule().text).collect();
    assert_eq!(texts.len(), RuleId::all().count());
}

#[test]
fn what_cannot_be_enforced_says_why() {
    assert_eq!(those(|id| id.rule().class == Class::Limit && id.rule().hole.is_empty()), [""; 0]);
}

#[test]
fn every_rule_says_how_it_is_broken_where_it_stands_and_how_it_is_kept() {
    let is_sentence = |text: &str| text.ends_with('.') && !text.contains("  ");
    assert_eq!(those(|id| !is_sentence(id.rule().text)), [""; 0], "texts");
    assert_eq!(those(|id| !is_sentence(id.rule().means)), [""; 0], "means");
    assert_eq!(those(|id| !id.rule().hole.is_empty() && !is_sentence(id.rule().hole)), [""; 0], "holes");
    let parts = |id: RuleId| [id.rule().misuse, id.rule().consequence, id.rule().source, id.rule().basis];
    assert_eq!(those(|id| parts(id).iter().any(|part| part.is_empty())), [""; 0]);
    assert_eq!(those(|id| !(1..=3).contains(&id.rule().priority)), [""; 0], "priorities");
}
