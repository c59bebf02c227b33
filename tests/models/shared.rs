//! Models with several users, and models that share a lane's workspace or weights.

use super::{assert_no_findings, inside, predictions, strict, with_device};
use crate::common::{acl, alone, assert_lives, data, digits};
use ascendcl::{
    Error, Input, Thread,
    model::{Load, ModelSource},
};
use ascendcl_macros::proves;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[proves(MODEL_07)]
#[test]
fn an_unloaded_model_gives_its_room_in_a_lane_to_the_next() {
    let alone = alone();
    strict(false);
    let file = data("digits-8.onnx");
    inside(|current| {
        let source = ModelSource::file(&file);
        let workspace = current.workspace(current.model_size(source)?.workspace)?;
        let stream = current.stream()?.without_allocator();
        current.workspace_lane(stream, workspace, |current, mut lane| {
            for _ in 0..3 {
                let model = lane.load(current, source.into())?;
                assert!(matches!(lane.load(current, source.into()), Err(Error::TooShort { .. })));
                model.unload(current)?;
            }
            Ok(())
        })
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_06, MODEL_16)]
#[test]
fn a_run_in_a_shared_lane_that_does_not_get_its_turn_in_time_says_so_and_runs_nothing() {
    let alone = alone();
    strict(false);
    let (file, (labels, pixels)) = (data("digits-8.onnx"), digits());
    let images = || Input::new(&[8, 64], &pixels[..512]).unwrap();
    let source = ModelSource::file(&file);
    let busy = AtomicBool::new(false);
    let until = Instant::now() + Duration::from_secs(60);
    let goes_on = || !busy.load(Ordering::Acquire) && Instant::now() < until;
    with_device(acl(), |device, thread| {
        let scope = device.context(thread, |context, thread| {
            context.enter(thread, |current| {
                let workspace = current.workspace(3 * current.model_size(source).unwrap().workspace).unwrap();
                current.workspace_mutex(workspace, |_, lane| {
                    std::thread::scope(|scope| {
                        for impatient in [false, false, true] {
                            let (lane, images, labels, goes_on, busy) = (&lane, &images, &labels, &goes_on, &busy);
                            scope.spawn(move || {
                                let mut thread = Thread::new().unwrap();
                                let entered = context.enter(&mut thread, |current| {
                                    let mut model = lane.load(current, source.into()).unwrap();
                                    while goes_on() {
                                        let limit = if impatient { Duration::ZERO } else { Duration::MAX };
                                        let images = images();
                                        match lane.run_within(current, &mut model, &[images], limit) {
                                            Ok(outputs) => {
                                                let found = outputs.get("probabilities").unwrap().to_vec().unwrap();
                                                assert_eq!(predictions(&found), labels[..8]);
                                            }
                                            Err(Error::WorkspaceBusy { .. }) if impatient => {
                                                busy.store(true, Ordering::Release);
                                            }
                                            Err(error) => panic!("{error}"),
                                        }
                                    }
                                });
                                entered.unwrap();
                            });
                        }
                    });
                });
            })
        });
        scope.unwrap().unwrap();
    });
    assert!(busy.load(Ordering::Acquire), "two models were always running");
    assert_no_findings();
    alone.assert_nothing_lives();
}

#[proves(MODEL_01)]
#[test]
fn a_model_is_loaded_in_one_thread_run_in_a_second_and_unloaded_in_a_third() {
    let alone = alone();
    strict(false);
    let (file, (labels, pixels)) = (data("digits-8.onnx"), digits());
    with_device(acl(), |device, thread| {
        let scope = device.context(thread, |context, _| {
            let model = std::thread::scope(|scope| {
                let loads = scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    context.enter(&mut thread, |current| current.load_model(&file).unwrap()).unwrap()
                });
                loads.join().unwrap()
            });
            let model = std::thread::scope(|scope| {
                let runs = scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    let entered = context.enter(&mut thread, |current| -> Result<_, Error> {
                        let mut model = model.bind(current, &[&[8, 64]], &[&[8, 10]])?;
                        let stream = current.stream()?.without_allocator();
                        model.write(current, "images", &pixels[..512])?;
                        let model = stream.execute(current, model)?.wait(current)?;
                        assert_eq!(predictions(&model.read::<f32>(current, "probabilities")?), labels[..8]);
                        let mut model = model.into_model(current)?;
                        let outputs = model.run(current, &[Input::new(&[8, 64], &pixels[512..1024])?])?;
                        assert_eq!(predictions(&outputs.get(0)?.to_vec::<f32>()?), labels[8..16]);
                        Ok(model)
                    });
                    entered.unwrap().unwrap()
                });
                runs.join().unwrap()
            });
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    context.enter(&mut thread, |current| model.unload(current).unwrap()).unwrap();
                });
            });
            assert_lives!(models, 0);
        });
        scope.unwrap();
    });
    assert_no_findings();
    alone.assert_nothing_lives();
}

#[proves(MODEL_09)]
#[test]
fn weights_of_a_file_that_was_replaced_are_not_written_over() {
    let alone = alone();
    let file = std::env::temp_dir().join(format!("ascendcl-replaced-{}.onnx", std::process::id()));
    std::fs::copy(data("digits-8.onnx"), &file).unwrap();
    inside(|current| {
        let weights = current.weights(ModelSource::file(&file))?;
        let load = || Load::builder().source(ModelSource::file(&file)).weights(&weights).build();
        let model = current.load(load())?;
        // Other contents, as long as they were, and changed at the same time.
        let changed = std::fs::metadata(&file).unwrap().modified().unwrap();
        let mut contents = std::fs::read(&file).unwrap();
        let description = contents.windows(10).position(|bytes| bytes == b"Recognises").unwrap();
        contents[description] = b'r';
        std::fs::write(&file, contents).unwrap();
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(changed).unwrap();
        let refused = current.load(load()).unwrap_err();
        assert!(matches!(refused.error, Error::WeightsOfOtherModel { .. }), "{}", refused.error);
        // The same contents are the same model, wherever and whenever they were written.
        std::fs::copy(data("digits-8.onnx"), &file).unwrap();
        current.load(load())?.unload(current)?;
        Ok(model.unload(current)?)
    });
    std::fs::remove_file(&file).unwrap();
    alone.assert_nothing_lives();
}
