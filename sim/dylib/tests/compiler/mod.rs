//! The system's compilers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program of this folder; the variable names the compiler, and `usual` does where it is not set.
pub(crate) fn compile(
    variable: &str,
    usual: &str,
    standard: &str,
    source: &str,
    libraries: &Path,
    link: &str,
) -> PathBuf {
    let compiler = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(source).with_extension("");
    std::fs::create_dir_all(program.parent().expect("a file lies in a folder")).expect("the folder is made");
    let compiled = Command::new(&compiler)
        .args([standard, "-O1", "-Wall", "-Wextra", "-Werror"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(libraries)
        // Reports then say in which function of the program a call was made.
        .args([link, "-pthread", "-ldl", "-rdynamic"])
        .output()
        .unwrap_or_else(|error| panic!("this test needs a compiler: `{compiler}` cannot be started ({error})"));
    assert!(compiled.status.success(), "`{compiler}` refused it:\n{}", String::from_utf8_lossy(&compiled.stderr));
    program
}
