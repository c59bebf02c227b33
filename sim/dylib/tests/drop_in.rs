//! Programs that call the library as those that others wrote do, compiled against no header and run unchanged. Each
//! prints what it saw, and `FAILED` where a call that has to succeed did not.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use compiler::compile;
use std::path::Path;
use std::process::Command;

#[test]
fn an_inference_program_runs_whatever_memory_it_gives_to_the_model() {
    run("CXX", "c++", "-std=c++17", "programs/inference.cpp", include_str!("programs/inference.expected"));
}

#[test]
fn a_server_answers_every_request_and_may_end_with_objects_alive() {
    run("CXX", "c++", "-std=c++17", "programs/server.cpp", include_str!("programs/server.expected"));
}

#[test]
fn a_binding_that_opens_the_library_by_name_finds_every_function_it_uses() {
    run("CC", "cc", "-std=gnu11", "programs/bindings.c", include_str!("programs/bindings.expected"));
}

#[test]
fn a_program_uses_the_layer_below_beside_the_library() {
    run("CC", "cc", "-std=gnu11", "programs/runtime.c", include_str!("programs/runtime.expected"));
}

#[test]
fn a_tool_puts_its_own_function_before_one_of_the_library_and_takes_it_back() {
    run("CC", "cc", "-std=gnu11", "programs/hooks.c", include_str!("programs/hooks.expected"));
}

#[test]
fn a_finding_about_a_call_to_the_layer_below_names_the_place_of_the_program() {
    let program = compile("CC", "cc", "-std=gnu11", "programs/below.c", library::folder(), "-lascendcl");
    let output = Command::new(program)
        .env("LD_LIBRARY_PATH", library::folder())
        .env("ASCENDCL_SIM", "report")
        .output()
        .expect("the compiled program runs");
    let report = String::from_utf8_lossy(&output.stderr);
    let finding = report.split("MEM-02 is broken by aclrtFree").nth(1).unwrap_or_else(|| panic!("{report}"));
    let from = finding.lines().find(|line| line.starts_with("  from:")).unwrap_or_default();
    assert!(from.contains(" main+"), "{report}");
}

fn run(variable: &str, usual: &str, standard: &str, source: &str, expected: &str) {
    let program = compile(variable, usual, standard, source, library::folder(), "-lascendcl");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/digits-8.onnx");
    let output = Command::new(program)
        .arg(model)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("LD_LIBRARY_PATH", library::folder())
        .output()
        .expect("the compiled program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "it ended with {}", output.status);
    assert_eq!(said, expected);
}
