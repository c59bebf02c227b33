//! ONNX's own backend tests, each loaded and run through the C functions.
//!
//! The tests come with the package `onnx` of PyPI and are not part of this repository; `tools/onnx-backend.sh` fetches
//! them and runs this. Without them (`ONNX_BACKEND_TESTS` names their folder) there is nothing to run, and the test says
//! so. `table.tsv` is what came out last, by operator; `DOCS=overwrite` writes it anew. No answer may be wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(unused_unsafe, reason = "an argument of a call may be a call")]

mod case;
mod compare;
mod run;
mod table;
mod tensor;

use case::Case;
use std::path::{Path, PathBuf};
use table::{Outcome, Table};

/// The release of the package that the table was made with.
const RELEASE: &str = "1.23.2";

#[test]
fn no_test_of_onnx_is_answered_wrongly_and_none_answered_rightly_is_lost() {
    let Some(root) = std::env::var_os("ONNX_BACKEND_TESTS").map(PathBuf::from) else {
        println!("skipped: ONNX's backend tests are not here; tools/onnx-backend.sh fetches and runs them");
        return;
    };
    let version = std::fs::read_to_string(root.join("version.txt")).expect("the folder of ONNX's backend tests");
    assert_eq!(version.trim(), RELEASE, "the table was made with another release of the package `onnx`");
    let (table, details) = all(&root);
    println!("{}", table.total());
    assert_none_is_wrong(&details);
    table.compare_with_kept();
}

/// Models of one operator each, with what another library answers: `tools/onnx-random.sh` makes and runs them.
#[test]
fn no_random_node_is_answered_wrongly() {
    let Some(root) = std::env::var_os("ONNX_RANDOM_TESTS").map(PathBuf::from) else {
        println!("skipped: tools/onnx-random.sh makes random nodes and runs them");
        return;
    };
    let (table, details) = all(&root);
    println!("{}", table.total());
    assert_none_is_wrong(&details);
}

/// Runs all tests of a folder: how often each outcome came by operator, and a line for each test.
fn all(root: &Path) -> (Table, String) {
    let mut table = Table::default();
    let mut details = String::new();
    for case in Case::all(root) {
        let (outcome, why) = run::run(&case, &case.model(), None);
        table.count(&case.group, outcome);
        let mut note = |outcome: Outcome, name: &str, why: &str| {
            let why = why.replace(['\n', '\t'], " ");
            details += &format!("{}\t{}\t{name}\t{why}\n", outcome.word(), case.group);
        };
        note(outcome, &case.name, &why);
        if let Some((Outcome::Wrong, why)) = case.frozen().map(|model| run::run(&case, &model, Some(1))) {
            note(Outcome::Wrong, &format!("{} with constants", case.name), &why);
        }
    }
    if let Some(file) = std::env::var_os("ONNX_BACKEND_DETAILS") {
        std::fs::write(file, &details).unwrap();
    }
    (table, details)
}

fn assert_none_is_wrong(details: &str) {
    let wrong: Vec<&str> = details.lines().filter(|line| line.starts_with(Outcome::Wrong.word())).collect();
    assert!(wrong.is_empty(), "{} answers are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
