//! Wakers, which run code of the program on the crate's thread for futures.

use super::{fail, finish, inside, nothing_fails};
use crate::common::{alone, library, under_watch};
use ascendcl::{
    Acl, Brand, Current, Error, Pending, Runtime, Setup, Stream, Thread, stream::Payload, stream::WhenDone,
};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

ascendcl::names!(Woken);

const LONG: Duration = Duration::from_secs(20);

/// Runs one function when it is woken, and another one when its last pointer is dropped.
struct Runs<W: Fn(), D: Fn()>(W, D);

impl<W: Fn() + Send + Sync, D: Fn() + Send + Sync> Wake for Runs<W, D> {
    fn wake(self: Arc<Self>) {
        self.0();
    }
}

impl<W: Fn(), D: Fn()> Drop for Runs<W, D> {
    fn drop(&mut self) {
        self.1();
    }
}

fn waker(woken: impl Fn() + Send + Sync + 'static, dropped: impl Fn() + Send + Sync + 'static) -> Waker {
    Arc::new(Runs(woken, dropped)).into()
}

/// Polls with a waker that lives on in the future only.
fn poll<F: Future>(future: Pin<&mut F>, waker: Waker) -> Poll<F::Output> {
    future.poll(&mut Task::from_waker(&waker))
}

/// Work that is not over before something is sent.
fn held<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> (Sender<()>, Pending<C, impl Payload + use<C>>) {
    let (release, released) = channel();
    (release, stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap())
}

/// Futures are woken: a task that is not woken polls again after half a minute.
#[track_caller]
fn others_end(current: &Current<impl Brand>) {
    let mut stream = current.stream().unwrap();
    let (release, work) = held(current, &stream);
    let future = work.into_future(current, &mut stream).unwrap();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(10));
        release.send(()).unwrap();
    });
    let begun = Instant::now();
    finish(future).unwrap_or_else(|failed| panic!("{}", failed.error));
    assert!(begun.elapsed() < LONG, "nobody woke the task");
}

#[test]
fn a_waker_that_panics_when_it_is_woken_keeps_no_other_future_from_its_end() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let (release, work) = held(current, &stream);
        let mut future = pin!(work.into_future(current, &mut stream).unwrap());
        let (told, woken) = channel();
        let told = Mutex::new(told);
        let waker = waker(
            move || {
                told.lock().unwrap().send(()).unwrap();
                panic!("of a waker that is woken");
            },
            || (),
        );
        assert!(poll(future.as_mut(), waker).is_pending());
        release.send(()).unwrap();
        woken.recv_timeout(LONG).unwrap();
        drop(finish(future));
        others_end(current);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_waker_that_panics_when_it_is_dropped_keeps_no_other_future_from_its_end() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let (release, work) = held(current, &stream);
        let mut future = Box::pin(work.into_future(current, &mut stream).unwrap());
        let ((told, woken), (go, goes)) = (channel(), channel::<()>());
        let (told, goes) = (Mutex::new(told), Mutex::new(goes));
        let first = waker(
            move || {
                told.lock().unwrap().send(()).unwrap();
                goes.lock().unwrap().recv_timeout(LONG).unwrap();
            },
            || (),
        );
        assert!(poll(future.as_mut(), first).is_pending());
        release.send(()).unwrap();
        woken.recv_timeout(LONG).unwrap();
        // While the first waker is being woken, the future gets another one, ends, and goes: that waker goes with it.
        let (told, dropped) = channel();
        let told = Mutex::new(told);
        let second = waker(
            || (),
            move || {
                told.lock().unwrap().send(thread::current().id()).unwrap();
                panic!("of a waker that is dropped");
            },
        );
        assert!(poll(future.as_mut(), second).is_ready());
        assert!(catch_unwind(AssertUnwindSafe(|| drop(future))).is_ok(), "dropping a future does not panic");
        go.send(()).unwrap();
        assert_eq!(dropped.recv_timeout(LONG).unwrap(), thread::current().id());
        others_end(current);
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_18)]
#[test]
fn a_waker_cannot_call_the_library() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let (release, work) = held(current, &stream);
        let mut future = pin!(work.into_future(current, &mut stream).unwrap());
        let (told, refused) = channel();
        let told = Mutex::new(told);
        let waker = waker(
            move || {
                let answers = [Thread::new().err(), Acl::init(library()).err()];
                told.lock().unwrap().send(answers).unwrap();
            },
            || (),
        );
        assert!(poll(future.as_mut(), waker).is_pending());
        release.send(()).unwrap();
        let answers = refused.recv_timeout(LONG).unwrap();
        assert!(answers.iter().all(|answer| matches!(answer, Some(Error::InsideCallback))), "{answers:?}");
        drop(finish(future));
    });
    alone.assert_nothing_lives();
}

