//! The current context of a thread after it left this crate, and contexts that foreign code makes current meanwhile.

use super::undisturbed;
use crate::common::{acl, alone};
use crate::null::{Books, books};
use ascendcl::{Error, ScopeError, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Calls, Fault, Plan, control};
use std::ffi::c_void;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};

/// What the simulator has current on this thread: the handle, or 0.
pub(super) fn current_handle() -> usize {
    let get = ascendcl_sim::resolve("aclrtGetCurrentContext").unwrap();
    let mut context = std::ptr::null_mut::<c_void>();
    // SAFETY: `transmute` asks for a value of the target type: the table gives the function this signature.
    let get: unsafe extern "C" fn(*mut *mut c_void) -> i32 = unsafe { mem::transmute(get) };
    // SAFETY: the function writes the answer to `context` during the call, which is a live local.
    unsafe { get(&raw mut context) };
    context.addr()
}

/// `aclrtSetDevice`, as code outside the crate calls it.
pub(super) fn sets_device(id: i32) {
    let set = ascendcl_sim::resolve("aclrtSetDevice").unwrap();
    // SAFETY: the function has this type.
    let set: unsafe extern "C" fn(i32) -> i32 = unsafe { mem::transmute(set) };
    // SAFETY: takes a number.
    assert_eq!(unsafe { set(id) }, 0);
}

/// The opposite.
pub(super) fn resets_device(id: i32) {
    let reset = ascendcl_sim::resolve("aclrtResetDevice").unwrap();
    // SAFETY: the function has this type.
    let reset: unsafe extern "C" fn(i32) -> i32 = unsafe { mem::transmute(reset) };
    // SAFETY: takes a number.
    assert_eq!(unsafe { reset(id) }, 0);
}

/// `aclrtSetCurrentContext`, as code outside the crate calls it.
pub(super) fn makes_current(handle: usize) {
    let set = ascendcl_sim::resolve("aclrtSetCurrentContext").unwrap();
    // SAFETY: the function has this type.
    let set: unsafe extern "C" fn(*mut c_void) -> i32 = unsafe { mem::transmute(set) };
    // SAFETY: the library looks the handle up. It is that of a live context.
    assert_eq!(unsafe { set(std::ptr::without_provenance_mut(handle)) }, 0);
}

/// A thread of a pool: it lives on when a context ends that it has worked in.
pub(super) struct Worker {
    jobs: Sender<Box<dyn FnOnce() + Send>>,
    done: Receiver<std::thread::Result<()>>,
    thread: std::thread::JoinHandle<()>,
}

impl Worker {
    pub(super) fn new() -> Self {
        let (jobs, todo) = channel::<Box<dyn FnOnce() + Send>>();
        let (tell, done) = channel();
        let thread = std::thread::spawn(move || {
            for job in todo {
                tell.send(catch_unwind(AssertUnwindSafe(job))).unwrap();
            }
        });
        Self { jobs, done, thread }
    }

    /// Runs a job there and waits for it.
    pub(super) fn run<'a>(&self, job: impl FnOnce() + Send + 'a) -> std::thread::Result<()> {
        let job: Box<dyn FnOnce() + Send + 'a> = Box::new(job);
        // SAFETY: the job is over when this function returns, so what it borrows is still there.
        let job = unsafe { mem::transmute::<Box<dyn FnOnce() + Send + 'a>, Box<dyn FnOnce() + Send>>(job) };
        self.jobs.send(job).unwrap();
        self.done.recv().unwrap()
    }

    pub(super) fn end(self) {
        drop(self.jobs);
        self.thread.join().unwrap();
    }
}

