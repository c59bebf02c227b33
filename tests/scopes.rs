//! Scopes own objects: whatever a program does with its handles, nothing leaks and nothing is used after its end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{Error, HostBuffer, Input, ScopeError, Scoped, Stream, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use common::scopes::{in_context, inside};
use common::{acl, alone, data, library};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

#[proves(STREAM_01, DEV_02, DEV_10, MEM_03, CTX_03)]
#[test]
fn forgotten_handles_are_taken_down_by_their_scope() {
    let alone = alone();
    inside(|current| {
        mem::forget(current.stream().unwrap());
        mem::forget(current.device_buffer::<f32>(16).unwrap());
        mem::forget(current.host_buffer::<u8>(16).unwrap());
        mem::forget(current.load_model(data("digits.onnx")).unwrap());
        drop(current.stream().unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(INIT_02, DEV_06)]
#[test]
fn a_forgotten_device_is_reset_when_the_library_is_closed() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    mem::forget(acl.device(&mut thread, 0).unwrap());
    drop(acl.device(&mut thread, 1).unwrap());
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_panic_takes_the_scope_down_and_goes_on() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        device.with_current(&mut thread, |current| {
            let _kept = current.stream().unwrap();
            mem::forget(current.upload(&[1.0_f32]).unwrap());
            panic!("in the program");
        })
    }));
    assert!(panicked.is_err());
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_02, MEM_13, COPY_04)]
#[test]
fn a_buffer_dropped_in_flight_outlives_its_copy() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let host = current.host_buffer::<f32>(1024).unwrap();
        let target = current.device_buffer::<f32>(1024).unwrap();
        drop(stream.copy_to_device(current, host, target).unwrap());
        // The copy may still run: collecting must leave both buffers alone.
        assert_eq!(errors(&current.collect()), "");
        assert!(ascendcl_sim::control::live().device_blocks >= 1);
        stream.synchronize(current).unwrap();
        assert_eq!(errors(&current.collect()), "");
        let live = ascendcl_sim::control::live();
        assert_eq!((live.device_blocks, live.host_blocks), (0, 0));
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_03)]
#[test]
fn pinned_buffers_come_back_with_what_was_copied() {
    let _alone = alone();
    ascendcl::run(library(), |current| {
        let stream = current.stream()?;
        let mut host = current.host_buffer::<i32>(256)?;
        host.iter_mut().zip(0..).for_each(|(element, value)| *element = value);
        let target = current.device_buffer::<i32>(256)?;
        let (mut host, filled) = stream.copy_to_device(current, host, target)?.wait(current)?;
        host.fill(-1);
        let (filled, host) = stream.copy_to_host(current, filled, host)?.wait(current)?;
        assert!(host.iter().copied().eq(0..256));
        assert_eq!(filled.to_vec(current)?, host.to_vec());
        stream.destroy(current)?;
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[proves(COPY_01)]
#[test]
fn a_copy_between_buffers_of_two_lengths_gives_both_back() {
    let _alone = alone();
    ascendcl::run(library(), |current| {
        let stream = current.stream()?;
        let host = current.host_buffer::<u8>(4)?;
        let target = current.device_buffer::<u8>(5)?;
        let failed = stream.copy_to_device(current, host, target).unwrap_err();
        assert!(matches!(failed.error, Error::LengthMismatch { expected: 4, found: 5, .. }), "{}", failed.error);
        let (host, target) = failed.value;
        host.free(current)?;
        let mut longer = target.zero(current)?;
        let of_other_length = |failed: Result<(), Error>| {
            assert!(matches!(failed, Err(Error::LengthMismatch { expected: 5, found: 4, .. })), "{failed:?}");
        };
        of_other_length(longer.copy_from(current, &[1; 4]));
        longer.copy_from(current, &[1; 5])?;
        let shared = longer.into_shared();
        of_other_length(shared.copy_to(current, &mut [0; 4]));
        let mut read = [0; 5];
        shared.copy_to(current, &mut read)?;
        assert_eq!((read, shared.is_empty()), ([1; 5], false));
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn handles_go_to_other_threads_and_are_used_there_with_their_own_proof() {
    let alone = alone();
    in_context(|context, thread| {
        let stream: Stream<Scoped<'_>> = context.enter(thread, |current| current.stream().unwrap()).unwrap();
        let (sender, receiver) = mpsc::channel::<HostBuffer<Scoped<'_>, u8>>();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                context
                    .enter(&mut thread, |current| {
                        let host = current.host_buffer::<u8>(8).unwrap();
                        let target = current.device_buffer::<u8>(8).unwrap();
                        let (host, _) = stream.copy_to_device(current, host, target).unwrap().wait(current).unwrap();
                        stream.destroy(current).unwrap();
                        sender.send(host).unwrap();
                    })
                    .unwrap();
            });
        });
        drop(receiver.recv().unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_05, CTX_08)]
#[test]
fn entering_another_context_leaves_the_outer_one_current_afterwards() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .context(&mut thread, |outer, thread| {
            device
                .context(thread, |inner, thread| {
                    outer
                        .enter(thread, |current| {
                            let stream = current.stream().unwrap();
                            let panicked = catch_unwind(AssertUnwindSafe(|| {
                                inner.enter(current, |_| panic!("in the inner context"))
                            }));
                            assert!(panicked.is_err());
                            // Taking another device, and giving it back, moves the library's current context too.
                            let other = acl.device(current, 1).unwrap();
                            stream.destroy(current).unwrap();
                            let stream = current.stream().unwrap();
                            other.reset(current).unwrap();
                            stream.destroy(current).unwrap();
                        })
                        .unwrap();
                })
                .unwrap();
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(INIT_05, INIT_07, DEV_06)]
#[test]
fn a_program_can_initialise_twice_and_take_a_device_twice() {
    let alone = alone();
    let (first, second) = (acl(), acl());
    assert!(!first.joined());
    assert!(second.joined());
    let mut thread = Thread::new().unwrap();
    let one = first.device(&mut thread, 0).unwrap();
    let two = second.device(&mut thread, 0).unwrap();
    one.reset(&mut thread).unwrap();
    two.with_current(&mut thread, |current| current.upload(&[1_u8]).unwrap().free(current).unwrap()).unwrap();
    two.reset(&mut thread).unwrap();
    first.close().unwrap();
    second.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn the_programs_result_comes_out_of_nested_scopes() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let outcome: Result<Result<u8, Error>, ScopeError<_>> =
        device.with_current(&mut thread, |current| current.upload(&[7_u8])?.to_vec(current).map(|all| all[0]));
    assert_eq!(outcome.unwrap().unwrap(), 7);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MODEL_01, DATA_06)]
#[test]
fn a_model_runs_and_unloads_on_a_thread_that_enters_its_context() {
    let alone = alone();
    in_context(|context, thread| {
        let mut model = context.enter(thread, |current| current.load_model(data("digits.onnx")).unwrap()).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                context
                    .enter(&mut thread, |current| {
                        let image = [0.0_f32; 64];
                        let outputs = model.run(current, &[Input::new(&[1, 64], &image).unwrap()]).unwrap();
                        assert_eq!(outputs.get(0).unwrap().shape(), [1, 10]);
                        model.unload(current).unwrap();
                    })
                    .unwrap();
            });
        });
    });
    alone.assert_nothing_lives();
}

