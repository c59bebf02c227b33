//! Futures that hold handles and never finish, and futures that have to be woken.

use super::{collect, fail, finish, in_context, inside, model, nothing_fails, set, upload, with_device};
use crate::common::{acl, alone, assert_lives};
use crate::null::{books, in_books};
use ascendcl::stream::StreamOps;
use ascendcl::{Brand, Context, Current, Scoped, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::cell::RefCell;
use std::mem;
use std::ops::Deref;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context as Task, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Is pending once.
struct Yields(bool);

impl Future for Yields {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<()> {
        if mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

async fn yields() {
    Yields(false).await;
}

fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Task::from_waker(Waker::noop()))
}

#[test]
fn a_future_that_was_polled_once_and_forgotten_leaves_nothing() {
    let alone = alone();
    inside(|current| {
        let mut future = Box::pin(async {
            let stream = current.stream().unwrap();
            let copy = upload(current, &stream);
            let model = model(current);
            yields().await;
            (copy, model)
        });
        assert!(poll(future.as_mut()).is_pending());
        mem::forget(future);
        // The borrow of `current` ended, and what the future made lives on in the scope.
        collect(current);
        assert_lives!(models, 1);
        current.stream().unwrap().destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, COPY_04)]
#[test]
fn a_future_that_is_dropped_between_two_polls_leaves_its_copy_in_flight() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        {
            let mut future = pin!(async {
                let copy = upload(current, &stream);
                yields().await;
                copy.wait(current).map(drop)
            });
            assert!(poll(future.as_mut()).is_pending());
        }
        collect(current);
        assert_lives!(device_blocks, 1, "the copy may still run");
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, COPY_04)]
#[test]
fn a_cancelled_wait_gives_nothing_back_early() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let slot = RefCell::new(Some(upload(current, &stream)));
        let mut future = Box::pin(async {
            let copy = slot.borrow_mut().take().unwrap();
            yields().await;
            copy.wait(current).unwrap()
        });
        assert!(poll(future.as_mut()).is_pending());
        drop(future);
        assert!(slot.borrow().is_none());
        drop(stream);
        collect(current);
        let live = control::live();
        assert_eq!((live.streams, live.device_blocks), (0, 0), "the stream was synchronised, then both went");
    });
    alone.assert_nothing_lives();
}

async fn works_in<'c>(context: &'c Context<Scoped<'c>>, thread: &RefCell<&mut Thread>) {
    let enter =
        |program: &mut dyn FnMut(&mut Current<Scoped<'c>>)| context.enter(&mut **thread.borrow_mut(), program).unwrap();
    let mut stream = None;
    enter(&mut |current| stream = Some(current.stream().unwrap()));
    yields().await;
    enter(&mut |current| stream.take().unwrap().destroy(current).unwrap());
}

#[test]
fn futures_of_two_contexts_take_turns_on_one_thread() {
    let alone = alone();
    with_device(acl(), |device, thread| {
        device
            .context(thread, |one, thread| {
                device
                    .context(thread, |two, thread| {
                        let thread = RefCell::new(thread);
                        let (mut first, mut second) =
                            (Box::pin(works_in(one, &thread)), Box::pin(works_in(two, &thread)));
                        assert!(poll(first.as_mut()).is_pending());
                        assert!(poll(second.as_mut()).is_pending());
                        assert_lives!(streams, 2);
                        assert!(poll(first.as_mut()).is_ready());
                        mem::forget(second);
                    })
                    .unwrap();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_future_with_a_stream_goes_to_another_thread_between_two_polls() {
    let alone = alone();
    in_context(|context, thread| {
        let stream = context.enter(thread, |current| current.stream().unwrap()).unwrap();
        let mut future = Box::pin(async move {
            yields().await;
            let mut thread = Thread::new().unwrap();
            context.enter(&mut thread, |current| stream.destroy(current).unwrap()).unwrap();
        });
        assert!(poll(future.as_mut()).is_pending());
        std::thread::scope(|scope| {
            scope.spawn(move || assert!(poll(future.as_mut()).is_ready()));
        });
    });
    alone.assert_nothing_lives();
}

#[proves(CB_12)]
#[test]
fn a_future_does_not_wait_for_the_thread_that_runs_callbacks() {
    let alone = alone();
    inside(|current| {
        let (slow, mut stream) = (current.stream().unwrap(), current.stream().unwrap());
        let (open, gate) = mpsc::channel::<()>();
        let blocked = slow.launch_host_fn(current, move || gate.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap();
        let work = set(current, &stream, 1);
        let buffer = finish(work.into_future(current, &mut stream).unwrap()).unwrap();
        open.send(()).unwrap();
        assert_eq!(buffer.to_vec(current).unwrap(), [1; 4]);
        assert!(blocked.wait(current).unwrap().into_result().unwrap());
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_future_is_woken_by_a_library_that_runs_no_callbacks() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = current.stream().unwrap();
        books.lose_callbacks();
        let work = set(current, &stream, 1);
        drop(finish(work.into_future(current, &mut stream).unwrap()).unwrap());
    });
}

#[test]
fn many_futures_use_few_events_and_none_is_left() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let mut buffer = current.upload(&[0_u8; 4]).unwrap();
        for value in 0..200 {
            let work = stream.set_bytes(current, buffer, value).unwrap();
            buffer = finish(work.into_future(current, &mut stream).unwrap()).unwrap();
            let dropped = set(current, &stream, value).into_future(current, &mut stream).unwrap();
            drop(dropped);
        }
        assert!(control::live().events <= 4, "{:?}", control::live());
        stream.synchronize(current).unwrap();
        stream.destroy(current).unwrap();
        // The thread that looks at an event at this moment has it.
        let start = Instant::now();
        while control::live().events > 0 && start.elapsed() < Duration::from_secs(20) {
            collect(current);
        }
        assert_lives!(events, 0);
    });
    alone.assert_nothing_lives();
}

#[test]
fn futures_that_are_forgotten_leave_nothing_behind_their_scope() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        // Long enough for the looks to become seldom: the scope ends between two of them.
        mem::forget(stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(30))).unwrap());
        for value in 0..20 {
            mem::forget(set(current, &stream, value).into_future(current, &mut stream).unwrap());
        }
    });
    alone.assert_nothing_lives();
    // The thread that watches them finds that they were dropped, and sleeps.
    let begun = Instant::now();
    loop {
        let before = sleeps_of_the_watching_thread();
        thread::sleep(Duration::from_millis(50));
        if sleeps_of_the_watching_thread() == before {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "it still looks at futures that are gone");
    }
    alone.assert_nothing_lives();
}

