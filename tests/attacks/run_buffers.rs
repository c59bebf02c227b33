//! Attacks on the device memory that a model keeps from one run to the next.

use super::common::{alone, data, digits, library, predictions, under_watch};
use super::{collect, fail, inside, must_not_call, nothing_fails};
use crate::common::assert_lives;
use ascendcl::{Brand, Current, Error, Input, Model, Runtime, Setup};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::mem;
use std::thread;
use std::time::Duration;

ascendcl::names!(Vision);

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

/// The library refuses to destroy what describes the memory. So it may still read there, until it agrees.
#[proves(DATA_02)]
#[test]
fn memory_of_a_run_is_freed_after_the_data_buffers_that_describe_it() {
    for refused in ["aclDestroyDataBuffer#1=507899", "aclmdlDestroyDataset#1=507899"] {
        let alone = alone();
        inside(|current| {
            let mut model = load(current);
            sees(current, &mut model, 0, 20).unwrap();
            let blocks = control::live().device_blocks;
            fail(refused);
            model.free_buffers(current).unwrap_err();
            nothing_fails();
            assert_lives!(device_blocks, blocks, "freed although a data buffer may be over it: {refused}");
            sees(current, &mut model, 0, 20).unwrap();
            collect(current);
            assert_lives!(device_blocks, blocks);
            model.unload(current).map_err(Error::from).unwrap();
            assert_lives!(device_blocks, 0);
        });
        alone.assert_nothing_lives();
    }
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

#[proves(CTX_05, MODEL_12)]
#[test]
fn memory_of_runs_goes_from_thread_to_thread_with_its_model() {
    let alone = alone();
    let runtime = Runtime::<Vision>::open(library()).unwrap();
    let mut model = runtime.with(|current| load(current)).unwrap();
    for first in [0, 20, 40] {
        let runtime = &runtime;
        model = thread::scope(|scope| {
            let ran = scope.spawn(move || {
                runtime.with(|current| sees(current, &mut model, first, 20)).unwrap().unwrap();
                model
            });
            ran.join().unwrap()
        });
        if first == 0 {
            must_not_call("aclrtMalloc#1+=207001");
        }
    }
    nothing_fails();
    drop(model);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_06, MEM_11)]
#[test]
fn memory_of_runs_is_not_used_or_freed_in_another_runtime_of_the_same_name_and_stays() {
    let alone = alone();
    let open = || Runtime::<Vision>::open(library()).unwrap();
    let (one, two) = (open(), open());
    let mut model = one
        .with(|current| {
            let mut model = load(current);
            sees(current, &mut model, 0, 20).unwrap();
            model
        })
        .unwrap();
    let blocks = control::live().device_blocks;
    let wrong = |error: &Error| assert!(matches!(error, Error::WrongContext { .. }), "{error}");
    model = two
        .with(|current| {
            wrong(&sees(current, &mut model, 0, 20).unwrap_err());
            wrong(&sees(current, &mut model, 0, 30).unwrap_err());
            wrong(&model.free_buffers(current).unwrap_err());
            let failed = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap_err();
            wrong(&failed.error);
            let failed = failed.value.unload(current).unwrap_err();
            wrong(&failed.error);
            failed.value
        })
        .unwrap();
    assert_lives!(device_blocks, blocks, "nothing was touched");
    one.with(|current| {
        must_not_call("aclrtMalloc#1+=207001");
        sees(current, &mut model, 20, 20).unwrap();
        nothing_fails();
    })
    .unwrap();
    one.close().unwrap();
    // Its context has gone, and its memory with it.
    two.with(|current| {
        assert!(sees(current, &mut model, 0, 20).is_err());
        assert!(model.free_buffers(current).is_err());
    })
    .unwrap();
    two.close().unwrap();
    drop(model);
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn memory_of_runs_goes_with_a_runtime_that_is_closed_by_force() {
    // A device of its own: some tests leave others taken for good, and those are not reset by force.
    const DEVICE: i32 = 5;
    let alone = alone();
    control::configure(under_watch(Config::new().devices(6))).unwrap();
    let open = || Runtime::<Vision>::open(Setup::builder().library(library()).device(DEVICE).build()).unwrap();
    let runtime = open();
    let mut model = runtime
        .with(|current| {
            let mut model = load(current);
            sees(current, &mut model, 0, 20).unwrap();
            model
        })
        .unwrap();
    runtime.close_by_force(Duration::from_secs(10)).unwrap();
    let next = open();
    next.with(|current| {
        assert!(sees(current, &mut model, 0, 20).is_err());
        drop(model);
        sees(current, &mut load(current), 0, 20).unwrap();
    })
    .unwrap();
    next.close().unwrap();
    alone.assert_nothing_lives();
}
