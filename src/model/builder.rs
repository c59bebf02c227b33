//! The builder of [`Load`].

use super::weights::Weights;
use super::{Load, ModelSource};
use crate::brand::{Brand, INSIDE, Inside};
use core::marker::PhantomData;

/// The builder of a [`Load`]. Each part can be set once, in any order. The source is mandatory.
///
/// `S`, `G` and `P` say whether source, weights and workspace were set: `()` for a part that was not.
#[must_use = "`build` makes a load of it"]
pub struct LoadBuilder<'a, C: Brand, W, S = (), G = (), P = ()> {
    source: S,
    weights: Option<Weights<C>>,
    workspace: Option<W>,
    said: PhantomData<(&'a (), G, P)>,
}

/// A part that was set.
pub enum Said {}

/// The source was set.
#[diagnostic::on_unimplemented(
    message = "this `Load` has no model source",
    label = "expected `.source(…)` before `.build()`",
    note = "MODEL-12: set the source: `Load::builder().source(ModelSource::file(\"model.om\"))`",
    note = "see `ascendcl-explain MODEL-12`"
)]
pub trait SaysWhatToLoad<'a> {
    #[doc(hidden)]
    fn source(self, key: Inside) -> ModelSource<'a>;
}

impl<'a> SaysWhatToLoad<'a> for ModelSource<'a> {
    fn source(self, _: Inside) -> ModelSource<'a> {
        self
    }
}

impl<'a, C: Brand, W> Load<'a, C, W> {
    /// Chooses the source of the model, and its memory.
    pub fn builder() -> LoadBuilder<'a, C, W> {
        LoadBuilder { source: (), weights: None, workspace: None, said: PhantomData }
    }
}

impl<'a, C: Brand, W, G, P> LoadBuilder<'a, C, W, (), G, P> {
    /// The model.
    pub fn source(self, source: ModelSource<'a>) -> LoadBuilder<'a, C, W, ModelSource<'a>, G, P> {
        LoadBuilder { source, weights: self.weights, workspace: self.workspace, said: PhantomData }
    }
}

impl<'a, C: Brand, W, S, P> LoadBuilder<'a, C, W, S, (), P> {
    /// The model's weights, to be shared with other loads of it.
    pub fn weights(self, weights: &Weights<C>) -> LoadBuilder<'a, C, W, S, Said, P> {
        let weights = Some(weights.clone());
        LoadBuilder { source: self.source, weights, workspace: self.workspace, said: PhantomData }
    }
}

impl<'a, C: Brand, W, S, G> LoadBuilder<'a, C, W, S, G, ()> {
    /// Working memory of the model's own.
    pub fn workspace(self, workspace: W) -> LoadBuilder<'a, C, W, S, G, Said> {
        let workspace = Some(workspace);
        LoadBuilder { source: self.source, weights: self.weights, workspace, said: PhantomData }
    }
}

impl<'a, C: Brand, W, S, G, P> LoadBuilder<'a, C, W, S, G, P> {
    /// The finished [`Load`]; the source has to be set.
    pub fn build(self) -> Load<'a, C, W>
    where
        S: SaysWhatToLoad<'a>,
    {
        Load { source: self.source.source(INSIDE), weights: self.weights, workspace: self.workspace }
    }
}
