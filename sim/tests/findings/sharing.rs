//! Memory that processes share, as far as one process shows it.

use crate::support::*;
use std::ffi::{c_char, c_void};
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
