//! What is missing.

use crate::tree::Tree;
use ascendcl_rules::{Class, RuleId};

/// The areas whose rules have to be enforced; what the others are about has no API.
const AREAS: [&str; 14] =
    ["INIT", "DEV", "CTX", "THREAD", "STREAM", "MEM", "COPY", "EVENT", "CB", "ALLOC", "MODEL", "DATA", "MODE", "ERR"];

/// Rules of priority 1, and those of the pages that the project started from, that lack a mechanism or evidence; and
/// mentions of rules that do not exist.
pub fn of(tree: &Tree) -> Vec<String> {
    let matters = |id: &RuleId| {
        let rule = id.rule();
        AREAS.contains(&rule.area.code()) && (rule.priority == 1 || !rule.seeds.is_empty())
    };
    let mut gaps: Vec<String> = RuleId::all().filter(matters).filter_map(|id| gap(tree, id)).collect();
    let mentions = [&tree.mechanisms, &tree.tests, &tree.programs].into_iter().flatten();
    let unknown = mentions.filter(|(id, _)| id.parse::<RuleId>().is_err());
    gaps.extend(unknown.map(|(id, by)| format!("{}: `{}` names {id}, which is no rule", by[0].file, by[0].name)));
    gaps
}

fn gap(tree: &Tree, id: RuleId) -> Option<String> {
    let (name, class) = (id.as_str(), id.rule().class);
    if matches!(class, Class::Limit | Class::NotOffered) {
        let unsaid = id.rule().hole.is_empty() && class == Class::Limit;
        return unsaid
            .then(|| format!("{name} cannot be enforced, and the catalogue does not say why: add its `hole`"));
    }
    if !tree.mechanisms.contains_key(name) {
        return Some(format!("{name} ({class:?}) has no mechanism: put #[rule] on the item of src/ that keeps it"));
    }
    if tree.evidence(name).next().is_some() {
        return None;
    }
    Some(match class {
        Class::Compile => format!("{name} ({class:?}) lost its evidence: no program in ui-tests/fail begins with it"),
        _ => format!("{name} ({class:?}) lost its evidence: no test has it in #[proves]"),
    })
}
