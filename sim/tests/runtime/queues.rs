//! How much a stream takes, and which thread runs the callbacks of a context.

use super::support::*;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Long enough for a task that can run to have run.
const MOMENT: Duration = Duration::from_millis(100);
/// What a stream takes.
const TASKS: usize = 2000;
/// What a callback takes of it.
const PER_CALLBACK: usize = 3;

#[test]
fn callbacks_of_a_context_run_on_one_thread() {
    let _machine = device();
    let streams = [stream(), stream(), aclrtStream::NULL];
    let (tell, told) = mpsc::channel();
    for _ in 0..10 {
        for stream in streams {
            let tell = tell.clone();
            launch(stream, move || tell.send(thread::current().id()).unwrap());
        }
    }
    streams.iter().for_each(|stream| ok!(aclrtSynchronizeStream(*stream)));
    drop(tell);
    let threads: Vec<_> = told.iter().collect();
    assert_eq!(threads.len(), 30);
    assert!(threads.iter().all(|thread| *thread == threads[0]));
    assert_ne!(threads[0], thread::current().id());
    let _other = context(0);
    let elsewhere = stream();
    let (tell, told) = mpsc::channel();
    launch(elsewhere, move || tell.send(thread::current().id()).unwrap());
    assert_ne!(told.recv().unwrap(), threads[0]);
}

#[test]
fn one_slow_callback_delays_the_other_callbacks_of_its_context_and_nothing_else() {
    let _machine = device();
    let own = context(0);
    let (slow, waiting, busy) = (stream(), stream(), stream());
    let gate = block(slow);
    let done = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&done);
    launch(waiting, move || count.store(1, SeqCst));
    // Copies and records of other streams go on.
    let event = event();
    ok!(aclrtRecordEvent(event, busy));
    ok!(aclrtSynchronizeStream(busy));
    // Callbacks of other contexts go on.
    let _other = context(0);
    let elsewhere = stream();
    launch(elsewhere, || {});
    ok!(aclrtSynchronizeStream(elsewhere));
    ok!(aclrtSetCurrentContext(own));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(waiting, 100)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_eq!(done.load(SeqCst), 0, "the callback waits for the slow one");
    drop(gate);
    ok!(aclrtSynchronizeStream(waiting));
    assert_eq!(done.load(SeqCst), 1);
    ok!(aclrtSynchronizeStream(slow));
}

#[test]
fn a_full_stream_blocks_the_call_that_queues_one_more() {
    let _machine = device();
    let stream = stream();
    let event = event();
    let gate = block(stream);
    let queued = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&queued);
    let (queue, happening) = (Shared(stream), Shared(event));
    let thread = beside(move || {
        for _ in 0..TASKS {
            ok!(aclrtRecordEvent(happening.get(), queue.get()));
            count.fetch_add(1, SeqCst);
        }
    });
    soon("a full stream", || queued.load(SeqCst) >= TASKS - PER_CALLBACK);
    thread::sleep(MOMENT);
    let before = queued.load(SeqCst);
    // Of the callback, the part that runs is in the queue until it is over.
    assert!((TASKS - PER_CALLBACK..TASKS).contains(&before), "{before} tasks were taken");
    // A query of the event's state does not wait for the thread that records it.
    let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE;
    ok!(aclrtQueryEventStatus(event, &mut status));
    assert_eq!(status, aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY);
    drop(gate);
    thread.join().unwrap();
    assert_eq!(queued.load(SeqCst), TASKS);
    ok!(aclrtSynchronizeStream(stream));
}

#[test]
fn a_callback_takes_three_places() {
    let _machine = device();
    let stream = stream();
    let gate = block(stream);
    let queued = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&queued);
    let queue = Shared(stream);
    let thread = beside(move || {
        for _ in 0..TASKS / PER_CALLBACK + 1 {
            launch(queue.get(), || {});
            count.fetch_add(1, SeqCst);
        }
    });
    soon("a full stream", || queued.load(SeqCst) >= (TASKS - 1) / PER_CALLBACK);
    thread::sleep(MOMENT);
    assert_eq!(queued.load(SeqCst), (TASKS - 1) / PER_CALLBACK);
    drop(gate);
    thread.join().unwrap();
    ok!(aclrtSynchronizeStream(stream));
}

