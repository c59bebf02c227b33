//! Pictures that are cut out of several others and scaled or pasted, by one call.

use super::pictures::{Part, queue_parts, scaling};
use crate::abi::{In, Name};
use crate::calls::model::told;
use crate::failure::{Answer, Failure};
use crate::machine::descriptions::media::{BATCHES, PICTURES, Picture, channel_id};
use crate::media::Scaling;
use ascendcl_sys::types::*;
use std::iter::repeat_n;

type Channel = Name<acldvppChannelDesc>;
type Batch = Name<acldvppBatchPicDesc>;
type Areas<'a> = In<'a, *mut acldvppRoiConfig>;
type Resize = Name<acldvppResizeConfig>;

/// The number of an output, that of its input, both pictures, and the areas.
type Piece<'a> = ((usize, ((usize, Name<acldvppPicDesc>), &'a Name<acldvppPicDesc>)), (Area, Option<Area>));
type Area = Name<acldvppRoiConfig>;

/// Pictures in one call.
const MOST: usize = 256;

pub(crate) fn acldvppCreateBatchPicDesc(batch_size: u32) -> Option<Batch> {
    told(create(batch_size))
}

/// The picture belongs to the batch.
pub(crate) fn acldvppGetPicDesc(batch_pic_desc: Batch, index: u32) -> Option<Name<acldvppPicDesc>> {
    told(picture(batch_pic_desc, index))
}

/// Its pictures end with it.
pub(crate) fn acldvppDestroyBatchPicDesc(batch_pic_desc: Batch) -> Answer {
    let pictures = BATCHES.read(batch_pic_desc)?;
    BATCHES.destroy(batch_pic_desc)?;
    pictures.iter().try_for_each(|picture| PICTURES.destroy(*picture))
}

pub(crate) fn acldvppVpcBatchCropAsync(
    channel: Channel,
    inputs: Batch,
    roi_nums: In<'_, u32>,
    size: u32,
    outputs: Batch,
    crops: Areas<'_>,
    stream: aclrtStream,
) -> Answer {
    channel_id(channel)?;
    queue_parts(channel, parts([inputs, outputs], roi_nums, size, crops, None)?, Scaling::Bilinear, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn acldvppVpcBatchCropResizeAsync(
    channel: Channel,
    inputs: Batch,
    roi_nums: In<'_, u32>,
    size: u32,
    outputs: Batch,
    crops: Areas<'_>,
    resize: Resize,
    stream: aclrtStream,
) -> Answer {
    channel_id(channel)?;
    let scaling = scaling(resize)?;
    queue_parts(channel, parts([inputs, outputs], roi_nums, size, crops, None)?, scaling, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn acldvppVpcBatchCropAndPasteAsync(
    channel: Channel,
    inputs: Batch,
    roi_nums: In<'_, u32>,
    size: u32,
    outputs: Batch,
    crops: Areas<'_>,
    pastes: Areas<'_>,
    stream: aclrtStream,
) -> Answer {
    channel_id(channel)?;
    queue_parts(channel, parts([inputs, outputs], roi_nums, size, crops, Some(pastes))?, Scaling::Bilinear, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn acldvppVpcBatchCropResizePasteAsync(
    channel: Channel,
    inputs: Batch,
    roi_nums: In<'_, u32>,
    size: u32,
    outputs: Batch,
    crops: Areas<'_>,
    pastes: Areas<'_>,
    resize: Resize,
    stream: aclrtStream,
) -> Answer {
    channel_id(channel)?;
    let scaling = scaling(resize)?;
    queue_parts(channel, parts([inputs, outputs], roi_nums, size, crops, Some(pastes))?, scaling, stream)
}

fn create(batch_size: u32) -> Answer<Batch> {
    if batch_size == 0 || batch_size as usize > MOST {
        return Err(Failure::invalid(format!("found a batch of {batch_size} pictures, expected 1 to {MOST}")));
    }
    Ok(BATCHES.create((0..batch_size).map(|_| PICTURES.create(Picture::default())).collect()))
}

fn picture(batch: Batch, index: u32) -> Answer<Name<acldvppPicDesc>> {
    let pictures = BATCHES.read(batch)?;
    pictures.get(index as usize).copied().ok_or_else(|| {
        Failure::invalid(format!("this batch has {} pictures, and none with the index {index}", pictures.len()))
    })
}

/// Each output is a part of an input: the first input has the first `roi_nums[0]` of them.
fn parts(
    [inputs, outputs]: [Batch; 2],
    roi_nums: In<'_, u32>,
    size: u32,
    crops: Areas<'_>,
    pastes: Option<Areas<'_>>,
) -> Answer<Vec<Part>> {
    let [inputs, outputs] = [BATCHES.read(inputs)?, BATCHES.read(outputs)?];
    if roi_nums.is_null() || crops.is_null() || pastes.as_ref().is_some_and(In::is_null) {
        return Err(Failure::invalid("a list of numbers or areas is null"));
    }
    let size = size as usize;
    if size == 0 || size > inputs.len() {
        let text =
            format!("found {size} numbers for {} pictures, expected at least one, and a picture each", inputs.len());
        return Err(Failure::invalid(text));
    }
    let numbers: Vec<usize> = roi_nums.list(size).into_iter().map(|number| number as usize).collect();
    let sum: usize = numbers.iter().sum();
    if sum != outputs.len() {
        let text = format!("found {sum} parts for {} pictures, expected one each", outputs.len());
        return Err(Failure::invalid(text));
    }
    let pastes: Vec<_> = match pastes {
        Some(pastes) => pastes.names(sum).into_iter().map(Some).collect(),
        None => vec![None; sum],
    };
    let sources =
        inputs.iter().zip(numbers).enumerate().flat_map(|(index, source)| repeat_n((index, *source.0), source.1));
    let pictures = sources.zip(outputs.iter()).enumerate();
    let areas = crops.names(sum).into_iter().zip(pastes);
    let part = |((output, ((input, from), to)), (crop, paste)): Piece<'_>| {
        let [input, output] = [format!("input {input}"), format!("output {output}")];
        Part::of([&input, &output], [from, *to], [Some(crop), paste])
    };
    pictures.zip(areas).map(part).collect()
}
