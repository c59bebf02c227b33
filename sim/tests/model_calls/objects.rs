//! Data buffers, datasets and tensor descriptions; destroying twice, and numbers that never were handles.

use crate::files;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sim::control;
use ascendcl_sys::types::*;
use core::ptr::{null, null_mut};

#[proves(DATA_05)]
#[test]
fn every_object_is_destroyed_once() {
    let _world = world();
    let buffer = call!(base::aclCreateDataBuffer(null_mut(), 0));
    let set = call!(model::aclmdlCreateDataset());
    let desc = call!(model::aclmdlCreateDesc());
    let tensor = tensor(&[2, 3]);
    let live = control::live();
    assert_eq!((live.data_buffers, live.datasets, live.model_descriptions, live.tensor_descriptions), (1, 1, 1, 1));
    ok!(base::aclDestroyDataBuffer(buffer));
    ok!(model::aclmdlDestroyDataset(set));
    ok!(model::aclmdlDestroyDesc(desc));
    call!(tensor_desc::aclDestroyTensorDesc(tensor));
    assert!(control::live().is_empty());
    assert_eq!(text(), "");
    fails!(100000, "destroyed", base::aclDestroyDataBuffer(buffer));
    fails!(100000, "destroyed", model::aclmdlDestroyDataset(set));
    fails!(100000, "destroyed", model::aclmdlDestroyDesc(desc));
    call!(tensor_desc::aclDestroyTensorDesc(tensor));
    assert!(text().contains("destroyed"));
    refused(buffer, set, desc, tensor);
    refused(bogus(), bogus(), bogus(), bogus());
    refused(null_mut(), null_mut(), null_mut(), null_mut());
    // Each is a handle, of something else.
    let buffer = call!(base::aclCreateDataBuffer(null_mut(), 0));
    refused(call!(model::aclmdlCreateDataset()).cast(), buffer.cast(), buffer.cast(), buffer.cast());
}

fn refused(buffer: *mut aclDataBuffer, set: *mut aclmdlDataset, desc: *mut aclmdlDesc, tensor: *mut aclTensorDesc) {
    let live = control::live();
    fails!(100000, "data buffer", base::aclDestroyDataBuffer(buffer));
    fails!(100000, "data buffer", base::aclUpdateDataBuffer(buffer, null_mut(), 0));
    assert!(call!(base::aclGetDataBufferAddr(buffer)).is_null());
    assert_eq!(call!(base::aclGetDataBufferSizeV2(buffer)), 0);
    assert_eq!(call!(base::aclGetDataBufferSize(buffer)), 0);
    fails!(100000, "dataset", model::aclmdlDestroyDataset(set));
    fails!(100000, "dataset", model::aclmdlAddDatasetBuffer(set, null_mut()));
    let mine = call!(model::aclmdlCreateDataset());
    fails!(100000, "data buffer", model::aclmdlAddDatasetBuffer(mine, buffer));
    ok!(model::aclmdlDestroyDataset(mine));
    assert_eq!(call!(model::aclmdlGetDatasetNumBuffers(set)), 0);
    assert!(call!(model::aclmdlGetDatasetBuffer(set, 0)).is_null());
    assert!(call!(model::aclmdlGetDatasetTensorDesc(set, 0)).is_null());
    fails!(100000, "dataset", model::aclmdlSetDatasetTensorDesc(set, null_mut(), 0));
    fails!(100000, "dataset", model::aclmdlSetDynamicBatchSize(1, set, 0, 1));
    fails!(100000, "model description", model::aclmdlDestroyDesc(desc));
    fails!(100000, "model description", model::aclmdlGetDesc(desc, 1));
    fails!(100000, "model description", model::aclmdlGetDescFromFile(desc, c(DIGITS).as_ptr()));
    assert_eq!((call!(model::aclmdlGetNumInputs(desc)), call!(model::aclmdlGetNumOutputs(desc))), (0, 0));
    assert_eq!(string(call!(model::aclmdlGetInputNameByIndex(desc, 0))), "");
    assert_eq!(call!(model::aclmdlGetInputDataType(desc, 0)), aclDataType::ACL_DT_UNDEFINED);
    assert_eq!(call!(tensor_desc::aclGetTensorDescNumDims(tensor)), 0);
    assert_eq!(call!(tensor_desc::aclGetTensorDescDim(tensor, 0)), -1);
    assert_eq!(call!(tensor_desc::aclGetTensorDescType(tensor)), aclDataType::ACL_DT_UNDEFINED);
    assert_eq!(call!(tensor_desc::aclGetTensorDescFormat(tensor)), aclFormat::ACL_FORMAT_UNDEFINED);
    assert_eq!(string(call!(tensor_desc::aclGetTensorDescName(tensor))), "");
    call!(tensor_desc::aclSetTensorDescName(tensor, c"x".as_ptr()));
    assert!(text().contains("tensor description"));
    fails!(100000, "tensor description", tensor_desc::aclSetTensorPlaceMent(tensor, aclMemType::ACL_MEMTYPE_HOST));
    fails!(100000, "tensor description", tensor_desc::aclSetTensorShape(tensor, 0, null()));
    assert_eq!(control::live(), live);
}

