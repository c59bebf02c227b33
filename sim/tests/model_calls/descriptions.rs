//! `aclmdlGetDesc` and what it is asked.

use crate::files;
use crate::world::*;
use ascendcl_sys::types::*;
use core::ptr::{null, null_mut};

pub(crate) fn no_dims() -> aclmdlIODims {
    aclmdlIODims { name: [1; 128], dimCount: 77, dims: [7; 128] }
}

pub(crate) fn list(dims: &aclmdlIODims) -> &[i64] {
    &dims.dims[..dims.dimCount]
}

#[test]
fn the_digits_are_described() {
    let _world = world();
    let (loaded, filed, imaged) = (describe(digits()), empty(), empty());
    ok!(model::aclmdlGetDescFromFile(filed, c(DIGITS).as_ptr()));
    let file = std::fs::read(DIGITS).unwrap();
    ok!(model::aclmdlGetDescFromMem(imaged, file.as_ptr().cast(), file.len()));
    for desc in [loaded, filed, imaged] {
        assert_eq!((call!(model::aclmdlGetNumInputs(desc)), call!(model::aclmdlGetNumOutputs(desc))), (1, 1));
        assert_eq!(string(call!(model::aclmdlGetInputNameByIndex(desc, 0))), "images");
        assert_eq!(string(call!(model::aclmdlGetOutputNameByIndex(desc, 0))), "probabilities");
        assert_eq!(call!(model::aclmdlGetInputDataType(desc, 0)), aclDataType::ACL_FLOAT);
        assert_eq!(call!(model::aclmdlGetOutputDataType(desc, 0)), aclDataType::ACL_FLOAT);
        assert_eq!(call!(model::aclmdlGetInputFormat(desc, 0)), aclFormat::ACL_FORMAT_ND);
        assert_eq!(call!(model::aclmdlGetOutputFormat(desc, 0)), aclFormat::ACL_FORMAT_ND);
        assert_eq!(call!(model::aclmdlGetInputSizeByIndex(desc, 0)), 0, "unknown");
        assert_eq!(call!(model::aclmdlGetOutputSizeByIndex(desc, 0)), 0, "unknown");
        let mut dims = no_dims();
        ok!(model::aclmdlGetInputDims(desc, 0, &mut dims));
        assert_eq!((list(&dims), string(dims.name.as_ptr()).as_str()), (&[-1, 64][..], "images"));
        ok!(model::aclmdlGetInputDimsV2(desc, 0, &mut dims));
        assert_eq!(list(&dims), [-1, 64]);
        ok!(model::aclmdlGetOutputDims(desc, 0, &mut dims));
        assert_eq!((list(&dims), string(dims.name.as_ptr()).as_str()), (&[-1, 10][..], "probabilities"));
        let mut range = aclmdlIODimsRange { rangeCount: 9, range: [[9; 2]; 128] };
        ok!(model::aclmdlGetInputDimsRange(desc, 0, &mut range));
        assert_eq!(&range.range[..range.rangeCount], [[1, -1], [64, 64]]);
        let mut index = 9;
        ok!(model::aclmdlGetInputIndexByName(desc, c"images".as_ptr(), &mut index));
        assert_eq!(index, 0);
        ok!(model::aclmdlGetOutputIndexByName(desc, c"probabilities".as_ptr(), &mut index));
        for name in [c"images", c"probabilities"] {
            assert_eq!(string(call!(model::aclmdlGetTensorRealName(desc, name.as_ptr()))), name.to_str().unwrap());
        }
        assert!(call!(model::aclmdlGetTensorRealName(desc, c"nothing".as_ptr())).is_null());
        assert!(text().contains("no tensor `nothing`"));
        assert!(call!(model::aclmdlGetTensorRealName(desc, core::ptr::null())).is_null());
        fails!(100000, "`nobody`", model::aclmdlGetInputIndexByName(desc, c"nobody".as_ptr(), &mut index));
        fails!(100000, "null", model::aclmdlGetInputIndexByName(desc, null(), &mut index));
        let (mut batch, mut hw) =
            (aclmdlBatch { batchCount: 9, batch: [9; 128] }, aclmdlHW { hwCount: 9, hw: [[9; 2]; 128] });
        ok!(model::aclmdlGetDynamicBatch(desc, &mut batch));
        ok!(model::aclmdlGetDynamicHW(desc, usize::MAX, &mut hw));
        ok!(model::aclmdlGetInputDynamicGearCount(desc, usize::MAX, &mut index));
        assert_eq!((batch.batchCount, hw.hwCount, index), (0, 0, 0));
    }
    assert_eq!(call!(model::aclmdlGetInputSizeByIndex(loaded, 1)), 0);
    assert!(text().contains("no input 1: the model has 1"));
}

