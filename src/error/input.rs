//! Inputs and outputs that do not match the model.

use super::{Cited, Error};
use crate::element::ElementType;

/// An input, or the memory for an output, that does not match the model's description.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::{Error, Input, error::InputError};
///
/// let mut model = current.load_model(file)?;
/// // The model takes rows of 64 numbers.
/// let refused = model.run(current, &[Input::new(&[1, 63], &[0.0_f32; 63])?]);
/// let Err(Error::Input(reason)) = refused else { panic!("{refused:?}") };
/// assert!(matches!(*reason, InputError::Shape { .. }));
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Too many or too few inputs.
    #[error("the model takes {expected} input(s) ({names}), but {found} were given{}", Cited(Self::COUNT))]
    Count {
        /// How many the model takes.
        expected: usize,
        /// How many were given.
        found: usize,
        /// Their names, in order.
        names: String,
    },
    /// Memory for too many or too few outputs.
    #[error("the model has {expected} output(s) ({names}), but memory for {found} was given{}", Cited(Self::COUNT))]
    OutputCount {
        /// How many the model has.
        expected: usize,
        /// For how many there was memory.
        found: usize,
        /// Their names, in order.
        names: String,
    },
    /// The shape of an output's memory differs from the model's.
    #[error("output `{name}` has the shape {expected}, but memory for {found} was given{}", Cited(Self::FIT))]
    OutputShape {
        /// The output.
        name: String,
        /// The model's shape, `_` where the size is free.
        expected: String,
        /// The given shape.
        found: String,
    },
    /// The element type differs from the model's.
    #[error("input `{name}` takes {expected}, but {found} was given{}", Cited(Self::FIT))]
    Element {
        /// The input.
        name: String,
        /// The model's element type.
        expected: ElementType,
        /// The given element type.
        found: ElementType,
    },
    /// The shape differs from the model's.
    #[error("input `{name}` takes the shape {expected}, but {found} was given{}", Cited(Self::FIT))]
    Shape {
        /// The input.
        name: String,
        /// The model's shape, `_` where the size is free.
        expected: String,
        /// The given shape.
        found: String,
    },
    /// A shape that the model was not compiled for.
    #[error("input `{name}`: the model was compiled for {expected}, but {found} was given{}", Cited(Self::GEAR))]
    Gear {
        /// The input.
        name: String,
        /// The shapes that it was compiled for.
        expected: String,
        /// The given shape.
        found: String,
    },
    /// A name that no input of the model has.
    #[error("the model has no input `{name}`; its inputs are {names}{}", Cited(Self::COUNT))]
    NoSuchName {
        /// The name that was given.
        name: String,
        /// The names that the model's inputs have, in order.
        names: String,
    },
    /// One input was given twice.
    #[error("input `{name}` was given twice{}", Cited(Self::COUNT))]
    GivenTwice {
        /// The input.
        name: String,
    },
    /// The length of the data does not match the shape.
    #[error("the shape {shape} has {expected} elements, but the data has {found}{}", Cited(Self::FIT))]
    Length {
        /// The shape that was stated.
        shape: String,
        /// Its elements.
        expected: usize,
        /// The elements of the data.
        found: usize,
    },
    /// The bytes of the data do not match the shape.
    #[error("the shape {shape} of {element} has {expected} bytes, but the data has {found}{}", Cited(Self::FIT))]
    Bytes {
        /// The shape that was stated.
        shape: String,
        /// The element type that was stated.
        element: ElementType,
        /// The bytes of such a tensor.
        expected: usize,
        /// The bytes of the data.
        found: usize,
    },
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::Input(Box::new(error))
    }
}

impl InputError {
    /// The same error about an output.
    pub(crate) fn of_an_output(self) -> Self {
        match self {
            Self::Count { expected, found, names } => Self::OutputCount { expected, found, names },
            Self::Shape { name, expected, found } => Self::OutputShape { name, expected, found },
            other => other,
        }
    }
}
