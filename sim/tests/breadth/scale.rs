//! Many streams, many tasks.

use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::ACL_ERROR_RT_NO_STREAM_RESOURCE;
use ascendcl_sys::types::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// How often [`count`] has run in this test.
static RAN: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(_: *mut c_void) {
    RAN.fetch_add(1, SeqCst);
}

fn submit(stream: aclrtStream) {
    ok!(callback::aclrtLaunchHostFunc(stream, Some(count), null_mut()));
}

#[test]
fn one_thousand_nine_hundred_and_eighty_four_streams_live_and_work_at_once() {
    let _world = world();
    RAN.store(0, SeqCst);
    let mut streams = vec![aclrtStream::NULL];
    streams.extend((1..1984).map(|_| stream()));
    let mut one_more = aclrtStream::NULL;
    fails!(ACL_ERROR_RT_NO_STREAM_RESOURCE, "no stream left", stream::aclrtCreateStream(&mut one_more));
    for _ in 0..3 {
        streams.iter().for_each(|stream| submit(*stream));
    }
    ok!(device::aclrtSynchronizeDevice());
    assert_eq!(RAN.load(SeqCst), 3 * 1984);
    streams.iter().skip(1).for_each(|stream| ok!(stream::aclrtDestroyStream(*stream)));
    ok!(stream::aclrtCreateStream(&mut one_more));
}

/// What is queued takes memory, so that is compared which is left when nothing is queued.
#[test]
#[cfg(target_os = "linux")]
fn a_million_tasks_over_64_streams_leave_memory_as_it_was() {
    const TASKS: usize = 1_000_000;
    const TOGETHER: usize = 20_000;
    const MOST: usize = 4 << 20;
    let _world = world();
    RAN.store(0, SeqCst);
    let streams: Vec<_> = (0..64).map(|_| stream()).collect();
    let mut settled = 0;
    for part in 0..TASKS / TOGETHER {
        (0..TOGETHER).for_each(|task| submit(streams[task % streams.len()]));
        ok!(device::aclrtSynchronizeDevice());
        // The first tenth makes what is kept for the rest.
        if part * TOGETHER == TASKS / 10 {
            settled = resident();
        }
    }
    assert_eq!(RAN.load(SeqCst), TASKS);
    let grown = resident().saturating_sub(settled);
    assert!(settled > 0 && grown < MOST, "{grown} bytes more than after the first tenth");
}

/// Bytes of memory that the process has.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    const PAGE: usize = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * PAGE
}
