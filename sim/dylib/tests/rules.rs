//! The C programs of `tests/rules`, which the pages of `ascendcl-explain` show: each breaks one of the vendor's rules, and
//! the simulator's checker finds what the first line of the program says.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use ascendcl_rules::{Class, RuleId};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs end where the mistake was shown: they finalise nothing, and leave contexts and objects behind.
const LEFT_BEHIND: [&str; 3] = ["CTX-14", "DEV-10", "INIT-03"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules")
}

fn programs() -> Vec<String> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = files.filter_map(|file| file.strip_suffix(".c").map(str::to_owned)).collect();
    names.sort();
    names
}

/// What the first line says: the sentence, and the rules that the checker finds.
fn claimed(name: &str) -> (String, BTreeSet<String>) {
    let source = std::fs::read_to_string(folder().join(format!("{name}.c"))).unwrap();
    let line = source.lines().next().and_then(|line| line.strip_prefix(&format!("/* {name}: "))).unwrap();
    let (sentence, rest) = line.split_once(" The simulator finds: ").unwrap();
    let found = rest.strip_suffix(". */").unwrap();
    let rules = found.split(", ").filter(|rule| *rule != "none").map(str::to_owned).collect();
    (sentence.to_owned(), rules)
}

/// What the program prints, and the rules that the checker finds broken.
fn run(name: &str) -> (String, BTreeSet<String>) {
    let source = format!("rules/{name}.c");
    let program = compiler::compile("CC", "cc", "-std=gnu11", &source, library::folder(), "-lascendcl");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    let mut command = Command::new(program);
    command
        .args(["digits-8.onnx", "digits.onnx"].map(|model| models.join(model)))
        .env("LD_LIBRARY_PATH", library::folder())
        .env("ASCENDCL_SIM", "report,advice");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{name} ended with {}", output.status);
    let report = String::from_utf8(output.stderr).unwrap();
    let findings = report.lines().filter_map(|line| line.split_once(" is broken by "));
    let rules = findings.map(|(rule, _)| rule.rsplit(": ").next().unwrap_or(rule).to_owned());
    (String::from_utf8(output.stdout).unwrap(), rules.filter(|rule| !LEFT_BEHIND.contains(&rule.as_str())).collect())
}

#[test]
fn each_program_breaks_its_rule_and_the_checker_finds_it() {
    let mut wrong = Vec::new();
    for name in programs() {
        let (_, claimed) = claimed(&name);
        let (said, found) = run(&name);
        if found != claimed {
            wrong.push(format!("{name}: {found:?}, and its first line says {claimed:?}\n{said}"));
            continue;
        }
        let path = folder().join(format!("{name}.said"));
        if std::env::var("RULES").is_ok_and(|wish| wish == "overwrite") {
            std::fs::write(&path, &said).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(said, expected, "RULES=overwrite writes {}", path.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_rule_that_programs_are_refused_for_has_a_program_or_a_reason() {
    let reasons = std::fs::read_to_string(folder().join("without.txt")).unwrap();
    let without: BTreeSet<_> = reasons.lines().map(|line| line.split_once(": ").unwrap().0).collect();
    let with = programs();
    for name in &with {
        assert!(name.parse::<RuleId>().is_ok() && !without.contains(name.as_str()), "{name}");
        let (sentence, found) = claimed(name);
        assert!(sentence.ends_with('.') && !found.is_empty(), "{name}");
    }
    let of_priority_1 = |id: &RuleId| id.rule().class == Class::Compile && id.rule().priority == 1;
    let lacking: Vec<_> = RuleId::all()
        .filter(of_priority_1)
        .map(RuleId::as_str)
        .filter(|id| !with.iter().any(|name| name == id) && !without.contains(id))
        .collect();
    assert!(lacking.is_empty(), "no program and no reason: {lacking:?}");
}
