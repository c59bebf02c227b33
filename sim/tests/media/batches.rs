//! Pictures that are cut out of several others by one call.

use crate::support::{GRAY, channel, wait};
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

const DEFAULT: aclrtStream = aclrtStream::NULL;

/// Gray pictures of 2 by 2 pixels.
struct Batch {
    desc: *mut acldvppBatchPicDesc,
    data: Vec<*mut c_void>,
}

impl Batch {
    fn new(pictures: &[[u8; 4]]) -> Self {
        let desc = call!(media::acldvppCreateBatchPicDesc(pictures.len() as u32));
        let fill = |(index, bytes): (usize, &[u8; 4])| {
            let picture = call!(media::acldvppGetPicDesc(desc, index as u32));
            let data = on_device(bytes);
            ok!(media::acldvppSetPicDescData(picture, data));
            ok!(media::acldvppSetPicDescSize(picture, 4));
            ok!(media::acldvppSetPicDescFormat(picture, GRAY));
            ok!(media::acldvppSetPicDescWidth(picture, 2));
            ok!(media::acldvppSetPicDescHeight(picture, 2));
            ok!(media::acldvppSetPicDescWidthStride(picture, 2));
            ok!(media::acldvppSetPicDescHeightStride(picture, 2));
            data
        };
        Self { desc, data: pictures.iter().enumerate().map(fill).collect() }
    }

    fn bytes(&self) -> Vec<Vec<u8>> {
        self.data.iter().map(|data| from_device(*data, 4)).collect()
    }
}

fn areas(edges: &[[u32; 4]]) -> Vec<*mut acldvppRoiConfig> {
    let area =
        |[left, right, top, bottom]: &[u32; 4]| call!(media::acldvppCreateRoiConfig(*left, *right, *top, *bottom));
    edges.iter().map(area).collect()
}

fn nearest() -> *mut acldvppResizeConfig {
    let config = call!(media::acldvppCreateResizeConfig());
    ok!(media::acldvppSetResizeConfigInterpolation(config, 2));
    config
}

const INPUTS: [[u8; 4]; 2] = [[1, 2, 3, 4], [5, 6, 7, 8]];

#[test]
fn each_output_is_a_part_of_the_input_that_the_numbers_give_it() {
    let _world = world();
    let (channel, inputs, outputs) = (channel(), Batch::new(&INPUTS), Batch::new(&[[0; 4]; 3]));
    let (mut numbers, mut crops) = ([2, 1], areas(&[[0, 1, 0, 1], [1, 1, 1, 1], [0, 0, 1, 1]]));
    let (numbers, crops) = (numbers.as_mut_ptr(), crops.as_mut_ptr());
    ok!(media_tasks::acldvppVpcBatchCropAsync(channel, inputs.desc, numbers, 2, outputs.desc, crops, DEFAULT));
    wait();
    assert_eq!(outputs.bytes(), [vec![1, 2, 3, 4], vec![4; 4], vec![7; 4]]);
}

#[test]
fn a_part_of_another_size_is_scaled_in_the_way_that_was_asked_for() {
    let _world = world();
    let (channel, inputs, outputs) = (channel(), Batch::new(&INPUTS), Batch::new(&[[0; 4]; 2]));
    let (mut numbers, mut crops) = ([1, 1], areas(&[[0, 1, 0, 0], [0, 0, 0, 1]]));
    let (numbers, crops, resize) = (numbers.as_mut_ptr(), crops.as_mut_ptr(), nearest());
    let (from, to) = (inputs.desc, outputs.desc);
    ok!(media_tasks::acldvppVpcBatchCropResizeAsync(channel, from, numbers, 2, to, crops, resize, DEFAULT));
    wait();
    assert_eq!(outputs.bytes(), [[1, 2, 1, 2], [5, 5, 7, 7]]);
}

