//! Runs that fail. The crate does not touch memory that the library may still use, and gives it no new work.

use super::common::{acl, alone, digits_in_batches_of};
use super::rows::zeros;
use super::{collect, fail, in_context, inside, nothing_fails};
use crate::common::assert_lives;
use ascendcl::operator;
use ascendcl::{Error, ScopeError, Thread, model::ModelSource};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::time::{Duration, Instant};

#[proves(MODEL_16, MODEL_14, DATA_10)]
#[test]
fn a_model_whose_failed_run_nobody_could_wait_for_is_not_used_until_somebody_could() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let load = || current.load(ModelSource::memory(&image).into()).unwrap();
        let mut prepared = load().bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
        let mut model = load();
        let blocks = control::live().device_blocks;
        for run in 0..2 {
            fail("aclmdlExecute#1=after:507899,aclrtSynchronizeDeviceWithTimeout#1+=507899");
            let error = match run {
                0 => prepared.run(current).unwrap_err(),
                _ => model.run(current, &[zeros()]).map(drop).unwrap_err(),
            };
            assert_eq!(error.code().map(|code| code.number()), Some(507_899), "{error}");
            nothing_fails();
        }
        // Each of these would use what the library may still be using.
        collect(current);
        let error = prepared.run(current).unwrap_err();
        assert!(matches!(error, Error::StillRunning { .. }), "{error}");
        let failed = stream.execute(current, prepared).unwrap_err();
        assert!(matches!(failed.error, Error::StillRunning { .. }), "{failed}");
        let failed = failed.value.into_model(current).unwrap_err();
        assert!(matches!(failed.error, Error::StillRunning { .. }), "{failed}");
        let mut prepared = failed.value;
        let error = model.run(current, &[zeros()]).map(drop).unwrap_err();
        assert!(matches!(error, Error::StillRunning { .. }), "{error}");
        let failed = model.unload(current).unwrap_err();
        assert!(matches!(failed.error, Error::StillRunning { .. }), "{failed}");
        let mut model = failed.value;
        assert!(control::live().device_blocks > blocks, "the buffers of the run at once are still there");
        // Nothing runs after this.
        current.synchronize().unwrap();
        collect(current);
        collect(current);
        assert_lives!(device_blocks, blocks);
        prepared.run(current).unwrap();
        let prepared = stream.execute(current, prepared).unwrap().wait(current).unwrap();
        prepared.into_model(current).unwrap().unload(current).unwrap();
        model.run(current, &[zeros()]).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_16)]
#[test]
fn a_failed_run_that_could_be_waited_for_leaves_the_model_as_it_was() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let mut prepared = model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
        for code in ["507899", "after:507899", "107000", "207001"] {
            fail(&format!("aclmdlExecute#1={code}"));
            prepared.run(current).unwrap_err();
            prepared.run(current).unwrap();
            prepared = stream.execute(current, prepared).unwrap().wait(current).unwrap();
        }
        prepared.into_model(current).unwrap().unload(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_04, MODEL_06)]
#[test]
fn a_turn_that_ends_in_doubt_is_not_given_to_another_model() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(3 * current.model_size(source).unwrap().workspace).unwrap();
        current.workspace_mutex(workspace, |current, lane| {
            let load = || lane.load(current, source.into()).unwrap();
            let (mut first, mut second) = (load(), load());
            fail("aclmdlExecute#1=after:507899,aclrtSynchronizeDeviceWithTimeout#1+=507899");
            lane.run(current, &mut first, &[zeros()]).unwrap_err();
            nothing_fails();
            let error = lane.run(current, &mut second, &[zeros()]).unwrap_err();
            assert!(matches!(error, Error::StillRunning { .. }), "{error}");
            assert!(error.to_string().contains("MODEL-06"), "{error}");
            let error = lane.load(current, source.into()).unwrap_err();
            assert!(matches!(error, Error::StillRunning { .. }), "{error}");
            current.synchronize().unwrap();
            lane.run(current, &mut second, &[zeros()]).unwrap();
            lane.run(current, &mut first, &[zeros()]).unwrap();
            lane.load(current, source.into()).unwrap().unload(current).unwrap();
        });
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_04, MODEL_06)]
#[test]
fn a_lane_whose_run_ended_in_doubt_queues_nothing_and_loads_nothing() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(3 * current.model_size(source).unwrap().workspace).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        current.workspace_lane(stream, workspace, |current, mut lane| {
            let mut first = lane.load(current, source.into()).unwrap();
            let second = lane.load(current, source.into()).unwrap();
            let second = second.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
            fail("aclmdlExecute#1=after:507899,aclrtSynchronizeDeviceWithTimeout#1+=507899");
            lane.run(current, &mut first, &[zeros()]).unwrap_err();
            nothing_fails();
            let failed = lane.execute(current, second).unwrap_err();
            assert!(matches!(failed.error, Error::StillRunning { .. }), "{failed}");
            let error = lane.load(current, source.into()).unwrap_err();
            assert!(matches!(error, Error::StillRunning { .. }), "{error}");
            current.synchronize().unwrap();
            let second = lane.execute(current, failed.value).unwrap().wait(current).unwrap();
            second.into_model(current).unwrap().unload(current).unwrap();
            lane.load(current, source.into()).unwrap().unload(current).unwrap();
        });
    });
    alone.assert_nothing_lives();
}

const SLOW: Duration = Duration::from_millis(300);

