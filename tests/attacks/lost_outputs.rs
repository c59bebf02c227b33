//! Outputs of bound models after an execution that failed: what is in them is of nobody knows which execution.

use super::common::{alone, difference, library};
use super::{Sender, fail, hold, inside, nothing_fails};
use ascendcl::capture::CaptureMode;
use ascendcl::model::ModelSource;
use ascendcl::{BoundModel, Brand, Current, Error, Runtime};
use ascendcl_macros::proves;
use std::time::Duration;

ascendcl::names!(Vision);

/// A model that subtracts 2 from what is written to its first input, which is 5.
pub(super) fn subtracts<C: Brand>(current: &Current<C>) -> BoundModel<C> {
    let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
    let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
    model.write(current, 0, &[5.0_f32; 4]).unwrap();
    model.write(current, 1, &[2.0_f32; 4]).unwrap();
    model
}

#[track_caller]
fn assert_reads<C: Brand>(current: &Current<C>, model: &BoundModel<C>, expected: f32) {
    assert_eq!(model.read::<f32>(current, 0).unwrap(), [expected; 4]);
}

#[track_caller]
pub(super) fn assert_lost<C: Brand>(current: &Current<C>, model: &BoundModel<C>) {
    let refused = model.read::<f32>(current, 0).unwrap_err();
    assert!(matches!(refused, Error::NotExecuted), "{refused}");
}

/// The program would take the outputs of the execution before for those of the one that failed.
#[proves(MODEL_17)]
#[test]
fn outputs_of_an_earlier_execution_are_not_read_after_one_that_could_not_be_queued() {
    let alone = alone();
    for plan in ["aclmdlExecuteAsync#1=507899", "aclmdlExecuteAsync#1=after:507899"] {
        // The first executions of a process look the functions up, later ones do not.
        for before in [1, 5] {
            inside(|current| {
                let stream = current.stream().unwrap().without_allocator();
                let mut model = subtracts(current);
                for _ in 0..before {
                    model = stream.execute(current, model).unwrap().wait(current).unwrap();
                }
                assert_reads(current, &model, 3.0);
                model.write(current, 0, &[9.0_f32; 4]).unwrap();
                fail(plan);
                let model = stream.execute(current, model).unwrap_err().value;
                nothing_fails();
                assert_lost(current, &model);
                let host = current.host_buffer::<f32>(4).unwrap();
                let refused = stream.copy_from_output(current, model, 0, host).unwrap_err();
                assert!(matches!(refused.error, Error::NotExecuted), "{}", refused.error);
                let model = stream.execute(current, refused.value.0).unwrap().wait(current).unwrap();
                assert_reads(current, &model, 7.0);
            });
        }
    }
    alone.assert_nothing_lives();
}

/// The execution was queued, and the device failed.
#[proves(MODEL_17, STREAM_04)]
#[test]
fn outputs_are_not_read_after_a_wait_that_reports_failed_work() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let model = stream.execute(current, subtracts(current)).unwrap().wait(current).unwrap();
        let work = stream.execute(current, model).unwrap();
        fail("aclrtSynchronizeStreamWithTimeout#1=507899");
        let work = work.wait(current).unwrap_err().value;
        nothing_fails();
        let model = work.wait(current).unwrap();
        assert_lost(current, &model);
        let model = stream.execute(current, model).unwrap().wait(current).unwrap();
        assert_reads(current, &model, 3.0);

        // Another wait hears of it first.
        let (host, work) = (current.host_buffer::<f32>(4).unwrap(), stream.execute(current, model).unwrap());
        fail("aclrtSynchronizeStreamWithTimeout#1=507899");
        stream.synchronize(current).unwrap_err();
        nothing_fails();
        let failed = work.wait(current).unwrap_err();
        assert!(matches!(failed.error, Error::WorkFailed { .. }), "{}", failed.error);
        let refused = stream.copy_from_output(current, failed.value, 0, host).unwrap_err();
        assert!(matches!(refused.error, Error::NotExecuted), "{}", refused.error);
        assert_lost(current, &refused.value.0.wait(current).unwrap());
    });
    alone.assert_nothing_lives();
}

/// Neither of them says anything about the outputs.
#[proves(MODEL_17)]
#[test]
fn a_refusal_before_the_call_and_a_wait_whose_time_is_up_lose_no_outputs() {
    let alone = alone();
    let open = || Runtime::<Vision>::open(library()).unwrap();
    let (own, other) = (open(), open());
    own.with(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let model = stream.execute(current, subtracts(current)).unwrap().wait(current).unwrap();
        let model = other.enter(current, |other| {
            let refused = other.stream().unwrap().without_allocator().execute(other, model).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            refused.value
        });
        let model = model.unwrap();
        assert_reads(current, &model, 3.0);
        let release: Sender<()> = hold(current, &stream);
        let late = stream.execute(current, model).unwrap().wait_within(current, Duration::from_millis(20)).unwrap_err();
        assert!(late.error.code().is_some_and(|code| code.is_timeout()), "{}", late.error);
        release.send(()).unwrap();
        assert_reads(current, &late.value.wait(current).unwrap(), 3.0);
    })
    .unwrap();
    [own, other].into_iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}

/// A graph has the model between replays.
#[proves(GRAPH_05, MODEL_17)]
#[test]
fn outputs_of_a_model_in_a_graph_are_not_read_after_a_replay_that_failed() {
    let alone = alone();
    let plans = [
        "aclmdlRIExecuteAsync#1=507899",
        "aclmdlRIExecuteAsync#1=after:507899",
        "aclrtSynchronizeStreamWithTimeout#1=507899",
    ];
    for plan in plans {
        inside(|current| {
            let mut own = current.stream().unwrap().without_allocator();
            let operands = (subtracts(current), current.upload(&[0_u8; 4]).unwrap());
            let captured = own.capture(current, CaptureMode::Relaxed, operands, |capture, (mut model, mut bytes)| {
                capture.set_bytes(&mut bytes, 1)?;
                capture.execute(&mut model)
            });
            let mut graph = captured.unwrap();
            for _ in 0..3 {
                graph = own.replay(current, graph).unwrap().wait(current).unwrap();
                assert_reads(current, &graph.operands(current).unwrap().0, 3.0);
            }
            fail(plan);
            let failed = own.replay(current, graph).map(|replay| replay.wait(current).unwrap_err().value);
            nothing_fails();
            let mut graph = match failed {
                Ok(replay) => replay.wait(current).unwrap(),
                Err(refused) => refused.value,
            };
            assert_lost(current, &graph.operands(current).unwrap().0);
            let mut graph = own.replay(current, graph).unwrap().wait(current).unwrap();
            assert_reads(current, &graph.operands(current).unwrap().0, 3.0);
        });
    }
    alone.assert_nothing_lives();
}
