//! Closed under threads, from inside, by two threads at a time, and with calls that fail.

use super::*;
use crate::common::{assert_lives, library};
use ascendcl::capture::CaptureMode;
use ascendcl::operator::relu;
use std::sync::atomic::{AtomicBool, Ordering};

#[proves(CTX_11, DEV_10)]
#[test]
fn it_is_not_closed_under_a_thread_that_is_inside() {
    let alone = alone();
    let runtime = open();
    let (inside, leave) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            runtime.with(|current| {
                inside.wait();
                leave.wait();
                upload(current, &current.stream().unwrap()).wait(current).unwrap().0.len()
            })
        });
        inside.wait();
        let Err(busy @ CloseError::Busy { inside: 1 }) = runtime.close() else { panic!("closed under a thread") };
        let message = "1 thread(s) are inside the runtime: close it again when they have left, or wait longer for them \
                       (`close_within`, `close_by_force`) [CTX-11, DEV-10]";
        assert_eq!(busy.to_string(), message);
        let start = Instant::now();
        assert!(matches!(runtime.close_within(Duration::from_millis(20)), Err(CloseError::Busy { inside: 1 })));
        assert!(start.elapsed() >= Duration::from_millis(20));
        assert!(!runtime.is_closed());
        runtime.with(|current| current.upload(&[1_u8]).unwrap().to_vec(current).unwrap()).unwrap();
        leave.wait();
        assert_eq!(other.join().unwrap().unwrap(), 1024);
    });
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_11, DEV_10)]
#[test]
fn closing_waits_for_those_inside_and_lets_nobody_in() {
    let alone = alone();
    let runtime = open();
    let (inside, (leave, left)) = (&Barrier::new(2), channel::<()>());
    let runtime = &runtime;
    thread::scope(|scope| {
        scope.spawn(move || {
            runtime.with(|current| {
                inside.wait();
                left.recv_timeout(Duration::from_secs(20)).unwrap();
                mem::forget(upload(current, &current.stream().unwrap()));
            })
        });
        inside.wait();
        let closes = scope.spawn(|| runtime.close_within(Duration::from_secs(20)));
        while !runtime.is_closed() {
            thread::yield_now();
        }
        is_gone(runtime.with(|_| ()));
        // The gate is closed, and a thread is inside: a second one that closes must not take anything down.
        assert!(matches!(runtime.close(), Err(CloseError::Closing)));
        assert_lives!(contexts, 1);
        leave.send(()).unwrap();
        closes.join().unwrap().unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_11)]
#[test]
fn it_is_not_closed_from_inside() {
    let alone = alone();
    let (runtime, other) = (open(), open());
    runtime
        .with(|current| {
            assert!(matches!(runtime.close(), Err(CloseError::Refused(Error::ThreadTaken))));
            assert!(matches!(other.close(), Err(CloseError::Refused(Error::ThreadTaken))));
            assert!(matches!(runtime::sweep(None).as_slice(), [Error::ThreadTaken]));
            assert!(matches!(Runtime::<Other>::open(library()), Err(Error::ThreadTaken)));
            // On another thread it is no better: this one is inside.
            let busy = thread::scope(|scope| scope.spawn(|| runtime.close()).join().unwrap());
            assert!(matches!(busy, Err(CloseError::Busy { inside: 1 })));
            assert_eq!(current.upload(&[1_u8]).unwrap().to_vec(current).unwrap(), [1]);
        })
        .unwrap();
    runtime.close().unwrap();
    other.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_10, DEV_02, INIT_02)]
#[test]
fn each_call_of_closing_fails_once_and_is_made_up_for() {
    let alone = alone();
    for call in [
        "aclrtDestroyStream",
        "aclrtFree",
        "aclmdlUnload",
        "aclrtDestroyContext",
        "aclrtResetDevice",
        "aclFinalizeReference",
    ] {
        let runtime = open();
        let kept = runtime
            .with(|current| {
                let stream = current.stream().unwrap();
                let work = upload(current, &stream);
                (stream, work, model(current))
            })
            .unwrap();
        fail(&format!("{call}#1=507899"));
        let Err(CloseError::Teardown { errors }) = runtime.close() else { panic!("{call} did not fail") };
        assert!(errors.iter().any(|error| error.to_string().contains(call)), "{call}: {errors:?}");
        is_gone(runtime.with(|_| ()));
        nothing_fails();
        runtime.close().unwrap();
        drop(kept);
        alone.assert_nothing_lives();
    }
}