#[proves(CTX_11, CTX_14)]
#[test]
fn a_thread_that_lives_on_leaves_no_context_of_a_scope_current() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let default = current_handle();
    let worker = Worker::new();
    for round in 0..3 {
        let scope = device.context(&mut thread, |context, _| {
            let left = worker.run(|| {
                let mut thread = Thread::new().unwrap();
                let entered = context.enter(&mut thread, |current| {
                    let inner = current_handle();
                    assert_ne!(inner, default);
                    drop(current.upload(&[1_u8]).unwrap());
                    if round == 1 {
                        panic!("the program panics in the context");
                    }
                });
                entered.unwrap();
            });
            assert_eq!(left.is_err(), round == 1);
            worker.run(|| assert_eq!(current_handle(), default, "the default context is left current")).unwrap();
        });
        scope.unwrap();
    }
    device.reset(&mut thread).unwrap();
    // The thread has the default context of a device that was reset. It is not put back after the next context.
    let device = acl.device(&mut thread, 1).unwrap();
    device
        .context(&mut thread, |context, _| {
            worker
                .run(|| {
                    let mut thread = Thread::new().unwrap();
                    context.enter(&mut thread, |current| drop(current.stream().unwrap())).unwrap();
                })
                .unwrap();
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    worker.end();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_11, CTX_14)]
#[test]
fn threads_that_end_leave_no_context_of_a_scope_current() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let devices = [acl.device(&mut thread, 0).unwrap(), acl.device(&mut thread, 1).unwrap()];
    std::thread::scope(|scope| {
        for device in &devices {
            scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                // A scope of its own, one inside it, and work in both.
                let outer = device.with_current(&mut thread, |outer| {
                    drop(outer.stream().unwrap());
                    device.with_current(outer, |inner| drop(inner.stream().unwrap())).unwrap();
                });
                outer.unwrap();
            });
        }
    });
    for device in devices {
        device.reset(&mut thread).unwrap();
    }
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_08, CTX_09)]
#[test]
fn what_other_code_made_current_is_put_back_also_where_this_crate_left_the_same_context() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let (zero, one) = (acl.device(&mut thread, 0).unwrap(), acl.device(&mut thread, 1).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut thread = Thread::new().unwrap();
            zero.with_current(&mut thread, |_| ()).unwrap();
            // Other code on this thread counts on device 0, whose default context happens to be current already.
            sets_device(0);
            let chosen = current_handle();
            one.with_current(&mut thread, |_| ()).unwrap();
            assert_eq!(current_handle(), chosen);
            let third = acl.device(&mut thread, 1).unwrap();
            assert_eq!(current_handle(), chosen);
            third.reset(&mut thread).unwrap();
            assert_eq!(current_handle(), chosen);
            resets_device(0);
        });
    });
    one.reset(&mut thread).unwrap();
    zero.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_03, CTX_08, CTX_09)]
