//! Cutting, scaling and pasting pictures, in another format if that is asked for.

use super::place::{PicturePlace, failed};
use crate::abi::Name;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::named::submission_stream;
use crate::machine::descriptions::media::{REGIONS, RESIZES, channel_id};
use crate::machine::watch;
use crate::media::{Geometry, Region, Scaling};
use ascendcl_rules::{Flag, Op, Place, Role};
use ascendcl_sys::types::*;

type Channel = Name<acldvppChannelDesc>;
type Picture = Name<acldvppPicDesc>;
type Area = Name<acldvppRoiConfig>;
type Resize = Name<acldvppResizeConfig>;

pub(crate) fn acldvppVpcResizeAsync(
    channel: Channel,
    input: Picture,
    output: Picture,
    resize: Resize,
    stream: aclrtStream,
) -> Answer {
    let scaling = scaling(resize)?;
    queue(channel, [input, output], [None, None], scaling, stream)
}

pub(crate) fn acldvppVpcCropAsync(
    channel: Channel,
    input: Picture,
    output: Picture,
    crop: Area,
    stream: aclrtStream,
) -> Answer {
    queue(channel, [input, output], [Some(crop), None], Scaling::Bilinear, stream)
}

pub(crate) fn acldvppVpcCropResizeAsync(
    channel: Channel,
    input: Picture,
    output: Picture,
    crop: Area,
    resize: Resize,
    stream: aclrtStream,
) -> Answer {
    let scaling = scaling(resize)?;
    queue(channel, [input, output], [Some(crop), None], scaling, stream)
}

pub(crate) fn acldvppVpcCropAndPasteAsync(
    channel: Channel,
    input: Picture,
    output: Picture,
    crop: Area,
    paste: Area,
    stream: aclrtStream,
) -> Answer {
    queue(channel, [input, output], [Some(crop), Some(paste)], Scaling::Bilinear, stream)
}

pub(crate) fn acldvppVpcCropResizePasteAsync(
    channel: Channel,
    input: Picture,
    output: Picture,
    crop: Area,
    paste: Area,
    resize: Resize,
    stream: aclrtStream,
) -> Answer {
    let scaling = scaling(resize)?;
    queue(channel, [input, output], [Some(crop), Some(paste)], scaling, stream)
}

pub(crate) fn acldvppVpcConvertColorAsync(
    channel: Channel,
    input: Picture,
    output: Picture,
    stream: aclrtStream,
) -> Answer {
    let sizes = [PicturePlace::of("input", input)?, PicturePlace::of("output", output)?]
        .map(|place| (place.geometry.width, place.geometry.height));
    if sizes[0] != sizes[1] {
        return Err(Failure::invalid(format!("found pictures of {sizes:?} pixels, expected two of one size")));
    }
    queue(channel, [input, output], [None, None], Scaling::Bilinear, stream)
}

fn queue(
    channel: Channel,
    pictures: [Picture; 2],
    areas: [Option<Area>; 2],
    scaling: Scaling,
    stream: aclrtStream,
) -> Answer {
    channel_id(channel)?;
    let part = Part::of(["input", "output"], pictures, areas)?;
    queue_parts(channel, vec![part], scaling, stream)
}

/// A part of one picture that goes to a part of another.
pub(super) struct Part {
    input: PicturePlace,
    output: PicturePlace,
    from: Region,
    to: Region,
    /// Nothing of the output stays.
    whole: bool,
}

impl Part {
    /// The part of the input that `areas` names first goes to the part of the output that it names then; a part that is
    /// not named is the whole.
    pub(super) fn of(
        [source, target]: [&str; 2],
        [input, output]: [Picture; 2],
        [crop, paste]: [Option<Area>; 2],
    ) -> Answer<Self> {
        let (input, output) = (PicturePlace::of(source, input)?, PicturePlace::of(target, output)?);
        let from = region("crop area", crop, &input)?;
        let to = region("paste area", paste, &output)?;
        Ok(Self { input, output, from, to, whole: paste.is_none() })
    }

    fn run(&self, scaling: Scaling) -> Answer {
        self.output.noted(self.made(scaling))
    }

    fn made(&self, scaling: Scaling) -> Answer {
        let Self { input, output, from, to, whole } = self;
        let part = input.read().part(*from).scaled(to.width, to.height, scaling).map_err(failed)?;
        if *whole {
            output.write(part);
        } else {
            let mut picture = output.read();
            picture.paste(&part, to.left, to.top);
            output.write(picture);
        }
        Ok(())
    }
}

/// One after the other.
pub(super) fn queue_parts(channel: Channel, parts: Vec<Part>, scaling: Scaling, stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Use, stream).queue(stream).with(channel).flag(Flag::Media, true);
    let call = parts.iter().fold(call, |call, Part { input, output, .. }| {
        let call = call.reads(input.data, input.bytes, Role::Source, Some(Place::Device));
        let call = call.room(input.data, input.bytes).room(output.data, output.room);
        call.writes(output.data, output.bytes, Role::Target, Some(Place::Device))
    });
    let call = call.begin()?;
    let stream = submission_stream(stream)?;
    let queued = stream.submit_each(move |_| parts.iter().try_for_each(|part| part.run(scaling)));
    call.end(queued.map(drop))
}

/// The interpolation by its number: 0 and 1 are bilinear, 2 takes the nearest pixel.
pub(super) fn scaling(resize: Resize) -> Answer<Scaling> {
    match RESIZES.read(resize)? {
        0 | 1 => Ok(Scaling::Bilinear),
        2 => Ok(Scaling::Nearest),
        other => Err(Failure::unsupported(format!("the simulator has no interpolation {other}"))),
    }
}

/// The hardware works on whole blocks, so an area may reach to the end of the last one. What lies behind the picture is
/// neither read nor written.
fn region(what: &str, area: Option<Area>, picture: &PicturePlace) -> Answer<Region> {
    let Geometry { width, height, .. } = picture.geometry;
    let Some(area) = area else { return Ok(Region { left: 0, top: 0, width, height }) };
    let edges = REGIONS.read(area)?;
    let [left, right, top, bottom] = [edges.left, edges.right, edges.top, edges.bottom].map(|edge| edge as usize);
    let [columns, rows] = picture.layout.reach(picture.geometry);
    if left > right || top > bottom || right >= columns || bottom >= rows {
        let text = format!(
            "{what}: found columns {left} to {right} and rows {top} to {bottom}, expected a part of {width} by {height} pixels"
        );
        return Err(Failure::invalid(text));
    }
    Ok(Region { left, top, width: right - left + 1, height: bottom - top + 1 })
}