fn errors(errors: &[Error]) -> String {
    errors.iter().map(Error::to_string).collect()
}

#[proves(ERR_01)]
#[test]
fn a_scope_that_failed_keeps_the_codes_and_the_texts_of_its_errors() {
    use std::error::Error as _;
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let plan = |plan: &str| control::fail(plan.parse().unwrap()).unwrap();
    plan("aclrtCreateContext#1=207018");
    let refused = device.context(&mut thread, |_, _| ()).unwrap_err();
    assert_eq!((refused.errors().len(), refused.code().map(|code| code.number())), (1, Some(207_018)));
    plan("aclrtDestroyContext#1=507899");
    let left = device.context(&mut thread, |_, _| ()).unwrap_err();
    assert_eq!(left.code().map(|code| code.number()), Some(507_899));
    // The text has those of all errors, so a report that follows the sources says nothing twice.
    assert!(left.to_string().contains(&left.errors()[0].to_string()), "{left}");
    assert!(left.source().is_none(), "{left}");
    plan("");
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
    // An owner of the error that wants no borrowed value in it.
    fn keeps(result: Result<(), ascendcl::Failed<&str>>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(result?)
    }
    let failed = || Err(ascendcl::Failed { error: Error::OtherGroup, value: "borrowed" });
    assert_eq!(keeps(failed()).unwrap_err().to_string(), Error::OtherGroup.to_string());
    assert!(matches!(ascendcl::OrDrop::or_drop(failed()), Err::<(), _>(Error::OtherGroup)));
}
