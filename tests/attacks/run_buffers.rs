//! Attacks on the device memory that a model keeps from one run to the next.

use super::common::{alone, data, digits, predictions};
use super::{collect, fail, inside, nothing_fails};
use crate::common::assert_lives;
use ascendcl::{Brand, Current, Error, Input, Model};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;

const NO_MEMORY: i32 = 207_001;

fn load<C: Brand>(current: &Current<C>) -> Model<C> {
    current.load_model(data("digits.onnx")).unwrap()
}

/// Runs the model on images from the `first` one on, and looks whether it sees the right digits.
fn sees<C: Brand>(current: &mut Current<C>, model: &mut Model<C>, first: usize, count: usize) -> Result<(), Error> {
    let (labels, pixels) = digits();
    let pixels = &pixels[first * 64..(first + count) * 64];
    let outputs = model.run(current, &[Input::new(&[count, 64], pixels)?])?;
    let seen = predictions(&outputs.get(0)?.to_vec::<f32>()?);
    let right = seen.iter().zip(&labels[first..]).filter(|(seen, label)| seen == label).count();
    assert!(right * 10 >= count * 9, "{right} of {count} are right");
    Ok(())
}

fn code(ran: Result<(), Error>) -> Option<i32> {
    ran.unwrap_err().code().map(|code| code.number())
}

#[proves(MODEL_20, DATA_08)]
#[test]
fn a_run_has_memory_of_its_own_shapes_and_none_is_allocated_for_the_same_ones() {
    let alone = alone();
    inside(|current| {
        let mut model = load(current);
        sees(current, &mut model, 0, 20).unwrap();
        let blocks = control::live().device_blocks;
        fail("aclrtMalloc#1+=207001");
        for first in [20, 40, 60] {
            sees(current, &mut model, first, 20).unwrap();
        }
        assert_eq!(code(sees(current, &mut model, 0, 30)), Some(NO_MEMORY));
        nothing_fails();
        for (first, count) in [(0, 30), (30, 20), (60, 40), (20, 20)] {
            sees(current, &mut model, first, count).unwrap();
            assert_lives!(device_blocks, blocks, "those of the other shapes are freed");
        }
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_14, DATA_07)]
#[test]
fn memory_of_runs_goes_when_it_is_asked_for_and_with_the_model_however_that_goes() {
    let alone = alone();
    inside(|current| {
        let ran = |current: &mut Current<_>| {
            let mut model = load(current);
            sees(current, &mut model, 0, 20).unwrap();
            model
        };
        let mut model = load(current);
        let of_the_model = control::live().device_blocks;
        sees(current, &mut model, 0, 20).unwrap();
        assert_lives!(device_blocks, of_the_model + 1, "the input");
        model.free_buffers(current).unwrap();
        model.free_buffers(current).unwrap();
        assert_lives!(device_blocks, of_the_model);
        sees(current, &mut model, 0, 20).unwrap();
        model.unload(current).unwrap();
        assert_lives!(device_blocks, 0);
        let bound = ran(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        assert_lives!(device_blocks, of_the_model + 2, "those that the model was bound to");
        let mut model = bound.into_model(current).unwrap();
        sees(current, &mut model, 20, 20).unwrap();
        drop((model, ran(current)));
        collect(current);
        collect(current);
        assert_lives!(device_blocks, 0);
        mem::forget(ran(current));
        Box::leak(Box::new(ran(current)));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_01)]
#[test]
fn memory_that_the_library_does_not_release_is_not_used_again_and_the_model_is() {
    let alone = alone();
    inside(|current| {
        for refused in ["aclmdlDestroyDataset#1", "aclDestroyDataBuffer#1", "aclrtFree#1"] {
            let mut model = load(current);
            sees(current, &mut model, 0, 20).unwrap();
            fail(&format!("{refused}=507899"));
            assert_eq!(code(sees(current, &mut model, 0, 30)), Some(507_899), "{refused}");
            nothing_fails();
            sees(current, &mut model, 0, 30).unwrap();
            fail(&format!("{refused}=507899"));
            let failed = model.unload(current).unwrap_err();
            assert_eq!(failed.error.code().map(|code| code.number()), Some(507_899), "{refused}");
            nothing_fails();
            let mut model = failed.value;
            sees(current, &mut model, 30, 20).unwrap();
            fail(&format!("{refused}=507899"));
            let failed = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap_err();
            nothing_fails();
            failed.value.unload(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_16, DATA_10)]
#[test]
fn memory_of_a_run_that_nobody_could_wait_for_is_not_used_or_freed_until_somebody_could() {
    let alone = alone();
    inside(|current| {
        let mut model = load(current);
        sees(current, &mut model, 0, 20).unwrap();
        let blocks = control::live().device_blocks;
        fail("aclmdlExecute#1=after:507899,aclrtSynchronizeDeviceWithTimeout#1+=507899");
        assert_eq!(code(sees(current, &mut model, 20, 20)), Some(507_899));
        nothing_fails();
        collect(current);
        assert!(control::live().device_blocks > blocks, "the run may still use them, and has allocated its output");
        let error = sees(current, &mut model, 40, 20).unwrap_err();
        assert!(matches!(error, Error::StillRunning { .. }), "{error}");
        assert!(control::live().device_blocks >= blocks);
        current.synchronize().unwrap();
        sees(current, &mut model, 40, 20).unwrap();
        collect(current);
        assert_lives!(device_blocks, blocks);
    });
    alone.assert_nothing_lives();
}