/// A waker that panics when its last pointer is dropped.
fn panics_when_dropped() -> Waker {
    waker(|| (), || panic!("of a waker that is dropped"))
}

/// Polls with a waker that panics when the next poll replaces it, and polls again.
fn poll_in_a_panic<F: Future>(mut future: Pin<&mut F>) {
    assert!(poll(future.as_mut(), panics_when_dropped()).is_pending());
    let polled = catch_unwind(AssertUnwindSafe(|| poll(future, Waker::noop().clone()).is_ready()));
    assert!(polled.is_err(), "the panic of a waker in a poll is its task's");
}

#[proves(MEM_02)]
#[test]
fn a_waker_that_panics_in_a_poll_leaves_the_work_in_its_future() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let (release, work) = held(current, &stream);
        let mut future = pin!(work.into_future(current, &mut stream).unwrap());
        poll_in_a_panic(future.as_mut());
        release.send(()).unwrap();
        assert!(finish(future).is_ok());
        let (release, work) = held(current, &stream);
        let mut future = Box::pin(work.when_done(current, &stream).unwrap());
        poll_in_a_panic(future.as_mut());
        release.send(()).unwrap();
        drop(finish(future).wait(current).map_err(Error::from).unwrap());
        let (release, work) = held(current, &stream);
        let mut future = work.when_done(current, &stream).unwrap();
        poll_in_a_panic(Pin::new(&mut future));
        let work = future.into_pending().expect("the work");
        release.send(()).unwrap();
        drop(work.wait(current).map_err(Error::from).unwrap());
        others_end(current);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_waker_that_panics_when_it_is_woken_and_when_it_is_dropped_ends_neither_the_process_nor_the_thread() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let (release, work) = held(current, &stream);
        let mut future = Box::pin(work.into_future(current, &mut stream).unwrap());
        let (told, woken) = channel();
        let told = Mutex::new(told);
        let bad = waker(
            move || {
                told.lock().unwrap().send(()).unwrap();
                panic!("of a waker that is woken");
            },
            || panic!("of a waker that is dropped"),
        );
        assert!(poll(future.as_mut(), bad).is_pending());
        release.send(()).unwrap();
        woken.recv_timeout(LONG).unwrap();
        drop(finish(future));
        others_end(current);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_future_that_is_dropped_does_not_panic_with_its_waker() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (release, work) = held(current, &stream);
        let mut future = Box::pin(work.when_done(current, &stream).unwrap());
        assert!(poll(future.as_mut(), panics_when_dropped()).is_pending());
        assert!(catch_unwind(AssertUnwindSafe(|| drop(future))).is_ok());
        release.send(()).unwrap();
        others_end(current);
    });
    alone.assert_nothing_lives();
}

/// A waker that counts, and how often it was woken.
fn counted() -> (Waker, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&count);
    let woken = move || {
        counts.fetch_add(1, SeqCst);
    };
    (waker(woken, || ()), count)
}

#[track_caller]
fn is_woken(count: &AtomicUsize) {
    let until = Instant::now() + LONG;
    while count.load(SeqCst) == 0 {
        assert!(Instant::now() < until, "nobody woke the task");
        thread::sleep(Duration::from_millis(1));
    }
}

