//! Workspace lanes: several models on one working memory, one after the other.
//!
//! In a [`WorkspaceLane`], all models run on one stream, in its order. In a [`WorkspaceMutex`], threads run the models:
//! each run waits for its turn, and then for the model.

mod shared;
mod turns;

use crate::brand::{Brand, INSIDE, Mark, Name, Scoped, Unnamed};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::model::{BoundModel, Input, Load, Model, Outputs, Workspace, load_onto};
use crate::stream::{CanExecute, Operand, Pending, Stream, StreamOps, StreamState};
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::time::Duration;

pub use shared::WorkspaceMutex;

/// One working memory and one stream, for models that run strictly one after the other.
///
/// A model of a lane runs through its lane only, and the lane queues everything on its own stream. Running a model takes
/// `&mut` of the lane. Threads that share a working memory share a [`WorkspaceMutex`].
///
/// `'l` is the lane's brand and `L` its name: a model of another lane is refused. A lane of
/// [`Current::workspace_lane`] lives as long as a closure. One of
/// [`Current::stored_workspace_lane`] can be stored beside its models.
///
/// ```
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx");
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::{Error, Input, model::ModelSource};
///
/// let source = ModelSource::file(file);
/// // The workspace holds what the models need together.
/// let workspace = current.workspace(2 * current.model_size(source)?.workspace)?;
/// let stream = current.stream()?.without_allocator();
/// let digits = current.workspace_lane(stream, workspace, |current, mut lane| {
///     let (mut first, mut second) = (lane.load(current, source.into())?, lane.load(current, source.into())?);
///     let images = [Input::new(&[8, 64], &[0.0_f32; 512])?];
///     Ok::<_, Error>([lane.run(current, &mut first, &images)?, lane.run(current, &mut second, &images)?])
/// })?;
/// assert_eq!(digits[0], digits[1]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[rule(MODEL_02, MODEL_04, MODEL_05, MODEL_06)]
pub struct WorkspaceLane<'l, C: Brand, S: StreamState + CanExecute, L = Unnamed> {
    stream: Stream<C, S>,
    workspace: Workspace<C>,
    _brand: Mark<Scoped<'l, L>>,
}

assert_impl_all!(WorkspaceLane<'static, Scoped<'static>, crate::stream::DefaultAllocator>: Send);
assert_not_impl_any!(WorkspaceLane<'static, Scoped<'static>, crate::stream::DefaultAllocator>: Sync, Clone);

/// The model works in the memory of a [`WorkspaceLane`] or a [`WorkspaceMutex`], and runs there only.
#[derive(Debug)]
pub struct SharedWorkspace<'l, L = Unnamed> {
    _brand: PhantomData<Mark<Scoped<'l, L>>>,
}

/// The type that a [`Load`] in a lane has in place of a workspace, because the lane has the workspace. There is no
/// value of this type.
#[derive(Clone, Copy, Debug)]
pub enum LaneWorkspace {}

impl<C: Brand> Current<C> {
    /// Makes a lane out of a stream and a workspace, for the length of `program`.
    ///
    /// The workspace is freed when the lane's last model is unloaded, even if the lane was forgotten (MODEL-02).
    pub fn workspace_lane<S: StreamState + CanExecute, R>(
        &mut self,
        stream: Stream<C, S>,
        workspace: Workspace<C>,
        program: impl for<'l> FnOnce(&mut Self, WorkspaceLane<'l, C, S>) -> R,
    ) -> R {
        self.named_workspace_lane::<Unnamed, S, R>(stream, workspace, program)
    }

    /// As [`workspace_lane`](Self::workspace_lane), for a lane that a type names.
    pub fn named_workspace_lane<L, S: StreamState + CanExecute, R>(
        &mut self,
        stream: Stream<C, S>,
        workspace: Workspace<C>,
        program: impl for<'l> FnOnce(&mut Self, WorkspaceLane<'l, C, S, L>) -> R,
    ) -> R {
        program(self, WorkspaceLane { stream, workspace, _brand: Mark::NEW })
    }

    /// Makes a lane that a struct can own, beside its models. `L` names it ([`names!`](crate::names)).
    ///
    /// A program that uses a model in a lane of another name does not compile. If two lanes have the same name, using a
    /// model of one in the other returns [`Error::OtherWorkspace`].
    ///
    /// ```
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx");
    /// use ascendcl::lane::{SharedWorkspace, WorkspaceLane};
    /// use ascendcl::model::ModelSource;
    /// use ascendcl::stream::DefaultAllocator;
    /// use ascendcl::{Error, Input, Library, Model, Outputs, Runtime};
    ///
    /// ascendcl::names!(Vision, Digits);
    ///
    /// struct Classifiers {
    ///     lane: WorkspaceLane<'static, Vision, DefaultAllocator, Digits>,
    ///     models: Vec<Model<Vision, SharedWorkspace<'static, Digits>>>,
    ///     runtime: Runtime<Vision>,
    /// }
    ///
    /// impl Classifiers {
    ///     fn open(file: &str) -> Result<Self, Error> {
    ///         let runtime = Runtime::<Vision>::open(Library::Simulator)?;
    ///         let (lane, models) = runtime.with(|current| {
    ///             let source = ModelSource::file(file);
    ///             let workspace = current.workspace(2 * current.model_size(source)?.workspace)?;
    ///             let stream = current.stream()?.without_allocator();
    ///             let mut lane = current.stored_workspace_lane::<Digits, _>(stream, workspace);
    ///             let models = vec![lane.load(current, source.into())?, lane.load(current, source.into())?];
    ///             Ok::<_, Error>((lane, models))
    ///         })??;
    ///         Ok(Self { lane, models, runtime })
    ///     }
    ///
    ///     fn run(&mut self, images: &[f32]) -> Result<Vec<Outputs>, Error> {
    ///         let (lane, models) = (&mut self.lane, &mut self.models);
    ///         self.runtime.with(|current| {
    ///             let inputs = [Input::new(&[8, 64], images)?];
    ///             models.iter_mut().map(|model| lane.run(current, model, &inputs)).collect()
    ///         })?
    ///     }
    /// }
    ///
    /// let mut classifiers = Classifiers::open(file)?;
    /// assert_eq!(classifiers.run(&[0.0; 512])?.len(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stored_workspace_lane<L: Name, S: StreamState + CanExecute>(
        &self,
        stream: Stream<C, S>,
        workspace: Workspace<C>,
    ) -> WorkspaceLane<'static, C, S, L> {
        WorkspaceLane { stream, workspace, _brand: Mark::NEW }
    }
}

