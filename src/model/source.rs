//! Where a model comes from, and what it needs.

use crate::current::Current;
use crate::error::Error;
use crate::ffi::{ModelImage, Sizes};
use ascendcl_macros::rule;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// A model file, or the contents of one.
#[derive(Clone, Copy, Debug)]
#[rule(MODEL_10, MODEL_11, MODE_02)]
pub struct ModelSource<'a>(ModelImage<'a>);

/// The bytes that a model needs on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelSize {
    /// Working memory, for inputs, outputs and what is between them.
    pub work: usize,
    /// Weights.
    pub weights: usize,
}

impl<'a> ModelSource<'a> {
    /// A file.
    pub fn file<P: AsRef<Path> + ?Sized>(path: &'a P) -> Self {
        Self(ModelImage::File(path.as_ref()))
    }

    /// The contents of a file.
    pub fn memory(image: &'a [u8]) -> Self {
        Self(ModelImage::Memory(image))
    }

    pub(crate) fn image(self) -> ModelImage<'a> {
        self.0
    }

    /// Tells sources apart: by contents, or by path, size and time of the last change, for a file may be replaced.
    pub(super) fn identity(self) -> Identity {
        let mut hasher = DefaultHasher::new();
        match self.0 {
            ModelImage::File(path) => {
                let found = path.metadata().ok().map(|file| (file.len(), file.modified().ok()));
                (path, found).hash(&mut hasher);
            }
            ModelImage::Memory(image) => image.hash(&mut hasher),
        }
        Identity { name: self.0.name(), hash: hasher.finish() }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Identity {
    pub(super) name: String,
    hash: u64,
}

impl<N> Current<'_, N> {
    /// The bytes that a model needs on the device (`aclmdlQuerySize`, `aclmdlQuerySizeFromMem`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the source is not a model, or its size depends on shapes that are chosen at each run.
    #[rule(MODEL_19)]
    pub fn model_size(&self, source: ModelSource<'_>) -> Result<ModelSize, Error> {
        self.ledger().sizes(source.image()).map(ModelSize::from)
    }
}

impl From<Sizes> for ModelSize {
    fn from(sizes: Sizes) -> Self {
        Self { work: sizes.work, weights: sizes.weights }
    }
}
