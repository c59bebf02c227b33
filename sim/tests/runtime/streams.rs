//! Streams: order, waiting, discarding, many of them.

use super::support::*;
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

#[proves(STREAM_04)]
#[test]
fn tasks_of_one_stream_run_in_order() {
    let _machine = device();
    let stream = stream();
    let seen = Arc::new(Mutex::new(Vec::new()));
    for number in 0..1000 {
        let seen = Arc::clone(&seen);
        launch(stream, move || seen.lock().unwrap().push(number));
    }
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(*seen.lock().unwrap(), (0..1000).collect::<Vec<_>>());
    ok!(aclrtDestroyStream(stream));
    assert!(control::live().is_empty());
}

#[test]
fn contexts_whose_callbacks_block_do_not_stop_each_other() {
    const STREAMS: usize = 32;
    let _machine = device();
    let contexts: Vec<_> = (0..STREAMS).map(|_| context(0)).collect();
    let (everybody, arrived) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    for context in &contexts {
        ok!(aclrtSetCurrentContext(*context));
        let (everybody, arrived) = (Arc::clone(&everybody), Arc::clone(&arrived));
        launch(aclrtStream::NULL, move || {
            arrived.fetch_add(1, SeqCst);
            while !everybody.load(SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
        });
    }
    soon("the start of every host function", || arrived.load(SeqCst) == STREAMS);
    everybody.store(true, SeqCst);
    contexts.iter().for_each(|context| ok!(aclrtDestroyContext(*context)));
}

#[proves(STREAM_16)]
#[test]
fn a_wait_that_times_out_leaves_the_work_in_flight() {
    let _machine = device();
    let stream = stream();
    let (release, released) = mpsc::channel::<()>();
    let done = Arc::new(AtomicBool::new(false));
    let mark = Arc::clone(&done);
    launch(stream, move || {
        released.recv().unwrap();
        mark.store(true, SeqCst);
    });
    let started = Instant::now();
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 30)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert!(started.elapsed() >= Duration::from_millis(30));
    assert_eq!(acl!(aclrtSynchronizeDeviceWithTimeout(30)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_RESERVED;
    ok!(aclrtStreamQuery(stream, &mut status));
    assert_eq!(status, aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY);
    release.send(()).unwrap();
    ok!(aclrtSynchronizeStreamWithTimeout(stream, 10_000));
    assert!(done.load(SeqCst));
    ok!(aclrtStreamQuery(stream, &mut status));
    assert_eq!(status, aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE);
    for limit in [0, -2, i32::MIN] {
        assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(stream, limit)), ACL_ERROR_RT_PARAM_INVALID);
    }
    ok!(aclrtSynchronizeStreamWithTimeout(stream, -1));
}

#[proves(STREAM_05, STREAM_08)]
#[test]
fn destroying_a_stream_waits_for_its_tasks() {
    let _machine = device();
    let stream = stream();
    let done = Arc::new(AtomicUsize::new(0));
    for _ in 0..20 {
        let done = Arc::clone(&done);
        launch(stream, move || {
            thread::sleep(Duration::from_millis(1));
            done.fetch_add(1, SeqCst);
        });
    }
    ok!(aclrtDestroyStream(stream));
    assert_eq!(done.load(SeqCst), 20);
    assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(acl!(aclrtDestroyStream(stream)), ACL_ERROR_RT_INVALID_HANDLE);
}

