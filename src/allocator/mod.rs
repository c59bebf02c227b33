//! The caller's own memory for work that the library allocates for: single operators and models with free shapes.

pub(crate) mod pool;

pub mod descriptor;

pub use crate::ffi::{DeviceAllocator, PoolAllocator, PoolBlock};
pub use pool::PoolStatistics;

use core::ffi::c_void;
use core::fmt;
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};

/// Whether the vendor's allocators of the caller's are there on this product, in AscendCL and in the graph engine alike: all
/// that the vendor lists have them, except for the Atlas 200I/500 A2, whose chip is the Ascend 310B.
pub(crate) fn is_supported_on(product: &str) -> bool {
    !product.contains("310B")
}

/// An address in device memory. It is a number: the host cannot follow it.
///
/// The library gets a pointer that is made of the number
/// ([`with_exposed_provenance_mut`](core::ptr::with_exposed_provenance_mut)), and on the simulator inside this program it
/// follows it. So a number that was taken from a pointer has to be taken by
/// `expose_provenance`, as [`From<NonNull<c_void>>`](Self::from) does, and not by `addr`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct DeviceAddress(NonZeroUsize);

impl DeviceAddress {
    /// The address with this number; `None` for zero, which is no address.
    pub fn new(number: usize) -> Option<Self> {
        NonZeroUsize::new(number).map(Self)
    }

    /// The number.
    pub fn number(self) -> usize {
        self.0.get()
    }
}

/// Tells one context from all others of this process, before and after its scope: for allocators, whose memory is of one
/// context and which outlive it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ContextId {
    number: u64,
    device: i32,
}

impl ContextId {
    /// An identity that no context had before.
    pub(crate) fn next(device: i32) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { number: NEXT.fetch_add(1, Ordering::Relaxed), device }
    }

    /// The number of the context's device.
    pub fn device(self) -> i32 {
        self.device
    }
}

impl From<NonZeroUsize> for DeviceAddress {
    fn from(number: NonZeroUsize) -> Self {
        Self(number)
    }
}

/// The address that a pointer has, exposed.
impl From<NonNull<c_void>> for DeviceAddress {
    fn from(pointer: NonNull<c_void>) -> Self {
        let _ = pointer.as_ptr().expose_provenance();
        Self(pointer.addr())
    }
}

impl fmt::Display for ContextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on device {}", self.number, self.device)
    }
}

impl fmt::Debug for DeviceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceAddress({:#x})", self.0)
    }
}
