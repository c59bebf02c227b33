//! Failures that several models share, and what is left of their outputs.

use super::*;
use crate::common::allocators::Empty;
use crate::common::{onnx, under_watch};
use ascendcl::capture::CaptureMode;
use ascendcl::model::InputMemory;
use ascendcl::runtime::{self, CloseError};
use ascendcl::stream::AllocatorGroup;
use ascendcl::{Acl, Bool, Setup, Thread};
use ascendcl_sim::Config;
use std::thread;

const WAIT_FAILS: &str = "aclrtSynchronizeStreamWithTimeout#1=507899";

/// The second execution could not be queued behind the first, and may have run all the same.
#[proves(MODEL_17)]
#[test]
fn an_execution_that_is_refused_behind_one_in_flight_loses_the_outputs_of_that_one() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let own = stream(current);
            let work = own.execute(current, executed(current, &own)).unwrap();
            fail("aclmdlExecuteAsync#1=after:507899");
            let work = own.execute(current, work).unwrap_err().value;
            nothing_fails();
            let host = current.host_buffer::<f32>(4).unwrap();
            let refused = own.copy_from_output(current, work, 0, host).unwrap_err();
            assert!(matches!(refused.error, Error::NotExecuted), "{}", refused.error);
            let mut model = refused.value.0.wait(current).unwrap();
            assert_lost(current, &model);
            // Its memory is not taken as a result, and can be replaced.
            let room = current.device_buffer::<f32>(4).unwrap();
            let refused = model.exchange_output(current, 0, room).unwrap_err();
            assert!(matches!(refused.error, Error::NotExecuted), "{}", refused.error);
            drop(model.replace_output(current, 0, refused.value).unwrap());
            let model = own.execute(current, model).unwrap().wait(current).unwrap();
            assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// Nobody knows which of them has failed.
#[proves(MODEL_17, STREAM_04)]
#[test]
fn a_failure_loses_the_outputs_of_each_model_that_is_waited_for_together() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let own = stream(current);
            let models = [(); 3].map(|()| executed(current, &own));
            let [first, second, apart] = models.map(|model| own.execute(current, model).unwrap());
            let both = first.join(second).unwrap();
            fail(WAIT_FAILS);
            let both = both.wait(current).unwrap_err().value;
            nothing_fails();
            let (first, second) = both.wait(current).unwrap();
            assert_lost(current, &first);
            assert_lost(current, &second);
            // It is told to the other work on the stream, too, once.
            let told = apart.wait(current).unwrap_err();
            assert!(matches!(told.error, Error::WorkFailed { .. }), "{}", told.error);
            assert_lost(current, &told.value.wait(current).unwrap());
            for model in [first, second] {
                let model = own.execute(current, model).unwrap().wait(current).unwrap();
                assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
            }
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MODEL_17)]
#[test]
fn a_failure_that_a_future_or_a_function_behind_a_wait_is_told_of_loses_the_outputs() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let mut own = stream(current);
            let mut model = executed(current, &own);
            for way in 0..3 {
                let work = own.execute(current, model).unwrap();
                let failed = match way {
                    0 => {
                        let future = work.into_future(current, &mut own).unwrap();
                        fail(WAIT_FAILS);
                        finish(future).unwrap_err().value
                    }
                    1 => {
                        let done = finish(work.when_done(current, &own).unwrap());
                        fail(WAIT_FAILS);
                        done.wait(current).unwrap_err().value
                    }
                    _ => {
                        fail(WAIT_FAILS);
                        let mapped = work.map(|model| model).wait(current).unwrap_err().value;
                        nothing_fails();
                        let model = mapped.wait(current).unwrap();
                        assert_lost(current, &model);
                        break;
                    }
                };
                nothing_fails();
                model = failed.wait(current).unwrap();
                assert_lost(current, &model);
                model = own.execute(current, model).unwrap().wait(current).unwrap();
                assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
            }
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The stream that took the work over is told what its first stream had.
#[proves(MODEL_17, ERR_02)]
#[test]
fn a_failure_on_the_first_stream_loses_the_outputs_of_a_model_that_another_stream_took_over() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let (own, other) = (stream(current), stream(current));
            let work = own.execute(current, executed(current, &own)).unwrap();
            let event = own.record(current, current.event().unwrap()).unwrap();
            let work = other.adopt_after(current, work, &event).unwrap();
            fail(WAIT_FAILS);
            own.synchronize(current).unwrap_err();
            nothing_fails();
            let told = work.wait(current).unwrap_err();
            assert!(matches!(told.error, Error::WorkFailed { .. }), "{}", told.error);
            assert_lost(current, &told.value.wait(current).unwrap());
            drop(event);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MODEL_17, ALLOC_10)]
