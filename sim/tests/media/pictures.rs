//! Cutting, scaling, pasting, and other formats.

use crate::support::{BGR, GRAY, NV12, NV21, Picture, RGB, channel, wait};
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;

const DEFAULT: aclrtStream = aclrtStream::NULL;

/// 4 by 4 pixels: luma 0 to 15 in rows of six bytes, colour differences of four blocks behind them.
fn nv12() -> Picture {
    let mut bytes: Vec<u8> = (0..4).flat_map(|row| [4 * row, 4 * row + 1, 4 * row + 2, 4 * row + 3, 99, 99]).collect();
    bytes.extend([100, 200, 101, 201, 99, 99, 102, 202, 103, 203, 99, 99]);
    Picture::new(NV12, [4, 4], 6, &bytes)
}

fn resize(interpolation: u32) -> *mut acldvppResizeConfig {
    let config = call!(media::acldvppCreateResizeConfig());
    ok!(media::acldvppSetResizeConfigInterpolation(config, interpolation));
    config
}

fn region(left: u32, right: u32, top: u32, bottom: u32) -> *mut acldvppRoiConfig {
    call!(media::acldvppCreateRoiConfig(left, right, top, bottom))
}

#[test]
fn a_part_is_cut_out_with_its_colours() {
    let _world = world();
    let (channel, input) = (channel(), nv12());
    let output = Picture::new(NV12, [2, 2], 2, &[0; 6]);
    let crop = region(2, 3, 0, 1);
    ok!(media_tasks::acldvppVpcCropAsync(channel, input.desc, output.desc, crop, DEFAULT));
    wait();
    assert_eq!(output.bytes(), [2, 3, 6, 7, 101, 201]);
}

#[test]
fn the_other_order_of_colours_is_another_format() {
    let _world = world();
    let (channel, input) = (channel(), nv12());
    let output = Picture::new(NV21, [4, 4], 4, &[0; 24]);
    ok!(media_tasks::acldvppVpcConvertColorAsync(channel, input.desc, output.desc, DEFAULT));
    wait();
    let bytes = output.bytes();
    assert_eq!(bytes[..16], (0..16).collect::<Vec<u8>>());
    assert_eq!(bytes[16..], [200, 100, 201, 101, 202, 102, 203, 103]);
}

#[test]
fn the_nearest_pixel_is_taken_and_gaps_behind_rows_stay() {
    let _world = world();
    let channel = channel();
    let input = Picture::new(GRAY, [2, 2], 2, &[10, 20, 30, 40]);
    let output = Picture::new(GRAY, [4, 4], 5, &[7; 20]);
    ok!(media_tasks::acldvppVpcResizeAsync(channel, input.desc, output.desc, resize(2), DEFAULT));
    wait();
    let rows = [[10, 10, 20, 20, 7], [10, 10, 20, 20, 7], [30, 30, 40, 40, 7], [30, 30, 40, 40, 7]];
    assert_eq!(output.bytes(), rows.concat());
}

/// Calculated by hand: the new values lie a quarter and three quarters between the old ones.
#[test]
fn colours_of_blocks_are_scaled_by_themselves() {
    let _world = world();
    let channel = channel();
    let mut bytes = vec![50; 16];
    bytes.extend([0, 40, 200, 80, 0, 120, 200, 160]);
    let input = Picture::new(NV12, [4, 4], 4, &bytes);
    let output = Picture::new(NV12, [8, 8], 8, &[0; 96]);
    ok!(media_tasks::acldvppVpcResizeAsync(channel, input.desc, output.desc, resize(0), DEFAULT));
    wait();
    let blue = [0, 50, 150, 200];
    let red = [[40, 50, 70, 80], [60, 70, 90, 100], [100, 110, 130, 140], [120, 130, 150, 160]];
    let colours: Vec<u8> = red.iter().flat_map(|red| blue.into_iter().zip(*red)).flat_map(|(a, b)| [a, b]).collect();
    assert_eq!(output.bytes()[64..], colours);
}

#[test]
fn bilinear_scaling_mixes_neighbours() {
    let _world = world();
    let channel = channel();
    let input = Picture::new(GRAY, [2, 1], 2, &[0, 200]);
    let output = Picture::new(GRAY, [4, 1], 4, &[0; 4]);
    ok!(media_tasks::acldvppVpcResizeAsync(channel, input.desc, output.desc, resize(1), DEFAULT));
    wait();
    let bytes = output.bytes();
    assert!(bytes.is_sorted() && bytes[0] < 20 && bytes[3] > 180, "{bytes:?}");
    assert!(bytes[1] > bytes[0] && bytes[2] < bytes[3], "{bytes:?}");
}

#[test]
fn red_and_blue_change_places_between_the_packed_formats() {
    let _world = world();
    let channel = channel();
    let input = Picture::new(RGB, [2, 1], 6, &[255, 0, 0, 1, 2, 3]);
    let output = Picture::new(BGR, [2, 1], 6, &[0; 6]);
    ok!(media_tasks::acldvppVpcConvertColorAsync(channel, input.desc, output.desc, DEFAULT));
    wait();
    assert_eq!(output.bytes(), [0, 0, 255, 3, 2, 1]);
}

