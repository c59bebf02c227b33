//! The caller's own memory for work that the library allocates for: single operators and models with free shapes.

pub mod descriptor;

pub use crate::ffi::DeviceAllocator;

use core::fmt;
use core::num::NonZeroUsize;

/// An address in device memory. It is a number: the host cannot follow it.
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

impl fmt::Debug for DeviceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceAddress({:#x})", self.0)
    }
}
