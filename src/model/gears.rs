//! The shapes that a dynamic model was compiled for.

use crate::ffi::RawGears;

/// The list of shapes that a model was compiled for. The shapes of its inputs select one of them for each execution.
///
/// ```no_run
/// use ascendcl::Library;
/// use ascendcl::model::Gears;
///
/// # let waiting = 5;
/// let batch = ascendcl::run(Library::Vendor, |current| {
///     let model = current.load_model("compiled_for_some_batches.om")?;
///     Ok::<_, ascendcl::Error>(match model.gears() {
///         // The smallest batch that holds all images, or else the largest.
///         Some(Gears::Batches(sizes)) => {
///             sizes.iter().copied().filter(|size| *size >= waiting).min().or(sizes.iter().copied().max())
///         }
///         _ => Some(waiting),
///     })
/// })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Gears {
    /// The sizes of the first axis of each input whose shape is dynamic.
    Batches(Vec<usize>),
    /// The sizes, height and width, of each input whose shape is dynamic.
    Images(Vec<[usize; 2]>),
    /// The sizes of all axes of all inputs, in order.
    Dims(Vec<Vec<usize>>),
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
