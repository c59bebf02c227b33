//! JPEG and PNG.

use crate::support::{GRAY, NV12, Picture, RGB, channel, wait};
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null;

const DEFAULT: aclrtStream = aclrtStream::NULL;
const ROOM: u32 = 1 << 16;

/// A JPEG file of 32 by 16 pixels, dark on the left and bright on the right, made by the encoder under test.
fn jpeg(channel: *mut acldvppChannelDesc) -> Vec<u8> {
    let luma: Vec<u8> = (0..16).flat_map(|_| (0..32).map(|x| if x < 16 { 40 } else { 200 })).collect();
    let bytes = [luma, vec![128; 16 * 16]].concat();
    let input = Picture::new(NV12, [32, 16], 32, &bytes);
    let config = call!(media::acldvppCreateJpegeConfig());
    let mut size = 0;
    ok!(media_tasks::acldvppJpegPredictEncSize(input.desc, config, &mut size));
    assert!(size >= 32 * 16 * 3);
    let file = device_memory(size as usize);
    ok!(media_tasks::acldvppJpegEncodeAsync(channel, input.desc, file, &mut size, config, DEFAULT));
    wait();
    from_device(file, size as usize)
}

/// A JPEG file of this size, whose luma grows to the right and jumps from one block of rows to the next.
fn slope(channel: *mut acldvppChannelDesc, [width, height]: [u32; 2]) -> Vec<u8> {
    let luma: Vec<u8> = (0..height).flat_map(|y| (0..width).map(move |x| (x / 8 + y / 8 * 5) as u8)).collect();
    let input = Picture::new(GRAY, [width, height], width, &luma);
    let config = call!(media::acldvppCreateJpegeConfig());
    let mut size = 0;
    ok!(media_tasks::acldvppJpegPredictEncSize(input.desc, config, &mut size));
    let file = device_memory(size as usize);
    ok!(media_tasks::acldvppJpegEncodeAsync(channel, input.desc, file, &mut size, config, DEFAULT));
    wait();
    from_device(file, size as usize)
}

fn strides(picture: &Picture) -> (u32, u32) {
    let across = call!(media::acldvppGetPicDescWidthStride(picture.desc));
    (across, call!(media::acldvppGetPicDescHeightStride(picture.desc)))
}