#[test]
fn a_data_buffer_is_an_address_with_a_size() {
    let _world = world();
    let memory = device_memory(8);
    let buffer = call!(base::aclCreateDataBuffer(memory, 8));
    assert_eq!((call!(base::aclGetDataBufferAddr(buffer)), call!(base::aclGetDataBufferSizeV2(buffer))), (memory, 8));
    ok!(base::aclUpdateDataBuffer(buffer, null_mut(), (1 << 32) + 5));
    assert_eq!(call!(base::aclGetDataBufferSize(buffer)), 5);
    ok!(base::aclDestroyDataBuffer(buffer));
    ok!(memory::aclrtFree(memory));
}

#[proves(DATA_01, DATA_04)]
#[test]
fn a_dataset_keeps_copies_of_descriptions_and_no_memory() {
    let _world = world();
    let memory = device_memory(8);
    let set = dataset(&[(memory, 8), (memory, 8)]);
    let buffer = call!(model::aclmdlGetDatasetBuffer(set, 1));
    assert_eq!(call!(model::aclmdlGetDatasetNumBuffers(set)), 2);
    assert!(call!(model::aclmdlGetDatasetBuffer(set, 2)).is_null());
    assert!(text().contains("no index 2"));
    let tensor = tensor(&[2]);
    fails!(100000, "no index 2", model::aclmdlSetDatasetTensorDesc(set, tensor, 2));
    fails!(100000, "tensor description", model::aclmdlSetDatasetTensorDesc(set, bogus(), 1));
    ok!(model::aclmdlSetDatasetTensorDesc(set, tensor, 1));
    call!(tensor_desc::aclDestroyTensorDesc(tensor));
    assert!(call!(model::aclmdlGetDatasetTensorDesc(set, 0)).is_null());
    let copy = call!(model::aclmdlGetDatasetTensorDesc(set, 1));
    assert_ne!(copy, tensor);
    assert_eq!((dims_of(set, 1), control::live().tensor_descriptions), (vec![2], 0));
    call!(tensor_desc::aclDestroyTensorDesc(copy));
    assert!(text().contains("belongs to a dataset"));
    assert_eq!(dims_of(set, 1), [2]);
    ok!(model::aclmdlDestroyDataset(set));
    assert_eq!(call!(tensor_desc::aclGetTensorDescNumDims(copy)), 0);
    assert_eq!(call!(base::aclGetDataBufferAddr(buffer)), memory);
    ok!(memory::aclrtFree(memory));
}

