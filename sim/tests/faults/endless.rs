//! Waits that can never end, where the work that is waited for already runs: inside a replay, or in a callback of a stream
//! that is being destroyed. The vendor's library stops for ever in each of these.

use crate::support::*;
use ascendcl_sim::exports::model_instance::*;
use ascendcl_sim::{Checks, control};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

const BLOCK: aclrtCallbackBlockType = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;

unsafe extern "C" fn nothing(_: *mut c_void) {}

fn this_thread() -> u64 {
    // SAFETY: part of POSIX.
    unsafe extern "C" {
        safe fn pthread_self() -> usize;
    }
    pthread_self() as u64
}

/// Runs the code on a thread of its own, which has to come to its end.
fn ends(code: impl FnOnce() + Send + 'static) {
    let _machine = machine(Checks::Off);
    ok!(aclInit(std::ptr::null()));
    let (tell, told) = channel();
    let thread = thread::spawn(move || {
        ok!(aclrtSetDevice(0));
        code();
        let _ = tell.send(());
    });
    let end = told.recv_timeout(Duration::from_secs(60));
    assert_ne!(end, Err(std::sync::mpsc::RecvTimeoutError::Timeout), "the calls do not come to an end");
    thread.join().unwrap();
    control::reset();
    assert_eq!(control::live(), control::Live::default());
}

