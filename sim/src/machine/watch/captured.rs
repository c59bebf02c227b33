//! Streams whose work is recorded instead of run. The checker does not see this work, because it is not in flight.

use crate::locks::lock;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

static CAPTURED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
/// How many there are, to look at without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The work of the stream with this number is kept from here on.
pub(crate) fn begins_to_keep(stream: usize) {
    let mut captured = lock(&CAPTURED);
    captured.insert(stream);
    COUNT.store(captured.len(), SeqCst);
}

/// It runs again, or the stream is destroyed.
pub(crate) fn keeps_no_more(stream: usize) {
    if COUNT.load(SeqCst) > 0 {
        let mut captured = lock(&CAPTURED);
        captured.remove(&stream);
        COUNT.store(captured.len(), SeqCst);
    }
}

pub(super) fn is_kept(stream: usize) -> bool {
    COUNT.load(SeqCst) > 0 && lock(&CAPTURED).contains(&stream)
}
