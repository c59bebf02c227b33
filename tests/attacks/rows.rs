//! Pairs of failing calls: one creates or uses an object, the other releases it. An object of the library keeps its
//! row, and the row keeps the memory lent to it.

use super::common::onnx::{self, FLOAT, INT64, node, output};
use super::common::{Alone, acl, alone, c_library, data, digits_in_batches_of, library_at, under_watch};
use super::{books, collect, fail, inside, nothing_fails, with_device};
use crate::common::assert_lives;
use ascendcl::operator;
use ascendcl::{
    Acl, Brand, Current, Error, Input, ScopeError, Scoped, Thread,
    model::{Load, ModelSource, OutputBuffer},
};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};

const ZEROS: [f32; 512] = [0.0; 512];

pub(super) fn zeros() -> Input<'static> {
    Input::new(&[8, 64], &ZEROS).unwrap()
}

fn on_the_device() -> Alone {
    let alone = alone();
    control::configure(under_watch(Config::new().on_device(true))).unwrap();
    alone
}

/// The calls of these names each fail twice, which is once more than a call that is tried again at once.
fn twice(calls: &[&str]) -> String {
    calls.iter().map(|call| format!("{call}#1=507899,{call}#2=507899")).collect::<Vec<_>>().join(",")
}

/// Two outputs, whose shapes only the execution tells.
fn positions_twice() -> Vec<u8> {
    let output = |name| [node("NonZero", &["x"], name), output(name, INT64, &["1", "found"])].concat();
    onnx::model(&[onnx::input("x", FLOAT, &["4"]), output("y"), output("z")])
}

#[proves(MODEL_02, MODEL_04, MODEL_14)]
#[test]
fn a_model_that_stays_after_a_failed_load_keeps_its_workspace_from_a_second_model() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    // Room for one model, and for several.
    for room in [1, 3] {
        inside(|current| {
            let source = ModelSource::memory(&image);
            let work = current.model_size(source).unwrap().workspace;
            let workspace = current.workspace(room * work).unwrap();
            fail("aclmdlGetDesc#1=507899,aclmdlUnload#1=507899,aclmdlUnload#2=507899");
            let refused = current.load(Load::builder().source(source).workspace(workspace).build()).unwrap_err();
            assert_lives!(models, 1, "the library has it still");
            let refused = current.load(refused.value).unwrap_err();
            assert_eq!(
                refused.error.to_string(),
                "a failed load has left a model in this workspace: unload it with `current.collect()`, or use another \
                 workspace [MODEL-04]"
            );
            // The second refusal.
            assert_eq!(current.collect().len(), 1);
            let mut load = current.load(refused.value).unwrap_err().value;
            let stays = control::live().device_blocks;
            drop(load.workspace.take());
            // The third time, the library agrees: the model goes, and then its memory.
            nothing_fails();
            load.workspace = Some(current.workspace(work).unwrap());
            let blocks = control::live().device_blocks;
            assert_eq!(blocks, stays + 1);
            collect(current);
            collect(current);
            assert_eq!((control::live().models, control::live().device_blocks), (0, 1));
            current.load(load).unwrap().unload(current).unwrap();
        });
        alone.assert_nothing_lives();
    }
}

#[proves(MODEL_02, MODEL_03, MODEL_09)]
#[test]
fn memory_that_nobody_names_stays_under_a_model_that_a_failed_load_left() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let (work, weights) = (current.model_size(source).unwrap().workspace, current.weights(source).unwrap());
        let workspace = current.workspace(work).unwrap();
        fail("aclmdlGetDesc#1=507899,aclmdlUnload#1+=507899");
        let load = Load::builder().source(source).weights(&weights).workspace(workspace).build();
        drop(current.load(load).unwrap_err());
        drop(weights);
        assert_eq!(current.collect().len(), 1);
        assert_eq!(current.collect().len(), 1);
        assert_eq!((control::live().models, control::live().device_blocks), (1, 2));
        nothing_fails();
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_02, MODEL_04, MODEL_14)]
#[test]
fn a_lane_in_which_a_failed_load_left_a_model_has_less_room() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    inside(|current| {
        let source = ModelSource::memory(&image);
        let workspace = current.workspace(current.model_size(source).unwrap().workspace).unwrap();
        current.workspace_mutex(workspace, |current, lane| {
            fail("aclmdlGetDesc#1=507899,aclmdlUnload#1=507899");
            lane.load(current, source.into()).unwrap_err();
            let full = lane.load(current, source.into()).unwrap_err();
            assert!(matches!(full, Error::TooShort { .. }), "{full}");
            collect(current);
            lane.load(current, source.into()).unwrap().unload(current).unwrap();
        });
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_06)]
#[test]
fn an_output_by_the_library_is_not_lost_when_another_cannot_be_emptied() {
    let alone = alone();
    let image = positions_twice();
    for position in ["#1", "#2", "#1+"] {
        inside(|current| {
            let stream = current.stream().unwrap().without_allocator();
            let model = current.load(ModelSource::memory(&image).into()).unwrap();
            let rooms = [OutputBuffer::ByLibrary, OutputBuffer::ByLibrary];
            let mut prepared = model.bind_with(current, &[&[4]], &rooms).unwrap();
            prepared.write(current, 0, &[0.0_f32, 5.0, 0.0, 1.0]).unwrap();
            prepared = stream.execute(current, prepared).unwrap().wait(current).unwrap();
            fail(&format!("aclUpdateDataBuffer{position}=507899"));
            let failed = prepared.into_model(current).unwrap_err();
            nothing_fails();
            failed.value.into_model(current).unwrap().unload(current).unwrap();
            collect(current);
            assert_lives!(device_blocks, 0, "{position}");
        });
        alone.assert_nothing_lives();
    }
}

