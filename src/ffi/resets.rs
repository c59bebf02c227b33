//! How often this crate has reset devices, for each library.
//!
//! Libraries number their devices independently, so a reset by one says nothing about the devices of another.

use ascendcl_sys::{Library, Origin};
use core::sync::atomic::{AtomicU64, Ordering};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The counts of one library. Devices whose numbers are 64 apart share a count.
#[derive(Debug)]
pub(super) struct Resets {
    begun: [AtomicU64; DEVICES],
    /// Resets that may concern a device without a count of its own, or a context whose device is unknown.
    begun_elsewhere: AtomicU64,
    forced: [AtomicU64; DEVICES],
}

const DEVICES: usize = 64;

/// The device of a context that this crate did not open.
pub(super) const UNKNOWN: i32 = -1;

/// A file may be loaded under several names. All of them are one library, with the same devices.
static KNOWN: Mutex<Vec<(Origin, &'static Resets)>> = Mutex::new(Vec::new());

fn at(counts: &[AtomicU64; DEVICES], device: i32) -> Option<&AtomicU64> {
    usize::try_from(device).ok().and_then(|device| counts.get(device % DEVICES))
}

impl Resets {
    pub(super) fn of(library: &Library) -> &'static Self {
        let origin = match library.origin() {
            Origin::File(path) => Origin::File(path.canonicalize().unwrap_or_else(|_| PathBuf::clone(path))),
            other => other.clone(),
        };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, resets)) = known.iter().find(|(other, _)| *other == origin) {
            return resets;
        }
        let [begun, forced] = [(); 2].map(|()| [const { AtomicU64::new(0) }; DEVICES]);
        let resets = &*Box::leak(Box::new(Self { begun, begun_elsewhere: AtomicU64::new(0), forced }));
        known.push((origin, resets));
        resets
    }

    /// The count of the resets of the device that have begun.
    #[inline]
    pub(super) fn begun_of(&self, device: i32) -> &AtomicU64 {
        at(&self.begun, device).unwrap_or(&self.begun_elsewhere)
    }

    /// Records that the device is about to be reset. A context whose device is unknown may belong to this one.
    pub(super) fn begin(&self, device: i32) {
        for count in [self.begun_of(device), self.begun_of(UNKNOWN)] {
            count.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// How often the device was reset by force.
    #[inline]
    pub(super) fn forced(&self, device: i32) -> u64 {
        at(&self.forced, device).map_or(0, |count| count.load(Ordering::SeqCst))
    }

    /// Records that the device was reset by force.
    pub(super) fn count_forced_reset(&self, device: i32) {
        at(&self.forced, device).into_iter().for_each(|count| {
            count.fetch_add(1, Ordering::SeqCst);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(name: &'static str) -> &'static Resets {
        // SAFETY: `Library::from_table` asks that each address is of a function with the table's signature. This table
        // has no addresses.
        Resets::of(unsafe { Library::from_table(name, |_| None) })
    }

    fn begun(resets: &Resets, device: i32) -> u64 {
        resets.begun_of(device).load(Ordering::SeqCst)
    }

    #[test]
    fn a_library_counts_its_own_resets_and_is_the_same_when_it_is_loaded_again() {
        let (one, again, other) = (library("one"), library("one"), library("other"));
        one.begin(0);
        one.count_forced_reset(0);
        assert_eq!([begun(again, 0), begun(again, UNKNOWN), again.forced(0)], [1, 1, 1]);
        assert_eq!([begun(other, 0), begun(other, UNKNOWN), other.forced(0)], [0, 0, 0]);
    }
}