impl<'l, C: Brand, S: StreamState + CanExecute, L> WorkspaceLane<'l, C, S, L> {
    /// Loads a model onto the lane's workspace, and onto shared weights if some are given (`aclmdlLoadFromFileWithMem`,
    /// `aclmdlLoadFromMemWithMem`), once everything that the lane has queued is done.
    ///
    /// # Errors
    ///
    /// [`Error::TooShort`], before anything is loaded, when the workspace is smaller than all models of the lane need
    /// together; [`Error::StillRunning`] while a run that failed may still go on in the workspace, until
    /// [`Current::synchronize`] has succeeded; else as for [`Current::load`].
    #[rule(MODEL_04, MODEL_07, MODEL_19)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn load( // MODEL-04: the workspace is the lane's: leave out `.workspace(...)`
        &mut self,
        current: &Current<C>,
        load: Load<'_, C, LaneWorkspace>,
    ) -> Result<Model<C, SharedWorkspace<'l, L>>, Error> {
        // Loading may write to the memory in which another model of the lane runs.
        self.stream.synchronize(current)?;
        let share = |need| self.workspace.share(need);
        load_onto(current.ledger(), load.source, load.weights.as_ref(), Some(share))
    }

    /// Queues one execution of a model on the lane's stream (`aclmdlExecuteAsync`): after everything that the lane has
    /// queued before.
    ///
    /// # Errors
    ///
    /// As for [`Stream::execute`]; [`Error::OtherWorkspace`] for a model of another lane of the same name.
    #[rule(MODEL_04, MODEL_05)]
    pub fn execute<M: Operand<C, BoundModel<C, SharedWorkspace<'l, L>>>>(
        &mut self,
        current: &Current<C>,
        model: M,
    ) -> Result<Pending<C, BoundModel<C, SharedWorkspace<'l, L>>>, Failed<M>> {
        if let Err(error) = self.workspace.check_model(model.operand_value(INSIDE).loaded()) {
            return Err(Failed { error, value: model });
        }
        BoundModel::queue(model, current, self.stream.queue())
    }

    /// Runs a model and waits for it, as [`Model::run`], once everything that the lane has queued is done.
    ///
    /// # Errors
    ///
    /// As for [`Model::run`]; [`Error::OtherWorkspace`] for a model of another lane of the same name.
    #[rule(MODEL_04, MODEL_06)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run( // MODEL-04: a model that was loaded into this lane: `lane.load(current, load)?`
        &mut self,
        current: &mut Current<C>,
        model: &mut Model<C, SharedWorkspace<'l, L>>,
        inputs: &[Input<'_>],
    ) -> Result<Outputs, Error> {
        self.workspace.check_model(model.loaded())?;
        model.run_when(current, inputs, |current| self.stream.synchronize(current))
    }

    /// Executes a bound model on the lane's stream and waits for it, as [`Stream::run_bound`].
    ///
    /// # Errors
    ///
    /// As for [`Stream::run_bound`]; [`Error::OtherWorkspace`] for a model of another lane of the same name.
    #[rule(MODEL_04, MODEL_05)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run_bound( // MODEL-04: a model that was loaded into this lane: `lane.load(current, load)?`
        &mut self,
        current: &Current<C>,
        model: &mut BoundModel<C, SharedWorkspace<'l, L>>,
    ) -> Result<(), Error> {
        self.workspace.check_model(model.loaded())?;
        model.run_on(current, self.stream.queue(), None)
    }

    /// Like [`run_bound`](Self::run_bound), and waits at most `limit`, as [`Stream::run_bound_within`].
    ///
    /// # Errors
    ///
    /// As for [`run_bound`](Self::run_bound).
    #[rule(MODEL_04, MODEL_05, STREAM_16)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run_bound_within( // MODEL-04: a model that was loaded into this lane: `lane.load(current, load)?`
        &mut self,
        current: &Current<C>,
        model: &mut BoundModel<C, SharedWorkspace<'l, L>>,
        limit: Duration,
    ) -> Result<(), Error> {
        self.workspace.check_model(model.loaded())?;
        model.run_on(current, self.stream.queue(), Some(limit))
    }

    /// Bytes of the workspace.
    pub fn bytes(&self) -> usize {
        self.workspace.bytes()
    }

    /// Takes the lane apart and gives the stream back. Its models can only be unloaded then.
    pub fn into_stream(self) -> Stream<C, S> {
        self.stream
    }
}

/// Copies to inputs and from outputs, and waits, are on the lane's own stream.
impl<C: Brand, S: StreamState + CanExecute, L> Deref for WorkspaceLane<'_, C, S, L> {
    type Target = StreamOps<C>;

    fn deref(&self) -> &Self::Target {
        &self.stream
    }
}

impl<C: Brand, S: StreamState + CanExecute, L> fmt::Debug for WorkspaceLane<'_, C, S, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkspaceLane").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}
