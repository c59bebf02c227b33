//! Runtimes that are closed, dropped and swept by several threads, while others read, wait and poll.

use super::*;
use ascendcl::Pending;
use ascendcl_macros::proves;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex, OnceLock};
use std::thread;

#[proves(MEM_12, CTX_11)]
#[test]
fn slices_stay_while_other_threads_close_and_sweep() {
    let alone = alone();
    for _ in 0..8 {
        let runtime = open();
        let buffers: Vec<_> = (0..3)
            .map(|number| {
                let made = runtime.with(|current| {
                    let mut host = current.host_buffer::<u64>(4096).unwrap();
                    host.slice_mut(current).unwrap().fill(number);
                    host
                });
                (number, made.unwrap())
            })
            .collect();
        let start = Barrier::new(5);
        thread::scope(|scope| {
            for (number, host) in &buffers {
                let (start, runtime) = (&start, &runtime);
                scope.spawn(move || {
                    start.wait();
                    loop {
                        let read = runtime.with(|current| {
                            let slice = host.slice(current).unwrap();
                            thread::yield_now();
                            assert!(slice.iter().all(|element| element == number), "the memory was given to others");
                        });
                        if read.is_err() {
                            break;
                        }
                    }
                });
            }
            scope.spawn(|| {
                start.wait();
                // Without a limit it is refused while a thread is inside, and then the threads come in again.
                let refused = runtime.close();
                assert!(matches!(refused, Ok(()) | Err(CloseError::Busy { .. })), "{refused:?}");
                runtime.close_within(LONG).unwrap();
            });
            scope.spawn(|| {
                start.wait();
                // There is nothing to sweep: a runtime that is being closed is not abandoned.
                (0..20).for_each(|_| sweep());
            });
        });
        drop(buffers);
    }
    alone.assert_nothing_lives();
}

#[proves(DEV_10, MEM_02)]
#[test]
fn threads_that_sweep_take_each_dropped_runtime_down_once() {
    let alone = alone();
    let (done, start) = (AtomicBool::new(false), Barrier::new(4));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                start.wait();
                while !done.load(SeqCst) {
                    sweep();
                }
            });
        }
        start.wait();
        for _ in 0..20 {
            let runtime = open();
            let left = runtime.with(|current| {
                let stream = current.stream().unwrap();
                (upload(current, &stream), stream)
            });
            drop(runtime);
            drop(left);
        }
        done.store(true, SeqCst);
    });
    sweep();
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn futures_that_are_polled_dropped_and_forgotten_while_their_runtime_closes_end() {
    let alone = alone();
    for _ in 0..10 {
        let runtime = open();
        let (futures, release) = runtime
            .with(|current| {
                let held = stream(current);
                let release = hold(current, &held);
                let future = || upload_on(current, &held).when_done(current, &held).unwrap();
                ([future(), future(), future(), future()], release)
            })
            .unwrap();
        let [polled, cancelled, forgotten, waited] = futures;
        let start = Barrier::new(4);
        thread::scope(|scope| {
            scope.spawn(|| {
                start.wait();
                drop(finish(polled));
            });
            scope.spawn(|| {
                start.wait();
                let mut cancelled = Box::pin(cancelled);
                let mut task = std::task::Context::from_waker(std::task::Waker::noop());
                let _ = cancelled.as_mut().poll(&mut task);
                drop(cancelled);
                mem::forget(forgotten);
            });
            scope.spawn(|| {
                start.wait();
                release.send(()).unwrap();
                let pending = waited.into_pending().unwrap();
                // Either it comes to the runtime in time, or the runtime is closed.
                let waited = runtime.with(|current| drop(pending.wait(current).unwrap()));
                assert!(matches!(waited, Ok(()) | Err(Error::Gone { .. })), "{waited:?}");
            });
            start.wait();
            while let Err(error) = runtime.close_within(Duration::from_millis(1)) {
                assert!(matches!(error, CloseError::Busy { .. }), "{error}");
            }
        });
    }
    alone.assert_nothing_lives();
}

type Upload = Pending<Worker, (HostBuffer<Worker, f32>, DeviceBuffer<Worker, f32>)>;

fn upload_on(current: &Current<Worker>, stream: &Stream<Worker, DefaultAllocator>) -> Upload {
    let (host, device) = (current.host_buffer(16).unwrap(), current.device_buffer(16).unwrap());
    stream.copy_to_device(current, host, device).unwrap()
}

#[proves(DEV_10)]
#[test]
fn a_runtime_in_a_static_that_is_closed_has_values_that_do_nothing() {
    static RUNTIME: OnceLock<Arc<Runtime<Worker>>> = OnceLock::new();
    static KEPT: Mutex<Vec<HostBuffer<Worker, u8>>> = Mutex::new(Vec::new());
    let alone = alone();
    let runtime = RUNTIME.get_or_init(|| Arc::new(open()));
    mem::forget(Arc::clone(runtime));
    runtime.with(|current| KEPT.lock().unwrap().push(current.host_buffer(8).unwrap())).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
    assert!(matches!(runtime.with(|_| ()), Err(Error::Gone { .. })));
    let next = open();
    next.with(|current| {
        for host in KEPT.lock().unwrap().iter_mut() {
            is_of_another(host.slice(current).map(<[u8]>::len));
            is_of_another(host.slice_mut(current).map(|slice| slice.len()));
        }
        KEPT.lock().unwrap().clear();
        collect(current);
    })
    .unwrap();
    next.close().unwrap();
    alone.assert_nothing_lives();
}

/// The destructor of a thread's own value runs when the thread ends: it enters, waits, and drops everything.
#[proves(THREAD_01, MEM_02)]
#[test]
fn a_destructor_of_a_threads_value_enters_its_runtime_and_waits() {
    struct Service {
        work: Option<Upload>,
        runtime: Arc<Runtime<Worker>>,
        told: Sender<bool>,
    }
    impl Drop for Service {
        fn drop(&mut self) {
            let work = self.work.take();
            let waited = self.runtime.with(|current| work.is_some_and(|work| work.wait(current).is_ok()));
            let _ = self.told.send(waited.unwrap_or(false));
        }
    }
    thread_local!(static SERVICE: std::cell::RefCell<Option<Service>> = const { std::cell::RefCell::new(None) });
    let alone = alone();
    let runtime = Arc::new(open());
    let (told, tells) = channel();
    let own = Arc::clone(&runtime);
    thread::spawn(move || {
        let work = own.with(|current| Some(upload_on(current, &stream(current)))).unwrap();
        SERVICE.with(|service| *service.borrow_mut() = Some(Service { work, runtime: own, told }));
    })
    .join()
    .unwrap();
    assert!(tells.recv_timeout(LONG).unwrap());
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_10, CTX_11)]
#[test]
fn closing_in_all_ways_at_once_closes_once() {
    let alone = alone();
    for _ in 0..20 {
        let runtime = Arc::new(open());
        let left = runtime.with(|current| upload_on(current, &stream(current))).unwrap();
        let start = Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let own = Arc::clone(&runtime);
                    start.wait();
                    let closed = own.close_within(Duration::from_millis(5));
                    assert!(matches!(closed, Ok(()) | Err(CloseError::Closing)), "{closed:?}");
                });
            }
            start.wait();
            sweep();
        });
        runtime.close().unwrap();
        drop(left);
        alone.assert_nothing_lives();
    }
}
