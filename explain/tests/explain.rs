//! What the program prints: the catalogue's facts and the tested files.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl_rules::{Area, Class, RuleId};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ascendcl-explain")).args(arguments).output().unwrap()
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The names of the programs in `ui-tests/fail`, by the rules that their first lines name.
fn programs() -> BTreeMap<RuleId, Vec<String>> {
    let mut programs: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let paths = fs::read_dir(root().join("ui-tests/fail")).unwrap().map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
        let text = fs::read_to_string(&path).unwrap();
        let (ids, _) = text.strip_prefix("// ").unwrap().split_once(": ").unwrap();
        for id in ids.split(", ") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            programs.entry(id.parse().unwrap()).or_default().push(name.to_owned());
        }
    }
    programs
}

/// The text of a file of `ui-tests`, as it is printed.
fn tested(file: &str) -> String {
    format!("\n{}```\n", fs::read_to_string(root().join("ui-tests").join(file)).unwrap())
}

/// Whether the page has this program, its message, and the repaired program.
fn has(page: &str, name: &str) -> bool {
    let files = [format!("fail/{name}.rs"), format!("fail/{name}.stderr"), format!("pass/{name}.rs")];
    files.iter().all(|file| page.contains(&tested(file)))
}

#[test]
fn every_rule_has_a_page_with_the_facts_of_the_catalogue() {
    for id in RuleId::all() {
        let page = printed(&[id.as_str()]);
        let rule = id.rule();
        assert!(page.starts_with(&format!("{id} ({})\n\n{}\n", rule.area.title(), rule.text)), "{page}");
        for fact in [rule.misuse, rule.consequence, rule.source, rule.means, rule.hole] {
            assert!(page.contains(fact), "{fact:?} is not in\n{page}");
        }
    }
}

#[test]
fn every_rule_of_class_compile_has_a_program_with_its_message_and_the_repaired_program() {
    let programs = programs();
    let compile = RuleId::all().filter(|id| id.rule().class == Class::Compile);
    assert!(compile.clone().count() > 0);
    for id in compile {
        let page = printed(&[id.as_str()]);
        let shown: Vec<_> = programs[&id].iter().filter(|name| has(&page, name)).collect();
        assert_eq!(shown.len(), 1, "{id}: {shown:?} of {:?}", programs[&id]);
        // The others are named.
        for name in &programs[&id] {
            assert!(page.contains(&format!("ui-tests/fail/{name}.rs")), "{name} is not in\n{page}");
        }
        assert!(page.contains("A program that breaks it does not compile."), "{page}");
    }
}

#[test]
fn every_such_rule_of_priority_1_has_a_c_program_or_the_reason_why_not() {
    let folder = root().join("sim/dylib/tests/rules");
    let reasons = fs::read_to_string(folder.join("without.txt")).unwrap();
    for id in RuleId::all().filter(|id| id.rule().class == Class::Compile && id.rule().priority == 1) {
        let page = printed(&[id.as_str()]);
        match reasons.lines().find_map(|line| line.strip_prefix(&format!("{id}: "))) {
            Some(reason) => assert!(page.contains(&format!("\nNo C program: {reason}\n")), "{page}"),
            None => {
                for ending in ["c", "said"] {
                    let text = fs::read_to_string(folder.join(format!("{id}.{ending}"))).unwrap();
                    assert!(page.contains(&format!("\n{text}```\n")), "{id}.{ending} is not in\n{page}");
                }
                assert!(page.contains("The simulator's checker") || page.contains("the simulator's checker"), "{page}");
            }
        }
    }
}

#[test]
fn all_programs_of_a_rule_can_be_printed() {
    for (id, names) in programs() {
        let page = printed(&["--all", id.as_str()]);
        for name in names {
            assert!(has(&page, &name), "{name} is not in\n{page}");
        }
    }
}

#[test]
fn a_page_leads_to_the_code_and_to_the_tests() {
    let page = printed(&["ALLOC-09"]);
    for line in [
        "  src/stream/allocator.rs: `Stream::replace`",
        "  tests/allocators/registration.rs: replacing synchronises first gives the old one back and the last one counts",
    ] {
        assert!(page.lines().any(|found| found == line), "no line {line:?} in\n{page}");
    }
    assert!(page.contains("Left open: Another library that obtains the stream's handle"), "{page}");
    for id in RuleId::all() {
        for line in printed(&[id.as_str()]).lines().filter_map(|line| line.strip_prefix("  ")) {
            let Some((path, _)) = line.split_once(".rs: ") else { continue };
            let known = ["src/", "tests/", "sim/", "ui-tests/"].iter().any(|folder| path.starts_with(folder));
            let file = PathBuf::from(format!("{path}.rs"));
            assert!(!known || root().join(&file).is_file(), "{id}: {file:?} is not there");
        }
    }
}

#[test]
fn an_id_may_be_written_in_other_ways() {
    let page = printed(&["ALLOC-09"]);
    for name in ["ALLOC_09", "alloc-9", "Alloc09", "alloc 09", " ALLOC-09 "] {
        assert_eq!(printed(&[name]), page, "{name}");
    }
}

#[test]
fn an_unknown_id_gives_the_nearest_ones() {
    for (name, first) in
        [("ALOC-09", "ALLOC-09"), ("STRAEM-2", "STREAM-02"), ("ALLOC-99", "ALLOC-21"), ("MOED-01", "MODE-01")]
    {
        let output = run(&[name]);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{name}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.starts_with(&format!("ascendcl-explain: the catalogue has no rule `{name}`.")), "{text}");
        let proposed: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        assert_eq!(proposed.len(), 4, "{text}");
        assert!(proposed[0].starts_with(&format!("{first}: ")), "{text}");
    }
    // What is no id at all is an error, too.
    for name in ["", "-", "9", "ALLOC-", "…", "ALLOC-99999999999999999999"] {
        let output = run(&["--", name]);
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
    }
}

#[test]
fn areas_and_their_rules_are_listed() {
    let areas = printed(&[]);
    for area in Area::ALL {
        assert!(areas.contains(area.title()), "{areas}");
        let list = printed(&[&area.code().to_lowercase()]);
        for id in area.rules() {
            assert!(list.contains(&format!("{id}: {}\n", id.rule().text)), "{list}");
        }
    }
}

#[test]
fn arguments() {
    assert!(printed(&["--help"]).contains("Usage: ascendcl-explain"));
    assert!(printed(&["--version"]).starts_with("ascendcl-explain "));
    for wrong in [&["--al", "ALLOC-09"][..], &["ALLOC-09", "ALLOC-10"]] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_a_failure_and_no_panic() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ascendcl-explain"));
    let output = command.arg("ALLOC-09").stdout(fs::File::create("/dev/full").unwrap()).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));
}
