//! Forked processes: the child cannot use the library, and every call says so.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;

use ascendcl::{Acl, Error, Library, ScopeError, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Calls, Fault, Plan, control};
use common::scopes::in_context;
use common::{acl, alone};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

#[proves(THREAD_05)]
#[test]
fn a_forked_child_cannot_use_the_library_and_the_parent_goes_on() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let forked = |error: &Error| matches!(error, Error::Forked { loaded_in, here } if loaded_in != here);
    let outcome = device.context(&mut thread, |context, thread| {
        // SAFETY: the child calls nothing but the code below, which allocates at most, and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let refused = [
                acl.device_count().as_ref().is_err_and(forked),
                acl.device(thread, 1).as_ref().is_err_and(forked),
                context.enter(thread, |_| ()).as_ref().is_err_and(forked),
                Acl::init(Library::Simulator).as_ref().is_err_and(forked),
                matches!(device.context(thread, |_, _| ()), Err(ScopeError::NotOpened(error)) if forked(&error)),
            ];
            let wrong = refused.iter().filter(|refused| !**refused).count();
            // SAFETY: ends the child without running what belongs to the parent.
            unsafe { libc::_exit(i32::try_from(wrong).unwrap_or(100)) }
        }
        let mut status = 0;
        // SAFETY: waits for the child that was just made; `status` is a place for the answer.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "the child's status: {status}");
        context.enter(thread, |current| current.upload(&[1_u8]).unwrap().to_vec(current).unwrap()).unwrap()
    });
    assert_eq!(outcome.unwrap(), [1]);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_thread_may_end_inside_a_context_and_its_scope_goes_on() {
    let alone = alone();
    in_context(|context, thread| {
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                context.enter(&mut thread, |current| {
                    std::mem::forget(current.stream().unwrap());
                    std::mem::forget(current.upload(&[0_u8; 64]).unwrap());
                    panic!("the thread ends here, with the context current");
                })
            });
            assert!(ended.join().is_err());
        });
        context.enter(thread, |current| current.stream().unwrap().destroy(current).unwrap()).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Runs an expression in a forked child, which has two seconds for it, and tells what became of the child. What the
/// expression consumes stays with the parent: the child has its own copy of it.
macro_rules! in_child {
    ($expected:expr) => {{
        // SAFETY: the child has the memory of this thread alone; it runs the expression and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let as_expected = catch_unwind(AssertUnwindSafe(|| $expected)).unwrap_or(false);
            // SAFETY: ends the child without running what belongs to the parent.
            unsafe { libc::_exit(if as_expected { 0 } else { 1 }) }
        }
        ending_of(child)
    }};
}

mod exits;
mod futures;
mod locks;
mod objects;

/// "refused" when the child's expression was true, else what happened instead.
fn ending_of(child: libc::pid_t) -> &'static str {
    let (mut status, begun) = (0, Instant::now());
    loop {
        // SAFETY: asks for the state of the child that was just made; `status` is a place for the answer.
        match unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } {
            0 if begun.elapsed() < Duration::from_secs(30) => std::thread::sleep(Duration::from_millis(1)),
            0 => {
                // SAFETY: ends the child that was made above, and takes its state.
                unsafe {
                    libc::kill(child, libc::SIGKILL);
                    libc::waitpid(child, &raw mut status, 0);
                }
                return "it hung";
            }
            _ if libc::WIFSIGNALED(status) => return "it crashed",
            _ if libc::WEXITSTATUS(status) == 0 => return "refused",
            _ => return "it was not refused",
        }
    }
}

/// A plan under which nothing goes wrong: while one holds, calls are counted.
fn that_counts() -> Plan {
    Plan::new().at(Calls::of("aclrtGetDeviceCount").nth(u64::MAX), Fault::Fails(1))
}

fn is_forked<E: Into<Error>>(refused: Result<impl Sized, E>) -> bool {
    refused.is_err_and(|error| matches!(error.into(), Error::Forked { .. }))
}