/// The thread cannot see when the work is over, so it wakes the task, which asks itself.
#[proves(EVENT_05)]
#[test]
fn a_task_is_woken_while_the_library_does_not_say_how_far_its_event_is() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let (release, work) = held(current, &stream);
        let mut future = pin!(work.into_future(current, &mut stream).unwrap());
        fail("aclrtQueryEventStatus=507899");
        let (waker, count) = counted();
        assert!(poll(future.as_mut(), waker).is_pending());
        is_woken(&count);
        nothing_fails();
        release.send(()).unwrap();
        drop(finish(future).unwrap_or_else(|failed| panic!("{}", failed.error)));
    });
    alone.assert_nothing_lives();
}

/// Nobody polls any more, and the event ends with its context.
#[proves(EVENT_05, DEV_08)]
#[test]
fn a_task_is_woken_when_the_context_of_its_event_has_ended() {
    /// No other test leaves it taken.
    const DEVICE: i32 = 3;
    let alone = alone();
    control::configure(under_watch(Config::new().devices(4))).unwrap();
    let runtime = Runtime::<Woken>::open(Setup::builder().library(library()).device(DEVICE).build()).unwrap();
    let future = runtime.with(|current| {
        let stream = current.stream().unwrap();
        fail("aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000");
        let work = stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap();
        work.when_done(current, &stream).unwrap()
    });
    let mut future = pin!(future.unwrap());
    let (waker, count) = counted();
    assert!(poll(future.as_mut(), waker).is_pending());
    runtime.close_by_force(Duration::from_millis(20)).unwrap();
    is_woken(&count);
    nothing_fails();
    alone.assert_nothing_lives();
}

/// The stream has answered that it is idle, and a wait that should return at once does not.
#[proves(STREAM_12)]
#[test]
fn a_task_whose_stream_is_busy_again_is_woken() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let work = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 3).unwrap();
        let mut future = pin!(work.into_future(current, &mut stream).unwrap());
        // The crate's thread has told of the end of the work, so it does not wake the task by itself.
        thread::sleep(Duration::from_millis(300));
        fail("aclrtSynchronizeStreamWithTimeout#1=507046,aclrtSynchronizeStreamWithTimeout#2=507046");
        let (waker, count) = counted();
        assert!(poll(future.as_mut(), waker).is_pending());
        is_woken(&count);
        nothing_fails();
        drop(finish(future).unwrap_or_else(|failed| panic!("{}", failed.error)));
    });
    alone.assert_nothing_lives();
}

/// A callback cannot ask the library, and must not take that for the end of the work.
#[proves(EVENT_05, THREAD_05)]
#[test]
fn a_task_that_is_polled_in_a_callback_waits_for_the_end_of_its_work() {
    let alone = alone();
    let runtime = Runtime::<Woken>::open(library()).unwrap();
    let ran = runtime.with(|current| {
        let stream = current.stream().unwrap();
        // An answer that is an error counts as the end of the work, so nobody asks.
        fail("aclrtQueryEventStatus=507899");
        let (give, given) = channel();
        let polls = move || {
            let mut future: WhenDone<Woken, _> = given.recv_timeout(LONG).unwrap();
            (Pin::new(&mut future).poll(&mut Task::from_waker(Waker::noop())).is_ready(), future)
        };
        let polled = stream.launch_host_fn(current, polls).unwrap();
        // It is behind the callback, so it is not over while that runs.
        let work = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 3).unwrap();
        give.send(work.when_done(current, &stream).unwrap()).unwrap();
        let (early, future) = polled.wait(current).unwrap().into_result().unwrap();
        // The crate's thread asks once, when it gets to it.
        let until = Instant::now() + LONG;
        while control::injected().is_empty() && Instant::now() < until {
            thread::yield_now();
        }
        nothing_fails();
        assert!(!early, "the work was not over");
        drop(finish(future).wait(current).unwrap_or_else(|failed| panic!("{}", failed.error)));
    });
    ran.unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