#[test]
fn what_is_not_there_is_an_error() {
    let _world = world();
    let desc = empty();
    let mut dims = no_dims();
    assert_eq!(call!(model::aclmdlGetNumInputs(desc)), 0);
    assert!(text().contains("empty"));
    fails!(100000, "empty", model::aclmdlGetInputDims(desc, 0, &mut dims));
    fails!(145003, "no model", model::aclmdlGetDesc(desc, 0));
    fails!(100000, "null", model::aclmdlGetDescFromFile(desc, null()));
    fails!(100000, "null", model::aclmdlGetDescFromMem(desc, null(), 1));
    fails!(145002, "/no/file", model::aclmdlGetDescFromFile(desc, c"/no/file".as_ptr()));
    fails!(100013, "not an ONNX file", model::aclmdlGetDescFromMem(desc, [0xff_u8; 9].as_ptr().cast(), 9));
    let id = load(&files::sum("2", None));
    ok!(model::aclmdlGetDesc(desc, id));
    assert_eq!(call!(model::aclmdlGetInputSizeByIndex(desc, 0)), 32);
    fails!(100000, "null", model::aclmdlGetInputDims(desc, 0, null_mut()));
    fails!(100000, "no input 1", model::aclmdlGetInputDims(desc, 1, &mut dims));
    fails!(100000, "no output 1", model::aclmdlGetOutputDims(desc, 1, &mut dims));
    fails!(
        100000,
        "no input",
        model::aclmdlGetInputDimsRange(desc, 9, &mut aclmdlIODimsRange { rangeCount: 0, range: [[0; 2]; 128] })
    );
    ok!(model::aclmdlUnload(id));
    assert_eq!(call!(model::aclmdlGetInputSizeByIndex(desc, 0)), 32, "a description outlives its model");
    ok!(model::aclmdlGetDesc(desc, digits()));
    assert_eq!(string(call!(model::aclmdlGetInputNameByIndex(desc, 0))), "images", "filled anew");
}

/// A program that goes on after the failure does not work with the model from before.
#[test]
fn a_description_that_cannot_be_filled_anew_is_empty() {
    let _world = world();
    let id = load(&files::sum("2", None));
    let fails: [&dyn Fn(*mut aclmdlDesc); 3] = [
        &|desc| fails!(145003, "no model", model::aclmdlGetDesc(desc, id + 1)),
        &|desc| fails!(145002, "/no/file", model::aclmdlGetDescFromFile(desc, c"/no/file".as_ptr())),
        &|desc| fails!(100013, "not an ONNX file", model::aclmdlGetDescFromMem(desc, [0xff_u8; 9].as_ptr().cast(), 9)),
    ];
    for fails in fails {
        let desc = describe(id);
        assert_eq!(call!(model::aclmdlGetNumInputs(desc)), 1);
        fails(desc);
        assert_eq!((call!(model::aclmdlGetNumInputs(desc)), call!(model::aclmdlGetNumOutputs(desc))), (0, 0));
        ok!(model::aclmdlGetDesc(desc, id));
        assert_eq!(call!(model::aclmdlGetNumInputs(desc)), 1);
    }
}

