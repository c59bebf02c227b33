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
const REFUSALS: [(&str, &str); 2] = [
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
fn assert_refused<T>(failed: Result<T, Failed<impl Sized>>, plan: &str) {
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

struct Bomb(&'static str);

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

/// The library may have taken the callback.
#[proves(CB_08, GRAPH_05)]
#[test]
fn a_callback_whose_call_failed_and_whose_state_panics_leaves_no_graph() {
    let alone = alone();
    for plan in ["aclrtLaunchHostFunc=507899", "aclrtLaunchHostFunc=after:507899"] {
        inside(|current| {
            let mut stream = stream(current);
            fail(plan);
            let panic = catch_unwind(AssertUnwindSafe(|| {
                let operands = io(current);
                let captured = stream.capture(current, CaptureMode::Relaxed, operands, |capture, _| {
                    // The program goes on as if nothing had happened.
                    let launch = || capture.launch_host_fn(Bomb("the capture"), |bomb| assert!(!bomb.0.is_empty()));
                    let refused = catch_unwind(AssertUnwindSafe(launch));
                    assert_eq!(refused.unwrap().unwrap_err().code().unwrap().number(), 507_899, "{plan}");
                    Ok(())
                });
                assert!(captured.is_err(), "{plan}: a graph without its callback");
            }));
            assert_eq!(
                panic.unwrap_err().downcast_ref(),
                Some(&"the capture"),
                "{plan}: the state goes with the graph"
            );
            let mut build = current.build_graph(io(current)).unwrap();
            fail(plan);
            let added = build.add(current, |tasks, _| {
                drop(catch_unwind(AssertUnwindSafe(|| tasks.launch_host_fn(Bomb("the build"), |_| ()))));
                Ok(())
            });
            fail("");
            added.unwrap();
            let refused = build.end(current).unwrap_err();
            assert!(matches!(refused.error, Error::CaptureBroken { .. }), "{plan}: {}", refused.error);
            let panic = catch_unwind(AssertUnwindSafe(|| drop(refused.value.into_operands(current))));
            assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"the build"), "{plan}");
            drop(echo(current, &mut stream));
            collect(current);
        });
    }
    alone.assert_nothing_lives();
}