#[test]
fn colours_become_luma_and_differences_and_back_again() {
    let _world = world();
    let channel = channel();
    let colours = [255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0];
    let input = Picture::new(RGB, [2, 2], 6, &colours);
    let between = Picture::new(NV12, [2, 2], 2, &[0; 6]);
    let output = Picture::new(RGB, [2, 2], 6, &[0; 12]);
    ok!(media_tasks::acldvppVpcConvertColorAsync(channel, input.desc, between.desc, DEFAULT));
    ok!(media_tasks::acldvppVpcConvertColorAsync(channel, between.desc, output.desc, DEFAULT));
    wait();
    // Red of BT.601 with all 256 steps.
    assert_eq!(between.bytes(), [76, 76, 76, 76, 85, 255]);
    let back = output.bytes();
    assert!(back.iter().zip(colours).all(|(found, expected)| found.abs_diff(expected) <= 2), "{back:?}");
}

#[test]
fn a_part_is_pasted_and_the_rest_stays() {
    let _world = world();
    let channel = channel();
    let input = Picture::new(GRAY, [2, 2], 2, &[1, 2, 3, 4]);
    let output = Picture::new(GRAY, [4, 3], 4, &[9; 12]);
    let (crop, paste) = (region(0, 1, 1, 1), region(2, 3, 1, 1));
    ok!(media_tasks::acldvppVpcCropAndPasteAsync(channel, input.desc, output.desc, crop, paste, DEFAULT));
    wait();
    assert_eq!(output.bytes(), [9, 9, 9, 9, 9, 9, 3, 4, 9, 9, 9, 9]);
}

#[test]
fn a_picture_that_does_not_fit_its_memory_is_refused_at_the_call() {
    let _world = world();
    let (channel, input) = (channel(), nv12());
    let output = Picture::new(GRAY, [4, 4], 4, &[0; 16]);
    ok!(media::acldvppSetPicDescSize(output.desc, 15));
    let words = "output: found a size of 15 bytes, expected at least 16";
    let code = ACL_ERROR_INVALID_PARAM;
    fails!(code, words, media_tasks::acldvppVpcResizeAsync(channel, input.desc, output.desc, resize(0), DEFAULT));
    ok!(media::acldvppSetPicDescSize(output.desc, 16));
    ok!(media::acldvppSetPicDescWidthStride(output.desc, 3));
    let words = "found strides of 3 bytes and 4 rows, expected at least 4 and 4";
    fails!(code, words, media_tasks::acldvppVpcResizeAsync(channel, input.desc, output.desc, resize(0), DEFAULT));
    ok!(media::acldvppSetPicDescWidthStride(output.desc, 4));
    let crop = region(0, 4, 0, 3);
    let words = "crop area: found columns 0 to 4 and rows 0 to 3, expected a part of 4 by 4 pixels";
    fails!(code, words, media_tasks::acldvppVpcCropAsync(channel, input.desc, output.desc, crop, DEFAULT));
}

#[test]
fn host_memory_and_unknown_formats_are_refused() {
    let _world = world();
    let (channel, input) = (channel(), nv12());
    let output = Picture::new(GRAY, [4, 4], 4, &[0; 16]);
    let mut host = [0_u8; 64];
    ok!(media::acldvppSetPicDescData(output.desc, host.as_mut_ptr().cast()));
    let words = "is host memory, expected memory of the device (acldvppMalloc)";
    let code = ACL_ERROR_INVALID_PARAM;
    fails!(code, words, media_tasks::acldvppVpcResizeAsync(channel, input.desc, output.desc, resize(0), DEFAULT));
    ok!(media::acldvppSetPicDescFormat(output.desc, acldvppPixelFormat::PIXEL_FORMAT_RGB_565));
    let words = "output: the simulator has no pixel format 31";
    let code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(code, words, media_tasks::acldvppVpcResizeAsync(channel, input.desc, output.desc, resize(0), DEFAULT));
}

#[test]
fn work_waits_for_what_was_queued_before_it() {
    let _world = world();
    let channel = channel();
    let input = Picture::new(GRAY, [2, 1], 2, &[5, 6]);
    let (middle, output) = (Picture::new(GRAY, [2, 1], 2, &[0; 2]), Picture::new(GRAY, [2, 1], 2, &[0; 2]));
    for _ in 0..100 {
        ok!(media_tasks::acldvppVpcResizeAsync(channel, input.desc, middle.desc, resize(2), DEFAULT));
    }
    ok!(media_tasks::acldvppVpcResizeAsync(channel, middle.desc, output.desc, resize(2), DEFAULT));
    // The descriptions are read when the work is queued.
    ok!(media::acldvppDestroyPicDesc(middle.desc));
    wait();
    assert_eq!(output.bytes(), [5, 6]);
}

