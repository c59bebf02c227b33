//! Preprocessing inside of models. No model here has any: its parameters are checked and kept by nobody, and a model answers
//! that it has none.

use super::{given, told};
use crate::abi::{Name, Out};
use crate::calls::wanted;
use crate::failure::{Answer, Failure};
use crate::machine::descriptions::media::PREPROCESSINGS;
use crate::machine::models::{buffer_count, find};
use ascendcl_sys::constants::ACL_INVALID_NODE_INDEX;
use ascendcl_sys::error_codes::{ACL_ERROR_FAILURE, ACL_ERROR_GE_AIPP_NOT_EXIST};
use ascendcl_sys::types::*;
use core::fmt::Display;
use core::ops::RangeInclusive;

type Parameters = Name<aclmdlAIPP>;

const SWITCH: RangeInclusive<i8> = 0..=1;
const SIZE: RangeInclusive<i32> = 1..=4096;

pub(crate) fn aclmdlCreateAIPP(batch_size: u64) -> Option<Parameters> {
    let some = if batch_size == 0 { Err(Failure::invalid("the batch size is 0")) } else { Ok(()) };
    told(some).map(|()| PREPROCESSINGS.create(batch_size))
}

pub(crate) fn aclmdlDestroyAIPP(parameters: Parameters) -> Answer {
    PREPROCESSINGS.destroy(parameters)
}

/// The bytes of an input that takes the parameters: those of the batch, and those of each picture.
pub(crate) fn aclmdlGetAippDataSize(batch_size: u64, mut size: Out<'_, usize>) -> Answer {
    const OF_BATCH: u64 = 64;
    const OF_PICTURE: u64 = 96;
    wanted(&size)?;
    let bytes = batch_size.checked_mul(OF_PICTURE).and_then(|bytes| bytes.checked_add(OF_BATCH));
    let bytes = bytes.filter(|_| batch_size > 0).and_then(|bytes| usize::try_from(bytes).ok());
    size.set(bytes.ok_or_else(|| Failure::invalid(format!("{batch_size} is no size of a batch")))?);
    Ok(())
}

