//! A model with the buffers of its runs, ready for a stream.

use super::bindings::{BoundOutput, OutputBuffer, OwnRoom, Tensors, same_count};
use super::captured::CapturedModel;
use super::{Model, OwnWorkspace, PortId, RunsAlone, TensorInfo};
use crate::brand::{Brand, INSIDE, Inside};
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::element::Element;
use crate::error::{Boxed, Error, Failed, ObjectKind};
use crate::ffi::{Api, RawBinding, RawBuffer, RawStream};
use crate::life_cycle::leads;
use crate::stream::{CanExecute, GroupTurn, Operand, Pending, Stream, StreamState, sealed_payload};
use ascendcl_macros::rule;
use core::fmt;
use std::sync::Arc;

/// A model together with device memory for its inputs and outputs: what a stream executes, any number of times.
///
/// While it is in flight ([`Pending`]) nothing of it can be reached: the model is not executed twice at a time, not
/// unloaded, and its memory is not touched.
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
    pub(super) model: Model<C, P>,
    pub(super) binding: Arc<RawBinding>,
    pub(super) bound: Box<Tensors>,
    /// Whether the outputs are those of an execution.
    executed: bool,
    /// Whether outputs have memory that no execution has written to yet.
    pub(super) replaced: bool,
}

impl<C: Brand, P> Model<C, P> {
    /// Allocates device memory for inputs and outputs of these shapes, and binds it to the model
    /// (`aclrtMalloc`, `aclmdlCreateDataset`, `aclCreateDataBuffer`, `aclmdlAddDatasetBuffer`).
    ///
    /// # Errors
    ///
    /// The model as it was: [`Error::Input`] when the shapes do not fit the model, [`Error::Vendor`] when there is no
    /// room.
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

    /// As [`bind`](Self::bind), for outputs whose shapes only the execution tells.
    ///
    /// The inputs' memory is that of the shapes given here; [`BoundModel::reshape`] goes back and forth between shapes
    /// that need no more.
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
        match self.bound_to(current, inputs, outputs) {
            Ok((binding, bound)) => {
                Ok(BoundModel { model: self, binding, bound: Box::new(bound), executed: false, replaced: false })
            }
            Err(error) => Err(Failed { error, value: self }),
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
    /// Chooses the shapes of the inputs for the next executions (`aclmdlSetDatasetTensorDesc`; or the one of
    /// `aclmdlSetDynamicBatchSize`, `aclmdlSetDynamicHWSize` and `aclmdlSetInputDynamicDims` that the model was
    /// compiled for, MODEL-20). What was [written](Self::write) before is no longer a tensor of that shape.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] when the shapes do not fit the model, [`Error::TooShort`] when they need more memory than those
    /// that it was bound with; then the shapes are what they were. Or [`Error::Vendor`].
    #[rule(MODEL_20)]
    pub fn reshape(&mut self, current: &Current<C>, inputs: &[&[usize]]) -> Result<(), Error> {
        same_count(self.model.inputs(), inputs.len())?;
        self.bound.inputs.iter().zip(inputs).try_for_each(|(bound, shape)| bound.holds(shape))?;
        let dims = self.bound.dims(inputs);
        let dims: Vec<&[i64]> = dims.iter().map(Vec::as_slice).collect();
        current.ledger().reshape(&self.binding, &self.model.loaded, &dims)?;
        self.bound.inputs.iter_mut().zip(inputs).for_each(|(bound, shape)| bound.shape = shape.to_vec());
        Ok(())
    }

    /// Copies elements into an input (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for another element type or a name that no input has, [`Error::LengthMismatch`] for another
    /// length, [`Error::NoSuchInput`], [`Error::InputIsShared`] for one that [reads shared memory](Self::share_input), or
    /// [`Error::Vendor`].
    pub fn write<'n, E: Element>(
        &mut self,
        current: &Current<C>,
        input: impl Into<PortId<'n>>,
        elements: &[E],
    ) -> Result<(), Error> {
        let input = input.into().input(self.model.inputs())?;
        Ok(self.input_of::<E>(input, elements.len())?.write(current.here(), elements)?)
    }

