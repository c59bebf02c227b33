//! Tensors of any element type in flight.

use super::checks::check_length;
use super::{AnyTensor, SharedAnyTensor};
use crate::brand::{Brand, Inside};
use crate::element::ElementType;
use crate::error::Failed;
use crate::ffi::RawStream;
use crate::memory::{DeviceBuffer, SharedBuffer};
use crate::stream::{Pending, sealed_payload};
use ascendcl_macros::rule;

impl<C: Brand> Pending<C, AnyTensor<C>> {
    /// The sizes of the tensor, outermost first.
    pub fn shape(&self) -> &[usize] {
        self.in_flight().shape()
    }

    /// The element type of the tensor.
    pub fn element(&self) -> ElementType {
        self.in_flight().element()
    }

    /// The bytes of the tensor, without shape and type, in flight as before. For example, to copy them to the host.
    pub fn into_buffer(self) -> Pending<C, DeviceBuffer<C, u8>> {
        self.reshaped(AnyTensor::into_buffer)
    }

    /// The same elements in another shape, in flight as before. This moves no element.
    ///
    /// # Errors
    ///
    /// Returns the work unchanged, as [`AnyTensor::reshape`].
    #[allow(clippy::result_large_err, reason = "the work comes back as it was")]
    pub fn reshape(self, shape: &[usize]) -> Result<Self, Failed<Self>> {
        let tensor = self.in_flight();
        match check_length(shape, tensor.element, tensor.block.bytes()) {
            Ok(()) => Ok(self.reshaped(|tensor| AnyTensor { shape: shape.into(), ..tensor })),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Makes the tensor shared, in flight as before. So several operators on its stream read it: each gets a clone.
    #[rule(MEM_02)]
    pub fn into_shared(self) -> Pending<C, SharedAnyTensor<C>> {
        self.reshaped(AnyTensor::into_shared).stamped()
    }
}

impl<C: Brand> Pending<C, SharedAnyTensor<C>> {
    /// The sizes of the tensor, outermost first.
    pub fn shape(&self) -> &[usize] {
        self.in_flight().shape()
    }

    /// The element type of the tensor.
    pub fn element(&self) -> ElementType {
        self.in_flight().element()
    }

    /// The bytes of the tensor, without shape and type, in flight as before.
    pub fn into_buffer(self) -> Pending<C, SharedBuffer<C, u8>> {
        self.reshaped(SharedAnyTensor::into_buffer)
    }
}

/// One more handle of the same memory, in flight like this one.
impl<C: Brand> Clone for Pending<C, SharedAnyTensor<C>> {
    #[rule(MEM_02)]
    fn clone(&self) -> Self {
        Self::new(self.in_flight().clone(), self.queue(), self.number()).after(self.past()).stamped()
    }
}

impl<C: Brand, B> sealed_payload::Payload for AnyTensor<C, B> {
    fn mark_work_done(&self, _: Inside) {
        self.block.mark_idle();
    }

    fn follow(&self, _: (u64, u64), queue: &RawStream, _: Inside) {
        self.block.follow(queue);
    }
}

impl<C: Brand> sealed_payload::Payload for SharedAnyTensor<C> {
    fn mark_work_done(&self, key: Inside) {
        self.bytes.mark_work_done(key);
    }

    fn follow(&self, from: (u64, u64), queue: &RawStream, key: Inside) {
        self.bytes.follow(from, queue, key);
    }
}