#[test]
fn who_waits_for_room_hears_that_the_stream_is_gone() {
    let _machine = device();
    let stream = stream();
    let event = event();
    let gate = block(stream);
    let (queue, happening) = (Shared(stream), Shared(event));
    let queued = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&queued);
    let thread = beside(move || {
        let record = |_| {
            let code = acl!(aclrtRecordEvent(happening.get(), queue.get()));
            count.fetch_add(1, SeqCst);
            code
        };
        (0..=TASKS).map(record).find(|code| *code != ACL_SUCCESS)
    });
    soon("a full stream", || queued.load(SeqCst) >= TASKS - PER_CALLBACK);
    thread::sleep(MOMENT);
    let destroyer = beside(move || acl!(aclrtDestroyStreamForce(queue.get())));
    assert_eq!(thread.join().unwrap(), Some(ACL_ERROR_RT_INVALID_HANDLE));
    drop(gate);
    assert_eq!(destroyer.join().unwrap(), ACL_SUCCESS);
}

#[test]
fn a_callback_that_fills_its_own_stream_is_told() {
    let _machine = device();
    let stream = Shared(stream());
    let event = Shared(event());
    let mut current = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut current));
    let current = Shared(current);
    let (tell, told) = mpsc::channel();
    launch(stream.get(), move || {
        ok!(aclrtSetCurrentContext(current.get()));
        let refused = (0..=TASKS).map(|_| acl!(aclrtRecordEvent(event.get(), stream.get())));
        tell.send(refused.into_iter().find(|code| *code != ACL_SUCCESS)).unwrap();
    });
    assert_eq!(told.recv().unwrap(), Some(ACL_ERROR_RT_STREAM_TASK_FULL));
    ok!(aclrtSynchronizeStream(stream.get()));
}

#[test]
fn a_callback_that_was_discarded_before_it_began_never_runs() {
    let _machine = device();
    let (busy, stopped) = (stream(), stream());
    let gate = block(busy);
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    launch(stopped, move || count.store(1, SeqCst));
    thread::sleep(Duration::from_millis(20));
    ok!(aclrtStreamAbort(stopped));
    drop(gate);
    ok!(aclrtSynchronizeStream(busy));
    launch(stopped, || {});
    ok!(aclrtSynchronizeStream(stopped));
    assert_eq!(ran.load(SeqCst), 0);
}

fn waitable() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
    event
}

#[test]
fn a_record_that_finds_no_room_leaves_the_waits_for_the_next_record() {
    let _machine = device();
    let (full, waiting, free) = (Shared(stream()), stream(), stream());
    let (filling, event) = (Shared(event()), Shared(waitable()));
    let mut current = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut current));
    let current = Shared(current);
    ok!(aclrtStreamWaitEvent(waiting, event.get()));
    let (tell, told) = mpsc::channel();
    launch(full.get(), move || {
        ok!(aclrtSetCurrentContext(current.get()));
        let refused = (0..=TASKS).map(|_| acl!(aclrtRecordEvent(filling.get(), full.get())));
        assert_ne!(refused.into_iter().find(|code| *code != ACL_SUCCESS), None);
        tell.send(acl!(aclrtRecordEvent(event.get(), full.get()))).unwrap();
    });
    assert_eq!(told.recv().unwrap(), ACL_ERROR_RT_STREAM_TASK_FULL);
    ok!(aclrtSynchronizeStream(full.get()));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(waiting, 30)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    ok!(aclrtRecordEvent(event.get(), free));
    ok!(aclrtSynchronizeStream(waiting));
}

#[test]
fn a_wait_that_finds_no_room_leaves_the_event_to_others() {
    let _machine = device();
    let (full, free) = (stream(), stream());
    let (filling, event) = (event(), waitable());
    let gate = block(full);
    // The callback that runs has one place.
    (1..TASKS).for_each(|_| ok!(aclrtRecordEvent(filling, full)));
    let (queue, happening) = (Shared(full), Shared(event));
    let waiter = beside(move || ok!(aclrtStreamWaitEvent(queue.get(), happening.get())));
    thread::sleep(MOMENT);
    assert!(!waiter.is_finished(), "the stream has room");
    let (tell, told) = mpsc::channel();
    let (queue, happening) = (Shared(free), Shared(event));
    let recorder = beside(move || {
        ok!(aclrtRecordEvent(happening.get(), queue.get()));
        tell.send(()).unwrap();
    });
    let recorded = told.recv_timeout(Duration::from_secs(60));
    drop(gate);
    [waiter, recorder].into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(recorded, Ok(()), "the record waits for the room that the wait has not got");
    ok!(aclrtSynchronizeStream(full));
}