#[test]
fn an_abort_discards_what_has_not_begun_and_wakes_who_waits() {
    let _machine = device();
    let stream = stream();
    let (release, released) = mpsc::channel::<()>();
    let (begin, begun) = mpsc::channel::<()>();
    launch(stream, move || {
        begin.send(()).unwrap();
        released.recv().unwrap();
    });
    let ran = Arc::new(AtomicBool::new(false));
    let mark = Arc::clone(&ran);
    launch(stream, move || mark.store(true, SeqCst));
    begun.recv().unwrap();
    let shared = Shared(stream);
    let waiter = beside(move || acl!(aclrtSynchronizeStream(shared.get())));
    thread::sleep(Duration::from_millis(100));
    ok!(aclrtStreamAbort(stream));
    release.send(()).unwrap();
    assert_eq!(waiter.join().unwrap(), ACL_ERROR_RT_STREAM_ABORT);
    ok!(aclrtSynchronizeStream(stream));
    assert!(!ran.load(SeqCst));
    assert_eq!(acl!(aclrtStreamAbort(aclrtStream::NULL)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

#[test]
fn destroying_an_aborted_stream_waits_for_the_task_that_runs_and_succeeds() {
    let _machine = device();
    for busy in [false, true] {
        let stream = stream();
        let (release, released) = mpsc::channel::<()>();
        let (begin, begun) = mpsc::channel::<()>();
        let over = Arc::new(AtomicBool::new(false));
        let mark = Arc::clone(&over);
        launch(stream, move || {
            begin.send(()).unwrap();
            released.recv().unwrap();
            mark.store(true, SeqCst);
        });
        launch(stream, || {});
        begun.recv().unwrap();
        ok!(aclrtStreamAbort(stream));
        if !busy {
            release.send(()).unwrap();
            ok!(aclrtSynchronizeStream(stream));
            ok!(aclrtDestroyStream(stream));
            continue;
        }
        let opener = thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            release.send(()).unwrap();
        });
        ok!(aclrtDestroyStream(stream));
        assert!(over.load(SeqCst));
        opener.join().unwrap();
    }
}

#[test]
fn the_vendors_number_of_streams_live_and_work_at_once() {
    let _machine = device();
    let mut left = 0;
    ok!(aclrtGetStreamAvailableNum(&mut left));
    assert_eq!(left, 1983, "1984 with the default stream");
    let streams: Vec<_> = (0..left).map(|_| stream()).collect();
    let mut one_more = aclrtStream::NULL;
    assert_eq!(acl!(aclrtCreateStream(&mut one_more)), ACL_ERROR_RT_NO_STREAM_RESOURCE);
    let ran = Arc::new(AtomicUsize::new(0));
    for _ in 0..3 {
        for stream in &streams {
            let ran = Arc::clone(&ran);
            launch(*stream, move || {
                ran.fetch_add(1, SeqCst);
            });
        }
    }
    ok!(aclrtSynchronizeDevice());
    assert_eq!(ran.load(SeqCst), 3 * streams.len());
    for stream in streams {
        ok!(aclrtDestroyStream(stream));
    }
    ok!(aclrtCreateStream(&mut one_more));
    ok!(aclrtDestroyStream(one_more));
}

#[test]
fn a_million_tasks_leave_nothing_behind() {
    const ROUNDS: usize = if cfg!(debug_assertions) { 2 } else { 10 };
    const TASKS: usize = if cfg!(debug_assertions) { 20_000 } else { 100_000 };
    let _machine = device();
    let (stream, block) = (stream(), malloc(64));
    let mut resident = Vec::new();
    for _ in 0..ROUNDS {
        for _ in 0..TASKS {
            ok!(aclrtMemsetAsync(block, 64, 7, 64, stream));
        }
        ok!(aclrtSynchronizeStream(stream));
        resident.push(resident_pages());
    }
    assert_eq!(read(block, 64), [7; 64]);
    let (first, last) = (resident[1], *resident.last().unwrap());
    assert!(last < first + 4096, "resident pages grew: {resident:?}");
}

/// Pages of this process in memory.
fn resident_pages() -> usize {
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else {
        return 0;
    };
    text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0)
}

#[test]
fn two_threads_may_fill_one_stream() {
    let _machine = device();
    let mut context = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut context));
    let (stream, context) = (Shared(stream()), Shared(context));
    let sums: Arc<[AtomicUsize; 2]> = Arc::default();
    thread::scope(|scope| {
        for who in 0..2 {
            let sums = &sums;
            scope.spawn(move || {
                ok!(aclrtSetCurrentContext(context.get()));
                for number in 0..2000 {
                    let sums = Arc::clone(sums);
                    // Each thread's own tasks keep their order.
                    launch(stream.get(), move || assert_eq!(sums[who].swap(number + 1, SeqCst), number));
                }
                ok!(aclrtSynchronizeStream(stream.get()));
            });
        }
    });
    assert_eq!([sums[0].load(SeqCst), sums[1].load(SeqCst)], [2000; 2]);
}

