//! The system's C compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program of this folder; `$CC` names the compiler, `cc` where it is not set.
pub(crate) fn compile(source: &str) -> PathBuf {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(source).with_extension("");
    let compiled = Command::new(&compiler)
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(super::library::folder())
        .arg("-lascendcl")
        .output()
        .unwrap_or_else(|error| panic!("this test needs a C compiler: `{compiler}` cannot be started ({error})"));
    assert!(compiled.status.success(), "`{compiler}` refused it:\n{}", String::from_utf8_lossy(&compiled.stderr));
    program
}
