//! Waits that would never end, and limits that end too early.

use super::{collect, fail, in_context, inside, set, with_device};
use crate::common::allocators::{Watch, Watched};
use crate::common::{acl, alone, c_library, library_at};
use crate::null::{TIMEOUT, books, in_books};
use ascendcl::{Acl, Brand, Context, Current, Device, Error, Scoped, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Barrier, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit that the library gives a task; nothing says of which of its own limits it speaks.
const TASK_TIMEOUT: i32 = 107_020;

#[proves(STREAM_16, EVENT_11)]
#[test]
fn no_wait_is_made_without_a_limit() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        drop(set(current, &stream, 1).wait(current).unwrap());
        stream.synchronize(current).unwrap();
        current.default_stream().synchronize(current).unwrap();
        current.synchronize().unwrap();
        stream.destroy(current).unwrap();
    });
    assert_eq!((books.calls("aclrtSynchronizeStream"), books.calls("aclrtSynchronizeDevice")), (0, 0));
    assert!(books.calls("aclrtSynchronizeStreamWithTimeout") >= 4);
    assert_eq!(books.calls("aclrtSynchronizeDeviceWithTimeout"), 1);
}

#[proves(STREAM_16)]
#[test]
fn a_wait_without_a_limit_goes_on_when_a_slice_of_it_is_over() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let start = Instant::now();
        let work = stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(700))).unwrap();
        work.wait(current).unwrap().into_result().unwrap();
        assert!(start.elapsed() >= Duration::from_millis(700));
    });
    alone.assert_nothing_lives();
}

/// Another thread keeps 400 ms of work queued, which is more than the first slice of a wait. The wait is for what is
/// queued when it begins, so it ends long before that thread stops.
#[proves(STREAM_16)]
#[test]
fn a_wait_ends_while_another_thread_keeps_queueing() {
    const TASK: Duration = Duration::from_millis(50);
    let alone = alone();
    in_context(|context, thread| {
        let (busy, stop) = (Barrier::new(2), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                context.enter(&mut thread, |current| keep_busy(current, TASK, &busy, &stop)).unwrap();
            });
            busy.wait();
            let start = Instant::now();
            context.enter(thread, |current| current.synchronize().unwrap()).unwrap();
            let waited = start.elapsed();
            stop.store(true, SeqCst);
            assert!(waited < LONG / 2, "{waited:?}");
        });
    });
    alone.assert_nothing_lives();
}

/// How long that thread goes on if the wait does not end before.
const LONG: Duration = Duration::from_secs(40);

/// Queues eight tasks, and then one for each that ends, until it gets the signal to stop.
fn keep_busy(current: &mut Current<impl Brand>, task: Duration, busy: &Barrier, stop: &AtomicBool) {
    let stream = current.stream().unwrap();
    let queue = || stream.launch_host_fn(current, move || thread::sleep(task)).unwrap();
    let mut works: Vec<_> = (0..8).map(|_| queue()).collect();
    busy.wait();
    let start = Instant::now();
    while !stop.load(SeqCst) && start.elapsed() < LONG {
        thread::sleep(task);
        works.push(queue());
    }
    for work in works {
        work.wait(current).unwrap().into_result().unwrap();
    }
}

/// Says that the library gives a block back, which a wait of the library's does, and holds the wait up there.
struct HoldsUp {
    inside: mpsc::Sender<()>,
    go: Mutex<mpsc::Receiver<()>>,
}

impl Watch for HoldsUp {
    fn frees(&self) {
        self.inside.send(()).unwrap();
        // Until the test drops the other end.
        let _ = self.go.lock().unwrap().recv_timeout(LONG);
    }
}

