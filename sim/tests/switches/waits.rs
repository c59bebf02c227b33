//! Waits that miss the end of the work when another thread queues more during the wait.

use super::support::*;
use super::switched;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const MOMENT: Duration = Duration::from_millis(100);
const LIMIT: Duration = Duration::from_millis(600);

/// Runs a wait on another thread while this one queues more work and then lets the first work end. Answers when both ends
/// are done, whether the wait has come back or not.
fn waited_beside<R: Send + 'static>(
    stream: aclrtStream,
    prepare: impl FnOnce(),
    wait: impl FnOnce() -> R + Send + 'static,
) -> JoinHandle<R> {
    let open = block(stream);
    prepare();
    let waiter = beside(wait);
    thread::sleep(MOMENT);
    launch(stream, || {});
    drop(open);
    soon("the end of the work", || is_complete(stream));
    waiter
}

fn is_complete(stream: aclrtStream) -> bool {
    let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_RESERVED;
    ok!(aclrtStreamQuery(stream, &mut status));
    status == aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE
}

/// How a wait ends for which there is a limit: the first answer, the time until it came, and the answer when asked again.
fn limited(wait: impl Fn() -> aclError) -> (aclError, Duration, aclError) {
    let started = Instant::now();
    let first = wait();
    (first, started.elapsed(), wait())
}

fn milliseconds() -> i32 {
    i32::try_from(LIMIT.as_millis()).unwrap()
}

#[test]
fn a_wait_without_a_limit_never_comes_back() {
    let _switched = switched(|config| config.vendor_waits(true));
    let stream = Shared(stream());
    let waiter = waited_beside(stream.get(), || {}, move || acl!(aclrtSynchronizeStream(stream.get())));
    thread::sleep(LIMIT);
    assert!(!waiter.is_finished());
    // Nothing but the end of the stream ends it.
    ok!(aclrtDestroyStream(stream.get()));
    waiter.join().unwrap();
}

#[test]
fn neither_does_a_wait_for_an_event_or_for_the_device() {
    let _switched = switched(|config| config.vendor_waits(true));
    let (stream, event) = (Shared(stream()), Shared(event()));
    let record = || ok!(aclrtRecordEvent(event.get(), stream.get()));
    let waiter = waited_beside(stream.get(), record, move || acl!(aclrtSynchronizeEvent(event.get())));
    let device = waited_beside(stream.get(), || {}, || acl!(aclrtSynchronizeDevice()));
    thread::sleep(LIMIT);
    assert!(!waiter.is_finished() && !device.is_finished());
    ok!(aclrtDestroyStream(stream.get()));
    waiter.join().unwrap();
    device.join().unwrap();
}

#[test]
fn a_wait_with_a_limit_misses_the_end_until_it_is_asked_again() {
    let _switched = switched(|config| config.vendor_waits(true));
    let (stream, event) = (Shared(stream()), Shared(event()));
    let wait = move || limited(|| acl!(aclrtSynchronizeStreamWithTimeout(stream.get(), milliseconds())));
    let (first, time, again) = waited_beside(stream.get(), || {}, wait).join().unwrap();
    assert_eq!((first, again), (ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_SUCCESS));
    assert!(time >= LIMIT);
    let record = || ok!(aclrtRecordEvent(event.get(), stream.get()));
    let wait = move || limited(|| acl!(aclrtSynchronizeEventWithTimeout(event.get(), milliseconds())));
    let (first, time, again) = waited_beside(stream.get(), record, wait).join().unwrap();
    assert_eq!((first, again), (ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, ACL_SUCCESS));
    assert!(time >= LIMIT);
    let wait = || limited(|| acl!(aclrtSynchronizeDeviceWithTimeout(milliseconds())));
    let (first, time, again) = waited_beside(stream.get(), || {}, wait).join().unwrap();
    assert_eq!((first, again), (ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_SUCCESS));
    assert!(time >= LIMIT);
}

#[test]
fn who_alone_uses_a_stream_misses_nothing() {
    let _switched = switched(|config| config.vendor_waits(true));
    let (stream, event) = (stream(), event());
    for _ in 0..100 {
        launch(stream, || {});
        ok!(aclrtRecordEvent(event, stream));
        ok!(aclrtSynchronizeEvent(event));
        launch(stream, || {});
        ok!(aclrtSynchronizeStream(stream));
        ok!(aclrtSynchronizeDevice());
    }
}

#[test]
fn without_the_switch_every_wait_sees_the_end() {
    let _switched = switched(|config| config);
    let (stream, event) = (Shared(stream()), Shared(event()));
    let waiter = waited_beside(stream.get(), || {}, move || acl!(aclrtSynchronizeStream(stream.get())));
    assert_eq!(waiter.join().unwrap(), ACL_SUCCESS);
    let record = || ok!(aclrtRecordEvent(event.get(), stream.get()));
    let wait = move || acl!(aclrtSynchronizeEventWithTimeout(event.get(), 10_000));
    assert_eq!(waited_beside(stream.get(), record, wait).join().unwrap(), ACL_SUCCESS);
}
