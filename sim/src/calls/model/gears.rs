//! Gears: the shapes that a dynamic model was compiled for, and which of them the next runs have.

use crate::abi::{In, Name, Out};
use crate::calls::wanted;
use crate::failure::{Answer, Failure};
use crate::machine::models::{self, Choice, Filled, filled, io_dims, unchosen};
use crate::machine::watch;
use crate::model::{Gear, GearKind};
use ascendcl_rules::{Object, Op};
use ascendcl_sys::constants::{ACL_MAX_BATCH_NUM, ACL_MAX_DIM_CNT, ACL_MAX_HW_NUM};
use ascendcl_sys::types::*;

/// The batch sizes; none when the model has no such gears.
pub(crate) fn aclmdlGetDynamicBatch(model_desc: Name<aclmdlDesc>, mut batch: Out<'_, aclmdlBatch>) -> Answer {
    wanted(&batch)?;
    let filled = filled(model_desc)?;
    let mut result = aclmdlBatch { batchCount: 0, batch: [0; ACL_MAX_BATCH_NUM as usize] };
    for (place, gear) in result.batch.iter_mut().zip(gears(&filled, GearKind::Batch)) {
        *place = gear.values.first().copied().unwrap_or(0);
        result.batchCount += 1;
    }
    batch.set(result);
    Ok(())
}

/// The image sizes; none when the model has no such gears. The index means nothing, in the vendor's library either.
pub(crate) fn aclmdlGetDynamicHW(model_desc: Name<aclmdlDesc>, _index: usize, mut hw: Out<'_, aclmdlHW>) -> Answer {
    wanted(&hw)?;
    let filled = filled(model_desc)?;
    let mut result = aclmdlHW { hwCount: 0, hw: [[0; 2]; ACL_MAX_HW_NUM as usize] };
    for (place, gear) in result.hw.iter_mut().zip(gears(&filled, GearKind::ImageSize)) {
        place.iter_mut().zip(&gear.values).for_each(|(to, from)| *to = *from);
        result.hwCount += 1;
    }
    hw.set(result);
    Ok(())
}

pub(crate) fn aclmdlGetInputDynamicGearCount(
    model_desc: Name<aclmdlDesc>,
    index: usize,
    mut gear_count: Out<'_, usize>,
) -> Answer {
    wanted(&gear_count)?;
    all_inputs(index)?;
    gear_count.set(gears(&filled(model_desc)?, GearKind::Dims).len());
    Ok(())
}

/// For each gear the axes of all inputs in order, those that are fixed too: what `aclmdlSetInputDynamicDims` takes.
pub(crate) fn aclmdlGetInputDynamicDims(
    model_desc: Name<aclmdlDesc>,
    index: usize,
    mut dims: Out<'_, aclmdlIODims>,
    gear_count: usize,
) -> Answer {
    wanted(&dims)?;
    all_inputs(index)?;
    let filled = filled(model_desc)?;
    let gears = gears(&filled, GearKind::Dims);
    if gear_count < gears.len() {
        let text = format!("the model has {} gears, and there is room for {gear_count}", gears.len());
        return Err(Failure::invalid(text));
    }
    dims.set_all(gears.iter().map(|gear| io_dims("", &gear.inputs.concat())), gear_count);
    Ok(())
}

pub(crate) fn aclmdlSetDynamicBatchSize(
    model_id: u32,
    dataset: Name<aclmdlDataset>,
    index: usize,
    batch_size: u64,
) -> Answer {
    if batch_size == 0 {
        return Err(zero(model_id, Failure::invalid("the batch size is 0")));
    }
    choose(model_id, dataset, index, Choice::Batch(batch_size))
}

pub(crate) fn aclmdlSetDynamicHWSize(
    model_id: u32,
    dataset: Name<aclmdlDataset>,
    index: usize,
    height: u64,
    width: u64,
) -> Answer {
    if height == 0 || width == 0 {
        return Err(zero(model_id, Failure::invalid(format!("{height} by {width} is no image size"))));
    }
    choose(model_id, dataset, index, Choice::ImageSize(height, width))
}

pub(crate) fn aclmdlSetInputDynamicDims(
    model_id: u32,
    dataset: Name<aclmdlDataset>,
    index: usize,
    dims: In<'_, aclmdlIODims>,
) -> Answer {
    let dims = dims.get().ok_or_else(|| Failure::invalid("the dims are null"))?;
    let given = dims.dims.get(..dims.dimCount).ok_or_else(|| {
        Failure::invalid(format!("{} are more than the {ACL_MAX_DIM_CNT} dims that there can be", dims.dimCount))
    })?;
    choose(model_id, dataset, index, Choice::Dims(given.to_vec()))
}

fn choose(model_id: u32, dataset: Name<aclmdlDataset>, index: usize, choice: Choice) -> Answer {
    let call = watch::call(Op::Change, dataset).with(Object::model(model_id.into())).begin()?;
    call.end(models::choose(model_id, dataset, index, choice))
}

fn zero(model_id: u32, failure: Failure) -> Failure {
    unchosen(failure).about(Object::model(model_id.into()))
}

fn gears(filled: &Filled, kind: GearKind) -> &[Gear] {
    filled.description.gears.as_ref().filter(|gears| gears.kind == kind).map_or(&[], |gears| &gears.list)
}

/// The gears are those of the whole model: the vendor's manual wants the index -1, which no input has.
fn all_inputs(index: usize) -> Answer {
    if index == usize::MAX {
        return Ok(());
    }
    Err(Failure::invalid(format!("the index is to be -1, for all inputs together, not {index}")))
}
