//! The switch `guard`: mistakes of a C program that no call shows, and programs that do not end in order.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::sync::OnceLock;

const SIGSEGV: i32 = 11;

/// How the program ended, what it printed, and what the simulator did, but for what is left behind at the end.
fn run(checks: &str, word: &str) -> (ExitStatus, String, String) {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let compile = || compiler::compile("CC", "cc", "-std=gnu11", "instructions.c", library::folder(), "-lascendcl");
    let mut command = Command::new(PROGRAM.get_or_init(compile));
    let output = command.arg(word).env("LD_LIBRARY_PATH", library::folder()).env("ASCENDCL_SIM", checks);
    let output = output.output().unwrap();
    let [said, report] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    println!("{word}: {}\n{said}{report}", output.status);
    (output.status, said, report)
}

fn broken(report: &str) -> Vec<&str> {
    let lines = report.lines().filter_map(|line| Some(line.split_once(" is broken by ")?.0));
    lines.filter(|rule| *rule != "INIT-03").collect()
}

#[test]
fn a_program_that_waits_is_not_kept_out() {
    for word in ["", "other-half", "callback", "then-late", "replay"] {
        let (status, said, report) = run("report,guard", word);
        assert!(status.success() && said == "end\n", "{status}: {said}");
        assert_eq!(broken(&report), [""; 0], "{report}");
        assert!(!report.contains("has used byte"), "{report}");
    }
}

#[test]
fn a_destination_that_is_used_before_the_wait_is_found_and_the_program_goes_on() {
    let cases = [
        ("early-read", "COPY-03"),
        ("early-write", "COPY-04"),
        ("callback-beside", "COPY-03"),
        ("then-early", "COPY-03"),
        ("replay-early", "COPY-03"),
        ("replay-alone", "COPY-03"),
    ];
    for (word, rule) in cases {
        let (status, said, report) = run("report,guard", word);
        assert!(status.success() && said == "end\n", "{status}: {said}");
        assert_eq!(broken(&report), [rule], "{report}");
        let from = report.lines().find(|line| line.starts_with("  from: ")).unwrap();
        assert!(from.contains("instructions+"), "{from}");
        assert!(report.contains("aclrtMemcpyAsync") || report.contains("aclmdlRIExecuteAsync"), "{report}");
    }
}

#[test]
fn what_comes_behind_an_early_access_is_found_too() {
    let (status, said, report) = run("report,guard", "early-twice");
    assert_eq!((status.signal(), said.as_str()), (Some(SIGSEGV), "went on\n"));
    assert_eq!(broken(&report), ["COPY-03", "COPY-04", "MEM-10"], "{report}");
}

#[test]
fn an_early_access_does_not_reach_a_handler_that_the_program_has_set_before() {
    let (status, said, report) = run("report,guard", "own-early");
    assert!(status.success() && said == "end\n", "{status}: {said}");
    assert_eq!(broken(&report), ["COPY-03"], "{report}");
}

#[test]
fn threads_that_are_early_at_the_same_moment_go_on() {
    for _ in 0..10 {
        let (status, said, report) = run("report,guard", "early-threads");
        assert_eq!((status.signal(), said.as_str()), (Some(SIGSEGV), "went on\n"));
        assert_eq!(broken(&report), ["COPY-03", "MEM-10"], "{report}");
    }
}

#[test]
fn device_memory_that_the_program_uses_is_found_and_ends_it_as_on_a_device() {
    for word in ["device-read", "device-write"] {
        let (status, said, report) = run("report,guard", word);
        assert_eq!((status.signal(), said.as_str()), (Some(SIGSEGV), ""));
        assert_eq!(broken(&report), ["MEM-10"], "{report}");
        let (status, said, _) = run("report", word);
        assert!(status.success() && said == "end\n", "without the switch a stand-in for a kernel can use it");
    }
}

