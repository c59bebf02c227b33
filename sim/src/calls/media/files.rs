//! JPEG and PNG.

use super::place::{PicturePlace, failed, geometry_of, hold_on_device, layout_of, noted};
use crate::abi::{Address, Name, Out};
use crate::calls::memory::not_null;
use crate::calls::wanted;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::submission_stream;
use crate::machine::descriptions::media::{ENCODINGS, PICTURES, Picture, channel_id};
use crate::machine::watch;
use crate::media::{Geometry, Image, Info, Layout, decode_jpeg, decode_png, encode_jpeg, jpeg_info, png_info};
use ascendcl_rules::{Flag, Op, Place, Role};
use ascendcl_sys::types::*;

/// Rows and columns of a decoded picture are filled up to multiples of these.
const ACROSS: usize = 128;
const DOWN: usize = 16;

pub(crate) fn acldvppJpegGetImageInfo(
    data: Address,
    size: u32,
    width: Out<'_, u32>,
    height: Out<'_, u32>,
    components: Out<'_, i32>,
) -> Answer {
    tell(data, size, jpeg_info, (width, height, components))
}

pub(crate) fn acldvppPngGetImageInfo(
    data: Address,
    size: u32,
    width: Out<'_, u32>,
    height: Out<'_, u32>,
    components: Out<'_, i32>,
) -> Answer {
    tell(data, size, png_info, (width, height, components))
}

pub(crate) fn acldvppJpegPredictDecSize(
    data: Address,
    size: u32,
    format: acldvppPixelFormat,
    dec_size: Out<'_, u32>,
) -> Answer {
    predict(data, size, format, jpeg_info, dec_size)
}

pub(crate) fn acldvppPngPredictDecSize(
    data: Address,
    size: u32,
    format: acldvppPixelFormat,
    dec_size: Out<'_, u32>,
) -> Answer {
    predict(data, size, format, png_info, dec_size)
}

/// No file is larger: three bytes for a pixel, and the head.
pub(crate) fn acldvppJpegPredictEncSize(
    input: Name<acldvppPicDesc>,
    config: Name<acldvppJpegeConfig>,
    mut size: Out<'_, u32>,
) -> Answer {
    const HEAD: u32 = 4096;
    wanted(&size)?;
    ENCODINGS.read(config)?;
    let Picture { width, height, .. } = PICTURES.read(input)?;
    let bytes = width.checked_mul(height).and_then(|pixels| pixels.checked_mul(3)?.checked_add(HEAD));
    size.set(bytes.ok_or_else(|| Failure::invalid(format!("{width} by {height} pixels are too many")))?);
    Ok(())
}

pub(crate) fn acldvppJpegDecodeAsync(
    channel: Name<acldvppChannelDesc>,
    data: Address,
    size: u32,
    output: Name<acldvppPicDesc>,
    stream: aclrtStream,
) -> Answer {
    decode(channel, (data, size), output, stream, (jpeg_info, decode_jpeg))
}

pub(crate) fn acldvppPngDecodeAsync(
    channel: Name<acldvppChannelDesc>,
    data: Address,
    size: u32,
    output: Name<acldvppPicDesc>,
    stream: aclrtStream,
) -> Answer {
    decode(channel, (data, size), output, stream, (png_info, decode_png))
}

/// `size` says how much room there is, and how much was taken when the work is done.
pub(crate) fn acldvppJpegEncodeAsync(
    channel: Name<acldvppChannelDesc>,
    input: Name<acldvppPicDesc>,
    data: Address,
    size: Address,
    config: Name<acldvppJpegeConfig>,
    stream: aclrtStream,
) -> Answer {
    channel_id(channel)?;
    not_null(size)?;
    let input = PicturePlace::of("input", input)?;
    let quality = match ENCODINGS.read(config)? {
        0 => 100,
        level => level.min(100) as u8,
    };
    let room = size.with_bytes(4, |bytes| bytes.first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes)) as usize);
    let hold = hold_on_device("output", data, room)?;
    let call = watch::call(Op::Use, stream).queue(stream).with(channel).flag(Flag::Media, true);
    let call = call.reads(input.data, input.bytes, Role::Source, Some(Place::Device));
    let call = call
        .room(input.data, input.bytes)
        .room(data, room)
        .writes(data, room, Role::Target, Some(Place::Device))
        .begin()?;
    let stream = submission_stream(stream)?;
    let queued = stream.submit_each(move |_| {
        let _kept = &hold;
        let file = encode_jpeg(input.read(), quality).map_err(failed)?;
        let Some(taken) = u32::try_from(file.len()).ok().filter(|_| file.len() <= room) else {
            return Err(failed(format!("the file takes {} bytes, and there is room for {room}", file.len())));
        };
        data.write(&file);
        size.write(&taken.to_ne_bytes());
        Ok(())
    });
    call.end(queued.map(drop))
}

