//! Executions and runs that are in doubt, and what is done with the model meanwhile and afterwards.

use super::*;
use ascendcl::capture::CaptureMode;
use ascendcl::model::{Load, ModelSource, OutputBuffer};
use ascendcl::{BoundModel, Brand, Current, Error, Failed, Input, Runtime};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

ascendcl::names!(Named);

/// A run that fails although it began, and cannot be waited for.
const IN_DOUBT: &str = "aclmdlExecute#1=after:507899,aclrtSynchronizeDeviceWithTimeout#1+=507899";

/// The copy comes behind the execution, and shows nothing about it.
#[proves(DATA_10, MODEL_14)]
#[test]
fn a_copy_behind_an_execution_that_was_given_up_lets_nothing_end_that_the_execution_uses() {
    let alone = alone();
    inside(|current| {
        let own = current.stream().unwrap().without_allocator();
        let mut model = bound(current);
        let (release, released) = channel::<()>();
        let held = move || released.recv_timeout(Duration::from_secs(20)).is_ok();
        drop(own.launch_host_fn(current, held).unwrap());
        let late = own.run_bound_within(current, &mut model, Duration::from_millis(20)).unwrap_err();
        assert!(late.code().is_some_and(|code| code.is_timeout()), "{late}");
        let host = current.host_buffer::<f32>(4).unwrap();
        drop(own.copy_to_input(current, host, model, 0).unwrap());
        drop(current.collect());
        let kept = control::live();
        release.send(()).unwrap();
        own.synchronize(current).unwrap();
        assert_eq!((kept.models, kept.datasets), (1, 2), "the execution was under way");
        collect(current);
        collect(current);
        assert_lives!(models, 0);
    });
    alone.assert_nothing_lives();
}

fn captured<C: Brand>(current: &mut Current<C>, model: BoundModel<C>) -> Result<(), Failed<BoundModel<C>>> {
    let mut own = current.stream().unwrap().without_allocator();
    let graph = own.capture(current, CaptureMode::Relaxed, model, |capture, mut model| capture.execute(&mut model))?;
    drop(own.replay(current, graph).unwrap().wait(current).unwrap());
    Ok(())
}

