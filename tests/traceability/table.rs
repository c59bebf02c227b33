//! `docs/traceability.md`: names and links, and no rule's text.
//!
//! Links go to files and not to lines, which change with every edit.

use super::findings::catalogue;
use super::scan::{Evidence, Kind, Place, Scan};
use ascendcl_rules::{Area, Class, RuleId, Seed};
use std::fmt::Write;

const CLASSES: [Class; 5] = [Class::Compile, Class::ByConstruction, Class::RunTime, Class::Limit, Class::NotOffered];

const HEAD: &str = "\
# Traceability

Which rule of the library is kept by which code, and which test shows it. Made from the catalogue, from `#[rule]` and
`#[proves]`, and from the first lines of the programs in `ui-tests/fail`:
`DOCS=overwrite cargo test --test traceability`. What a rule demands stands in the catalogue, to which its id leads.

| class | |
| --- | --- |
| Compile | a program that breaks the rule does not compile |
| ByConstruction | the safe layer keeps it by itself, whatever the program does |
| RunTime | a check answers with an error that names it |
| Limit | it cannot be enforced; the last column says why |
| NotOffered | there is no API for what it is about |

";

pub(crate) fn of(scan: &Scan) -> String {
    let mut out = HEAD.to_owned();
    summary(&mut out);
    pages(&mut out);
    for area in Area::ALL {
        table(&mut out, scan, *area);
    }
    out
}

fn summary(out: &mut String) {
    out.push_str("## How many\n\n| area |");
    CLASSES.iter().for_each(|class| write!(out, " {class:?} |").unwrap());
    out.push_str(" all |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for area in Area::ALL {
        let link = format!("[{area}](#{}) {}", anchor(*area), area.title());
        counts(out, &link, area.rules().iter().copied());
    }
    counts(out, "all", RuleId::all());
    counts(out, "priority 1", RuleId::all().filter(|id| id.rule().priority == 1));
    out.push('\n');
}

fn counts(out: &mut String, name: &str, rules: impl Iterator<Item = RuleId> + Clone) {
    write!(out, "| {name} |").unwrap();
    for class in CLASSES {
        write!(out, " {} |", rules.clone().filter(|id| id.rule().class == class).count()).unwrap();
    }
    writeln!(out, " {} |", rules.count()).unwrap();
}

/// The rules of the pages of the vendor's manual that are covered whole.
fn pages(out: &mut String) {
    out.push_str(
        "## Pages of the vendor's manual that are covered whole\n\n| page | rules | by class |\n| --- | ---: | --- |\n",
    );
    for page in Seed::ALL {
        let rules: Vec<_> = RuleId::all().filter(|id| id.rule().seeds.contains(page)).collect();
        let classes = CLASSES.iter().filter_map(|class| {
            let of_class: Vec<_> = rules.iter().filter(|id| id.rule().class == *class).map(|id| id.as_str()).collect();
            (!of_class.is_empty()).then(|| format!("{class:?} {}: {}", of_class.len(), of_class.join(", ")))
        });
        writeln!(out, "| {} | {} | {} |", page.title(), rules.len(), classes.collect::<Vec<_>>().join("; ")).unwrap();
    }
    out.push('\n');
}

fn table(out: &mut String, scan: &Scan, area: Area) {
    writeln!(out, "## {}\n", heading(area)).unwrap();
    out.push_str("| rule | class | kept by | shown by | left open |\n| --- | --- | --- | --- | --- |\n");
    for id in area.rules() {
        let rule = id.rule();
        let kept: Vec<_> = scan.mechanisms.get(id).into_iter().flatten().map(item).collect();
        let shown: Vec<_> = scan.evidence.get(id).into_iter().flatten().map(evidence).collect();
        writeln!(
            out,
            "| [{id}](../{}) | {:?} | {} | {} | {} |",
            catalogue(*id),
            rule.class,
            if kept.is_empty() { rule.means.replace('|', "\\|") } else { kept.join(", ") },
            shown.join(", "),
            rule.hole.replace('|', "\\|")
        )
        .unwrap();
    }
    out.push('\n');
}

fn item(place: &Place) -> String {
    format!("[`{}`](../{})", place.name, place.file)
}

fn evidence(evidence: &Evidence) -> String {
    let Place { file, name } = &evidence.place;
    let (name, kind) = (name.replace('_', " "), evidence.kind);
    match kind {
        Kind::Program => format!("refused: [{name}](../{file})"),
        Kind::Test => format!("[{name}](../{file})"),
        Kind::Behaviour => format!("simulator: [{name}](../{file})"),
    }
}

fn heading(area: Area) -> String {
    format!("{area}: {}", area.title())
}

/// As the renderers of Markdown make it from the heading.
fn anchor(area: Area) -> String {
    let kept = heading(area).to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect::<String>().replace(' ', "-")
}
