//! The library that a program gets, and the errors when it is missing or unsuitable.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;
#[path = "loading/installations.rs"]
mod installations;

use ascendcl::library::LogLevel;
use ascendcl::{Acl, Error, Library, RunError};
use ascendcl_macros::proves;
use common::{acl, alone, c_library, compiled, example, library_at, scratch, shared_simulator};
use std::fs;
use std::io::Write;
use std::process::Output;

#[test]
fn a_path_without_a_library_says_where_it_looked_and_what_to_do() {
    let error = Acl::init(library_at("/nonexistent/libascendcl.so")).unwrap_err().to_string();
    assert!(error.contains("looked for\n  /nonexistent/libascendcl.so (the given path): no such file"), "{error}");
    // The variable has no effect on `Library::at`, so the path is named, too.
    let advice = "set ASCENDCL_LIBRARY to the path of the library, or to `sim` for the simulator inside this program, or \
                  correct the path that was given to `Library::at`";
    assert!(error.contains(advice), "{error}");
}

/// The names are no paths of files: a path is never taken for the name by which the crate knows a loaded library.
#[test]
fn a_path_that_is_the_name_of_a_loaded_library_is_still_a_path() {
    Library::Simulator.load().unwrap();
    for path in ["sim", ""] {
        let loaded = library_at(path).load();
        assert!(matches!(loaded, Err(Error::Load(_))), "`{path}`: {loaded:?}");
    }
}

#[test]
fn a_file_that_is_no_library_is_an_error_with_the_loaders_reason() {
    let file = scratch("not-a-library").join("libascendcl.so");
    fs::write(&file, "text").unwrap();
    let error = Acl::init(library_at(file.clone())).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{} was found but cannot be loaded: ", file.display())), "{error}");
}

#[test]
fn the_environment_decides_and_a_wrong_path_there_is_no_reason_to_take_the_simulator() {
    let wrong = quickstart("/nonexistent");
    assert_eq!(wrong.status.code(), Some(1));
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert!(said.contains("/nonexistent (ASCENDCL_LIBRARY): no such file"), "{said}");

    let simulator = quickstart("sim");
    assert!(simulator.status.success());
    let said = String::from_utf8_lossy(&simulator.stderr);
    assert!(said.contains("running on the simulator inside this program"), "{said}");
    assert!(String::from_utf8_lossy(&simulator.stdout).contains("352 of 360 right: 97.8 %"));
}

#[test]
fn the_same_program_runs_on_a_shared_library() {
    let library = shared_simulator();
    let run = quickstart(library.to_str().unwrap());
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert!(said.contains(&format!("running on the library at {}", library.display())), "{said}");
    assert!(String::from_utf8_lossy(&run.stdout).contains("352 of 360 right: 97.8 %"));
}

/// What the crate knows of a thread's current context is of the library, whatever the library is called.
#[proves(CTX_05)]
#[test]
fn a_file_with_several_names_is_one_library() {
    let library = c_library("named-twice", "int aclInit(const char *path) { (void)path; return 0; }\n");
    let link = library.with_file_name("linked.so");
    if !link.exists() {
        std::os::unix::fs::symlink(&library, &link).unwrap();
    }
    let spelt = library.parent().unwrap().join(".").join("libascendcl.so");
    let loaded = [library.clone(), spelt, link, library].map(|name| library_at(name).load().unwrap());
    assert!(loaded.iter().all(|one| *one == loaded[0]), "{loaded:?}");
    // A file without the initialisation takes it from the file beside it.
    let part = scratch("two-files").join("libacl_mdl.so");
    compiled("int aclmdlUnload(unsigned model) { (void)model; return 0; }\n", &part);
    let whole = part.with_file_name("libacl_rt.so");
    compiled("int aclInit(const char *path) { (void)path; return 0; }\n", &whole);
    let [whole, part] = [whole, part].map(|file| library_at(file).load().unwrap());
    assert_eq!(whole, part);
    let other = c_library("named-once", "int aclInit(const char *path) { (void)path; return 1; }\n");
    assert_ne!(library_at(other).load().unwrap(), loaded[0]);
}

/// An old release lacks functions that newer ones have: that is no trouble until one of them is called.
#[test]
fn a_function_that_the_library_lacks_is_an_error_when_it_is_called() {
    let library = c_library("old-library", "int aclInit(const char *path) { (void)path; return 0; }\n");
    let acl = Acl::init(library_at(library.clone())).unwrap();
    assert!(acl.library().missing_functions().contains(&"aclrtGetDeviceCount"));
    let Error::MissingFunction(missing) = acl.device_count().unwrap_err() else { panic!("another error") };
    assert_eq!(missing.symbol, "aclrtGetDeviceCount");
    assert_eq!(
        missing.to_string(),
        format!(
            "could not count the devices: the library at {0} has no `aclrtGetDeviceCount`; looked for it in\n  {0}: it has \
             no such function\n  {1}: no such file or directory",
            library.display(),
            library.with_file_name("libacl_rt.so").display()
        )
    );
}

#[proves(DEV_11)]
#[test]
fn a_device_that_does_not_exist_is_an_error_before_the_library_is_asked() {
    let _alone = alone();
    let acl = acl();
    let mut thread = ascendcl::Thread::new().unwrap();
    for id in [-1, 2, i32::MAX] {
        let error = acl.device(&mut thread, id).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no device {id}: this machine has 2, numbered from 0 [DEV-11]"));
    }
    acl.close().unwrap();
}

#[test]
fn a_missing_configuration_file_is_an_error_of_the_setup() {
    // Only the first initialisation in a process reads the file (INIT-06): no other test has the library at the same
    // time.
    let alone = alone();
    let setup = ascendcl::Setup::builder().library(Library::Simulator).config("no/such/acl.json").build();
    let failed = ascendcl::run(setup, |_| Ok::<_, Error>(()));
    let Err(RunError::Setup(error)) = failed else { panic!("{failed:?}") };
    assert_eq!(error.code().and_then(|code| code.name()), Some("ACL_ERROR_INVALID_FILE"));
    alone.assert_nothing_lives();
}

/// Runs the quickstart with `ASCENDCL_LIBRARY` set.
fn quickstart(library: &str) -> Output {
    example("quickstart").env("ASCENDCL_LIBRARY", library).output().unwrap()
}

/// Writes to the log in a process of its own, whose standard error shows what the library made of it.
#[test]
fn a_line_of_the_log_is_one_entry_whatever_is_in_it() {
    const INSIDE: &str = "ASCENDCL_TEST_LOGS";
    if std::env::var_os(INSIDE).is_some() {
        let acl = ascendcl::Acl::init(Library::Simulator).unwrap();
        let number = std::hint::black_box(40);
        writeln!(acl.library().app_log(LogLevel::Warning), "{number} % of images\0%s %n").unwrap();
        return;
    }
    let test = "a_line_of_the_log_is_one_entry_whatever_is_in_it";
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    let output = again.args([test, "--exact", "--nocapture"]).env(INSIDE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = said.lines().filter(|line| line.contains("from the program")).collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(lines[0].ends_with("40 % of images %s %n"), "{said}");
}