/// A picture of 3 by 3 pixels with room for 4 by 4, and behind it bytes that no call may touch.
fn odd(fill: u8) -> Picture {
    let mut bytes = [fill; 24 + GUARD].to_vec();
    bytes[24..].fill(0xee);
    let picture = Picture::new(NV12, [3, 3], 4, &bytes);
    ok!(media::acldvppSetPicDescHeightStride(picture.desc, 4));
    ok!(media::acldvppSetPicDescSize(picture.desc, 24));
    picture
}

const GUARD: usize = 16;

/// The hardware takes areas of whole blocks, so programs name the even columns and rows of a picture with an odd size.
#[test]
fn an_area_reaches_to_the_end_of_the_last_block_and_pixels_to_the_end_of_the_picture() {
    let _world = world();
    let (channel, input, output) = (channel(), nv12(), odd(55));
    let crop = region(0, 3, 0, 3);
    ok!(media_tasks::acldvppVpcCropAndPasteAsync(channel, input.desc, output.desc, crop, region(0, 3, 0, 3), DEFAULT));
    wait();
    let bytes = output.bytes();
    let rows = [[0, 1, 2, 55], [4, 5, 6, 55], [8, 9, 10, 55], [55; 4]];
    assert_eq!(bytes[..16], rows.concat(), "pixels are copied as they are, and nothing is written beside the picture");
    assert_eq!(bytes[16..24], [100, 200, 101, 201, 102, 202, 103, 203]);
    assert_eq!(bytes[24..], [0xee; GUARD]);

    // An area of the input goes beyond its last column and row, which are repeated.
    let whole = Picture::new(NV12, [4, 4], 4, &[0; 24]);
    ok!(media_tasks::acldvppVpcCropAsync(channel, output.desc, whole.desc, crop, DEFAULT));
    wait();
    let bytes = whole.bytes();
    let rows = [[0, 1, 2, 2], [4, 5, 6, 6], [8, 9, 10, 10], [8, 9, 10, 10]];
    assert_eq!(bytes[..16], rows.concat());
    assert_eq!(bytes[16..], [100, 200, 101, 201, 102, 202, 103, 203]);

    // So are they where an area begins behind them.
    for (size, area, pixels) in
        [([4, 1], region(0, 3, 3, 3), [8, 9, 10, 10]), ([1, 4], region(3, 3, 0, 3), [2, 6, 10, 10])]
    {
        let line = Picture::new(GRAY, size, size[0], &[0; 4]);
        ok!(media_tasks::acldvppVpcCropAsync(channel, output.desc, line.desc, area, DEFAULT));
        wait();
        assert_eq!(line.bytes(), pixels);
    }

    for (what, right, bottom) in [("column", 4, 3), ("row", 3, 4)] {
        let beyond = region(0, right, 0, bottom);
        let code = call!(media_tasks::acldvppVpcCropAsync(channel, output.desc, whole.desc, beyond, DEFAULT));
        assert_eq!(code, ACL_ERROR_INVALID_PARAM, "a {what} behind the last block");
    }
}

/// Rows and planes that end with the picture have no room for more, and pixels without blocks do not need it.
#[test]
fn an_area_stays_in_the_memory_of_the_picture() {
    let _world = world();
    let channel = channel();
    let output = Picture::new(NV12, [4, 4], 4, &[0; 24]);
    let tight = Picture::new(NV12, [3, 4], 3, &[9; 18]);
    let gray = Picture::new(GRAY, [3, 3], 4, &[9; 16]);
    let short = Picture::new(NV12, [4, 3], 4, &[9; 18]);
    for (input, right, bottom) in [(&tight, 3, 3), (&gray, 3, 2), (&gray, 2, 3), (&short, 3, 3)] {
        let area = region(0, right, 0, bottom);
        fails!(
            ACL_ERROR_INVALID_PARAM,
            "expected a part",
            media_tasks::acldvppVpcCropAsync(channel, input.desc, output.desc, area, DEFAULT)
        );
    }
    // Blocks of two columns and one row.
    let pairs = acldvppPixelFormat::PIXEL_FORMAT_YUYV_PACKED_422;
    let mut bytes = [1, 10, 2, 20, 3, 30, 4, 40].to_vec();
    bytes.extend([0xee; GUARD]);
    let input = Picture::new(pairs, [3, 1], 8, &bytes);
    let mut empty = [0; 8].to_vec();
    empty.extend([0xee; GUARD]);
    let output = Picture::new(pairs, [3, 1], 8, &empty);
    ok!(media::acldvppSetPicDescSize(output.desc, 8));
    let area = region(0, 3, 0, 0);
    ok!(media_tasks::acldvppVpcCropAndPasteAsync(channel, input.desc, output.desc, area, area, DEFAULT));
    wait();
    bytes[6] = 0;
    assert_eq!(output.bytes(), bytes, "the last column is behind the picture");
}