#[proves(DATA_06)]
#[test]
fn an_output_by_the_library_that_is_refused_twice_stays_with_the_scope() {
    let alone = alone();
    let image = positions_twice();
    inside(|current| {
        let mut model = current.load(ModelSource::memory(&image).into()).unwrap();
        let x = [0.0_f32, 5.0, 0.0, 1.0];
        // The call that is to free it, and the one that is tried later.
        fail(&twice(&["aclrtFree"]));
        assert!(model.run(current, &[Input::new(&[4], &x).unwrap()]).is_err());
        nothing_fails();
        collect(current);
        assert_lives!(device_blocks, 0);
        fail("aclmdlExecute#1=after:507899,aclrtFree#1=507899,aclrtFree#2=507899,aclrtFree#3=507899");
        assert!(model.run(current, &[Input::new(&[4], &x).unwrap()]).is_err());
        nothing_fails();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MODE_02, MODEL_10)]
#[test]
fn the_copy_of_an_image_in_the_devices_memory_keeps_its_row() {
    let alone = on_the_device();
    let image = digits_in_batches_of(8);
    for plan in [
        "aclrtFree#1=507899",
        "aclrtFree#1+=507899",
        "aclrtMemcpy#1=507899,aclrtFree#1=507899",
        "aclmdlLoadFromMem#1=507899,aclrtFree#1=507899",
        "aclmdlGetDesc#1=507899,aclrtFree#1=507899,aclmdlUnload#1=507899",
        "aclmdlQuerySizeFromMem#1=507899,aclrtFree#1=507899",
    ] {
        inside(|current| {
            let source = ModelSource::memory(&image);
            fail(plan);
            let _ = current.model_size(source);
            drop(current.load(source.into()));
            nothing_fails();
            collect(current);
            collect(current);
            assert_eq!((control::live().device_blocks, control::live().models), (0, 0), "{plan}");
        });
        alone.assert_nothing_lives();
    }
}

/// What the library keeps on the host for a program.
fn records() -> usize {
    let live = control::live();
    let of_models = live.model_descriptions + live.datasets + live.data_buffers;
    of_models + live.tensor_descriptions + live.operator_attributes
}

/// Loads, prepares, runs and binds; what fails is dropped.
fn uses_records(current: &mut Current<impl Brand>, image: &[u8]) -> Result<(), Error> {
    let mut model = current.load(ModelSource::memory(image).into())?;
    model.run(current, &[zeros()])?;
    drop(model.bind(current, &[&[8, 64]], &[&[8, 10]])?);
    let (x, y) = (current.upload_tensor(&[2], &[1_i32, 5])?, current.upload_tensor(&[2], &[2_i32, 7])?);
    operator::add(current, x, y)?.into_tensors(current)?;
    Ok(())
}

#[proves(DATA_01, DATA_04, DATA_05)]
#[test]
fn records_that_the_library_refuses_twice_to_destroy_are_collected() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    let destroys = twice(&["aclmdlDestroyDesc", "aclmdlDestroyDataset", "aclDestroyDataBuffer"]);
    for makes in [
        "aclmdlGetDesc#1",
        "aclmdlCreateDataset#1",
        "aclmdlCreateDataset#2",
        "aclCreateDataBuffer#2",
        "aclmdlAddDatasetBuffer#2",
        "aclmdlExecute#1",
        "aclmdlCreateDataset#3",
        "aclmdlCreateDataset#4",
        "aclmdlAddDatasetBuffer#4",
        "aclopCreateAttr#1",
        "aclopCompile#1",
        "aclCreateTensorDesc#2",
    ] {
        inside(|current| {
            fail(&format!("{destroys},{makes}=507899"));
            let _ = uses_records(current, &image);
            nothing_fails();
            collect(current);
            collect(current);
            assert_eq!(records(), 0, "{makes}");
        });
        alone.assert_nothing_lives();
    }
    // An operator alone: its buffers are the first that are destroyed.
    for makes in ["aclopCompile#1", "aclopCreateAttr#1", "aclCreateTensorDesc#2", "aclCreateDataBuffer#3"] {
        inside(|current| {
            let (x, y) = (current.upload_tensor(&[2], &[1_i32, 5]).unwrap(), current.upload_tensor(&[2], &[2_i32, 7]));
            fail(&format!("{destroys},{makes}=507899"));
            drop(operator::add(current, x, y.unwrap()).unwrap_err());
            nothing_fails();
            collect(current);
            assert_eq!(records(), 0, "{makes}");
        });
        alone.assert_nothing_lives();
    }
}

