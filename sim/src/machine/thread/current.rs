//! Which context a thread chose last, by its number.

use crate::locks::lock;
use crate::machine::{device, handles};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The contexts that were current on a thread when it ended. The vendor's library never frees them.
static LEFT: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
/// Contexts up to this number belonged to a machine that was cleared since, so they no longer exist.
static FORGOTTEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The number of a thread's current context; 0 for none. The context may have ended, so it is looked up when needed.
    /// It has no destructor: destructors of static objects run on the main thread after those of its local ones, and find
    /// their context.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
    static ENDS: Ends = const { Ends };
}

/// Tells the end of a thread that had a context.
struct Ends;

impl Drop for Ends {
    fn drop(&mut self) {
        let number = CURRENT.get();
        if device::is_primary(number) {
            return;
        }
        let mut left = lock(&LEFT);
        // This is read under the lock, so a reset of the machine at the same time also forgets this context.
        if number > FORGOTTEN.load(SeqCst) {
            left.insert(number);
        }
    }
}

/// The number of the context that this thread chose last, even if it has ended since.
pub(crate) fn current_number() -> usize {
    CURRENT.get()
}

pub(in crate::machine) fn set_current_number(number: usize) {
    CURRENT.set(number);
    // Of a thread that is ending already nothing more is remembered.
    let _ = ENDS.try_with(|_| ());
}

/// The thread's current context is dropped if it is the default one of any device.
pub(in crate::machine) fn drop_current_default() {
    if device::is_primary(current_number()) {
        set_current_number(0);
    }
}

/// Whether a thread ended with this context.
pub(in crate::machine) fn is_left(number: usize) -> bool {
    lock(&LEFT).contains(&number)
}

/// How many contexts that are not `alive` threads ended with.
pub(in crate::machine) fn count_left(alive: impl Fn(usize) -> bool) -> usize {
    lock(&LEFT).iter().filter(|number| !alive(**number)).count()
}

/// As if no thread had ended.
pub(crate) fn forget_left() {
    let mut left = lock(&LEFT);
    FORGOTTEN.store(handles::fresh(), SeqCst);
    left.clear();
}
