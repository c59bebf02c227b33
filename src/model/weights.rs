//! Weights that several loads of a model share.

use super::ModelSource;
use super::source::{Contents, Identity};
use crate::brand::{Brand, Mark, Scoped};
use crate::current::Current;
use crate::error::{Error, ObjectKind};
use crate::ffi::{Home, RawBuffer};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::assert_impl_all;
use std::sync::Arc;

/// Device memory for the weights of one model. The model can be loaded onto it any number of times, from any thread.
///
/// Running a model only reads its weights, and no method writes them. Each load is compared by its contents with the
/// model that the memory was allocated for: the file is read, and the bytes that were read are loaded
/// (`aclmdlLoadFromMemWithMem`). So a model whose weights are in separate files cannot share them this way.
///
/// [`Current::collect`](crate::Current::collect) or the end of the scope frees it, after all handles were dropped and
/// all models on it were unloaded.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::model::{Load, ModelSource};
///
/// let source = ModelSource::file(file);
/// let weights = current.weights(source)?;
/// // Two loads of one model, with its weights in memory once.
/// let first = current.load(Load::builder().source(source).weights(&weights).build())?;
/// let second = current.load(Load::builder().source(source).weights(&weights).build())?;
/// # drop((first, second));
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[rule(MODEL_03, MODEL_09)]
pub struct Weights<C: Brand> {
    block: Arc<RawBuffer>,
    of: Arc<Identity>,
    _brand: Mark<C>,
}

assert_impl_all!(Weights<Scoped<'static>>: Send, Sync, Clone);

impl<C: Brand> Clone for Weights<C> {
    /// Another handle of the same memory.
    fn clone(&self) -> Self {
        Self { block: Arc::clone(&self.block), of: Arc::clone(&self.of), _brand: Mark::NEW }
    }
}

impl<C: Brand> Current<C> {
    /// Allocates memory for the weights of a model, which every load of the model shares
    /// ([`Load`](crate::model::Load)). The first load fills it (`aclmdlQuerySizeFromMem`, `aclrtMalloc`). The model has
    /// fixed shapes, or was compiled for a list of them: the library does not tell the size of others (MODEL-19).
    ///
    /// # Errors
    ///
    /// As for [`model_size`](Self::model_size) and [`device_buffer`](Self::device_buffer), and
    /// [`Error::UnreadableModel`] for a file that cannot be read.
    pub fn weights(&self, source: ModelSource<'_>) -> Result<Weights<C>, Error> {
        let contents = source.read(self.ledger().api())?;
        let bytes = self.ledger().sizes(contents.image())?.weights;
        let block = self.ledger().allocate(Home::Device, bytes)?;
        Ok(Weights { block, of: Arc::new(contents.identity()), _brand: Mark::NEW })
    }
}

impl<C: Brand> Weights<C> {
    /// The size of the weights in bytes.
    pub fn bytes(&self) -> usize {
        self.block.bytes()
    }

    /// The memory, for a load of these contents, of which `need` bytes are weights.
    pub(super) fn block_for(&self, contents: &Contents<'_>, need: usize) -> Result<Arc<RawBuffer>, Error> {
        let found = contents.identity();
        if !found.is_of_the_same_contents(&self.of) {
            return Err(Error::WeightsOfOtherModel {
                expected: self.of.name.as_str().into(),
                found: found.name.into(),
            });
        }
        if need > self.block.bytes() {
            return Err(Error::TooShort { what: ObjectKind::WEIGHTS, need, have: self.block.bytes() });
        }
        Ok(Arc::clone(&self.block))
    }
}

impl<C: Brand> fmt::Debug for Weights<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Weights").field("bytes", &self.block.bytes()).field("of", &self.of.name).finish_non_exhaustive()
    }
}