#[test]
fn parts_are_pasted_into_their_outputs_and_the_rest_stays() {
    let _world = world();
    let (channel, inputs, outputs) = (channel(), Batch::new(&INPUTS), Batch::new(&[[9; 4]; 2]));
    let (mut numbers, mut crops) = ([0, 2], areas(&[[0, 0, 0, 0], [1, 1, 1, 1]]));
    let mut pastes = areas(&[[1, 1, 0, 0], [0, 1, 1, 1]]);
    let (numbers, crops, pastes) = (numbers.as_mut_ptr(), crops.as_mut_ptr(), pastes.as_mut_ptr());
    let (from, to) = (inputs.desc, outputs.desc);
    ok!(media_tasks::acldvppVpcBatchCropAndPasteAsync(channel, from, numbers, 2, to, crops, pastes, DEFAULT));
    wait();
    assert_eq!(outputs.bytes(), [[9, 5, 9, 9], [9, 9, 8, 8]]);
    let (resize, to) = (nearest(), inputs.desc);
    // The outputs are what it reads now.
    let from = outputs.desc;
    ok!(media_tasks::acldvppVpcBatchCropResizePasteAsync(
        channel, from, numbers, 2, to, crops, pastes, resize, DEFAULT
    ));
    wait();
    assert_eq!(inputs.bytes(), [[1, 9, 3, 4], [5, 6, 8, 8]]);
}

#[test]
fn lists_that_do_not_fit_the_batches_are_refused_and_nothing_is_queued() {
    let _world = world();
    let (channel, inputs, outputs) = (channel(), Batch::new(&INPUTS), Batch::new(&[[0; 4]; 2]));
    let (mut numbers, mut crops) = ([1, 2], areas(&[[0, 1, 0, 1], [0, 2, 0, 1]]));
    let (numbers, crops, code) = (numbers.as_mut_ptr(), crops.as_mut_ptr(), ACL_ERROR_INVALID_PARAM);
    let (from, to) = (inputs.desc, outputs.desc);
    let words = "found 3 parts for 2 pictures, expected one each";
    fails!(code, words, media_tasks::acldvppVpcBatchCropAsync(channel, from, numbers, 2, to, crops, DEFAULT));
    let words = "found 3 numbers for 2 pictures";
    fails!(code, words, media_tasks::acldvppVpcBatchCropAsync(channel, from, numbers, 3, to, crops, DEFAULT));
    let words = "a list of numbers or areas is null";
    fails!(code, words, media_tasks::acldvppVpcBatchCropAsync(channel, from, numbers, 2, to, null_mut(), DEFAULT));
    let mut numbers = [1, 1];
    let numbers = numbers.as_mut_ptr();
    let words = "crop area: found columns 0 to 2";
    fails!(code, words, media_tasks::acldvppVpcBatchCropAsync(channel, from, numbers, 2, to, crops, DEFAULT));
    wait();
    assert_eq!(outputs.bytes(), [[0; 4]; 2]);
}

#[test]
fn the_pictures_of_a_batch_end_with_it() {
    let _world = world();
    for size in [0, 257] {
        assert!(call!(media::acldvppCreateBatchPicDesc(size)).is_null());
    }
    let batch = call!(media::acldvppCreateBatchPicDesc(2));
    let last = call!(media::acldvppGetPicDesc(batch, 1));
    assert_eq!(last, call!(media::acldvppGetPicDesc(batch, 1)));
    assert!(call!(media::acldvppGetPicDesc(batch, 2)).is_null());
    ok!(media::acldvppDestroyBatchPicDesc(batch));
    let gone = "this is no picture description, or it was destroyed";
    fails!(ACL_ERROR_INVALID_PARAM, gone, media::acldvppSetPicDescWidth(last, 4));
    let gone = "this is no batch of pictures, or it was destroyed";
    fails!(ACL_ERROR_INVALID_PARAM, gone, media::acldvppDestroyBatchPicDesc(batch));
}