#[test]
fn a_context_of_this_crate_that_other_code_made_current_is_put_back_only_while_it_lives() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let default = current_handle();
    for ends_meanwhile in [false, true] {
        let (tell, told) = channel();
        let (end, ends) = channel::<()>();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                let scope = device.context(&mut thread, |context, thread| {
                    context.enter(thread, |_| tell.send(current_handle()).unwrap()).unwrap();
                    ends.into_iter().for_each(drop);
                });
                scope.unwrap();
            });
            let chosen = told.recv().unwrap();
            makes_current(chosen);
            let mut first = Some((first, end));
            let mut ends = || {
                let (first, end) = first.take().unwrap();
                drop(end);
                first.join().unwrap();
            };
            let second = device.with_current(&mut thread, |_| {
                if ends_meanwhile {
                    ends()
                }
            });
            second.unwrap();
            assert_eq!(current_handle(), if ends_meanwhile { default } else { chosen });
            if !ends_meanwhile {
                makes_current(default);
                ends();
            }
        });
    }
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library refuses to make another context current when the worker leaves: the context stays current there.
#[proves(CTX_11)]
#[test]
fn a_context_that_a_thread_could_not_leave_is_not_destroyed_by_another() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let worker = Worker::new();
    let scope = device.context(&mut thread, |context, _| {
        worker
            .run(|| {
                let mut thread = Thread::new().unwrap();
                let entered = context.enter(&mut thread, |current| {
                    drop(current.upload(&[1_u8]).unwrap());
                    let refused = Calls::of("aclrtSetCurrentContext").nth(1);
                    crate::begin(Plan::new().at(refused, Fault::Fails(507_899)));
                });
                entered.unwrap();
                crate::nothing_fails();
            })
            .unwrap();
    });
    let told = matches!(&scope, Err(ScopeError::Teardown { errors, .. })
        if matches!(errors.as_slice(), [Error::CurrentElsewhere { threads: 1 }]));
    assert!(told, "{scope:?}");
    let refused = device.reset(&mut thread).unwrap_err();
    assert!(matches!(refused.error, Error::ObjectsLeft { .. }), "{refused:?}");
    // The thread enters something else, and with that it has left the context.
    let device = refused.value;
    device
        .default_context(&mut thread, |context, _| {
            worker.run(|| context.enter(&mut Thread::new().unwrap(), |_| ()).unwrap()).unwrap();
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    worker.end();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Each library has its own current context: what is entered of one says nothing about the other.
#[proves(CTX_09, CTX_11)]
#[test]
fn a_context_of_a_second_library_is_left_inside_one_of_the_first() {
    let (alone, books) = (alone(), books());
    let library = second_library(&books);
    let (simulated, kept) = (acl(), books.acl());
    let mut thread = Thread::new().unwrap();
    let device = simulated.device(&mut thread, 0).unwrap();
    let other = kept.device(&mut thread, 0).unwrap();
    let default = current_of(&library);
    let scope = device.context(&mut thread, |first, thread| {
        other.context(thread, |second, _| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    let entered = first.enter(&mut thread, |current| {
                        let own = current_handle();
                        second.enter(current, |_| assert_ne!(current_of(&library), default)).unwrap();
                        assert_eq!(current_of(&library), default, "the second library's context is left");
                        assert_eq!(current_handle(), own, "the first library's is still entered");
                        assert!(current.upload(&[1_u8]).is_ok());
                    });
                    entered.unwrap();
                    assert_eq!(current_of(&library), default);
                });
            });
        })
    });
    scope.unwrap().unwrap();
    other.reset(&mut thread).unwrap();
    device.reset(&mut thread).unwrap();
    kept.close().unwrap();
    simulated.close().unwrap();
    books.assert_closed();
    alone.assert_nothing_lives();
}

/// The devices of one library are not those of another, although the numbers are the same.
#[proves(CTX_06, CTX_09)]
#[test]
fn a_second_library_that_resets_its_device_does_not_change_what_the_first_makes_current() {
    let (alone, books) = (alone(), books());
    let (simulated, kept) = (acl(), books.acl());
    let mut thread = Thread::new().unwrap();
    let first = simulated.device(&mut thread, 0).unwrap();
    let default = current_handle();
    let second = simulated.device(&mut thread, 1).unwrap();
    let scope = second.context(&mut thread, |_, _| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                kept.device(&mut thread, 0).unwrap().reset(&mut thread).unwrap();
            });
        });
    });
    scope.unwrap();
    assert_eq!(current_handle(), default, "device 0 of the first library was not reset");
    second.reset(&mut thread).unwrap();
    first.reset(&mut thread).unwrap();
    kept.close().unwrap();
    simulated.close().unwrap();
    books.assert_closed();
    alone.assert_nothing_lives();
}

/// The second library, for raw calls.
pub(super) fn second_library(books: &Books) -> libloading::Library {
    // SAFETY: it is loaded already, and has no initialisers.
    unsafe { libloading::Library::new(books.path()) }.unwrap()
}

pub(super) fn current_of(library: &libloading::Library) -> usize {
    let mut context = std::ptr::null_mut::<c_void>();
    // SAFETY: the function has this type; there is a place for the answer.
    unsafe {
        let get = library.get::<unsafe extern "C" fn(*mut *mut c_void) -> i32>("aclrtGetCurrentContext").unwrap();
        get(&raw mut context);
    }
    context.addr()
}

#[proves(CTX_11, CTX_14)]
#[test]
fn a_thread_can_leave_a_context_although_the_default_one_was_told_at_the_second_try_only() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    crate::begin(Plan::new().at(Calls::of("aclrtGetCurrentContext").nth(2), Fault::Fails(507_899)));
    let device = acl.device(&mut thread, 0).unwrap();
    assert_eq!(control::injected().len(), 1, "behind the call that set the device");
    crate::nothing_fails();
    device
        .context(&mut thread, |context, _| {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| context.enter(&mut Thread::new().unwrap(), |_| ()).unwrap());
                other.join().unwrap();
            });
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
