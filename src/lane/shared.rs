//! A lane that threads share.

use super::turns::{Turn, Turns};
use super::{LaneWorkspace, SharedWorkspace};
use crate::brand::{Brand, Mark, Name, Scoped, Unnamed};
use crate::current::Current;
use crate::error::Error;
use crate::ffi::LoadedModel;
use crate::model::{BoundModel, Input, Load, Model, Outputs, Workspace, load_onto};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::time::{Duration, Instant};

/// One workspace for models that several threads run, one after the other: each run waits for its turn.
///
/// Threads share it by reference, and each loads its own models into it. A run takes the turn when its inputs are on
/// the device, and returns the turn when the model is done, in one call. No code of the program runs during a turn, so
/// a program cannot keep or lose a turn, or wait for a second one while it has the first. With the feature `tracing`, a
/// subscriber may run during a turn: it must not wait for the lane. Turns are given in the order of the requests.
///
/// `'l` is the lane's brand and `L` its name: a model of another lane is refused. A lane of
/// [`Current::workspace_mutex`] lives as long as a closure. One of
/// [`Current::stored_workspace_mutex`] can be stored, and shared in an [`Arc`](std::sync::Arc).
///
/// ```
/// use ascendcl::{Acl, Error, Input, Library, Thread, model::ModelSource};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits-8.onnx");
/// let acl = Acl::init(Library::Simulator)?;
/// let mut thread = Thread::new()?;
/// let device = acl.device(&mut thread, 0)?;
/// let ran = device.context(&mut thread, |context, thread| {
///     let source = ModelSource::file(file);
///     context.enter(thread, |current| {
///         let workspace = current.workspace(2 * current.model_size(source)?.workspace)?;
///         current.workspace_mutex(workspace, |_current, lane| {
///             let work = || {
///                 context.enter(&mut Thread::new()?, |current| {
///                     let mut model = lane.load(current, source.into())?;
///                     lane.run(current, &mut model, &[Input::new(&[8, 64], &[0.0_f32; 512])?])
///                 })?
///             };
///             std::thread::scope(|scope| {
///                 let threads = [scope.spawn(work), scope.spawn(work)];
///                 threads.map(|thread| thread.join().unwrap()).into_iter().collect::<Result<Vec<_>, Error>>()
///             })
///         })
///     })
/// });
/// assert_eq!(ran???.len(), 2);
/// # Ok(())
/// # }
/// ```
#[rule(MODEL_02, MODEL_04, MODEL_06)]
pub struct WorkspaceMutex<'l, C: Brand, L = Unnamed> {
    workspace: Workspace<C>,
    turns: Turns,
    _brand: Mark<Scoped<'l, L>>,
}

assert_impl_all!(WorkspaceMutex<'static, Scoped<'static>>: Send, Sync);
assert_not_impl_any!(WorkspaceMutex<'static, Scoped<'static>>: Clone);

impl<C: Brand> Current<C> {
    /// Makes a lane for threads out of a workspace, for the length of `program`. The workspace holds what all models of
    /// the lane need together.
    ///
    /// The workspace is freed when the lane's last model is unloaded, even if the lane was forgotten (MODEL-02).
    pub fn workspace_mutex<R>(
        &mut self,
        workspace: Workspace<C>,
        program: impl for<'l> FnOnce(&mut Self, WorkspaceMutex<'l, C>) -> R,
    ) -> R {
        self.named_workspace_mutex::<Unnamed, R>(workspace, program)
    }

    /// As [`workspace_mutex`](Self::workspace_mutex), for a lane that a type names.
    pub fn named_workspace_mutex<L, R>(
        &mut self,
        workspace: Workspace<C>,
        program: impl for<'l> FnOnce(&mut Self, WorkspaceMutex<'l, C, L>) -> R,
    ) -> R {
        program(self, WorkspaceMutex { workspace, turns: Turns::default(), _brand: Mark::NEW })
    }

    /// Makes a lane for threads that a struct can own, and an [`Arc`](std::sync::Arc) can share. `L` names it
    /// ([`names!`](crate::names)).
    ///
    /// A program that uses a model in a lane of another name does not compile. If two lanes have the same name, using a
    /// model of one in the other returns [`Error::OtherWorkspace`].
    pub fn stored_workspace_mutex<L: Name>(&self, workspace: Workspace<C>) -> WorkspaceMutex<'static, C, L> {
        WorkspaceMutex { workspace, turns: Turns::default(), _brand: Mark::NEW }
    }
}

