//! A lane that threads share.

use super::turns::{Turn, Turns};
use super::{InLane, OfTheLane};
use crate::brand::{Brand, Mark, Scoped, Unnamed};
use crate::current::Current;
use crate::error::Error;
use crate::model::{Input, Load, Model, Outputs, Prepared, Workspace, load_onto};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::time::{Duration, Instant};

/// One workspace for models that several threads run, one after the other: each run waits for its turn.
///
/// Threads share it by reference and load models of their own into it. A run takes the turn when its inputs are on the
/// device and gives it back when the model is done, in one call: no code of the program's ever runs in a turn, so that
/// nobody can keep one, lose one, or wait for a second while having the first. Turns come in the order of asking.
///
/// `'l` is the lane's brand and `L` its name: a model of another lane is refused.
#[rule(MODEL_02, MODEL_04, MODEL_06)]
pub struct SharedLane<'l, C: Brand, L = Unnamed> {
    workspace: Workspace<C>,
    turns: Turns,
    _brand: Mark<Scoped<'l, L>>,
}

assert_impl_all!(SharedLane<'static, Scoped<'static>>: Send, Sync);
assert_not_impl_any!(SharedLane<'static, Scoped<'static>>: Clone);

impl<C: Brand> Current<C> {
    /// Makes a lane for threads out of a workspace, for the length of `program`.
    ///
    /// The workspace is freed when the lane's last model is unloaded, whatever becomes of the lane (MODEL-02).
    pub fn shared_lane<R>(
        &mut self,
        workspace: Workspace<C>,
        program: impl for<'l> FnOnce(&mut Self, SharedLane<'l, C>) -> R,
    ) -> R {
        self.named_shared_lane::<Unnamed, R>(workspace, program)
    }

    /// As [`shared_lane`](Self::shared_lane), for a lane that a type gives its name to.
    pub fn named_shared_lane<L, R>(
        &mut self,
        workspace: Workspace<C>,
        program: impl for<'l> FnOnce(&mut Self, SharedLane<'l, C, L>) -> R,
    ) -> R {
        program(self, SharedLane { workspace, turns: Turns::default(), _brand: Mark::NEW })
    }
}

impl<'l, C: Brand, L> SharedLane<'l, C, L> {
    /// Loads a model onto the lane's workspace in its turn, as [`Lane::load`](crate::Lane::load).
    ///
    /// # Errors
    ///
    /// The same.
    #[rule(MODEL_04, MODEL_07, MODEL_19)]
    pub fn load(&self, current: &Current<C>, load: Load<'_, C, OfTheLane>) -> Result<Model<C, InLane<'l, L>>, Error> {
        current.ledger().api().is_of_this_process()?;
        // Loading may write to the memory in which another model of the lane runs.
        let _turn = self.turn(None)?;
        let share = |need| self.workspace.share(need);
        load_onto(current.ledger(), load.source, load.weights.as_ref(), Some(share))
    }

    /// Runs a model in its turn and waits for it, as [`Model::run`].
    ///
    /// # Errors
    ///
    /// As for [`Model::run`].
    #[rule(MODEL_06, MODEL_16)]
    pub fn run(
        &self,
        current: &mut Current<C>,
        model: &mut Model<C, InLane<'l, L>>,
        inputs: &[Input<'_>],
    ) -> Result<Outputs, Error> {
        current.ledger().api().is_of_this_process()?;
        model.run_when(current, inputs, |_| self.turn(None))
    }

    /// As [`run`](Self::run), and waits for the turn for at most `limit`. The run itself has no limit: the library gives
    /// none.
    ///
    /// # Errors
    ///
    /// As for [`Model::run`], and [`Error::Busy`] when the turn did not come in time: nothing ran then.
    pub fn run_within(
        &self,
        current: &mut Current<C>,
        model: &mut Model<C, InLane<'l, L>>,
        inputs: &[Input<'_>],
        limit: Duration,
    ) -> Result<Outputs, Error> {
        current.ledger().api().is_of_this_process()?;
        model.run_when(current, inputs, |_| self.turn(Some(limit)))
    }

    /// Runs a prepared model in its turn and waits for it, as [`Prepared::run`].
    ///
    /// # Errors
    ///
    /// As for [`Prepared::run`].
    #[rule(MODEL_06, MODEL_16)]
    pub fn run_prepared(&self, current: &mut Current<C>, model: &mut Prepared<C, InLane<'l, L>>) -> Result<(), Error> {
        current.ledger().api().is_of_this_process()?;
        model.run_when(current, || self.turn(None))
    }

    /// As [`run_prepared`](Self::run_prepared), and waits for the turn for at most `limit`.
    ///
    /// # Errors
    ///
    /// As for [`Prepared::run`], and [`Error::Busy`] when the turn did not come in time: nothing ran then.
    pub fn run_prepared_within(
        &self,
        current: &mut Current<C>,
        model: &mut Prepared<C, InLane<'l, L>>,
        limit: Duration,
    ) -> Result<(), Error> {
        current.ledger().api().is_of_this_process()?;
        model.run_when(current, || self.turn(Some(limit)))
    }

    /// Bytes of the workspace.
    pub fn bytes(&self) -> usize {
        self.workspace.bytes()
    }

    fn turn(&self, limit: Option<Duration>) -> Result<Turn<'_>, Error> {
        let asked = Instant::now();
        self.turns.take(limit).ok_or_else(|| Error::Busy { waited: asked.elapsed() })
    }
}

impl<C: Brand, L> fmt::Debug for SharedLane<'_, C, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("SharedLane");
        debug.field("workspace", &self.workspace).field("turns", &self.turns).finish_non_exhaustive()
    }
}
