//! How much memory a model needs.

/// The bytes that a model needs on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ModelSize {
    /// Bytes of the workspace, for inputs, outputs and intermediate results.
    pub workspace: usize,
    /// Bytes of the weights.
    pub weights: usize,
}
