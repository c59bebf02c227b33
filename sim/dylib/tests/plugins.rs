//! A program whose callbacks are in a shared object that it loads and closes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use std::process::Command;

#[test]
fn a_callback_whose_shared_object_was_closed_is_found_and_not_called() {
    let plugin = compiler::compile("CC", "cc", "-shared", "plugin.c", library::folder(), "-fPIC");
    let program = compiler::compile("CC", "cc", "-std=gnu11", "plugins.c", library::folder(), "-lascendcl");
    let run = |when: &str, mode: &str| {
        let mut command = Command::new(&program);
        command.arg(when).arg(&plugin).env("LD_LIBRARY_PATH", library::folder()).env("ASCENDCL_SIM", mode);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), said, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for mode in ["report", "strict"] {
        let (success, said, report) = run("early", mode);
        assert_eq!((success, said.as_str()), (true, "the wait answers 0\n"), "{mode}: {report}");
        assert!(report.contains("CB-08 is broken by"), "{mode}: {report}");
        assert_eq!(report.matches("is broken by").count(), 1, "{mode}: {report}");
        assert!(report.contains("earlier:  aclrtLaunchHostFunc (call "), "{mode}: {report}");
    }
    for mode in ["", "report", "strict"] {
        assert_eq!(run("late", mode), (true, "reported\nthe wait answers 0\n".to_owned(), String::new()), "{mode}");
        // The loader holds a lock meanwhile.
        let said = "reported\nreported\nthe destructor's wait answers 0\nthe wait answers 0\n".to_owned();
        assert_eq!(run("waits", mode), (true, said, String::new()), "{mode}");
    }
}
