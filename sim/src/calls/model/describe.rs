//! Descriptions of a model's inputs and outputs.

use super::load::path;
use super::{given, told};
use crate::abi::CText;
use crate::abi::{Address, Name, Out, Text};
use crate::calls::wanted;
use crate::failure::{Answer, Failure};
use crate::machine::models::{self, Description, Entry, Side, Source, data_type, filled, format, io_dims};
use crate::machine::watch;
use ascendcl_rules::{MODEL_24, Object};
use ascendcl_sys::constants::ACL_MAX_DIM_CNT;
use ascendcl_sys::error_codes::ACL_ERROR_GE_SHAPE_INVALID;
use ascendcl_sys::types::*;
use std::sync::Arc;

pub(crate) fn aclmdlCreateDesc() -> Option<Name<aclmdlDesc>> {
    Some(models::create_description())
}

pub(crate) fn aclmdlDestroyDesc(model_desc: Name<aclmdlDesc>) -> Answer {
    models::destroy_description(model_desc)
}

pub(crate) fn aclmdlGetDesc(model_desc: Name<aclmdlDesc>, model_id: u32) -> Answer {
    let find = || models::find(model_id).inspect_err(|_| watch::missed(Object::model(model_id.into())));
    models::fill_description(model_desc, || Ok((Arc::clone(&find()?.description), Some(model_id))))
}

pub(crate) fn aclmdlGetDescFromFile(model_desc: Name<aclmdlDesc>, model_path: Text<'_>) -> Answer {
    models::fill_description(model_desc, || parsed(Source::File(&path(model_path)?)))
}

pub(crate) fn aclmdlGetDescFromMem(model_desc: Name<aclmdlDesc>, model: Address, model_size: usize) -> Answer {
    models::fill_description(model_desc, || {
        given(!model.is_null(), "model's image")?;
        parsed(Source::Image(model, model_size))
    })
}

fn parsed(source: Source<'_>) -> Answer<(Arc<Description>, Option<u32>)> {
    Ok((Arc::new(Description::of(&models::parse(source)?)), None))
}

pub(crate) fn aclmdlGetNumInputs(model_desc: Name<aclmdlDesc>) -> usize {
    told(filled(model_desc)).map_or(0, |filled| filled.description.inputs.len())
}

pub(crate) fn aclmdlGetNumOutputs(model_desc: Name<aclmdlDesc>) -> usize {
    told(filled(model_desc)).map_or(0, |filled| filled.description.outputs.len())
}

pub(crate) fn aclmdlGetInputSizeByIndex(model_desc: Name<aclmdlDesc>, index: usize) -> usize {
    told(input(model_desc, index, |entry| entry.size)).unwrap_or(0)
}

pub(crate) fn aclmdlGetOutputSizeByIndex(model_desc: Name<aclmdlDesc>, index: usize) -> usize {
    told(output(model_desc, index, |entry| entry.size)).unwrap_or(0)
}

pub(crate) fn aclmdlGetInputDims(
    model_desc: Name<aclmdlDesc>,
    index: usize,
    mut dims: Out<'_, aclmdlIODims>,
) -> Answer {
    wanted(&dims)?;
    dims.set(declared(model_desc, Side::Input, index)?);
    Ok(())
}

/// The two versions differ for models with image preprocessing, which are not simulated.
pub(crate) fn aclmdlGetInputDimsV2(model_desc: Name<aclmdlDesc>, index: usize, dims: Out<'_, aclmdlIODims>) -> Answer {
    aclmdlGetInputDims(model_desc, index, dims)
}

pub(crate) fn aclmdlGetOutputDims(
    model_desc: Name<aclmdlDesc>,
    index: usize,
    mut dims: Out<'_, aclmdlIODims>,
) -> Answer {
    wanted(&dims)?;
    dims.set(declared(model_desc, Side::Output, index)?);
    Ok(())
}

/// The dims in the gear that was chosen, or after the run that ended last; before that, in the largest gear.
pub(crate) fn aclmdlGetCurOutputDims(
    model_desc: Name<aclmdlDesc>,
    index: usize,
    mut dims: Out<'_, aclmdlIODims>,
) -> Answer {
    wanted(&dims)?;
    let known = output(model_desc, index, |entry| entry.largest.clone())?;
    let filled = filled(model_desc)?;
    let id = filled.model.ok_or_else(|| {
        let failure = Failure::invalid(
            "the description came from a file or an image; only that of a loaded model knows (MODEL-24)",
        );
        failure.breaks(
            MODEL_24,
            "the description of a loaded model",
            "get it by aclmdlGetDesc, with the model's number",
        )
    })?;
    let current = models::find(id)?.current_outputs();
    let now = current.and_then(|outputs| outputs.into_iter().nth(index)).or(known).ok_or_else(|| {
        let text = "the output's dims depend on a shape that was not chosen yet, and the model has not run yet";
        Failure::new(ACL_ERROR_GE_SHAPE_INVALID, text)
    })?;
    dims.set(io_dims(&filled.name(Side::Output, index), &now));
    Ok(())
}

