//! A model together with its buffers, ready for a stream.

use super::bindings::{OutputBuffer, Tensors, same_count};
use super::{IndexOrName, Model, OwnWorkspace, RunsAlone};
use crate::brand::{Brand, Inside, ModelOfOneThread};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed};
use crate::ffi::{NotRun, RawBinding, RawBuffer, RawStream};
use crate::life_cycle::leads;
use crate::stream::sealed_payload;
use ascendcl_macros::rule;
use core::fmt;
use std::sync::Arc;

/// A model together with device memory for its inputs and outputs. A stream can execute it any number of times.
///
/// While it is in flight ([`Pending`](crate::Pending)) it is inaccessible. So the model does not run twice at the same
/// time, it is not unloaded, and its memory is not touched.
#[must_use = "a bound model does nothing until a stream executes it"]
#[rule(MODEL_14, MODEL_15, MODEL_17, DATA_02, DATA_10)]
#[diagnostic::on_move(
    message = "this model executes, or was taken apart",
    note = "MODEL-15, DATA-10: a model executes once at a time: `pending.wait(current)?` gives back what it uses"
)]
pub struct BoundModel<
    C: Brand, // CTX-02: of every context: `struct S<C: Brand> { model: BoundModel<C> }`; of a runtime: `BoundModel<Vision>`
    P = OwnWorkspace,
> {
    /// First, for the compiler's message about a model that threads share.
    _not_shared: ModelOfOneThread,
    /// Behind one pointer, because a model is moved into each execution that is queued, and out again.
    pub(super) parts: Box<Parts<C, P>>,
}

pub(super) struct Parts<C: Brand, P> {
    pub(super) model: Model<C, P>,
    pub(super) binding: Arc<RawBinding>,
    pub(super) bound: Tensors,
}

impl<C: Brand, P> Model<C, P> {
    /// Allocates device memory for inputs and outputs of these shapes, outermost size first, and binds it to the model
    /// (`aclrtMalloc`, `aclmdlCreateDataset`, `aclCreateDataBuffer`, `aclmdlAddDatasetBuffer`).
    ///
    /// # Errors
    ///
    /// Returns the model unchanged, with [`Error::Input`] if the shapes do not fit the model, [`Error::TooShort`] if an
    /// execution writes more to an output than the memory for it has, or [`Error::Vendor`] if the device has no memory
    /// left. [`Error::UnknownElement`] for a tensor whose elements have a size that only the library knows, if its shape is
    /// free: of a fixed one the library says how many bytes it has. If the library does not say what a gear writes, the
    /// memory has to hold the largest gear.
    #[rule(MODEL_18, MODEL_20, DATA_07, DATA_08)]
    pub fn bind(
        self,
        current: &Current<C>,
        inputs: &[&[usize]],
        outputs: &[&[usize]],
    ) -> Result<BoundModel<C, P>, Failed<Self>> {
        let rooms: Vec<_> = outputs.iter().map(|shape| OutputBuffer::Shape(shape)).collect();
        self.bind_with(current, inputs, &rooms)
    }

