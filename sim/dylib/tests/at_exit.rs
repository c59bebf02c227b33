//! Programs that give back what they have when the process exits, and processes that are forked.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The program's exit status, what it printed, and what was reported.
fn run(word: &str, mode: &str) -> (Option<i32>, String, String) {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM
        .get_or_init(|| compiler::compile("CXX", "c++", "-std=c++17", "at_exit.cpp", library::folder(), "-lascendcl"));
    let mut command = Command::new(program);
    command.arg(word).env("LD_LIBRARY_PATH", library::folder()).env("ASCENDCL_SIM", mode);
    if !mode.is_empty() {
        command.env("ASCENDCL_SIM_EXIT", "9");
    }
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_static_object_gives_back_what_it_has() {
    for mode in ["", "report", "strict", "strict,vendor-waits,reuse-handles"] {
        assert_eq!(run("", mode), (Some(0), "given back\n".to_owned(), String::new()), "{mode}");
    }
}

/// The objects of the main thread are dropped before the static ones, which end the context that is current on it.
#[test]
fn a_static_object_ends_a_context_of_the_main_thread() {
    for mode in ["", "report", "strict"] {
        assert_eq!(run("context", mode), (Some(0), "given back\n".to_owned(), String::new()), "{mode}");
    }
}

#[test]
fn a_static_object_that_does_not_reset_its_device_is_found() {
    let (status, said, report) = run("forgets", "report");
    assert_eq!(status, Some(9), "{said}{report}");
    assert!(report.contains("INIT-02 is broken by aclFinalize"), "{report}");
    assert_eq!(report.matches("is broken").count(), 1, "{report}");
}

#[test]
fn a_forked_process_that_makes_no_call_reports_nothing_and_keeps_its_status() {
    for mode in ["report", "strict"] {
        let said = "the child's status: 3\ngiven back\n".to_owned();
        assert_eq!(run("child", mode), (Some(0), said, String::new()), "{mode}");
    }
}

#[test]
fn a_forked_process_reports_its_own_calls() {
    let (status, said, report) = run("calling", "report");
    assert_eq!((status, said.lines().last()), (Some(0), Some("the child's status: 9")), "{said}{report}");
    assert!(report.contains("INIT-01 is broken by aclrtFree"), "the child has not initialised the library: {report}");
}

/// The child makes two calls and leaves without a finalisation. All of that is one mistake, and its parent has made none.
#[test]
fn a_forked_process_that_uses_the_library_of_its_parent_is_found_once() {
    for word in ["inherits", "inherits-work"] {
        for mode in ["report", "strict"] {
            let (status, said, report) = run(word, mode);
            assert_eq!(status, Some(0), "{said}{report}");
            assert!(said.contains("the child's status: 9"), "{word} {mode}: {said}");
            assert!(report.contains("THREAD-05 is broken by aclrtFree"), "{word} {mode}: {report}");
            assert_eq!(report.matches("is broken").count(), 1, "{word} {mode}: {report}");
            let refused = said.contains("aclrtFree(memory): 207000");
            assert_eq!(refused, word == "inherits-work" || mode == "strict", "{word} {mode}: {said}");
        }
        let (status, said, report) = run(word, "");
        assert_eq!((status, report.as_str()), (Some(0), ""), "{said}");
        assert!(said.contains("the child's status: 3"), "{said}");
    }
}
