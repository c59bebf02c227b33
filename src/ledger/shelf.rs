//! The rows of one kind.

use core::sync::atomic::{Ordering, fence};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Rows by number. The lock is held for the look-up alone.
#[derive(Debug)]
pub(crate) struct Shelf<T>(Mutex<BTreeMap<u64, Arc<T>>>);

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Shelf<T> {
    pub(crate) fn put(&self, id: u64, object: T) -> Arc<T> {
        let row = Arc::new(object);
        self.rows().insert(id, Arc::clone(&row));
        row
    }

    pub(crate) fn get(&self, id: u64) -> Option<Arc<T>> {
        self.rows().get(&id).cloned()
    }

    pub(crate) fn remove(&self, row: &Arc<T>) {
        self.rows().retain(|_, known| !Arc::ptr_eq(known, row));
    }

    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        self.rows().values().cloned().collect()
    }

    /// The rows that no handle names any more.
    pub(crate) fn unnamed(&self) -> Vec<Arc<T>> {
        // With the ledger's as the only pointer, nobody is left who could make another.
        let unnamed = self.rows().values().filter(|row| Arc::strong_count(row) == 1).cloned().collect();
        // The last handle may have been dropped by another thread: what that thread did with the object before, and
        // above all the stamps of its last use, is seen after this.
        fence(Ordering::Acquire);
        unnamed
    }

    pub(crate) fn len(&self) -> usize {
        self.rows().len()
    }

    fn rows(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<T>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
