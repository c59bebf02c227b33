//! C programs under the compiler's sanitizers, which see the program and not this library.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod library;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Compiles a program of this folder. `None`, aloud, where the compiler does not have the sanitizer.
fn compiled(source: &str, sanitizer: &str) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{source}-{sanitizer}"));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let compile = |source: &Path, program: &Path| {
        let mut command = Command::new(&compiler);
        command.args(["-std=gnu11", "-O1", "-g", &format!("-fsanitize={sanitizer}"), "-o"]).arg(program).arg(source);
        command.arg("-L").arg(library::folder()).args(["-lascendcl", "-pthread"]).output().unwrap()
    };
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("empty-{sanitizer}.c"));
    std::fs::write(&empty, "int main(void) { return 0; }\n").unwrap();
    let tried = compile(&empty, &program);
    if !tried.status.success()
        || !Command::new(&program).env("LD_LIBRARY_PATH", library::folder()).status().unwrap().success()
    {
        eprintln!("skipped: `{compiler}` does not have -fsanitize={sanitizer}");
        return None;
    }
    let built = compile(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source), &program);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(program)
}

fn run(program: &Path, word: &str, variables: &[(&str, &str)]) -> (Output, String) {
    let mut command = Command::new(program);
    let output = command.arg(word).env("LD_LIBRARY_PATH", library::folder()).envs(variables.iter().copied()).output();
    let output = output.unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    println!("{word}: {}\n{}{told}", output.status, String::from_utf8_lossy(&output.stdout));
    (output, told)
}

/// The library is not compiled for the sanitizer, so its own accesses are left out.
const THREADS: (&str, &str) = ("TSAN_OPTIONS", "ignore_noninstrumented_modules=1");

#[test]
fn the_thread_sanitizer_knows_what_a_wait_orders_and_finds_a_wait_that_is_missing() {
    let Some(program) = compiled("ordered.c", "thread") else { return };
    let (output, told) = run(&program, "", &[THREADS]);
    assert!(output.status.success() && !told.contains("ThreadSanitizer"), "{told}");
    assert_eq!(output.stdout, b"right\n");
    let (output, told) = run(&program, "forgets", &[THREADS]);
    assert!(!output.status.success() && told.contains("WARNING: ThreadSanitizer: data race"), "{told}");
    assert!(told.contains("ordered.c"), "it names the program's lines: {told}");
}

#[test]
fn the_address_sanitizer_knows_how_long_a_destination_is() {
    let Some(program) = compiled("destination.c", "address") else { return };
    let options = [("ASAN_OPTIONS", "detect_leaks=0"), ("ASCENDCL_SIM", "report")];
    for (word, found) in [("true", false), ("longer", true)] {
        let (output, told) = run(&program, word, &options);
        assert!(output.status.success(), "{told}");
        assert_eq!(told.contains("COPY-01 is broken by aclrtMemcpy"), found, "{told}");
        assert_eq!(told.contains("only 100 bytes are there"), found, "{told}");
    }
}

#[test]
fn a_program_with_a_sanitizer_loads_a_model() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/digits-8.onnx");
    for sanitizer in ["address", "thread"] {
        let Some(program) = compiled("loads.c", sanitizer) else { continue };
        let options = [THREADS, ("ASAN_OPTIONS", "detect_leaks=0")];
        let (output, told) = run(&program, model.to_str().unwrap(), &options);
        assert!(output.status.success(), "{sanitizer}: {told}");
        assert_eq!((output.stdout.as_slice(), told.as_str()), (b"loaded\n".as_slice(), ""), "{sanitizer}");
    }
}