    /// As [`bind`](Self::bind), for outputs whose shapes are known only after the execution.
    ///
    /// The inputs get memory for the shapes given here. [`BoundModel::reshape`] can switch to any shapes that need no
    /// more memory.
    ///
    /// # Errors
    ///
    /// As for [`bind`](Self::bind).
    pub fn bind_with(
        self,
        current: &Current<C>,
        inputs: &[&[usize]],
        outputs: &[OutputBuffer<'_>],
    ) -> Result<BoundModel<C, P>, Failed<Self>> {
        let mut model = self;
        let bound = model.free_buffers(current).and_then(|()| model.bound_to(current, inputs, outputs));
        match bound {
            Ok((binding, bound)) => {
                Ok(BoundModel { _not_shared: ModelOfOneThread::NEW, parts: Box::new(Parts { model, binding, bound }) })
            }
            Err(error) => Err(Failed { error, value: model }),
        }
    }

    fn bound_to(
        &self,
        current: &Current<C>,
        inputs: &[&[usize]],
        outputs: &[OutputBuffer<'_>],
    ) -> Result<(Arc<RawBinding>, Tensors), Error> {
        let bound = Tensors::allocate(current, self, inputs, outputs)?;
        let binding = current.ledger().bind(&self.loaded, &bound.parts(), &bound.places())?;
        Ok((binding, bound))
    }
}

impl<C: Brand, P> BoundModel<C, P> {
    /// Chooses the shapes of the inputs for the next executions (MODEL-20). This is `aclmdlSetDatasetTensorDesc`, or
    /// `aclmdlSetDynamicBatchSize`, `aclmdlSetDynamicHWSize` or `aclmdlSetInputDynamicDims` if the model was compiled
    /// for a list of shapes. An input that was [written](Self::write) before has to be written again. Read the outputs of a
    /// model with gears before: afterwards they are [`Error::NotExecuted`] until the next execution.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if the shapes do not fit the model; [`Error::TooShort`] if an input, or an output of the gear that
    /// they select, needs more memory than the model was bound with; or [`Error::Vendor`]. The previous shapes remain. If
    /// the library also refuses to set these again, only [`into_model`](Self::into_model) can still use the bound model.
    #[rule(MODEL_20)]
    pub fn reshape(&mut self, current: &Current<C>, inputs: &[&[usize]]) -> Result<(), Error> {
        same_count(self.parts.model.inputs(), inputs.len())?;
        self.parts.bound.inputs.iter().zip(inputs).try_for_each(|(bound, shape)| bound.check_shape(shape))?;
        let [old, new] = [&self.parts.bound.shapes(), inputs].map(|shapes| self.parts.bound.dims(shapes));
        current.ledger().reshape(&self.parts.binding, &self.parts.model.loaded, (&old, &new))?;
        if self.parts.model.gears().is_some() {
            // From now on the library says what the next execution writes, and no longer what the last one has written.
            self.parts.bound.executed = false;
        }
        self.parts.bound.inputs.iter_mut().zip(inputs).for_each(|(bound, shape)| bound.shape = shape.to_vec());
        Ok(())
    }

    /// Copies elements into an input (`aclrtMemcpy`), and returns when the copy is complete.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for another element type or a name that no input has; [`Error::LengthMismatch`] for another
    /// length; [`Error::NoTruthValue`] for a byte other than 0 and 1 in an input of truth values;
    /// [`Error::NoSuchInput`]; [`Error::InputIsShared`] for an input that [reads shared
    /// memory](Self::share_input); [`Error::StillRunning`] after a run that
    /// [timed out](crate::Stream::run_bound_within); or [`Error::Vendor`].
    pub fn write<'n, E: Element>(
        &mut self,
        current: &Current<C>,
        input: impl Into<IndexOrName<'n>>,
        elements: &[E],
    ) -> Result<(), Error> {
        let input = self.input_index(input)?;
        let block = self.input_of::<E>(input, elements.len())?;
        self.check_truth_values(input, elements)?;
        self.check_not_running(current, block)?;
        Ok(block.write(current.here(), elements)?)
    }

    /// Notes that a graph which owns the model was replayed. If the graph executes it, the outputs are written.
    pub(crate) fn note_replay(&mut self) {
        if self.parts.binding.is_captured() {
            self.parts.mark_written();
        }
    }

    /// Notes that all work that used the model or its buffers is known to be done.
    pub(crate) fn mark_idle(&self) {
        leads!(model: Running --> Loaded : Wait);
        self.parts.model.loaded.mark_idle();
        self.parts.binding.mark_idle();
        self.parts.bound.blocks().for_each(RawBuffer::mark_idle);
    }

    /// Notes that the submissions of this stream so far complete after all work that used the model or its buffers.
    pub(crate) fn follow(&self, queue: &RawStream) {
        self.parts.model.loaded.follow(queue);
        self.parts.binding.follow(queue);
        self.parts.bound.blocks().for_each(|block| block.follow(queue));
    }

    /// Takes the model out of its buffers (`aclmdlDestroyDataset`, `aclDestroyDataBuffer`). [`Current::collect`] or the
    /// end of the scope frees the buffers. Memory that the library allocated for outputs is returned to its allocator
    /// now.
    ///
    /// # Errors
    ///
    /// Returns the bound model unchanged, with [`Error::StillRunning`] while work may use it, or [`Error::WrongContext`]. Also
    /// returns it if the library refuses. Only this method can still use it then, because the library may have destroyed a
    /// part; other methods return [`Error::Gone`].
    pub fn into_model(self, current: &Current<C>) -> Result<Model<C, P>, Failed<Self>> {
        match current.ledger().unbind(&self.parts.binding) {
            Ok(()) => Ok(self.parts.model),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Runs the model once, in a turn: while the value that `turn` returns exists, nothing else runs in the model's
    /// working memory.
    #[inline]
    pub(crate) fn run_when<T>(
        &mut self,
        current: &mut Current<C>,
        turn: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(), Error> {
        leads!(model: Loaded --> Loaded : Run);
        self.parts.make_room(current)?;
        let _turn = turn()?;
        match self.parts.binding.run_at_once(current.here(), &self.parts.model.loaded) {
            Some(Ok(())) => {
                self.parts.mark_written();
                Ok(())
            }
            Some(Err(failed)) => self.parts.run_after_checks(current, Some(failed)),
            None => self.parts.run_after_checks(current, None),
        }
    }

    /// Notes that work failed which may have been an execution: nobody knows whether it has written the outputs.
    pub(crate) fn lose_outputs(&mut self) {
        self.parts.bound.executed = false;
    }
}

/// What the paths of executions call. These are methods of what is behind the handle's pointer: a reference to the handle
/// would keep it in memory, or in a register, also where nothing fails.
impl<C: Brand, P> Parts<C, P> {
    /// Returns memory that the library allocated for outputs of the last execution (DATA-06).
    #[inline]
    pub(super) fn make_room(&mut self, current: &Current<C>) -> Result<(), Error> {
        if self.binding.has_open_outputs() { self.empty_open_outputs(current) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn empty_open_outputs(&mut self, current: &Current<C>) -> Result<(), Error> {
        let had_outputs = core::mem::take(&mut self.bound.executed);
        current.ledger().empty(&self.binding).map_err(|error| self.failed(had_outputs, error))
    }

    /// A call that changes the outputs of the last execution failed. The outputs are lost, unless the call never reached
    /// the library.
    #[cold]
    #[inline(never)]
    pub(super) fn failed(&mut self, had_outputs: bool, error: Error) -> Error {
        self.bound.executed = had_outputs && error.rules_out_that_work_was_queued();
        error
    }

    /// Runs the model once, with all checks; or settles a run that has `failed`.
    #[cold]
    #[inline(never)]
    fn run_after_checks(&mut self, current: &Current<C>, failed: Option<NotRun>) -> Result<(), Error> {
        // The outputs count as lost meanwhile, because code of the program hears of errors, and may panic.
        let had_outputs = core::mem::take(&mut self.bound.executed);
        let (ledger, here) = (current.ledger(), current.here());
        let ran = match failed {
            Some(failed) => Err(ledger.settle_run(here, &self.binding, &self.model.loaded, failed)),
            None => ledger.run(here, &self.binding, &self.model.loaded),
        };
        match ran {
            Ok(()) => self.mark_written(),
            Err(error) => return Err(self.failed(had_outputs, error.into())),
        }
        Ok(())
    }

    /// Notes that an execution has written, or will write, all outputs.
    #[inline]
    pub(super) fn mark_written(&mut self) {
        self.bound.executed = true;
        if self.bound.replaced {
            self.bound.replaced = false;
            self.bound.outputs.iter_mut().for_each(|output| output.replaced = false);
        }
    }
}

impl<C: Brand, P> BoundModel<C, P> {
    /// Runs the model on the inputs that were [written](Self::write), and returns when the outputs are complete
    /// (`aclmdlExecute`). This executes a model repeatedly without a stream.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the model fails. Its outputs are then undefined. As in [`Model::run`], the library may
    /// still be running the model.
    #[rule(MODEL_16)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run(&mut self, current: &mut Current<C>) -> Result<(), Error> // GRAPH-04: a helper takes `&mut Current<C>`, too
    where
        P: RunsAlone,
    {
        self.run_when(current, || Ok(()))
    }
}

impl<C: Brand, P> fmt::Debug for BoundModel<C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundModel").field("model", &self.parts.model).finish_non_exhaustive()
    }
}

impl<C: Brand, P> sealed_payload::Payload for BoundModel<C, P> {
    #[inline]
    fn mark_work_done(&self, _: Inside) {
        BoundModel::mark_idle(self);
    }

    fn follow(&self, _: (u64, u64), queue: &RawStream, _: Inside) {
        BoundModel::follow(self, queue);
    }

    fn note_failure(&mut self, _: Inside) {
        self.lose_outputs();
    }
}