#[test]
fn a_turn_that_could_not_queue_an_execution_loses_the_outputs_and_goes_on() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let group = AllocatorGroup::new(current, Empty(())).unwrap();
            let (member, own) = (group.attach(current, current.stream().unwrap()).unwrap(), stream(current));
            let model = executed(current, &own);
            let turn = group.begin(&member).unwrap();
            fail("aclmdlExecuteAsync#1=after:507899");
            let model = turn.execute(current, model).unwrap_err().value;
            nothing_fails();
            assert_lost(current, &model);
            let model = turn.execute(current, model).unwrap().wait(current).unwrap();
            assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
            drop(turn.finish(current).unwrap());
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The program compares what it writes itself, and not what the device writes.
#[proves(MEM_07)]
#[test]
fn bytes_that_earlier_work_or_a_replay_writes_to_an_input_of_truth_values_are_copied_as_they_are() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let mut own = stream(current);
            let model = current.load(ModelSource::memory(&onnx::opposite()).into()).unwrap();
            let model = model.bind(current, &[&[2]], &[&[2]]).unwrap();
            // In flight nobody can look at it.
            let device = current.upload(&[1_u8, 0]).unwrap();
            let host = current.host_buffer::<u8>(2).unwrap();
            let (_, host) = own.copy_to_host(current, device, host).unwrap().split();
            let (_, model) = own.copy_to_input(current, host, model, 0).unwrap().split();
            let model = own.execute(current, model).unwrap().wait(current).unwrap();
            assert_eq!(model.read_bytes(current, 0).unwrap(), [0, 1]);
            // The types say the same as the bytes.
            let mut pinned = current.host_buffer::<Bool>(2).unwrap();
            pinned.slice_mut(current).unwrap().copy_from_slice(&[true, true].map(Bool::from));
            let (_, model) = own.copy_to_input(current, pinned, model, 0).unwrap().wait(current).unwrap();
            let operands = (model, current.host_buffer::<u8>(2).unwrap());
            let graph = own.capture(current, CaptureMode::Relaxed, operands, |capture, (mut model, host)| {
                capture.copy_to_input(&host, &mut model, 0)?;
                capture.execute(&mut model)
            });
            let mut graph = graph.unwrap();
            let refused = graph.operands(current).unwrap().0.write(current, 0, &[0_u8, 2]).unwrap_err();
            assert!(matches!(refused, Error::NoTruthValue { byte: 2 }), "{refused}");
            graph.operands(current).unwrap().1.copy_from_slice(&[0, 1]);
            let mut graph = own.replay(current, graph).unwrap().wait(current).unwrap();
            assert_eq!(graph.operands(current).unwrap().0.read_bytes(current, 0).unwrap(), [1, 0]);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// Shared memory stays with its readers, whichever of two exchanges the library refuses.
#[proves(DATA_02, MEM_02)]
#[test]
fn exchanges_that_are_refused_in_pairs_leave_each_memory_with_one_owner() {
    let alone = alone();
    let runtime = open();
    for plan in ["aclUpdateDataBuffer#1=507899", "aclUpdateDataBuffer#1=after:507899", "aclUpdateDataBuffer#2=507899"] {
        runtime
            .with(|current| {
                let own = stream(current);
                let (mut one, mut other) = (executed(current, &own), executed(current, &own));
                let shared = current.upload(&[9.0_f32; 4]).unwrap().into_shared();
                fail(plan);
                let first = one.share_input(current, 0, shared.clone());
                let second = other.share_input(current, 0, shared.clone());
                nothing_fails();
                assert_eq!(first.is_err() as u8 + second.is_err() as u8, u8::from(!plan.contains("after")), "{plan}");
                drop(shared);
                let expected = [first.is_ok(), second.is_ok()].map(|is_shared| if is_shared { 7.0 } else { 3.0 });
                drop((first, second));
                super::super::collect(current);
                let models = [one, other].map(|model| own.execute(current, model).unwrap());
                let models = models.map(|work| work.wait(current).unwrap());
                assert_eq!(
                    models.each_ref().map(|model| model.read::<f32>(current, 0).unwrap()[0]),
                    expected,
                    "{plan}"
                );
                for (mut model, expected) in models.into_iter().zip(expected) {
                    let own_again = current.upload(&[1.0_f32; 4]).unwrap();
                    match model.share_input(current, 0, own_again.into_shared()).unwrap() {
                        InputMemory::Own(_) => assert_eq!(expected, 3.0),
                        InputMemory::Shared(was) => {
                            assert_eq!((expected, was.to_vec(current).unwrap()), (7.0, vec![9.0; 4]))
                        }
                    }
                }
            })
            .unwrap();
    }
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// A runtime on another device is opened, which sweeps first, while a thread waits to recover this one. When the wait is
/// over in vain, sweeps do their part again.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_runtime_that_is_opened_beside_a_wait_for_a_recovery_takes_nothing_back_and_later_sweeps_do() {
    const DEVICE: i32 = 2;
    let alone = alone();
    ascendcl_sim::control::configure(under_watch(Config::new().devices(3))).unwrap();
    let on = |device| {
        let limit = Duration::from_millis(20);
        Runtime::<Worker>::open(Setup::builder().library(library()).device(device).teardown_timeout(limit).build())
            .unwrap()
    };
    let (hangs, goes_on) = (on(DEVICE), on(DEVICE));
    let release = hangs.with(|current| hold(current, &stream(current))).unwrap();
    let Err(CloseError::Teardown { .. }) = hangs.close_by_force(Duration::from_millis(20)) else { panic!("it hangs") };
    drop(hangs);
    let acl: Acl = crate::common::acl();
    thread::scope(|threads| {
        let waits = threads.spawn(|| {
            let mut thread = Thread::new().unwrap();
            let device = acl.device(&mut thread, DEVICE).unwrap();
            let refused = device.recover(&mut thread, Duration::from_millis(300)).unwrap_err();
            assert!(matches!(refused.error, Error::DeviceShared { .. }), "{}", refused.error);
            refused.value.reset(&mut thread).unwrap();
        });
        while !waits.is_finished() {
            on(0).close().unwrap();
        }
        waits.join().unwrap();
    });
    release.send(()).unwrap();
    goes_on.close().unwrap();
    let swept: Vec<_> = runtime::sweep(Some(LONG)).iter().map(Error::to_string).collect();
    assert_eq!(swept, [""; 0]);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
