//! The contexts that this crate has made and that have not ended. One is there until it is destroyed: a reset of its device
//! does not end it, not even one by force.
//!
//! Other code may make such a context current by its handle, and then call this crate on the same thread. Afterwards that
//! context is made current again, but only while it lives: the library reuses the address of a destroyed context.

use super::resets::Resets;
use std::sync::{PoisonError, RwLock};

/// A context, by the address that is its handle. Its number is never used again, as its address may be.
#[derive(Clone, Copy)]
pub(super) struct Made {
    /// Those of its library.
    resets: &'static Resets,
    address: usize,
    number: u64,
}

struct All {
    /// How many there have been.
    count: u64,
    live: Vec<Made>,
}

/// A lock for many readers, because a thread that enters a context only reads.
static MADE: RwLock<All> = RwLock::new(All { count: 0, live: Vec::new() });

fn change<R>(change: impl FnOnce(&mut All) -> R) -> R {
    change(&mut MADE.write().unwrap_or_else(PoisonError::into_inner))
}

fn find(is: impl Fn(&Made) -> bool) -> Option<Made> {
    let all = MADE.read().unwrap_or_else(PoisonError::into_inner);
    all.live.iter().find(|made| is(made)).copied()
}

impl Made {
    fn is_at(&self, resets: &'static Resets, address: usize) -> bool {
        self.address == address && core::ptr::eq(self.resets, resets)
    }

    /// Whether the context lives. It may end at any time after that.
    pub(super) fn is_alive(self) -> bool {
        find(|made| made.number == self.number).is_some()
    }
}

/// Records that the context at this address was created.
pub(super) fn was_made(resets: &'static Resets, address: usize) {
    change(|all| {
        // One that was lost with its device may have ended without this crate.
        all.live.retain(|made| !made.is_at(resets, address));
        all.count += 1;
        all.live.push(Made { resets, address, number: all.count });
    });
}

/// Records that the context at this address is about to be destroyed. Returns what [`has_stayed`] needs.
pub(super) fn ends(resets: &'static Resets, address: usize) -> Option<Made> {
    change(|all| {
        let at = all.live.iter().position(|made| made.is_at(resets, address))?;
        Some(all.live.swap_remove(at))
    })
}

/// Records that the library refused to destroy the context.
pub(super) fn has_stayed(made: Made) {
    change(|all| all.live.push(made));
}

/// The context at this address, if this crate has made it.
pub(super) fn made(resets: &'static Resets, address: usize) -> Option<Made> {
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
        was_made(own, 64);
        assert!(made(other, 64).is_none() && made(own, 128).is_none());
        own.begin(0);
        own.has_been_forced(0);
        let first = made(own, 64).unwrap();
        let refused = ends(own, 64).unwrap();
        assert!(!first.is_alive());
        has_stayed(refused);
        assert!(first.is_alive());
        // Another one has its address.
        was_made(own, 64);
        assert!(!first.is_alive() && made(own, 64).unwrap().is_alive());
        ends(own, 64).unwrap();
        assert!(made(own, 64).is_none());
    }
}
