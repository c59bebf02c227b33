//! What the tests build: by the same cargo that runs them, with the features that `cargo test --workspace` gives to
//! dependencies. With those of one package, the simulator and what it needs would be compiled a second time.

use std::path::PathBuf;
use std::process::Command;

/// The simulator as a shared library.
pub fn shared_simulator() -> PathBuf {
    // Dependencies have the features that tests give them where an example is built, too.
    let library = built(&["--lib", "--example", "quickstart"]).join("libascendcl.so");
    assert!(library.exists(), "{}", library.display());
    library
}

/// The program of an example, to be run on whatever the environment names.
pub fn example(name: &str) -> Command {
    Command::new(built(&["--example", name]).join("examples").join(name))
}

/// The folder of all examples.
pub fn examples() -> PathBuf {
    built(&["--examples"]).join("examples")
}

/// Builds these targets of the workspace, and returns the folder in which they are.
fn built(targets: &[&str]) -> PathBuf {
    // target/debug/deps/<this test>
    let this = std::env::current_exe().unwrap();
    let [profile, target] = [2, 3].map(|up| this.ancestors().nth(up).unwrap());
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--workspace", "--target-dir"]).arg(target).args(targets);
    assert!(cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
    profile.to_owned()
}
