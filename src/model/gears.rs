//! The shapes that a dynamic model was compiled for.

use crate::ffi::RawGears;

/// The shapes that a model was compiled for, when it takes only some. Which of them an execution has follows from the
/// shapes of its inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Gears {
    /// Sizes of the first axis of each input whose shape is free.
    Batches(Vec<u64>),
    /// Heights and widths of each input whose shape is free.
    Images(Vec<[u64; 2]>),
    /// Sizes of all axes of all inputs, in order.
    Dims(Vec<Vec<i64>>),
}

impl Gears {
    pub(super) fn new(raw: &RawGears) -> Self {
        match raw {
            RawGears::Batches(batches) => Self::Batches(batches.clone()),
            RawGears::Images(images) => Self::Images(images.clone()),
            RawGears::Dims(dims) => Self::Dims(dims.clone()),
        }
    }
}
