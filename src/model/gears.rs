//! The shapes that a dynamic model was compiled for.

use crate::ffi::RawGears;

/// The list of shapes that a model was compiled for. The shapes of its inputs select one of them for each execution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Gears {
    /// The sizes of the first axis of each input whose shape is dynamic.
    Batches(Vec<u64>),
    /// The sizes, height and width, of each input whose shape is dynamic.
    Images(Vec<[u64; 2]>),
    /// The sizes of all axes of all inputs, in order.
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