#[proves(MODEL_04, MODEL_05)]
#[test]
fn a_lane_loads_onto_its_workspace_when_nothing_runs_there() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(2 * current.model_size(source).unwrap().workspace).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        current.workspace_lane(stream, workspace, |current, mut lane| {
            let first = lane.load(current, source.into()).unwrap();
            let first = first.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
            fail(&format!("*=slow:{}ms", SLOW.as_millis()));
            let pending = lane.execute(current, first).unwrap();
            let second = lane.load(current, source.into()).unwrap();
            assert!(pending.is_complete(current).unwrap(), "the model ran while another was loaded onto its workspace");
            nothing_fails();
            drop((second, pending.wait(current).unwrap()));
        });
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_04, MODEL_06)]
#[test]
fn a_thread_loads_onto_the_workspace_of_a_shared_lane_between_the_runs_of_others() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    in_context(|context, thread| {
        let source = ModelSource::memory(&image);
        let entered = context.enter(thread, |current| {
            let workspace = current.workspace(2 * current.model_size(source).unwrap().workspace).unwrap();
            current.workspace_mutex(workspace, |current, lane| {
                let mut model = lane.load(current, source.into()).unwrap();
                fail(&format!("aclmdlExecute#1=slow:{}ms", SLOW.as_millis()));
                let earliest = Instant::now() + SLOW;
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        let entered = context.enter(&mut Thread::new().unwrap(), |current| {
                            // The other thread has its turn.
                            while !format!("{lane:?}").contains("line: 1") && Instant::now() < earliest {
                                std::thread::yield_now();
                            }
                            drop(lane.load(current, source.into()).unwrap());
                            assert!(Instant::now() >= earliest, "loaded while a model ran there");
                        });
                        entered.unwrap();
                    });
                    lane.run(current, &mut model, &[zeros()]).unwrap();
                });
                nothing_fails();
            });
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
}

/// A run that fails although it began, and cannot be waited for.
const IN_DOUBT: &str = "aclmdlExecute#1=after:507899,aclrtSynchronizeDeviceWithTimeout#1+=507899";

#[proves(MODEL_02, MODEL_14, DEV_10)]
#[test]
fn a_scope_that_ends_with_a_run_in_doubt_keeps_what_it_uses_until_it_could_wait() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let before = device.with_current(&mut thread, |current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(current.model_size(source).unwrap().workspace).unwrap();
        current.workspace_mutex(workspace, |current, lane| {
            let mut model = lane.load(current, source.into()).unwrap();
            fail(&format!("{IN_DOUBT},aclrtSynchronizeDevice#1+=507899"));
            lane.run(current, &mut model, &[zeros()]).unwrap_err();
        });
        // No handle refers to any of it any more.
        collect(current);
        control::live()
    });
    let Err(ScopeError::Teardown { result: Some(before), .. }) = before else { panic!("{before:?}") };
    assert_eq!((before.models, before.datasets), (1, 2));
    let failed = device.reset(&mut thread).unwrap_err();
    let said = failed.error.to_string();
    assert!(said.contains("a failed run of a model that may go on") && !said.contains("stream(s)"), "{said}");
    let after = control::live();
    assert_eq!((after.models, after.datasets, after.device_blocks), (1, 2, before.device_blocks));
    nothing_fails();
    failed.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MODEL_16)]
#[test]
fn a_run_in_doubt_and_later_runs_that_succeed_still_end() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let load = || current.load(ModelSource::memory(&image).into()).unwrap();
        let mut prepared = load().bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
        let mut other = load();
        fail(IN_DOUBT);
        prepared.run(current).unwrap_err();
        nothing_fails();
        // The success of another model's run proves nothing about the run in doubt.
        other.run(current, &[zeros()]).unwrap();
        assert!(matches!(prepared.run(current), Err(Error::StillRunning { .. })));
        current.synchronize().unwrap();
        for _ in 0..3 {
            prepared.run(current).unwrap();
            prepared = stream.execute(current, prepared).unwrap().wait(current).unwrap();
        }
        drop((prepared, other));
        collect(current);
        collect(current);
        assert_eq!((control::live().models, control::live().device_blocks), (0, 0));
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_15)]
#[test]
fn work_that_failed_in_doubt_on_one_stream_is_not_queued_on_another() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let (first, second) = (first.without_allocator(), second.without_allocator());
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let model = model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
        let operator = operator::relu(current, current.upload_tensor(&[2], &[1_i32, 5]).unwrap()).unwrap();
        fail(
            "aclmdlExecuteAsync#1=after:507899,aclopExecuteV2#1=after:507899,aclrtSynchronizeStreamWithTimeout#1+=507899,\
             aclrtSynchronizeStream#1+=507899",
        );
        let model = first.execute(current, model).unwrap_err().value;
        let operator = first.launch(current, operator).unwrap_err().value;
        nothing_fails();
        let failed = second.execute(current, model).unwrap_err();
        assert!(matches!(failed.error, Error::StillRunning { .. }), "{failed}");
        let undone_operator = second.launch(current, operator).unwrap_err();
        assert!(matches!(undone_operator.error, Error::StillRunning { .. }), "{undone_operator}");
        // Behind it, on the same stream, they may.
        let model = first.execute(current, failed.value).unwrap();
        let operator = first.launch(current, undone_operator.value).unwrap();
        // The first wait may be told of the failure.
        let _ = first.synchronize(current);
        first.synchronize(current).unwrap();
        drop((model, operator));
        collect(current);
    });
    alone.assert_nothing_lives();
}
