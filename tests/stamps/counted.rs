//! A shared pointer with the memory ordering of the standard library's, and no more. Loom's own pointer does not model
//! the order in which its count is read.

use loom::sync::atomic::{AtomicUsize, Ordering};
use std::fmt;
use std::ops::Deref;

pub(crate) struct Arc<T>(std::sync::Arc<(AtomicUsize, T)>);

impl<T> Arc<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(std::sync::Arc::new((AtomicUsize::new(1), value)))
    }

    pub(crate) fn strong_count(this: &Self) -> usize {
        this.0.0.load(Ordering::Relaxed)
    }
}

impl<T> Arc<T> {
    /// As the standard library does, where there are no weak pointers.
    pub(crate) fn get_mut(this: &mut Self) -> Option<&mut T> {
        if this.0.0.load(Ordering::Acquire) > 1 {
            return None;
        }
        // The pointer around the count is dropped after the count is lowered, so it may still be counted twice.
        while std::sync::Arc::strong_count(&this.0) > 1 {
            loom::thread::yield_now();
        }
        std::sync::Arc::get_mut(&mut this.0).map(|(_, value)| value)
    }
}

impl<T: fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> Clone for Arc<T> {
    fn clone(&self) -> Self {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        Self(std::sync::Arc::clone(&self.0))
    }
}

impl<T> Drop for Arc<T> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Release);
    }
}

impl<T> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.1
    }
}