/// The structure has room for 127 bytes of a name.
#[test]
fn a_name_that_is_too_long_is_converted_and_can_be_asked_for() {
    let _world = world();
    let (fits, long, unlucky) = ("x".repeat(127), "y".repeat(128), "ü".repeat(64));
    let id = load(&files::negated(&fits, &long));
    let (desc, filed, mut dims) = (describe(id), empty(), no_dims());
    let real = |desc, name: &str| {
        let name = call!(model::aclmdlGetTensorRealName(desc, c(name).as_ptr()));
        (!name.is_null()).then(|| string(name))
    };
    ok!(model::aclmdlGetInputDims(desc, 0, &mut dims));
    assert_eq!(string(dims.name.as_ptr()), fits);
    let converted = format!("acl_modelId_{id}_output_0");
    ok!(model::aclmdlGetOutputDims(desc, 0, &mut dims));
    assert_eq!(string(dims.name.as_ptr()), converted);
    dims = no_dims();
    ok!(model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
    assert_eq!(string(dims.name.as_ptr()), converted);
    assert_eq!(real(desc, &converted), Some(long.clone()));
    assert_eq!(real(desc, &long), Some(long.clone()));
    assert_eq!(real(desc, &format!("acl_modelId_{id}_input_0")), Some(fits));
    for wrong in [format!("acl_modelId_{}_output_0", id + 1), format!("acl_modelId_{id}_output_1"), long[..127].into()]
    {
        assert_eq!(real(desc, &wrong), None, "{wrong}");
    }
    assert_eq!(string(call!(model::aclmdlGetOutputNameByIndex(desc, 0))), long, "this function has room");

    // A file has no id, and a name may stand in it that the converted one would be.
    let file = files::negated(&unlucky, "acl_modelId_0_input_0");
    ok!(model::aclmdlGetDescFromMem(filed, file.as_ptr().cast(), file.len()));
    ok!(model::aclmdlGetInputDims(filed, 0, &mut dims));
    let converted = string(dims.name.as_ptr());
    assert!(converted.starts_with("acl_modelId_0_input_0_"), "{converted}");
    assert_eq!(real(filed, &converted), Some(unlucky));
    assert_eq!(real(filed, "acl_modelId_0_input_0").as_deref(), Some("acl_modelId_0_input_0"));
}

#[test]
fn the_current_dims_are_those_of_the_last_run() {
    let _world = world();
    let id = digits();
    let (desc, filed, fixed) = (describe(id), empty(), describe(load(&files::sum("2", None))));
    let mut dims = no_dims();
    ok!(model::aclmdlGetCurOutputDims(fixed, 0, &mut dims));
    assert_eq!((list(&dims), string(dims.name.as_ptr()).as_str()), (&[2, 4][..], "y"));
    fails!(145021, "not chosen yet", model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
    let (input, output) = (dataset(&[(device_memory(768), 768)]), dataset(&[(device_memory(120), 120)]));
    attach(input, 0, &[3, 64]);
    ok!(model::aclmdlExecute(id, input, output));
    ok!(model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
    assert_eq!(list(&dims), [3, 10]);
    fails!(100000, "no output 1", model::aclmdlGetCurOutputDims(desc, 1, &mut dims));
    ok!(model::aclmdlGetDescFromFile(filed, c(DIGITS).as_ptr()));
    fails!(100000, "MODEL-24", model::aclmdlGetCurOutputDims(filed, 0, &mut dims));
    ok!(model::aclmdlUnload(id));
    fails!(145003, "unloaded", model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
}

pub(crate) fn describe(id: u32) -> *mut aclmdlDesc {
    let desc = empty();
    ok!(model::aclmdlGetDesc(desc, id));
    desc
}

fn empty() -> *mut aclmdlDesc {
    call!(model::aclmdlCreateDesc())
}
