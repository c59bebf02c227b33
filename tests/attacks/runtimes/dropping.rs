//! Dropped in the middle of work, in a callback, inside another, in a panic, with a thread, or never.

use super::*;
use crate::common::{assert_lives, library};

#[proves(MEM_02, STREAM_05)]
#[test]
fn a_runtime_that_is_dropped_in_the_middle_of_work_calls_nothing_and_is_swept_up() {
    let alone = alone();
    let runtime = open();
    let (stream, release) = runtime.with(|current| held(current)).unwrap();
    let work = runtime.with(|current| upload(current, &stream)).unwrap();
    let before = control::live();
    let start = Instant::now();
    drop(runtime);
    assert!(start.elapsed() < Duration::from_secs(10), "a drop waited");
    assert_eq!(control::live(), before, "a drop called the library");
    // The next runtime does not wait for it, either.
    let start = Instant::now();
    let next = open();
    assert!(start.elapsed() < Duration::from_secs(10), "opening waited");
    assert_lives!(contexts, 2);
    release.send(()).unwrap();
    sweep();
    assert_lives!(contexts, 1);
    next.close().unwrap();
    drop((stream, work));
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn the_next_runtime_takes_down_what_an_idle_one_left() {
    let alone = alone();
    let runtime = open();
    let kept = runtime.with(|current| (current.stream().unwrap(), current.upload(&[1_u8]).unwrap())).unwrap();
    drop(runtime);
    let next = open();
    assert_lives!(contexts, 1);
    next.close().unwrap();
    drop(kept);
    alone.assert_nothing_lives();
}

#[proves(CB_01, ALLOC_18)]
#[test]
fn the_last_pointer_to_a_runtime_goes_in_its_own_callback() {
    let alone = alone();
    let runtime = Arc::new(open());
    let (entered, told) = channel();
    let (own, waits) = (Arc::clone(&runtime), channel::<()>());
    let stream = runtime.with(|current| {
        let stream = current.stream().unwrap();
        let callback = move || {
            waits.1.recv_timeout(Duration::from_secs(20)).unwrap();
            // Neither can be done here.
            let refused = own.with(|_| ()).is_err() && own.close().is_err();
            drop(own);
            entered.send(refused).unwrap();
        };
        mem::forget(stream.launch_host_fn(current, callback).unwrap());
        stream
    });
    drop(runtime);
    waits.0.send(()).unwrap();
    assert!(told.recv_timeout(Duration::from_secs(20)).unwrap(), "a callback got into the library");
    sweep();
    drop(stream);
    alone.assert_nothing_lives();
}

#[proves(CTX_05, CTX_09)]
#[test]
fn a_runtime_is_dropped_inside_another() {
    let alone = alone();
    let (outer, inner) = (open(), Runtime::<Other>::open(library()).unwrap());
    outer
        .with(|current| {
            inner.enter(current, |current| mem::forget(upload(current, &current.stream().unwrap()))).unwrap();
            drop(inner);
            assert_eq!(current.upload(&[1_u8]).unwrap().to_vec(current).unwrap(), [1]);
        })
        .unwrap();
    sweep();
    assert_lives!(contexts, 1);
    outer.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_09)]
#[test]
fn a_panic_inside_leaves_the_runtime_open_and_one_around_it_drops_it() {
    let alone = alone();
    let runtime = open();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        runtime.with(|current| {
            let _stream = current.stream().unwrap();
            mem::forget(upload(current, &current.stream().unwrap()));
            panic!("inside");
        })
    }));
    assert!(caught.is_err());
    assert_eq!(runtime.with(|current| current.upload(&[1_u8]).unwrap().to_vec(current).unwrap()).unwrap(), [1]);
    let caught = catch_unwind(AssertUnwindSafe(move || {
        let _dropped = runtime;
        panic!("around");
    }));
    assert!(caught.is_err());
    sweep();
    alone.assert_nothing_lives();
}

#[proves(THREAD_04)]
#[test]
fn a_runtime_of_a_thread_goes_with_the_thread() {
    thread_local!(static OWN: RefCell<Option<(Runtime<Worker>, Stream<Worker>)>> = const { RefCell::new(None) });
    let alone = alone();
    let thread = thread::spawn(|| {
        let runtime = open();
        let stream = runtime.with(|current| current.stream().unwrap()).unwrap();
        OWN.set(Some((runtime, stream)));
    });
    thread.join().unwrap();
    sweep();
    alone.assert_nothing_lives();
}

#[proves(CTX_03)]
#[test]
fn a_forgotten_runtime_harms_no_other() {
    let alone = alone();
    let forgotten = open();
    let kept = forgotten.with(|current| current.host_buffer::<u8>(4).unwrap()).unwrap();
    let id = forgotten.id();
    mem::forget(forgotten);
    sweep();
    let runtime = open();
    assert_ne!(runtime.id(), id);
    runtime.with(|current| assert!(matches!(kept.slice(current), Err(Error::WrongContext { .. })))).unwrap();
    runtime.close().unwrap();
    assert_lives!(contexts, 1, "the forgotten one is there, as long as the process is");
    drop(alone);
}

#[proves(DEV_10)]
#[test]
fn what_the_next_runtime_could_not_take_down_is_told_by_the_sweep() {
    let alone = alone();
    drop(open());
    fail("aclrtDestroyContext#1=507899");
    let next = open();
    nothing_fails();
    // A thread that has something to do cannot sweep, and is told all the same.
    let thread = Thread::new().unwrap();
    let told = runtime::sweep(None);
    let is_told = |error: &Error| matches!(error, Error::Vendor(error) if error.call == "aclrtDestroyContext");
    assert!(matches!(&told[..], [Error::ThreadTaken, error] if is_told(error)), "{told:?}");
    drop(thread);
    sweep();
    assert_lives!(contexts, 1);
    next.close().unwrap();
    alone.assert_nothing_lives();
}

/// A runtime that was dropped and cannot be released is not why another one, on another device, cannot be closed.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_runtime_with_a_thread_inside_is_closed_by_force_in_its_time_although_another_one_is_left() {
    const LIMIT: Duration = Duration::from_millis(300);
    let alone = alone();
    let on = |device| Setup::builder().library(library()).device(device).teardown_timeout(LIMIT / 10).build();
    let left = Runtime::<Worker>::open(on(0)).unwrap();
    let (_stream, release) = left.with(|current| held(current)).unwrap();
    drop(left);
    let busy = Runtime::<Worker>::open(on(1)).unwrap();
    let inside = |_: &mut Current<Worker>| {
        let closes = || {
            let begun = Instant::now();
            let refused = busy.close_by_force(LIMIT).unwrap_err();
            assert!(matches!(refused, CloseError::Busy { inside: 1 }), "{refused}");
            begun.elapsed()
        };
        thread::scope(|threads| threads.spawn(closes).join().unwrap())
    };
    let time = busy.with(inside).unwrap();
    assert!(time < LIMIT * 2, "{time:?}");
    release.send(()).unwrap();
    busy.close().unwrap();
    sweep();
    alone.assert_nothing_lives();
}
