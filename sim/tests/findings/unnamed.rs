//! Captured work that writes memory which no call names: what was written counts from the replay on.

use crate::graphs::captured;
use crate::support::*;
use ascendcl_sim::exports::model_instance::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const INSIDE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// Copies a block to the host that only a replay of `work` has written, and before the replay has run.
fn copied_behind(work: impl Fn(aclrtStream, *mut c_void)) -> Vec<rules::RuleId> {
    broken(|| {
        let (block, pinned, stream, other) = (malloc(128), malloc_host(64), stream(), stream());
        let graph = captured(stream, || work(stream, block));
        long_fill(other);
        let event = event();
        ok!(aclrtRecordEvent(event, other));
        ok!(aclrtStreamWaitEvent(stream, event));
        ok!(aclmdlRIExecuteAsync(graph, stream));
        queue_copy(pinned, block, TO_HOST, stream);
        sync(stream);
        ok!(aclmdlRIDestroy(graph));
    })
}

/// Device memory with these bytes.
fn on_device<T>(value: &T) -> *mut c_void {
    let (memory, bytes) = (malloc(64), size_of::<T>());
    ok!(aclrtMemcpy(memory, 64, std::ptr::from_ref(value).cast(), bytes, TO_DEVICE));
    memory
}

#[test]
fn a_captured_task_that_writes_nothing_leaves_memory_unwritten() {
    let nothing_is_written = |stream, _| {
        let (from, to) = (on_device(&[1_u8; 64]), malloc(64));
        queue_copy(to, from, ON_DEVICE, stream);
    };
    assert_eq!(copied_behind(nothing_is_written), [rules::MEM_07]);
}

#[test]
fn copies_whose_addresses_the_device_finds_write_in_replays() {
    let by_descriptor = |stream, block| {
        let (from, mut size) = (on_device(&[1_u8; 64]), 0);
        ok!(aclrtGetMemcpyDescSize(INSIDE, &mut size));
        let desc = malloc(size);
        ok!(aclrtSetMemcpyDesc(desc, INSIDE, from, block, 64, null_mut()));
        ok!(aclrtMemcpyAsyncWithDesc(desc, INSIDE, stream));
    };
    assert_eq!(copied_behind(by_descriptor), []);
    let by_places = |stream, block: *mut c_void| {
        let [to, from] = [block, on_device(&[1_u8; 64])].map(|address| on_device(&address.expose_provenance()));
        ok!(aclrtMemcpyAsyncWithOffset(to.cast(), 64, 0, from.cast(), 64, 0, INSIDE, stream));
    };
    assert_eq!(copied_behind(by_places), []);
}

#[test]
fn copies_of_rows_and_batches_write_in_replays() {
    let rows = |stream, block: *mut c_void| {
        let from = on_device(&[1_u8; 64]);
        ok!(aclrtMemcpy2dAsync(block, 32, from, 32, 16, 2, ON_DEVICE, stream));
    };
    assert_eq!(copied_behind(rows), []);
    let batch = |stream, block: *mut c_void| {
        let [host, device] =
            [aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST, aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE]
                .map(|kind| aclrtMemLocation { kind, id: 0 });
        let sides = aclrtMemcpyBatchAttr { dstLoc: device, srcLoc: host, rsv: [0; 16] };
        let (to, from, sizes, mut index) = ([block], [malloc_host(64)], [64_usize], [0_usize]);
        let mut sides = [sides];
        ok!(aclrtMemcpyBatchAsync(
            to.as_ptr().cast_mut(),
            sizes.as_ptr().cast_mut(),
            from.as_ptr().cast_mut(),
            sizes.as_ptr().cast_mut(),
            1,
            sides.as_mut_ptr(),
            index.as_mut_ptr(),
            1,
            &mut 0,
            stream,
        ));
    };
    assert_eq!(copied_behind(batch), []);
}

#[test]
fn functions_of_the_program_may_write_in_replays() {
    let host_function = |stream, _| ok!(aclrtLaunchHostFunc(stream, Some(nothing), null_mut()));
    assert_eq!(copied_behind(host_function), []);
}
