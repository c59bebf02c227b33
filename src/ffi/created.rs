//! The contexts that this crate has created and not destroyed. A reset of the device does not end them, not even a
//! reset by force.
//!
//! Other code may make such a context current by its handle, and then call this crate on the same thread. After the
//! call the crate makes that context current again, but only while it lives: the library reuses the address of a
//! destroyed context.

use super::resets::Resets;
use std::sync::{PoisonError, RwLock};

/// A context, by the address that is its handle. Another context may get the address later, but never the number.
#[derive(Clone, Copy)]
pub(super) struct CreatedContext {
    /// Identifies the library.
    resets: &'static Resets,
    address: usize,
    number: ContextNumber,
}

/// Stands for one created context of all libraries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ContextNumber(u64);

struct All {
    /// How many contexts were created so far.
    count: u64,
    live: Vec<CreatedContext>,
}

/// A lock for many readers, because a thread that enters a context only reads.
static MADE: RwLock<All> = RwLock::new(All { count: 0, live: Vec::new() });

fn change<R>(change: impl FnOnce(&mut All) -> R) -> R {
    change(&mut MADE.write().unwrap_or_else(PoisonError::into_inner))
}

fn find(is: impl Fn(&CreatedContext) -> bool) -> Option<CreatedContext> {
    let all = MADE.read().unwrap_or_else(PoisonError::into_inner);
    all.live.iter().find(|made| is(made)).copied()
}

impl CreatedContext {
    fn is_at(&self, resets: &'static Resets, address: usize) -> bool {
        self.address == address && core::ptr::eq(self.resets, resets)
    }

    pub(super) fn number(self) -> ContextNumber {
        self.number
    }

    /// Whether the context lives. It may end at any time after that.
    pub(super) fn is_alive(self) -> bool {
        find(|made| made.number == self.number).is_some()
    }
}

/// Records that the context at this address was created.
pub(super) fn record(resets: &'static Resets, address: usize) {
    change(|all| {
        // The context that had this address before may have ended without this crate, with a lost device.
        all.live.retain(|made| !made.is_at(resets, address));
        all.count += 1;
        all.live.push(CreatedContext { resets, address, number: ContextNumber(all.count) });
    });
}

/// Removes the context at this address, which is about to be destroyed. Returns it for [`put_back`].
pub(super) fn remove(resets: &'static Resets, address: usize) -> Option<CreatedContext> {
    change(|all| {
        let at = all.live.iter().position(|made| made.is_at(resets, address))?;
        Some(all.live.swap_remove(at))
    })
}

/// Adds a removed context again, because the library refused to destroy it.
pub(super) fn put_back(made: CreatedContext) {
    change(|all| all.live.push(made));
}

/// The context at this address, if this crate has created it.
pub(super) fn at_address(resets: &'static Resets, address: usize) -> Option<CreatedContext> {
    find(|made| made.is_at(resets, address))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use ascendcl_sys::Library;

    fn resets(library: &'static str) -> &'static Resets {
        // SAFETY: `Library::from_table` asks that each address is of a function with the table's signature. This table
        // has no addresses.
        Resets::of(unsafe { Library::from_table(library, |_| None) })
    }

    #[test]
    fn a_context_is_there_until_it_is_destroyed_whatever_happens_to_its_device() {
        let (own, other) = (resets("has contexts"), resets("has others"));
        record(own, 64);
        assert!(at_address(other, 64).is_none() && at_address(own, 128).is_none());
        own.begin(0);
        own.count_forced_reset(0);
        let first = at_address(own, 64).unwrap();
        let refused = remove(own, 64).unwrap();
        assert!(!first.is_alive());
        put_back(refused);
        assert!(first.is_alive());
        // Another one has its address.
        record(own, 64);
        assert!(!first.is_alive() && at_address(own, 64).unwrap().is_alive());
        remove(own, 64).unwrap();
        assert!(at_address(own, 64).is_none());
    }
}