#[test]
fn a_tensor_description_answers_what_was_set() {
    let _world = world();
    let desc = tensor(&[2, -1, 3]);
    assert_eq!(call!(tensor_desc::aclGetTensorDescType(desc)), aclDataType::ACL_FLOAT);
    assert_eq!(call!(tensor_desc::aclGetTensorDescFormat(desc)), aclFormat::ACL_FORMAT_ND);
    assert_eq!(call!(tensor_desc::aclGetTensorDescElementCount(desc)), 0);
    let mut dim = 0;
    ok!(tensor_desc::aclGetTensorDescDimV2(desc, 2, &mut dim));
    assert_eq!(dim, 3);
    fails!(100000, "no axis 3", tensor_desc::aclGetTensorDescDimV2(desc, 3, &mut dim));
    let mut range = [7; 2];
    fails!(100000, "no range", tensor_desc::aclGetTensorDescDimRange(desc, 1, 2, range.as_mut_ptr()));
    let mut ranges = [[2, 2], [1, 8]];
    ok!(tensor_desc::aclSetTensorShapeRange(desc, 2, ranges.as_mut_ptr()));
    fails!(100000, "no range", tensor_desc::aclGetTensorDescDimRange(desc, 2, 2, range.as_mut_ptr()));
    assert_eq!(range, [7; 2]);
    ok!(tensor_desc::aclGetTensorDescDimRange(desc, 1, 2, range.as_mut_ptr()));
    assert_eq!(range, [1, 8]);
    fails!(100000, "room for 1", tensor_desc::aclGetTensorDescDimRange(desc, 0, 1, range.as_mut_ptr()));
    call!(tensor_desc::aclSetTensorDescName(desc, c"sum".as_ptr()));
    assert_eq!(string(call!(tensor_desc::aclGetTensorDescName(desc))), "sum");
    ok!(tensor_desc::aclSetTensorStorageFormat(desc, aclFormat::ACL_FORMAT_NHWC));
    ok!(tensor_desc::aclSetTensorStorageShape(desc, 1, [6].as_ptr()));
    let shape = |desc| [0, 1].map(|axis| call!(tensor_desc::aclGetTensorDescDim(desc, axis)));
    assert_eq!(call!(tensor_desc::aclGetTensorDescFormat(desc)), aclFormat::ACL_FORMAT_ND);
    assert_eq!(shape(desc), [2, -1], "what is stored is told apart from what it means");
    ok!(tensor_desc::aclSetTensorOriginFormat(desc, aclFormat::ACL_FORMAT_NCHW));
    ok!(tensor_desc::aclSetTensorOriginShape(desc, 1, [6].as_ptr()));
    assert_eq!(call!(tensor_desc::aclGetTensorDescFormat(desc)), aclFormat::ACL_FORMAT_NCHW);
    assert_eq!(shape(desc), [6, -1]);
    assert_eq!(call!(tensor_desc::aclGetTensorDescNumDims(desc)), 1);
    ok!(tensor_desc::aclSetTensorPlaceMent(desc, aclMemType::ACL_MEMTYPE_HOST));
    ok!(tensor_desc::aclSetTensorPlaceMent(desc, aclMemType(3)));
    ok!(tensor_desc::aclSetTensorConst(desc, [1_u8; 4].as_mut_ptr().cast(), 4));
    fails!(100000, "constant", tensor_desc::aclSetTensorConst(desc, null_mut(), 4));
    call!(tensor_desc::aclDestroyTensorDesc(desc));

    let scalar = tensor(&[]);
    let count = call!(tensor_desc::aclGetTensorDescElementCount(scalar));
    assert_eq!((count, call!(tensor_desc::aclGetTensorDescSize(scalar))), (1, 4));
    assert_eq!(call!(tensor_desc::aclGetTensorDescNumDims(tensor(&[-2]))), usize::MAX - 1, "the rank is unknown");
    let refused = |count, dims| {
        let (float, nd) = (aclDataType::ACL_FLOAT, aclFormat::ACL_FORMAT_ND);
        assert!(call!(tensor_desc::aclCreateTensorDesc(float, count, dims, nd)).is_null());
        assert!(text().contains("axes"));
    };
    refused(-1, [1].as_ptr());
    refused(129, [1; 129].as_ptr());
    refused(1, null());
    let huge = tensor(&[i64::MAX, i64::MAX]);
    assert_eq!(call!(tensor_desc::aclGetTensorDescSize(huge)), 0);
}