pub(crate) fn aclmdlSetAIPPInputFormat(parameters: Parameters, format: aclAippInputFormat) -> Answer {
    let known = aclAippInputFormat::ACL_YUV420SP_U8.0..=aclAippInputFormat::ACL_RAW24.0;
    PREPROCESSINGS.read(parameters)?;
    within("format", format.0, known)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclmdlSetAIPPCscParams(
    parameters: Parameters,
    switch: i8,
    r0_c0: i16,
    r0_c1: i16,
    r0_c2: i16,
    r1_c0: i16,
    r1_c1: i16,
    r1_c2: i16,
    r2_c0: i16,
    r2_c1: i16,
    r2_c2: i16,
    _output_bias_0: u8,
    _output_bias_1: u8,
    _output_bias_2: u8,
    _input_bias_0: u8,
    _input_bias_1: u8,
    _input_bias_2: u8,
) -> Answer {
    PREPROCESSINGS.read(parameters)?;
    let matrix = [r0_c0, r0_c1, r0_c2, r1_c0, r1_c1, r1_c2, r2_c0, r2_c1, r2_c2];
    switched(switch, || all("element of the matrix", matrix, -32677..=32676))
}

pub(crate) fn aclmdlSetAIPPRbuvSwapSwitch(parameters: Parameters, switch: i8) -> Answer {
    PREPROCESSINGS.read(parameters)?;
    within("switch", switch, SWITCH)
}

pub(crate) fn aclmdlSetAIPPAxSwapSwitch(parameters: Parameters, switch: i8) -> Answer {
    PREPROCESSINGS.read(parameters)?;
    within("switch", switch, SWITCH)
}

pub(crate) fn aclmdlSetAIPPSrcImageSize(parameters: Parameters, width: i32, height: i32) -> Answer {
    PREPROCESSINGS.read(parameters)?;
    within("width", width, 2..=4096).and(within("height", height, SIZE))
}

pub(crate) fn aclmdlSetAIPPScfParams(
    parameters: Parameters,
    switch: i8,
    input_width: i32,
    input_height: i32,
    output_width: i32,
    output_height: i32,
    picture: u64,
) -> Answer {
    const LEAST: i32 = 16;
    of_batch(parameters, picture)?;
    switched(switch, || {
        all("size", [input_width, input_height, output_height], LEAST..=4096)?;
        within("width", output_width, LEAST..=1920)
    })
}

pub(crate) fn aclmdlSetAIPPCropParams(
    parameters: Parameters,
    switch: i8,
    left: i32,
    top: i32,
    width: i32,
    height: i32,
    picture: u64,
) -> Answer {
    of_batch(parameters, picture)?;
    switched(switch, || all("position", [left, top], 0..=4095).and(all("size", [width, height], SIZE)))
}

pub(crate) fn aclmdlSetAIPPPaddingParams(
    parameters: Parameters,
    switch: i8,
    top: i32,
    bottom: i32,
    left: i32,
    right: i32,
    picture: u64,
) -> Answer {
    of_batch(parameters, picture)?;
    switched(switch, || all("padding", [top, bottom, left, right], 0..=32))
}

pub(crate) fn aclmdlSetAIPPDtcPixelMean(
    parameters: Parameters,
    mean_0: i16,
    mean_1: i16,
    mean_2: i16,
    mean_3: i16,
    picture: u64,
) -> Answer {
    of_batch(parameters, picture)?;
    all("mean", [mean_0, mean_1, mean_2, mean_3], 0..=255)
}

pub(crate) fn aclmdlSetAIPPDtcPixelMin(
    parameters: Parameters,
    least_0: f32,
    least_1: f32,
    least_2: f32,
    least_3: f32,
    picture: u64,
) -> Answer {
    of_batch(parameters, picture)?;
    all("minimum", [least_0, least_1, least_2, least_3], 0.0..=255.0)
}

pub(crate) fn aclmdlSetAIPPPixelVarReci(
    parameters: Parameters,
    factor_0: f32,
    factor_1: f32,
    factor_2: f32,
    factor_3: f32,
    picture: u64,
) -> Answer {
    const MOST: f32 = 65504.0;
    of_batch(parameters, picture)?;
    all("factor", [factor_0, factor_1, factor_2, factor_3], -MOST..=MOST)
}

pub(crate) fn aclmdlSetInputAIPP(
    model_id: u32,
    dataset: Name<aclmdlDataset>,
    index: usize,
    parameters: Parameters,
) -> Answer {
    given(dataset.0 != 0, "dataset")?;
    PREPROCESSINGS.read(parameters)?;
    input(model_id, index)?;
    Err(Failure::invalid(format!("input {index} of the model is not the one for parameters of preprocessing")))
}

/// Its index is that of the picture. That the input has no parameters is another code than above (500001).
pub(crate) fn aclmdlSetAIPPByInputIndex(
    model_id: u32,
    dataset: Name<aclmdlDataset>,
    index: usize,
    parameters: Parameters,
) -> Answer {
    PREPROCESSINGS.read(parameters)?;
    let buffers = buffer_count(dataset)?;
    if index >= buffers {
        return Err(Failure::invalid(format!("the dataset has {buffers} buffers, and none with the index {index}")));
    }
    input(model_id, index)?;
    let text = format!("input {index} of the model takes no parameters of preprocessing: the model has none");
    Err(Failure::new(ACL_ERROR_FAILURE, text))
}

pub(crate) fn aclmdlGetAippType(
    model_id: u32,
    index: usize,
    mut kind: Out<'_, aclmdlInputAippType>,
    mut attached: Out<'_, usize>,
) -> Answer {
    wanted(&kind).and(wanted(&attached))?;
    input(model_id, index)?;
    kind.set(aclmdlInputAippType::ACL_DATA_WITHOUT_AIPP);
    attached.set(ACL_INVALID_NODE_INDEX as usize);
    Ok(())
}

pub(crate) fn aclmdlGetFirstAippInfo(model_id: u32, index: usize, info: Out<'_, aclAippInfo>) -> Answer {
    wanted(&info)?;
    input(model_id, index)?;
    Err(Failure::new(ACL_ERROR_GE_AIPP_NOT_EXIST, format!("input {index} of the model has no preprocessing")))
}

fn input(model_id: u32, index: usize) -> Answer {
    let inputs = find(model_id)?.description.inputs.len();
    if index >= inputs {
        return Err(Failure::invalid(format!("the model has {inputs} inputs, and none with the index {index}")));
    }
    Ok(())
}

fn of_batch(parameters: Parameters, picture: u64) -> Answer {
    let pictures = PREPROCESSINGS.read(parameters)?;
    if picture >= pictures {
        return Err(Failure::invalid(format!("the batch has {pictures} pictures, and none with the index {picture}")));
    }
    Ok(())
}

/// What else is given matters if the switch is on.
fn switched(switch: i8, rest: impl FnOnce() -> Answer) -> Answer {
    within("switch", switch, SWITCH)?;
    if switch == 0 { Ok(()) } else { rest() }
}

fn all<T: PartialOrd + Display + Copy, const N: usize>(what: &str, values: [T; N], range: RangeInclusive<T>) -> Answer {
    values.into_iter().try_for_each(|value| within(what, value, range.clone()))
}

fn within<T: PartialOrd + Display>(what: &str, value: T, range: RangeInclusive<T>) -> Answer {
    if range.contains(&value) {
        return Ok(());
    }
    Err(Failure::invalid(format!("found the {what} {value}, expected {} to {}", range.start(), range.end())))
}
