//! A program in C, compiled by the system's compiler and linked with `-lascendcl`, runs against the simulator.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use std::path::Path;
use std::process::{Command, Output};

#[test]
fn a_c_program_linked_with_the_library_recognises_digits() {
    let output = run(&compiler::compile("classify.c"));
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));

    assert!(output.status.success(), "it ended with {}", output.status);
    assert!(line_of(&said, "running on ").contains(ascendcl_sim::SOC_NAME_PREFIX));
    assert!(accuracy(&said, "aclmdlExecute:") >= 95.0);
    assert_eq!(accuracy(&said, "aclmdlExecute:"), accuracy(&said, "aclmdlExecuteAsync:"));

    let mistake = line_of(&said, "a copy of 16 bytes into 8:");
    assert!(mistake.contains("code 107000") && !mistake.contains("(no text)"), "{mistake}");
}

/// The number behind `accuracy` in the line that starts with `name`.
fn accuracy(said: &str, name: &str) -> f64 {
    let line = line_of(said, name);
    let number = line.split("accuracy ").nth(1).and_then(|rest| rest.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no accuracy in `{line}`"))
}

fn line_of<'a>(said: &'a str, start: &str) -> &'a str {
    said.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no line `{start}…` in:\n{said}"))
}

fn run(program: &Path) -> Output {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    Command::new(program)
        .args([data.join("digits.onnx"), data.join("digits-test.csv")])
        .env("LD_LIBRARY_PATH", library::folder())
        .output()
        .expect("the compiled program runs")
}
