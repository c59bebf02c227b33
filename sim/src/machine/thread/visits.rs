//! Which allocators of the caller threads are inside of, and what is to go back to them.

use crate::abi::{Address, AllocatorBlock, AllocatorFunctions, this_thread};
use crate::locks::lock;
use ascendcl_rules::Object;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex};

/// An allocator of the caller that serves a stream.
#[derive(Clone, Copy)]
pub(crate) struct Lender {
    pub(in crate::machine) functions: AllocatorFunctions,
    pub(in crate::machine) stream: usize,
    /// The stream, as those know it who watch.
    pub(in crate::machine) named: Object,
    pub(in crate::machine) device: u32,
}

/// The allocators that a thread is inside of, by their objects.
pub(in crate::machine) static VISITS: Mutex<BTreeMap<usize, Visit>> = Mutex::new(BTreeMap::new());
/// A visit has ended, or its thread waits for a stream or an event.
pub(in crate::machine) static CHANGED: Condvar = Condvar::new();

pub(in crate::machine) struct Visit {
    pub(in crate::machine) thread: u64,
    /// The blocks that are to go back before it ends.
    pub(in crate::machine) returned: Vec<Returned>,
    /// The thread waits for a stream or an event. A task that waited for the thread would never end.
    pub(in crate::machine) waits: bool,
}

impl Visit {
    /// By this thread.
    pub(in crate::machine) fn new(returned: Vec<Returned>) -> Self {
        Self { thread: this_thread(), returned, waits: false }
    }
}

thread_local! {
    /// The allocator that this thread is inside of, as stream and object; `None` when it is in none.
    pub(in crate::machine) static CALLING: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// A block on its way back.
pub(in crate::machine) struct Returned {
    pub(in crate::machine) lender: Lender,
    pub(in crate::machine) block: AllocatorBlock,
    pub(in crate::machine) address: Address,
    pub(in crate::machine) size: usize,
    pub(in crate::machine) age: u64,
}

/// While this exists, other threads see that this thread waits. It has no effect unless the thread is inside an
/// allocator.
pub(in crate::machine) struct Waits(Option<usize>);

/// Call it before the thread waits for work of a stream.
pub(in crate::machine) fn waits() -> Waits {
    let object = CALLING.get().map(|(_, object)| object);
    object.inspect(|object| tell_waits(*object, true));
    Waits(object)
}

impl Drop for Waits {
    fn drop(&mut self) {
        if let Some(object) = self.0 {
            tell_waits(object, false);
        }
    }
}

fn tell_waits(object: usize, waits: bool) {
    if let Some(visit) = lock(&VISITS).get_mut(&object) {
        visit.waits = waits;
    }
    CHANGED.notify_all();
}
