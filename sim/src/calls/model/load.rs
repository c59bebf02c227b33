//! Loading, unloading, and the sizes that loading with memory of the caller needs.

use super::given;
use crate::abi::{Address, Out, Text};
use crate::calls::wanted;
use crate::failure::{Answer, Failure};
use crate::machine::models::{self, Memory, Source};
use crate::machine::watch;
use ascendcl_rules::{Flag, Object, Op, Place, Role};

pub(crate) fn aclmdlLoadFromFile(model_path: Text<'_>, model_id: Out<'_, u32>) -> Answer {
    from_file(model_path, model_id, None)
}

pub(crate) fn aclmdlLoadFromFileWithMem(
    model_path: Text<'_>,
    model_id: Out<'_, u32>,
    work_ptr: Address,
    work_size: usize,
    weight_ptr: Address,
    weight_size: usize,
) -> Answer {
    let memory = Memory { work: (work_ptr, work_size), weights: (weight_ptr, weight_size) };
    from_file(model_path, model_id, Some(memory))
}

pub(crate) fn aclmdlLoadFromMem(model: Address, model_size: usize, model_id: Out<'_, u32>) -> Answer {
    from_image(model, model_size, model_id, None)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclmdlLoadFromMemWithMem(
    model: Address,
    model_size: usize,
    model_id: Out<'_, u32>,
    work_ptr: Address,
    work_size: usize,
    weight_ptr: Address,
    weight_size: usize,
) -> Answer {
    let memory = Memory { work: (work_ptr, work_size), weights: (weight_ptr, weight_size) };
    from_image(model, model_size, model_id, Some(memory))
}

pub(crate) fn aclmdlUnload(model_id: u32) -> Answer {
    watch::call(Op::Unload, Object::model(model_id.into())).begin()?.end(models::unload(model_id))
}

pub(crate) fn aclmdlQuerySize(file_name: Text<'_>, work_size: Out<'_, usize>, weight_size: Out<'_, usize>) -> Answer {
    wanted(&work_size).and(wanted(&weight_size))?;
    let path = path(file_name)?;
    sizes(Source::File(&path), work_size, weight_size)
}

pub(crate) fn aclmdlQuerySizeFromMem(
    model: Address,
    model_size: usize,
    work_size: Out<'_, usize>,
    weight_size: Out<'_, usize>,
) -> Answer {
    given(!model.is_null(), "model's image")?;
    wanted(&work_size).and(wanted(&weight_size))?;
    sizes(Source::Image(model, model_size), work_size, weight_size)
}

fn from_file(model_path: Text<'_>, mut model_id: Out<'_, u32>, memory: Option<Memory>) -> Answer {
    wanted(&model_id)?;
    let path = path(model_path)?;
    model_id.set(load(Source::File(&path), None, memory)?);
    Ok(())
}

fn from_image(model: Address, size: usize, mut model_id: Out<'_, u32>, memory: Option<Memory>) -> Answer {
    given(!model.is_null(), "model's image")?;
    wanted(&model_id)?;
    model_id.set(load(Source::Image(model, size), None, memory)?);
    Ok(())
}

/// Weights that the model keeps in other files are in the folder `data`, or in that of the model's file.
pub(super) fn load(source: Source<'_>, data: Option<&str>, memory: Option<Memory>) -> Answer<u32> {
    let mut call = watch::call(Op::Load, Object::model(0));
    if let Source::Image(model, size) = source {
        call = call.reads(model, size, Role::Image, Some(Place::Host));
    }
    if let Some(Memory { work, weights }) = memory {
        call = call.writes(work.0, work.1, Role::Workspace, Some(Place::Device));
        call = call.reads(weights.0, weights.1, Role::Weights, Some(Place::Device));
    }
    let call = call.begin()?;
    let id = models::load(source, data, memory)?;
    let dynamic = || models::find(id).is_ok_and(|model| model.takes_work_per_run());
    call.flag(Flag::Dynamic, dynamic).made(id as usize);
    Ok(id)
}

fn sizes(source: Source<'_>, mut work_size: Out<'_, usize>, mut weight_size: Out<'_, usize>) -> Answer {
    let (work, weights) = models::sizes(source)?;
    work_size.set(work);
    weight_size.set(weights);
    Ok(())
}

pub(super) fn path(text: Text<'_>) -> Answer<String> {
    let path = text.get().ok_or_else(|| Failure::invalid("the model's path is null"))?;
    Ok(path.into_owned())
}