    /// The shape of an output in the last execution, outermost size first (`aclmdlGetDatasetTensorDesc`).
    ///
    /// # Errors
    ///
    /// [`Error::NotExecuted`] before the first execution, [`Error::NoSuchOutput`] or [`Error::NoOutputNamed`], or
    /// [`Error::UnknownShape`] when the library does not say.
    pub fn output_shape<'n>(&self, current: &Current<C>, output: impl Into<PortId<'n>>) -> Result<Vec<usize>, Error> {
        self.binding.is_current()?;
        let output = self.which(output)?;
        let bound = self.output(output)?;
        self.dims(current, output, &bound.info)
    }

    /// Copies an output to the host (`aclrtMemcpy`): as many elements as its [shape](Self::output_shape) has.
    ///
    /// # Errors
    ///
    /// [`Error::NotExecuted`] before the first execution; [`Error::OutputType`], [`Error::NoSuchOutput`];
    /// [`Error::LengthMismatch`] when the model left another number of elements than the shape that was bound for
    /// it; [`Error::OutputNotAllocated`]; or [`Error::Vendor`].
    pub fn read<'n, E: Element>(&self, current: &Current<C>, output: impl Into<PortId<'n>>) -> Result<Vec<E>, Error> {
        self.binding.is_current()?;
        let output = self.which(output)?;
        self.bound.output(output)?.is_of::<E>()?;
        let bound = self.output(output)?;
        let api = current.ledger().api();
        // The library notes the real shape; a model may leave less in an output than it was given room for.
        let found = self
            .dims(current, output, &bound.info)
            .map(|shape| shape.iter().fold(1_usize, |all, size| all.saturating_mul(*size)));
        let own;
        let (elements, block) = match &bound.room {
            OwnRoom::Exactly(expected, block) => {
                let (what, expected, found) = (ObjectKind::MODEL_OUTPUT, *expected, found.unwrap_or(*expected));
                if expected != found {
                    return Err(Error::LengthMismatch { what, expected, found });
                }
                (found, &**block)
            }
            OwnRoom::AtMost(block) => (found?, &**block),
            OwnRoom::ByLibrary => {
                let name = || bound.info.name.clone();
                own = self.binding.allocated(api, output).ok_or_else(|| Error::OutputNotAllocated { name: name() })?;
                (found?, &own)
            }
        };
        let need = elements.saturating_mul(size_of::<E>());
        if need > block.bytes() {
            return Err(Error::TooShort { what: ObjectKind::MODEL_OUTPUT, need, have: block.bytes() });
        }
        let mut read = vec![E::default(); elements];
        block.read(current.here(), &mut read).map(|()| read).map_err(Error::from)
    }

    /// The memory of an input, for this many elements of this type to be written.
    pub(crate) fn input_of<E: Element>(&self, input: usize, length: usize) -> Result<&RawBuffer, Error> {
        self.bound.input_of::<E>(input, length).map(|block| &**block)
    }

    /// The memory of an output, for this many elements of this type: all that it was bound for.
    pub(crate) fn output_block<E: Element>(&self, output: usize, length: usize) -> Result<&RawBuffer, Error> {
        self.bound.output(output)?.is_of::<E>()?;
        self.output(output)?;
        self.bound.output_of::<E>(output, length).map(|block| &**block)
    }

    /// Before a copy between `other` and a tensor of the model: lets executions end that the copy would not wait for.
    pub(crate) fn comes_to_rest_for(&self, api: Api, queue: &RawStream, other: &RawBuffer) -> Result<(), Error> {
        self.binding.comes_to_rest_for(api, queue, other)
    }

    /// The model as a capture uses it.
    pub(crate) fn for_capture(&self) -> CapturedModel {
        self.binding.is_captured_no_more();
        CapturedModel::new(&self.model.loaded, &self.binding, &self.bound)
    }

    /// An error unless a capture can use it.
    pub(crate) fn can_be_captured(&self) -> Result<(), Error> {
        self.binding.is_current()
    }

    /// A graph that may execute it was replayed.
    pub(crate) fn was_replayed(&mut self) {
        if self.binding.is_captured() {
            self.all_is_written();
        }
    }

    /// All work that used the model or its buffers is known to be done.
    pub(crate) fn rest(&self) {
        leads!(model: Running --> Loaded : Wait);
        self.model.loaded.rest();
        self.binding.rest();
        self.bound.blocks().for_each(RawBuffer::rest);
    }

    /// What is queued on this stream by now comes after all work that used the model or its buffers.
    pub(crate) fn follow(&self, queue: &RawStream) {
        self.model.loaded.follow(queue);
        self.binding.follow(queue);
        self.bound.blocks().for_each(|block| block.follow(queue));
    }

    /// Takes the model back (`aclmdlDestroyDataset`, `aclDestroyDataBuffer`). The buffers are freed by [`Current::collect`] or the end of the scope; memory that the
    /// library allocated for outputs goes back to where it came from now.
    ///
    /// # Errors
    ///
    /// The bound model as it was, when the library refuses.
    pub fn into_model(self, current: &Current<C>) -> Result<Model<C, P>, Failed<Self>> {
        match current.ledger().unbind(&self.binding) {
            Ok(()) => Ok(self.model),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Queues one execution.
    pub(crate) fn queue<M: Operand<C, Self>>(
        model: M,
        current: &Current<C>,
        stream: &Arc<RawStream>,
    ) -> Result<Pending<C, Self>, Failed<M>> {
        let mut model = model;
        let queued =
            model.usable_on(stream).map_err(Boxed::from).and_then(|()| model.reach(INSIDE).start(current, stream));
        match queued {
            Ok(number) if !M::HAS_PAST => Ok(Pending::new(model.into_value(INSIDE), stream, number)),
            Ok(number) => {
                let past = model.past(INSIDE);
                Ok(Pending::new(model.into_value(INSIDE), stream, number).after(past))
            }
            Err(error) => Err(Failed { error: error.into(), value: model }),
        }
    }

    /// Runs the model once, in a turn: as long as what `turn` gives is there, nothing else runs in its working memory.
    pub(crate) fn run_when<T>(
        &mut self,
        current: &mut Current<C>,
        turn: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(), Error> {
        leads!(model: Loaded --> Loaded : Run);
        self.executed = false;
        self.make_room(current)?;
        let _turn = turn()?;
        current.ledger().run(current.here(), &self.binding, &self.model.loaded)?;
        self.all_is_written();
        Ok(())
    }

    /// What the last execution left in open outputs is given back (DATA-06).
    fn make_room(&mut self, current: &Current<C>) -> Result<(), Error> {
        if self.binding.has_open_outputs() {
            self.executed = false;
            current.ledger().empty(&self.binding)?;
        }
        Ok(())
    }

    #[inline]
    fn start(&mut self, current: &Current<C>, stream: &RawStream) -> Result<u64, Boxed> {
        // A bound model is loaded; one in a `Pending` runs.
        leads!(model: Loaded --> Running : Execute, model: Running --> Running : Execute);
        self.make_room(current)?;
        let number = current.ledger().execute(current.here(), &self.binding, &self.model.loaded, stream)?;
        self.all_is_written();
        Ok(number)
    }

    /// An execution writes all outputs.
    #[inline]
    fn all_is_written(&mut self) {
        self.executed = true;
        if self.replaced {
            self.replaced = false;
            self.bound.outputs.iter_mut().for_each(|output| output.replaced = false);
        }
    }

    pub(super) fn which<'n>(&self, output: impl Into<PortId<'n>>) -> Result<usize, Error> {
        output.into().output(self.model.outputs().iter().map(|info| info.name.as_str()))
    }

    /// An output of the last execution.
    pub(super) fn output(&self, index: usize) -> Result<&BoundOutput, Error> {
        let bound = self.bound.output(index)?;
        if self.executed && !bound.replaced { Ok(bound) } else { Err(Error::NotExecuted) }
    }

    pub(super) fn dims(&self, current: &Current<C>, index: usize, info: &TensorInfo) -> Result<Vec<usize>, Error> {
        let dims = self.binding.output_dims(current.ledger().api(), index);
        let shape = dims.and_then(|dims| dims.into_iter().map(|size| usize::try_from(size).ok()).collect());
        shape.ok_or_else(|| Error::UnknownShape { name: info.name.clone() })
    }
}

impl<C: Brand, P> BoundModel<C, P> {
    /// Runs the model on what was [written](Self::write), and returns when it is done (`aclmdlExecute`): the way to
    /// execute a model again and again without a stream.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the model fails: its outputs hold nothing then. Whether the library goes on running it is
    /// found out as in [`Model::run`].
    #[rule(MODEL_16)]
    pub fn run(&mut self, current: &mut Current<C>) -> Result<(), Error>
    where
        P: RunsAlone,
    {
        self.run_when(current, || Ok(()))
    }
}

impl<C: Brand, S: StreamState> Stream<C, S> {
    /// Queues one execution of the model (`aclmdlExecuteAsync`), on a stream whose allocator is decided. The model may
    /// be in flight on this stream already, behind a copy to its input say.
    ///
    /// # Errors
    ///
    /// The bound model as it was: [`Error::OtherStream`] when it is in flight elsewhere, or what the library says.
    #[rule(ALLOC_05, ALLOC_13, MODEL_15)]
    pub fn execute<M: Operand<C, BoundModel<C>>>(
        &self,
        current: &Current<C>,
        model: M,
    ) -> Result<Pending<C, BoundModel<C>>, Failed<M>>
    where
        S: CanExecute,
    {
        BoundModel::queue(model, current, self.queue())
    }
}

impl<C: Brand, P> fmt::Debug for BoundModel<C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundModel").field("model", &self.model).finish_non_exhaustive()
    }
}

impl<C: Brand, A: DeviceAllocator> GroupTurn<'_, C, A> {
    /// Queues one execution of a model on the turn's stream (`aclmdlExecuteAsync`).
    ///
    /// # Errors
    ///
    /// As for [`Stream::execute`].
    pub fn execute<M: Operand<C, BoundModel<C>>>(
        &self,
        current: &Current<C>,
        model: M,
    ) -> Result<Pending<C, BoundModel<C>>, Failed<M>> {
        self.stream().execute(current, model)
    }
}

impl<C: Brand, P> sealed_payload::Payload for BoundModel<C, P> {
    #[inline]
    fn rest(&self, _: Inside) {
        BoundModel::rest(self);
    }

    fn follow(&self, queue: &RawStream, _: Inside) {
        BoundModel::follow(self, queue);
    }
}
