//! How much memory a model needs.

/// The bytes that a model needs on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelSize {
    /// Working memory, for inputs, outputs and intermediate results.
    pub work: usize,
    /// Weights.
    pub weights: usize,
}
