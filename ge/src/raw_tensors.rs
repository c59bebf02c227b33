//! Tensors that other code has made: pointers to the engine's C++ objects.

#![allow(unsafe_code, reason = "a declaration only: who makes a value of it makes promises")]

use ascendcl_ge_sys as sys;
use core::ffi::c_void;
use core::fmt;
use core::ptr::NonNull;

/// Tensors that other code has made, as inputs of [`SessionStream::run`](crate::SessionStream::run).
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
    /// * its data is device memory of the session's device, at an address that 32 divides, of at least the size that
    ///   the tensor's shape and type take;
    /// * no code frees that memory or writes it.
    pub unsafe fn new(tensors: impl IntoIterator<Item = NonNull<c_void>>) -> Self {
        Self(tensors.into_iter().collect())
    }

    pub(crate) fn as_slice(&self) -> &[NonNull<c_void>] {
        &self.0
    }
}

/// The outputs of a graph: tensors of the engine, which only the program releases.
///
/// Their memory is the allocator's that serves the stream, which does not come back while a tensor is there
/// ([`Error::BlocksInUse`](ascendcl::Error::BlocksInUse)). A value that is dropped leaks them.
#[must_use = "tensors that are dropped are leaked, and their allocator does not come back"]
pub struct RawOutputTensors(sys::RawTensors);

impl RawOutputTensors {
    pub(crate) fn new(tensors: sys::RawTensors) -> Self {
        Self(tensors)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.count
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.count == 0
    }

    /// An array of [`len`](Self::len) pointers to `ge::Tensor`.
    ///
    /// The array and the tensors are the program's now. It reads them when the stream was synchronised, and releases
    /// them as the release of the toolkit states, before it takes the allocator back (GE-21).
    pub fn into_raw(self) -> *mut *mut c_void {
        self.0.tensors
    }
}

impl fmt::Debug for RawOutputTensors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawOutputTensors").field("count", &self.len()).finish_non_exhaustive()
    }
}