#[test]
fn flags_priority_and_id_can_be_asked() {
    let _machine = device();
    let mut created = aclrtStream::NULL;
    ok!(aclrtCreateStreamWithConfig(&mut created, 99, ACL_STREAM_FAST_SYNC));
    let (mut flags, mut priority, mut id, mut other) = (0, 0, -1, -1);
    ok!(aclrtStreamGetFlags(created, &mut flags));
    ok!(aclrtStreamGetPriority(created, &mut priority));
    ok!(aclrtStreamGetId(created, &mut id));
    ok!(aclrtStreamGetId(aclrtStream::NULL, &mut other));
    assert_eq!((flags, priority), (ACL_STREAM_FAST_SYNC, 7));
    assert_ne!(id, other);
    for bad in [u32::MAX, ACL_STREAM_PERSISTENT | ACL_STREAM_DEVICE_USE_ONLY] {
        assert_eq!(acl!(aclrtCreateStreamWithConfig(&mut created, 0, bad)), ACL_ERROR_RT_PARAM_INVALID);
    }
    let unsupported = acl!(aclrtCreateStreamWithConfig(&mut created, 0, ACL_STREAM_DEVICE_USE_ONLY));
    assert_eq!(unsupported, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    ok!(aclrtCreateStreamWithConfig(&mut created, 0, 0x40));
    ok!(aclrtStreamGetFlags(created, &mut flags));
    assert_eq!(flags, 0, "a bit without a meaning is forgotten");
}

#[test]
fn a_persistent_stream_runs_nothing_and_holds_nobody_up() {
    let _machine = device();
    let mut persistent = aclrtStream::NULL;
    ok!(aclrtCreateStreamWithConfig(&mut persistent, 0, ACL_STREAM_PERSISTENT));
    let ran = Arc::new(AtomicBool::new(false));
    let mark = Arc::clone(&ran);
    launch(persistent, move || mark.store(true, SeqCst));
    ok!(aclrtSynchronizeStream(persistent));
    ok!(aclrtSynchronizeDevice());
    ok!(aclrtDestroyStream(persistent));
    assert!(!ran.load(SeqCst));
}

#[test]
fn a_host_function_cannot_wait_for_its_own_stream() {
    let _machine = device();
    let mut context = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut context));
    let (shared, context) = (Shared(stream()), Shared(context));
    let (tell, told) = mpsc::channel();
    let stream = shared.get();
    launch(stream, move || {
        tell.send(acl!(aclrtSynchronizeStream(shared.get()))).unwrap();
        ok!(aclrtSetCurrentContext(context.get()));
        tell.send(acl!(aclrtSynchronizeStream(shared.get()))).unwrap();
        tell.send(acl!(aclrtDestroyStream(shared.get()))).unwrap();
        tell.send(acl!(aclrtResetDevice(0))).unwrap();
    });
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(told.recv().unwrap(), ACL_ERROR_RT_CONTEXT_NULL, "the library's thread has no context");
    for _ in 0..3 {
        assert_eq!(told.recv().unwrap(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    }
    // The context that the function chose is not left behind on the library's thread.
    let (tell, told) = mpsc::channel();
    for _ in 0..8 {
        let tell = tell.clone();
        launch(stream, move || tell.send(acl!(aclrtSynchronizeDevice())).unwrap());
    }
    ok!(aclrtSynchronizeStream(stream));
    assert!(told.try_iter().eq([ACL_ERROR_RT_CONTEXT_NULL; 8]));
}

/// Not a test of anything but a figure: `cargo test --release -- --ignored --nocapture cost`.
#[test]
#[ignore = "measures"]
fn cost_of_submitting() {
    const TASKS: usize = 100_000;
    let _machine = device();
    let (stream, block) = (stream(), malloc(64));
    for round in 0..3 {
        let mut times: Vec<u64> = Vec::with_capacity(TASKS);
        let started = Instant::now();
        for _ in 0..TASKS {
            let before = Instant::now();
            acl!(aclrtMemsetAsync(block, 64, 0, 0, stream));
            times.push(before.elapsed().as_nanos() as u64);
        }
        let submitted = started.elapsed();
        ok!(aclrtSynchronizeStream(stream));
        times.sort_unstable();
        let at = |part: f64| times[(TASKS as f64 * part) as usize];
        println!(
            "round {round}: median {} ns, 90 % {} ns, 99 % {} ns; {} ns each over all, {} ns with the wait",
            at(0.5),
            at(0.9),
            at(0.99),
            submitted.as_nanos() as usize / TASKS,
            started.elapsed().as_nanos() as usize / TASKS,
        );
    }
    let started = Instant::now();
    for _ in 0..10_000 {
        acl!(aclrtMemsetAsync(block, 64, 0, 0, stream));
        acl!(aclrtSynchronizeStream(stream));
    }
    println!("submit and wait: {} ns each", started.elapsed().as_nanos() / 10_000);
}
