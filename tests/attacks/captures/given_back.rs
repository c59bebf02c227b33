//! Operands of a failed capture that come back to the program before the library has destroyed the capture's instance.

use super::groups::operator;
use super::*;
use crate::common::{assert_lives, library};
use crate::nothing_fails;
use ascendcl::memory::Pages;
use ascendcl::{Failed, Runtime, SharedBuffer};
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Barrier;

ascendcl::names!(Refused);

/// What keeps an instance, or the open capture before it: for good, and twice.
pub(super) const REFUSALS: [(&str, &str); 2] = [
    ("aclmdlRIDestroy=507899", "aclmdlRIDestroy#1=507899,aclmdlRIDestroy#2=507899"),
    (
        "aclmdlRICaptureEnd=507899",
        "aclmdlRICaptureEnd#1=507899,aclmdlRICaptureEnd#2=507899,aclmdlRICaptureEnd#3=507899",
    ),
];

/// The operands of a capture that the program gave up, and whose instance the library keeps by this plan.
fn given_back<C: Brand>(current: &mut Current<C>, own: &mut Stream<C, DefaultAllocator>, plan: &str) -> Io<C> {
    // An instance that ends at once is none that is kept.
    drop(own.capture(current, CaptureMode::Relaxed, (), |_, ()| Err::<(), _>(Error::NotExecuted)).unwrap_err());
    let operands = io(current);
    fail(plan);
    let refused = own.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, _)| {
        capture.copy_to_device(&input, &mut device)?;
        Err(Error::NotExecuted)
    });
    refused.unwrap_err().value
}

/// The call that the error names.
#[track_caller]
pub(super) fn assert_refused<T>(failed: Result<T, Failed<impl Sized>>, plan: &str) {
    let Err(failed) = failed else { panic!("{plan}: it ended before the instance") };
    let Error::Vendor(error) = &failed.error else { panic!("{plan}: {}", failed.error) };
    assert!(plan.starts_with(error.call), "{plan}: {error}");
}

