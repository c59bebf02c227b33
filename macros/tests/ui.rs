//! Every program in `ui-tests/fail` is refused for the reason that its `.stderr` states; its twin of the same name in
//! `ui-tests/pass`, which differs in the repaired lines, compiles and runs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn wrong_declarations_and_wrong_uses_do_not_compile_and_the_repaired_ones_do() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui-tests/fail/*.rs");
    cases.pass("ui-tests/pass/*.rs");
}

#[test]
fn every_refused_program_has_a_twin_and_a_message() {
    let fail = names("ui-tests/fail", "rs");
    assert!(!fail.is_empty());
    assert_eq!(fail, names("ui-tests/pass", "rs"), "programs with and without a twin");
    assert_eq!(fail, names("ui-tests/fail", "stderr"), "programs with and without a message");
}

fn names(folder: &str, ending: &str) -> BTreeSet<String> {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let paths = files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == ending));
    paths.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn the_readme_quotes_what_the_compiler_says() {
    let message = include_str!("../ui-tests/fail/wrong_state_in_the_words_of_the_declaration.stderr");
    let readme = include_str!("../README.md");
    let (_, quote) = readme.split_once("```text\n").unwrap();
    let (quote, _) = quote.split_once("```").unwrap();
    assert!(quote.lines().count() > 10);
    for line in quote.lines() {
        assert!(message.lines().any(|said| said == line), "the compiler does not say: {line}");
    }
}