#[proves(GRAPH_05, MODEL_16)]
#[test]
fn a_model_is_captured_when_its_run_in_doubt_is_over_and_not_before() {
    let alone = alone();
    let image = difference();
    let source = ModelSource::memory(&image);
    for has_workspace in [false, true] {
        inside(|current| {
            let work = || current.workspace(current.model_size(source).unwrap().workspace).unwrap();
            let load =
                if has_workspace { Load::builder().source(source).workspace(work()).build() } else { source.into() };
            let mut model = current.load(load).unwrap().bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
            fail(IN_DOUBT);
            model.run(current).unwrap_err();
            nothing_fails();
            let failed = captured(current, model).unwrap_err();
            assert!(matches!(failed.error, Error::StillRunning { .. }), "{}", failed.error);
            let failed = current.build_graph(failed.value).unwrap_err();
            assert!(matches!(failed.error, Error::StillRunning { .. }), "{}", failed.error);
            current.synchronize().unwrap();
            captured(current, failed.value).unwrap();
        });
    }
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05, MODEL_16)]
#[test]
fn a_model_that_was_bound_after_a_run_in_doubt_is_captured_when_the_run_is_over_and_not_before() {
    let alone = alone();
    inside(|current| {
        let numbers = [[5.0_f32; 4], [2.0; 4]];
        let inputs = numbers.each_ref().map(|numbers| Input::new(&[4], numbers).unwrap());
        let mut model = current.load(ModelSource::memory(&difference()).into()).unwrap();
        (0..2).for_each(|_| drop(model.run(current, &inputs).unwrap()));
        fail(IN_DOUBT);
        model.run(current, &inputs).map(drop).unwrap_err();
        nothing_fails();
        let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
        // The new binding is idle, and the function is known: a run by the fast path would look at the model alone.
        let refused = model.run(current).unwrap_err();
        assert!(matches!(refused, Error::StillRunning { .. }), "{refused}");
        let failed = captured(current, model).unwrap_err();
        assert!(matches!(failed.error, Error::StillRunning { .. }), "{}", failed.error);
        current.synchronize().unwrap();
        captured(current, failed.value).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Nobody else has the address of the memory.
#[proves(DATA_06)]
#[test]
fn an_output_of_the_library_is_freed_when_the_call_that_emptied_it_is_told_to_have_failed() {
    let alone = alone();
    let image = positions();
    inside(|current| {
        let own = current.stream().unwrap().without_allocator();
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let mut model = model.bind_with(current, &[&[4]], &[OutputBuffer::ByLibrary]).unwrap();
        model.write(current, 0, &[0.0_f32, 5.0, 0.0, 1.0]).unwrap();
        let blocks = control::live().device_blocks;
        model = own.execute(current, model).unwrap().wait(current).unwrap();
        assert_lives!(device_blocks, blocks + 1);
        fail("aclUpdateDataBuffer#1=after:507899");
        let again = own.execute(current, model);
        nothing_fails();
        assert_lives!(device_blocks, blocks);
        let model = again.unwrap_err().value;
        drop(own.execute(current, model).unwrap().wait(current).unwrap());
        let mut model = current.load(ModelSource::memory(&image).into()).unwrap();
        fail("aclUpdateDataBuffer#1=after:507899");
        let ran = model.run(current, &[Input::new(&[4], &[0.0_f32, 5.0, 0.0, 1.0]).unwrap()]).map(drop);
        nothing_fails();
        drop((ran, model));
        collect(current);
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// The second model of a workspace would run while the first one may still be running there.
#[proves(MODEL_04, MODEL_06)]
#[test]
fn a_model_that_ran_in_its_turn_before_does_not_run_beside_a_run_in_doubt() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(2 * current.model_size(source).unwrap().workspace).unwrap();
        current.workspace_mutex(workspace, |current, lane| {
            let [mut first, mut second] = [(); 2].map(|()| {
                let model = lane.load(current, source.into()).unwrap();
                let mut model = model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
                model.write(current, 0, &[0.0_f32; 512]).unwrap();
                (0..2).for_each(|_| lane.run_bound(current, &mut model).unwrap());
                model
            });
            fail(IN_DOUBT);
            lane.run_bound(current, &mut first).unwrap_err();
            nothing_fails();
            let refused = lane.run_bound(current, &mut second).unwrap_err();
            assert!(matches!(refused, Error::StillRunning { .. }), "{refused}");
            current.synchronize().unwrap();
            lane.run_bound(current, &mut second).unwrap();
        });
    });
    alone.assert_nothing_lives();
}

/// The functions of the fast paths are known by then.
#[proves(MODEL_04, MEM_02)]
#[test]
fn an_execution_in_doubt_puts_everything_in_doubt_that_it_may_still_use() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(2 * current.model_size(source).unwrap().workspace).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        current.workspace_lane(stream, workspace, |current, mut lane| {
            let model = lane.load(current, source.into()).unwrap();
            let mut model = model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
            for _ in 0..2 {
                model = lane.execute(current, model).unwrap().wait(current).unwrap();
            }
            fail("aclmdlExecuteAsync#1=after:507899,aclrtSynchronizeStreamWithTimeout#1+=507899");
            let mut model = lane.execute(current, model).unwrap_err().value;
            nothing_fails();
            current.synchronize().unwrap();
            // It is over, and what is in doubt stays so.
            let input = model.write(current, 0, &[0.0_f32; 512]).unwrap_err();
            assert!(matches!(input, Error::InDoubt { .. }), "{input}");
            drop(lane.execute(current, model).unwrap().wait(current).unwrap());
        });
    });
    alone.assert_nothing_lives();
}

/// Such a model has no fast path.
#[proves(MODEL_04, MEM_02, DATA_06)]
#[test]
fn an_execution_in_doubt_with_an_output_of_the_library_puts_its_input_in_doubt() {
    let alone = alone();
    let image = positions();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let mut model = model.bind_with(current, &[&[4]], &[OutputBuffer::ByLibrary]).unwrap();
        model.write(current, 0, &[0.0_f32, 5.0, 0.0, 1.0]).unwrap();
        fail("aclmdlExecuteAsync#1=after:507899,aclrtSynchronizeStreamWithTimeout#1+=507899");
        let mut model = stream.execute(current, model).unwrap_err().value;
        nothing_fails();
        current.synchronize().unwrap();
        let input = model.write(current, 0, &[0.0_f32; 4]).unwrap_err();
        assert!(matches!(input, Error::InDoubt { .. }), "{input}");
    });
    alone.assert_nothing_lives();
}

