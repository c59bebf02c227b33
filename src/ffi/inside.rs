//! A cell with the interface of loom's `UnsafeCell`, which the loom tests use in its place.

use core::cell::UnsafeCell;

/// A value to which the owner of the cell gives one thread at a time access.
#[derive(Debug)]
pub(super) struct LoomCell<T>(UnsafeCell<T>);

impl<T> LoomCell<T> {
    pub(super) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[inline(always)]
    pub(super) fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
        look(self.0.get())
    }

    #[inline(always)]
    pub(super) fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
        change(self.0.get())
    }
}
