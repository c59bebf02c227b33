//! Gears: the shapes that a dynamic model was compiled for, and the choice of one before each execution (MODEL-20).

use super::super::Api;
use super::super::call::{Function, call, functions};
use super::dataset::Dataset;
use super::description::{NO_DIMS, Port, sizes};
use crate::error::{Error, InputError};
use ascendcl_macros::rule;
use ascendcl_sys::constants::{ACL_DYNAMIC_TENSOR_NAME, ACL_MAX_BATCH_NUM, ACL_MAX_HW_NUM};
use ascendcl_sys::types::*;
use core::fmt;

/// The shapes that a model was compiled for, if it takes only some shapes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RawGears {
    /// Sizes of the first axis of each input whose shape is free.
    Batches(Vec<usize>),
    /// Heights and widths of each input whose shape is free.
    Images(Vec<[usize; 2]>),
    /// Sizes of all axes of all inputs, in order.
    Dims(Vec<Vec<usize>>),
}

/// The gears of a loaded model, and the input in which the library records the choice.
#[derive(Clone, PartialEq, Eq, Debug)]
#[rule(MODEL_20)]
pub(crate) struct GearInput {
    pub(crate) gears: RawGears,
    /// The input's index in the dataset.
    pub(crate) input: usize,
}

/// One of a model's gears, as the library takes it.
enum Gear {
    Batch(u64),
    Image(u64, u64),
    Dims(Box<aclmdlIODims>),
}

impl GearInput {
    /// The gears of a description that is alive and filled in. `None` if the model has none.
    pub(super) fn read(api: Api, desc: *const aclmdlDesc, inputs: &[Port]) -> Result<Option<Self>, Error> {
        let name = ACL_DYNAMIC_TENSOR_NAME.to_string_lossy();
        let Some(input) = inputs.iter().position(|port| port.name == name) else { return Ok(None) };
        let gears = match (batches(api, desc)?, images(api, desc)?) {
            (batches, _) if !batches.is_empty() => RawGears::Batches(batches),
            (_, images) if !images.is_empty() => RawGears::Images(images),
            _ => RawGears::Dims(dims(api, desc)?),
        };
        Ok(Some(Self { gears, input }))
    }

    /// Chooses the gear of the next executions with this dataset. `shapes` are the shapes of all its inputs, including
    /// the input for the choice.
    pub(super) fn choose(
        &self,
        api: Api,
        model: u32,
        dataset: &Dataset,
        ports: &[Port],
        shapes: &[&[i64]],
    ) -> Result<(), Error> {
        let (dataset, index) = (dataset.raw(), self.input);
        let answer = match self.gear(ports, shapes)? {
            Gear::Batch(size) => {
                // SAFETY: the function asks for a live dataset, and writes the buffer at the index (MODEL-20). The
                // binding keeps the dataset, and that buffer is device memory of the size that the model states.
                unsafe { call!(api.aclmdlSetDynamicBatchSize(model, dataset, index, size)) }
            }
            Gear::Image(height, width) => {
                // SAFETY: the function asks for a live dataset, and writes the buffer at the index (MODEL-20). The
                // binding keeps the dataset, and that buffer is device memory of the size that the model states.
                unsafe { call!(api.aclmdlSetDynamicHWSize(model, dataset, index, height, width)) }
            }
            Gear::Dims(dims) => {
                // SAFETY: the function asks for a live dataset, writes the buffer at the index, and reads `dims` during
                // the call (MODEL-20). The binding keeps the dataset, that buffer is device memory of the size that the
                // model states, and `dims` is a local.
                unsafe { call!(api.aclmdlSetInputDynamicDims(model, dataset, index, &raw const *dims)) }
            }
        };
        answer.done(|| "choose the shape of an execution".into())
    }

    /// The gear that matches the shapes of the inputs.
    fn gear(&self, ports: &[Port], shapes: &[&[i64]]) -> Result<Gear, Error> {
        let inputs = || ports.iter().zip(shapes).enumerate().filter(|(index, _)| *index != self.input);
        let free = || inputs().map(|(_, pair)| pair).filter(|(port, _)| port.dims.contains(&-1));
        let refuse = |port: &Port, expected: String, found: String| -> Error {
            InputError::Gear { name: port.name.clone(), expected, found }.into()
        };
        let mut chosen = None;
        match &self.gears {
            RawGears::Batches(batches) => {
                for (port, shape) in free() {
                    let size = shape.first().and_then(|size| usize::try_from(*size).ok());
                    let known = size.filter(|size| batches.contains(size) && chosen.is_none_or(|other| other == *size));
                    let Some(size) = known else {
                        return Err(refuse(
                            port,
                            format!("a batch size of {batches:?}, one for all"),
                            format!("{shape:?}"),
                        ));
                    };
                    chosen = Some(size);
                }
                Ok(Gear::Batch(chosen.unwrap_or_default() as u64))
            }
            RawGears::Images(images) => {
                let mut image = None;
                for (port, shape) in free() {
                    // Height and width are the axes that are free.
                    let size = port.dims.iter().zip(*shape).filter(|(own, _)| **own == -1);
                    let size: Vec<usize> = size.filter_map(|(_, size)| usize::try_from(*size).ok()).collect();
                    let size = <[usize; 2]>::try_from(size).ok();
                    let known = size.filter(|size| images.contains(size) && image.is_none_or(|other| other == *size));
                    let Some(size) = known else {
                        return Err(refuse(
                            port,
                            format!("an image size of {images:?}, one for all"),
                            format!("{shape:?}"),
                        ));
                    };
                    image = Some(size);
                }
                let [height, width] = image.unwrap_or_default();
                Ok(Gear::Image(height as u64, width as u64))
            }
            RawGears::Dims(gears) => {
                let all: Vec<i64> = inputs().flat_map(|(_, (_, shape))| shape.iter().copied()).collect();
                let is_gear = |gear: &Vec<usize>| {
                    gear.len() == all.len()
                        && gear.iter().zip(&all).all(|(own, size)| usize::try_from(*size) == Ok(*own))
                };
                if let Some((_, (port, _))) = inputs().next().filter(|_| !gears.iter().any(is_gear)) {
                    return Err(refuse(
                        port,
                        format!("the sizes of all inputs to be one of {gears:?}"),
                        format!("{all:?}"),
                    ));
                }
                let mut dims = aclmdlIODims { dimCount: all.len(), ..NO_DIMS };
                dims.dims.iter_mut().zip(&all).for_each(|(to, from)| *to = *from);
                Ok(Gear::Dims(Box::new(dims)))
            }
        }
    }
}

