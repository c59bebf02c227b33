//! How runtimes end: closed under threads, dropped anywhere, forgotten, forked, and opened again.

mod actors;
mod answers;
mod at_random;
mod closing;
mod defaults;
mod dropping;
mod forced_anywhere;
mod forced_for_others;
mod forcing;
mod in_time;
mod lanes;
mod losses;
mod lost_to_another;
mod opening;
mod several_by_force;
mod shared_actors;
mod stopped;
mod stopping;
mod swapped;
mod swept_meanwhile;
mod views;

use super::{fail, finish, model, nothing_fails, upload};
use crate::common::{allocators::Empty, alone, library};
use ascendcl::runtime::{self, Actor, CloseError};
use ascendcl::{
    Acl, Current, Error, HostBuffer, Pending, Runtime, Setup, Stream, Thread, allocator::PoolAllocator,
    error::ObjectKind,
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
    Runtime::open(library()).unwrap()
}

#[track_caller]
fn is_gone<T>(result: Result<T, Error>) {
    let Err(error) = result else { panic!("not gone") };
    assert!(matches!(error, Error::Gone { what: ObjectKind::RUNTIME }), "{error}");
    assert_eq!(error.to_string(), "the runtime was already closed: open another one [CTX-06]");
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
    mem::forget(
        stream.launch_host_fn(current, move || released.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap(),
    );
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

/// The worker leaves the context, which stays the library's current one if nothing was before; another thread destroys
/// it.
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
        let refused = Runtime::<Worker>::open(library());
        assert!(refused.is_err_and(|error| error.to_string().contains(call)), "{call}");
        nothing_fails();
        assert_eq!(control::live(), control::Live::default(), "{call}");
    }
    let missing = Runtime::<Worker>::open(Setup::builder().library(library()).device(99).build());
    assert!(matches!(missing, Err(Error::NoSuchDevice { id: 99, .. })));
    open().close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_06, DEV_07, DEV_12)]
#[test]
fn runtimes_in_a_loop_on_two_devices_leave_nothing() {
    let alone = alone();
    for round in 0..20 {
        let on = |device| Runtime::<Worker>::open(Setup::builder().library(library()).device(device).build()).unwrap();
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
    let (host, runtime) = in_a_forked_child((host, runtime), |(host, runtime)| {
        let refused = [
            runtime.with(|_| ()).as_ref().is_err_and(is_forked),
            matches!(runtime.close(), Err(CloseError::Refused(error)) if is_forked(&error)),
            Runtime::<Worker>::open(library()).as_ref().is_err_and(is_forked),
        ];
        drop((host, runtime));
        refused.iter().all(|refused| *refused) && runtime::sweep(None).is_empty()
    });
    assert_eq!(control::live(), before);
    drop(host);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

fn is_forked(error: &Error) -> bool {
    matches!(error, Error::Forked { .. })
}

/// Runs `program` in a forked child, with values that this process keeps. It has ten seconds, and has to return true.
fn in_a_forked_child<T>(values: T, program: impl FnOnce(T) -> bool) -> T {
    // SAFETY: the child calls nothing but the code below, which allocates at most, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: sets a clock of the child, which ends the child when it hangs.
        unsafe { libc::alarm(10) };
        let is_right = program(values);
        // SAFETY: ends the child without running what belongs to the parent.
        unsafe { libc::_exit(i32::from(!is_right)) }
    }
    let mut status = 0;
    // SAFETY: waits for the child that was just made; `status` is a place for the answer.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "the child's status: {status}");
    values
}

#[proves(ALLOC_13)]
#[test]
fn a_pool_of_one_runtime_takes_no_memory_from_another() {
    let alone = alone();
    let [one, two] = [(); 2].map(|()| open());
    let stream = one.with(|current| {
        let pool = PoolAllocator::new(current, 1 << 16).unwrap();
        current.stream().unwrap().register(current, pool).map_err(Error::from).unwrap()
    });
    let stream = stream.unwrap();
    two.with(|current| {
        let before = control::live().device_blocks;
        let refused = stream.grow_pool(current, 1 << 16).unwrap_err();
        assert!(matches!(refused, Error::WrongContext { .. } | Error::AllocatorOfOtherContext { .. }), "{refused}");
        assert_eq!(control::live().device_blocks, before, "nothing was taken");
    })
    .unwrap();
    one.with(|current| stream.grow_pool(current, 1 << 16).unwrap()).unwrap();
    one.close().unwrap();
    two.close().unwrap();
    drop(stream);
    alone.assert_nothing_lives();
}
