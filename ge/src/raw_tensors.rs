//! Tensors that other code created: pointers to the engine's C++ objects.

#![allow(unsafe_code, reason = "a declaration only: who makes a value of it makes promises")]

use ascendcl_ge_sys as sys;
use core::ffi::c_void;
use core::fmt;
use core::ptr::NonNull;

/// Tensors that other code created, as inputs of [`SessionStream::run`](crate::SessionStream::run).
#[derive(Clone, Debug)]
pub struct RawInputs(Vec<NonNull<c_void>>);

impl RawInputs {
    /// Pointers to `ge::Tensor`, in the order of the graph's inputs.
    ///
    /// # Safety
    ///
    /// From the call of [`SessionStream::run`](crate::SessionStream::run) until the stream was synchronised:
    ///
    /// * each points at a `ge::Tensor` of the engine's own libraries;
    /// * its data is device memory of the session's device, at an address that is a multiple of 32, and at least as
    ///   long as the tensor's shape and type require;
    /// * no code frees or writes that memory.
    pub unsafe fn new(tensors: impl IntoIterator<Item = NonNull<c_void>>) -> Self {
        Self(tensors.into_iter().collect())
    }

    pub(crate) fn as_slice(&self) -> &[NonNull<c_void>] {
        &self.0
    }
}

/// The outputs of a graph: tensors of the engine, which the program has to release itself.
///
/// Their memory belongs to the allocator of the stream. The allocator is not returned while a tensor exists
/// ([`Error::BlocksInUse`](ascendcl::Error::BlocksInUse)). Dropping this value leaks the tensors.
#[must_use = "tensors that are dropped are leaked, and their allocator does not come back"]
pub struct RawOutputTensors(sys::RawTensors);

impl RawOutputTensors {
    pub(crate) fn new(tensors: sys::RawTensors) -> Self {
        Self(tensors)
    }

    /// The number of tensors.
    pub fn len(&self) -> usize {
        self.0.count
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.count == 0
    }

    /// An array of [`len`](Self::len) pointers to `ge::Tensor`.
    ///
    /// The program now owns the array and the tensors. It may read them after the stream was synchronised. It has to
    /// release them, as its release of the toolkit states, before it takes the allocator back (GE-21).
    pub fn into_raw(self) -> *mut *mut c_void {
        self.0.tensors
    }
}

impl fmt::Debug for RawOutputTensors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawOutputTensors").field("count", &self.len()).finish_non_exhaustive()
    }
}
