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
    bytes: Option<usize>,
}

impl TensorInfo {
    pub(super) fn new(port: &Port) -> Self {
        let shape = port.dims.iter().map(|size| usize::try_from(*size).ok()).collect();
        let is_known = !port.dims.contains(&-1) && (port.bytes > 0 || port.dims.contains(&0));
        Self { name: port.name.clone(), element: port.element, shape, bytes: is_known.then_some(port.bytes) }
    }

    /// The bytes of the buffer for it, if its shape is fixed (`aclmdlGetInputSizeByIndex`, `aclmdlGetOutputSizeByIndex`).
    /// `None` if a size is chosen at each run, or if the library does not say the shape of an output.
    ///
    /// Of an output of a model that was compiled for a list of shapes, these are the bytes of the largest.
    ///
    /// ```
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx");
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let model = current.load_model(file)?;
    /// // Eight pictures of 64 numbers of four bytes.
    /// assert_eq!(model.inputs()[0].bytes(), Some(8 * 64 * 4));
    /// # let digits = current.load_model(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx"))?;
    /// // A model for any number of pictures.
    /// assert_eq!(digits.inputs()[0].bytes(), None);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    pub fn bytes(&self) -> Option<usize> {
        self.bytes
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
