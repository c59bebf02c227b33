//! Tensors in flight: the outputs of one operator as the inputs of the next, without a wait between.

use super::launch::BoundOperator;
use super::shared::{SharedTensor, TensorInput};
use super::tensor::{Absent, DeviceTensor, OperatorOutput, check_shape};
use super::{OperatorOutputs, TensorArgument, sealed};
use crate::brand::{Brand, INSIDE, Inside};
use crate::element::Element;
use crate::error::{Error, Failed};
use crate::ffi::RawStream;
use crate::memory::{DeviceBuffer, SharedBuffer};
use crate::stream::{Past, Pending, sealed_payload};
use ascendcl_macros::rule;
use std::sync::Arc;

/// Operators one after the other: the outputs of one are the inputs of the next, which runs on the same stream.
///
/// ```
/// # use ascendcl::{Library, operator};
/// # ascendcl::run(Library::Simulator, |current| {
/// let stream = current.stream()?.without_allocator();
/// let x = current.upload_tensor(&[1, 2], &[1.0_f32, -2.0])?;
/// let weights = current.upload_tensor(&[2, 2], &[1.0_f32, 1.0, 0.0, 1.0])?.into_shared();
/// // Each operator is queued as soon as it is bound, and the only wait is at the end.
/// let hidden = stream.launch(current, operator::mat_mul(current, x, weights.clone())?)?.into_outputs();
/// let hidden = stream.launch(current, operator::relu(current, hidden)?)?.into_outputs();
/// let y = stream.launch(current, operator::mat_mul(current, hidden, weights)?)?.into_outputs();
/// assert_eq!(y.wait(current)?.to_vec(current)?, [1.0, 1.0]);
/// # Ok::<_, ascendcl::Error>(())
/// # }).unwrap();
/// ```
impl<C: Brand, I, O> Pending<C, BoundOperator<C, I, O>> {
    /// Takes an operator in flight apart: its inputs and its outputs, which stay in flight. The operator's descriptions
    /// are destroyed after its work is done, by a later [`bind`](super::Operator::bind) or
    /// [`Current::collect`](crate::Current::collect).
    #[rule(OP_03, STREAM_04)]
    pub fn split(self) -> (Pending<C, I>, Pending<C, O>) {
        // The operator's stamp covers its tensors. From here on they need stamps of their own.
        self.in_flight().raw().follow(self.queue());
        self.reshaped(|operator| (operator.inputs, operator.outputs)).split()
    }

    /// The outputs of an operator in flight, which stay in flight. The handles of the inputs are dropped: their memory
    /// is freed by [`Current::collect`](crate::Current::collect) or the end of its scope, when no work uses it any more.
    /// [`split`](Self::split) keeps them.
    pub fn into_outputs(self) -> Pending<C, O> {
        let (_inputs, outputs) = self.split();
        outputs
    }
}

impl<C: Brand, E: Element> Pending<C, DeviceTensor<C, E>> {
    /// The sizes of the tensor, outermost first.
    pub fn shape(&self) -> &[usize] {
        self.in_flight().shape()
    }

    /// The memory without the shape, in flight as before. For example, to copy it to the host.
    pub fn into_buffer(self) -> Pending<C, DeviceBuffer<C, E>> {
        self.reshaped(DeviceTensor::into_buffer)
    }

