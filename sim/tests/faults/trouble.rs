//! Devices that are lost, hang, are slow, or are full; and waits that can never end.

use crate::support::*;
use ascendcl_rules as rules;
use ascendcl_sim::{Checks, Config, Plan, control};
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

fn begin(plan: &str) -> Machine {
    let machine = machine(Checks::Report);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    control::fail(plan.parse().unwrap()).unwrap();
    machine
}

#[test]
fn a_lost_device_fails_its_work_and_every_later_call() {
    let _machine = begin("aclrtStreamQuery#1=lost");
    let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
    let gate = Gate::close(stream);
    queue_copy(block, pinned, TO_DEVICE, stream);
    let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE;
    assert_eq!(acl!(aclrtStreamQuery(stream, &mut status)), ACL_ERROR_RT_LOST_HEARTBEAT);
    gate.open();
    let mut address = std::ptr::null_mut();
    let malloc = acl!(aclrtMalloc(&mut address, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    let codes = [malloc, acl!(aclrtSynchronizeStream(stream)), acl!(aclrtFree(block)), acl!(aclrtResetDevice(0))];
    assert_eq!(codes, [ACL_ERROR_RT_LOST_HEARTBEAT; 4]);
    assert!(!current().is_null(), "what the host knows can be asked for");
    ok!(aclFinalize());
    assert_eq!(control::take_findings(), [], "nobody can clean up a lost device");
}

#[test]
fn a_wait_that_is_under_way_ends_with_the_device() {
    let _machine = begin("aclrtSetDevice#1=lost");
    let stream = stream();
    let gate = Gate::close(stream);
    let (block, pinned) = (malloc(64), malloc_host(64));
    queue_copy(block, pinned, TO_DEVICE, stream);
    let shared = Shared::new(stream);
    let context = Shared::new(current());
    let waiting = std::thread::spawn(move || {
        ok!(aclrtSetCurrentContext(context.get()));
        acl!(aclrtSynchronizeStream(shared.get()))
    });
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(acl!(aclrtSetDevice(0)), ACL_ERROR_RT_LOST_HEARTBEAT);
    gate.open();
    assert_eq!(waiting.join().unwrap(), ACL_ERROR_RT_LOST_HEARTBEAT);
}

/// The stream has yet to come to its callback when the device is lost: the reporting thread never hears of it.
#[test]
fn a_callback_that_a_lost_device_never_delivers_holds_up_nobody() {
    let _machine = begin("aclrtSetDevice#1=lost");
    let (gated, stream, event) = (stream(), stream(), event());
    let gate = Gate::close(gated);
    ok!(aclrtRecordEvent(event, gated));
    ok!(aclrtStreamWaitEvent(stream, event));
    ok!(aclrtSubscribeReport(deadlocks::this_thread(), stream));
    let blocks = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
    ok!(aclrtLaunchCallback(Some(deadlocks::nothing), std::ptr::null_mut(), blocks, stream));
    let (shared, context) = (Shared::new(stream), Shared::new(current()));
    let (tell, told) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn(move || {
        ok!(aclrtSetCurrentContext(context.get()));
        tell.send(acl!(aclrtSynchronizeStream(shared.get()))).unwrap();
    });
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(acl!(aclrtSetDevice(0)), ACL_ERROR_RT_LOST_HEARTBEAT);
    gate.open();
    let answer = told.recv_timeout(Duration::from_secs(60));
    assert_eq!(answer.map(|code| code == ACL_SUCCESS), Ok(false), "the wait goes on for ever");
    waiting.join().unwrap();
}

/// The stream is at its callback when the device is lost, and no call of the reporting thread gets it from then on.
#[test]
fn a_callback_that_waits_for_its_thread_when_the_device_is_lost_holds_up_nobody() {
    let _machine = begin("aclrtSetDevice#1=lost");
    let stream = stream();
    ok!(aclrtSubscribeReport(deadlocks::this_thread(), stream));
    let blocks = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
    ok!(aclrtLaunchCallback(Some(deadlocks::nothing), std::ptr::null_mut(), blocks, stream));
    // A wait with a limit ends as soon as the stream has come to the callback.
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 30_000)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert!(message().contains("can never end"), "{}", message());
    let (shared, context) = (Shared::new(stream), Shared::new(current()));
    let (tell, told) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn(move || {
        ok!(aclrtSetCurrentContext(context.get()));
        tell.send(acl!(aclrtSynchronizeStream(shared.get()))).unwrap();
    });
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(acl!(aclrtSetDevice(0)), ACL_ERROR_RT_LOST_HEARTBEAT);
    assert_eq!(acl!(aclrtProcessReport(1)), ACL_ERROR_RT_LOST_HEARTBEAT);
    let answer = told.recv_timeout(Duration::from_secs(10));
    control::reset();
    assert_eq!(answer.map(|code| code == ACL_SUCCESS), Ok(false), "the wait goes on for ever");
    waiting.join().unwrap();
}

#[test]
fn waits_for_a_device_that_hangs_time_out() {
    let _machine = begin("aclrtCreateStream#1=hang");
    let (stream, block, pinned, event) = (stream(), malloc(64), malloc_host(64), event());
    queue_copy(block, pinned, TO_DEVICE, stream);
    ok!(aclrtRecordEvent(event, stream));
    let began = Instant::now();
    let codes = [
        acl!(aclrtSynchronizeStreamWithTimeout(stream, 30)),
        acl!(aclrtSynchronizeStream(stream)),
        acl!(aclrtSynchronizeDevice()),
        acl!(aclrtMemcpy(block, 64, pinned, 64, TO_DEVICE)),
        acl!(aclrtSynchronizeEvent(event)),
        acl!(aclrtDestroyStream(stream)),
    ];
    assert_eq!(codes, [ACL_ERROR_RT_STREAM_SYNC_TIMEOUT; 6]);
    assert_eq!(acl!(aclrtSynchronizeEvent(event)), ACL_ERROR_RT_STREAM_ABORT, "its work went with the stream");
    assert!(began.elapsed() < Duration::from_secs(5));
    control::take_findings();
}

#[test]
fn work_goes_on_when_a_device_hangs_no_longer() {
    let _machine = begin("aclrtCreateStream#1=hang");
    let (stream, block, pinned) = (stream(), malloc(64), malloc_host(64));
    queue_copy(block, pinned, TO_DEVICE, stream);
    assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    control::fail(Plan::new()).unwrap();
    sync(stream);
    control::take_findings();
}

/// What hung is lost, in every context of the device: its memory may be freed after the reset.
#[test]
fn a_device_that_hangs_works_again_after_a_forced_reset_and_after_no_other_call() {
    let _machine = begin("aclrtCreateStream#1=hang");
    let mut context = aclrtContext::NULL;
    ok!(aclrtCreateContext(&mut context, 0));
    let (own, block, pinned) = (stream(), malloc(64), malloc_host(64));
    queue_copy(block, pinned, TO_DEVICE, own);
    let mut run = AtomicUsize::new(0);
    unsafe extern "C" fn counts(run: *mut c_void) {
        // SAFETY: the test keeps it until the machine ends.
        unsafe { &*run.cast::<AtomicUsize>() }.fetch_add(1, SeqCst);
    }
    ok!(aclrtLaunchHostFunc(own, Some(counts), std::ptr::from_mut(&mut run).cast()));
    ok!(aclrtStreamAbort(own));
    assert_eq!(acl!(aclrtMemcpy(block, 64, pinned, 64, TO_DEVICE)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "it hangs still");
    ok!(aclrtLaunchHostFunc(own, Some(counts), std::ptr::from_mut(&mut run).cast()));
    assert_eq!(acl!(aclrtResetDeviceForce(1)), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "it is not set");
    assert_eq!(acl!(aclrtSynchronizeStream(own)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "a reset that failed ends nothing");
    ok!(aclrtResetDeviceForce(0));
    ok!(aclrtSetCurrentContext(context));
    // The first wait tells that work was discarded.
    acl!(aclrtSynchronizeStream(own));
    sync(own);
    assert_eq!(run.load(SeqCst), 0, "what hung is lost");
    ok!(aclrtLaunchHostFunc(own, Some(counts), std::ptr::from_mut(&mut run).cast()));
    sync(own);
    assert_eq!(run.load(SeqCst), 1, "and new work runs");
    ok!(aclrtSetDevice(0));
    let (block, pinned, next) = (malloc(64), malloc_host(64), stream());
    queue_copy(block, pinned, TO_DEVICE, next);
    sync(next);
    ok!(aclrtMemcpy(block, 64, pinned, 64, TO_DEVICE));
    control::take_findings();
}

#[test]
fn each_task_of_a_slow_device_takes_longer() {
    let _machine = begin("aclrtCreateStream=slow:50ms");
    let (stream, block, pinned) = (stream(), malloc(64), malloc_host(64));
    // A machine that is busy holds up this thread now and then.
    let queued_at_once = (0..5).any(|_| {
        let began = Instant::now();
        (0..3).for_each(|_| queue_copy(block, pinned, TO_DEVICE, stream));
        let queued = began.elapsed();
        sync(stream);
        assert!(began.elapsed() >= Duration::from_millis(150));
        queued < Duration::from_millis(50)
    });
    assert!(queued_at_once, "queueing is slow");
}

#[test]
fn a_full_device_has_again_what_is_freed() {
    let _machine = begin("aclrtCreateStream#1=full");
    let block = malloc(1 << 20);
    stream();
    let mut address = std::ptr::null_mut();
    let mut malloc = || acl!(aclrtMalloc(&mut address, 1 << 20, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    assert_eq!(malloc(), ACL_ERROR_RT_MEMORY_ALLOCATION);
    ok!(aclrtFree(block));
    assert_eq!([malloc(), malloc()], [ACL_SUCCESS, ACL_ERROR_RT_MEMORY_ALLOCATION]);
    malloc_host(64);
}

/// The vendor's library stops for ever in each of these.
mod deadlocks {
    use super::*;
    use std::ffi::c_void;
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    pub(crate) unsafe extern "C" fn nothing(_: *mut c_void) {}

    pub(crate) fn this_thread() -> u64 {
        // SAFETY: part of POSIX.
        unsafe extern "C" {
            safe fn pthread_self() -> usize;
        }
        pthread_self() as u64
    }

    #[test]
    fn a_reporting_thread_that_waits_for_its_own_callback_is_told() {
        let run = |processes: bool| {
            let stream = stream();
            ok!(aclrtSubscribeReport(this_thread(), stream));
            let block = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
            ok!(aclrtLaunchCallback(Some(nothing), std::ptr::null_mut(), block, stream));
            if processes {
                ok!(aclrtProcessReport(-1));
                sync(stream);
            } else {
                assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
                assert!(message().contains("this wait can never end: this thread waits for stream "), "{}", message());
                ok!(aclrtProcessReport(-1));
                sync(stream);
            }
        };
        breaks_without(rules::CB_05, run);
    }

    #[test]
    fn a_callback_that_waits_for_what_waits_for_it_is_told() {
        struct Cross {
            other: aclrtStream,
            context: aclrtContext,
            code: std::sync::Mutex<Option<aclError>>,
            go: AtomicBool,
        }
        unsafe extern "C" fn wait(cross: *mut c_void) {
            // SAFETY: the test keeps it until the stream has run.
            let cross = unsafe { &*cross.cast::<Cross>() };
            while !cross.go.load(SeqCst) {
                std::thread::yield_now();
            }
            ok!(aclrtSetCurrentContext(cross.context));
            *cross.code.lock().unwrap() = Some(acl!(aclrtSynchronizeStream(cross.other)));
        }
        let _machine = begin("");
        let (first, second, event) = (stream(), stream(), event());
        let (code, go) = Default::default();
        let cross = Cross { other: second, context: current(), code, go };
        ok!(aclrtLaunchHostFunc(first, Some(wait), std::ptr::from_ref(&cross).cast_mut().cast()));
        ok!(aclrtRecordEvent(event, first));
        ok!(aclrtStreamWaitEvent(second, event));
        cross.go.store(true, SeqCst);
        sync(first);
        sync(second);
        assert_eq!(*cross.code.lock().unwrap(), Some(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT));
        let broken: Vec<_> = control::take_findings().iter().map(|finding| finding.rule).collect();
        assert_eq!(broken, [rules::CB_01], "found when it was called, and once");
    }

    #[test]
    fn two_callbacks_that_wait_for_each_others_streams_are_told() {
        struct Cross {
            other: aclrtStream,
            context: aclrtContext,
        }
        unsafe extern "C" fn wait(cross: *mut c_void) {
            // SAFETY: the test keeps it until the streams have run.
            let cross = unsafe { &*cross.cast::<Cross>() };
            ok!(aclrtSetCurrentContext(cross.context));
            acl!(aclrtSynchronizeStream(cross.other));
        }
        let _machine = begin("");
        let (first, second) = (stream(), stream());
        let crosses = [Cross { other: second, context: current() }, Cross { other: first, context: current() }];
        let argument = |index: usize| std::ptr::from_ref(&crosses[index]).cast_mut().cast();
        ok!(aclrtLaunchHostFunc(first, Some(wait), argument(0)));
        ok!(aclrtLaunchHostFunc(second, Some(wait), argument(1)));
        sync(first);
        sync(second);
        control::take_findings();
    }

    #[test]
    fn an_event_on_a_stream_that_never_runs_is_not_waited_for() {
        let _machine = begin("");
        let mut persistent = aclrtStream::NULL;
        ok!(aclrtCreateStreamWithConfig(&mut persistent, 0, ascendcl_sys::constants::ACL_STREAM_PERSISTENT));
        let (event, stream) = (event(), stream());
        ok!(aclrtRecordEvent(event, persistent));
        assert_eq!(acl!(aclrtSynchronizeEvent(event)), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
        ok!(aclrtStreamWaitEvent(stream, event));
        assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        assert!(message().contains("which waits for work that nothing runs"), "{}", message());
        assert_eq!(acl!(aclrtDestroyStream(stream)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "nor at its end");
        control::take_findings();
    }
}

/// The device is slow, so the task has begun long before its callback does.
#[test]
fn no_callback_begins_after_the_machine_was_reset() {
    static RUN: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn counts(_: *mut c_void) {
        RUN.fetch_add(1, SeqCst);
    }
    let _machine = machine(Checks::Report);
    let mut context = aclrtContext::NULL;
    for wait in [0, 5, 10] {
        ok!(aclInit(std::ptr::null()));
        ok!(aclrtSetDevice(0));
        control::fail("aclrtCreateContext#1=slow:20ms".parse().unwrap()).unwrap();
        ok!(aclrtCreateContext(&mut context, 0));
        ok!(aclrtLaunchHostFunc(stream(), Some(counts), std::ptr::null_mut()));
        std::thread::sleep(Duration::from_millis(wait));
        control::reset();
        let before = RUN.load(SeqCst);
        std::thread::sleep(Duration::from_millis(40));
        assert_eq!(RUN.load(SeqCst), before, "after {wait} ms");
    }
}

/// Waits for a notify that another thread records half a second later; returns the answer of the wait for the
/// stream, and the words with it.
fn a_record_comes_late(patience: Duration) -> (aclError, String) {
    let _machine = machine_of(Config::new().checks(Checks::Report).patience(patience));
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (waits, records) = (stream(), stream());
    let mut notify = aclrtNotify::NULL;
    ok!(aclrtCreateNotify(&mut notify, u64::from(ACL_NOTIFY_DEFAULT)));
    ok!(aclrtWaitAndResetNotify(notify, waits, 0));
    let (context, shared, late) = (Shared::new(current()), Shared::new(records), Shared::new(notify));
    let recording = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        ok!(aclrtSetCurrentContext(context.get()));
        ok!(aclrtRecordNotify(late.get(), shared.get()));
    });
    let answer = (acl!(aclrtSynchronizeStream(waits)), message());
    recording.join().unwrap();
    answer
}

#[test]
fn a_wait_for_what_nobody_has_queued_lasts_as_long_as_the_configuration_says() {
    let (code, words) = a_record_comes_late(Duration::from_millis(100));
    assert_eq!(code, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert!(words.contains("can never end"), "{words}");
    assert_eq!(a_record_comes_late(Duration::from_secs(60)).0, ACL_SUCCESS);
}