/// A model with gears has no ranges, whatever the index is.
pub(crate) fn aclmdlGetInputDimsRange(
    model_desc: Name<aclmdlDesc>,
    index: usize,
    mut dims_range: Out<'_, aclmdlIODimsRange>,
) -> Answer {
    wanted(&dims_range)?;
    let empty = || aclmdlIODimsRange { rangeCount: 0, range: [[0; 2]; ACL_MAX_DIM_CNT as usize] };
    if filled(model_desc)?.description.gears.is_some() {
        dims_range.set(empty());
        return Ok(());
    }
    dims_range.set(input(model_desc, index, |entry| {
        let mut result = empty();
        result.range.iter_mut().zip(&entry.ranges).for_each(|(to, from)| *to = *from);
        result.rangeCount = entry.ranges.len().min(result.range.len());
        result
    })?);
    Ok(())
}

pub(crate) fn aclmdlGetInputDataType(model_desc: Name<aclmdlDesc>, index: usize) -> aclDataType {
    let found = input(model_desc, index, |entry| data_type(entry.port.element));
    told(found).unwrap_or(aclDataType::ACL_DT_UNDEFINED)
}

pub(crate) fn aclmdlGetOutputDataType(model_desc: Name<aclmdlDesc>, index: usize) -> aclDataType {
    let found = output(model_desc, index, |entry| data_type(entry.port.element));
    told(found).unwrap_or(aclDataType::ACL_DT_UNDEFINED)
}

pub(crate) fn aclmdlGetInputFormat(model_desc: Name<aclmdlDesc>, index: usize) -> aclFormat {
    let found = input(model_desc, index, |entry| format(entry.port.format));
    told(found).unwrap_or(aclFormat::ACL_FORMAT_UNDEFINED)
}

pub(crate) fn aclmdlGetOutputFormat(model_desc: Name<aclmdlDesc>, index: usize) -> aclFormat {
    let found = output(model_desc, index, |entry| format(entry.port.format));
    told(found).unwrap_or(aclFormat::ACL_FORMAT_UNDEFINED)
}

/// In place as long as the description (MODEL-24). As in the vendor's library, a missing text is empty, not null.
pub(crate) fn aclmdlGetInputNameByIndex(model_desc: Name<aclmdlDesc>, index: usize) -> CText {
    told(input(model_desc, index, |entry| CText::of(&entry.name))).unwrap_or(CText::of(c""))
}

pub(crate) fn aclmdlGetOutputNameByIndex(model_desc: Name<aclmdlDesc>, index: usize) -> CText {
    told(output(model_desc, index, |entry| CText::of(&entry.name))).unwrap_or(CText::of(c""))
}

/// The name of the tensor itself for its own name, and for the one that the dims have if it is too long for them; null when
/// there is none. A compiled model may have given its tensors other names; here each is called as in the file.
pub(crate) fn aclmdlGetTensorRealName(model_desc: Name<aclmdlDesc>, name: Text<'_>) -> CText {
    let find = || {
        let name = name.get().ok_or_else(|| Failure::invalid("the name is null"))?;
        let filled = filled(model_desc)?;
        let found = filled.tensor(&name).map(|entry| CText::of(&entry.name));
        found.ok_or_else(|| Failure::invalid(format!("the model has no tensor `{name}`")))
    };
    told(find()).unwrap_or(CText::NULL)
}

pub(crate) fn aclmdlGetInputIndexByName(model_desc: Name<aclmdlDesc>, name: Text<'_>, index: Out<'_, usize>) -> Answer {
    index_of(model_desc, name, index, |description| &description.inputs)
}

pub(crate) fn aclmdlGetOutputIndexByName(
    model_desc: Name<aclmdlDesc>,
    name: Text<'_>,
    index: Out<'_, usize>,
) -> Answer {
    index_of(model_desc, name, index, |description| &description.outputs)
}

fn index_of(
    model_desc: Name<aclmdlDesc>,
    name: Text<'_>,
    mut index: Out<'_, usize>,
    list: fn(&Description) -> &[Entry],
) -> Answer {
    let name = name.get().ok_or_else(|| Failure::invalid("the name is null"))?;
    wanted(&index)?;
    let filled = filled(model_desc)?;
    let found = list(&filled.description).iter().position(|entry| entry.port.name == name);
    index.set(found.ok_or_else(|| Failure::invalid(format!("the model has no `{name}` there")))?);
    Ok(())
}

fn input<R>(model_desc: Name<aclmdlDesc>, index: usize, read: impl FnOnce(&Entry) -> R) -> Answer<R> {
    entry(model_desc, "input", index, |description| &description.inputs, read)
}

fn output<R>(model_desc: Name<aclmdlDesc>, index: usize, read: impl FnOnce(&Entry) -> R) -> Answer<R> {
    entry(model_desc, "output", index, |description| &description.outputs, read)
}

fn entry<R>(
    model_desc: Name<aclmdlDesc>,
    what: &str,
    index: usize,
    list: fn(&Description) -> &[Entry],
    read: impl FnOnce(&Entry) -> R,
) -> Answer<R> {
    let filled = filled(model_desc)?;
    let entries = list(&filled.description);
    let entry = entries
        .get(index)
        .ok_or_else(|| Failure::invalid(format!("there is no {what} {index}: the model has {}", entries.len())))?;
    Ok(read(entry))
}

fn declared(model_desc: Name<aclmdlDesc>, side: Side, index: usize) -> Answer<aclmdlIODims> {
    let dims = match side {
        Side::Input => input(model_desc, index, |entry| entry.port.dims.clone())?,
        // By the manual, those of the largest gear.
        Side::Output => {
            output(model_desc, index, |entry| entry.largest.clone().unwrap_or_else(|| entry.port.dims.clone()))?
        }
    };
    Ok(io_dims(&filled(model_desc)?.name(side, index), &dims))
}