impl<'l, C: Brand, L> WorkspaceMutex<'l, C, L> {
    /// Loads a model onto the lane's workspace in its turn, as [`WorkspaceLane::load`](crate::lane::WorkspaceLane::load)
    /// does.
    ///
    /// # Errors
    ///
    /// As for [`WorkspaceLane::load`](crate::lane::WorkspaceLane::load).
    #[rule(MODEL_04, MODEL_07, MODEL_19)]
    pub fn load(
        &self,
        current: &Current<C>,
        load: Load<'_, C, LaneWorkspace>,
    ) -> Result<Model<C, SharedWorkspace<'l, L>>, Error> {
        current.ledger().api().check_process()?;
        // Loading may write to the memory in which another model of the lane runs.
        let _turn = self.turn(None)?;
        let share = |need| self.workspace.share(need);
        load_onto(current.ledger(), load.source, load.weights.as_ref(), Some(share))
    }

    /// Runs a model in its turn and waits for it, as [`Model::run`].
    ///
    /// # Errors
    ///
    /// As for [`Model::run`]; [`Error::OtherWorkspace`] for a model of another lane of the same name.
    #[rule(MODEL_04, MODEL_06, MODEL_16)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run( // MODEL-04: a model that was loaded into this workspace: `lane.load(current, load)?`
        &self,
        current: &mut Current<C>,
        model: &mut Model<C, SharedWorkspace<'l, L>>,
        inputs: &[Input<'_>],
    ) -> Result<Outputs, Error> {
        self.admits(current, model.loaded())?;
        model.run_when(current, inputs, |_| self.turn(None))
    }

    /// Like [`run`](Self::run), and waits for the turn for at most `limit`. The run itself has no limit, because the
    /// library has no such call.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run), and [`Error::WorkspaceBusy`] when the turn did not come in time: nothing ran then.
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run_within( // MODEL-04: a model that was loaded into this workspace: `lane.load(current, load)?`
        &self,
        current: &mut Current<C>,
        model: &mut Model<C, SharedWorkspace<'l, L>>,
        inputs: &[Input<'_>],
        limit: Duration,
    ) -> Result<Outputs, Error> {
        self.admits(current, model.loaded())?;
        model.run_when(current, inputs, |_| self.turn(Some(limit)))
    }

    /// Runs a bound model in its turn and waits for it, as [`BoundModel::run`].
    ///
    /// # Errors
    ///
    /// As for [`BoundModel::run`]; [`Error::OtherWorkspace`] for a model of another lane of the same name.
    #[rule(MODEL_04, MODEL_06, MODEL_16)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run_bound( // MODEL-04: a model that was loaded into this workspace: `lane.load(current, load)?`
        &self,
        current: &mut Current<C>,
        model: &mut BoundModel<C, SharedWorkspace<'l, L>>,
    ) -> Result<(), Error> {
        self.admits(current, model.loaded())?;
        model.run_when(current, || self.turn(None))
    }

    /// Like [`run_bound`](Self::run_bound), and waits for the turn for at most `limit`.
    ///
    /// # Errors
    ///
    /// As for [`run_bound`](Self::run_bound), and [`Error::WorkspaceBusy`] when the turn did not come in time: nothing ran then.
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run_bound_within( // MODEL-04: a model that was loaded into this workspace: `lane.load(current, load)?`
        &self,
        current: &mut Current<C>,
        model: &mut BoundModel<C, SharedWorkspace<'l, L>>,
        limit: Duration,
    ) -> Result<(), Error> {
        self.admits(current, model.loaded())?;
        model.run_when(current, || self.turn(Some(limit)))
    }

    /// Bytes of the workspace.
    pub fn bytes(&self) -> usize {
        self.workspace.bytes()
    }

    /// An error for a model of another lane, and in a forked child, where a turn might never come.
    fn admits(&self, current: &Current<C>, model: &LoadedModel) -> Result<(), Error> {
        current.ledger().api().check_process()?;
        self.workspace.check_model(model)
    }

    fn turn(&self, limit: Option<Duration>) -> Result<Turn<'_>, Error> {
        let asked = Instant::now();
        self.turns.take(limit).ok_or_else(|| Error::WorkspaceBusy { waited: asked.elapsed() })
    }
}

impl<C: Brand, L> fmt::Debug for WorkspaceMutex<'_, C, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("WorkspaceMutex");
        debug.field("workspace", &self.workspace).field("turns", &self.turns).finish_non_exhaustive()
    }
}