#[test]
fn a_format_is_set_on_nothing_without_a_word_and_dims_are_not() {
    let _world = world();
    let (nothing, nd) = (null_mut(), aclFormat::ACL_FORMAT_ND);
    ok!(tensor_desc::aclSetTensorFormat(nothing, nd));
    ok!(tensor_desc::aclSetTensorStorageFormat(nothing, nd));
    ok!(tensor_desc::aclSetTensorOriginFormat(nothing, nd));
    fails!(100000, "is null", tensor_desc::aclSetTensorShape(nothing, 0, [1].as_ptr()));
    let desc = tensor(&[2]);
    fails!(100000, "is null", tensor_desc::aclSetTensorShape(desc, 0, null()));
    fails!(100000, "is null", tensor_desc::aclSetTensorStorageShape(desc, 0, null()));
    fails!(100000, "is null", tensor_desc::aclSetTensorOriginShape(desc, 0, null()));
    assert_eq!(call!(tensor_desc::aclGetTensorDescNumDims(desc)), 1);
    // A negative count is that of an empty list.
    ok!(tensor_desc::aclSetTensorShape(desc, -1, [1].as_ptr()));
    ok!(tensor_desc::aclSetTensorStorageShape(desc, -1, [1].as_ptr()));
    ok!(tensor_desc::aclSetTensorOriginShape(desc, -1, [1].as_ptr()));
    assert_eq!(call!(tensor_desc::aclGetTensorDescNumDims(desc)), 0);
    call!(tensor_desc::aclDestroyTensorDesc(desc));
}

#[test]
fn a_description_is_a_list_of_one_without_an_address() {
    let _world = world();
    let desc = tensor(&[2]);
    assert_eq!(call!(tensor_desc::aclGetTensorDescByIndex(desc, 0)), desc);
    assert!(call!(tensor_desc::aclGetTensorDescByIndex(desc, 1)).is_null());
    assert!(call!(tensor_desc::aclGetTensorDescByIndex(null_mut(), 0)).is_null());
    assert!(call!(tensor_desc::aclGetTensorDescAddress(desc)).is_null());
    assert!(call!(tensor_desc::aclGetTensorDescAddress(null())).is_null());
    ok!(tensor_desc::aclSetTensorDynamicInput(desc, c"x".as_ptr()));
    fails!(100000, "is null", tensor_desc::aclSetTensorDynamicInput(desc, null()));
    fails!(100000, "is null", tensor_desc::aclSetTensorDynamicInput(null_mut(), c"x".as_ptr()));
    let mut ranges = [[1, 2]];
    ok!(tensor_desc::aclSetTensorValueRange(desc, 1, ranges.as_mut_ptr()));
    ok!(tensor_desc::aclSetTensorValueRange(desc, 0, null_mut()));
    fails!(100000, "is null", tensor_desc::aclSetTensorValueRange(null_mut(), 1, ranges.as_mut_ptr()));
    let (nd, mut other) = (aclFormat::ACL_FORMAT_ND, null_mut());
    fails!(100000, "src_desc", tensor_desc::aclTransTensorDescFormat(null(), nd, &mut other));
    fails!(100000, "dst_desc", tensor_desc::aclTransTensorDescFormat(desc, nd, null_mut()));
    fails!(207000, "does not have", tensor_desc::aclTransTensorDescFormat(desc, nd, &mut other));
    call!(tensor_desc::aclDestroyTensorDesc(desc));
}

#[test]
fn a_handle_of_another_kind_is_no_model() {
    let _world = world();
    let id = load(&files::sum("2", None));
    let set = dataset(&[]);
    fails!(100000, "model description", model::aclmdlGetDesc(set.cast(), id));
    fails!(145003, "no model", model::aclmdlUnload(u32::MAX));
    fails!(145003, "no model", model::aclmdlUnload(0));
}

fn tensor(dims: &[i64]) -> *mut aclTensorDesc {
    let (float, nd) = (aclDataType::ACL_FLOAT, aclFormat::ACL_FORMAT_ND);
    let desc = call!(tensor_desc::aclCreateTensorDesc(float, dims.len() as i32, dims.as_ptr(), nd));
    assert!(!desc.is_null());
    desc
}