#[test]
fn what_a_device_is_still_working_on_is_named_also_when_it_is_no_stream_model_or_memory() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    let left = |plan: &str, program: &dyn Fn(&mut Current<Scoped<'_>>)| {
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        let ended = device.with_current(&mut thread, |current| {
            program(current);
            fail(plan);
        });
        assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
        let failed = device.reset(&mut thread).unwrap_err();
        let message = failed.error.to_string();
        nothing_fails();
        failed.value.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
        message
    };
    let said = left("aclmdlDestroyDataset#1+=507899", &|current| {
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        drop(model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap());
    });
    assert!(said.contains("inputs and outputs of 1 model(s)"), "{said}");
    let said = left("aclDestroyDataBuffer#1+=507899", &|current| {
        let x = current.upload_tensor(&[2], &[1_i32, 5]).unwrap();
        drop(operator::relu(current, x).unwrap());
    });
    assert!(said.contains("1 operator(s)"), "{said}");
}

#[proves(MODEL_02, MODEL_03, MODEL_04)]
#[test]
fn a_load_that_took_place_and_is_told_to_have_failed_keeps_its_memory_until_it_is_unloaded() {
    let alone = alone();
    let image = digits_in_batches_of(8);
    for (refused_too, models) in [("", 0), (",aclmdlUnload#1=507899", 1)] {
        inside(|current| {
            let source = ModelSource::memory(&image);
            let (work, weights) = (current.model_size(source).unwrap().workspace, current.weights(source).unwrap());
            let workspace = current.workspace(work).unwrap();
            let load = Load::builder().source(source).weights(&weights).workspace(workspace).build();
            fail(&format!("aclmdlLoadFromMemWithMem#1=after:507899{refused_too}"));
            let failed = current.load(load).unwrap_err();
            assert_eq!(failed.error.code().unwrap().number(), 507_899);
            nothing_fails();
            assert_lives!(models, models);
            let mut load = failed.value;
            if models > 0 {
                let refused = current.load(load).unwrap_err();
                assert!(matches!(refused.error, Error::WorkspaceTaken), "{}", refused.error);
                collect(current);
                assert_lives!(models, 0);
                load = refused.value;
            }
            current.load(load).unwrap().unload(current).unwrap();
            fail("aclmdlLoadFromMem#1=after:507899,aclmdlLoadFromFile#1=after:507899");
            drop(current.load(source.into()).unwrap_err());
            drop(current.load_model(data("digits.onnx")).unwrap_err());
            nothing_fails();
            assert_lives!(models, 0, "nobody else would unload them");
        });
    }
    alone.assert_nothing_lives();
}

/// A number that a failed call has written may be that of another model, which is in use.
#[proves(MODEL_14)]
#[test]
fn a_load_that_failed_and_wrote_the_number_of_another_model_unloads_nothing() {
    let source = include_str!("../null/library.c")
        .replace("(void)path; *id = 1; return 0;", "static int n; (void)path; *id = 1; return n++ ? 507899 : 0;")
        .replace(
            "aclmdlUnload(uint32_t id) { (void)id;",
            "aclmdlUnload(uint32_t id) { static int n; (void)id; if (n++) abort();",
        );
    assert_eq!(source.matches("static int n;").count(), 2);
    let _others = books();
    let acl = Acl::init(library_at(c_library("loads-once", &source))).unwrap();
    with_device(acl, |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            let mut model = current.load_model("model").unwrap();
            assert!(current.load_model("model").is_err());
            model.run(current, &[]).unwrap();
            model.unload(current).unwrap();
        };
        device.with_current(thread, program).unwrap();
    });
}
