//! Models with gears.

use crate::descriptions::{describe, list, no_dims};
use crate::files;
use crate::world::*;
use ascendcl_sys::types::*;
use core::ptr::{null, null_mut};

const BATCH: &str = "ascendcl.dynamic_batch";
const IMAGE: &str = "ascendcl.dynamic_image_size";
const DIMS: &str = "ascendcl.dynamic_dims";

#[test]
fn a_batch_size_is_chosen_before_the_run() {
    let _world = world();
    let file = files::sum("rows", Some((BATCH, "1,8,2")));
    let id = load(&file);
    let desc = describe(id);
    assert_eq!(call!(model::aclmdlGetNumInputs(desc)), 2);
    let mut index = 0;
    ok!(model::aclmdlGetInputIndexByName(desc, c"ascend_mbatch_shape_data".as_ptr(), &mut index));
    assert_eq!(index, 1);
    let size = call!(model::aclmdlGetInputSizeByIndex(desc, index));
    assert_eq!((size, call!(model::aclmdlGetInputDataType(desc, index))), (8, aclDataType::ACL_INT64));
    assert_eq!(call!(model::aclmdlGetInputSizeByIndex(desc, 0)), 128, "of the largest gear");
    assert_eq!(call!(model::aclmdlGetOutputSizeByIndex(desc, 0)), 128);
    let mut batch = aclmdlBatch { batchCount: 0, batch: [0; 128] };
    ok!(model::aclmdlGetDynamicBatch(desc, &mut batch));
    assert_eq!(&batch.batch[..batch.batchCount], [1, 8, 2]);
    // A model with gears has no ranges, which the library says before it looks at the index.
    for index in [0, 1, 9] {
        let mut range = aclmdlIODimsRange { rangeCount: 7, range: [[7; 2]; 128] };
        ok!(model::aclmdlGetInputDimsRange(desc, index, &mut range));
        assert_eq!(range.rangeCount, 0);
    }
    let (mut work, mut weights) = (0, 0);
    ok!(model::aclmdlQuerySizeFromMem(file.as_ptr().cast(), file.len(), &mut work, &mut weights));
    assert_eq!((work, weights), (128 + 128 + 8, 16));

    let (x, gear, y) = (on_device(&bytes(&[1.0; 32])), device_memory(8), device_memory(128));
    let (input, output) = (dataset(&[(x, 128), (gear, 8)]), dataset(&[(y, 128)]));
    fails!(145021, "not set", model::aclmdlExecute(id, input, output));
    let mut dims = no_dims();
    ok!(model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
    assert_eq!((list(&dims), string(dims.name.as_ptr()).as_str()), (&[8, 4][..], "y"), "of the largest gear");
    ok!(model::aclmdlGetInputDims(desc, 0, &mut dims));
    assert_eq!(list(&dims), [-1, 4], "inputs are open");
    for rows in [2, 8, 1] {
        ok!(model::aclmdlGetOutputDims(desc, 0, &mut dims));
        assert_eq!(list(&dims), [8, 4], "of the largest gear, whatever was chosen");
        ok!(model::aclmdlSetDynamicBatchSize(id, input, index, rows));
        assert_eq!(from_device(gear, 8), rows.to_le_bytes(), "the library writes the gear");
        ok!(model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
        assert_eq!(list(&dims), [rows as i64, 4]);
        ok!(model::aclmdlExecute(id, input, output));
        assert!(call!(model::aclmdlGetDatasetTensorDesc(output, 0)).is_null(), "no input has a description");
        assert_eq!(floats(&from_device(y, rows as usize * 16)), vec![11.0; rows as usize * 4]);
    }
    attach(input, 0, &[2, 4]);
    fails!(145021, "one way or the other", model::aclmdlExecute(id, input, output));
    ok!(model::aclmdlSetDynamicBatchSize(id, input, index, 2));
    ok!(model::aclmdlExecute(id, input, output));
    assert_eq!(dims_of(output, 0), [2, 4], "an input has a description");
}

#[test]
fn a_choice_that_does_not_fit_is_refused() {
    let _world = world();
    let id = load(&files::sum("rows", Some((BATCH, "1,8,2"))));
    let (x, gear) = (device_memory(128), device_memory(8));
    let input = dataset(&[(x, 128), (gear, 8)]);
    fails!(145013, "[3] is not among", model::aclmdlSetDynamicBatchSize(id, input, 1, 3));
    fails!(100000, "0", model::aclmdlSetDynamicBatchSize(id, input, 1, 0));
    fails!(100000, "not the one", model::aclmdlSetDynamicBatchSize(id, input, 0, 2));
    fails!(100000, "not the one", model::aclmdlSetDynamicBatchSize(id, input, 2, 2));
    fails!(100000, "no index 1", model::aclmdlSetDynamicBatchSize(id, dataset(&[(x, 128)]), 1, 2));
    fails!(100000, "null", model::aclmdlSetDynamicBatchSize(id, null_mut(), 1, 2));
    fails!(145003, "no model", model::aclmdlSetDynamicBatchSize(id + 1, input, 1, 2));
    fails!(100019, "no gears of this kind", model::aclmdlSetDynamicHWSize(id, input, 1, 2, 2));
    fails!(100019, "no gears", model::aclmdlSetDynamicBatchSize(load(&files::sum("2", None)), input, 1, 2));
    fails!(145012, "8 bytes", model::aclmdlSetDynamicBatchSize(id, dataset(&[(x, 128), (gear, 4)]), 1, 2));
    let mut host = [0_u8; 8];
    let wrong = dataset(&[(x, 128), (host.as_mut_ptr().cast(), 8)]);
    fails!(145011, "host memory", model::aclmdlSetDynamicBatchSize(id, wrong, 1, 2));
    let output = dataset(&[(null_mut(), 0)]);
    attach(input, 0, &[3, 4]);
    fails!(145021, "no shape that the model", model::aclmdlExecute(id, input, output));
    attach(input, 0, &[8, 4]);
    ok!(model::aclmdlExecute(id, input, output));
    assert_eq!(dims_of(output, 0), [8, 4]);
}

#[test]
fn an_image_size_is_chosen_before_the_run() {
    let _world = world();
    let id = load(&files::image((IMAGE, "2,3;4,4")));
    let desc = describe(id);
    let mut hw = aclmdlHW { hwCount: 0, hw: [[0; 2]; 128] };
    ok!(model::aclmdlGetDynamicHW(desc, usize::MAX, &mut hw));
    assert_eq!(&hw.hw[..hw.hwCount], [[2, 3], [4, 4]]);
    assert_eq!(call!(model::aclmdlGetInputFormat(desc, 0)), aclFormat::ACL_FORMAT_NCHW);
    let (x, y) = (on_device(&bytes(&[1.0; 16])), device_memory(64));
    let (input, output) = (dataset(&[(x, 64), (device_memory(16), 16)]), dataset(&[(y, 64)]));
    let mut dims = no_dims();
    ok!(model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
    assert_eq!(list(&dims), [1, 1, 4, 4], "of the largest gear, which is not the first");
    ok!(model::aclmdlSetDynamicHWSize(id, input, 1, 2, 3));
    ok!(model::aclmdlExecute(id, input, output));
    ok!(model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
    assert_eq!((list(&dims), floats(&from_device(y, 24))), (&[1, 1, 2, 3][..], vec![-1.0; 6]));
    fails!(145013, "[3, 2]", model::aclmdlSetDynamicHWSize(id, input, 1, 3, 2));
    fails!(100000, "no image size", model::aclmdlSetDynamicHWSize(id, input, 1, 0, 2));
}

#[test]
fn dims_are_chosen_before_the_run() {
    let _world = world();
    let id = load(&files::product((DIMS, "2,5;1,1")));
    let desc = describe(id);
    let mut count = 0;
    ok!(model::aclmdlGetInputDynamicGearCount(desc, usize::MAX, &mut count));
    assert_eq!(count, 2);
    fails!(100000, "-1", model::aclmdlGetInputDynamicGearCount(desc, 0, &mut count));
    let mut gears = [no_dims(); 2];
    fails!(100000, "room for 1", model::aclmdlGetInputDynamicDims(desc, usize::MAX, gears.as_mut_ptr(), 1));
    ok!(model::aclmdlGetInputDynamicDims(desc, usize::MAX, gears.as_mut_ptr(), 2));
    assert_eq!((list(&gears[0]), list(&gears[1])), (&[2, 3, 3, 5][..], &[1, 3, 3, 1][..]));

    let (a, b, y) = (on_device(&bytes(&[1.0; 6])), on_device(&bytes(&[2.0; 15])), device_memory(40));
    let (input, output) = (dataset(&[(a, 24), (b, 60), (device_memory(16), 16)]), dataset(&[(y, 40)]));
    ok!(model::aclmdlSetInputDynamicDims(id, input, 2, &gears[0]));
    ok!(model::aclmdlExecute(id, input, output));
    let mut dims = no_dims();
    ok!(model::aclmdlGetCurOutputDims(desc, 0, &mut dims));
    assert_eq!((list(&dims), floats(&from_device(y, 40))), (&[2, 5][..], vec![6.0; 10]));
    let wrong = |code, words, change: fn(&mut aclmdlIODims)| {
        let mut dims = gears[0];
        change(&mut dims);
        fails!(code, words, model::aclmdlSetInputDynamicDims(id, input, 2, &dims));
    };
    wrong(145013, "[1, 5]", |dims| dims.dims[0] = 1);
    wrong(145012, "does not fit", |dims| dims.dims[1] = 4);
    wrong(145012, "does not fit", |dims| dims.dimCount = 3);
    wrong(100000, "128", |dims| dims.dimCount = 129);
    fails!(100000, "null", model::aclmdlSetInputDynamicDims(id, input, 2, null()));
}
