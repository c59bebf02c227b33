//! Nested scopes.

use super::{collect, in_context, inside, model, upload, with_device};
use crate::common::{acl, alone, assert_lives, library};
use crate::null::books;
use ascendcl::{Brand, Context, Current, Device, Error, RunError, Scoped, Thread, thread::ThreadToken};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;

#[proves(DEV_12, CTX_07, STREAM_06, STREAM_10)]
#[test]
fn scopes_on_two_devices_are_taken_down_each_on_its_own() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let (zero, one) = (acl.device(&mut thread, 0).unwrap(), acl.device(&mut thread, 1).unwrap());
    zero.with_current(&mut thread, |outer| {
        let stream = outer.stream().unwrap();
        let copy = upload(outer, &stream);
        one.with_current(outer, |inner| {
            assert_eq!(inner.device_id(), 1);
            mem::forget(upload(inner, &inner.stream().unwrap()));
            mem::forget(model(inner));
        })
        .unwrap();
        assert_lives!(streams, 1, "the inner scope is gone");
        copy.wait(outer).unwrap();
        stream.destroy(outer).unwrap();
    })
    .unwrap();
    one.reset(&mut thread).unwrap();
    zero.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_01, CTX_04, CTX_09)]
#[test]
fn ten_contexts_in_each_other_keep_apart() {
    fn nest<T: ThreadToken>(device: &Device<'_>, thread: &mut T, depth: usize) {
        device
            .context(thread, |context, thread| {
                context
                    .enter(thread, |current| {
                        let stream = current.stream().unwrap();
                        if depth > 0 {
                            nest_current(device, current, depth - 1);
                        }
                        upload(current, &stream).wait(current).unwrap();
                        mem::forget(stream);
                        collect(current);
                    })
                    .unwrap();
            })
            .unwrap();
    }
    // One type per level would never end: the inner levels all are `Current`.
    fn nest_current(device: &Device<'_>, current: &mut ascendcl::Current<impl Brand>, depth: usize) {
        nest(device, current, depth);
    }
    let alone = alone();
    with_device(acl(), |device, thread| nest(device, thread, 10));
    alone.assert_nothing_lives();
}

#[proves(DEV_06, CTX_08)]
#[test]
fn the_same_device_taken_and_given_back_inside_leaves_the_outer_context_alone() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .with_current(&mut thread, |current| {
            let stream = current.stream().unwrap();
            let copy = upload(current, &stream);
            let again = acl.device(current, 0).unwrap();
            again.with_current(current, |inner| mem::forget(inner.stream().unwrap())).unwrap();
            again.reset(current).unwrap();
            copy.wait(current).unwrap();
            stream.destroy(current).unwrap();
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(INIT_07, CTX_08)]
#[test]
fn a_library_opened_and_closed_inside_a_context_leaves_the_context_alone() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let inner = acl();
        mem::forget(inner.device(current, 1).unwrap());
        mem::forget(inner.device(current, 0).unwrap());
        inner.close().unwrap();
        upload(current, &stream).wait(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_04, CTX_09)]
#[test]
fn an_early_return_from_an_inner_scope_puts_the_outer_context_back() {
    fn fails(device: &Device<'_>, thread: &mut impl ThreadToken, step: usize) -> Result<(), Error> {
        device
            .with_current(thread, |current| {
                let stream = current.stream()?;
                if step == 0 {
                    current.device_buffer::<f64>(usize::MAX)?;
                }
                let copy = upload(current, &stream);
                if step == 1 {
                    drop(current.load_model("no/such/model")?);
                }
                let (_, target) = copy.wait(current)?;
                target.copy_to(current, &mut [0.0; 3])?;
                Ok(())
            })
            .unwrap()
    }
    let alone = alone();
    with_device(acl(), |device, thread| {
        device
            .with_current(thread, |current| {
                let stream = current.stream().unwrap();
                assert!(matches!(fails(device, current, 0), Err(Error::TooShort { .. })));
                assert!(matches!(fails(device, current, 1), Err(Error::Vendor(_))));
                assert!(matches!(fails(device, current, 2), Err(Error::LengthMismatch { .. })));
                stream.destroy(current).unwrap();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(THREAD_01)]
#[test]
fn a_second_short_form_inside_the_first_is_refused_and_leaves_the_first_alone() {
    let alone = alone();
    ascendcl::run(library(), |current| {
        let stream = current.stream()?;
        let inner = ascendcl::run(library(), |_| Ok::<_, Error>(()));
        assert!(matches!(inner, Err(RunError::Setup(Error::ThreadTaken))), "{inner:?}");
        stream.destroy(current)?;
        Ok::<_, Error>(())
    })
    .unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_thread_enters_an_outer_context_while_an_inner_one_is_current_here() {
    let alone = alone();
    with_device(acl(), |device, thread| {
        device
            .context(thread, |outer, thread| {
                device
                    .context(thread, |inner, thread| {
                        inner
                            .enter(thread, |current| {
                                let stream = current.stream().unwrap();
                                std::thread::scope(|scope| {
                                    scope.spawn(|| forgets_a_copy(outer));
                                });
                                stream.destroy(current).unwrap();
                                // The outer one is entered from inside the inner one, and left again.
                                outer.enter(current, |current| drop(current.stream().unwrap())).unwrap();
                                current.stream().unwrap().destroy(current).unwrap();
                            })
                            .unwrap();
                    })
                    .unwrap();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

fn forgets_a_copy<'c>(context: &'c Context<Scoped<'c>>) {
    let mut thread = Thread::new().unwrap();
    context.enter(&mut thread, |current| mem::forget(upload(current, &current.stream().unwrap()))).unwrap();
}

#[proves(CTX_03)]
#[test]
fn a_context_that_is_never_entered_is_destroyed() {
    let alone = alone();
    in_context(|_, _| assert_lives!(contexts, 1));
    alone.assert_nothing_lives();
}

#[proves(CTX_08, CTX_09)]
#[test]
fn contexts_of_two_libraries_in_each_other_are_put_back_each_in_its_own() {
    fn works(current: &Current<impl Brand>) {
        let filled = current.stream().unwrap().set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap();
        drop(filled.wait(current).unwrap());
    }
    let (alone, books) = (alone(), books());
    let (simulated, kept) = (acl(), books.acl());
    let mut thread = Thread::new().unwrap();
    let device = simulated.device(&mut thread, 0).unwrap();
    let other = kept.device(&mut thread, 0).unwrap();
    let outer = device.with_current(&mut thread, |current| {
        let middle = other.with_current(current, |current| {
            device.with_current(current, |current| works(current)).unwrap();
            works(current);
        });
        middle.unwrap();
        works(current);
        // Each library has been told of its own contexts only.
        assert_eq!(control::findings(), []);
        assert!(current.collect().is_empty());
    });
    outer.unwrap();
    other.reset(&mut thread).unwrap();
    device.reset(&mut thread).unwrap();
    drop(thread);
    kept.close().unwrap();
    simulated.close().unwrap();
    books.assert_closed();
    alone.assert_nothing_lives();
}