#[proves(STREAM_16, DEV_10)]
#[test]
fn work_that_does_not_end_is_kept_and_the_runtime_is_closed_later() {
    let alone = alone();
    let setup = Setup::builder().library(library()).teardown_timeout(Duration::from_millis(5)).build();
    let runtime = Runtime::<Worker>::open(setup).unwrap();
    let release = runtime.with(|current| held(current).1).unwrap();
    let before = control::live();
    let Err(error) = runtime.close() else { panic!("closed under work") };
    assert!(error.code().is_some_and(ascendcl::error::Code::is_timeout), "{error}");
    assert_eq!(control::live(), before, "nothing was taken down under work");
    release.send(()).unwrap();
    // On a machine with much to do the work ends after the limit again.
    let end = Instant::now() + Duration::from_secs(10);
    while let Err(error) = runtime.close() {
        assert!(Instant::now() < end, "{error}");
    }
    alone.assert_nothing_lives();
}

/// Closes its runtime when it is dropped.
struct Closes(Arc<Mutex<Option<Result<(), CloseError>>>>, Arc<Runtime<Worker>>);

impl Drop for Closes {
    fn drop(&mut self) {
        *self.0.lock().unwrap() = Some(self.1.close());
    }
}

#[proves(ALLOC_16)]
#[test]
fn code_that_runs_while_it_is_closed_does_not_close_it() {
    let alone = alone();
    let (runtime, told) = (Arc::new(open()), Arc::default());
    let own = Closes(Arc::clone(&told), Arc::clone(&runtime));
    mem::forget(runtime.with(|current| current.stream().unwrap().register(current, Empty(own)).unwrap()).unwrap());
    runtime.close().unwrap();
    let answer = told.lock().unwrap().take().unwrap();
    assert!(matches!(answer, Err(CloseError::Refused(_) | CloseError::Closing)), "{answer:?}");
    alone.assert_nothing_lives();
}

/// A thread that is refused at the entrance is counted there for a moment.
#[proves(DEV_10, CTX_11)]
#[test]
fn a_runtime_that_is_half_taken_down_lets_nobody_in_whoever_tries() {
    let alone = alone();
    let runtime = open();
    fail("aclrtDestroyContext=507899");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        assert!(matches!(runtime.close(), Err(CloseError::Teardown { .. })));
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    is_gone(runtime.with(|_| ()));
                }
            });
        }
        let closed: Vec<_> = (0..2000).map(|_| runtime.close()).collect();
        is_over.store(true, Ordering::Relaxed);
        let others = closed.iter().filter(|closed| !matches!(closed, Err(CloseError::Teardown { .. }))).count();
        assert_eq!(others, 0);
    });
    nothing_fails();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library refuses to destroy a graph, so everything that its tasks may use stays.
#[proves(GRAPH_05, DEV_10)]
#[test]
fn nothing_that_a_graph_may_use_ends_before_it() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let mut stream = current.stream().unwrap().without_allocator();
            let model = model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
            let relu = relu(current, current.upload_tensor(&[4], &[-1.0_f32; 4]).unwrap()).unwrap();
            let graph =
                stream.capture(current, CaptureMode::Relaxed, (model, relu), |capture, (mut model, mut relu)| {
                    capture.execute(&mut model)?;
                    capture.launch(&mut relu)
                });
            mem::forget(graph.unwrap());
            mem::forget(stream.record(current, current.event().unwrap()).unwrap());
            stream.synchronize(current).unwrap();
        })
        .unwrap();
    let before = control::live();
    fail("aclmdlRIDestroy=507899");
    assert!(matches!(runtime.close(), Err(CloseError::Teardown { .. })));
    // Its stream has ended, which a replay brings itself.
    let mut kept = before;
    kept.streams = 0;
    assert_eq!(control::live(), kept);
    nothing_fails();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
