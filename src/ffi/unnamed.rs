//! Which rows no handle names any more. `tests/stamps/` runs this file with loom.

use super::sync::{Arc, Ordering, fence};

/// The rows to which there is no other pointer than the ledger's.
pub(crate) fn unnamed<'a, T: 'a>(rows: impl Iterator<Item = &'a Arc<T>>) -> Vec<Arc<T>> {
    // When the ledger has the only pointer, no other code can make another one.
    let unnamed = rows.filter(|row| Arc::strong_count(row) == 1).cloned().collect();
    // The last handle may have been dropped by another thread: what that thread did with the object before, and
    // above all the stamps of its last use, is seen after this.
    fence(Ordering::Acquire);
    unnamed
}
