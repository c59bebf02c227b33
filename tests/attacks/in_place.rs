//! Executions that a call waits for while the program keeps its handle of the model: what is left when the wait fails.

use super::common::{alone, digits_in_batches_of, library};
use super::{collect, fail, inside, model, nothing_fails};
use crate::common::assert_lives;
use ascendcl::allocator::PoolAllocator;
use ascendcl::capture::CaptureMode;
use ascendcl::lane::WorkspaceLane;
use ascendcl::model::ModelSource;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{BoundModel, Brand, Current, Error, OrDrop, Runtime, Stream};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

ascendcl::names!(Worker);

const SHORT: Duration = Duration::from_millis(30);
const PIXELS: [f32; 64] = [0.5; 64];

fn stream<C: Brand>(current: &Current<C>) -> Stream<C, DefaultAllocator> {
    current.stream().unwrap().without_allocator()
}

fn bound<C: Brand>(current: &Current<C>) -> BoundModel<C> {
    let mut model = model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
    model.write(current, 0, &PIXELS).unwrap();
    model
}

/// The stream does nothing until something is sent.
fn hold<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) -> Sender<()> {
    let (release, released) = channel::<()>();
    let held = move || released.recv_timeout(Duration::from_secs(20)).is_ok();
    mem::forget(stream.launch_host_fn(current, held).unwrap());
    release
}

#[track_caller]
fn still_runs<T>(result: Result<T, Error>) {
    let Err(error) = result else { panic!("a model was touched while it ran") };
    assert!(matches!(error, Error::StillRunning { .. }), "{error}");
}

#[track_caller]
fn timed_out<T>(result: Result<T, Error>) {
    let Err(error) = result else { panic!("the time was not up") };
    assert!(error.code().is_some_and(|code| code.is_timeout()), "{error}");
}