/// Also where the capture does nothing with it.
#[proves(MEM_11, GRAPH_05)]
#[test]
fn a_model_of_another_runtime_with_the_name_goes_into_no_capture() {
    let alone = alone();
    let runtimes = [(); 2].map(|()| Runtime::<Named>::open(library()).unwrap());
    let [own, other] = &runtimes;
    let model = own.with(|current| bound(current)).unwrap();
    let refused = other.with(|current| {
        let mut stream = current.stream().unwrap().without_allocator();
        let captured = stream.capture(current, CaptureMode::Relaxed, model, |_, _| Ok(()));
        captured.map(drop).map_err(|failed| failed.error).unwrap_err()
    });
    let refused = refused.unwrap();
    assert!(matches!(refused, Error::WrongContext { .. }), "{refused}");
    runtimes.iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}

#[proves(MODEL_16, MEM_02)]
#[test]
fn memory_of_a_failed_run_that_was_waited_for_is_written_and_read() {
    let alone = alone();
    inside(|current| {
        let mut model = bound(current);
        for warm in [false, true] {
            fail("aclmdlExecute#1=after:507899");
            model.run(current).unwrap_err();
            nothing_fails();
            model.write(current, 0, &[7.0_f32; 4]).unwrap();
            model.run(current).unwrap();
            assert_eq!(model.read::<f32>(current, 0).unwrap(), [5.0; 4], "{warm}");
        }
    });
    alone.assert_nothing_lives();
}

/// The stream that it was given up on takes no work, because a capture was left on it. That comes after the checks of the
/// model, which end no doubt.
#[proves(DATA_10, MODEL_15)]
#[test]
fn a_refused_execution_behind_one_that_was_given_up_does_not_show_that_it_is_over() {
    let alone = alone();
    inside(|current| {
        let mut own = current.stream().unwrap().without_allocator();
        let mut model = bound(current);
        let (release, released) = channel::<()>();
        let held = move || released.recv_timeout(Duration::from_secs(20)).is_ok();
        drop(own.launch_host_fn(current, held).unwrap());
        let late = own.run_bound_within(current, &mut model, Duration::from_millis(20)).unwrap_err();
        assert!(late.code().is_some_and(|code| code.is_timeout()), "{late}");
        fail("aclmdlRICaptureEnd=507899");
        let buffer = current.upload(&[1_u8; 4]).unwrap();
        drop(own.capture(current, CaptureMode::Relaxed, buffer, |_, _| Ok(())));
        let failed = own.execute(current, model).unwrap_err();
        nothing_fails();
        assert!(matches!(failed.error, Error::Capturing), "{}", failed.error);
        let mut model = failed.value;
        let written = model.write(current, 0, &[7.0_f32; 4]);
        let failed = model.into_model(current).map(drop).unwrap_err();
        release.send(()).unwrap();
        assert!(matches!(written, Err(Error::StillRunning { .. })), "{written:?}");
        assert!(matches!(failed.error, Error::StillRunning { .. }), "{}", failed.error);
        // Once it is over, the memory is as good as before: the refused execution was not queued.
        own.destroy(current).unwrap();
        let mut model = failed.value;
        model.write(current, 0, &[7.0_f32; 4]).unwrap();
        model.run(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), [5.0; 4]);
    });
    alone.assert_nothing_lives();
}

/// Only copies of pageable memory take place inside of the call.
#[proves(COPY_05)]
#[test]
fn a_copy_of_pinned_memory_behind_work_with_the_same_memory_waits_on_the_stream_alone() {
    let alone = alone();
    inside(|current| {
        let own = current.stream().unwrap().without_allocator();
        let (model, [first, second]) = (bound(current), [(); 2].map(|()| current.host_buffer::<f32>(4).unwrap()));
        let (release, released) = channel::<()>();
        let held = move || released.recv_timeout(Duration::from_secs(5)).is_ok();
        let (held, begun) = (own.launch_host_fn(current, held).unwrap(), Instant::now());
        let executed = own.execute(current, model).unwrap();
        let (_host, copied) = own.copy_to_input(current, first, executed, 0).unwrap().split();
        let again = own.copy_to_input(current, second, copied, 0).unwrap();
        release.send(()).unwrap();
        drop(again.wait(current).unwrap());
        drop(held);
        assert!(begun.elapsed() < Duration::from_secs(5), "the copies have waited in their calls");
    });
    alone.assert_nothing_lives();
}
