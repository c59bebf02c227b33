//! Models and their memory.

use crate::support::*;
use ascendcl_sim::{Checks, control};
use std::ffi::{CString, c_void};

const DIGITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx");
pub(crate) const INPUT: usize = 64 * 4;
pub(crate) const OUTPUT: usize = 10 * 4;

fn path() -> CString {
    CString::new(DIGITS).unwrap()
}

pub(crate) fn load() -> u32 {
    let mut id = 0;
    ok!(aclmdlLoadFromFile(path().as_ptr(), &mut id));
    id
}

pub(crate) fn dataset(address: *mut c_void, size: usize) -> *mut aclmdlDataset {
    let dataset = acl!(aclmdlCreateDataset());
    ok!(aclmdlAddDatasetBuffer(dataset, acl!(aclCreateDataBuffer(address, size))));
    dataset
}

/// A dataset for one image, and one for its ten probabilities.
fn datasets() -> [*mut aclmdlDataset; 2] {
    let input = dataset(malloc(INPUT), INPUT);
    shape(input);
    [input, dataset(malloc(OUTPUT), OUTPUT)]
}

pub(crate) fn shape(dataset: *mut aclmdlDataset) {
    use ascendcl_sim::exports::tensor_desc::*;
    let dims = [1_i64, 64];
    let desc = acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, 2, dims.as_ptr(), aclFormat::ACL_FORMAT_ND));
    ok!(aclmdlSetDatasetTensorDesc(dataset, desc, 0));
    acl!(aclDestroyTensorDesc(desc));
}

#[test]
fn a_model_on_two_streams_at_once_is_found() {
    breaks_without(rules::MODEL_15, |synced| {
        let (id, a, b, [input, output], [x, y]) = (load(), stream(), stream(), datasets(), datasets());
        ok!(aclmdlExecuteAsync(id, input, output, a));
        if synced {
            sync(a);
        }
        ok!(aclmdlExecuteAsync(id, x, y, b));
    });
}

#[test]
fn a_model_in_flight_is_not_unloaded() {
    breaks_without(rules::MODEL_14, |synced| {
        let (id, stream, [input, output]) = (load(), stream(), datasets());
        ok!(aclmdlExecuteAsync(id, input, output, stream));
        if synced {
            sync(stream);
        }
        ok!(aclmdlUnload(id));
    });
}

#[test]
fn the_memory_of_a_queued_run_stays() {
    breaks_without(rules::MODEL_17, |synced| {
        let (id, stream, [input, output]) = (load(), stream(), datasets());
        ok!(aclmdlExecuteAsync(id, input, output, stream));
        if synced {
            sync(stream);
        }
        let from = acl!(aclGetDataBufferAddr(acl!(aclmdlGetDatasetBuffer(output, 0))));
        let mut bytes = [0_u8; OUTPUT];
        ok!(aclrtMemcpy(bytes.as_mut_ptr().cast(), OUTPUT, from, OUTPUT, TO_HOST));
    });
}

/// The call reads the datasets, so frameworks destroy them behind it, while the run is queued.
#[test]
fn the_datasets_of_a_queued_run_are_changed_and_destroyed_before_it_runs() {
    let _machine = machine(Checks::Strict);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (id, stream, [input, output]) = (load(), stream(), datasets());
    ok!(aclmdlExecute(id, input, output));
    let (from, other) = (acl!(aclGetDataBufferAddr(acl!(aclmdlGetDatasetBuffer(output, 0)))), malloc(OUTPUT));
    let bytes = |from: *mut c_void| {
        let mut bytes = [0_u8; OUTPUT];
        ok!(aclrtMemcpy(bytes.as_mut_ptr().cast(), OUTPUT, from, OUTPUT, TO_HOST));
        bytes
    };
    let right = bytes(from);
    ok!(aclrtMemset(from, OUTPUT, 0, OUTPUT));
    ok!(aclrtMemset(other, OUTPUT, 7, OUTPUT));
    let gate = Gate::close(stream);
    ok!(aclmdlExecuteAsync(id, input, output, stream));
    ok!(aclUpdateDataBuffer(acl!(aclmdlGetDatasetBuffer(output, 0)), other, OUTPUT));
    let buffers = [input, output].map(|dataset| acl!(aclmdlGetDatasetBuffer(dataset, 0)));
    ok!(aclmdlDestroyDataset(input));
    ok!(aclmdlDestroyDataset(output));
    buffers.into_iter().for_each(|buffer| ok!(aclDestroyDataBuffer(buffer)));
    gate.open();
    sync(stream);
    assert_eq!((bytes(from), bytes(other)), (right, [7; OUTPUT]), "the run has the memory that the call was given");
    let warnings = control::take_findings();
    // The run is told of once, whatever of it is changed or ends.
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!((warning.rule, warning.call.name, warning.repeated), (rules::DATA_10, "aclUpdateDataBuffer", 0));
    assert_eq!(rules::DATA_10.severity(), rules::Severity::Warning);
}

