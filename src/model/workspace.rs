//! Working memory of the program's own.

use crate::brand::{Brand, Mark, Scoped};
use crate::current::Current;
use crate::error::Error;
use crate::ffi::{Home, RawBuffer, Share};
use ascendcl_macros::rule;
use core::fmt;
use core::sync::atomic::AtomicUsize;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// Device memory for a model to work in: for inputs, outputs and what is between them.
///
/// One model takes it for itself ([`Load`](crate::model::Load)), or a lane makes several models work in it one after
/// the other ([`Current::workspace_lane`], [`Current::workspace_mutex`]): models that run at the same time cannot be
/// given the same workspace, because it moves. It is freed when the last model in it is unloaded, whatever becomes of
/// this value.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::model::{Load, ModelSource};
///
/// let source = ModelSource::file(file);
/// let workspace = current.workspace(current.model_size(source)?.work)?;
/// let model = current.load(Load::builder().source(source).workspace(workspace).build())?;
/// model.unload(current)?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[rule(MODEL_02, MODEL_04)]
#[diagnostic::on_move(
    message = "this workspace belongs to a model",
    note = "MODEL-04: each model has its own: `current.workspace(bytes)?`; models that share one are in a lane: `current.workspace_lane(memory, stream, ...)`"
)]
pub struct Workspace<C: Brand> {
    block: Arc<RawBuffer>,
    /// What the models in it need, all together.
    taken: Arc<AtomicUsize>,
    _brand: Mark<C>,
}

assert_impl_all!(Workspace<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(Workspace<Scoped<'static>>: Clone);

impl<C: Brand> Current<C> {
    /// Allocates working memory for models (`aclrtMalloc`): [`model_size`](Self::model_size) says how much one needs.
    ///
    /// # Errors
    ///
    /// As for [`device_buffer`](Self::device_buffer).
    pub fn workspace(&self, bytes: usize) -> Result<Workspace<C>, Error> {
        let block = self.ledger().allocate(Home::Device, bytes)?;
        Ok(Workspace { block, taken: Arc::default(), _brand: Mark::NEW })
    }
}

impl<C: Brand> Workspace<C> {
    /// Its bytes.
    pub fn bytes(&self) -> usize {
        self.block.bytes()
    }

    /// Room for one more model, beside those of the same lane.
    #[rule(MODEL_07)]
    pub(crate) fn share(&self, bytes: usize) -> Result<Share, Error> {
        Share::take(&self.block, &self.taken, bytes, false)
    }

    /// Room for a model that has the workspace to itself. A load that failed may have left one in it.
    #[rule(MODEL_07)]
    pub(crate) fn alone(&self, bytes: usize) -> Result<Share, Error> {
        Share::take(&self.block, &self.taken, bytes, true)
    }
}

impl<C: Brand> fmt::Debug for Workspace<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}
