//! Finds missing mechanisms and evidence, and says what to do.

use super::scan::{Evidence, Kind, Scan};
use ascendcl_rules::{Class, RuleId};

/// Rules of class `Compile` that no program in `ui-tests/` can show, with the reason.
const WITHOUT_A_PROGRAM: [(RuleId, &str); 0] = [];

/// Each begins with the rule that it is about, where it is about one.
pub(crate) fn of(scan: &Scan) -> Vec<String> {
    let mut found = scan.unreadable.clone();
    for id in RuleId::all() {
        let class = id.rule().class;
        let kept = scan.mechanisms.get(&id);
        if matches!(class, Class::Limit | Class::NotOffered) {
            found.extend(kept.into_iter().flatten().map(|place| {
                format!(
                    "{id} is {class:?} in {}, and `{}` in {} claims to keep it: take `#[rule({})]` away, or change the \
                     rule's class and means",
                    catalogue(id),
                    place.name,
                    place.file,
                    constant(id)
                )
            }));
            continue;
        }
        if kept.is_none() {
            found.push(format!(
                "{id} is {class:?}, and no item keeps it any more: put `#[rule({})]` on the item in src/ that does, or \
                 change its class in {}",
                constant(id),
                catalogue(id)
            ));
        }
        let shown: &[Evidence] = scan.evidence.get(&id).map_or(&[], Vec::as_slice);
        let by_program = shown.iter().any(|evidence| evidence.kind == Kind::Program);
        let excused = WITHOUT_A_PROGRAM.iter().any(|(excused, _reason)| *excused == id);
        if class == Class::Compile && !by_program && !excused {
            found.push(format!(
                "{id} is Compile, and no program shows that a misuse is refused: write one in ui-tests/fail whose first \
                 line begins with `// {id}:`, with its twin in ui-tests/pass"
            ));
        }
        // What the library does by itself shows nothing about this crate.
        let by_test = shown.iter().any(|evidence| evidence.kind != Kind::Behaviour);
        if !by_test && class != Class::Compile {
            found.push(format!(
                "{id} is {class:?}, and no test shows that it is kept: put `#[proves({})]` on a test in tests/ that fails \
                 when it is broken; write that test if there is none",
                constant(id)
            ));
        }
    }
    found
}

pub(crate) fn constant(id: RuleId) -> String {
    id.as_str().replace('-', "_")
}

/// The file in which the rule stands.
pub(crate) fn catalogue(id: RuleId) -> String {
    format!("rules/src/catalogue/{}.rs", id.rule().area.code().to_lowercase())
}
