//! Wakers and futures that reach each other: executors that poll where they are woken, and futures that change places.

use super::*;
use ascendcl::stream::WhenDone;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context as Task, Poll, Wake, Waker};
use std::thread;

type Buffer = DeviceBuffer<Worker, u8>;
type Done = WhenDone<Worker, Buffer>;

/// Does this when it is woken, and that when its last pointer is dropped.
struct Does<W: Fn(), D: Fn()>(W, D);

impl<W: Fn() + Send + Sync, D: Fn() + Send + Sync> Wake for Does<W, D> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

impl<W: Fn(), D: Fn()> Drop for Does<W, D> {
    fn drop(&mut self) {
        (self.1)();
    }
}

fn waker(woken: impl Fn() + Send + Sync + 'static, dropped: impl Fn() + Send + Sync + 'static) -> Waker {
    Arc::new(Does(woken, dropped)).into()
}

fn poll(future: &mut Done, waker: &Waker) -> Poll<ascendcl::Pending<Worker, Buffer>> {
    Pin::new(future).poll(&mut Task::from_waker(waker))
}

/// A future of work that begins when something is sent.
fn held(current: &Current<Worker>, value: u8) -> (Sender<()>, Stream<Worker, DefaultAllocator>, Done) {
    let own = stream(current);
    let release = hold(current, &own);
    let work = own.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), value).unwrap();
    let future = work.when_done(current, &own).unwrap();
    (release, own, future)
}

