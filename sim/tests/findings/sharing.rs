//! Memory, events and notifies that processes share, as far as one process shows it, and values that streams share.

use crate::mapped::{DEVICE, UNIT, physical, reserve};
use crate::support::*;
use ascendcl_rules::RuleId;
use std::ffi::{CString, c_char, c_void};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::ptr::{null_mut, without_provenance_mut};

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
fn an_export_is_closed_once() {
    let run = |closes: usize| {
        broken_by(|| {
            let (block, key) = exported();
            (0..closes).for_each(|number| assert_eq!(acl!(aclrtIpcMemClose(key.as_ptr())) == 0, number == 0));
            ok!(aclrtFree(block));
        })
    };
    assert_eq!(run(1), []);
    assert_eq!(run(2), [(rules::IPC_01, "aclrtIpcMemClose")]);
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

/// Exports physical memory, a block and a notify, tells their keys, and waits until it is told to end.
#[test]
#[ignore = "run by tests here, in a process of its own"]
fn a_process_that_lists_nobody() {
    let _machine = machine(ascendcl_sim::Checks::Off);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (memory, mut number) = (physical(DEVICE, 0), 0);
    ok!(aclrtMemExportToShareableHandle(memory, aclrtMemHandleType(0), 0, &mut number));
    println!("number {number}");
    let mut keys = [[0; 65]; 2];
    ok!(aclrtIpcMemGetExportKey(malloc(64), 64, keys[0].as_mut_ptr(), 65, 0));
    ok!(aclrtNotifyGetExportKey(notify(), keys[1].as_mut_ptr(), 65, 0));
    for (name, key) in ["block", "notify"].iter().zip(keys) {
        let text: Vec<u8> = key.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
        println!("{name} {}", String::from_utf8(text).unwrap());
    }
    let _ = std::io::stdin().read_line(&mut String::new());
}

/// What is broken by a process that is not listed, which gets the key of this name.
fn broken_by_a_stranger(name: &str, stranger: impl FnOnce(&str)) -> Vec<(RuleId, &'static str)> {
    let mut exporter = Command::new(std::env::current_exe().unwrap());
    exporter.args(["--exact", "sharing::a_process_that_lists_nobody", "--ignored", "--nocapture"]);
    let mut exporter = exporter.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(exporter.stdout.take().unwrap()).lines().map_while(Result::ok);
    let key = lines.find_map(|line| Some(line.split_once(&format!("{name} "))?.1.to_owned())).unwrap();
    let found = broken_by(|| stranger(&key));
    drop(exporter.stdin.take());
    // Its output is read to the end, or it could not write it.
    lines.for_each(drop);
    assert!(exporter.wait().unwrap().success());
    found
}

#[test]
fn a_process_that_is_not_listed_does_not_import_and_nothing_follows_from_that() {
    for garbage in [0, 0x1234_5670] {
        let found = broken_by_a_stranger("number", |number| {
            let (start, mut memory) = (reserve(1), aclrtDrvMemHandle(without_provenance_mut(garbage)));
            assert_ne!(acl!(aclrtMemImportFromShareableHandle(number.parse().unwrap(), 0, &mut memory)), 0);
            assert_ne!(acl!(aclrtMapMem(start, UNIT, 0, memory, 0)), 0);
            assert_ne!(acl!(aclrtMemset(start, 64, 1, 64)), 0);
            assert_ne!(acl!(aclrtUnmapMem(start)), 0);
            ok!(aclrtReleaseMemAddress(start));
        });
        assert_eq!(found, [(rules::IPC_03, "aclrtMemImportFromShareableHandle")], "{garbage:#x}");
    }
}

#[test]
fn a_handle_that_a_refused_import_has_not_set_is_no_further_mistake() {
    let found = broken_by_a_stranger("notify", |key| {
        let (key, mut notify) = (CString::new(key).unwrap(), aclrtNotify(without_provenance_mut(0x1234_5670)));
        assert_ne!(acl!(aclrtNotifyImportByKey(&mut notify, key.as_ptr(), 0)), 0);
        assert_ne!(acl!(aclrtRecordNotify(notify, stream())), 0);
        assert_ne!(acl!(aclrtDestroyNotify(notify)), 0);
    });
    assert_eq!(found, [(rules::IPC_03, "aclrtNotifyImportByKey")]);
    let found = broken_by_a_stranger("block", |key| {
        let (key, mut block) = (CString::new(key).unwrap(), null_mut());
        assert_ne!(acl!(aclrtIpcMemImportByKey(&mut block, key.as_ptr(), 0)), 0);
        assert_ne!(acl!(aclrtFree(block)), 0);
    });
    assert_eq!(found, [(rules::IPC_03, "aclrtIpcMemImportByKey")]);
}

fn notify() -> aclrtNotify {
    let mut notify = aclrtNotify::NULL;
    ok!(aclrtCreateNotify(&mut notify, 0));
    notify
}

#[test]
fn a_record_of_a_notify_is_work_of_its_stream() {
    breaks_without(rules::STREAM_05, |synced| {
        let (stream, notify) = (stream(), notify());
        ok!(aclrtRecordNotify(notify, stream));
        if synced {
            sync(stream);
        }
        ok!(aclrtDestroyStream(stream));
    });
}

#[test]
fn memory_lives_until_streams_have_set_its_value_and_waited_for_it() {
    breaks_without(rules::MEM_02, |synced| {
        let (value, [sets, waits]) = (malloc(64), [stream(), stream()]);
        ok!(aclrtValueWait(value, 1, ACL_STREAM_WAIT_VALUE_EQ, waits));
        ok!(aclrtValueWrite(value, 1, 0, sets));
        if synced {
            sync(sets);
            sync(waits);
        }
        ok!(aclrtFree(value));
    });
}

/// It waits before the copy is queued whose result it reads.
#[test]
fn a_stream_that_waits_for_a_notify_reads_what_another_stream_writes_later() {
    let run = |notified: bool| {
        broken(|| {
            let (block, pinned, [writes, reads]) =
                (malloc(64), [malloc_host(64), malloc_host(64)], [stream(), stream()]);
            let notify = notify();
            if notified {
                ok!(aclrtWaitAndResetNotify(notify, reads, 0));
            }
            queue_copy(block, pinned[0], TO_DEVICE, writes);
            ok!(aclrtRecordNotify(notify, writes));
            queue_copy(pinned[1], block, TO_HOST, reads);
            sync(reads);
            ok!(aclrtFreeHost(pinned[0]));
            sync(writes);
        })
    };
    assert_eq!(run(false), [rules::STREAM_04]);
    assert_eq!(run(true), []);
}

#[test]
fn a_thread_waits_for_an_event_for_processes_that_only_another_process_may_have_recorded() {
    breaks(
        rules::EVENT_05,
        || ok!(aclrtSynchronizeEvent(event())),
        || {
            let mut event = aclrtEvent::NULL;
            ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_IPC));
            ok!(aclrtSynchronizeEvent(event));
        },
    );
}

#[test]
fn an_event_is_reset_when_a_query_has_shown_that_no_stream_waits_for_it() {
    breaks_without(rules::EVENT_10, |queried| {
        let (event, [records, waits]) = (event_for_streams(), [stream(), stream()]);
        ok!(aclrtRecordEvent(event, records));
        ok!(aclrtStreamWaitEvent(waits, event));
        let mut status = aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_NOT_READY;
        while queried && status != aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_COMPLETE {
            ok!(aclrtQueryEventWaitStatus(event, &mut status));
        }
        ok!(aclrtResetEvent(event, records));
    });
}

/// One that may be reset.
fn event_for_streams() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
    event
}
