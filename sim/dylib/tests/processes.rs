//! Processes that share memory and notifies: a program in C that forks.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use std::process::Command;

#[test]
fn processes_share_blocks_physical_memory_and_notifies_with_whom_they_name() {
    let program = compiler::compile("CC", "cc", "-std=gnu11", "processes.c", library::folder(), "-lascendcl");
    let mut command = Command::new(program);
    let output = command.env("LD_LIBRARY_PATH", library::folder()).env("ASCENDCL_SIM", "report").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "it ended with {}:\n{said}{report}", output.status);
    let of = |who: &str| -> Vec<_> { said.lines().filter_map(|line| line.strip_prefix(who)).collect() };
    let first = [
        "aclrtIpcMemImportByKey(&own, keys.block, 0) answers 507899",
        "aclrtIpcMemGetExportKey(block, 2 * BLOCK, keys.notify, KEY, 0) answers 107000",
        "the block begins with 9, goes on with 3, ends with 3",
        "the physical memory begins with 4",
        "aclrtSynchronizeStream(stream) answers 107019",
        "aclrtIpcMemClose(keys.block) answers 107000",
    ];
    assert_eq!(of("first: "), first, "{report}");
    let second = [
        "the block ends with 1, the physical memory with 2",
        "aclrtIpcMemImportByKey(&again, keys.block, 0) answers 107000",
        "aclrtMemset((char *)block + 1, BLOCK, 0, BLOCK) answers 107000",
        "aclrtWaitAndResetNotify(notify, stream, 0) answers 107000",
        "aclrtIpcMemClose(keys.block) answers 107000",
        "aclrtMemset(block, BLOCK, 0, BLOCK) answers 107000",
        "aclrtIpcMemImportByKey(&block, keys.block, 0) answers 507899",
        "aclrtNotifyImportByKey(&notify, keys.notify, 0) answers 507899",
        "aclrtMemImportFromShareableHandle(keys.physical, 0, &handle) answers 507899",
        "aclrtIpcMemImportByKey(&block, \"name\", 0) answers 107000",
    ];
    assert_eq!(of("second: "), second, "{report}");
    let third = [
        "aclrtIpcMemImportByKey(&block, keys.block, 0) answers 507899",
        "aclrtNotifyImportByKey(&notify, keys.notify, 0) answers 507899",
        "aclrtMemImportFromShareableHandle(keys.physical, 0, &handle) answers 507899",
    ];
    assert_eq!(of("third: "), third, "{report}");
    // What is used wrongly on purpose is found, and nothing else. Three processes report.
    let mut broken: Vec<_> =
        report.lines().filter_map(|line| line.split_once(" (call ")).map(|(found, _)| found).collect();
    broken.retain(|found| found.contains(" is broken by "));
    broken.sort_unstable();
    let expected = [
        "COPY-01 is broken by aclrtMemset",
        "IPC-01 is broken by aclrtIpcMemClose",
        // One's own export, and what its exporter has closed.
        "IPC-01 is broken by aclrtIpcMemImportByKey",
        "IPC-01 is broken by aclrtIpcMemImportByKey",
        "IPC-01 is broken by aclrtMemImportFromShareableHandle",
        "IPC-01 is broken by aclrtNotifyImportByKey",
        "IPC-02 is broken by aclrtWaitAndResetNotify",
        "IPC-03 is broken by aclrtIpcMemImportByKey",
        "IPC-03 is broken by aclrtMemImportFromShareableHandle",
        "IPC-03 is broken by aclrtNotifyImportByKey",
        // What is used behind the second close is the same mistake.
        "MEM-01 is broken by aclrtIpcMemClose",
    ];
    assert_eq!(broken, expected);
}

#[test]
fn processes_record_one_event_and_wait_for_it() {
    let program = compiler::compile("CC", "cc", "-std=gnu11", "shared_events.c", library::folder(), "-lascendcl");
    let mut command = Command::new(program);
    let output = command.env("LD_LIBRARY_PATH", library::folder()).env("ASCENDCL_SIM", "report").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "it ended with {}:\n{said}{report}", output.status);
    let mut lines: Vec<_> = said.lines().collect();
    lines.sort_unstable();
    let expected = [
        "first: after the other's record it is complete",
        "second: a wrong handle answers 107000",
        "second: the event is pending, and the wait answers 507046",
    ];
    assert_eq!(lines, expected, "{report}");
    let broken: Vec<_> = report.lines().filter_map(|line| Some(line.split_once(" is broken by ")?.0)).collect();
    assert_eq!(broken, ["IPC-01"], "the wrong handle, and nothing else: {report}");
}