/// Each call in a child of its own; what became of those that were not refused.
#[expect(clippy::too_many_lines, reason = "a table: one line per call")]
fn calls_in_children(
    acl: &Acl,
    thread: &mut Thread,
    model: Option<&std::path::Path>,
    total: &dyn Fn() -> u64,
) -> Vec<String> {
    let mut wrong = Vec::new();
    macro_rules! refused {
        ($($what:literal: $call:expr;)+) => { $({
            let before = total();
            let outcome = in_child!(is_forked($call) && total() == before);
            if outcome != "refused" {
                wrong.push(format!("{}: {outcome}", $what));
            }
        })+ };
    }
    let device = acl.device(thread, 0).unwrap();
    let scope = device.context(thread, |context, thread| {
        let entered = context.enter(thread, |current| {
            let (mut stream, event) = (current.stream().unwrap(), current.event().unwrap());
            let (idle, mut host) = (current.upload(&[7_u8; 64]).unwrap(), current.host_buffer::<u8>(64).unwrap());
            host.fill(3);
            let (mut busy, unset) = (current.upload(&[7_u8; 64]).unwrap(), current.device_buffer::<u8>(64).unwrap());
            let pending = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
            let (other, kept) = (current.stream().unwrap(), current.stream().unwrap().keep());
            let recorded = other.record(current, current.event().unwrap()).unwrap();
            let mut model = model.map(|file| current.load_model(file).unwrap());
            let (pageable, small) = (current.pageable_buffer(vec![1_u8; 64]), common::data("digits-8.onnx"));
            let weights = model.as_ref().map(|_| current.weights(ascendcl::model::ModelSource::file(&small)).unwrap());
            let done = other.set_bytes(current, current.upload(&[0_u8; 64]).unwrap(), 1).unwrap();
            other.synchronize(current).unwrap();
            refused! {
                "to_vec": idle.to_vec(current);
                "copy_from": busy.copy_from(current, &[1; 64]);
                "copy_to": idle.copy_to(current, &mut [0; 64]);
                "zero": unset.zero(current);
                "free": idle.free(current);
                "free of pinned memory": host.free(current);
                "free of a vector's memory": pageable.free(current);
                "set_bytes": stream.set_bytes(current, busy, 2);
                "record": stream.record(current, event);
                "destroy of an event": recorded.destroy(current);
                "wait for an event": recorded.synchronize(current);
                "wait for an event within a second": recorded.synchronize_within(current, Duration::from_secs(1));
                "state of an event": recorded.is_complete(current);
                "wait": pending.wait(current);
                "wait within a second": pending.wait_within(current, Duration::from_secs(1));
                "is_complete of what is done": done.is_complete(current);
                "wait for what is done": done.wait(current);
                "is_complete": pending.is_complete(current);
                "future": pending.into_future(current, &mut stream).map(drop);
                "synchronize": stream.synchronize(current);
                "synchronize of the context": current.synchronize();
                "synchronize within a second": current.synchronize_within(Duration::from_secs(1));
                "callback": stream.launch_host_fn(current, || 1);
                "handle of a stream": other.with_raw(current, |_| ());
                "handle of a kept stream": kept.with_raw(|_| ());
                "lend of a kept stream": kept.lend(current);
                "destroy of a stream": stream.destroy(current);
                "stream": current.stream();
                "event": current.event();
                "default stream": current.default_stream().synchronize(current);
                "device buffer": current.device_buffer::<u8>(4);
                "host buffer": current.host_buffer::<u8>(4);
                "memory": current.memory_info();
                "lend": current.copy_scope(|current, copies| {
                    copies.copy_to_device(current, &stream, &[1_u8; 64], busy).map(drop).map_err(Error::from)
                }).and_then(|result| result);
                "weights": current.weights(ascendcl::model::ModelSource::file("no/such/model"));
                "load": current.load_model("no/such/model");
                "load onto weights": {
                    let mut load = ascendcl::model::Load::from(ascendcl::model::ModelSource::file("no/such/model"));
                    load.weights.clone_from(&weights);
                    current.load(load)
                };
                "collect": current.collect().into_iter().next().map_or(Ok(()), Err);
                "device count": acl.device_count();
                "device": acl.device(current, 1);
                "another context": device.with_current(current, |_| ()).map_err(|error| match error {
                    ScopeError::NotOpened(error) => error,
                    ScopeError::Teardown { mut errors, .. } => errors.remove(0),
                });
                "enter": context.enter(current, |_| ());
            }
            if let Some(model) = &mut model {
                let pixels = [0.0_f32; 64];
                refused! {
                    "run": model.run(current, &[ascendcl::Input::new(&[1, 64], &pixels).unwrap()]);
                }
            }
            if let Some(model) = model {
                refused! { "unload": model.unload(current); }
            }
            drop((stream, other));
        });
        entered.unwrap();
    });
    scope.unwrap();
    device.reset(thread).unwrap();
    wrong
}

#[proves(THREAD_05)]
#[test]
fn every_call_of_a_forked_child_is_refused_before_it_reaches_the_library() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    control::fail(that_counts()).unwrap();
    let wrong = calls_in_children(&acl, &mut thread, Some(&common::data("digits.onnx")), &control::calls);
    assert_eq!(wrong, [""; 0]);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(THREAD_05)]