#[proves(GRAPH_05)]
#[test]
fn operands_are_freed_after_the_instance_also_when_the_library_refuses_twice() {
    let alone = alone();
    inside(|current| {
        for (_, twice) in REFUSALS {
            let mut own = stream(current);
            let (input, device, output) = given_back(current, &mut own, twice);
            device.free(current).unwrap();
            assert_lives!(streams, 1, "{twice}");
            input.free(current).unwrap();
            output.free(current).unwrap();
            nothing_fails();
            own.destroy(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05)]
#[test]
fn memory_is_kept_as_long_as_the_library_refuses_and_other_memory_is_freed() {
    let alone = alone();
    inside(|current| {
        for (always, _) in REFUSALS {
            let mut own = stream(current);
            let (input, mut device, output) = given_back(current, &mut own, always);
            let other = stream(current);
            current.upload(&[1_u8]).unwrap().free(current).unwrap();
            let operator = operator(current, "Relu", 1.0);
            drop(operator.into_tensors(current).unwrap());
            for _ in 0..2 {
                let refused = device.free(current).unwrap_err();
                assert!(matches!(refused.error, Error::Vendor(_)), "{always}: {}", refused.error);
                device = refused.value;
                // It works as ever.
                device.copy_from(current, &[3.0; LENGTH]).unwrap();
            }
            let (device, output) = other.copy_to_host(current, device, output).unwrap().wait(current).unwrap();
            assert_eq!(output.slice(current).unwrap()[0], 3.0);
            assert_refused(input.free(current), always);
            assert_refused(device.free(current), always);
            assert_refused(output.free(current), always);
            drop(current.collect());
            assert_lives!(host_blocks, 2, "{always}");
            nothing_fails();
            drop((own, other));
            collect(current);
            collect(current);
            assert_lives!(host_blocks, 0, "{always}");
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05, MEM_14)]
#[test]
fn registered_memory_stays_with_the_instance_and_comes_back_with_what_is_in_it() {
    let alone = alone();
    inside(|current| {
        for (always, _) in REFUSALS {
            let mut own = stream(current);
            let pages = Pages::<f32>::copied_from(&[7.0; LENGTH]).unwrap();
            let operands = (current.register(pages).unwrap(), current.upload(&[0.0_f32; LENGTH]).unwrap());
            fail(always);
            let refused = own.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device)| {
                capture.copy_to_device(&input, &mut device)?;
                Err(Error::NotExecuted)
            });
            let (input, device) = refused.unwrap_err().value;
            let refused = input.unregister(current).unwrap_err();
            assert!(matches!(refused.error, Error::Vendor(_)), "{always}: {}", refused.error);
            nothing_fails();
            assert_eq!(refused.value.unregister(current).unwrap()[0], 7.0);
            device.free(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05, MODEL_14)]
#[test]
fn models_and_operators_stay_bound_and_loaded_and_memory_that_was_exchanged_stays_too() {
    let alone = alone();
    inside(|current| {
        let image = digits_in_batches_of(4);
        for (always, _) in REFUSALS {
            let mut own = stream(current);
            let model = current.load(ascendcl::model::ModelSource::memory(&image).into()).unwrap();
            let model = model.bind(current, &[&[4, 64]], &[&[4, 10]]).unwrap();
            let operands = (model, operator(current, "Relu", 1.0));
            fail(always);
            let refused = own.capture(current, CaptureMode::Relaxed, operands, |capture, (mut model, mut relu)| {
                capture.execute(&mut model)?;
                capture.launch(&mut relu)?;
                Err(Error::NotExecuted)
            });
            let (mut model, relu) = refused.unwrap_err().value;
            let room = current.device_buffer::<f32>(40).unwrap();
            let old = model.replace_output(current, 0, room).unwrap();
            assert_refused(old.free(current), always);
            let refused = model.into_model(current).unwrap_err();
            assert!(matches!(refused.error, Error::Vendor(_)), "{always}: {}", refused.error);
            let mut model = refused.value;
            // Both run as ever.
            model.write(current, 0, &[1.0_f32; 256]).unwrap();
            current.stream().unwrap().without_allocator().run_bound(current, &mut model).unwrap();
            let refused = relu.into_tensors(current).unwrap_err();
            assert!(matches!(refused.error, Error::Vendor(_)), "{always}: {}", refused.error);
            drop(current.collect());
            let live = control::live();
            assert_eq!(live.models, 1, "{always}: {live:?}");
            nothing_fails();
            drop(refused.value.into_tensors(current).unwrap());
            model.into_model(current).unwrap().unload(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05)]
#[test]
fn shared_memory_is_nobodys_alone_before_the_instance_is_destroyed() {
    let alone = alone();
    inside(|current| {
        for (always, _) in REFUSALS {
            let mut own = stream(current);
            let weights = current.upload(&[5.0_f32; LENGTH]).unwrap().into_shared();
            let operands: (SharedBuffer<_, f32>, HostBuffer<_, f32>) =
                (weights.clone(), current.host_buffer(LENGTH).unwrap());
            fail(always);
            let refused = own.capture(current, CaptureMode::Relaxed, operands, |capture, (weights, mut out)| {
                capture.copy_shared_to_host(&weights, &mut out)?;
                Err(Error::NotExecuted)
            });
            drop(refused.unwrap_err().value);
            let weights = weights.try_unshare(current).unwrap_err().value;
            drop(current.collect());
            assert_lives!(host_blocks, 1, "{always}");
            nothing_fails();
            drop(own);
            drop(current.collect());
            collect(current);
            weights.try_unshare(current).unwrap().free(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05, DEV_10)]
#[test]
fn a_runtime_that_is_closed_while_the_library_refuses_keeps_everything_until_it_is_closed_again() {
    let (alone, _books) = undisturbed();
    for (always, _) in REFUSALS {
        let runtime = Runtime::<Refused>::open(library()).unwrap();
        let operands = runtime.with(|current| given_back(current, &mut stream(current), always)).unwrap();
        let blocks = control::live().host_blocks;
        runtime.close().unwrap_err();
        assert_lives!(host_blocks, blocks, "{always}");
        drop(operands);
        runtime.close().unwrap_err();
        assert_lives!(host_blocks, blocks, "{always}");
        nothing_fails();
        runtime.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// Two threads free two operands of one graph at a time.
#[proves(GRAPH_05)]
#[test]
fn threads_that_free_what_one_graph_has_destroy_it_once() {
    let alone = alone();
    for round in 0..8 {
        in_context(|context, thread| {
            let entered = context.enter(thread, |current| {
                let (_, twice) = REFUSALS[round % 2];
                given_back(current, &mut stream(current), twice)
            });
            let (input, device, output) = entered.unwrap();
            let together = Barrier::new(2);
            let free = |host: Option<HostBuffer<_, f32>>, device: Option<DeviceBuffer<_, f32>>| {
                let entered = context.enter(&mut ascendcl::Thread::new().unwrap(), |current| {
                    together.wait();
                    if let Some(mut host) = host {
                        while let Err(refused) = host.free(current) {
                            assert!(matches!(refused.error, Error::StillRunning { .. }), "{}", refused.error);
                            host = refused.value;
                        }
                    }
                    if let Some(mut device) = device {
                        while let Err(refused) = device.free(current) {
                            assert!(matches!(refused.error, Error::StillRunning { .. }), "{}", refused.error);
                            device = refused.value;
                        }
                    }
                });
                entered.unwrap();
            };
            std::thread::scope(|scope| {
                scope.spawn(|| free(Some(input), None));
                scope.spawn(|| free(None, Some(device)));
            });
            nothing_fails();
            context.enter(thread, |current| output.free(current).unwrap()).unwrap();
        });
        alone.assert_nothing_lives();
    }
}

pub(super) struct Bomb(pub(super) &'static str);

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(self.0);
    }
}

/// The state of a callback goes with the next collection, not in the call that freed an operand.
#[proves(GRAPH_05)]
#[test]
fn state_of_callbacks_that_panics_when_it_is_dropped_does_so_in_the_next_collection() {
    let alone = alone();
    inside(|current| {
        let mut own = stream(current);
        let operands = io(current);
        fail(REFUSALS[0].1);
        let refused = own.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, _)| {
            capture.copy_to_device(&input, &mut device)?;
            capture.launch_host_fn((Bomb("first"), ()), |_| ())?;
            capture.launch_host_fn(Bomb("second"), |_| ())?;
            Err(Error::NotExecuted)
        });
        let (input, device, output) = refused.unwrap_err().value;
        device.free(current).unwrap();
        let panic = catch_unwind(AssertUnwindSafe(|| drop(current.collect())));
        assert!(panic.unwrap_err().downcast_ref::<&str>().is_some());
        input.free(current).unwrap();
        output.free(current).unwrap();
        collect(current);
    });
    alone.assert_nothing_lives();
}

/// The scope tells that the capture could not be ended, and not only that its stream takes no waits. What the end says does
/// not count when the capture has ended.
#[proves(GRAPH_01, DEV_10)]
#[test]
fn a_scope_says_why_the_capture_in_it_did_not_end() {
    for (at_the_end, ends) in [("aclmdlRICaptureEnd=507899", false), ("aclmdlRICaptureEnd=after:507899", true)] {
        let (alone, _others) = undisturbed();
        let (acl, mut thread) = (crate::common::acl(), ascendcl::Thread::new().unwrap());
        let device = acl.device(&mut thread, 0).unwrap();
        let scope = device.with_current(&mut thread, |current| {
            let mut own = stream(current);
            drop(given_back(current, &mut own, "aclmdlRICaptureEnd=507899"));
            fail(at_the_end);
        });
        nothing_fails();
        match scope {
            Ok(()) => assert!(ends),
            Err(ascendcl::ScopeError::Teardown { errors, .. }) => {
                let Some(Error::Vendor(error)) = errors.first() else { panic!("{errors:?}") };
                assert!(!ends && error.call == "aclmdlRICaptureEnd", "{errors:?}");
            }
            other => panic!("{other:?}"),
        }
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// Says when it is dropped.
struct Tells(std::sync::mpsc::Sender<()>);

impl Drop for Tells {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// The end of an operand has destroyed the instance, and the state of its callback waits for a moment in which it can be
/// dropped.
#[proves(GRAPH_05)]
#[test]
fn state_of_a_callback_is_dropped_when_its_runtime_was_closed() {
    let alone = alone();
    let runtime = Runtime::<Refused>::open(library()).unwrap();
    let (tells, told) = std::sync::mpsc::channel();
    let captures = |current: &mut Current<Refused>| {
        let mut own = stream(current);
        let operands = io(current);
        fail("aclmdlRIDestroy#1=507899,aclmdlRIDestroy#2=507899");
        let state = std::sync::Mutex::new(Tells(tells));
        let refused = own.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, _)| {
            capture.copy_to_device(&input, &mut device)?;
            capture.launch_host_fn(state, |_| ())?;
            Err(Error::NotExecuted)
        });
        let (_, device, _) = refused.unwrap_err().value;
        device.free(current).unwrap();
        nothing_fails();
    };
    runtime.with(captures).unwrap();
    runtime.close().unwrap();
    assert!(told.try_recv().is_ok(), "the runtime is closed");
    drop(runtime);
    alone.assert_nothing_lives();
}

/// A part may begin where no copy on the device may begin.
#[proves(COPY_09, GRAPH_05)]
#[test]
fn a_copy_on_the_device_from_an_odd_place_is_not_captured() {
    let alone = alone();
    inside(|current| {
        let all = current.upload(&[1_u8; 65]).unwrap().into_shared();
        let odd = all.slice(1..).unwrap();
        drop(all);
        let operands = (odd.try_unshare(current).unwrap(), current.upload(&[0_u8; 64]).unwrap());
        let mut own = stream(current);
        let captured = own.capture(current, CaptureMode::Relaxed, operands, |capture, (odd, mut to)| {
            capture.copy_on_device(&odd, &mut to)
        });
        let refused = captured.map(drop).unwrap_err();
        assert!(matches!(refused.error, Error::Misaligned { .. }), "{}", refused.error);
    });
    alone.assert_nothing_lives();
}

/// The operator has memory of its own runtime, and the error is about the operator.
#[proves(STREAM_09, GRAPH_05)]
#[test]
fn an_operator_of_another_runtime_is_not_captured() {
    let alone = alone();
    let (one, two) = (Runtime::<Refused>::open(library()).unwrap(), Runtime::<Refused>::open(library()).unwrap());
    let lost = two.with(|current| operator(current, "Relu", 1.0)).unwrap();
    let captures = |current: &mut Current<Refused>| {
        let mut own = stream(current);
        let captured = own.capture(current, CaptureMode::Relaxed, lost, |_, _| panic!("it is of another runtime"));
        let error = captured.map(drop).unwrap_err().error;
        assert!(matches!(error, Error::WrongContext { what: ascendcl::error::ObjectKind::OPERATOR, .. }), "{error}");
    };
    one.with(captures).unwrap();
    one.close().unwrap();
    two.close().unwrap();
    alone.assert_nothing_lives();
}
