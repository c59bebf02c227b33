//! Finds the rows to which no handle points any more. `tests/stamps/` runs this file with loom.

use super::sync::{Arc, Ordering, fence};
use core::ops::Deref;

/// The rows to which only the ledger has a pointer.
pub(crate) fn unreferenced<T>(rows: impl Iterator<Item: Deref<Target = Arc<T>>>) -> Vec<Arc<T>> {
    // If the ledger has the only pointer, no other code can create another one.
    let unreferenced = rows.filter(|row| Arc::strong_count(row) == 1).map(|row| Arc::clone(&row)).collect();
    // Another thread may have dropped the last handle. After this fence, everything that that thread did with the
    // object before is visible, above all the stamps of its last use.
    fence(Ordering::Acquire);
    unreferenced
}