/// How often the thread that watches futures has gone to sleep so far.
fn sleeps_of_the_watching_thread() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let named = |name: &str| name.starts_with("ascendcl future");
    let watching = threads.filter(|thread| named(&std::fs::read_to_string(thread.join("comm")).unwrap_or_default()));
    let status = watching.map(|thread| std::fs::read_to_string(thread.join("status")).unwrap()).next().unwrap();
    let sleeps = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
    sleeps.trim().parse().unwrap()
}

#[test]
fn a_future_that_is_dropped_before_its_end_leaves_its_place_to_the_next_one_which_is_told_of_its_own_end() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let held = || {
            let (release, released) = mpsc::channel::<()>();
            let work = move || released.recv_timeout(Duration::from_secs(20)).is_ok();
            (release, stream.launch_host_fn(current, work).unwrap().when_done(current, &stream).unwrap())
        };
        let (release, mut first) = held();
        assert!(poll(Pin::new(&mut first)).is_pending());
        drop(first);
        let (release_second, mut second) = held();
        release.send(()).unwrap();
        // Long enough for the thread that watches to see the end of the first one.
        thread::sleep(Duration::from_millis(50));
        assert!(poll(Pin::new(&mut second)).is_pending());
        release_second.send(()).unwrap();
        assert!(finish(second).wait(current).unwrap().into_result().unwrap());
    });
    alone.assert_nothing_lives();
}

#[test]
fn work_that_was_not_awaited_comes_back_from_its_future() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let work = set(current, &stream, 3).into_future(current, &mut stream).unwrap();
        let work = work.into_pending().unwrap();
        assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [3; 4]);
    });
    alone.assert_nothing_lives();
}

/// Counts how often a task is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// The work is done when it is polled, and later work on its stream is not: it came through another handle.
fn is_not_waited_for<C: Brand>(current: &Current<C>, first: &mut impl Handle<C>, second: &impl Handle<C>) {
    let (release, released) = mpsc::channel::<()>();
    let work = first.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 3).unwrap();
    let mut future = pin!(work.into_future(current, first).unwrap());
    let later = move || released.recv_timeout(Duration::from_secs(5)).is_ok();
    let later = second.launch_host_fn(current, later).unwrap();
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let begun = Instant::now();
    // Long enough for the thread that watches to see the end of the work.
    while begun.elapsed() < Duration::from_millis(300) {
        let before = woken.0.load(Ordering::SeqCst);
        assert!(future.as_mut().poll(&mut Task::from_waker(&waker)).is_pending(), "it waited for the later work");
        while woken.0.load(Ordering::SeqCst) == before {
            assert!(begun.elapsed() < Duration::from_secs(4), "the task was not woken");
            thread::sleep(Duration::from_micros(100));
        }
    }
    assert!(woken.0.load(Ordering::SeqCst) < 1000, "the task polls without a pause");
    release.send(()).unwrap();
    let done = finish(future).unwrap();
    assert_eq!(done.to_vec(current).unwrap(), [3; 4]);
    assert!(later.wait(current).unwrap().into_result().unwrap());
}

trait Handle<C: Brand>: Deref<Target = StreamOps<C>> {}

impl<C: Brand, T: Deref<Target = StreamOps<C>>> Handle<C> for T {}

#[proves(STREAM_12)]
#[test]
fn a_poll_does_not_wait_for_later_work_on_the_default_stream() {
    let alone = alone();
    inside(|current| {
        let (mut first, second) = (current.default_stream(), current.default_stream());
        is_not_waited_for(current, &mut first, &second);
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_12)]
#[test]
fn a_poll_does_not_wait_for_later_work_on_a_kept_stream() {
    let alone = alone();
    inside(|current| {
        let kept = current.stream().unwrap().keep();
        let (mut first, second) = (kept.lend(current).unwrap(), kept.lend(current).unwrap());
        is_not_waited_for(current, &mut first, &second);
    });
    alone.assert_nothing_lives();
}

/// The stream has answered that it is idle, and takes work of another handle before it is waited for.
#[proves(STREAM_12)]
#[test]
fn a_future_whose_stream_is_busy_again_ends_later() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let mut future = pin!(set(current, &stream, 3).into_future(current, &mut stream).unwrap());
        thread::sleep(Duration::from_millis(50));
        fail("aclrtSynchronizeStreamWithTimeout#1=507046,aclrtSynchronizeStreamWithTimeout#2=507046");
        assert!(poll(future.as_mut()).is_pending());
        nothing_fails();
        assert_eq!(finish(future).unwrap().to_vec(current).unwrap(), [3; 4]);
    });
    alone.assert_nothing_lives();
}
