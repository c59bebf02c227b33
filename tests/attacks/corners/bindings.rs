//! Models and their datasets when single calls of the library fail: what is told, what is left, and what is used again.

use super::*;
use crate::common::{acl, product};
use ascendcl::model::{Load, ModelSource, OutputBuffer};
use ascendcl::{Current, Error, OrDrop, Runtime};
use ascendcl_macros::proves;
use ascendcl_sim::control;

ascendcl::names!(Bound);

/// The function that failed.
#[track_caller]
fn failed_call<T>(result: Result<T, impl Into<Error>>) -> &'static str {
    let Err(error) = result.map_err(Into::into) else { panic!("a call that failed was not told") };
    let Error::Vendor(failure) = error else { panic!("{error}") };
    failure.call
}

#[track_caller]
fn is_gone<T>(result: Result<T, impl Into<Error>>) {
    let Err(error) = result.map_err(Into::into) else { panic!("half of a binding was used") };
    assert!(matches!(error, Error::Gone { .. }), "{error}");
}

/// The library has destroyed the buffers, and not the list of them.
#[proves(DATA_05, DATA_10)]
#[test]
fn a_binding_that_is_destroyed_in_part_is_used_by_nothing() {
    let alone = alone();
    inside(|current| {
        let own = current.stream().unwrap().without_allocator();
        let mut model = own.execute(current, bound(current)).unwrap().wait(current).unwrap();
        (0..2).for_each(|_| model.run(current).unwrap());
        fail("aclmdlDestroyDataset#1=507899");
        let failed = model.into_model(current).unwrap_err();
        nothing_fails();
        let mut model = failed.value;
        is_gone(model.run(current));
        is_gone(own.run_bound(current, &mut model));
        is_gone(model.reshape(current, &[&[4], &[4]]));
        is_gone(model.exchange_input::<f32>(current, 0, current.upload(&[0.0; 4]).unwrap()).or_drop());
        let failed = own.execute(current, model).unwrap_err();
        is_gone::<()>(Err(failed.error));
        failed.value.into_model(current).unwrap().unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_01, MODEL_12)]
#[test]
fn each_call_that_a_load_and_a_binding_need_is_told_when_it_fails() {
    let alone = alone();
    let image = product("2,5;1,1");
    let sizes =
        ["aclmdlGetDynamicBatch", "aclmdlGetDynamicHW", "aclmdlGetInputDynamicGearCount", "aclmdlGetInputDynamicDims"];
    inside(|current| {
        for call in sizes {
            fail(&format!("{call}#1=507899"));
            assert_eq!(failed_call(current.load(ModelSource::memory(&image).into())), call);
            nothing_fails();
        }
        for number in 1..=3 {
            let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
            fail(&format!("aclmdlAddDatasetBuffer#{number}=507899"));
            let failed = model.bind(current, &[&[4], &[4]], &[&[4]]).or_drop();
            assert_eq!(failed_call(failed), "aclmdlAddDatasetBuffer");
            nothing_fails();
        }
        collect(current);
        assert_lives!(models, 0);
    });
    alone.assert_nothing_lives();
}

/// Another model is loaded under another number.
#[proves(MODEL_02, MODEL_14)]
#[test]
fn a_model_that_is_there_although_its_load_failed_is_unloaded_beside_others() {
    let alone = alone();
    let image = difference();
    inside(|current| {
        let load = || current.load(ModelSource::memory(&image).into());
        let other = load().unwrap();
        fail("aclmdlLoadFromMem#1=after:507899");
        assert_eq!(failed_call(load()), "aclmdlLoadFromMem");
        nothing_fails();
        assert_lives!(models, 1);
        other.unload(current).unwrap();
        assert_lives!(models, 0);
    });
    alone.assert_nothing_lives();
}

/// The library has no shape of an output that it does not tell.
#[proves(DATA_09)]
#[test]
fn a_shape_of_which_the_library_does_not_tell_a_size_is_unknown() {
    let alone = alone();
    inside(|current| {
        let own = current.stream().unwrap().without_allocator();
        let model = current.load(ModelSource::memory(&positions()).into()).unwrap();
        let mut model = model.bind_with(current, &[&[4]], &[OutputBuffer::ByLibrary]).unwrap();
        model.write(current, 0, &[0.0_f32, 5.0, 0.0, 1.0]).unwrap();
        let model = own.execute(current, model).unwrap().wait(current).unwrap();
        assert_eq!(model.output_shape(current, 0).unwrap(), [1, 2]);
        fail("aclGetTensorDescDimV2#2=507899");
        let unknown = model.output_shape(current, 0).unwrap_err();
        nothing_fails();
        assert!(matches!(unknown, Error::UnknownShape { .. }), "{unknown}");
    });
    alone.assert_nothing_lives();
}

/// Without working memory of the program.
#[proves(MODEL_03)]
#[test]
fn a_model_with_weights_of_the_program_alone_is_loaded_onto_them() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let weights = current.weights(source).unwrap();
        fail("aclmdlLoadFromMemWithMem=507899");
        let load = Load::builder().source(source).weights(&weights).build();
        assert_eq!(failed_call(current.load(load)), "aclmdlLoadFromMemWithMem");
        nothing_fails();
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_12, DATA_09)]
#[test]
fn a_loaded_model_keeps_no_description_and_a_fixed_shape_is_not_set() {
    let alone = alone();
    inside(|current| {
        must_not_call("aclCreateTensorDesc=507899,aclmdlSetDatasetTensorDesc=507899");
        let mut model = bound(current);
        nothing_fails();
        let live = control::live();
        assert_eq!((live.models, live.model_descriptions, live.tensor_descriptions), (1, 0, 0));
        model.run(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
    });
    alone.assert_nothing_lives();
}

/// The library says of a model that was loaded that there is none with its number.
#[proves(MODEL_14, ERR_01)]
#[test]
fn an_unload_that_finds_no_model_is_an_error_where_no_unload_came_before() {
    let alone = alone();
    inside(|current| {
        for code in [145_003, 100_011] {
            let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
            fail(&format!("aclmdlUnload#1={code}"));
            let failed = model.unload(current).unwrap_err();
            nothing_fails();
            assert_eq!(failed.error.code().map(|code| code.number()), Some(code));
            failed.value.unload(current).unwrap();
            assert_lives!(models, 0);
        }
    });
    alone.assert_nothing_lives();
}

/// The call was not made, because another context was current.
#[proves(MODEL_14, CTX_05)]
#[test]
fn a_model_whose_unload_was_not_even_tried_is_used_again() {
    let (alone, _others) = crate::undisturbed();
    let setup = acl();
    setup.verify_current(true);
    with_current_of(&setup, |current| {
        let mut model = current.load(ModelSource::memory(&digits_in_batches_of(1)).into()).unwrap();
        crate::leaving::sets_device(1);
        let refused = model.unload(current).unwrap_err();
        crate::leaving::resets_device(1);
        assert!(matches!(refused.error, Error::CurrentChanged { .. }), "{}", refused.error);
        assert!(current.foreign(|| ()).changed);
        model = refused.value;
        let input = ascendcl::Input::new(&[1, 64], &[0.0_f32; 64]).unwrap();
        drop(model.run(current, &[input]).unwrap());
        model.unload(current).unwrap();
    });
    setup.verify_current(false);
    setup.close().unwrap();
    alone.assert_nothing_lives();
}

fn with_current_of(acl: &ascendcl::Acl, program: impl FnOnce(&mut Current<ascendcl::Scoped<'_>>)) {
    let mut thread = ascendcl::Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device.with_current(&mut thread, program).unwrap();
    device.reset(&mut thread).unwrap();
}

/// The memory of an output would be freed in the other context.
#[proves(STREAM_09, DATA_06)]
#[test]
fn a_model_is_not_taken_out_of_its_binding_in_another_runtime_of_the_name() {
    let alone = alone();
    let open = || Runtime::<Bound>::open(library()).unwrap();
    let (one, two) = (open(), open());
    let model = one.with(|current| {
        let own = current.stream().unwrap().without_allocator();
        let model = current.load(ModelSource::memory(&positions()).into()).unwrap();
        let mut model = model.bind_with(current, &[&[4]], &[OutputBuffer::ByLibrary]).unwrap();
        model.write(current, 0, &[0.0_f32, 5.0, 0.0, 1.0]).unwrap();
        own.execute(current, model).unwrap().wait(current).unwrap()
    });
    let blocks = control::live().device_blocks;
    let failed = two.with(|current| model.unwrap().into_model(current).map(drop).unwrap_err()).unwrap();
    assert!(matches!(failed.error, Error::WrongContext { .. }), "{}", failed.error);
    assert_lives!(device_blocks, blocks);
    let read = one.with(|current| failed.value.read::<i64>(current, 0).unwrap()).unwrap();
    assert_eq!(read, [1, 3]);
    drop(failed);
    one.close().unwrap();
    two.close().unwrap();
    alone.assert_nothing_lives();
}
