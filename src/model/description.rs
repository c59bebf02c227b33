//! The description of a model's inputs and outputs.

use crate::element::ElementType;
use crate::ffi::Port;
use ascendcl_macros::rule;
use core::fmt;

/// One input or output of a model: `images: f32 [_, 64]`.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let model = current.load_model(file)?;
/// let images = &model.inputs()[0];
/// // The number of images is chosen at each run.
/// assert_eq!(images.shape, [None, Some(64)]);
/// assert!(images.accepts(&[8, 64]) && !images.accepts(&[8, 65]));
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[rule(MODEL_24)]
pub struct TensorInfo {
    /// Its name in the model.
    pub name: String,
    /// Its element type.
    pub element: ElementType,
    /// Its sizes, outermost first; `None` for a size that is chosen at each run. An input with preprocessing inside of the
    /// model (static AIPP) has the shape of what the model reads (`aclmdlGetInputDimsV2`), and not that of the picture. An
    /// output of a model that was compiled for a list of shapes has the one of the largest.
    pub shape: Vec<Option<usize>>,
}

impl TensorInfo {
    pub(super) fn new(port: &Port) -> Self {
        let shape = port.dims.iter().map(|size| usize::try_from(*size).ok()).collect();
        Self { name: port.name.clone(), element: port.element, shape }
    }

    /// Whether the model accepts a tensor of this shape.
    pub fn accepts(&self, shape: &[usize]) -> bool {
        let fits = |(own, given): (&Option<usize>, &usize)| own.is_none_or(|own| own == *given);
        self.shape.len() == shape.len() && self.shape.iter().zip(shape).all(fits)
    }
}

impl fmt::Display for TensorInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.name, self.element, Shape(&self.shape))
    }
}

/// Prints `[_, 64]`.
pub(super) struct Shape<'a>(pub(super) &'a [Option<usize>]);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (axis, size) in self.0.iter().enumerate() {
            let comma = if axis == 0 { "" } else { ", " };
            match size {
                Some(size) => write!(f, "{comma}{size}")?,
                None => write!(f, "{comma}_")?,
            }
        }
        f.write_str("]")
    }
}
