//! The examples run, print the texts in `examples/expected`, and quote the compiler correctly.
//!
//! Examples that print times or need a network are tested with their subjects. `EXAMPLES=overwrite` writes the texts
//! again.

#![cfg(feature = "sim")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// The names without their extension of the files that end so.
fn names(folder: &Path, end: &str) -> BTreeSet<String> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    files.filter_map(|file| file.strip_suffix(end).map(str::to_owned)).collect()
}

#[test]
fn each_example_prints_what_is_written_down() {
    let built = common::examples();
    let expected = folder().join("expected");
    let known = names(&expected, ".txt");
    assert!(known.len() >= 11, "{known:?}");
    for name in known {
        let output = Command::new(built.join(&name)).env("ASCENDCL_LIBRARY", "sim").output().unwrap();
        let (said, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name}: {errors}");
        let file = expected.join(format!("{name}.txt"));
        if std::env::var_os("EXAMPLES").is_some_and(|value| value == "overwrite") {
            fs::write(&file, &said).unwrap();
        }
        assert_eq!(said, fs::read_to_string(&file).unwrap(), "{name}");
    }
}

/// They are read in the order of their numbers, and the README lists them in that order.
#[test]
fn the_numbers_of_the_examples_have_no_gap_and_the_readme_lists_them() {
    let numbered: Vec<String> =
        names(&folder(), ".rs").into_iter().filter(|name| name.starts_with(|c: char| c.is_ascii_digit())).collect();
    for (name, number) in numbered.iter().zip(1..) {
        assert!(name.starts_with(&format!("{number:02}_")), "{name}, where number {number} is due");
    }
    let readme = include_str!("../README.md");
    let places: Vec<_> = numbered.iter().map(|name| readme.find(&format!("| `{name}` |"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{numbered:?} at {places:?}");
}
