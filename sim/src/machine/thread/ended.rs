//! Reporting threads that run no callbacks: those that have ended, and those that have never asked for one.

use crate::abi::this_thread;
use crate::locks::lock;
use std::collections::BTreeSet;
use std::sync::Mutex;

static ENDED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// Threads that are subscribed to a stream and have not asked for callbacks.
static SILENT: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

thread_local!(static END: End = End::new());

/// Notes the end of a thread that has reported.
struct End(u64);

impl End {
    fn new() -> Self {
        let thread = this_thread();
        is_there(thread);
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

/// A thread has this number. An earlier one that has ended may have had it.
pub(in crate::machine) fn is_there(thread: u64) {
    lock(&ENDED).remove(&thread);
}

/// Whether a thread that had this number and ran callbacks has ended. Other threads may have the number by now: only who
/// knows the thread by a stream that was subscribed to it may ask.
pub(in crate::machine) fn has_ended(thread: u64) -> bool {
    lock(&ENDED).contains(&thread)
}

/// A stream was subscribed to this thread, which no other stream reports to.
pub(in crate::machine) fn is_subscribed(thread: u64) {
    lock(&SILENT).insert(thread);
}

/// The thread asks for callbacks, or no stream reports to it any more.
pub(in crate::machine) fn is_not_silent(thread: u64) {
    lock(&SILENT).remove(&thread);
}

/// Whether a thread with this number is subscribed to a stream, and has never asked for callbacks.
pub(in crate::machine) fn never_asks(thread: u64) -> bool {
    lock(&SILENT).contains(&thread)
}
