//! Runtimes that end within their limits, while other runtimes of their device work.

use super::{alone as with_long_queues, *};
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl_sim::Config;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};

/// The limits of these ends.
const BRIEFLY: Duration = Duration::from_millis(50);

/// Longer than any of these ends takes.
const LONG: Duration = Duration::from_secs(10);

/// How long callbacks hold their stream if the test does not end.
const LONGER: Duration = Duration::from_secs(30);

fn alone() -> crate::common::Alone {
    let alone = with_long_queues();
    control::configure(crate::common::under_watch(Config::new().tasks(TASKS as u64))).unwrap();
    alone
}

/// So many tasks fill a queue.
const TASKS: usize = 16;

fn open(default_context: bool) -> Runtime<Worker> {
    let setup = Setup::builder().library(library()).device(0).teardown_timeout(BRIEFLY);
    Runtime::open(setup.default_context(default_context).build()).unwrap()
}

/// Waits until the number does not change any more: the thread that counts is blocked.
fn await_standstill(count: &AtomicUsize) {
    let mut last = 0;
    while last < TASKS / 2 || count.load(Ordering::SeqCst) != last {
        last = count.load(Ordering::SeqCst);
        thread::sleep(Duration::from_millis(300));
    }
}

/// Ends a runtime while a thread is inside a call on one of its events: a stream of another runtime is to wait for the
/// event, and its queue is full.
#[track_caller]
fn while_a_call_is_inside<R: Send>(ends: impl FnOnce(Runtime<Worker>) -> R + Send) -> R {
    let (owner, other) = (open(false), open(false));
    let recorded = owner.with(|current| {
        let stream = current.stream().unwrap();
        let event = stream.record(current, current.event().unwrap()).unwrap();
        stream.synchronize(current).unwrap();
        event
    });
    let (event, calls) = (recorded.unwrap(), AtomicUsize::new(0));
    let (release, released) = channel::<()>();
    let (ended, has_ended) = channel();
    let result = thread::scope(|threads| {
        let waits = threads.spawn(|| {
            let fills = |current: &mut Current<Worker>| {
                let stream = current.stream().unwrap();
                mem::forget(stream.launch_host_fn(current, move || released.recv_timeout(LONGER).is_ok()).unwrap());
                for _ in 0..2 * TASKS {
                    calls.fetch_add(1, Ordering::SeqCst);
                    // From the end of the event on it is refused.
                    let _ = stream.wait_across_contexts(current, &event);
                }
                stream.synchronize(current).unwrap();
            };
            other.with(fills).unwrap();
        });
        await_standstill(&calls);
        let end = threads.spawn(move || ended.send(ends(owner)).unwrap());
        let result = has_ended.recv_timeout(LONG);
        release.send(()).unwrap();
        waits.join().unwrap();
        end.join().unwrap();
        result
    });
    other.close().unwrap();
    result.expect("the end waited for the queue of another runtime")
}

#[track_caller]
fn errors_of(refused: CloseError) -> Vec<Error> {
    let CloseError::Teardown { errors } = refused else { panic!("{refused:?}") };
    errors
}

#[track_caller]
fn is_event_in_use(error: &Error) {
    assert!(matches!(error, Error::StillRunning { what: ObjectKind::EVENT }), "{error}");
    let text = error.to_string();
    assert!(text.contains("STREAM-22") && !text.contains("synchronise"), "{text}");
}

#[proves(STREAM_22, EVENT_06, DEV_10)]
#[test]
fn a_close_does_not_wait_for_the_full_queue_of_another_runtime() {
    let alone = alone();
    let (owner, errors) = while_a_call_is_inside(|owner| {
        let closed = owner.close();
        (owner, errors_of(closed.unwrap_err()))
    });
    assert_eq!(errors.len(), 1, "{errors:?}");
    is_event_in_use(&errors[0]);
    owner.close().unwrap();
    alone.assert_nothing_lives();
}

