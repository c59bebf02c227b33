//! The rows of one kind.

use super::unnamed::unnamed;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Rows, each under its [key](Row::key). The lock is held for the look-up alone.
#[derive(Debug)]
pub(crate) struct Shelf<T>(Mutex<BTreeMap<u64, Arc<T>>>);

/// An entry of a shelf.
pub(crate) trait Row: Sized {
    /// Tells the row from all others on its shelf. Where nothing else refers to it, its place in memory will do: the
    /// shelf's own pointer keeps that taken.
    fn key(row: &Arc<Self>) -> u64 {
        Arc::as_ptr(row).cast::<()>().addr() as u64
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Row> Shelf<T> {
    pub(crate) fn put(&self, object: T) -> Arc<T> {
        let row = Arc::new(object);
        self.keep(&row);
        row
    }

    /// Takes in a row that there is, if it does not stand here yet.
    pub(crate) fn keep(&self, row: &Arc<T>) {
        self.rows().insert(T::key(row), Arc::clone(row));
    }

    pub(crate) fn get(&self, key: u64) -> Option<Arc<T>> {
        self.rows().get(&key).cloned()
    }

    pub(crate) fn has(&self, row: &Arc<T>) -> bool {
        self.get(T::key(row)).is_some_and(|known| Arc::ptr_eq(&known, row))
    }

    pub(crate) fn remove(&self, row: &Arc<T>) {
        self.rows().remove(&T::key(row));
    }

    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        self.rows().values().cloned().collect()
    }

    /// The rows that no handle names any more.
    pub(crate) fn unnamed(&self) -> Vec<Arc<T>> {
        unnamed(self.rows().values())
    }

    pub(crate) fn len(&self) -> usize {
        self.rows().len()
    }

    fn rows(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<T>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
