//! Several runtimes and scopes on one thread, with panics between them.

use super::*;
use ascendcl::{Device, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;

#[proves(CTX_05, CTX_09)]
#[test]
fn a_panic_between_nested_runtimes_of_one_name_leaves_the_outer_one_current() {
    let alone = alone();
    let (outer, middle, inner) = (open(), open(), open());
    outer
        .with(|own| {
            let host = own.host_buffer::<u8>(16).unwrap();
            for panics in [false, true, false] {
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    middle.enter(own, |theirs| {
                        let caught = catch_unwind(AssertUnwindSafe(|| {
                            inner.enter(theirs, |third| {
                                is_of_another(host.slice(third).map(<[u8]>::len));
                                mem::forget(third.stream().unwrap());
                                assert!(!panics, "in the inner one");
                            })
                        }));
                        assert_eq!(caught.is_err(), panics);
                        is_of_another(host.slice(theirs).map(<[u8]>::len));
                        let device = theirs.upload(&[1_u8; 16]).unwrap();
                        assert_eq!(device.to_vec(theirs).unwrap(), [1; 16]);
                        assert!(!panics, "in the middle one");
                    })
                }));
                assert_eq!(caught.is_err(), panics);
                assert_eq!(host.slice(own).unwrap(), [0; 16]);
                own.upload(&[2_u8; 16]).unwrap().free(own).unwrap();
            }
        })
        .unwrap();
    [outer, middle, inner].iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}

#[proves(CTX_05, CTX_11)]
#[test]
fn a_runtime_entered_in_a_scope_of_a_runtime_of_its_device_keeps_apart_what_each_has() {
    let alone = alone();
    let runtime = open();
    let acl = acl();
    let program = |current: &mut Current<Worker>| {
        let device: Device<'_> = acl.device(current, 0).unwrap();
        let host = current.host_buffer::<u8>(8).unwrap();
        let scope = device.context(current, |context, current| {
            context.enter(current, |scoped| {
                let kept = scoped.upload(&[1_u8; 8]).unwrap();
                // The same runtime again, inside of the scope inside of it.
                let again = runtime.enter(scoped, |current| {
                    assert_eq!(host.slice(current).unwrap(), [0; 8]);
                    upload(current, &current.stream().unwrap()).wait(current).map(drop).unwrap();
                });
                again.unwrap();
                assert_eq!(kept.to_vec(scoped).unwrap(), [1; 8]);
            })
        });
        scope.unwrap().unwrap();
        assert_eq!(host.slice(current).unwrap(), [0; 8]);
        device.reset(current).unwrap();
        let error = runtime.close().unwrap_err();
        assert!(matches!(error, CloseError::Refused(Error::ThreadTaken)), "{error}");
    };
    runtime.with(program).unwrap();
    acl.close().unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(THREAD_01)]
#[test]
fn a_token_that_was_forgotten_in_a_panic_leaves_other_threads_and_the_sweep_alone() {
    let alone = alone();
    let runtime = open();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let thread = Thread::new().unwrap();
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _held = mem::ManuallyDrop::new(thread);
                panic!("with the token");
            }));
            assert!(caught.is_err());
            assert!(matches!(runtime.with(|_| ()), Err(Error::ThreadTaken)));
            assert!(matches!(runtime.close(), Err(CloseError::Refused(Error::ThreadTaken))));
            assert!(matches!(runtime::sweep(None).as_slice(), [Error::ThreadTaken]));
        });
    });
    runtime.with(|current| drop(current.stream().unwrap())).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_06, STREAM_09)]
#[test]
fn what_was_made_in_a_context_that_could_not_be_entered_again_is_still_taken_down() {
    let alone = alone();
    let runtime = open();
    let kept = runtime.with(|current| (stream(current), current.host_buffer::<u8>(8).unwrap())).unwrap();
    fail("aclrtSetCurrentContext#1=107003");
    let refused = runtime.with(|_| panic!("it is not current"));
    assert!(matches!(refused, Err(Error::Vendor(_))), "{refused:?}");
    nothing_fails();
    // The thread's token is there again.
    runtime.with(|current| collect(current)).unwrap();
    drop(kept);
    runtime.close().unwrap();
    assert_eq!(control::live().contexts, 0);
    alone.assert_nothing_lives();
}

#[proves(CTX_05)]
#[test]
fn a_runtime_is_opened_inside_another_one_only_after_it() {
    let alone = alone();
    let runtime = open();
    let opened = runtime.with(|_| Runtime::<Worker>::open(library()).map(drop));
    assert!(matches!(opened, Ok(Err(Error::ThreadTaken))), "{opened:?}");
    // A destructor that opens one while a panic leaves the runtime finds the thread's token taken, too.
    struct Opens;
    impl Drop for Opens {
        fn drop(&mut self) {
            assert!(matches!(Runtime::<Worker>::open(library()), Err(Error::ThreadTaken)));
        }
    }
    let caught = catch_unwind(AssertUnwindSafe(|| {
        runtime.with(|_| {
            let _opens = Opens;
            panic!("inside")
        })
    }));
    assert!(caught.is_err());
    let other = open();
    other.with(|current| drop(current.stream().unwrap())).unwrap();
    other.close().unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