#[test]
fn mapped_memory_of_devices_and_addresses_without_memory_are_found() {
    let cases =
        [("mapped-read", "MEM-10"), ("mapped-write", "MEM-10"), ("not-mapped", "VMM-01"), ("unmapped", "MEM-01")];
    for (word, rule) in cases {
        let (status, said, report) = run("report,guard", word);
        assert_eq!((status.signal(), said.as_str()), (Some(SIGSEGV), ""));
        assert_eq!(broken(&report), [rule], "{report}");
        let from = report.lines().find(|line| line.starts_with("  from: ")).unwrap();
        assert!(from.contains("instructions+"), "{from}");
    }
    for word in ["mapped-read", "mapped-write"] {
        let (status, said, _) = run("report", word);
        assert!(status.success() && said == "end\n", "without the switch a stand-in for a kernel can use it");
    }
}

#[test]
fn physical_memory_of_the_host_is_the_programs_where_it_has_access() {
    let cases = [
        ("no-access-read", "VMM-03"),
        ("no-access-write", "VMM-03"),
        ("closed", "VMM-03"),
        ("host-not-mapped", "VMM-01"),
        ("host-unmapped", "MEM-01"),
    ];
    for (word, rule) in cases {
        let (status, said, report) = run("report,guard", word);
        assert_eq!((status.signal(), said.as_str()), (Some(SIGSEGV), ""), "{word}");
        assert_eq!(broken(&report), [rule], "{report}");
        let from = report.lines().find(|line| line.starts_with("  from: ")).unwrap();
        assert!(from.contains("instructions+"), "{from}");
    }
    for word in ["no-access-read", "closed"] {
        let (status, said, _) = run("report", word);
        assert!(status.success() && said == "end\n", "the system lets a program use what no page guards");
    }
}

#[test]
fn an_overrun_of_pinned_memory_is_found() {
    let (status, said, report) = run("report,guard", "near");
    assert!(status.success() && said == "end\n", "{status}: {said}");
    assert!(report.contains("has used byte 1002 of pinned memory 0x"), "{report}");
    assert!(report.contains("which has 1000 bytes until it was freed"), "{report}");
    let (status, said, report) = run("report,guard", "far");
    assert_eq!((status.signal(), said.as_str()), (Some(SIGSEGV), ""));
    assert!(report.contains("has used byte 1200 of pinned memory 0x"), "{report}");
    assert!(report.contains("which has 1000 bytes (from 0x"), "{report}");
}

#[test]
fn pinned_memory_that_was_freed_is_found() {
    let (status, said, report) = run("report,guard", "freed");
    assert_eq!((status.signal(), said.as_str()), (Some(SIGSEGV), ""));
    assert_eq!(broken(&report), ["MEM-01"], "{report}");
}

#[test]
fn what_is_not_the_simulators_is_left_to_the_program() {
    let (status, said, report) = run("report,guard", "null");
    assert_eq!((status.signal(), said.as_str()), (Some(SIGSEGV), ""));
    assert_eq!(broken(&report), [""; 0], "{report}");
    // What was found is told before the program's own handler runs.
    let (status, said, report) = run("report,guard", "own-handler");
    assert_eq!((status.code(), said.as_str()), (Some(7), "own handler\n"));
    assert_eq!(broken(&report), ["MEM-10"], "{report}");
}

#[test]
fn no_finding_that_is_told_at_once_is_lost_however_the_program_ends() {
    let compile = || compiler::compile("CC", "cc", "-std=gnu11", "endings.c", library::folder(), "-lascendcl");
    let program = compile();
    let ends = [("segv", Some(11), None), ("abort", Some(6), None), ("term", Some(15), None), ("_exit", None, Some(3))];
    for (word, signal, code) in ends {
        let mut command = Command::new(&program);
        let command = command.arg(word).env("LD_LIBRARY_PATH", library::folder()).env("ASCENDCL_SIM", "report");
        let output = command.env("ASCENDCL_SIM_FINDINGS", "stderr").output().unwrap();
        let report = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.signal(), output.status.code()), (signal, code), "{word}: {report}");
        let lines: Vec<_> = report.lines().filter(|line| line.contains(" is broken by ")).collect();
        assert_eq!(lines, ["MEM-02 is broken by aclrtFree (call 6, thread 1)"], "{word}");
        assert!(report.contains("aclrtGetDevicesTopo is not simulated"), "{word}: {report}");
    }
}
