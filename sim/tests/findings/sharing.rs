//! Memory that processes share, as far as one process shows it.

use crate::mapped::{DEVICE, UNIT, physical, reserve};
use crate::support::*;
use std::ffi::{c_char, c_void};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::ptr::null_mut;

/// A block that other processes may import, and its key.
fn exported() -> (*mut c_void, [c_char; 65]) {
    let (block, mut key) = (malloc(64), [0; 65]);
    ok!(aclrtIpcMemGetExportKey(block, 64, key.as_mut_ptr(), key.len(), 1));
    (block, key)
}

#[test]
fn exported_memory_is_closed_before_it_is_freed() {
    let run = |closed: bool| {
        broken_by(|| {
            let (block, key) = exported();
            if closed {
                ok!(aclrtIpcMemClose(key.as_ptr()));
            }
            ok!(aclrtFree(block));
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::IPC_01, "aclrtFree")]);
}

#[test]
fn a_process_does_not_import_what_it_has_exported() {
    let run = || {
        let (block, key) = exported();
        let mut again = null_mut();
        assert_ne!(acl!(aclrtIpcMemImportByKey(&mut again, key.as_ptr(), 0)), 0);
        ok!(aclrtIpcMemClose(key.as_ptr()));
        ok!(aclrtFree(block));
    };
    assert_eq!(broken_by(run), [(rules::IPC_01, "aclrtIpcMemImportByKey")]);
}

/// Exports physical memory, tells its number, and waits until it is told to end.
#[test]
#[ignore = "run by tests here, in a process of its own"]
fn a_process_that_lists_nobody() {
    let _machine = machine(ascendcl_sim::Checks::Off);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (memory, mut number) = (physical(DEVICE, 0), 0);
    ok!(aclrtMemExportToShareableHandle(memory, aclrtMemHandleType(0), 0, &mut number));
    println!("number {number}");
    let _ = std::io::stdin().read_line(&mut String::new());
}

#[test]
fn a_process_that_is_not_listed_does_not_import_and_nothing_follows_from_that() {
    let mut exporter = Command::new(std::env::current_exe().unwrap());
    exporter.args(["--exact", "sharing::a_process_that_lists_nobody", "--ignored", "--nocapture"]);
    let mut exporter = exporter.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(exporter.stdout.take().unwrap()).lines().map_while(Result::ok);
    let number = lines.find_map(|line| line.split_once("number ")?.1.parse().ok()).unwrap();
    let found = broken_by(|| {
        let (start, mut memory) = (reserve(1), aclrtDrvMemHandle::NULL);
        assert_ne!(acl!(aclrtMemImportFromShareableHandle(number, 0, &mut memory)), 0);
        assert_ne!(acl!(aclrtMapMem(start, UNIT, 0, memory, 0)), 0);
        assert_ne!(acl!(aclrtMemset(start, 64, 1, 64)), 0);
        assert_ne!(acl!(aclrtUnmapMem(start)), 0);
        ok!(aclrtReleaseMemAddress(start));
    });
    drop(exporter.stdin.take());
    // Its output is read to the end, or it could not write it.
    lines.for_each(drop);
    assert!(exporter.wait().unwrap().success());
    assert_eq!(found, [(rules::IPC_03, "aclrtMemImportFromShareableHandle")]);
}