/// A size that the library has reported.
fn size<N: Copy + fmt::Display + TryInto<usize>>(call: &'static str, size: N) -> Result<usize, Error> {
    size.try_into().map_err(|_| Error::NoSizeAnswer { call, found: size.to_string().into() })
}

fn batches(api: Api, desc: *const aclmdlDesc) -> Result<Vec<usize>, Error> {
    let mut batch = aclmdlBatch { batchCount: 0, batch: [0; ACL_MAX_BATCH_NUM as usize] };
    // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees, and writes
    // the answer to `batch` during the call; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
    let answer = unsafe { call!(api.aclmdlGetDynamicBatch(desc, &raw mut batch)) };
    answer.done(|| "read the batch sizes of a model".into())?;
    batch
        .batch
        .into_iter()
        .take(batch.batchCount)
        .map(|batch| size(functions::aclmdlGetDynamicBatch::NAME, batch))
        .collect()
}

fn images(api: Api, desc: *const aclmdlDesc) -> Result<Vec<[usize; 2]>, Error> {
    let mut hw = aclmdlHW { hwCount: 0, hw: [[0; 2]; ACL_MAX_HW_NUM as usize] };
    // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees, and writes
    // the answer to `hw` during the call; a pointer to a live local is valid for writes (`core::ptr`, "Safety"). It
    // ignores the index.
    let answer = unsafe { call!(api.aclmdlGetDynamicHW(desc, usize::MAX, &raw mut hw)) };
    answer.done(|| "read the image sizes of a model".into())?;
    let size = |number| size(functions::aclmdlGetDynamicHW::NAME, number);
    hw.hw.into_iter().take(hw.hwCount).map(|[height, width]| Ok([size(height)?, size(width)?])).collect()
}

fn dims(api: Api, desc: *const aclmdlDesc) -> Result<Vec<Vec<usize>>, Error> {
    /// The index that stands for all inputs together.
    const ALL: usize = usize::MAX;
    let doing = || "read the shapes that a model was compiled for".to_owned();
    let mut count = 0;
    // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees, and writes
    // the answer to `count` during the call; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
    let answer = unsafe { call!(api.aclmdlGetInputDynamicGearCount(desc, ALL, &raw mut count)) };
    answer.done(doing)?;
    let mut gears = vec![NO_DIMS; count];
    // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees, and writes
    // at most `count` answers during the call. The vector has that many elements.
    let answer = unsafe { call!(api.aclmdlGetInputDynamicDims(desc, ALL, gears.as_mut_ptr(), count)) };
    answer.done(doing)?;
    gears.iter().map(gear_of_all_axes).collect()
}

/// The sizes of all axes in one gear. A gear has no free axis, so a negative number is none of them.
fn gear_of_all_axes(dims: &aclmdlIODims) -> Result<Vec<usize>, Error> {
    sizes(dims).into_iter().map(|axis| size(functions::aclmdlGetInputDynamicDims::NAME, axis)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(sizes: &[i64]) -> aclmdlIODims {
        let mut dims = aclmdlIODims { dimCount: sizes.len(), ..NO_DIMS };
        dims.dims.iter_mut().zip(sizes).for_each(|(to, from)| *to = *from);
        dims
    }

    #[test]
    fn a_gear_with_a_negative_size_is_an_error_that_names_the_function_and_the_size() {
        assert_eq!(gear_of_all_axes(&axes(&[2, 0, 5])).unwrap(), [2, 0, 5]);
        let error = gear_of_all_axes(&axes(&[2, -3])).unwrap_err();
        assert!(
            matches!(&error, Error::NoSizeAnswer { call: "aclmdlGetInputDynamicDims", found } if **found == *"-3"),
            "{error}"
        );
        assert_eq!(
            error.to_string(),
            "aclmdlGetInputDynamicDims succeeded, but the model that it describes has an axis of size -3: compile the \
             model anew, or report this to the vendor"
        );
    }
}
