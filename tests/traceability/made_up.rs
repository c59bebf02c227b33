//! Tests the scanner and its findings on small made-up repositories.

use super::scan::{Kind, Scan};
use super::table::Page;
use super::{findings, once, table, written};
use ascendcl_rules::{ALLOC_07, RuleId, STREAM_05};
use std::fs;
use std::path::{Path, PathBuf};

const KEEPS: (&str, &str) = (
    "src/lib.rs",
    "mod inner { impl<A> Descriptor<A> { /// Registers.\n#[must_use]\n#[rule(ALLOC_07, STREAM_05)]\nfn register(self) {} } }",
);
const PROGRAM: (&str, &str) = ("ui-tests/fail/incomplete.rs", "// ALLOC-07, ALLOC-17: it is complete.\nfn main() {}\n");
const TEST: (&str, &str) = ("tests/life.rs", "mod deep { #[proves(STREAM_05)]\n#[test]\nfn waits_first() {} }");

/// A repository of these files, made anew.
fn repository(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("traceability").join(name);
    let _ = fs::remove_dir_all(&root);
    for (file, text) in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// The findings that begin with one of the two rules of these files, or are about no rule.
fn found(name: &str, files: &[(&str, &str)]) -> Vec<String> {
    let all = findings::of(&Scan::of(&repository(name, files)));
    let others = |finding: &String| {
        let rule = finding.split(' ').next().unwrap().parse::<RuleId>();
        rule.is_ok_and(|rule| rule != ALLOC_07 && rule != STREAM_05)
    };
    all.into_iter().filter(|finding| !others(finding)).collect()
}

#[test]
fn items_tests_and_programs_are_found_by_name_and_file() {
    let behaviour = ("sim/tests/a/b.rs", "#[test]\n#[proves(ALLOC_07)]\nfn refuses() {}");
    let scan = Scan::of(&repository("all", &[KEEPS, PROGRAM, TEST, behaviour]));
    let kept = &scan.mechanisms[&ALLOC_07];
    assert_eq!((kept.len(), kept[0].name.as_str(), kept[0].file.as_str()), (1, "Descriptor::register", "src/lib.rs"));
    let shown = scan.evidence[&ALLOC_07].iter().map(|evidence| (evidence.kind, evidence.place.file.as_str()));
    assert!(shown.eq([(Kind::Program, "ui-tests/fail/incomplete.rs"), (Kind::Behaviour, "sim/tests/a/b.rs")]));
    assert_eq!(scan.evidence[&STREAM_05][0].place.name, "waits_first");
    assert_eq!(scan.unreadable, [""; 0]);
}

#[test]
fn a_rule_that_is_kept_and_shown_is_no_finding() {
    assert_eq!(found("complete", &[KEEPS, PROGRAM, TEST]), [""; 0]);
}

#[test]
fn a_missing_program_is_named_by_its_rule_and_what_to_write() {
    let found = found("no-program", &[KEEPS, TEST]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("ALLOC-07 is Compile, and no program shows"), "{found:?}");
    assert!(found[0].contains("begins with `// ALLOC-07:`"), "{found:?}");
}

#[test]
fn a_missing_test_is_named_and_the_simulators_own_does_not_count() {
    let behaviour = ("sim/tests/life.rs", TEST.1);
    let found = found("no-test", &[KEEPS, PROGRAM, behaviour]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("STREAM-05 is ByConstruction, and no test shows"), "{found:?}");
    assert!(found[0].contains("`#[proves(STREAM_05)]`"), "{found:?}");
}

#[test]
fn a_missing_mechanism_is_named_for_each_rule_that_lost_it() {
    let found = found("no-item", &[PROGRAM, TEST]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("STREAM-05 is ByConstruction, and no item keeps it any more"), "{found:?}");
    assert!(found[1].contains("`#[rule(ALLOC_07)]`") && found[1].contains("rules/src/catalogue/alloc.rs"), "{found:?}");
}

#[test]
fn names_of_no_rule_are_findings() {
    let unknown = ("ui-tests/fail/unknown.rs", "// ALLOC-99: nothing.\n");
    let nameless = ("ui-tests/fail/nameless.rs", "fn main() {}\n");
    let proves = ("tests/more.rs", "#[test]\n#[proves(STREAM_99)]\nfn shows() {}");
    let found = found("unknown", &[KEEPS, PROGRAM, TEST, unknown, nameless, proves]);
    let said = |words: &[&str]| found.iter().any(|finding| words.iter().all(|word| finding.contains(word)));
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(said(&["ui-tests/fail/unknown.rs", "no rule `ALLOC-99`"]), "{found:?}");
    assert!(said(&["ui-tests/fail/nameless.rs", "does not say which rule it breaks"]), "{found:?}");
    assert!(said(&["`shows` in tests/more.rs", "no rule `STREAM_99`"]), "{found:?}");
}

#[test]
fn what_is_no_test_or_does_not_run_shows_nothing() {
    let helper = ("tests/helper.rs", "#[proves(STREAM_05)]\nfn helps() {}");
    let ignored = ("tests/ignored.rs", "#[test]\n#[ignore = \"by hand\"]\n#[proves(STREAM_05)]\nfn waits() {}");
    let found = found("no-run", &[KEEPS, PROGRAM, TEST, helper, ignored]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("`helps` in tests/helper.rs is no test that runs"), "{found:?}");
    assert!(found[1].starts_with("`waits` in tests/ignored.rs is no test that runs"), "{found:?}");
}

#[test]
fn an_item_that_claims_a_rule_without_an_api_is_a_finding() {
    let claims = ("src/claims.rs", "#[rule(VMM_01)]\nstruct Range;");
    let all = findings::of(&Scan::of(&repository("claims", &[claims])));
    let found: Vec<_> = all.iter().filter(|finding| finding.starts_with("VMM-01")).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("`Range` in src/claims.rs claims to keep it"), "{found:?}");
}