/// An executor without a queue: who wakes a task runs it. The thread of this crate then has the work, and drops it or
/// gives it away.
#[proves(MEM_02, STREAM_04)]
#[test]
fn a_waker_that_polls_its_future_where_it_is_woken_gets_the_work_there() {
    let alone = alone();
    let runtime = open();
    for gives_away in [false, true] {
        let (release, own, future) = runtime.with(|current| held(current, 7)).unwrap();
        let place = Arc::new(Mutex::new(Some(future)));
        let (gives, given) = channel();
        let gives = Mutex::new(gives);
        let inside = Arc::downgrade(&place);
        let inline = waker(
            move || {
                let Some(place) = inside.upgrade() else { return };
                let mut future = place.lock().unwrap().take().unwrap();
                let Poll::Ready(work) = poll(&mut future, Waker::noop()) else { panic!("it was woken too early") };
                gives.lock().unwrap().send(gives_away.then_some(work)).unwrap();
            },
            || {},
        );
        assert!(poll(place.lock().unwrap().as_mut().unwrap(), &inline).is_pending());
        release.send(()).unwrap();
        let given = given.recv_timeout(LONG).unwrap();
        runtime
            .with(|current| {
                if let Some(work) = given {
                    assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [7; 8]);
                }
                own.synchronize(current).unwrap();
                super::super::collect(current);
            })
            .unwrap();
        // The thread goes on with other futures.
        let (release, _own, other) = runtime.with(|current| held(current, 1)).unwrap();
        release.send(()).unwrap();
        let work = finish(other);
        runtime.with(|current| work.wait(current).map(drop).unwrap()).unwrap();
    }
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_waker_that_drops_its_own_future_leaves_the_work_to_the_context() {
    let alone = alone();
    let runtime = open();
    let (release, own, future) = runtime.with(|current| held(current, 7)).unwrap();
    let place = Arc::new(Mutex::new(Some(future)));
    let (tells, told) = channel();
    let tells = Mutex::new(tells);
    let inside = Arc::clone(&place);
    let drops = waker(
        move || {
            drop(inside.lock().unwrap().take());
            tells.lock().unwrap().send(()).unwrap();
        },
        || {},
    );
    assert!(poll(place.lock().unwrap().as_mut().unwrap(), &drops).is_pending());
    drop(drops);
    release.send(()).unwrap();
    told.recv_timeout(LONG).unwrap();
    assert!(place.lock().unwrap().is_none());
    runtime.with(|current| own.synchronize(current).unwrap()).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// A task that moves to another thread is woken there alone.
#[test]
fn a_future_that_two_threads_poll_in_turns_wakes_the_last_of_them() {
    let alone = alone();
    let runtime = open();
    let (release, _own, mut future) = runtime.with(|current| held(current, 7)).unwrap();
    let woken = [(); 4].map(|()| Arc::new(AtomicUsize::new(0)));
    for woken in &woken {
        let woken = Arc::clone(woken);
        let counts = waker(move || _ = woken.fetch_add(1, SeqCst), || {});
        thread::scope(|threads| {
            threads.spawn(|| assert!(poll(&mut future, &counts).is_pending())).join().unwrap();
        });
    }
    release.send(()).unwrap();
    let begun = std::time::Instant::now();
    while woken[3].load(SeqCst) == 0 {
        assert!(begun.elapsed() < LONG, "nobody was woken");
        thread::yield_now();
    }
    assert_eq!(woken.each_ref().map(|woken| woken.load(SeqCst)), [0, 0, 0, 1]);
    let Poll::Ready(work) = poll(&mut future, Waker::noop()) else { panic!("it was woken") };
    runtime.with(|current| assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [7; 8])).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The first waker is dropped when a second one takes its place, and polls another future at this moment, and that drops
/// the next one.
#[test]
fn wakers_that_poll_other_futures_when_they_are_dropped_are_dropped_without_a_lock() {
    let alone = alone();
    let runtime = open();
    let (release, _own, future) = runtime.with(|current| held(current, 1)).unwrap();
    let other = Arc::new(Mutex::new(Some(future)));
    let (release_own, _stream, mut own) = runtime.with(|current| held(current, 2)).unwrap();
    let polls = Arc::new(AtomicUsize::new(0));
    let polls_the_other = || {
        let (other, polls) = (Arc::clone(&other), Arc::clone(&polls));
        move || {
            if let Some(future) = other.lock().unwrap().as_mut() {
                polls.fetch_add(1, SeqCst);
                assert!(poll(future, Waker::noop()).is_pending());
            }
        }
    };
    for _ in 0..3 {
        assert!(poll(&mut own, &waker(|| {}, polls_the_other())).is_pending());
    }
    assert_eq!(polls.load(SeqCst), 2, "the last one is in the future");
    drop(own);
    assert_eq!(polls.load(SeqCst), 3);
    let last = other.lock().unwrap().take();
    drop(last);
    [release, release_own].into_iter().for_each(|release| release.send(()).unwrap());
    runtime.with(|current| current.synchronize().unwrap()).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// A future can be moved between polls, so two of them can change places.
#[proves(STREAM_04, MEM_02)]
#[test]
fn futures_that_change_places_between_polls_give_their_own_work() {
    let alone = alone();
    let runtime = open();
    let (release, _first, mut one) = runtime.with(|current| held(current, 1)).unwrap();
    let (release_other, _second, mut other) = runtime.with(|current| held(current, 2)).unwrap();
    assert!(poll(&mut one, Waker::noop()).is_pending() && poll(&mut other, Waker::noop()).is_pending());
    mem::swap(&mut one, &mut other);
    release.send(()).unwrap();
    let work = finish(&mut other);
    runtime.with(|current| assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [1; 8])).unwrap();
    assert!(poll(&mut one, Waker::noop()).is_pending() && poll(&mut other, Waker::noop()).is_pending());
    assert!(other.into_pending().is_none(), "it was given out");
    // What was not awaited is waited for with a limit.
    let late = runtime
        .with(|current| one.into_pending().unwrap().wait_within(current, Duration::from_millis(20)).unwrap_err());
    release_other.send(()).unwrap();
    runtime
        .with(|current| assert_eq!(late.unwrap().value.wait(current).unwrap().to_vec(current).unwrap(), [2; 8]))
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