/// A failure of work may have been told to another wait that is about to end, and to note it. A wait that succeeded lets
/// such waits end, but not for long: another one may be held up.
#[proves(ERR_02, STREAM_16)]
#[test]
fn a_wait_that_succeeds_lets_another_end_for_a_moment_and_not_longer() {
    const MOMENT: Duration = Duration::from_millis(10);
    let books = books();
    books.keep_blocks();
    with_device(books.acl(), |device, thread| {
        let program = |context: &Context<Scoped<'_>>, thread: &mut Thread| {
            let ((inside, is_inside), (go, held)) = (mpsc::channel(), mpsc::channel::<()>());
            let queue = |current: &mut Current<_>| {
                let watched = Watched::new(current, 4096, HoldsUp { inside, go: Mutex::new(held) });
                let stream = current.stream().unwrap().register(current, watched).map_err(Error::from).unwrap();
                [(); 2].map(|()| {
                    let (device, host) = (current.upload(&[1_u8; 64]).unwrap(), current.host_buffer(64).unwrap());
                    stream.copy_to_host(current, device, host).map_err(Error::from).unwrap()
                })
            };
            let [one, other] = context.enter(thread, queue).unwrap();
            thread::scope(|scope| {
                let first = move |current: &mut Current<_>| one.wait(current).map(drop);
                let first = scope.spawn(|| context.enter(&mut Thread::new().unwrap(), first).unwrap());
                is_inside.recv_timeout(LONG).unwrap();
                let (tell, told) = mpsc::channel();
                let second = move |current: &mut Current<_>| {
                    let start = Instant::now();
                    other.wait(current).map(drop).unwrap();
                    tell.send(start.elapsed()).unwrap();
                };
                let second = scope.spawn(|| context.enter(&mut Thread::new().unwrap(), second).unwrap());
                let waited = told.recv_timeout(LONG / 4);
                drop(go);
                first.join().unwrap().unwrap();
                second.join().unwrap();
                let waited = waited.expect("the second wait ends although the first does not");
                assert!(waited >= MOMENT, "{waited:?}");
            });
        };
        device.context(thread, program).unwrap();
    });
    books.assert_closed();
}

/// Work that was dropped in one context keeps its memory while another context waits for all work of its own.
#[proves(DEV_17)]
#[test]
fn a_wait_for_one_context_frees_nothing_that_another_one_uses() {
    let alone = alone();
    with_device(acl(), |device, thread| {
        device.context(thread, |busy, thread| work_here_and_wait_there(busy, device, thread)).unwrap();
    });
    alone.assert_nothing_lives();
}

fn work_here_and_wait_there<'c>(busy: &'c Context<Scoped<'c>>, device: &Device<'_>, thread: &mut Thread) {
    let (release, held) = mpsc::channel::<()>();
    let queue = |current: &mut Current<Scoped<'c>>| {
        let stream = current.stream().unwrap();
        drop(stream.launch_host_fn(current, move || held.recv()).unwrap());
        drop(set(current, &stream, 1));
        stream
    };
    let stream = busy.enter(thread, queue).unwrap();
    let wait = |current: &mut Current<Scoped<'_>>| {
        drop(set(current, &current.stream().unwrap(), 2));
        current.synchronize_within(Duration::from_secs(20)).unwrap();
        collect(current);
    };
    device.with_current(thread, wait).unwrap();
    let end = |current: &mut Current<Scoped<'c>>| {
        collect(current);
        let held = control::live().device_blocks;
        drop(release);
        current.synchronize().unwrap();
        stream.destroy(current).unwrap();
        collect(current);
        assert_eq!((held, control::live().device_blocks), (1, 0), "while the work went on, and afterwards");
    };
    busy.enter(thread, end).unwrap();
}

#[proves(STREAM_16, EVENT_11)]
#[test]
fn before_a_limit_is_told_the_library_is_asked_again() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        for code in [TIMEOUT, TASK_TIMEOUT] {
            books.refuse("aclrtSynchronizeStreamWithTimeout", code, 1);
            let work = set(current, &stream, 1);
            drop(work.wait_within(current, Duration::from_millis(2)).unwrap());
        }
        books.refuse("aclrtSynchronizeDeviceWithTimeout", TIMEOUT, 1);
        current.synchronize_within(Duration::from_millis(2)).unwrap();
        // And when it says so again, the time is up.
        for code in [TIMEOUT, TASK_TIMEOUT] {
            books.refuse("aclrtSynchronizeStreamWithTimeout", code, -1);
            let failed = set(current, &stream, 1).wait_within(current, Duration::from_millis(2)).unwrap_err();
            assert!(failed.error.code().unwrap().is_timeout(), "{}", failed.error);
            books.refuse_no_more("aclrtSynchronizeStreamWithTimeout");
            drop(failed.value.wait(current).unwrap());
        }
    });
}

