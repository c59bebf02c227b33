//! How runtimes end: closed under threads, dropped anywhere, forgotten, forked, and opened again.

use super::{fail, finish, model, nothing_fails, upload};
use crate::common::alone;
use ascendcl::runtime::{self, Actor, CloseError};
use ascendcl::{
    ContextId, Current, DeviceAddress, DeviceAllocator, Error, HostBuffer, Library, ObjectKind, Pending, Runtime,
    Setup, Stream, Thread,
};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::cell::RefCell;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

ascendcl::names!(Worker, Other);

fn open() -> Runtime<Worker> {
    Runtime::open(Library::Simulator).unwrap()
}

#[track_caller]
fn is_gone<T>(result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::Gone { what: ObjectKind::RUNTIME })), "not gone");
}

/// Nothing is left of runtimes that were dropped.
#[track_caller]
fn sweep() {
    let errors: Vec<_> = runtime::sweep(Some(Duration::from_secs(10))).iter().map(Error::to_string).collect();
    assert_eq!(errors, [""; 0]);
}

/// A stream that works until something is sent.
fn held(current: &Current<Worker>) -> (Stream<Worker>, std::sync::mpsc::Sender<()>) {
    let (release, released) = channel::<()>();
    let stream = current.stream().unwrap();
    mem::forget(stream.call_back(current, move || released.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
    (stream, release)
}

#[proves(CTX_06, STREAM_08, MEM_02)]
#[test]
fn what_outlives_a_closed_runtime_does_nothing() {
    let alone = alone();
    let runtime = open();
    let (stream, work, digits, host) = runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            let work = upload(current, &stream);
            (stream, work, model(current), current.host_buffer::<f32>(4).unwrap())
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
    assert!(runtime.is_closed());
    is_gone(runtime.with(|_| ()));
    is_gone(runtime.enter(&mut Thread::new().unwrap(), |_| ()));
    // What needs no library can still be asked.
    assert_eq!((host.len(), digits.outputs().len()), (4, 1));
    runtime.close().unwrap();
    drop((stream, work, digits, host));
    alone.assert_nothing_lives();
}

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
        assert!(matches!(runtime.close(), Err(CloseError::Busy { inside: 1 })));
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
        assert_eq!(control::live().contexts, 1);
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
            assert!(matches!(Runtime::<Other>::open(Library::Simulator), Err(Error::ThreadTaken)));
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
    assert!(start.elapsed() < Duration::from_secs(1), "a drop waited");
    assert_eq!(control::live(), before, "a drop called the library");
    // The next runtime does not wait for it, either.
    let start = Instant::now();
    let next = open();
    assert!(start.elapsed() < Duration::from_secs(10), "opening waited");
    assert_eq!(control::live().contexts, 2);
    release.send(()).unwrap();
    sweep();
    assert_eq!(control::live().contexts, 1);
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
    assert_eq!(control::live().contexts, 1);
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
        mem::forget(stream.call_back(current, callback).unwrap());
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
    let (outer, inner) = (open(), Runtime::<Other>::open(Library::Simulator).unwrap());
    outer
        .with(|current| {
            inner.enter(current, |current| mem::forget(upload(current, &current.stream().unwrap()))).unwrap();
            drop(inner);
            assert_eq!(current.upload(&[1_u8]).unwrap().to_vec(current).unwrap(), [1]);
        })
        .unwrap();
    sweep();
    assert_eq!(control::live().contexts, 1);
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

/// The worker leaves the context, which stays the library's current one if nothing was before; another thread destroys it.
#[proves(CTX_11, CTX_14)]
#[test]
fn a_context_that_a_thread_has_left_is_not_made_current_there_again() {
    let alone = alone();
    let (first, second) = (open(), open());
    let (leave, closed) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|scope| {
        scope.spawn(|| {
            first.with(|current| drop(current.stream().unwrap())).unwrap();
            leave.wait();
            closed.wait();
            let third = open();
            for runtime in [&second, &third, &second] {
                runtime
                    .with(|current| drop(upload(current, &current.stream().unwrap()).wait(current).unwrap()))
                    .unwrap();
            }
            third.close().unwrap();
        });
        leave.wait();
        first.close().unwrap();
        closed.wait();
    });
    second.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_future_of_a_runtime_that_is_closed_ends() {
    let alone = alone();
    let runtime = open();
    let (done, release) = runtime
        .with(|current| {
            let (stream, release) = held(current);
            (upload(current, &stream).when_done(current, &stream).unwrap(), release)
        })
        .unwrap();
    thread::scope(|scope| {
        let waits = scope.spawn(|| finish(done));
        thread::sleep(Duration::from_millis(20));
        release.send(()).unwrap();
        runtime.close().unwrap();
        drop(waits.join().unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, STREAM_05)]
#[test]
fn futures_are_forgotten_on_other_threads() {
    let alone = alone();
    let runtime = Arc::new(open());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let runtime = Arc::clone(&runtime);
            thread::spawn(move || {
                let done = runtime
                    .with(|current| {
                        let stream = current.stream().unwrap();
                        let done = upload(current, &stream).when_done(current, &stream).unwrap();
                        mem::forget(stream);
                        done
                    })
                    .unwrap();
                mem::forget(done);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(INIT_08, DEV_06, CTX_01)]
#[test]
fn each_call_of_opening_fails_once_and_leaves_nothing() {
    let alone = alone();
    let calls = ["aclInit", "aclrtGetDeviceCount", "aclrtGetRunMode", "aclrtSetDevice", "aclrtCreateContext"];
    for call in calls {
        fail(&format!("{call}#1=507899"));
        let refused = Runtime::<Worker>::open(Library::Simulator);
        assert!(refused.is_err_and(|error| error.to_string().contains(call)), "{call}");
        nothing_fails();
        assert_eq!(control::live(), control::Live::default(), "{call}");
    }
    let missing = Runtime::<Worker>::open(Setup::builder().library(Library::Simulator).device(99).build());
    assert!(matches!(missing, Err(Error::NoSuchDevice { id: 99, .. })));
    open().close().unwrap();
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
    let setup = Setup::builder().library(Library::Simulator).patience(Duration::from_millis(5)).build();
    let runtime = Runtime::<Worker>::open(setup).unwrap();
    let release = runtime.with(|current| held(current).1).unwrap();
    let before = control::live();
    let Err(error) = runtime.close() else { panic!("closed under work") };
    assert!(error.code().is_some_and(ascendcl::Code::is_timeout), "{error}");
    assert_eq!(control::live(), before, "nothing was taken down under work");
    release.send(()).unwrap();
    runtime.close_within(Duration::from_secs(10)).or_else(|_| runtime.close()).unwrap();
    alone.assert_nothing_lives();
}

/// Hands out nothing; closes its runtime when it is dropped.
struct Closes(Arc<Mutex<Option<Result<(), CloseError>>>>, Arc<Runtime<Worker>>);

// SAFETY: it hands out no memory.
unsafe impl DeviceAllocator for Closes {
    type Block = DeviceAddress;

    fn allocate(&self, _: usize) -> Option<DeviceAddress> {
        None
    }

    fn address(&self, block: &DeviceAddress) -> DeviceAddress {
        *block
    }

    fn free(&self, _: DeviceAddress) {}

    fn serves(&self, _: ContextId) -> bool {
        true
    }
}

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
    mem::forget(runtime.with(|current| current.stream().unwrap().register(current, own).unwrap()).unwrap());
    runtime.close().unwrap();
    let answer = told.lock().unwrap().take().unwrap();
    assert!(matches!(answer, Err(CloseError::Refused(_) | CloseError::Closing)), "{answer:?}");
    alone.assert_nothing_lives();
}

#[proves(DEV_06, DEV_07, DEV_12)]
#[test]
fn runtimes_in_a_loop_on_two_devices_leave_nothing() {
    let alone = alone();
    for round in 0..20 {
        let on = |device| {
            Runtime::<Worker>::open(Setup::builder().library(Library::Simulator).device(device).build()).unwrap()
        };
        let workers = [on(0), on(1), on(0)];
        let sums = thread::scope(|scope| {
            let threads = workers.each_ref().map(|runtime| {
                scope.spawn(|| {
                    let double = |current: &mut Current<Worker>| {
                        let buffer = current.upload(&[round as f32; 16]).unwrap();
                        assert_eq!(current.device_id(), runtime.device_id());
                        buffer.to_vec(current).unwrap().iter().sum::<f32>()
                    };
                    runtime.with(double).unwrap()
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        assert_eq!(sums, [16.0 * round as f32; 3]);
        let [first, second, third] = workers;
        match round % 3 {
            0 => drop((third, first, second)),
            1 => [&second, &first, &third].into_iter().for_each(|runtime| runtime.close().unwrap()),
            _ => {
                first.close().unwrap();
                drop(second);
                third.close().unwrap();
            }
        }
    }
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
    assert_eq!(control::live().contexts, 1, "the forgotten one is there, as long as the process is");
    drop(alone);
}

/// A slice of a host buffer keeps its thread inside, and the thread keeps the context.
#[proves(MEM_12)]
#[test]
fn memory_of_the_host_is_not_unmapped_under_a_slice() {
    let alone = alone();
    let runtime = open();
    let host: HostBuffer<Worker, u32> = runtime
        .with(|current| {
            let mut host = current.host_buffer(1024).unwrap();
            host.slice_mut(current).unwrap().fill(7);
            host
        })
        .unwrap();
    let sum = runtime.with(|current| {
        let numbers = host.slice(current).unwrap();
        let closed = thread::scope(|scope| scope.spawn(|| runtime.close()).join().unwrap());
        assert!(matches!(closed, Err(CloseError::Busy { inside: 1 })));
        numbers.iter().sum::<u32>()
    });
    assert_eq!(sum.unwrap(), 7 * 1024);
    runtime.close().unwrap();
    assert_eq!(host.len(), 1024);
    drop(host);
    alone.assert_nothing_lives();
}

#[proves(THREAD_03, STREAM_04)]
#[test]
fn work_in_flight_goes_to_another_thread_and_is_waited_for_there() {
    let alone = alone();
    let runtime = open();
    let (stream, work): (_, Pending<Worker, _>) = runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            let work = upload(current, &stream);
            (stream, work)
        })
        .unwrap();
    let (host, device) = thread::scope(|scope| {
        scope.spawn(|| runtime.with(|current| work.wait(current).unwrap()).unwrap()).join().unwrap()
    });
    runtime
        .with(|current| {
            device.free(current).unwrap();
            host.free(current).unwrap();
            stream.destroy(current).unwrap();
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(THREAD_05)]
#[test]
fn a_forked_child_neither_enters_closes_nor_drops_a_runtime() {
    let alone = alone();
    let runtime = open();
    let host = runtime.with(|current| current.host_buffer::<u8>(4).unwrap()).unwrap();
    let before = control::live();
    // SAFETY: the child calls nothing but the code below, which allocates at most, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let forked = |error: &Error| matches!(error, Error::Forked { .. });
        let refused = [
            runtime.with(|_| ()).as_ref().is_err_and(forked),
            matches!(runtime.close(), Err(CloseError::Refused(error)) if forked(&error)),
            Runtime::<Worker>::open(Library::Simulator).as_ref().is_err_and(forked),
        ];
        drop((host, runtime));
        let wrong = refused.iter().filter(|refused| !**refused).count();
        // SAFETY: ends the child without running what belongs to the parent.
        unsafe { libc::_exit(i32::try_from(wrong).unwrap_or(100)) }
    }
    let mut status = 0;
    // SAFETY: waits for the child that was just made; `status` is a place for the answer.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "the child's status: {status}");
    assert_eq!(control::live(), before);
    drop(host);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn an_actor_serves_calls_survives_their_panics_and_closes() {
    let alone = alone();
    let actor = Actor::<Worker, _>::open(Library::Simulator, |current| Ok((current.stream()?, 0_usize))).unwrap();
    let call = || {
        actor.call(|current, (stream, calls)| {
            drop(upload(current, stream).wait(current).unwrap());
            *calls += 1;
            *calls
        })
    };
    let calls: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..5).map(|_| call().unwrap()).max())).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(calls.into_iter().max(), Some(20));
    let caught = catch_unwind(AssertUnwindSafe(|| actor.call::<()>(|_, _| panic!("in a call"))));
    assert!(caught.is_err());
    assert_eq!(actor.call(|_, (_, calls)| *calls).unwrap(), 20);
    actor.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ALLOC_18)]
#[test]
fn an_actor_does_not_wait_for_itself_nor_in_a_callback() {
    let alone = alone();
    let open = || Arc::new(Actor::<Worker, ()>::open(Library::Simulator, |_| Ok(())).unwrap());
    let (actor, other) = (open(), open());
    let own = Arc::clone(&actor);
    let told = actor.call(move |_, ()| {
        let called = own.call(|_, ()| ());
        let closed = Arc::into_inner(own).map(Actor::close);
        (called, closed.is_none())
    });
    assert!(matches!(told, Ok((Err(Error::ThreadTaken), true))), "{told:?}");
    let within = Arc::clone(&other);
    let refused = actor.call(move |current, ()| {
        let stream = current.stream().unwrap();
        let told = stream.call_back(current, move || within.call(|_, ()| ()).is_err()).unwrap();
        told.wait(current).unwrap().into_result().unwrap()
    });
    assert!(refused.unwrap());
    Arc::into_inner(actor).unwrap().close().unwrap();
    Arc::into_inner(other).unwrap().close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn an_actor_that_cannot_be_opened_leaves_nothing_and_one_that_is_dropped_ends() {
    let alone = alone();
    let refused = Actor::<Worker, ()>::open(Library::Simulator, |current| {
        mem::forget(current.stream()?);
        Err(Error::NotExecuted)
    });
    assert!(matches!(refused, Err(Error::NotExecuted)));
    sweep();
    let start = Instant::now();
    drop(Actor::<Worker, _>::open(Library::Simulator, |current| current.stream()).unwrap());
    while control::live() != control::Live::default() && start.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(1));
    }
    alone.assert_nothing_lives();
}