#[proves(MODEL_15, MODEL_16, DATA_10, STREAM_16)]
#[test]
fn a_model_that_was_given_up_is_touched_by_nothing_but_work_behind_it() {
    let alone = alone();
    inside(|current| {
        let (own, other) = (stream(current), stream(current));
        let mut model = bound(current);
        own.run_bound(current, &mut model).unwrap();
        // All functions are known afterwards.
        (0..2).for_each(|_| model.run(current).unwrap());
        let scores = model.read::<f32>(current, 0).unwrap();
        let release = hold(current, &own);
        timed_out(own.run_bound_within(current, &mut model, SHORT));
        // The outputs of the run before are lost, and the model runs.
        assert!(matches!(model.read::<f32>(current, 0), Err(Error::NotExecuted)));
        still_runs(model.write(current, 0, &[0.0_f32; 64]));
        still_runs(model.run(current));
        still_runs(model.reshape(current, &[&[1, 64]]));
        still_runs(other.run_bound(current, &mut model));
        still_runs(model.exchange_input::<f32>(current, 0, current.upload(&[0.0; 64]).unwrap()).or_drop());
        still_runs(model.replace_output::<f32>(current, 0, current.device_buffer(10).unwrap()).or_drop());
        let shared = current.upload(&[0.0_f32; 64]).unwrap().into_shared();
        still_runs(model.share_input(current, 0, shared).or_drop());
        let failed = other.execute(current, model).unwrap_err();
        still_runs::<()>(Err(failed.error));
        let host = current.host_buffer::<f32>(64).unwrap();
        let failed = other.copy_to_input(current, host, failed.value, 0).unwrap_err();
        still_runs::<()>(Err(failed.error));
        let (host, model) = failed.value;
        let failed = model.into_model(current).unwrap_err();
        still_runs::<()>(Err(failed.error));
        let mut model = failed.value;
        // Behind it on its own stream it is executed again.
        timed_out(own.run_bound_within(current, &mut model, SHORT));
        let again = own.execute(current, model).unwrap();
        release.send(()).unwrap();
        let mut model = again.wait(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), scores);
        // As new, on any stream, whatever the others do.
        let release = hold(current, &own);
        model.write(current, 0, &PIXELS).unwrap();
        other.run_bound(current, &mut model).unwrap();
        model.write(current, 0, &PIXELS).unwrap();
        let (_, model) = other.copy_to_input(current, host, model, 0).unwrap().wait(current).unwrap();
        release.send(()).unwrap();
        model.into_model(current).unwrap().unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// What was waited for does not count, so nothing waits for the streams of others.
#[proves(MODEL_15, MODEL_16, DATA_10)]
#[test]
fn a_model_that_was_given_up_on_two_streams_runs_again_while_a_third_one_works() {
    let alone = alone();
    inside(|current| {
        let (first, second, third) = (stream(current), stream(current), stream(current));
        let mut model = bound(current);
        let works = hold(current, &third);
        for own in [&first, &second, &first] {
            fail("aclmdlExecuteAsync=slow:200ms");
            timed_out(own.run_bound_within(current, &mut model, SHORT));
            nothing_fails();
            own.synchronize(current).unwrap();
        }
        second.run_bound(current, &mut model).unwrap();
        model.write(current, 0, &PIXELS).unwrap();
        // Nor does an execution count whose call failed, and that may have run all the same.
        fail(
            "aclmdlExecuteAsync#1=after:507899,aclrtSynchronizeStreamWithTimeout#1=507899,aclrtSynchronizeStreamWithTimeout#2=507899",
        );
        assert!(first.run_bound(current, &mut model).is_err());
        nothing_fails();
        first.synchronize(current).unwrap();
        for own in [&second, &first, &second] {
            own.run_bound(current, &mut model).unwrap();
        }
        works.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_02, MODEL_14)]
#[test]
fn a_model_that_was_given_up_and_dropped_stays_until_it_is_done() {
    let alone = alone();
    inside(|current| {
        let own = stream(current);
        let mut model = bound(current);
        let (blocks, release) = (control::live().device_blocks, hold(current, &own));
        timed_out(own.run_bound_within(current, &mut model, SHORT));
        drop(model);
        drop(current.collect());
        assert_lives!(models, 1);
        assert_lives!(device_blocks, blocks);
        release.send(()).unwrap();
        own.synchronize(current).unwrap();
        collect(current);
        collect(current);
        assert_lives!(models, 0);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// The graph only copies to the input, and its replays are on another stream.
#[proves(GRAPH_05, DATA_10)]
#[test]
fn a_model_that_was_given_up_is_no_operand_of_a_graph() {
    let alone = alone();
    inside(|current| {
        let (own, mut other) = (stream(current), stream(current));
        let mut model = bound(current);
        let release = hold(current, &own);
        timed_out(own.run_bound_within(current, &mut model, SHORT));
        let operands = (current.host_buffer::<f32>(64).unwrap(), model);
        let capture = |current: &mut Current<_>, other: &mut Stream<_, _>, operands| {
            other.capture(current, CaptureMode::Relaxed, operands, |capture, (from, mut model)| {
                capture.copy_to_input(&from, &mut model, 0)
            })
        };
        let failed = capture(current, &mut other, operands).unwrap_err();
        still_runs::<()>(Err(failed.error));
        let failed = current.build_graph(failed.value).unwrap_err();
        still_runs::<()>(Err(failed.error));
        release.send(()).unwrap();
        own.synchronize(current).unwrap();
        let graph = capture(current, &mut other, failed.value).unwrap();
        drop(other.replay(current, graph).unwrap().wait(current).unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02, DATA_10)]
#[test]
fn a_run_that_fails_on_the_device_leaves_a_model_that_runs_again_unless_nobody_knows_whether_it_is_over() {
    let alone = alone();
    inside(|current| {
        let own = stream(current);
        let mut model = bound(current);
        own.run_bound(current, &mut model).unwrap();
        let scores = model.read::<f32>(current, 0).unwrap();
        fail("aclrtSynchronizeStreamWithTimeout#1=507015");
        let error = own.run_bound(current, &mut model).unwrap_err();
        assert_eq!(error.code().map(|code| code.number()), Some(507_015), "{error}");
        nothing_fails();
        assert!(matches!(model.read::<f32>(current, 0), Err(Error::NotExecuted)));
        model.write(current, 0, &PIXELS).unwrap();
        model.run(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), scores);
        // Now it is not known whether it is over.
        fail("aclrtSynchronizeStreamWithTimeout#1+=507015");
        own.run_bound(current, &mut model).unwrap_err();
        nothing_fails();
        still_runs(model.write(current, 0, &PIXELS));
        still_runs(model.run(current));
        drop(own.synchronize(current));
        model.write(current, 0, &PIXELS).unwrap();
        own.run_bound(current, &mut model).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), scores);
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_04, MODEL_05)]
#[test]
fn another_model_of_a_lane_waits_for_one_that_was_given_up() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(2 * current.model_size(source).unwrap().workspace).unwrap();
        let own = stream(current);
        let release = hold(current, &own);
        current.workspace_lane(own, workspace, |current, mut lane: WorkspaceLane<'_, _, _>| {
            release.send(()).unwrap();
            let mut load = || {
                let model = lane.load(current, source.into()).unwrap();
                model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap()
            };
            let (mut first, mut second) = (load(), load());
            let (release, released) = channel::<()>();
            let held = move || released.recv_timeout(Duration::from_secs(20)).is_ok();
            mem::forget(lane.launch_host_fn(current, held).unwrap());
            timed_out(lane.run_bound_within(current, &mut first, SHORT));
            timed_out(lane.run_bound_within(current, &mut second, SHORT));
            still_runs(first.write(current, 0, &[0.0_f32; 512]));
            release.send(()).unwrap();
            lane.run_bound(current, &mut second).unwrap();
            first.write(current, 0, &[0.0_f32; 512]).unwrap();
            assert_eq!(second.read::<f32>(current, 0).unwrap().len(), 80);
        });
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_01, STREAM_09)]
#[test]
fn a_model_and_a_stream_of_two_runtimes_of_one_name_do_not_run() {
    let alone = alone();
    let (one, two) = (Runtime::<Worker>::open(library()).unwrap(), Runtime::<Worker>::open(library()).unwrap());
    let (mut model, own) = one.with(|current| (bound(current), stream(current))).unwrap();
    let theirs = two.with(|current| stream(current)).unwrap();
    let refused = |runtime: &Runtime<Worker>, stream: &Stream<Worker, _>, model: &mut _| {
        runtime.with(|current| stream.run_bound(current, model)).unwrap().unwrap_err()
    };
    for (runtime, stream) in [(&two, &theirs), (&two, &own), (&one, &theirs)] {
        let error = refused(runtime, stream, &mut model);
        assert!(matches!(error, Error::WrongContext { .. }), "{error}");
    }
    // Given up in its own runtime, it is not taken for idle in the other one.
    let release = one.with(|current| {
        let release = hold(current, &own);
        timed_out(own.run_bound_within(current, &mut model, SHORT));
        release
    });
    let error = two.with(|current| model.write(current, 0, &PIXELS)).unwrap().unwrap_err();
    assert!(matches!(error, Error::WrongContext { .. }), "{error}");
    one.with(|current| still_runs(model.write(current, 0, &PIXELS))).unwrap();
    release.unwrap().send(()).unwrap();
    one.with(|current| {
        own.run_bound(current, &mut model).unwrap();
        model.write(current, 0, &PIXELS).unwrap();
    })
    .unwrap();
    one.close().unwrap();
    two.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ALLOC_05, MODEL_16)]
#[test]
fn each_call_of_a_run_in_place_fails_once_and_the_model_runs_afterwards() {
    let alone = alone();
    inside(|current| {
        let pool = PoolAllocator::new(current, 1 << 20).unwrap();
        let own = current.stream().unwrap().register(current, pool).unwrap();
        let mut model = bound(current);
        for call in ["aclmdlExecuteAsync", "aclrtSynchronizeStreamWithTimeout"] {
            for code in ["107000", "507015", "after:507015", "207001", "507046"] {
                fail(&format!("{call}#1={code}"));
                let ran = own.run_bound(current, &mut model);
                nothing_fails();
                // A wait may succeed at its second try.
                assert_eq!(model.read::<f32>(current, 0).is_ok(), ran.is_ok(), "{call} {code}");
                drop(own.synchronize(current));
                model.write(current, 0, &PIXELS).unwrap();
                own.run_bound(current, &mut model).unwrap();
                model.run(current).unwrap();
                assert_eq!(model.read::<f32>(current, 0).unwrap().len(), 10);
            }
        }
        drop(current.collect());
    });
    alone.assert_nothing_lives();
}

/// A wait for the first stream has shown that the model is idle there.
#[proves(MODEL_14)]
#[test]
fn a_model_that_was_waited_for_does_not_wait_for_later_work_of_that_stream() {
    let alone = alone();
    inside(|current| {
        let (own, other) = (stream(current), stream(current));
        let model = own.execute(current, bound(current)).unwrap().wait(current).unwrap();
        let release = hold(current, &own);
        let model = other.execute(current, model).unwrap().wait(current).unwrap();
        model.into_model(current).unwrap().unload(current).unwrap();
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_14, DATA_10)]
#[test]
fn a_model_that_another_stream_took_over_is_unloaded_when_that_stream_was_waited_for() {
    let alone = alone();
    inside(|current| {
        let (own, other) = (stream(current), stream(current));
        let work = own.execute(current, bound(current)).unwrap();
        let behind = own.record(current, current.event().unwrap()).unwrap();
        let release = hold(current, &own);
        drop(other.adopt_after(current, work, &behind).unwrap());
        other.synchronize(current).unwrap();
        collect(current);
        assert_lives!(models, 0);
        assert_lives!(device_blocks, 0);
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}
