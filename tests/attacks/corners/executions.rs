//! Executions and runs that are in doubt, and what is done with the model meanwhile and afterwards.

use super::*;
use ascendcl::capture::CaptureMode;
use ascendcl::model::{Load, ModelSource, OutputBuffer};
use ascendcl::{BoundModel, Brand, Current, Error, Failed, Input};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::sync::mpsc::channel;
use std::time::Duration;

/// A run that fails although it began, and cannot be waited for.
const IN_DOUBT: &str = "aclmdlExecute#1=after:507899,aclrtSynchronizeDeviceWithTimeout#1+=507899";

fn bound<C: Brand>(current: &Current<C>) -> BoundModel<C> {
    let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
    let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
    model.write(current, 0, &[5.0_f32; 4]).unwrap();
    model.write(current, 1, &[2.0_f32; 4]).unwrap();
    model
}

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
            let work = || current.workspace(current.model_size(source).unwrap().work).unwrap();
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
        fail(IN_DOUBT);
        model.run(current, &inputs).map(drop).unwrap_err();
        nothing_fails();
        let model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
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
