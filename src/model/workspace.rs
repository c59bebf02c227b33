//! Working memory that the program provides.

use super::BoundModel;
use crate::brand::{Brand, Mark, Scoped};
use crate::current::Current;
use crate::error::Error;
use crate::ffi::{Home, LoadedModel, RawBuffer, Share};
use ascendcl_macros::rule;
use core::fmt;
use core::sync::atomic::AtomicUsize;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// Working memory of a model: for inputs, outputs and intermediate results.
///
/// One model uses it alone ([`Load`](crate::model::Load)), or the models of a lane use it in turn
/// ([`Current::workspace_lane`], [`Current::workspace_mutex`]). It is moved into the load or the lane, so two models
/// that run at the same time cannot have the same workspace. It is freed when its last model is unloaded.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::model::{Load, ModelSource};
///
/// let source = ModelSource::file(file);
/// let workspace = current.workspace(current.model_size(source)?.workspace)?;
/// let model = current.load(Load::builder().source(source).workspace(workspace).build())?;
/// model.unload(current)?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[rule(MODEL_02, MODEL_04)]
#[diagnostic::on_move(
    message = "this workspace belongs to a model",
    note = "MODEL-04: each model has its own: `current.workspace(bytes)?`; models that share one are in a lane: `current.workspace_lane(stream, workspace, |current, lane| ...)`"
)]
pub struct Workspace<C: Brand> {
    block: Arc<RawBuffer>,
    /// The sum of what the models in it need.
    taken: Arc<AtomicUsize>,
    _brand: Mark<C>,
}

assert_impl_all!(Workspace<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(Workspace<Scoped<'static>>: Clone);

impl<C: Brand> Current<C> {
    /// Allocates `bytes` bytes of working memory for models (`aclrtMalloc`). [`model_size`](Self::model_size) tells how
    /// much a model needs. Models of one lane need the sum, and a new version of a model its part beside the old one, until
    /// that was dropped and [collected](Self::collect).
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
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.block.bytes()
    }

    /// An error unless the model was loaded into this workspace.
    #[inline]
    #[rule(MODEL_04)]
    pub(crate) fn check_model(&self, model: &LoadedModel) -> Result<(), Error> {
        if model.works_in(&self.block) { Ok(()) } else { Err(Error::OtherWorkspace) }
    }

    /// Reserves `bytes` bytes for one more model of the same lane.
    #[rule(MODEL_07)]
    pub(crate) fn share(&self, bytes: usize) -> Result<Share, Error> {
        Share::take(&self.block, &self.taken, bytes, false)
    }

    /// Reserves the workspace for a model that uses it alone. An error if an earlier load that failed has left a model in
    /// it.
    #[rule(MODEL_07)]
    pub(crate) fn alone(&self, bytes: usize) -> Result<Share, Error> {
        Share::take(&self.block, &self.taken, bytes, true)
    }
}

impl<C: Brand, P> BoundModel<C, P> {
    /// The model's row, which knows the workspace.
    #[inline]
    pub(crate) fn loaded(&self) -> &LoadedModel {
        self.parts.model.loaded()
    }
}

impl<C: Brand> fmt::Debug for Workspace<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}
