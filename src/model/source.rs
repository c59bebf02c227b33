//! The source of a model, and its sizes.

use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::ffi::{Api, ModelImage};
use crate::model_size::ModelSize;
use ascendcl_macros::rule;
use std::borrow::Cow;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::OnceLock;

/// A model file, or the contents of one.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::model::ModelSource;
///
/// let image = std::fs::read(file).unwrap();
/// // The same model, from the file and from memory.
/// let (one, two) = (ModelSource::file(file), ModelSource::memory(&image));
/// assert_eq!(current.model_size(one)?.weights, current.model_size(two)?.weights);
/// current.load(two.into())?.unload(current)?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
//
// A struct, to hide the variants of `ModelImage`: only this crate makes contents with the path of their file.
#[derive(Clone, Copy, Debug)]
#[rule(MODEL_10, MODEL_11, MODE_02)]
pub struct ModelSource<'a>(ModelImage<'a>);

impl<'a> ModelSource<'a> {
    /// A file.
    pub fn file<P: AsRef<Path> + ?Sized>(path: &'a P) -> Self {
        Self(ModelImage::File(path.as_ref()))
    }

    /// The bytes of a file.
    pub fn memory(image: &'a [u8]) -> Self {
        Self(ModelImage::Memory(image, None))
    }

    pub(crate) fn image(self) -> ModelImage<'a> {
        self.0
    }

    /// Reads the contents. A file may be replaced at any time, so the bytes that are compared have to be the bytes that
    /// are loaded.
    ///
    /// Reading is the first step of a load, so a forked child is refused here.
    pub(super) fn read(self, api: Api) -> Result<Contents<'a>, Error> {
        api.check_process()?;
        Ok(match self.0 {
            ModelImage::File(path) => {
                let bytes = fs::read(path).map_err(|reason| Error::UnreadableModel { path: path.into(), reason })?;
                Contents { bytes: Cow::Owned(bytes), of: Some(path) }
            }
            ModelImage::Memory(image, of) => Contents { bytes: Cow::Borrowed(image), of },
        })
    }
}

/// The contents of a model file.
pub(super) struct Contents<'a> {
    bytes: Cow<'a, [u8]>,
    of: Option<&'a Path>,
}

impl Contents<'_> {
    pub(super) fn image(&self) -> ModelImage<'_> {
        ModelImage::Memory(&self.bytes, self.of)
    }

    /// Identifies a model by a hash of its contents. The key is chosen at random for each process, so nobody can
    /// prepare two contents with the same hash.
    pub(super) fn identity(&self) -> Identity {
        static KEY: OnceLock<RandomState> = OnceLock::new();
        let hash = KEY.get_or_init(RandomState::new).hash_one(&*self.bytes);
        Identity { name: self.image().name(), length: self.bytes.len(), hash }
    }
}

/// The identity of a model: its name for messages, and its contents.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) name: String,
    length: usize,
    hash: u64,
}

impl Identity {
    pub(super) fn is_of_the_same_contents(&self, other: &Self) -> bool {
        (self.length, self.hash) == (other.length, other.hash)
    }
}

impl<C: Brand> Current<C> {
    /// The device memory that a model needs, in bytes (`aclmdlQuerySize`, `aclmdlQuerySizeFromMem`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the source is not a model, or its size depends on shapes that are chosen at each run.
    #[rule(MODEL_19)]
    pub fn model_size(&self, source: ModelSource<'_>) -> Result<ModelSize, Error> {
        self.ledger().sizes(source.image())
    }
}
