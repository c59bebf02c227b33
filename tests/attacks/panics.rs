//! Panics at every level.

use super::{collect, in_context, inside, model, upload};
use crate::common::allocators::Empty;
use crate::common::{acl, alone, assert_lives, library};
use ascendcl::{Context, Error, Scoped, Stream, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of the panic of `program`.
#[track_caller]
pub(super) fn panic_of(program: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(program)).expect_err("it should panic");
    payload.downcast_ref::<&str>().map_or_else(|| "not text".into(), |text| (*text).to_owned())
}

struct Bomb(&'static str);

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::panic_any(self.0);
        }
    }
}

#[proves(DEV_10, CTX_09)]
#[test]
fn a_panic_at_any_level_of_nesting_takes_everything_down() {
    const LEVELS: usize = 6;
    for level in 0..LEVELS {
        let alone = alone();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        let panics_at = |here: usize| {
            if here == level {
                panic!("at its level")
            }
        };
        let message = panic_of(|| {
            let _ = device.context(&mut thread, |outer, thread| {
                panics_at(0);
                let _ = outer.enter(thread, |current| {
                    let stream = current.stream().unwrap();
                    let _copy = upload(current, &stream);
                    panics_at(1);
                    let _ = device.context(current, |inner, current| {
                        panics_at(2);
                        let _ = inner.enter(current, |current| {
                            mem::forget(model(current));
                            mem::forget(upload(current, &current.stream().unwrap()));
                            panics_at(3);
                        });
                        let _left = current.stream().unwrap();
                        panics_at(4);
                    });
                    stream.destroy(current).unwrap();
                    panics_at(5);
                });
            });
        });
        assert_eq!(message, "at its level", "{level}");
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

#[test]
fn a_captured_value_that_panics_when_it_is_dropped_takes_everything_down() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let bomb = Bomb("in a destructor");
    let message = panic_of(|| {
        let _ = device.with_current(&mut thread, move |current| {
            let _moved_in = &bomb;
            mem::forget(upload(current, &current.stream().unwrap()));
        });
    });
    assert_eq!(message, "in a destructor");
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_result_that_panics_when_it_is_dropped_does_so_outside_of_the_scope() {
    let alone = alone();
    let message = panic_of(|| {
        let _bomb = inside(|current| {
            mem::forget(current.stream().unwrap());
            Bomb("after the scope")
        });
    });
    assert_eq!(message, "after the scope");
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_panic_with_copies_in_flight_frees_nothing_early() {
    let alone = alone();
    let message = panic_of(|| {
        with_leftover_device(|current| {
            let stream = current.stream().unwrap();
            let _copies: Vec<_> = (0..50).map(|_| upload(current, &stream)).collect();
            panic!("with fifty copies in flight");
        });
    });
    assert_eq!(message, "with fifty copies in flight");
    alone.assert_nothing_lives();
}

/// As `inside`, for programs that panic: the device is left to the one who closes the library.
fn with_leftover_device(program: impl for<'c> FnOnce(&mut ascendcl::Current<Scoped<'c>>)) {
    let acl = acl();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        device.with_current(&mut thread, program).unwrap();
    }));
    acl.close().unwrap();
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn a_panic_that_is_caught_inside_leaves_the_context_usable() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let message = panic_of(|| {
            let _copy = upload(current, &stream);
            let _model = model(current);
            panic!("and caught");
        });
        assert_eq!(message, "and caught");
        upload(current, &stream).wait(current).unwrap();
        collect(current);
        assert_lives!(models, 0);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_panicking_thread_in_a_context_is_joined_before_the_context_goes() {
    let alone = alone();
    in_context(|context, thread| {
        let message = panic_of(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    let _ = context.enter(&mut thread, |current| {
                        mem::forget(upload(current, &current.stream().unwrap()));
                        panic!("on a thread");
                    });
                });
            });
        });
        assert_eq!(message, "a scoped thread panicked");
        context.enter(thread, |current| drop(current.stream().unwrap())).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_guard_that_enters_its_context_while_unwinding_finds_it_in_order() {
    struct Destroys<'t, 'c> {
        context: &'c Context<Scoped<'c>>,
        thread: &'t mut Thread,
        stream: Option<Stream<Scoped<'c>>>,
    }
    impl Drop for Destroys<'_, '_> {
        fn drop(&mut self) {
            let stream = self.stream.take().unwrap();
            self.context.enter(self.thread, |current| stream.destroy(current).unwrap()).unwrap();
        }
    }
    let alone = alone();
    with_leftover_context(|context, thread| {
        let stream = context.enter(thread, |current| current.stream().unwrap()).unwrap();
        let guard = Destroys { context, thread, stream: Some(stream) };
        let message = panic_of(|| {
            let guard = guard;
            let _ = guard.context.enter(guard.thread, |current| {
                mem::forget(current.stream().unwrap());
                panic!("while entered");
            });
        });
        assert_eq!(message, "while entered");
        assert_lives!(streams, 1, "the guard destroyed its own");
    });
    alone.assert_nothing_lives();
}

fn with_leftover_context(program: impl for<'c> FnOnce(&'c Context<Scoped<'c>>, &mut Thread)) {
    in_context(program);
}

#[proves(INIT_03, DEV_06)]
#[test]
fn a_program_that_panics_in_the_short_form_leaves_no_device_taken_and_nothing_initialised() {
    let alone = alone();
    let message = panic_of(|| {
        let _ = ascendcl::run(library(), |current| {
            mem::forget(current.stream()?);
            if current.device_id() == 0 {
                panic!("in the short form");
            }
            Ok::<_, Error>(())
        });
    });
    assert_eq!(message, "in the short form");
    alone.assert_nothing_lives();
    control::configure(ascendcl_sim::Config::new()).expect("no device is taken any more");
    let next = acl();
    assert!(!next.joined(), "the library was finalised");
    next.close().unwrap();
}

/// Panics with itself whenever it is dropped.
pub(super) struct AlwaysPanics;

impl Drop for AlwaysPanics {
    fn drop(&mut self) {
        std::panic::panic_any(Self);
    }
}

/// The allocator panics when the scope drops it, and so would the payload of its panic.
#[proves(DEV_10)]
#[test]
fn the_first_of_two_panics_continues_although_the_payload_of_the_second_panics_too() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let message = panic_of(|| {
        let _ = device.with_current(&mut thread, |current| {
            let stream = current.stream().unwrap().register(current, Empty(AlwaysPanics)).unwrap();
            mem::forget(stream);
            panic!("the program's own");
        });
    });
    assert_eq!(message, "the program's own");
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
