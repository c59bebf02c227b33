//! The build of `ascendcl-ge-sys` on a machine with a toolkit and on one without. The double, laid out like a toolkit,
//! takes its place.

use crate::common::scratch;
use ascendcl_ge_double::Double;
use ascendcl_macros::proves;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// The double's headers declare `Session` and no `GeSession`.
#[test]
#[proves(GE_13)]
fn the_shim_is_compiled_against_the_toolkit_that_the_environment_names_and_is_what_programs_load() {
    let said = with_toolkit(&toolkit("complete"));
    let path = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(path.trim().ends_with("libascendcl_ge.so") && Path::new(path.trim()).exists(), "{path}");
}

#[test]
fn without_a_toolkit_the_build_goes_on_and_loading_says_what_to_install() {
    let said = with_toolkit(Path::new("/nowhere"));
    let words = String::from_utf8_lossy(&said.stderr);
    if words.contains("there is no graph engine here") {
        assert!(words.contains("none of /nowhere,") && words.contains("install the CANN toolkit"), "{words}");
    } else {
        // A toolkit lies in a standard folder of this machine.
        assert!(said.status.success(), "{words}");
    }
}

#[test]
fn without_headers_the_wrapper_of_the_toolkit_is_what_programs_load() {
    let home = toolkit("runtime");
    std::fs::remove_file(home.join("include")).unwrap();
    let said = with_toolkit(&home);
    let path = String::from_utf8_lossy(&said.stdout);
    if path.trim().ends_with("libascendcl_ge.so") {
        // A toolkit with headers lies in a standard folder of this machine.
        return;
    }
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert_eq!(Path::new(path.trim()), home.join("lib64/libge_runtime_wrapper.so"));
}

#[test]
fn headers_that_do_not_fit_fail_the_build_in_the_compilers_words() {
    let home = toolkit("older");
    let headers = home.join("include");
    std::fs::remove_file(&headers).unwrap();
    std::fs::create_dir_all(headers.join("ge")).unwrap();
    std::fs::write(headers.join("ge/ge_api.h"), "#error a release without what the shim needs\n").unwrap();
    let said = with_toolkit(&home);
    let words = String::from_utf8_lossy(&said.stderr);
    assert!(!said.status.success());
    assert!(words.contains("the graph engine's headers in") && words.contains("do not fit"), "{words}");
}

/// The double's headers and libraries, where a toolkit has its own.
fn toolkit(name: &str) -> PathBuf {
    let double = Double::load().unwrap_or_else(|missing| panic!("{missing}"));
    let home = scratch("toolkits").join(name);
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(&home).unwrap();
    symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("double/include"), home.join("include")).unwrap();
    symlink(double.shim().parent().unwrap(), home.join("lib64")).unwrap();
    home
}

/// Builds `ascendcl-ge-sys` as a user does, and runs the program that says what it got.
fn with_toolkit(home: &Path) -> Output {
    // They share a folder, so that what they have in common is built once.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "ascendcl-ge-sys", "--example", "installed", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .arg("--target-dir")
        .arg(scratch("toolkits").join("target"))
        .env("ASCEND_HOME_PATH", home)
        .env_remove("ASCEND_TOOLKIT_HOME")
        .env_remove("ASCENDCL_GE_LIBRARY")
        .output()
        .unwrap()
}
