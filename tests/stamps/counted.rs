//! A shared pointer with the memory ordering of the standard library's, and no more. Loom's own pointer does not model
//! the order in which its count is read.

use loom::sync::atomic::{AtomicUsize, Ordering};
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
