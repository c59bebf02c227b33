//! Models: loading, their description, and running them.

mod bindings;
mod bound;
mod buffers;
mod builder;
mod bytes;
mod captured;
mod copy;
mod description;
mod exchange;
mod execute;
mod gears;
mod index_or_name;
mod load;
mod read;
mod run;
mod run_bound;
mod share;
mod source;
mod tensor;
mod untouched;
mod weights;
mod workspace;

use crate::brand::owners::ModelOfTwo;
use crate::brand::{Brand, Mark, ModelOfOneThread, Scoped};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::{LoadInto, LoadedModel, ModelImage};
use crate::ledger::Ledger;
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

pub use crate::model_size::ModelSize;
pub use bindings::OutputBuffer;
pub use bound::BoundModel;
use buffers::Buffers;
pub(crate) use buffers::dims;
pub(crate) use captured::{CapturedModel, CapturedTensor};
pub use description::TensorInfo;
pub use gears::Gears;
pub use index_or_name::IndexOrName;
pub use load::Load;
pub(crate) use load::load_onto;

pub use share::InputMemory;
pub use source::ModelSource;
pub use tensor::{Input, Output, Outputs};
pub use weights::Weights;
pub use workspace::Workspace;

/// A loaded model.
///
/// [`run`](Self::run) copies inputs to the device, runs the model, and copies the outputs back. For work on a stream,
/// [`bind`](Self::bind) first gives the model its buffers: see [`BoundModel`].
///
/// ```
/// # use ascendcl::{Input, Library, RunError};
/// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
/// ascendcl::run(Library::Simulator, |current| {
///     let mut model = current.load_model(digits)?;
///     let image = [0.0_f32; 64];
///     let outputs = model.run(current, &[Input::new(&[1, 64], &image)?])?;
///     assert_eq!(outputs.get(0)?.to_vec::<f32>()?.len(), 10);
///     model.unload(current)?;
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok::<(), RunError<ascendcl::Error>>(())
/// ```
///
/// A model is run and unloaded with a [`Current`] of the context that it was loaded in, by one thread at a time: it can
/// be sent, not shared. A model that is dropped is unloaded by [`Current::collect`] or the end of its scope.
#[must_use = "a model that is dropped is unloaded by `collect` or at the end of its scope; `unload` shows the errors"]
#[rule(MODEL_01, MODEL_12, MODEL_16)]
#[diagnostic::on_move(
    message = "this model was unloaded, or is bound",
    note = "MODEL-14: a model is unloaded last; `bound.into_model(current)?` gives back one that was bound"
)]
pub struct Model<
    C: Brand, // CTX-02: of every context: `struct S<C: Brand> { model: Model<C> }`; of a runtime: `Model<Vision>`
    P = OwnWorkspace,
> {
    loaded: Arc<LoadedModel>,
    described: Box<Described>,
    _brand: Mark<C>,
    _place: PhantomData<fn(P) -> P>,
    _not_shared: ModelOfOneThread,
}

/// A model's description, and what its last run has left for the next one.
struct Described {
    inputs: Box<[TensorInfo]>,
    outputs: Box<[TensorInfo]>,
    gears: Option<Gears>,
    buffers: Option<Buffers>,
}

assert_impl_all!(Model<Scoped<'static>>: Send);
assert_not_impl_any!(Model<Scoped<'static>>: Sync, Clone);

#[doc(hidden)]
impl<C: Brand, P> Model<C, P> {
    #[allow(clippy::should_implement_trait, reason = "nothing meets its bound, which has the words of the message")]
    pub fn clone(&self) -> Self
    where
        Self: ModelOfTwo,
    {
        self.never()
    }
}

/// The model has its own working memory, and runs on any stream.
#[derive(Debug)]
pub enum OwnWorkspace {}

/// States in which no other model uses a model's working memory: [`OwnWorkspace`].
#[diagnostic::on_unimplemented(
    message = "a model of a lane runs through its lane only",
    label = "other models work in the workspace of this one",
    note = "MODEL-04, MODEL-06: models that share a workspace run strictly one after the other",
    note = "run it in its lane: `lane.run(current, &mut model, &inputs)`, or bound `lane.run_bound(current, &mut model)`",
    note = "see `ascendcl-explain MODEL-04`"
)]
pub trait RunsAlone: sealed::Sealed {}

impl RunsAlone for OwnWorkspace {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::OwnWorkspace {}
}

impl<C: Brand, P> Model<C, P> {
    pub(crate) fn row(&self) -> Arc<LoadedModel> {
        Arc::clone(&self.loaded)
    }

    /// The model's row.
    pub(crate) fn loaded(&self) -> &LoadedModel {
        &self.loaded
    }

    pub(crate) fn of_image(ledger: &Ledger, image: ModelImage<'_>, onto: LoadInto) -> Result<Self, Error> {
        leads!(model: Start --> Loaded : Load);
        let loaded = ledger.load(image, onto)?;
        // The input for the chosen shape is internal to the library.
        let gear = loaded.gear_input().map(|(index, _)| index);
        let inputs = loaded.inputs().iter().enumerate().filter(|(index, _)| Some(*index) != gear);
        let inputs = inputs.map(|(_, port)| TensorInfo::new(port)).collect();
        let outputs = loaded.outputs().iter().map(TensorInfo::new).collect();
        let gears = loaded.gears().map(Gears::new);
        let described = Box::new(Described { inputs, outputs, gears, buffers: None });
        Ok(Self { loaded, described, _brand: Mark::NEW, _place: PhantomData, _not_shared: ModelOfOneThread::NEW })
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> &[TensorInfo] {
        &self.described.inputs
    }

    /// The bytes that the library reads of each input in any case, in order; 0 where they depend on the shape.
    fn least_input_bytes(&self) -> impl Iterator<Item = usize> {
        let gear = self.loaded.gear_input().map(|(index, _)| index);
        let ports = self.loaded.inputs().iter().enumerate().filter(move |(index, _)| Some(*index) != gear);
        ports.map(|(_, port)| port.fixed_bytes())
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> &[TensorInfo] {
        &self.described.outputs
    }

    /// The list of shapes that the model was compiled for. The shapes of the inputs select one for each execution
    /// (MODEL-20). `None` for a model without such a list: its shapes are fixed, or it accepts any size of an axis that
    /// [`inputs`](Self::inputs) shows as `None`.
    pub fn gears(&self) -> Option<&Gears> {
        self.described.gears.as_ref()
    }

    /// Unloads the model (`aclmdlUnload`).
    ///
    /// # Errors
    ///
    /// Returns the model if the library refuses. The memory of an earlier run may have been freed by then. After
    /// [`Error::Vendor`] of `aclmdlUnload` or `aclmdlDestroyDesc` the model may be unloaded already: it can only be
    /// unloaded again, and other methods return [`Error::Gone`]. Also returns it, with [`Error::StillRunning`] while work may
    /// use it, or [`Error::WrongContext`].
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(MODEL_01, MODEL_14)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn unload( // MODEL-01: while the context that it was loaded in is current: `context.enter(thread, |current| ...)`
        self, // MODEL-14: a model is unloaded once and last: move this `unload` behind all runs
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        leads!(model: Loaded --> End : Unload);
        let mut model = self;
        let unloaded = model.free_buffers(current).and_then(|()| current.ledger().unload(&model.loaded));
        unloaded.map_err(|error| Failed { error, value: model })
    }
}

impl<C: Brand, P> fmt::Debug for Model<C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("inputs", &self.inputs())
            .field("outputs", &self.outputs())
            .finish_non_exhaustive()
    }
}
