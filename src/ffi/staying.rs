//! Contexts of this crate that threads could not leave, because the library refused to make another one current.
//!
//! Each thread has a note of its own, too (`thread_notes`). This list is for the thread that destroys a context.
//! Contexts are compared by number: if a context ends with a lost device, another one may get its address.

use super::created::ContextNumber;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// One entry per thread. It is empty unless the library refuses to change the current context.
static STAYING: Mutex<Vec<ContextNumber>> = Mutex::new(Vec::new());
static HOW_MANY: AtomicUsize = AtomicUsize::new(0);

fn staying() -> MutexGuard<'static, Vec<ContextNumber>> {
    STAYING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Adds a thread that has this context current.
pub(super) fn add(context: ContextNumber) {
    staying().push(context);
    HOW_MANY.fetch_add(1, Ordering::Release);
}

/// Removes a thread that had this context current.
pub(super) fn remove(context: ContextNumber) {
    let mut staying = staying();
    if let Some(at) = staying.iter().position(|other| *other == context) {
        staying.swap_remove(at);
        HOW_MANY.fetch_sub(1, Ordering::Release);
    }
}

/// Whether no thread stays in any context.
pub(super) fn is_empty() -> bool {
    HOW_MANY.load(Ordering::Acquire) == 0
}

/// How many threads have this context current.
pub(super) fn threads_in(context: ContextNumber) -> usize {
    staying().iter().filter(|other| **other == context).count()
}
