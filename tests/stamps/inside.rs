//! What stands for the crate's own cell, in which loom sees two accesses that are not ordered, and for its hint.

use loom::cell::UnsafeCell;

#[derive(Debug)]
pub(crate) struct LoomCell<T>(UnsafeCell<T>);

impl<T> LoomCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    pub(crate) fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
        self.0.with(look)
    }

    pub(crate) fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
        self.0.with_mut(change)
    }
}

/// The threads of these tests meet on everything.
pub(crate) fn thread_hint() -> usize {
    0
}
