//! How much memory a model needs.

/// The bytes that a model needs on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelSize {
    /// Bytes of working memory, for inputs, outputs and intermediate results.
    pub work: usize,
    /// Bytes of the weights.
    pub weights: usize,
}
