//! Loading a model: its source and its memory.

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

/// The source of a model, and the memory to load it onto. By default, the library allocates the memory.
///
/// The source is a file or an image in memory. The memory is the library's or the program's. Memory of the program
/// outlives the model.
///
/// ```
/// use ascendcl::{Library, model::{Load, ModelSource}};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let image = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx"))?;
/// ascendcl::run(Library::Simulator, |current| {
///     let source = ModelSource::memory(&image);
///     let weights = current.weights(source)?;
///     let workspace = current.workspace(current.model_size(source)?.workspace)?;
///     let load = Load::builder().source(source).weights(&weights).workspace(workspace).build();
///     let model = current.load(load)?;
///     model.unload(current)?;
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok(())
/// # }
/// ```
///
/// `W` is the type of the workspace: [`Workspace`] for a model on its own. A lane has a workspace already, so there it
/// is [`LaneWorkspace`](crate::lane::LaneWorkspace), which has no values.
#[non_exhaustive]
#[rule(MODEL_08)]
pub struct Load<'a, C: Brand, W = Workspace<C>> {
    /// The model.
    pub source: ModelSource<'a>,
    /// The model's weights, shared with other loads of the same model.
    pub weights: Option<Weights<C>>,
    /// Working memory for this model alone.
    pub workspace: Option<W>,
}

/// Loads onto memory that the library allocates.
impl<'a, C: Brand, W> From<ModelSource<'a>> for Load<'a, C, W> {
    fn from(source: ModelSource<'a>) -> Self {
        Self { source, weights: None, workspace: None }
    }
}

impl<C: Brand> Current<C> {
    /// Loads a model from a file (`aclmdlLoadFromFile`). The library manages its memory. This is [`load`](Self::load)
    /// with a file and nothing else.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    pub fn load_model(&self, path: impl AsRef<Path>) -> Result<Model<C>, Error> {
        Ok(self.load(ModelSource::file(&path).into())?)
    }

    /// Loads a model (`aclmdlLoadFromFile`, `aclmdlLoadFromMem`; with memory of the program
    /// `aclmdlLoadFromFileWithMem`, `aclmdlLoadFromMemWithMem`). The memory stays allocated until the model is
    /// unloaded.
    ///
    /// # Errors
    ///
    /// Returns the `load` unchanged, together with its workspace, with one of these errors:
    /// * [`Error::TooShort`] if the workspace or the weights are smaller than the library says that the model needs;
    ///   this is checked before loading;
    /// * [`Error::WorkspaceTaken`] if an earlier load failed and left a model in the workspace;
    ///   [`collect`](Self::collect) unloads it;
    /// * [`Error::WeightsOfOtherModel`] for the weights of another model, and [`Error::UnreadableModel`] if a file cannot be
    ///   read to compare it with them;
    /// * [`Error::Vendor`] if the source is missing, or is not a model for this product and release.
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

/// Loads a model onto the given memory. First asks how much it needs (`aclmdlQuerySize`), and compares.
pub(crate) fn load_onto<C: Brand, P>(
    ledger: &Ledger,
    source: ModelSource<'_>,
    weights: Option<&Weights<C>>,
    workspace: Option<impl FnOnce(usize) -> Result<Share, Error>>,
) -> Result<Model<C, P>, Error> {
    if weights.is_none() && workspace.is_none() {
        return Model::of_image(ledger, source.image(), LoadInto::default());
    }
    let contents = weights.map(|_| source.read(ledger.api())).transpose()?;
    let image = contents.as_ref().map_or(source.image(), Contents::image);
    let need = ledger.sizes(image)?;
    let shared = weights.zip(contents.as_ref());
    let onto = LoadInto {
        weights: shared.map(|(weights, contents)| weights.block_for(contents, need.weights)).transpose()?,
        work: workspace.map(|share| share(need.workspace)).transpose()?,
    };
    Model::of_image(ledger, image, onto)
}

impl<C: Brand, W: fmt::Debug> fmt::Debug for Load<'_, C, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, weights, workspace } = self;
        let mut debug = f.debug_struct("Load");
        debug.field("source", source).field("weights", weights).field("workspace", workspace).finish()
    }
}
