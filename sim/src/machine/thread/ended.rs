//! Reporting threads that have ended: nobody runs what waits for them.

use crate::abi::this_thread;
use crate::locks::lock;
use std::collections::BTreeSet;
use std::sync::Mutex;

static ENDED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

thread_local!(static END: End = End::new());

/// Notes the end of a thread that has reported.
struct End(u64);

impl End {
    fn new() -> Self {
        // An earlier thread may have had its number.
        let thread = this_thread();
        lock(&ENDED).remove(&thread);
        Self(thread)
    }
}

impl Drop for End {
    fn drop(&mut self) {
        lock(&ENDED).insert(self.0);
    }
}

/// This thread runs callbacks. Its end is noted.
pub(in crate::machine) fn reports() {
    // A thread that is ending already reports for nobody after this.
    let _ = END.try_with(|_| ());
}

/// Whether the last thread that had this number and ran callbacks has ended. A new thread may have the number by now, and
/// may not have begun to run them.
pub(in crate::machine) fn has_ended(thread: u64) -> bool {
    lock(&ENDED).contains(&thread)
}
