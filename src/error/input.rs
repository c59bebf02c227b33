//! Inputs that do not fit.

use super::{Cited, Error};
use crate::element::ElementType;

/// An input that does not fit the model's description.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Too many or too few inputs.
    #[error("the model takes {expected} input(s) ({names}), {found} were given{}", Cited(Self::COUNT))]
    Count {
        /// How many the model takes.
        expected: usize,
        /// How many were given.
        found: usize,
        /// Their names, in order.
        names: String,
    },
    /// Another element type than the model's.
    #[error("input `{name}` takes {expected}, {found} was given{}", Cited(Self::FIT))]
    Element {
        /// The input.
        name: String,
        /// The model's element type.
        expected: ElementType,
        /// The given element type.
        found: ElementType,
    },
    /// Another shape than the model's.
    #[error("input `{name}` takes the shape {expected}, {found} was given{}", Cited(Self::FIT))]
    Shape {
        /// The input.
        name: String,
        /// The model's shape, `_` where the size is free.
        expected: String,
        /// The given shape.
        found: String,
    },
    /// A shape that the model was not compiled for.
    #[error("input `{name}`: the model was compiled for {expected}; {found} was given{}", Cited(Self::GEAR))]
    Gear {
        /// The input.
        name: String,
        /// The shapes that it was compiled for.
        expected: String,
        /// The given shape.
        found: String,
    },
    /// A name that no input of the model has.
    #[error("the model has no input `{name}`: it takes {names}{}", Cited(Self::COUNT))]
    NoSuchName {
        /// The name that was given.
        name: String,
        /// The names that the model's inputs have, in order.
        names: String,
    },
    /// One input was given twice.
    #[error("input `{name}` was given twice{}", Cited(Self::COUNT))]
    Twice {
        /// The input.
        name: String,
    },
    /// The data does not fill the shape.
    #[error("the shape {shape} has {expected} elements, the data has {found}{}", Cited(Self::FIT))]
    Length {
        /// The shape that was stated.
        shape: String,
        /// Its elements.
        expected: usize,
        /// The elements of the data.
        found: usize,
    },
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::Input(Box::new(error))
    }
}
