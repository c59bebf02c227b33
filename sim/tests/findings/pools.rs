//! Memory pools of the library.

use crate::support::*;
use std::ffi::c_void;
use std::ptr::null_mut;

pub(crate) fn pool() -> aclrtMemPool {
    let mut properties = aclrtMemPoolProps {
        allocType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        location: aclrtMemLocation { id: 0, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE },
        maxSize: 0,
        reserved: [0; 32],
    };
    let mut pool = aclrtMemPool::NULL;
    ok!(aclrtMemPoolCreate(&mut pool, &mut properties));
    pool
}

fn take(pool: aclrtMemPool, stream: aclrtStream) -> *mut c_void {
    let mut block = null_mut();
    ok!(aclrtMemPoolMallocAsync(&mut block, 64, pool, stream));
    ok!(aclrtMemsetAsync(block, 64, 1, 64, stream));
    block
}

#[test]
fn a_pool_is_destroyed_when_nothing_of_it_is_out_and_its_streams_were_awaited() {
    let run = |freed: bool, synced: bool| {
        broken_by(|| {
            let (pool, stream) = (pool(), stream());
            let block = take(pool, stream);
            if freed {
                ok!(aclrtMemPoolFreeAsync(block, stream));
            }
            if synced {
                sync(stream);
            }
            ok!(aclrtMemPoolDestroy(pool));
            sync(stream);
            ok!(aclrtDestroyStream(stream));
            // What was out is told once.
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(true, true), []);
    assert_eq!(run(true, false), [(rules::MEM_18, "aclrtMemPoolDestroy")]);
    assert_eq!(run(false, true), [(rules::MEM_18, "aclrtMemPoolDestroy")]);
}

#[test]
fn a_pool_is_destroyed_once_and_gives_nothing_out_afterwards() {
    let run = |again: bool| {
        broken_by(|| {
            let (pool, stream) = (pool(), stream());
            ok!(aclrtMemPoolDestroy(pool));
            if again {
                assert_ne!(acl!(aclrtMemPoolDestroy(pool)), 0);
            }
            let mut block = null_mut();
            assert_ne!(acl!(aclrtMemPoolMallocAsync(&mut block, 64, pool, stream)), 0);
        })
    };
    assert_eq!(run(false), [(rules::MEM_18, "aclrtMemPoolMallocAsync")]);
    assert_eq!(run(true), [(rules::MEM_18, "aclrtMemPoolDestroy")]);
}

#[test]
fn what_a_pool_gave_out_goes_back_to_it_and_nothing_else_does() {
    let run = |queued: bool| {
        broken_by(|| {
            let (pool, stream) = (pool(), stream());
            let block = take(pool, stream);
            if !queued {
                sync(stream);
            }
            assert_ne!(acl!(aclrtFree(block)), 0);
            sync(stream);
            ok!(aclrtMemPoolDestroy(pool));
            ok!(aclrtDestroyStream(stream));
            ok!(aclrtResetDevice(0));
        })
    };
    // Whether work may still use the block makes no second mistake of it: the right call comes behind the work.
    assert_eq!(run(false), [(rules::MEM_03, "aclrtFree")]);
    assert_eq!(run(true), [(rules::MEM_03, "aclrtFree")]);
    let other = || {
        let stream = stream();
        ok!(aclrtMemPoolFreeAsync(malloc(64), stream));
    };
    assert_eq!(broken_by(other), [(rules::MEM_03, "aclrtMemPoolFreeAsync")]);
}

#[test]
fn a_pool_does_not_outlive_its_device() {
    let run = |destroyed: bool| {
        broken_by(|| {
            let pool = pool();
            if destroyed {
                ok!(aclrtMemPoolDestroy(pool));
            }
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::MEM_12, "aclrtResetDevice")]);
}

#[test]
fn two_streams_without_an_order_are_told_once_for_a_block() {
    let run = |ordered: bool| {
        broken_by(|| {
            let (pool, streams, event) = (pool(), [stream(), stream()], event());
            let block = take(pool, streams[0]);
            if ordered {
                ok!(aclrtRecordEvent(event, streams[0]));
                ok!(aclrtStreamWaitEvent(streams[1], event));
            }
            ok!(aclrtMemsetAsync(block, 64, 2, 64, streams[1]));
            if ordered {
                ok!(aclrtRecordEvent(event, streams[1]));
                ok!(aclrtStreamWaitEvent(streams[0], event));
            }
            // Both would conflict with the other stream's work as well.
            ok!(aclrtMemsetAsync(block, 64, 3, 64, streams[0]));
            ok!(aclrtMemPoolFreeAsync(block, streams[0]));
            streams.iter().for_each(|stream| sync(*stream));
            ok!(aclrtMemPoolDestroy(pool));
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::STREAM_04, "aclrtMemsetAsync")]);
}