#[test]
fn scopes_that_end_in_a_forked_child_leave_the_library_alone() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let mut device = acl.device(&mut thread, 0).unwrap();
    control::fail(that_counts()).unwrap();
    let mut before = 0;
    let mut child = 0;
    let ended = device.context(&mut thread, |context, thread| {
        context
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                std::mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
                std::mem::forget(current.upload(&[1_u8; 64]).unwrap());
                before = control::calls();
                // SAFETY: the child runs the ends of the scopes below, and leaves by `_exit`.
                child = unsafe { libc::fork() };
            })
            .unwrap();
    });
    if child == 0 {
        let told = matches!(&ended, Err(ScopeError::Teardown { errors, .. })
            if matches!(errors.as_slice(), [Error::Forked { .. }]));
        device = match device.reset(&mut thread) {
            Err(failed) if matches!(failed.error, Error::Forked { .. }) => failed.value,
            // SAFETY: ends the child.
            _ => unsafe { libc::_exit(2) },
        };
        drop(device);
        let closed = is_forked(acl.close());
        let silent = control::calls() == before;
        // SAFETY: ends the child.
        unsafe { libc::_exit(if told && closed && silent { 0 } else { 1 }) }
    }
    assert_eq!(ending_of(child), "refused");
    ended.unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// A thread is inside calls, turns and locks of the crate while the process forks: the child does not wait for it.
#[proves(THREAD_05)]
#[test]
fn a_forked_child_does_not_wait_for_what_threads_of_its_parent_hold() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.context(&mut thread, |context, thread| {
        let (open, opened) = std::sync::mpsc::channel::<()>();
        let (waits, is_waiting) = std::sync::mpsc::channel();
        let entered = context.enter(thread, |current| {
            let stream = current.stream().unwrap();
            let held = stream.launch_host_fn(current, move || opened.recv().is_ok()).unwrap();
            let event = stream.record(current, current.event().unwrap()).unwrap();
            std::thread::scope(|scope| {
                let event = &event;
                scope.spawn(move || {
                    let mut thread = Thread::new().unwrap();
                    context
                        .enter(&mut thread, |current| {
                            waits.send(()).unwrap();
                            event.synchronize(current).unwrap();
                        })
                        .unwrap();
                });
                is_waiting.recv().unwrap();
                std::thread::sleep(Duration::from_millis(20));
                let waits = in_child!(is_forked(stream.synchronize(current)));
                let reply = in_child!(is_forked(held.wait(current)));
                let collects = in_child!(is_forked(current.collect().into_iter().next().map_or(Ok(()), Err)));
                let stream = in_child!(is_forked(stream.destroy(current)));
                let limited = in_child!(is_forked(event.synchronize_within(current, Duration::from_millis(1))));
                open.send(()).unwrap();
                assert_eq!([waits, reply, collects, stream, limited], ["refused"; 5]);
            });
            assert_eq!(in_child!(is_forked(event.destroy(current))), "refused");
        });
        entered.unwrap();
    });
    scope.unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The variable is read when the library is loaded: the test below runs in a process of its own.
#[proves(CTX_05)]
#[test]
fn calls_are_verified_where_the_environment_says_so() {
    for (value, verifies) in [("1", true), ("0", false), ("", false)] {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--nocapture", "--exact", "--ignored", "in_a_process_of_its_own_the_context_is_changed"])
            .env("ASCENDCL_VERIFY_CURRENT", value)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(said.contains(&format!("found at the next call: {verifies}")), "{value}: {said}");
        assert!(said.contains("1 passed"), "{value}: {said}");
    }
}

#[test]
#[ignore = "says what the environment has it find"]
fn in_a_process_of_its_own_the_context_is_changed() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let entered = device.with_current(&mut thread, |current| {
        let set = ascendcl_sim::resolve("aclrtSetDevice").unwrap();
        // SAFETY: the function has this type, and takes a number.
        let code = unsafe { std::mem::transmute::<std::ptr::NonNull<_>, unsafe extern "C" fn(i32) -> i32>(set)(1) };
        assert_eq!(code, 0);
        matches!(current.upload(&[1_u8]), Err(Error::CurrentChanged { .. }))
    });
    // Nobody resets the device that the other code has set.
    ascendcl_sim::control::take_findings();
    drop(alone);
    println!("found at the next call: {}", entered.unwrap());
}

/// `fork` by its system call, which runs no handlers of the C library.
#[proves(THREAD_05)]
#[test]
fn a_child_that_the_system_call_made_is_refused_too() {
    let (alone, acl) = (alone(), acl());
    // SAFETY: the child asks the safe layer and leaves by `_exit`.
    let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    assert!(child >= 0);
    if child == 0 {
        let code = if is_forked(acl.device_count()) { 0 } else { 1 };
        // SAFETY: ends the child.
        unsafe { libc::_exit(code) }
    }
    assert_eq!(ending_of(child as libc::pid_t), "refused");
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