/// Reads the file when its turn has come, and writes the picture in the format of its description. A size that the
/// description leaves open is that of the file. The description has its size and its strides afterwards.
fn decode(
    channel: Name<acldvppChannelDesc>,
    (data, size): (Address, u32),
    output: Name<acldvppPicDesc>,
    stream: aclrtStream,
    (info, decode): (fn(&[u8]) -> Result<Info, String>, fn(&[u8]) -> Result<Image, String>),
) -> Answer {
    channel_id(channel)?;
    let picture = PICTURES.read(output)?;
    let layout = layout_of("output", &picture)?;
    let file = hold_on_device("input", data, size as usize)?;
    let room = hold_on_device("output", picture.data, picture.size as usize)?;
    let call = watch::call(Op::Use, stream).queue(stream).with(channel).flag(Flag::Media, true);
    let call = call.reads(data, size as usize, Role::Source, Some(Place::Device));
    let call = call.room(data, size as usize).room(picture.data, picture.size as usize);
    let call = call.writes(picture.data, picture.size as usize, Role::Target, Some(Place::Device)).begin()?;
    let stream = submission_stream(stream)?;
    let queued = stream.submit_each(move |_| {
        let _kept = (&file, &room);
        let written = || {
            // The head of a small file may state any size. It is compared before memory is taken for the picture.
            let head = data.with_bytes(size as usize, info).map_err(failed)?;
            let (place, filled) = place_for(head, output, &picture, layout)?;
            let image = data.with_bytes(size as usize, decode).map_err(failed)?;
            if [image.width, image.height] != [head.width, head.height] {
                return Err(failed("the file has another size than its head states".to_owned()));
            }
            place.write(image);
            // Other calls take the picture by the same description. They would fill up its rows in another way.
            let _ = PICTURES.change(output, |picture| {
                (picture.width, picture.height) = (filled.width, filled.height);
                (picture.width_stride, picture.height_stride) = (filled.width_stride, filled.height_stride);
            });
            Ok(())
        };
        noted(output, written())
    });
    call.end(queued.map(drop))
}

/// The place for the picture of a file, and its description with size and strides.
fn place_for(
    head: Info,
    output: Name<acldvppPicDesc>,
    picture: &Picture,
    layout: Layout,
) -> Answer<(PicturePlace, Picture)> {
    let mut filled = filled_in(picture, head).map_err(failed)?;
    let geometry =
        Geometry { width: head.width, height: head.height, ..geometry_of("output", &filled, layout, ACROSS, DOWN)? };
    let narrow =
        |stride: usize| u32::try_from(stride).map_err(|_| failed("the picture takes more than 4 GiB".to_owned()));
    (filled.width_stride, filled.height_stride) = (narrow(geometry.stride)?, narrow(geometry.rows)?);
    Ok((PicturePlace::new("output", output, &filled, layout, geometry)?, filled))
}

/// The description with the size of the file where it stated none. A larger one leaves the rest as it was.
fn filled_in(picture: &Picture, head: Info) -> Result<Picture, String> {
    let too_many = |_| format!("{} by {} pixels are too many", head.width, head.height);
    let (width, height) = (u32::try_from(head.width).map_err(too_many)?, u32::try_from(head.height).map_err(too_many)?);
    let filled = Picture {
        width: if picture.width == 0 { width } else { picture.width },
        height: if picture.height == 0 { height } else { picture.height },
        ..*picture
    };
    if filled.width < width || filled.height < height {
        let expected = format!("expected at least {width} by {height}, as in the file");
        return Err(format!("output: found {} by {} pixels, {expected}", filled.width, filled.height));
    }
    Ok(filled)
}

fn tell(
    data: Address,
    size: u32,
    info: fn(&[u8]) -> Result<Info, String>,
    (mut width, mut height, mut components): (Out<'_, u32>, Out<'_, u32>, Out<'_, i32>),
) -> Answer {
    not_null(data)?;
    wanted(&width).and(wanted(&height)).and(wanted(&components))?;
    let info = data.with_bytes(size as usize, info).map_err(Failure::invalid)?;
    width.set(info.width as u32);
    height.set(info.height as u32);
    components.set(info.components.into());
    Ok(())
}

fn predict(
    data: Address,
    size: u32,
    format: acldvppPixelFormat,
    info: fn(&[u8]) -> Result<Info, String>,
    mut dec_size: Out<'_, u32>,
) -> Answer {
    not_null(data)?;
    wanted(&dec_size)?;
    let Info { width, height, .. } = data.with_bytes(size as usize, info).map_err(Failure::invalid)?;
    let format = match format {
        acldvppPixelFormat::PIXEL_FORMAT_UNKNOWN => acldvppPixelFormat::PIXEL_FORMAT_YUV_SEMIPLANAR_444,
        known => known,
    };
    let layout = Layout::of(format)
        .ok_or_else(|| Failure::unsupported(format!("the simulator has no pixel format {}", format.0)))?;
    let stride = layout.row(width).next_multiple_of(ACROSS);
    let bytes = layout.size(Geometry { width, height, stride, rows: height.next_multiple_of(DOWN) });
    dec_size.set(u32::try_from(bytes).map_err(|_| Failure::invalid("the picture takes more than 4 GiB"))?);
    Ok(())
}
