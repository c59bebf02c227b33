//! Shapes that an operator does not take.

use super::Error;

/// The shapes of the tensors do not match the operator.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{operator} takes {expected}; {found} were given")]
pub struct ShapesError {
    /// The vendor's name of the operator.
    pub operator: &'static str,
    /// The shapes that it takes.
    pub expected: &'static str,
    /// The given shapes.
    pub found: String,
}

impl From<ShapesError> for Error {
    fn from(error: ShapesError) -> Self {
        Self::OperatorShapes(Box::new(error))
    }
}
