//! Running models through the safe layer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{
    Error, Input, RunError,
    error::{CodeKind, InputError},
    model::ModelSource,
};
use ascendcl_macros::proves;
use common::plans::{must_not_call, nothing_fails};
use common::{alone, data, digits, largest, library};

#[proves(MODEL_18, MODEL_20, DATA_09, DATA_11)]
#[test]
fn digits_are_classified_alike_in_batches_of_any_size() {
    let alone = alone();
    let (labels, pixels) = digits();
    for batch in [1, 7, labels.len()] {
        let predictions: Vec<usize> = ascendcl::run(library(), |current| {
            let mut model = current.load_model(data("digits.onnx"))?;
            let mut predictions = Vec::new();
            for images in pixels.chunks(64 * batch) {
                let outputs = model.run(current, &[Input::new(&[images.len() / 64, 64], images)?])?;
                let probabilities = outputs.get(0)?.to_vec::<f32>()?;
                predictions.extend(probabilities.chunks(10).map(largest));
            }
            model.unload(current)?;
            Ok::<_, Error>(predictions)
        })
        .unwrap();
        let right = predictions.iter().zip(&labels).filter(|(prediction, label)| prediction == label).count();
        assert_eq!(right, 352, "in batches of {batch}");
    }
    // The simulator looks at the index and the dimensions of each description.
    alone.assert_nothing_lives();
}

#[proves(MODEL_11, MODEL_24)]
#[test]
fn a_model_describes_its_inputs_and_outputs() {
    let _alone = alone();
    ascendcl::run(library(), |current| {
        let model = current.load(ModelSource::memory(&std::fs::read(data("digits.onnx")).unwrap()).into())?;
        assert_eq!(model.inputs()[0].to_string(), "images: f32 [_, 64]");
        assert_eq!(model.outputs()[0].to_string(), "probabilities: f32 [_, 10]");
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[proves(DATA_07, DATA_08)]
#[test]
fn inputs_that_do_not_fit_are_refused_before_the_model_runs() {
    let _alone = alone();
    ascendcl::run(library(), |current| {
        let mut model = current.load_model(data("digits.onnx"))?;
        let (floats, bytes) = ([0.0_f32; 64], [0_u8; 64]);
        let message = |error: Error| error.to_string();

        // The model, in its two ways to run, is not asked.
        must_not_call("aclmdlExecute=507899,aclmdlExecuteAsync=507899");
        let none = model.run(current, &[]).map_err(message).unwrap_err();
        assert_eq!(none, "the model takes 1 input(s) (`images`), but 0 were given [DATA-07]");
        let other = model.run(current, &[Input::new(&[1, 64], &bytes)?]).map_err(message).unwrap_err();
        assert_eq!(other, "input `images` takes f32, but u8 was given [DATA-08]");
        let shape = model.run(current, &[Input::new(&[64], &floats)?]).map_err(message).unwrap_err();
        assert_eq!(shape, "input `images` takes the shape [_, 64], but [64] was given [DATA-08]");
        let short = Input::new(&[2, 64], &floats).map_err(message).unwrap_err();
        assert_eq!(short, "the shape [2, 64] has 128 elements, but the data has 64 [DATA-08]");
        let wrapped = Input::new(&[usize::MAX, 2], &floats).unwrap_err();
        assert!(matches!(wrapped, Error::Input(input) if matches!(*input, InputError::Length { .. })));
        nothing_fails();

        let outputs = model.run(current, &[Input::new(&[1, 64], &floats)?])?;
        let wrong = outputs.get(0)?.to_vec::<i32>().map_err(message).unwrap_err();
        assert_eq!(
            wrong,
            "output `probabilities` holds f32 and cannot be read as i32: ask for f32, or for its bytes [DATA-08]"
        );
        let missing = outputs.get(1).map(|_| ()).map_err(message).unwrap_err();
        assert_eq!(missing, "there is no output 1: the model has 1");
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[proves(MODEL_12, MODEL_27, ERR_03, ERR_05)]
#[test]
fn a_missing_or_broken_model_file_is_an_error_that_says_what_was_done() {
    let alone = alone();
    let missing = ascendcl::run(library(), |current| current.load_model("no/such/model.om").map(drop));
    let RunError::Program(Error::Vendor(error)) = missing.unwrap_err() else { panic!("another error") };
    assert_eq!((error.call, error.code.number()), ("aclmdlLoadFromFile", 145_002));
    assert_eq!(error.code.name(), Some("ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID"));
    assert_eq!(error.code.kind(), CodeKind::Usage);
    assert_eq!(error.doing, "load the model no/such/model.om");
    assert!(error.text.as_deref().is_some_and(|text| text.contains("no/such/model.om")), "{:?}", error.text);

    let mut image = std::fs::read(data("digits.onnx")).unwrap();
    image.truncate(1000);
    let broken = ascendcl::run(library(), |current| -> Result<(), Error> {
        Ok(current.load(ModelSource::memory(&image).into()).map(drop)?)
    });
    let text = broken.unwrap_err().to_string();
    assert!(
        text.starts_with("could not load a model of 1000 bytes from memory: aclmdlLoadFromMem answered "),
        "{text}"
    );
    alone.assert_nothing_lives();
}

#[test]
fn device_memory_that_runs_out_is_an_error_and_dropped_buffers_make_room() {
    let alone = alone();
    ascendcl::run(library(), |current| {
        let total = current.memory_info()?.total;
        let most = current.device_buffer::<u8>(total / 4 * 3)?;
        let error = current.device_buffer::<u8>(total / 2).unwrap_err();
        assert_eq!(error.code().and_then(|code| code.name()), Some("ACL_ERROR_RT_MEMORY_ALLOCATION"));
        drop(most);
        // The dropped buffer is still allocated; the allocation that needs its room frees it.
        current.device_buffer::<u8>(total / 2)?.free(current)?;
        Ok::<_, Error>(())
    })
    .unwrap();
    alone.assert_nothing_lives();
}
