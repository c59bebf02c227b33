//! Replacing the memory of a bound model's inputs and outputs.

use super::bindings::{InputTensor, OutputMemory, OutputTensor};
use super::{BoundModel, IndexOrName};
use crate::brand::Brand;
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed, InputError, ObjectKind};
use crate::ffi::{RawBuffer, TensorPlace};
use crate::memory::DeviceBuffer;
use ascendcl_macros::rule;
use core::mem::MaybeUninit;
use std::sync::Arc;

impl<C: Brand, P> BoundModel<C, P> {
    /// Makes a buffer the memory of an input, and returns the previous memory (`aclUpdateDataBuffer`). So one model's
    /// output becomes the next model's input without a copy.
    ///
    /// The buffer has to have as many elements as the input's memory. That is more than its shape has, if the model's
    /// description says so, or after a [`reshape`](Self::reshape) to less. Neither may be in flight: wait for a
    /// [`Pending`](crate::Pending) first.
    ///
    /// ```
    /// use ascendcl::{Brand, Current, Error, model::BoundModel};
    ///
    /// /// Runs two models, the second on what the first has computed.
    /// fn both<C: Brand>(
    ///     current: &mut Current<C>,
    ///     first: &mut BoundModel<C>,
    ///     second: &mut BoundModel<C>,
    /// ) -> Result<Vec<f32>, Error> {
    ///     first.run(current)?;
    ///     let free = second.exchange_input::<f32>(current, 0, current.upload(&[0.0; 10])?)?;
    ///     let scores = first.exchange_output(current, 0, free)?;
    ///     second.exchange_input(current, 0, scores)?;
    ///     second.run(current)?;
    ///     second.read(current, 0)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::Input`] for another element type or a name that no input has,
    /// [`Error::LengthMismatch`] for another length, [`Error::NoSuchInput`], [`Error::StillRunning`] while queued work
    /// uses the model, [`Error::InputIsShared`] when the input [reads shared memory](Self::share_input),
    /// [`Error::MisalignedPart`], or [`Error::Vendor`]. If it is unknown after the failure which memory the library uses,
    /// the model cannot be executed any more ([`Error::Gone`]).
    #[rule(DATA_02, DATA_10)]
    pub fn exchange_input<'n, E: Element>(
        &mut self,
        current: &Current<C>,
        input: impl Into<IndexOrName<'n>>,
        buffer: DeviceBuffer<C, E>,
    ) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Failed<DeviceBuffer<C, E>>> {
        let put = self.put_input::<E>(current, input.into(), (&buffer.row(), false), InputTensor::check_not_shared);
        match put {
            Ok((old, _)) => Ok(DeviceBuffer::of(old)),
            Err(error) => Err(Failed { error, value: buffer }),
        }
    }

    /// Takes an output of the last execution together with its memory, and makes `room` the memory of that output
    /// (`aclUpdateDataBuffer`). Nothing is copied. The next execution writes the output again.
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::NotExecuted`] before the first execution and for an output that was
    /// taken; [`Error::OutputType`], [`Error::NoSuchOutput`] or [`Error::NoOutputNamed`]; [`Error::LengthMismatch`] for
    /// another length, or when the model wrote another number of elements than the memory has;
    /// [`Error::UnknownShape`] when the library does not say how many; [`Error::OutputNotAllocated`] for an output whose
    /// memory the library allocates; otherwise as for [`exchange_input`](Self::exchange_input).
    #[rule(DATA_02, DATA_10)]
    pub fn exchange_output<'n, E: Element>(
        &mut self,
        current: &Current<C>,
        output: impl Into<IndexOrName<'n>>,
        room: DeviceBuffer<C, MaybeUninit<E>>,
    ) -> Result<DeviceBuffer<C, E>, Failed<DeviceBuffer<C, MaybeUninit<E>>>> {
        match self.put_output::<E>(current, output.into(), &room.row(), |model, output| {
            model.check_filled::<E>(current, output)
        }) {
            Ok(old) => Ok(DeviceBuffer::of(old)),
            Err(error) => Err(Failed { error, value: room }),
        }
    }

    /// As [`exchange_output`](Self::exchange_output), but without the result: it works before the first execution, too.
    ///
    /// # Errors
    ///
    /// As for [`exchange_output`](Self::exchange_output), without the errors about the last execution.
    #[rule(DATA_02, DATA_10)]
    pub fn replace_output<'n, E: Element>(
        &mut self,
        current: &Current<C>,
        output: impl Into<IndexOrName<'n>>,
        room: DeviceBuffer<C, MaybeUninit<E>>,
    ) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Failed<DeviceBuffer<C, MaybeUninit<E>>>> {
        match self.put_output::<E>(current, output.into(), &room.row(), |_, _| Ok(())) {
            Ok(old) => Ok(DeviceBuffer::of(old)),
            Err(error) => Err(Failed { error, value: room }),
        }
    }

    /// Replaces the memory of an input. Returns the previous memory, and whether it has other readers. `may_go` can
    /// refuse to give up the previous memory.
    pub(super) fn put_input<E: Element>(
        &mut self,
        current: &Current<C>,
        input: IndexOrName<'_>,
        (new, shared): (&Arc<RawBuffer>, bool),
        may_go: impl FnOnce(&InputTensor) -> Result<(), Error>,
    ) -> Result<(Arc<RawBuffer>, bool), Error> {
        let input = input.input(self.parts.model.inputs())?;
        let (place, count) = (self.parts.bound.place_of_input(input), self.parts.bound.inputs.len());
        let bound = self.parts.bound.inputs.get_mut(input).ok_or_else(|| Error::NoSuchInput { index: input, count })?;
        if !bound.info.element.takes::<E>() {
            let (name, expected) = (bound.info.name.clone(), bound.info.element);
            return Err(InputError::Element { name, expected, found: E::TYPE }.into());
        }
        may_go(bound)?;
        same_length::<E>(ObjectKind::MODEL_INPUT, &bound.block, new)?;
        new.check_tensor_alignment()?;
        current.ledger().exchange(&self.parts.binding, place, (&bound.block, new))?;
        let old = core::mem::replace(&mut bound.block, Arc::clone(new));
        Ok((old, core::mem::replace(&mut bound.shared, shared)))
    }

    fn put_output<E: Element>(
        &mut self,
        current: &Current<C>,
        output: IndexOrName<'_>,
        new: &Arc<RawBuffer>,
        may_go: impl FnOnce(&Self, usize) -> Result<(), Error>,
    ) -> Result<Arc<RawBuffer>, Error> {
        self.parts.binding.check_current()?;
        let output = self.output_index(output)?;
        self.parts.bound.output(output)?.check_element::<E>()?;
        may_go(self, output)?;
        let count = self.parts.bound.outputs.len();
        let bound =
            self.parts.bound.outputs.get_mut(output).ok_or_else(|| Error::NoSuchOutput { index: output, count })?;
        let OutputTensor { memory: OutputMemory::Exactly(_, block) | OutputMemory::AtMost(block), replaced, .. } =
            bound
        else {
            return Err(Error::OutputNotAllocated { name: bound.info.name.clone() });
        };
        same_length::<E>(ObjectKind::MODEL_OUTPUT, block, new)?;
        new.check_tensor_alignment()?;
        current.ledger().exchange(&self.parts.binding, TensorPlace::Output(output), (block, new))?;
        *replaced = true;
        let old = core::mem::replace(block, Arc::clone(new));
        self.parts.bound.replaced = true;
        Ok(old)
    }

    /// An error unless the last execution wrote all of an output's memory.
    fn check_filled<E: Element>(&self, current: &Current<C>, output: usize) -> Result<(), Error> {
        let bound = self.output(output)?;
        let (OutputMemory::Exactly(_, block) | OutputMemory::AtMost(block)) = &bound.memory else {
            return Err(Error::OutputNotAllocated { name: bound.info.name.clone() });
        };
        let (expected, found) = (block.elements::<E>(), self.elements(current, output, &bound.info)?);
        if expected == found {
            return Ok(());
        }
        Err(Error::LengthMismatch { what: ObjectKind::MODEL_OUTPUT, expected, found })
    }
}

fn same_length<E: Element>(what: ObjectKind, old: &RawBuffer, new: &RawBuffer) -> Result<(), Error> {
    if old.bytes() == new.bytes() {
        return Ok(());
    }
    Err(Error::LengthMismatch { what, expected: old.elements::<E>(), found: new.elements::<E>() })
}
