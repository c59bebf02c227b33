//! Waits that end because what they wait for ends, or is found to end never.

use crate::support::*;
use ascendcl_sim::exports::tensor_desc::*;
use ascendcl_sim::{Checks, control};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Runs a program on a fresh machine; fails when that does not end.
fn ends(program: impl FnOnce() + Send + 'static) {
    let (over, ended) = channel();
    let running = std::thread::spawn(move || {
        let _machine = machine(Checks::Off);
        ok!(aclInit(std::ptr::null()));
        ok!(aclrtSetDevice(0));
        program();
        drop(over);
    });
    let waited = ended.recv_timeout(Duration::from_secs(60));
    assert_eq!(waited, Err::<(), _>(std::sync::mpsc::RecvTimeoutError::Disconnected), "the program does not end");
    running.join().unwrap();
}

fn this_thread() -> u64 {
    // SAFETY: part of POSIX.
    unsafe extern "C" {
        safe fn pthread_self() -> usize;
    }
    pthread_self() as u64
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// An event that a stream records on which nothing ever runs.
fn never() -> aclrtEvent {
    let mut persistent = aclrtStream::NULL;
    ok!(aclrtCreateStreamWithConfig(&mut persistent, 0, ACL_STREAM_PERSISTENT));
    let event = event();
    ok!(aclrtRecordEvent(event, persistent));
    event
}

/// A stream that waits for the event, and the event that it records after that.
fn behind(awaited: aclrtEvent) -> (aclrtStream, aclrtEvent) {
    let (stream, event) = (stream(), event());
    ok!(aclrtStreamWaitEvent(stream, awaited));
    ok!(aclrtRecordEvent(event, stream));
    (stream, event)
}

#[test]
fn a_context_ends_whose_streams_wait_in_a_row_for_one_that_never_runs() {
    ends(|| {
        let before = current();
        let context = context(0);
        (0..8).fold(never(), |event, _| behind(event).1);
        ok!(aclrtDestroyContext(context));
        ok!(aclrtSetCurrentContext(before));
        (0..8).fold(never(), |event, _| behind(event).1);
        ok!(aclrtResetDevice(0));
        assert_eq!(control::live().streams, 0);
    });
}

#[test]
fn a_stream_goes_on_that_waits_for_one_that_was_destroyed_and_could_not_end() {
    ends(|| {
        let (first, event) = behind(never());
        let (second, last) = behind(event);
        assert_eq!(acl!(aclrtDestroyStream(first)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        assert_eq!(acl!(aclrtSynchronizeStream(second)), ACL_ERROR_RT_STREAM_ABORT);
        ok!(aclrtSynchronizeEvent(last));
    });
}

#[test]
fn a_blocking_callback_is_lost_when_its_stream_is_no_longer_subscribed() {
    ends(|| {
        let (held, other) = (stream(), stream());
        for stream in [held, other] {
            ok!(aclrtSubscribeReport(this_thread(), stream));
        }
        // Its own host functions would need a thread of the library.
        let (holding, event) = (stream(), event());
        let gate = Gate::close(holding);
        ok!(aclrtRecordEvent(event, holding));
        ok!(aclrtStreamWaitEvent(held, event));
        let block = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
        ok!(aclrtLaunchCallback(Some(nothing), null_mut(), block, held));
        ok!(aclrtUnSubscribeReport(this_thread(), held));
        gate.open();
        assert_eq!(acl!(aclrtSynchronizeStream(held)), ACL_ERROR_RT_STREAM_ABORT, "{}", message());
        assert_eq!(acl!(aclrtProcessReport(1)), ACL_ERROR_RT_REPORT_TIMEOUT, "nor does it run");
    });
}

#[test]
fn a_thread_that_waits_for_callbacks_is_told_that_the_device_hangs() {
    ends(|| {
        let stream = stream();
        ok!(aclrtSubscribeReport(this_thread(), stream));
        control::fail("aclrtStreamQuery#1=hang".parse().unwrap()).unwrap();
        acl!(aclrtStreamQuery(stream, &mut aclrtStreamStatus(0)));
        assert_eq!(acl!(aclrtProcessReport(-1)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    });
}

#[test]
fn a_stream_does_not_wait_for_a_thread_whose_callback_does_not_hold_it_up() {
    /// How far the callback and the host function have come.
    static STEP: AtomicI32 = AtomicI32::new(0);
    fn reach(step: i32) {
        while STEP.load(SeqCst) < step {
            std::thread::yield_now();
        }
    }
    unsafe extern "C" fn reported(stream: *mut c_void) {
        ok!(aclrtLaunchHostFunc(aclrtStream(stream), Some(hosted), null_mut()));
        reach(1);
    }
    unsafe extern "C" fn hosted(_: *mut c_void) {
        STEP.store(1, SeqCst);
        reach(2);
    }
    ends(|| {
        let (stream, other) = (stream(), stream());
        ok!(aclrtSubscribeReport(this_thread(), stream));
        let no_block = aclrtCallbackBlockType::ACL_CALLBACK_NO_BLOCK;
        ok!(aclrtLaunchCallback(Some(reported), other.0, no_block, stream));
        // The callback ends before the host function that it queued on the other stream.
        ok!(aclrtProcessReport(-1));
        STEP.store(2, SeqCst);
        sync(other);
        sync(stream);
        control::fail("aclrtStreamQuery#1=slow:200ms".parse().unwrap()).unwrap();
        acl!(aclrtStreamQuery(stream, &mut aclrtStreamStatus(0)));
        ok!(aclrtMemsetAsync(malloc(64), 64, 1, 64, stream));
        // Long enough to be looked at.
        sync(stream);
    });
}

#[test]
fn two_callbacks_that_unload_what_is_queued_behind_the_other_are_told() {
    struct Cross {
        id: u32,
        context: aclrtContext,
        go: AtomicBool,
        code: AtomicI32,
    }
    unsafe extern "C" fn unload(cross: *mut c_void) {
        // SAFETY: the test keeps it until the stream has run.
        let cross = unsafe { &*cross.cast::<Cross>() };
        while !cross.go.load(SeqCst) {
            std::thread::yield_now();
        }
        ok!(aclrtSetCurrentContext(cross.context));
        cross.code.store(acl!(aclmdlUnload(cross.id)), SeqCst);
    }
    fn load() -> u32 {
        let (path, mut id) = (concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx\0"), 0);
        ok!(aclmdlLoadFromFile(path.as_ptr().cast(), &mut id));
        id
    }
    fn dataset(size: usize) -> *mut aclmdlDataset {
        let dataset = acl!(aclmdlCreateDataset());
        ok!(aclmdlAddDatasetBuffer(dataset, acl!(aclCreateDataBuffer(malloc(size), size))));
        dataset
    }
    ends(|| {
        let (streams, models) = ([stream(), stream()], [load(), load()]);
        let cross = |id| Cross { id, context: current(), go: AtomicBool::new(false), code: AtomicI32::new(-1) };
        let crosses = [cross(models[1]), cross(models[0])];
        for index in [0, 1] {
            let argument = std::ptr::from_ref(&crosses[index]).cast_mut().cast();
            ok!(aclrtLaunchHostFunc(streams[index], Some(unload), argument));
            let (input, output, dims) = (dataset(256), dataset(40), [1_i64, 64]);
            let format = aclFormat::ACL_FORMAT_ND;
            let shape = acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, 2, dims.as_ptr(), format));
            ok!(aclmdlSetDatasetTensorDesc(input, shape, 0));
            ok!(aclmdlExecuteAsync(models[index], input, output, streams[index]));
        }
        crosses.iter().for_each(|cross| cross.go.store(true, SeqCst));
        // The first one that fails lets the other continue.
        for stream in streams {
            acl!(aclrtSynchronizeStream(stream));
        }
        let codes = crosses.each_ref().map(|cross| cross.code.load(SeqCst));
        assert!(codes.contains(&ACL_ERROR_RT_STREAM_SYNC_TIMEOUT), "{codes:?}");
    });
}

/// The child has none of the threads that run the work of its parent, and locks that they had stay locked in it.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_forked_when_work_has_run_is_refused_and_does_not_hang() {
    for checks in [Checks::Off, Checks::Report] {
        let _machine = machine(checks);
        ok!(aclInit(std::ptr::null()));
        ok!(aclrtSetDevice(0));
        let (stream, block) = (stream(), malloc(64));
        ok!(aclrtMemsetAsync(block, 64, 1, 64, stream));
        sync(stream);
        // SAFETY: the child has this thread alone; it calls the library, and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            // SAFETY: ends the child if it hangs.
            unsafe { libc::alarm(5) };
            let queued = acl!(aclrtMemsetAsync(block, 64, 2, 64, stream));
            let codes = [queued, acl!(aclrtSynchronizeStream(stream)), acl!(aclrtFree(block))];
            let refused = codes == [ACL_ERROR_RT_FEATURE_NOT_SUPPORT; 3] && message().contains("forked");
            // SAFETY: ends the child without running what belongs to the parent.
            unsafe { libc::_exit(i32::from(!refused)) };
        }
        let mut status = -1;
        // SAFETY: waits for the child that was just made; `status` is a place for the answer.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0, "the child's status");
        ok!(aclrtMemsetAsync(block, 64, 3, 64, stream));
        sync(stream);
    }
}
