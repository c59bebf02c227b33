//! The marks as a table for programs, one row per mark: `TRACEABILITY_CSV=file cargo test --test traceability` writes
//! it, and `.ci/evidence` adds how each test ended.

use super::scan::{Kind, Scan};
use ascendcl_rules::RuleId;

const HEAD: &str = "rule,area,class,priority,mark,file,name\r\n";

/// A rule without a mark has one row, whose last three cells are empty.
pub(crate) fn of(scan: &Scan) -> String {
    let mut text = HEAD.to_owned();
    for id in RuleId::all() {
        let rule = id.rule();
        let begin = format!("{id},{},{:?},{}", rule.area, rule.class, rule.priority);
        let kept = scan.mechanisms.get(&id).into_iter().flatten().map(|place| ("keeps", place));
        let shown = scan.evidence.get(&id).into_iter().flatten();
        let marks: Vec<_> = kept.chain(shown.map(|evidence| (word(evidence.kind), &evidence.place))).collect();
        for (mark, place) in &marks {
            // Names of files and items have no comma and no quote.
            text += &format!("{begin},{mark},{},{}\r\n", place.file, place.name);
        }
        if marks.is_empty() {
            text += &format!("{begin},,,\r\n");
        }
    }
    text
}

const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Program => "refused program",
        Kind::Test => "test",
        Kind::Behaviour => "test of the simulator",
    }
}
