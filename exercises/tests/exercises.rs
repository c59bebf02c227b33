//! What the command says to a reader who has solved nothing, something and everything.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of a reader, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn names() -> Vec<String> {
    let programs = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")).unwrap();
    let mut names: Vec<_> = programs.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn solve(folder: &Path, name: &str) {
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("solutions").join(name), folder.join(name)).unwrap();
}

#[track_caller]
fn said(folder: &Path, arguments: &[&str], status: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ascendcl-exercises"));
    let output = command.arg("--folder").arg(folder).args(arguments).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(status), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
fn a_reader_is_led_from_one_exercise_to_the_next() {
    let (folder, names) = (folder("reader"), names());
    let first = said(&folder, &[], 1);
    assert!(first.contains(&format!("0 of {} solved.", names.len())), "{first}");
    assert!(first.contains("[ ] 01_tour") && first.contains("<- next"), "{first}");
    assert!(first.contains("error[E0382]") && first.contains("book/pages/tour.md"), "{first}");
    let hint = said(&folder, &["--hint"], 1);
    assert!(hint.contains("A hint for 01_tour: the buffer is inside `copy`"), "{hint}");

    solve(&folder, "01_tour.rs");
    let second = said(&folder, &[], 1);
    assert!(second.contains("[x] 01_tour") && second.contains("02_concepts: edit "), "{second}");
    assert!(second.contains("the current context of one thread cannot be used by another thread"), "{second}");

    said(&folder, &["--reset", "01_tour"], 0);
    assert!(said(&folder, &[], 1).contains("[ ] 01_tour"));
}

#[test]
fn a_program_that_compiles_and_does_not_run_to_its_end_is_not_a_solution() {
    let folder = folder("unfinished");
    said(&folder, &["--hint"], 1);
    fs::write(folder.join("01_tour.rs"), "fn main() { panic!(\"not yet\") }").unwrap();
    let text = said(&folder, &[], 1);
    assert!(
        text.contains("[ ] 01_tour") && text.contains("does not run to its end") && text.contains("not yet"),
        "{text}"
    );
}

#[test]
fn each_solution_compiles_and_runs() {
    let folder = folder("solved");
    said(&folder, &["--hint"], 1);
    for name in names() {
        solve(&folder, &name);
    }
    let text = said(&folder, &[], 0);
    assert!(text.contains("Every exercise is solved.") && !text.contains("[ ]"), "{text}");
}

#[test]
fn a_name_that_no_exercise_has_is_refused() {
    assert!(said(&folder("unknown"), &["99_nothing"], 2).contains("there are 01_tour, 02_concepts"));
}