/// Work that is queued during the replay, to run again and again.
fn captured(stream: aclrtStream, work: impl FnOnce()) -> aclmdlRI {
    let mut instance = aclmdlRI::NULL;
    ok!(aclmdlRICaptureBegin(stream, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    work();
    ok!(aclmdlRICaptureEnd(stream, &mut instance));
    instance
}

fn is_time_limit(code: aclError) -> bool {
    [ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT].contains(&code)
}

/// A stream that replays a callback which this thread is to run.
fn replaying() -> aclrtStream {
    let stream = stream();
    ok!(aclrtSubscribeReport(this_thread(), stream));
    let instance = captured(stream, || ok!(aclrtLaunchCallback(Some(nothing), null_mut(), BLOCK, stream)));
    ok!(aclmdlRIExecuteAsync(instance, stream));
    stream
}

#[test]
fn a_thread_that_waits_for_a_replay_that_waits_for_it_is_told() {
    ends(|| {
        let stream = replaying();
        assert!(is_time_limit(acl!(aclrtSynchronizeStream(stream))), "{}", message());
    });
}

#[test]
fn a_thread_that_destroys_the_stream_of_a_replay_that_waits_for_it_goes_on() {
    ends(|| {
        let stream = replaying();
        // A wait with a limit ends as soon as the stream has come to the callback.
        assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 30_000)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        assert!(message().contains("can never end"), "{}", message());
        // The one that comes last gets the error: this thread, or the replay, whose failure ends with its stream.
        let code = acl!(aclrtDestroyStream(stream));
        assert!(is_time_limit(code) || code == ACL_SUCCESS, "{}", message());
    });
}

#[test]
fn a_thread_that_waits_for_a_stream_behind_a_replay_that_waits_for_it_is_told() {
    ends(|| {
        let (first, second, event) = (replaying(), stream(), event());
        ok!(aclrtRecordEvent(event, first));
        ok!(aclrtStreamWaitEvent(second, event));
        // The one that comes last gets the error: this thread, or the replay, which then fails and lets the second
        // stream continue.
        let codes = [second, first].map(|stream| acl!(aclrtSynchronizeStream(stream)));
        assert!(codes.into_iter().any(is_time_limit), "{codes:?}");
    });
}

/// A callback that waits for a stream.
struct Cross {
    context: aclrtContext,
    other: aclrtStream,
    entered: AtomicBool,
    /// Everything that it is to meet is queued.
    queued: AtomicBool,
    code: AtomicI32,
}

impl Cross {
    /// It lives as long as the process, whatever becomes of the test.
    fn new(other: aclrtStream) -> &'static Self {
        let [entered, queued] = [false; 2].map(AtomicBool::new);
        Box::leak(Box::new(Self { context: current(), other, entered, queued, code: AtomicI32::new(-1) }))
    }

    fn argument(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    fn wait_until(&self, what: impl Fn(&Self) -> bool) {
        while !what(self) {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

unsafe extern "C" fn wait(cross: *mut c_void) {
    // SAFETY: it is never freed.
    let cross = unsafe { &*cross.cast::<Cross>() };
    ok!(aclrtSetCurrentContext(cross.context));
    cross.entered.store(true, SeqCst);
    cross.wait_until(|cross| cross.queued.load(SeqCst));
    cross.code.store(acl!(aclrtSynchronizeStream(cross.other)), SeqCst);
}

#[test]
fn a_forced_destroy_whose_callback_waits_for_the_destroying_thread_ends() {
    ends(|| {
        let (reported, destroyed) = (stream(), stream());
        ok!(aclrtSubscribeReport(this_thread(), reported));
        ok!(aclrtLaunchCallback(Some(nothing), null_mut(), BLOCK, reported));
        let cross = Cross::new(reported);
        cross.queued.store(true, SeqCst);
        ok!(aclrtLaunchHostFunc(destroyed, Some(wait), cross.argument()));
        cross.wait_until(|cross| cross.entered.load(SeqCst));
        acl!(aclrtDestroyStreamForce(destroyed));
        ok!(aclrtProcessReport(-1));
        cross.wait_until(|cross| cross.code.load(SeqCst) >= 0);
    });
}

#[test]
fn a_callback_that_waits_for_a_replayed_callback_behind_it_is_told() {
    ends(|| {
        let (first, second) = (stream(), stream());
        let instance = captured(second, || ok!(aclrtLaunchHostFunc(second, Some(nothing), null_mut())));
        let cross = Cross::new(second);
        ok!(aclmdlRIExecuteAsync(instance, second));
        ok!(aclrtSynchronizeStream(second));
        ok!(aclrtLaunchHostFunc(first, Some(wait), cross.argument()));
        cross.wait_until(|cross| cross.entered.load(SeqCst));
        ok!(aclmdlRIExecuteAsync(instance, second));
        cross.queued.store(true, SeqCst);
        cross.wait_until(|cross| cross.code.load(SeqCst) >= 0);
        let codes =
            [cross.code.load(SeqCst), acl!(aclrtSynchronizeStream(first)), acl!(aclrtSynchronizeStream(second))];
        assert!(is_time_limit(codes[0]), "{codes:?}");
        assert_eq!(codes[1..], [ACL_SUCCESS; 2]);
    });
}

#[test]
fn a_first_callback_that_waits_for_a_replayed_one_behind_it_is_told() {
    ends(|| {
        let (first, second) = (stream(), stream());
        let instance = captured(second, || ok!(aclrtLaunchHostFunc(second, Some(nothing), null_mut())));
        let cross = Cross::new(second);
        ok!(aclrtLaunchHostFunc(first, Some(wait), cross.argument()));
        cross.wait_until(|cross| cross.entered.load(SeqCst));
        ok!(aclmdlRIExecuteAsync(instance, second));
        cross.queued.store(true, SeqCst);
        cross.wait_until(|cross| cross.code.load(SeqCst) >= 0);
        let codes =
            [cross.code.load(SeqCst), acl!(aclrtSynchronizeStream(first)), acl!(aclrtSynchronizeStream(second))];
        assert!(is_time_limit(codes[0]), "{codes:?}");
        assert_eq!(codes[1..], [ACL_SUCCESS; 2]);
    });
}

#[test]
fn what_a_thread_leaves_that_ends_beside_a_fresh_start_does_not_count_afterwards() {
    let _machine = machine(Checks::Off);
    let mut threads = Vec::new();
    for _ in 0..20_000 {
        let (tell, told) = channel();
        threads.push(thread::spawn(move || {
            ok!(aclrtSetDevice(0));
            ok!(aclrtCreateContext(&mut aclrtContext::NULL.clone(), 0));
            tell.send(()).unwrap();
        }));
        told.recv().unwrap();
        control::reset();
        threads.drain(..).for_each(|thread| thread.join().unwrap());
        assert_eq!(control::live(), control::Live::default());
    }
}

fn event_of_several_processes() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_IPC));
    event
}

#[test]
fn a_wait_for_an_event_of_several_processes_on_a_device_that_hangs_ends() {
    ends(|| {
        let (stream, event) = (stream(), event_of_several_processes());
        control::fail("aclrtRecordEvent#1=hang".parse().unwrap()).unwrap();
        ok!(aclrtRecordEvent(event, stream));
        assert_eq!(acl!(aclrtSynchronizeEvent(event)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        assert!(message().contains("hangs"), "{}", message());
    });
}

#[test]
fn a_callback_that_waits_for_an_event_of_several_processes_behind_it_is_told() {
    ends(|| {
        let (stream, event) = (stream(), event_of_several_processes());
        let (waits, context, recorded) = (Shared::new(event), Shared::new(current()), channel::<()>());
        let (tell, told) = channel();
        launch(stream, move || {
            ok!(aclrtSetCurrentContext(context.get()));
            let _ = recorded.1.recv();
            tell.send((acl!(aclrtSynchronizeEvent(waits.get())), message())).unwrap();
        });
        ok!(aclrtRecordEvent(event, stream));
        drop(recorded.0);
        let (code, words) = told.recv().unwrap();
        assert_eq!(code, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
        assert!(words.contains("can never end"), "{words}");
        sync(stream);
        ok!(aclrtSynchronizeEvent(event));
    });
}