/// The page that describes the area of this name.
fn page(pages: &[Page], area: &str) -> String {
    let path = format!("docs/traceability/{area}.md");
    pages.iter().find(|page| page.path == path).unwrap().text.clone()
}

#[test]
fn the_table_links_to_files_and_changes_with_what_it_names_only() {
    let before = table::of(&Scan::of(&repository("table", &[KEEPS, PROGRAM, TEST])));
    assert!(page(&before, "alloc").contains("[`Descriptor::register`](../../src/lib.rs)"));
    assert!(page(&before, "alloc").contains("refused: [incomplete](../../ui-tests/fail/incomplete.rs)"));
    assert!(page(&before, "stream").contains("[waits first](../../tests/life.rs)"));
    let moved = format!("\n\n// Two lines further down.\n{}", KEEPS.1);
    let after = table::of(&Scan::of(&repository("table", &[("src/lib.rs", &moved), PROGRAM, TEST])));
    assert!(before.iter().map(|page| &page.text).eq(after.iter().map(|page| &page.text)));
}

#[test]
fn a_new_test_changes_the_page_of_its_area_only() {
    let before = table::of(&Scan::of(&repository("area-before", &[KEEPS, PROGRAM])));
    let after = table::of(&Scan::of(&repository("area-after", &[KEEPS, PROGRAM, TEST])));
    let changed = before.iter().zip(&after).filter(|(before, after)| before.text != after.text);
    let changed: Vec<_> = changed.map(|(before, _)| before.path.as_str()).collect();
    assert_eq!(changed, ["docs/traceability/stream.md"]);
}

#[test]
fn stale_and_left_over_pages_are_named_and_written_anew() {
    let root = repository("written", &[KEEPS, PROGRAM, TEST, ("docs/traceability/gone.md", "An area that is gone.\n")]);
    let pages = table::of(&Scan::of(&root));
    let found = written::stale(&root, &pages);
    assert_eq!(found.len(), pages.len() + 1, "{found:?}");
    assert!(found.contains(&"docs/traceability/gone.md belongs to no area of the catalogue".to_owned()), "{found:?}");
    assert_eq!(written::overwrite(&root, &pages), [""; 0]);
    assert_eq!(written::stale(&root, &pages), [""; 0]);
    std::fs::write(root.join("docs/traceability/alloc.md"), "Edited by hand.\n").unwrap();
    let found = written::stale(&root, &pages);
    assert!(found.len() == 1 && found[0].starts_with("docs/traceability/alloc.md is stale"), "{found:?}");
}

#[test]
fn a_copy_of_a_rule_is_found_however_its_lines_are_broken() {
    let wrapped = ALLOC_07.rule().text.replacen(' ', "\n/// ", 3);
    let root = repository("copies", &[("src/lib.rs", &format!("/// {wrapped}\nstruct Copy;\n")), TEST]);
    assert_eq!(once::copies(&root), ["src/lib.rs states ALLOC-07"]);
}
