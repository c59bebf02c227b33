//! The index or the name of an input or output.

use super::TensorInfo;
use crate::error::{Error, InputError};

/// One of a model's inputs or outputs: its index, counted from 0, or its name in the model.
///
/// ```
/// use ascendcl::model::PortId;
///
/// assert_eq!(PortId::from(1), PortId::Index(1));
/// assert_eq!(PortId::from("images"), PortId::Name("images"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortId<'n> {
    /// The index.
    Index(usize),
    /// The name.
    Name(&'n str),
}

impl From<usize> for PortId<'_> {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl<'n> From<&'n str> for PortId<'n> {
    fn from(name: &'n str) -> Self {
        Self::Name(name)
    }
}

impl PortId<'_> {
    /// Its index among the inputs. The caller checks that an index is in range.
    pub(super) fn input(self, infos: &[TensorInfo]) -> Result<usize, InputError> {
        self.place(infos.iter().map(|info| info.name.as_str()))
            .map_err(|(name, names)| InputError::NoSuchName { name, names })
    }

    /// As [`input`](Self::input), among outputs with these names.
    pub(super) fn output<'o>(self, outputs: impl Iterator<Item = &'o str> + Clone) -> Result<usize, Error> {
        self.place(outputs).map_err(|(name, names)| Error::NoOutputNamed { name: name.into(), names: names.into() })
    }

    fn place<'o>(self, known: impl Iterator<Item = &'o str> + Clone) -> Result<usize, (String, String)> {
        match self {
            Self::Index(index) => Ok(index),
            Self::Name(name) => {
                let place = known.clone().position(|own| own == name);
                place.ok_or_else(|| (name.to_owned(), quoted(known)))
            }
        }
    }
}

/// `images`, `labels`.
pub(super) fn quoted<'o>(names: impl Iterator<Item = &'o str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
