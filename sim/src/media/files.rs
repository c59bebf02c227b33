//! JPEG and PNG files.

use super::image::{Image, Space};
use crate::abi::is_promised;
use jpeg_encoder::{ColorType, Encoder};
use std::io::Cursor;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

/// The description of the picture in the header of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Info {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) components: u8,
}

pub(crate) fn jpeg_info(file: &[u8]) -> Result<Info, String> {
    let mut decoder = JpegDecoder::new(ZCursor::new(file));
    decoder.decode_headers().map_err(|error| format!("this is no JPEG file: {}", said(&error)))?;
    let info = decoder.info().ok_or("this JPEG file has no size")?;
    Ok(Info { width: info.width.into(), height: info.height.into(), components: info.components })
}

pub(crate) fn decode_jpeg(file: &[u8]) -> Result<Image, String> {
    let info = jpeg_info(file)?;
    if !is_whole(file) {
        return Err("this JPEG file is cut off: its end is missing".to_string());
    }
    let space = if info.components == 1 { ColorSpace::Luma } else { ColorSpace::YCbCr };
    // Otherwise pixels that a damaged file does not tell are gray, without a word.
    let options = DecoderOptions::default().set_strict_mode(true).jpeg_set_out_colorspace(space);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    let pixels = decoder.decode().map_err(|error| format!("this JPEG file cannot be decoded: {}", said(&error)))?;
    let planes = if info.components == 1 {
        let neutral = vec![128; pixels.len()];
        [pixels, neutral.clone(), neutral]
    } else {
        apart(&pixels, 3)
    };
    Ok(Image::new(info.width, info.height, Space::Yuv, planes))
}

/// Whether the mark of its end comes behind the segments of a file and the data of its scans.
fn is_whole(file: &[u8]) -> bool {
    const END: u8 = 0xd9;
    // Behind the mark of the start.
    let mut rest = file.get(2..).unwrap_or_default();
    loop {
        let Some(start) = rest.iter().position(|byte| *byte == 0xff) else { return false };
        // Any number of such bytes may stand before the mark.
        let mark = rest.iter().skip(start).position(|byte| *byte != 0xff).map(|fill| start + fill);
        let Some((at, &mark)) = mark.and_then(|at| Some((at, rest.get(at)?))) else { return false };
        rest = rest.get(at + 1..).unwrap_or_default();
        match mark {
            END => return true,
            // A byte of the data, a mark inside of them, or one without a length.
            0x00 | 0x01 | 0xd0..=0xd8 => {}
            _ => {
                let Some(length) = rest.first_chunk().map(|bytes| usize::from(u16::from_be_bytes(*bytes))) else {
                    return false;
                };
                rest = rest.get(length..).unwrap_or_default();
            }
        }
    }
}

/// What a decoder says, in one line.
fn said(error: &impl std::fmt::Display) -> String {
    error.to_string().trim_end().to_string()
}

/// `quality` goes from 1 to 100.
pub(crate) fn encode_jpeg(image: Image, quality: u8) -> Result<Vec<u8>, String> {
    let (Ok(width), Ok(height)) = (u16::try_from(image.width), u16::try_from(image.height)) else {
        return Err(format!("{} by {} pixels are too many for a JPEG file", image.width, image.height));
    };
    let [first, second, third] = image.into_space(Space::Yuv).planes;
    let pixels: Vec<u8> = first.iter().zip(&second).zip(&third).flat_map(|((y, u), v)| [*y, *u, *v]).collect();
    let mut file = Vec::new();
    let encoder = Encoder::new(&mut file, quality);
    encoder.encode(&pixels, width, height, ColorType::Ycbcr).map_err(|error| error.to_string())?;
    Ok(file)
}

pub(crate) fn png_info(file: &[u8]) -> Result<Info, String> {
    let reader =
        png::Decoder::new(Cursor::new(file)).read_info().map_err(|error| format!("this is no PNG file: {error}"))?;
    let info = reader.info();
    let components = info.color_type.samples() as u8;
    Ok(Info { width: info.width as usize, height: info.height as usize, components })
}

/// As red, green and blue, whatever the file has; opacity is left out.
pub(crate) fn decode_png(file: &[u8]) -> Result<Image, String> {
    let failed = |error: png::DecodingError| format!("this PNG file cannot be decoded: {error}");
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(failed)?;
    let size = reader.output_buffer_size().ok_or("this PNG file is too large")?;
    let mut pixels = Vec::new();
    if !is_promised(size) || pixels.try_reserve_exact(size).is_err() {
        return Err(format!("this PNG file takes {size} bytes, and there is no memory for them"));
    }
    pixels.resize(size, 0);
    let frame = reader.next_frame(&mut pixels).map_err(failed)?;
    pixels.truncate(frame.buffer_size());
    let samples = frame.color_type.samples();
    let planes = match samples {
        1 | 2 => {
            let [gray, ..] = apart(&pixels, samples);
            [gray.clone(), gray.clone(), gray]
        }
        _ => apart(&pixels, samples),
    };
    Ok(Image::new(frame.width as usize, frame.height as usize, Space::Rgb, planes))
}

/// The first three samples of each pixel, each in a plane of its own.
fn apart(pixels: &[u8], samples: usize) -> [Vec<u8>; 3] {
    [0, 1, 2].map(|at| pixels.iter().skip(at).step_by(samples.max(1)).copied().collect())
}
