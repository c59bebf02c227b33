//! `docs/traceability.md` and a page per area below `docs/traceability/`: names and links, and no rule's text.
//!
//! A page per area keeps changes small: a new test changes the page of its rule's area only. Links go to files, because
//! lines change with every edit.

use super::findings::catalogue;
use super::scan::{Evidence, Kind, Place, Scan};
use ascendcl_rules::{Area, Class, ManualPage, RuleId};
use std::fmt::Write;

const CLASSES: [Class; 5] = [Class::Compile, Class::ByConstruction, Class::RunTime, Class::Limit, Class::NotOffered];

/// The folder of the areas' pages. `UP` leads from a page back to the root of the repository.
pub(crate) const FOLDER: &str = "docs/traceability";
const UP: &str = "../..";

const HEAD: &str = "\
# Traceability

These pages list for each rule of the vendor's library the code that keeps it and the tests that show it. They are
generated from the catalogue, from `#[rule]` and `#[proves]`, and from the first lines of the programs in
`ui-tests/fail`: `DOCS=overwrite cargo test --test traceability`. The text of a rule is in the catalogue; the rule's id
links to it.

| class | |
| --- | --- |
| Compile | a program that breaks the rule does not compile |
| ByConstruction | the safe layer keeps the rule, whatever the program does |
| RunTime | a check, or the library's own refusal, is an error. It names the rule, unless the code of a refusal does not identify it |
| Limit | nothing can enforce the rule; the last column says why |
| NotOffered | there is no API for the subject of the rule |

";

/// A generated file.
pub(crate) struct Page {
    /// From the root of the repository.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The overview, then a page per area.
pub(crate) fn of(scan: &Scan) -> Vec<Page> {
    let mut overview = HEAD.to_owned();
    summary(&mut overview);
    manual(&mut overview);
    let overview = Page { path: "docs/traceability.md".to_owned(), text: overview };
    let areas =
        Area::ALL.iter().map(|area| Page { path: format!("{FOLDER}/{}", file(*area)), text: table(scan, *area) });
    std::iter::once(overview).chain(areas).collect()
}

fn file(area: Area) -> String {
    format!("{}.md", area.code().to_lowercase())
}

fn summary(out: &mut String) {
    out.push_str("## How many\n\n| area |");
    CLASSES.iter().for_each(|class| write!(out, " {class:?} |").unwrap());
    out.push_str(" all |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for area in Area::ALL {
        let link = format!("[{area}](traceability/{}) {}", file(*area), area.title());
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
fn manual(out: &mut String) {
    out.push_str(
        "## Pages of the vendor's manual that are covered whole\n\n| page | rules | by class |\n| --- | ---: | --- |\n",
    );
    for page in ManualPage::ALL {
        let rules: Vec<_> = RuleId::all().filter(|id| id.rule().pages.contains(page)).collect();
        let classes = CLASSES.iter().filter_map(|class| {
            let of_class: Vec<_> = rules.iter().filter(|id| id.rule().class == *class).map(|id| id.as_str()).collect();
            (!of_class.is_empty()).then(|| format!("{class:?} {}: {}", of_class.len(), of_class.join(", ")))
        });
        writeln!(out, "| {} | {} | {} |", page.title(), rules.len(), classes.collect::<Vec<_>>().join("; ")).unwrap();
    }
}

fn table(scan: &Scan, area: Area) -> String {
    let mut out =
        format!("# {area}: {}\n\n[All areas, and what the classes mean](../traceability.md)\n\n", area.title());
    out.push_str("| rule | class | kept by | shown by | left open |\n| --- | --- | --- | --- | --- |\n");
    for id in area.rules() {
        let rule = id.rule();
        let kept: Vec<_> = scan.mechanisms.get(id).into_iter().flatten().map(item).collect();
        let shown: Vec<_> = scan.evidence.get(id).into_iter().flatten().map(evidence).collect();
        writeln!(
            out,
            "| [{id}]({UP}/{}) | {:?} | {} | {} | {} |",
            catalogue(*id),
            rule.class,
            if kept.is_empty() { rule.means.replace('|', "\\|") } else { kept.join(", ") },
            shown.join(", "),
            rule.hole.replace('|', "\\|")
        )
        .unwrap();
    }
    out
}

fn item(place: &Place) -> String {
    format!("[`{}`]({UP}/{})", place.name, place.file)
}

fn evidence(evidence: &Evidence) -> String {
    let Place { file, name } = &evidence.place;
    let (name, kind) = (name.replace('_', " "), evidence.kind);
    match kind {
        Kind::Program => format!("refused: [{name}]({UP}/{file})"),
        Kind::Test => format!("[{name}]({UP}/{file})"),
        Kind::Behaviour => format!("simulator: [{name}]({UP}/{file})"),
    }
}
