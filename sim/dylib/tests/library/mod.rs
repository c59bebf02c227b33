//! The shared object under test, built as a user builds it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Its path. Tests of a package do not make cargo build the package's `cdylib`, so this asks for it.
pub(crate) fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(build)
}

/// Where it lies: for `-L` and for `LD_LIBRARY_PATH`.
#[allow(dead_code, reason = "each test file uses its part of this module")]
pub(crate) fn folder() -> &'static Path {
    path().parent().expect("a file lies in a folder")
}

fn build() -> PathBuf {
    // `target/tmp` is the folder that cargo gives to tests: the library goes where the other build products are.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let built = Command::new(env!("CARGO"))
        .args(["build", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "--profile", profile])
        // The features that `cargo test --workspace` gives to dependencies, which are those of an example, too. Otherwise
        // the simulator would be compiled a second time.
        .args(["--workspace", "--lib", "--example", "quickstart"])
        .args(["--message-format", "json-render-diagnostics", "--target-dir"])
        .arg(target)
        .output()
        .expect("cargo runs");
    assert!(built.status.success(), "libascendcl.so was not built:\n{}", String::from_utf8_lossy(&built.stderr));
    find(&String::from_utf8_lossy(&built.stdout))
}

/// Cargo's messages name every file that it made, each as a JSON string.
fn find(messages: &str) -> PathBuf {
    let mut strings = messages.split('"');
    let path = strings.find(|text| text.ends_with("/libascendcl.so")).expect("cargo names libascendcl.so");
    PathBuf::from(path)
}
