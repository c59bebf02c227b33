//! Programs in C and C++, compiled by the system's compilers and linked with `-lascendcl` or the newer `-lacl_rt`, run
//! against the simulator.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use compiler::compile;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn a_c_program_linked_with_the_library_recognises_digits() {
    let output =
        run(&compile("CC", "cc", "-std=c11", "classify.c", library::folder(), "-lascendcl"), library::folder());
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));

    assert!(output.status.success(), "it ended with {}", output.status);
    assert!(line_of(&said, "running on ").contains(ascendcl_sim::SOC_NAME_MARK));
    assert!(accuracy(&said, "aclmdlExecute:") >= 95.0);
    assert_eq!(accuracy(&said, "aclmdlExecute:"), accuracy(&said, "aclmdlExecuteAsync:"));

    let mistake = line_of(&said, "a copy of 16 bytes into 8:");
    assert!(mistake.contains("code 107000") && !mistake.contains("(no text)"), "{mistake}");
}

#[test]
fn a_cpp_program_linked_with_the_newer_name_works_in_a_context_per_thread() {
    let installed = installed();
    let output = run(&compile("CXX", "c++", "-std=c++17", "threads.cpp", &installed, "-lacl_rt"), &installed);
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));

    assert!(output.status.success(), "it ended with {}", output.status);
    assert!(line_of(&said, "running on ").contains(ascendcl_sim::SOC_NAME_MARK));
    assert_eq!(line_of(&said, "bytes as they should be:"), "bytes as they should be: 32768 of 32768");
    let kernels = line_of(&said, "kernels: code 207000, ");
    assert!(kernels.contains("aclrtBinaryLoadFromData: the simulator does not have this function"), "{kernels}");
    assert_eq!(line_of(&said, "libacl_op_compiler.so:"), "libacl_op_compiler.so: the same library");
}

/// The library as it is installed for programs that use its other names.
fn installed() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("toolkit");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/install-simulator.sh");
    let installed = Command::new("sh").arg(script).arg(&folder).arg(library::path()).output().expect("the shell runs");
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    folder.join("lib64")
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

fn run(program: &Path, libraries: &Path) -> Output {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    Command::new(program)
        .args([data.join("digits.onnx"), data.join("digits-test.csv")])
        .env("LD_LIBRARY_PATH", libraries)
        .output()
        .expect("the compiled program runs")
}
