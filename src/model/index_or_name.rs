//! The index or the name of an input or output.

use super::TensorInfo;
use crate::error::{Error, InputError};

/// One of a model's inputs or outputs: its index, counted from 0, or its name in the model.
///
/// ```
/// use ascendcl::model::IndexOrName;
///
/// assert_eq!(IndexOrName::from(1), IndexOrName::Index(1));
/// assert_eq!(IndexOrName::from("images"), IndexOrName::Name("images"));
/// ```
///
/// Methods that take one take the number or the name itself:
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// # let mut model = current.load_model(file)?;
/// let name = model.outputs()[0].name.clone();
/// let outputs = model.run(current, &[ascendcl::Input::new(&[1, 64], &[0.0_f32; 64])?])?;
/// assert_eq!(outputs.get(0)?, outputs.get(&name)?);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IndexOrName<'n> {
    /// The index.
    Index(usize),
    /// The name.
    Name(&'n str),
}

impl From<usize> for IndexOrName<'_> {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl<'n> From<&'n str> for IndexOrName<'n> {
    fn from(name: &'n str) -> Self {
        Self::Name(name)
    }
}

impl<'n> From<&'n String> for IndexOrName<'n> {
    fn from(name: &'n String) -> Self {
        Self::Name(name)
    }
}

impl IndexOrName<'_> {
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