/// A PNG file of 2 by 2 pixels: red, green, blue, white; stored without compression.
fn png() -> Vec<u8> {
    let chunk = |kind: &[u8], data: &[u8]| {
        let body = [kind, data].concat();
        [&(data.len() as u32).to_be_bytes()[..], &body, &crc(&body).to_be_bytes()].concat()
    };
    let pixels = [0, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255];
    let adler = pixels.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + byte) % 65521;
        (a, (b + a) % 65521)
    });
    let pixels = pixels.map(|value| value as u8);
    let length = pixels.len() as u16;
    let mut stream = vec![0x78, 0x01, 1];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(pixels);
    stream.extend((adler.1 << 16 | adler.0).to_be_bytes());
    let head = [0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0];
    [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IHDR", &head), &chunk(b"IDAT", &stream), &chunk(b"IEND", &[])].concat()
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[test]
fn a_picture_goes_into_a_jpeg_file_and_comes_back() {
    let _world = world();
    let channel = channel();
    let file = jpeg(channel);
    assert_eq!(file[..2], [0xff, 0xd8]);
    let (mut width, mut height, mut components) = (0, 0, 0);
    let (data, size) = (file.as_ptr().cast(), file.len() as u32);
    ok!(media_tasks::acldvppJpegGetImageInfo(data, size, &mut width, &mut height, &mut components));
    assert_eq!((width, height, components), (32, 16, 3));
    let mut room = 0;
    ok!(media_tasks::acldvppJpegPredictDecSize(data, size, NV12, &mut room));
    assert_eq!(room, 128 * 16 * 3 / 2);

    let on_device = on_device(&file);
    let output = Picture::new(NV12, [32, 16], 128, &vec![0; room as usize]);
    ok!(media_tasks::acldvppJpegDecodeAsync(channel, on_device, size, output.desc, DEFAULT));
    wait();
    let bytes = output.bytes();
    let at = |x: usize, y: usize| bytes[y * 128 + x];
    for (x, y, expected) in [(0, 0, 40), (8, 15, 40), (24, 0, 200), (31, 15, 200)] {
        assert!(at(x, y).abs_diff(expected) < 8, "{x}, {y}: {}", at(x, y));
    }
    assert!(bytes[128 * 16].abs_diff(128) < 3);
    assert_eq!(call!(media::acldvppGetPicDescRetCode(output.desc)), 0);
}

#[test]
fn a_size_that_is_left_open_is_that_of_the_file() {
    let _world = world();
    let channel = channel();
    let file = jpeg(channel);
    let output = Picture::new(GRAY, [0, 0], 0, &vec![0; ROOM as usize]);
    ok!(media_tasks::acldvppJpegDecodeAsync(channel, on_device(&file), file.len() as u32, output.desc, DEFAULT));
    wait();
    let size = (call!(media::acldvppGetPicDescWidth(output.desc)), call!(media::acldvppGetPicDescHeight(output.desc)));
    assert_eq!(size, (32, 16));
    assert!(output.bytes()[0].abs_diff(40) < 8);
}

#[test]
fn a_decoded_picture_is_given_on_with_its_description() {
    let _world = world();
    let channel = channel();
    for ([width, height], expected) in [([200, 100], (256, 112)), ([1920, 1080], (1920, 1088))] {
        let file = slope(channel, [width, height]);
        let (mut room, size) = (0, file.len() as u32);
        ok!(media_tasks::acldvppJpegPredictDecSize(file.as_ptr().cast(), size, NV12, &mut room));
        let decoded = Picture::new(NV12, [0, 0], 0, &vec![0; room as usize]);
        ok!(media::acldvppSetPicDescHeightStride(decoded.desc, 0));
        ok!(media_tasks::acldvppJpegDecodeAsync(channel, on_device(&file), size, decoded.desc, DEFAULT));
        wait();
        assert_eq!(strides(&decoded), expected);
        let luma = decoded.bytes();
        let rows = |left: usize, top: usize, width: usize, height: usize| -> Vec<u8> {
            let row = |y: usize| luma[y * expected.0 as usize + left..][..width].to_vec();
            (top..top + height).flat_map(row).collect()
        };

        let cut = Picture::new(NV12, [32, 16], 32, &[0; 32 * 16 * 3 / 2]);
        let region = call!(media::acldvppCreateRoiConfig(100, 131, 50, 65));
        ok!(media_tasks::acldvppVpcCropAsync(channel, decoded.desc, cut.desc, region, DEFAULT));
        wait();
        let cut = cut.bytes();
        assert_eq!(cut[..32 * 16], rows(100, 50, 32, 16), "the luma");
        assert!(cut[32 * 16..].iter().all(|byte| byte.abs_diff(128) < 3), "the colours stand behind all rows: {cut:?}");

        let (all_across, all_down) = (width as usize, height as usize);
        let same = Picture::new(GRAY, [width, height], width, &vec![0; all_across * all_down]);
        let config = call!(media::acldvppCreateResizeConfig());
        ok!(media_tasks::acldvppVpcResizeAsync(channel, decoded.desc, same.desc, config, DEFAULT));
        wait();
        assert!(same.bytes() == rows(0, 0, all_across, all_down), "a picture of the same size is the same");
    }
}

#[test]
fn a_decoded_png_picture_is_given_on_with_its_description() {
    let _world = world();
    let (channel, file) = (channel(), png());
    let decoded = Picture::new(RGB, [0, 0], 0, &[0; 128 * 16]);
    ok!(media::acldvppSetPicDescHeightStride(decoded.desc, 0));
    ok!(media_tasks::acldvppPngDecodeAsync(channel, on_device(&file), file.len() as u32, decoded.desc, DEFAULT));
    wait();
    assert_eq!(strides(&decoded), (128, 16));
    let cut = Picture::new(RGB, [2, 1], 6, &[0; 6]);
    let region = call!(media::acldvppCreateRoiConfig(0, 1, 1, 1));
    ok!(media_tasks::acldvppVpcCropAsync(channel, decoded.desc, cut.desc, region, DEFAULT));
    wait();
    assert_eq!(cut.bytes(), [0, 0, 255, 255, 255, 255]);
}

#[test]
fn a_png_file_is_decoded_exactly() {
    let _world = world();
    let (channel, file) = (channel(), png());
    let (mut width, mut height, mut components) = (0, 0, 0);
    let (data, size) = (file.as_ptr().cast(), file.len() as u32);
    ok!(media_tasks::acldvppPngGetImageInfo(data, size, &mut width, &mut height, &mut components));
    assert_eq!((width, height, components), (2, 2, 3));
    let output = Picture::new(RGB, [2, 2], 6, &[0; 12]);
    ok!(media_tasks::acldvppPngDecodeAsync(channel, on_device(&file), size, output.desc, DEFAULT));
    wait();
    assert_eq!(output.bytes(), [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]);
}

#[test]
fn a_file_that_is_none_fails_at_the_call_or_on_the_stream() {
    let _world = world();
    let channel = channel();
    let (mut width, mut height, mut components) = (0, 0, 0);
    let noise = [7_u8; 100];
    let code = ACL_ERROR_INVALID_PARAM;
    let data = noise.as_ptr().cast();
    fails!(
        code,
        "no JPEG file",
        media_tasks::acldvppJpegGetImageInfo(data, 100, &mut width, &mut height, &mut components)
    );
    fails!(
        code,
        "no PNG file",
        media_tasks::acldvppPngGetImageInfo(data, 100, &mut width, &mut height, &mut components)
    );
    fails!(code, "null", media_tasks::acldvppJpegGetImageInfo(null(), 100, &mut width, &mut height, &mut components));

    let output = Picture::new(GRAY, [8, 8], 8, &[3; 64]);
    ok!(media_tasks::acldvppJpegDecodeAsync(channel, on_device(&noise), 100, output.desc, DEFAULT));
    assert_eq!(call!(stream::aclrtSynchronizeStream(DEFAULT)), ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_eq!(output.bytes(), [3; 64]);
}

#[test]
fn a_picture_that_is_larger_than_its_memory_is_not_written() {
    let _world = world();
    let channel = channel();
    let file = jpeg(channel);
    let output = Picture::new(GRAY, [32, 8], 32, &[3; 256]);
    ok!(media_tasks::acldvppJpegDecodeAsync(channel, on_device(&file), file.len() as u32, output.desc, DEFAULT));
    assert_eq!(call!(stream::aclrtSynchronizeStream(DEFAULT)), ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_eq!(output.bytes(), [3; 256]);
}

#[test]
fn a_jpeg_file_that_does_not_fit_is_not_written() {
    let _world = world();
    let channel = channel();
    let input = Picture::new(GRAY, [32, 16], 32, &[40; 512]);
    let config = call!(media::acldvppCreateJpegeConfig());
    let (file, mut size) = (device_memory(64), 64);
    ok!(media_tasks::acldvppJpegEncodeAsync(channel, input.desc, file, &mut size, config, DEFAULT));
    assert_eq!(call!(stream::aclrtSynchronizeStream(DEFAULT)), ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_eq!(size, 64);
}

#[test]
fn a_jpeg_file_that_is_cut_off_is_no_picture_and_the_description_tells() {
    let _world = world();
    let channel = channel();
    let file = jpeg(channel);
    let decode = |file: &[u8]| {
        let output = Picture::new(GRAY, [32, 16], 32, &[3; 512]);
        let on_device = on_device(file);
        ok!(media_tasks::acldvppJpegDecodeAsync(channel, on_device, file.len() as u32, output.desc, DEFAULT));
        let code = call!(stream::aclrtSynchronizeStream(DEFAULT));
        (code, call!(media::acldvppGetPicDescRetCode(output.desc)), output.bytes() == [3; 512])
    };
    let failed = (ACL_ERROR_RT_AICPU_EXCEPTION, ACL_ERROR_RT_AICPU_EXCEPTION as u32, true);
    for length in (2..file.len()).rev().step_by(9).chain([file.len() - 1, file.len() - 2]) {
        assert_eq!(decode(&file[..length]), failed, "the first {length} bytes of {}", file.len());
    }
    assert_eq!(decode(&file), (0, 0, false));
    // Cameras put more behind the picture.
    assert_eq!(decode(&[&file[..], &[0; 40]].concat()), (0, 0, false));
}

#[test]
fn the_size_in_a_small_file_is_compared_with_the_description_before_memory_is_taken_for_it() {
    let _world = world();
    let channel = channel();
    let mut file = png();
    // The width and the height in its head, and the check behind the head.
    file[16..20].copy_from_slice(&1_000_000_u32.to_be_bytes());
    file[20..24].copy_from_slice(&2_000_000_000_u32.to_be_bytes());
    let check = crc(&file[12..29]).to_be_bytes();
    file[29..33].copy_from_slice(&check);
    let data = on_device(&file);
    for size in [[0, 0], [2, 2], [1_000_000, 2_000_000_000]] {
        let output = Picture::new(RGB, size, 0, &[7; 12]);
        ok!(media::acldvppSetPicDescHeightStride(output.desc, 0));
        ok!(media_tasks::acldvppPngDecodeAsync(channel, data, file.len() as u32, output.desc, DEFAULT));
        let code = call!(stream::aclrtSynchronizeStream(DEFAULT));
        assert!([ACL_ERROR_RT_AICPU_EXCEPTION, ACL_ERROR_INVALID_PARAM].contains(&code), "{size:?}: {code} {}", text());
        assert!(text().contains("expected at least"), "{size:?}: {}", text());
        assert_eq!(output.bytes(), [7; 12]);
    }
}
