//! Copies to the inputs and from the outputs of models that are bound for a stream.

use super::{BoundModel, IndexOrName};
use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::element::Element;
use crate::error::Error;
use crate::ffi::{Api, BlockPosition, RawBuffer, RawStream, bytes_of};
use crate::memory::HostBuffer;
use crate::stream::{Copied, Operand, StreamOps, in_flight};

impl<C: Brand> StreamOps<C> {
    /// Queues a copy from the host to an input of a bound model, by its index or its name (`aclrtMemcpyAsync`). An execution
    /// that is queued next on this stream uses it.
    ///
    /// ```
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let stream = current.stream()?.without_allocator();
    /// let model = current.load_model(file)?.bind(current, &[&[1, 64]], &[&[1, 10]])?;
    /// let (images, scores) = (current.host_buffer::<f32>(64)?, current.host_buffer::<f32>(10)?);
    /// let (images, model) = stream.copy_to_input(current, images, model, "images")?.split();
    /// let model = stream.execute(current, model)?;
    /// let work = stream.copy_from_output(current, model, "probabilities", scores)?.join(images)?;
    /// let ((_model, scores), _images) = work.wait(current)?;
    /// assert_eq!(scores.len(), 10);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// Memory that is in flight is not looked at: what earlier work of this stream writes there is copied as it is, also to
    /// an input of truth values.
    ///
    /// # Errors
    ///
    /// Returns both unchanged, with [`Error::Input`](crate::Error::Input) for another element type or a name that no input
    /// has, `LengthMismatch`, `NoTruthValue` for a byte other than 0 and 1 to an input of truth values, from memory that is
    /// not in flight; `NoSuchInput`, `InputIsShared`, `OtherStream` when one is in flight elsewhere, `StillRunning` when a
    /// run that [timed out](crate::Stream::run_bound_within) may go on elsewhere, or [`Error::Vendor`](crate::Error::Vendor).
    pub fn copy_to_input<'n, E: Element, H: Operand<C, HostBuffer<C, E>>, P, M: Operand<C, BoundModel<C, P>>>(
        &self,
        current: &Current<C>,
        from: H,
        model: M,
        input: impl Into<IndexOrName<'n>>,
    ) -> Copied<C, HostBuffer<C, E>, BoundModel<C, P>, (H, M)> {
        // Code of the program may make the name. It comes before the checks.
        let (input, here, source) = (input.into(), current.here(), from.operand_value(INSIDE));
        let ready = from.usable_on(self.queue()).and_then(|()| model.usable_on(self.queue()));
        let index = ready.and_then(|()| model.operand_value(INSIDE).input_index(input));
        let queued = index.and_then(|input| {
            let block = model.operand_value(INSIDE).input_of::<E>(input, source.len())?;
            if !H::HAS_PAST {
                // Nobody writes the memory before the copy has read it.
                model.operand_value(INSIDE).check_truth_values(input, source.slice(current)?)?;
            }
            model.operand_value(INSIDE).wait_for_uses(here.api(), self.queue(), source.block())?;
            model.operand_value(INSIDE).check_not_running_on(current, self.queue(), block)?;
            let (to, from) = (BlockPosition { block, start: 0 }, BlockPosition { block: source.block(), start: 0 });
            let copied = self.queue().copy(here, to, from, source.len() * size_of::<E>());
            copied.map_err(|error| {
                model.operand_value(INSIDE).parts.binding.mark_in_doubt_after_copy(self.queue(), block);
                Error::from(error)
            })
        });
        in_flight(self.queue(), queued, (from, model), |from, model| (from, model))
    }

    /// Queues a copy of a whole output of a bound model, by its index or its name, to the host (`aclrtMemcpyAsync`). If the
    /// execution wrote fewer elements than the output has memory for, the remaining elements are undefined.
    ///
    /// # Errors
    ///
    /// Returns both unchanged, with `NotExecuted` when no execution was queued before, `OutputType`, `LengthMismatch`,
    /// `NoSuchOutput`, `NoOutputNamed`, `OtherStream` or `StillRunning` as for [`copy_to_input`](Self::copy_to_input), or
    /// [`Error::Vendor`](crate::Error::Vendor).
    pub fn copy_from_output<'n, E: Element, P, M: Operand<C, BoundModel<C, P>>, H: Operand<C, HostBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        model: M,
        output: impl Into<IndexOrName<'n>>,
        to: H,
    ) -> Copied<C, BoundModel<C, P>, HostBuffer<C, E>, (M, H)> {
        let (output, here, target) = (output.into(), current.here(), to.operand_value(INSIDE));
        let ready = model.usable_on(self.queue()).and_then(|()| to.usable_on(self.queue()));
        let index = ready.and_then(|()| model.operand_value(INSIDE).output_index(output));
        let queued = index
            .and_then(|output| model.operand_value(INSIDE).output_block::<E>(output, target.len()))
            .and_then(|block| {
                model.operand_value(INSIDE).wait_for_uses(here.api(), self.queue(), target.block())?;
                model.operand_value(INSIDE).check_not_running_on(current, self.queue(), block)?;
                let (to, from) = (BlockPosition { block: target.block(), start: 0 }, BlockPosition { block, start: 0 });
                let copied = self.queue().copy(here, to, from, target.len() * size_of::<E>());
                copied.map_err(|error| {
                    model.operand_value(INSIDE).parts.binding.mark_in_doubt_after_copy(self.queue(), block);
                    Error::from(error)
                })
            });
        in_flight(self.queue(), queued, (model, to), |model, to| (model, to))
    }
}

impl<C: Brand, P> BoundModel<C, P> {
    /// The memory of an input, to be written with this many elements of this type.
    pub(crate) fn input_of<E: Element>(&self, input: usize, length: usize) -> Result<&RawBuffer, Error> {
        self.parts.bound.input_of::<E>(input, length).map(|block| &**block)
    }

    /// An error if the input is one of truth values, and one of these elements is none.
    pub(super) fn check_truth_values<E: Element>(&self, input: usize, elements: &[E]) -> Result<(), Error> {
        self.parts.bound.check_truth_values(input, bytes_of(elements))
    }

    /// The memory of an output, for this many elements of this type: the whole output.
    pub(crate) fn output_block<E: Element>(&self, output: usize, length: usize) -> Result<&RawBuffer, Error> {
        self.parts.bound.output(output)?.check_element::<E>()?;
        self.output(output)?;
        self.parts.bound.output_of::<E>(output, length).map(|block| &**block)
    }

    /// Called before a copy between `other` and a tensor of the model: waits for executions that the copy would not
    /// wait for.
    pub(crate) fn wait_for_uses(&self, api: Api, queue: &RawStream, other: &RawBuffer) -> Result<(), Error> {
        self.parts.binding.wait_for_uses(api, queue, other)
    }

    /// An error while a run that timed out may go on: then the host must not touch this memory of the model. Calls refuse
    /// memory in doubt themselves.
    pub(super) fn check_not_running(&self, current: &Current<C>, block: &RawBuffer) -> Result<(), Error> {
        if block.is_in_doubt() { Ok(()) } else { current.ledger().check_not_running(&self.parts.binding, None) }
    }

    /// Like [`check_not_running`](Self::check_not_running), for work on a stream, which may be queued behind the run.
    fn check_not_running_on(&self, current: &Current<C>, queue: &RawStream, block: &RawBuffer) -> Result<(), Error> {
        if block.is_in_doubt() { Ok(()) } else { current.ledger().check_not_running(&self.parts.binding, Some(queue)) }
    }
}