/// Such a limit is over with its first slice. A wait of no length at all would follow it otherwise.
#[proves(STREAM_16)]
#[test]
fn a_limit_of_one_slice_is_one_wait_and_one_more_look() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        for (limit, waits) in [(250, 2), (251, 3)] {
            let before = books.calls("aclrtSynchronizeStreamWithTimeout");
            books.refuse("aclrtSynchronizeStreamWithTimeout", TIMEOUT, -1);
            let failed = stream.synchronize_within(current, Duration::from_millis(limit)).unwrap_err();
            assert!(failed.code().unwrap().is_timeout(), "{failed}");
            assert_eq!(books.calls("aclrtSynchronizeStreamWithTimeout") - before, waits, "{limit} ms");
            books.refuse_no_more("aclrtSynchronizeStreamWithTimeout");
        }
    });
}

#[proves(STREAM_16)]
#[test]
fn a_library_that_gives_a_wait_up_at_once_again_and_again_is_not_asked_for_ever() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        books.refuse("aclrtSynchronizeStreamWithTimeout", TIMEOUT, -1);
        let failed = set(current, &stream, 1).wait(current).unwrap_err();
        assert!(failed.error.code().unwrap().is_timeout(), "{}", failed.error);
        books.refuse_no_more("aclrtSynchronizeStreamWithTimeout");
        drop(failed.value.wait(current).unwrap());
    });
}

#[proves(STREAM_16, EVENT_11)]
#[test]
fn a_limit_does_not_end_before_its_time() {
    let alone = alone();
    inside(|current| {
        let (stream, limit) = (current.stream().unwrap(), Duration::from_micros(3900));
        let (release, held) = mpsc::channel::<()>();
        let work = stream.launch_host_fn(current, move || held.recv().unwrap()).unwrap();
        let event = stream.record(current, current.event().unwrap()).unwrap();
        for _ in 0..5 {
            let start = Instant::now();
            assert!(stream.synchronize_within(current, limit).unwrap_err().code().unwrap().is_timeout());
            assert!(start.elapsed() >= limit, "{:?}", start.elapsed());
            let start = Instant::now();
            assert!(event.synchronize_within(current, limit).unwrap_err().code().unwrap().is_timeout());
            assert!(start.elapsed() >= limit, "{:?}", start.elapsed());
        }
        release.send(()).unwrap();
        work.wait(current).unwrap().into_result().unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_16)]
#[test]
fn waits_for_devices_that_hang_end() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        fail("aclrtMemsetAsync#1=hang");
        let work = set(current, &stream, 1);
        let error = stream.synchronize(current).unwrap_err();
        assert!(error.code().unwrap().is_timeout(), "{error}");
        let failed = work.wait(current).unwrap_err();
        assert!(failed.error.code().unwrap().is_timeout(), "{}", failed.error);
        fail("");
        drop(failed.value.wait(current).unwrap());
    });
    alone.assert_nothing_lives();
}

/// A release that has no wait with a limit. No failure of work is behind what it answers.
#[proves(STREAM_16)]
#[test]
fn a_collection_in_a_library_that_lacks_the_wait_with_a_limit_tells_no_error() {
    let lacks = include_str!("../null/library.c").replace("aclrtSynchronizeStreamWithTimeout", "not_there");
    let _others = books();
    let acl = Acl::init(library_at(c_library("without-limits", &lacks))).unwrap();
    with_device(acl, |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            let stream = current.stream().unwrap();
            let work = set(current, &stream, 1);
            assert!(work.is_complete(current).unwrap());
            let errors = current.collect();
            assert!(errors.is_empty(), "{errors:?}");
            drop(work.wait(current).unwrap());
        };
        device.with_current(thread, program).unwrap();
    });
}

/// The wait for work that another stream has taken over asks the first stream, with a limit where the library has one.
#[proves(ERR_02)]
#[test]
fn work_that_was_taken_over_is_waited_for_in_a_library_that_lacks_the_wait_with_a_limit() {
    let lacks = include_str!("../null/library.c").replace("aclrtSynchronizeStreamWithTimeout", "not_there");
    let _others = books();
    let acl = Acl::init(library_at(c_library("taken-over-without-limits", &lacks))).unwrap();
    with_device(acl, |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
            let work = set(current, &one, 1);
            let event = one.record(current, current.event().unwrap()).unwrap();
            let work = two.adopt_after(current, work, &event).unwrap();
            drop(work.wait(current).unwrap());
        };
        device.with_current(thread, program).unwrap();
    });
}
