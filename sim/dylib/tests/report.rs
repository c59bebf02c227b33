//! A program in C with three mistakes: what the simulator reports, and what its calls answer under strict checks.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

#[test]
fn three_mistakes_are_reported_as_expected() {
    let (said, report) = run("report");
    assert!(said.lines().all(|line| line.ends_with(" answers 0")), "a report changes no answer:\n{said}");
    let report = without_sentences(&without_addresses(&report));
    println!("{report}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes.report");
    if std::env::var("REPORT").is_ok_and(|wish| wish == "overwrite") {
        std::fs::write(&path, &report).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(report, expected, "REPORT=overwrite writes {}", path.display());
}

#[test]
fn under_strict_checks_each_mistake_fails_and_names_its_rule() {
    let (said, _) = run("strict");
    let refused: Vec<_> = said.lines().filter(|line| !line.ends_with(" answers 0")).collect();
    let expected = [
        "aclrtSynchronizeStream(stream) answers 107000, COPY-04",
        "aclrtFree(device) answers 107000, MEM-02",
        "aclFinalize() answers 100001, INIT-02",
    ];
    assert_eq!(refused, expected, "{said}");
}

#[test]
fn memory_freed_under_a_replay_is_reported_with_the_graph_that_uses_it() {
    let (said, report) = run_captured("report", None);
    assert!(all_answer_0(&said), "a report changes no answer:\n{said}");
    let report = without_sentences(&without_addresses(&report));
    println!("{report}");
    let expected = [
        "ascendcl-sim: one of the vendor's rules was broken",
        "GRAPH-05 is broken by aclrtFree (call 8, thread 1)",
        "  found:    memory <4> is freed while a replay of captured graph <5> on stream <6> may still use it as the \
         destination of a copy or fill",
        "  object:   captured graph <5>, made by aclmdlRICaptureEnd (call 6, thread 1), last used by \
         aclmdlRIExecuteAsync (call 7, thread 1)",
        "  earlier:  aclmdlRIExecuteAsync (call 7, thread 1) queued work that uses the memory",
        "  fix:      synchronise stream <6> before the memory is freed",
    ];
    for line in expected {
        assert!(report.lines().any(|found| found == line), "without `{line}`:\n{report}");
    }
    let (said, _) = run_captured("strict", None);
    let refused: Vec<_> = said.lines().filter(|line| !line.ends_with(" answers 0")).collect();
    assert_eq!(refused.first(), Some(&"aclrtFree(device) answers 107000, GRAPH-05"), "{said}");
    let (said, report) = run_captured("strict", Some("repaired"));
    assert!(all_answer_0(&said) && report.is_empty(), "{said}{report}");
}

/// Whether a program says of its calls, and there are some, that all of them answered 0.
fn all_answer_0(said: &str) -> bool {
    said.lines().count() > 3 && said.lines().all(|line| line.ends_with(" answers 0"))
}

/// What the program prints that captures, and what the simulator does.
fn run_captured(checks: &str, word: Option<&str>) -> (String, String) {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let compile = || compiler::compile("CC", "cc", "-std=c11", "captured.c", library::folder(), "-lascendcl");
    run_program(Command::new(PROGRAM.get_or_init(compile)).args(word), checks)
}

/// What the program prints, and what the simulator does.
fn run(checks: &str) -> (String, String) {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let compile = || compiler::compile("CC", "cc", "-std=c11", "mistakes.c", library::folder(), "-lascendcl");
    run_program(&mut Command::new(PROGRAM.get_or_init(compile)), checks)
}

fn run_program(program: &mut Command, checks: &str) -> (String, String) {
    let output = program
        .env("LD_LIBRARY_PATH", library::folder())
        .env("ASCENDCL_SIM", checks)
        .output()
        .expect("the compiled program runs");
    assert!(output.status.success(), "it ended with {}", output.status);
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// A rule's sentence becomes `…`: it stands in the catalogue and nowhere else.
fn without_sentences(report: &str) -> String {
    const RULE: &str = "  rule:     ";
    let line = |line: &str| match line.strip_prefix(RULE) {
        Some(sentence) => {
            assert!(sentence.len() > 20 && sentence.ends_with('.'), "a whole sentence: {sentence}");
            format!("{RULE}…\n")
        }
        None => format!("{line}\n"),
    };
    report.lines().map(line).collect()
}

/// Handles and addresses become `<1>`, `<2>`, … in the order in which they come: they are others in each run.
fn without_addresses(report: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut parts = report.split("0x");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(end);
        let index = known.iter().position(|known| *known == number).unwrap_or_else(|| {
            known.push(number);
            known.len() - 1
        });
        text.push_str(&format!("<{}>{rest}", index + 1));
    }
    text
}
