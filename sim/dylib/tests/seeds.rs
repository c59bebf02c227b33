//! The calls of the manual's pages that this project began with, compiled and run under strict checks. The chapter
//! "Five pages of the manual" of the book quotes these programs, and says what is ambiguous or wrong in the pages.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use compiler::compile;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_program_of_resource_allocation_breaks_a_rule_as_printed_and_none_after_initialising() {
    let program = compile("CXX", "c++", "-std=c++17", "seeds/resources.cpp", library::folder(), "-lascendcl");
    let (printed, report) = said(&program, "report");
    let after = "init 0\nwith aclInit: 0, on the device: 0\nfinalize 0\n";
    assert_eq!(printed, format!("as printed, without aclInit: 0\n{after}"), "the library accepts it");
    assert!(report.contains("INIT-01 is broken by aclrtSetDevice (call 1,"), "{report}");
    let broken: Vec<_> = report.lines().filter(|line| line.contains(" is broken by ")).collect();
    assert!(broken.iter().all(|line| line.starts_with("INIT-01")), "{broken:?}");
    let (printed, _) = said(&program, "strict");
    assert!(!printed.starts_with("as printed, without aclInit: 0\n") && printed.ends_with(after), "{printed}");
}

#[test]
fn an_allocator_is_registered_as_the_page_says_and_the_default_stream_takes_none() {
    let program = compile("CC", "cc", "-std=c11", "seeds/registration.c", library::folder(), "-lascendcl");
    let (printed, _) = said(&program, "report");
    let (before, refused) = printed.split_once("on the default stream: ").unwrap();
    assert_eq!(before, "relu: 0 2 0 4\nthe pool was asked: 1, and has everything back: 1\n");
    assert_ne!(refused, "0\n");
}

#[test]
fn models_share_a_workspace_and_weights_as_the_page_says() {
    let program = compile("CC", "cc", "-std=c11", "seeds/shared_memory.c", library::folder(), "-lascendcl");
    assert_eq!(said(&program, "strict").0, "executed\nexecuted\n");
}

/// Python's side of the page, on the module `acl` beside it, which takes each call to the C function of its name.
#[test]
fn the_python_program_of_resource_allocation_breaks_the_same_rule() {
    let Some(python) = python("resources.py") else { return };
    let (printed, report) = said_by(python(), "report");
    assert_eq!(printed, "as printed, without acl.init: 0\ninit 0\nwith acl.init: 0\nfinalize 0\n");
    assert!(report.contains("INIT-01 is broken by aclrtSetDevice (call 1,"), "{report}");
    let broken: Vec<_> = report.lines().filter(|line| line.contains(" is broken by ")).collect();
    assert!(broken.iter().all(|line| line.starts_with("INIT-01")), "{broken:?}");
    let (printed, _) = said_by(python(), "strict");
    assert!(!printed.starts_with("as printed, without acl.init: 0\n"), "{printed}");
}

#[test]
fn models_are_loaded_onto_shared_memory_from_python_as_the_page_says() {
    let Some(python) = python("shared_memory.py") else { return };
    let (printed, report) = said_by(python(), "strict");
    assert_eq!(printed, format!("codes {:?}\n", [0; 13]), "{report}");
}

/// The page prints its program on one line, where all that follows the first `#` is a comment.
#[test]
fn a_program_of_python_on_one_line_is_its_first_statement() {
    let Some(python) = python("resources.py") else { return };
    let program = std::fs::read_to_string(seed("resources.py")).unwrap();
    let calls = program.split("# ANCHOR: program").nth(1).and_then(|rest| rest.split("# ANCHOR_END").next()).unwrap();
    let line: Vec<_> = calls.lines().map(str::trim).collect();
    let line = format!("import sys # {}", line.join(" "));
    let mut command = Command::new(python().get_program());
    let counted = command.args(["-c", "import ast, sys; print(len(ast.parse(sys.argv[1]).body))", &line]).output();
    assert_eq!(String::from_utf8_lossy(&counted.unwrap().stdout), "1\n");
}

fn seed(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds").join(file)
}

/// Makes the command that runs a program of Python; says so where Python is not installed.
fn python(file: &'static str) -> Option<impl Fn() -> Command> {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: python3 is not installed");
        return None;
    }
    Some(move || {
        let mut command = Command::new("python3");
        // Compiled modules would lie in the folder of the sources.
        command.arg("-B").arg(seed(file));
        command
    })
}

/// What the program prints, and what the simulator reports.
fn said(program: &Path, checks: &str) -> (String, String) {
    said_by(Command::new(program), checks)
}

fn said_by(mut command: Command, checks: &str) -> (String, String) {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/digits-8.onnx");
    let output = command.arg(model).env("LD_LIBRARY_PATH", library::folder()).env("ASCENDCL_SIM", checks).output();
    let output = output.expect("the compiled program runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "it ended with {}:\n{said}{report}", output.status);
    (said, report)
}
