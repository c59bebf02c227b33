//! Loading: what, and onto whose memory.

use super::source::Contents;
use super::weights::Weights;
use super::{Model, ModelSource, Workspace};
use crate::brand::Brand;
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::{LoadInto, Share};
use crate::ledger::Ledger;
use ascendcl_macros::rule;
use core::fmt;
use std::path::Path;

/// What to load, and onto which memory: the library's own where nothing is said.
///
/// There are four ways, a file or an image in memory, each onto the library's memory or onto the program's. A buffer
/// brings its size and its address, and both outlive the model.
///
/// ```
/// use ascendcl::{Library, model::{Load, ModelSource}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let image = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx"))?;
/// ascendcl::run(Library::Simulator, |current| {
///     let source = ModelSource::memory(&image);
///     let weights = current.weights(source)?;
///     let workspace = current.workspace(current.model_size(source)?.work)?;
///     let load = Load::builder().source(source).weights(&weights).workspace(workspace).build();
///     let model = current.load(load)?;
///     model.unload(current)?;
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok(())
/// # }
/// ```
///
/// `W` is what a workspace is given as: a [`Workspace`] for a model on its own, and
/// [`LaneWorkspace`](crate::lane::LaneWorkspace), of which there is no value, in a lane, which has one.
#[non_exhaustive]
#[rule(MODEL_08)]
pub struct Load<'a, C: Brand, W = Workspace<C>> {
    /// The model.
    pub source: ModelSource<'a>,
    /// The model's weights, to be shared with other loads of it.
    pub weights: Option<Weights<C>>,
    /// Working memory of the model's own.
    pub workspace: Option<W>,
}

/// All on the library's memory.
impl<'a, C: Brand, W> From<ModelSource<'a>> for Load<'a, C, W> {
    fn from(source: ModelSource<'a>) -> Self {
        Self { source, weights: None, workspace: None }
    }
}

impl<C: Brand> Current<C> {
    /// Loads a model from a file (`aclmdlLoadFromFile`); the library manages its memory. This is short for
    /// [`load`](Self::load) with nothing but a file.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    pub fn load_model(&self, path: impl AsRef<Path>) -> Result<Model<C>, Error> {
        Ok(self.load(ModelSource::file(&path).into())?)
    }

    /// Loads a model (`aclmdlLoadFromFile`, `aclmdlLoadFromMem`; onto memory of the program's
    /// `aclmdlLoadFromFileWithMem`, `aclmdlLoadFromMemWithMem`). The memory stays allocated until the model is
    /// unloaded.
    ///
    /// # Errors
    ///
    /// What was to be loaded, its workspace with it. [`Error::TooShort`] when the workspace or the weights do not hold
    /// what the library says that the model needs, before it is loaded; [`Error::WorkspaceTaken`] when a load that
    /// failed has left a model in the workspace, until [`collect`](Self::collect) has unloaded it;
    /// [`Error::OtherModel`] for the weights of another model, and [`Error::UnreadableModel`] when a file cannot be
    /// read to be compared with them; [`Error::Vendor`] when the source is missing or is not a model for this product
    /// and release.
    #[rule(MODEL_02, MODEL_03, MODEL_07, MODEL_08, MODEL_09, MODEL_10, MODEL_11, MODEL_19, MODEL_27, MODE_02)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn load<'a>( // MODEL-03, MODEL-08: of this context: `current.weights(source)`, `current.workspace(bytes)`
        &self,
        load: Load<'a, C>,
    ) -> Result<Model<C>, Failed<Load<'a, C>>> {
        let alone = load.workspace.as_ref().map(|workspace| |need| workspace.alone(need));
        let loaded = load_onto(self.ledger(), load.source, load.weights.as_ref(), alone);
        loaded.map_err(|error| Failed { error, value: load })
    }
}

/// Loads a model onto the memory that is given. What it needs is asked for first (`aclmdlQuerySize`), and compared with
/// what is there.
pub(crate) fn load_onto<C: Brand, P>(
    ledger: &Ledger,
    source: ModelSource<'_>,
    weights: Option<&Weights<C>>,
    workspace: Option<impl FnOnce(usize) -> Result<Share, Error>>,
) -> Result<Model<C, P>, Error> {
    if weights.is_none() && workspace.is_none() {
        return Model::load(ledger, source.image(), LoadInto::default());
    }
    let contents = weights.map(|_| source.read(ledger.api())).transpose()?;
    let image = contents.as_ref().map_or(source.image(), Contents::image);
    let need = ledger.sizes(image)?;
    let shared = weights.zip(contents.as_ref());
    let onto = LoadInto {
        weights: shared.map(|(weights, contents)| weights.block_for(contents, need.weights)).transpose()?,
        work: workspace.map(|share| share(need.work)).transpose()?,
    };
    Model::load(ledger, image, onto)
}

impl<C: Brand, W: fmt::Debug> fmt::Debug for Load<'_, C, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, weights, workspace } = self;
        let mut debug = f.debug_struct("Load");
        debug.field("source", source).field("weights", weights).field("workspace", workspace).finish()
    }
}