    /// The same elements in another shape, in flight as before. This moves no element.
    ///
    /// # Errors
    ///
    /// Returns the work unchanged, as [`DeviceTensor::reshape`].
    #[allow(clippy::result_large_err, reason = "the work comes back as it was")]
    pub fn reshape(self, shape: &[usize]) -> Result<Self, Failed<Self>> {
        match check_shape(shape, self.in_flight().buffer.len()) {
            Ok(()) => Ok(self.into_buffer().reshaped(|buffer| DeviceTensor::of(buffer, shape.into()))),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Makes the tensor shared, in flight as before. So several operators on its stream read it: each gets a clone.
    ///
    /// ```
    /// # use ascendcl::{Library, operator};
    /// # ascendcl::run(Library::Simulator, |current| {
    /// let stream = current.stream()?.without_allocator();
    /// let x = current.upload_tensor(&[2], &[1.0_f32, -2.0])?;
    /// let y = stream.launch(current, operator::relu(current, x)?)?.into_outputs().into_shared();
    /// let square = stream.launch(current, operator::mul(current, y.clone(), y.clone())?)?.into_outputs();
    /// let sum = stream.launch(current, operator::add(current, square, y)?)?.into_outputs();
    /// assert_eq!(sum.wait(current)?.to_vec(current)?, [2.0, 0.0]);
    /// # Ok::<_, ascendcl::Error>(())
    /// # }).unwrap();
    /// ```
    #[rule(MEM_02)]
    pub fn into_shared(self) -> Pending<C, SharedTensor<C, E>> {
        self.reshaped(DeviceTensor::into_shared).stamped()
    }
}

impl<C: Brand, E: Element> Pending<C, SharedTensor<C, E>> {
    /// The sizes of the tensor, outermost first.
    pub fn shape(&self) -> &[usize] {
        self.in_flight().shape()
    }

    /// The memory without the shape, in flight as before.
    pub fn into_buffer(self) -> Pending<C, SharedBuffer<C, E>> {
        self.reshaped(SharedTensor::into_buffer)
    }
}

impl<C: Brand, E: Element> Pending<C, DeviceBuffer<C, E>> {
    /// The elements as a tensor of this shape, in flight as before. For example, to copy an input to the device.
    ///
    /// # Errors
    ///
    /// Returns the work unchanged, as [`DeviceBuffer::into_tensor`].
    #[rule(MEM_08)]
    pub fn into_tensor(self, shape: &[usize]) -> Result<Pending<C, DeviceTensor<C, E>>, Failed<Self>> {
        let buffer = self.in_flight();
        match check_shape(shape, buffer.len()).and_then(|()| buffer.block().check_tensor_alignment()) {
            Ok(()) => Ok(self.reshaped(|buffer| DeviceTensor::of(buffer, shape.into()))),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Makes the memory shared, in flight as before.
    #[rule(MEM_02)]
    pub fn into_shared(self) -> Pending<C, SharedBuffer<C, E>> {
        self.reshaped(DeviceBuffer::into_shared).stamped()
    }
}

impl<C: Brand, T: sealed_payload::Payload> Pending<C, T> {
    /// Gives the payload, a new handle of memory in flight, the stamp of the work so far.
    pub(super) fn stamped(self) -> Self {
        self.in_flight().follow((self.queue().id(), self.number()), self.queue(), INSIDE);
        self
    }
}

macro_rules! shared {
    ($($memory:ident)+) => { $(
        /// One more handle of the same memory, in flight like this one.
        impl<C: Brand, E> Clone for Pending<C, $memory<C, E>> {
            #[rule(MEM_02)]
            fn clone(&self) -> Self {
                Self::new(self.in_flight().clone(), self.queue(), self.number()).after(self.past()).stamped()
            }
        }
    )+ };
}
shared!(SharedBuffer SharedTensor);

impl sealed_payload::Payload for Absent {
    fn mark_work_done(&self, _: Inside) {}

    fn follow(&self, _: (u64, u64), _: &RawStream, _: Inside) {}
}

impl<C: Brand, E> sealed_payload::Payload for DeviceTensor<C, E> {
    fn mark_work_done(&self, key: Inside) {
        self.buffer.mark_work_done(key);
    }

    fn follow(&self, from: (u64, u64), queue: &RawStream, key: Inside) {
        self.buffer.follow(from, queue, key);
    }
}

impl<C: Brand, E> sealed_payload::Payload for SharedTensor<C, E> {
    fn mark_work_done(&self, key: Inside) {
        self.buffer.mark_work_done(key);
    }

    fn follow(&self, from: (u64, u64), queue: &RawStream, key: Inside) {
        self.buffer.follow(from, queue, key);
    }
}

macro_rules! inputs {
    ($($tensor:ident)+) => { $(
        impl<C: Brand, E: Element> TensorInput<C> for Pending<C, $tensor<C, E>> {
            type Element = E;
        }

        impl<C: Brand, E: Element> sealed::Shaped for Pending<C, $tensor<C, E>> {
            fn sizes_of_tensor(&self, _: Inside) -> &[usize] {
                self.shape()
            }
        }
    )+ };
}
inputs!(DeviceTensor SharedTensor);
inputs_in_flight! {
    [C: Brand, E: Element] DeviceTensor<C, E>;
    [C: Brand, E: Element] SharedTensor<C, E>;
}

/// A tensor in flight can be an output: the work that uses it comes before the operator, because it is on the same stream.
impl<C: Brand, E: Element> OperatorOutput<C> for Pending<C, DeviceTensor<C, E>> {}
impl<C: Brand, E: Element> OperatorOutputs<C> for Pending<C, DeviceTensor<C, E>> {}

impl<C: Brand, E: Element> sealed::Output for Pending<C, DeviceTensor<C, E>> {
    type Written = DeviceTensor<C, E>;

    fn tensor_argument(&self, key: Inside) -> TensorArgument {
        sealed::Output::tensor_argument(self.in_flight(), key)
    }

    fn into_written_output(self, _: Inside) -> DeviceTensor<C, E> {
        self.into_payload()
    }

    fn usable_on(&self, queue: &Arc<RawStream>, _: Inside) -> Result<(), Error> {
        self.check_same_stream(queue)
    }

    fn past_of_operand(&self, _: Inside) -> Past {
        Self::past(self)
    }
}