/// The other runtime uses the device, so the device is not reset.
#[proves(STREAM_22, EVENT_06, DEV_08)]
#[test]
fn a_close_by_force_does_not_wait_for_the_full_queue_of_another_runtime() {
    let alone = alone();
    let (owner, errors) = while_a_call_is_inside(|owner| {
        let closed = owner.close_by_force(BRIEFLY);
        (owner, errors_of(closed.unwrap_err()))
    });
    is_event_in_use(&errors[0]);
    assert!(matches!(errors[1..], [Error::DeviceShared { .. }]), "{errors:?}");
    assert_eq!(owner.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    alone.assert_nothing_lives();
}

#[proves(STREAM_22, EVENT_06)]
#[test]
fn a_sweep_does_not_wait_for_the_full_queue_of_another_runtime() {
    let alone = alone();
    let errors = while_a_call_is_inside(|owner| {
        drop(owner);
        runtime::sweep(Some(Duration::ZERO))
    });
    assert_eq!(errors.len(), 1, "{errors:?}");
    is_event_in_use(&errors[0]);
    sweep();
    alone.assert_nothing_lives();
}

/// What cannot be released yet is no error of the runtime that is opened.
#[proves(STREAM_22, EVENT_06)]
#[test]
fn a_runtime_opens_while_the_full_queue_of_another_one_keeps_what_was_dropped() {
    let alone = alone();
    while_a_call_is_inside(|owner| {
        drop(owner);
        open(false).close().unwrap();
    });
    sweep();
    alone.assert_nothing_lives();
}

/// When it is taken down, another thread queues work on the default stream.
struct Asks(Mutex<(Sender<()>, Receiver<()>)>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Asks {
    const NAME: &'static str = "object that asks for work";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let (ask, queued) = &*self.0.lock().unwrap();
        ask.send(())?;
        Ok(queued.recv_timeout(LONG)?)
    }
}

/// Ends a runtime in a default context. As soon as its streams have been waited for, another runtime in that context
/// queues work on the default stream, which is not done before the end.
#[track_caller]
fn while_the_default_stream_works_for_another<R: Send>(ends: impl FnOnce(&Runtime<Worker>) -> R + Send) -> R {
    let (owner, other) = (open(true), open(true));
    let (ask, asked) = channel();
    let (queued, is_queued) = channel();
    let uses = |current: &mut Current<Worker>| {
        let stream = current.default_stream();
        drop(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap().wait(current).unwrap());
        mem::forget(current.attach(Asks(Mutex::new((ask, is_queued))), ()).unwrap());
    };
    owner.with(uses).unwrap();
    let (release, released) = channel::<()>();
    let (ended, has_ended) = channel();
    let result = thread::scope(|threads| {
        let other = &other;
        let works = threads.spawn(move || {
            asked.recv_timeout(LONGER).unwrap();
            let works = |current: &mut Current<Worker>| {
                let work = move || released.recv_timeout(LONGER).is_ok();
                mem::forget(current.default_stream().launch_host_fn(current, work).unwrap());
                queued.send(()).unwrap();
            };
            other.with(works).unwrap();
        });
        let owner = &owner;
        let end = threads.spawn(move || ended.send(ends(owner)).unwrap());
        let result = has_ended.recv_timeout(LONG);
        release.send(()).unwrap();
        works.join().unwrap();
        end.join().unwrap();
        result
    });
    other.close().unwrap();
    owner.close().unwrap();
    result.expect("the end waited for work of another runtime")
}

#[proves(DEV_04, STREAM_16)]
#[test]
fn a_close_does_not_wait_for_work_that_another_runtime_queues_on_the_default_stream_meanwhile() {
    let alone = alone();
    while_the_default_stream_works_for_another(|owner| owner.close().unwrap());
    alone.assert_nothing_lives();
}

#[proves(DEV_04, STREAM_16)]
#[test]
fn a_close_by_force_does_not_wait_for_work_that_another_runtime_queues_on_the_default_stream_meanwhile() {
    let alone = alone();
    let lost = while_the_default_stream_works_for_another(|owner| owner.close_by_force(BRIEFLY).unwrap());
    assert_eq!(lost, [""; 0]);
    alone.assert_nothing_lives();
}