#[test]
fn a_model_needs_live_device_memory() {
    let misuse = || {
        let (id, [input, _]) = (load(), datasets());
        let mut own = [0_u8; OUTPUT];
        let output = dataset(own.as_mut_ptr().cast(), OUTPUT);
        assert_ne!(acl!(aclmdlExecute(id, input, output)), ACL_SUCCESS);
    };
    breaks(rules::MODEL_18, misuse, || {
        let (id, [input, output]) = (load(), datasets());
        ok!(aclmdlExecute(id, input, output));
    });
}

#[test]
fn a_destroyed_data_buffer_is_missed_by_the_run() {
    breaks_without(rules::DATA_04, |kept| {
        let (id, [input, output]) = (load(), datasets());
        let buffer = acl!(aclmdlGetDatasetBuffer(output, 0));
        let address = acl!(aclGetDataBufferAddr(buffer));
        if !kept {
            ok!(aclDestroyDataBuffer(buffer));
        }
        acl!(aclmdlExecute(id, input, output));
        // The result that is missing now is no second mistake.
        let mut result = [0_u8; OUTPUT];
        ok!(aclrtMemcpy(result.as_mut_ptr().cast(), OUTPUT, address, OUTPUT, TO_HOST));
    });
}

#[test]
fn an_output_that_the_library_allocated_is_the_programs_to_free() {
    let run = || {
        let (id, [input, _]) = (load(), datasets());
        let output = dataset(std::ptr::null_mut(), 0);
        ok!(aclmdlExecute(id, input, output));
        let buffer = acl!(aclmdlGetDatasetBuffer(output, 0));
        ok!(aclrtFree(acl!(aclGetDataBufferAddr(buffer))));
        ok!(aclDestroyDataBuffer(buffer));
        ok!(aclmdlDestroyDataset(output));
        ok!(aclmdlUnload(id));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn a_model_that_was_to_be_loaded_in_freed_memory_is_told_once() {
    let run = |weights: bool| {
        broken_by(|| {
            // The model with open shapes has no size of working memory.
            let fixed = CString::new(DIGITS.replace("digits", "digits-8")).unwrap();
            let (mut id, mut sizes) = (0, [0; 2]);
            let [work, kept] = &mut sizes;
            ok!(aclmdlQuerySize(fixed.as_ptr(), work, kept));
            let areas = sizes.map(|size| malloc(size.max(64)));
            ok!(aclrtFree(areas[usize::from(weights)]));
            let [work, kept] = areas;
            acl!(aclmdlLoadFromFileWithMem(fixed.as_ptr(), &mut id, work, sizes[0], kept, sizes[1]));
            // The program does not look at the code.
            let [input, output] = datasets();
            acl!(aclmdlExecute(id, input, output));
            acl!(aclmdlUnload(id));
        })
    };
    assert_eq!(run(false), [(rules::MODEL_02, "aclmdlLoadFromFileWithMem")]);
    assert_eq!(run(true), [(rules::MODEL_03, "aclmdlLoadFromFileWithMem")]);
    let never = || {
        let [input, output] = datasets();
        acl!(aclmdlExecute(7, input, output));
        acl!(aclmdlUnload(7));
    };
    assert_eq!(broken_by(never), [(rules::MODEL_12, "aclmdlExecute")]);
}

#[test]
fn a_run_after_the_end_of_all_that_it_uses_is_told_once() {
    let run = |late: bool| {
        broken_by(|| {
            let (id, [input, output]) = (load(), datasets());
            ok!(aclmdlExecute(id, input, output));
            ok!(aclmdlUnload(id));
            ok!(aclmdlDestroyDataset(input));
            ok!(aclmdlDestroyDataset(output));
            if late {
                assert_ne!(acl!(aclmdlExecute(id, input, output)), 0);
                // Another run is the same mistake.
                assert_ne!(acl!(aclmdlExecuteAsync(id, input, output, aclrtStream::NULL)), 0);
            }
        })
    };
    assert_eq!(run(false), []);
    assert_eq!(run(true), [(rules::MODEL_14, "aclmdlExecute")]);
}

#[test]
fn a_run_on_a_stream_that_has_ended_with_all_else_is_told_once() {
    let found = broken_by(|| {
        let (id, [input, output], stream) = (load(), datasets(), stream());
        ok!(aclmdlExecute(id, input, output));
        ok!(aclmdlUnload(id));
        ok!(aclmdlDestroyDataset(input));
        ok!(aclmdlDestroyDataset(output));
        ok!(aclrtDestroyStream(stream));
        assert_ne!(acl!(aclmdlExecuteAsync(id, input, output, stream)), 0);
    });
    assert_eq!(found, [(rules::MODEL_14, "aclmdlExecuteAsync")]);
}

#[test]
fn a_wrong_id_after_a_refused_load_is_found_unless_it_is_the_one_of_that_load() {
    let found = broken_by(|| {
        let (settings, mut id) = (acl!(aclmdlCreateConfigHandle()), 77);
        acl!(aclmdlDestroyConfigHandle(settings));
        acl!(aclmdlLoadWithConfig(settings, &mut id));
        acl!(aclmdlUnload(id));
        acl!(aclmdlUnload(78));
        acl!(aclmdlUnload(78));
    });
    assert_eq!(found, [(rules::DATA_05, "aclmdlLoadWithConfig"), (rules::MODEL_12, "aclmdlUnload")]);
}

/// The usual loop over the buffers of a dataset, before the dataset is destroyed or after it.
#[test]
fn the_buffers_of_a_dataset_are_read_while_it_lives() {
    let run = |right: bool| {
        broken_by(|| {
            let (set, memory) = (acl!(aclmdlCreateDataset()), malloc(64));
            ok!(aclmdlAddDatasetBuffer(set, acl!(aclCreateDataBuffer(memory, 64))));
            if !right {
                ok!(aclmdlDestroyDataset(set));
            }
            for index in 0..acl!(aclmdlGetDatasetNumBuffers(set)) {
                ok!(aclDestroyDataBuffer(acl!(aclmdlGetDatasetBuffer(set, index))));
            }
            if right {
                ok!(aclmdlDestroyDataset(set));
            }
            ok!(aclrtFree(memory));
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(false), [(rules::DATA_05, "aclmdlGetDatasetNumBuffers")]);
    assert_eq!(run(true), []);
    let of_buffer = |right: bool| {
        broken_by(|| {
            let memory = malloc(64);
            let buffer = acl!(aclCreateDataBuffer(memory, 64));
            if !right {
                ok!(aclDestroyDataBuffer(buffer));
            }
            assert_eq!(acl!(aclGetDataBufferAddr(buffer)).is_null(), !right);
            assert_eq!(acl!(aclGetDataBufferSizeV2(buffer)), if right { 64 } else { 0 });
            if right {
                ok!(aclDestroyDataBuffer(buffer));
            }
        })
    };
    // Both calls come after the same end.
    assert_eq!(of_buffer(false), [(rules::DATA_05, "aclGetDataBufferAddr")]);
    assert_eq!(of_buffer(true), []);
}
