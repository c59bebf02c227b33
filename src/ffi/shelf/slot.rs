//! Slots for rows, 64 in a group, and which thread may access a slot.
//!
//! # States of a slot
//!
//! * *Free*: its bit in the group is set. No thread accesses it. It may keep the memory of a removed row.
//! * *Spare*: its row was removed, its bit is still clear, and it keeps the memory of that row. No thread accesses it. The
//!   next row takes the slot with that memory in one step.
//! * *Claimed*: one thread has cleared the bit, or changed *spare* to empty, and the slot has no row yet. Only that thread
//!   accesses it.
//! * *Taken*: it has a row, and no thread is accessing it. The state is the address of the row, so that a thread which
//!   looks for a row compares it in the step in which it takes hold of the slot.
//! * *Held*: it has a row, and one thread is accessing it, for a few instructions.
//!
//! # Why these orderings suffice
//!
//! A slot is accessed by the thread that claimed it, and by the thread that holds it. Clearing a bit, changing *spare* to
//! empty, changing *taken* to *held*, and changing *taken* to *spare* or to empty are atomic operations in which only one
//! thread can succeed. What a thread wrote into the slot is visible to the next one: the bit is set and *taken* is stored
//! with `Release`, and these operations are `Acquire`. A slot is empty before its bit is set. The thread that makes a slot
//! spare writes nothing into it, and its step reads and writes the state in one: who claims a spare slot therefore sees what
//! was visible with the *taken* before it.
//!
//! The memory of a removed row may still have handles, above all that of the thread which removes the row. Who claims the
//! slot uses the memory only if `Arc::get_mut` finds neither another handle nor a weak pointer.
//!
//! A thread that finds a slot held waits for the other thread. That thread runs no code of the program and does not call
//! the library while it holds the slot, so the wait is short.

use crate::ffi::atomic::{AtomicUsize, Ordering};
use crate::ffi::free_slots::FreeSlots;
pub(super) use crate::ffi::free_slots::SLOTS;
use crate::ffi::sync::{Arc, LoomCell};
use crate::ffi::yield_now;
use core::convert::Infallible;
use core::ops::Deref;

#[derive(Debug)]
pub(super) struct Group<T> {
    /// The bit of a spare slot is clear.
    free: FreeSlots,
    /// The number of the first slot on the shelf.
    first: usize,
    slots: [Slot<T>; SLOTS],
}

#[derive(Debug)]
pub(super) struct Slot<T> {
    /// [`EMPTY`], [`HELD`], [`SPARE`], or the [address](address_of) of the row.
    state: AtomicUsize,
    row: LoomCell<Option<Arc<T>>>,
    /// The slot's number on the shelf.
    number: usize,
}

/// The slot is free, or claimed.
const EMPTY: usize = 0;
/// A thread is accessing the slot. No row has this address, because a pointer to a row is aligned.
const HELD: usize = 1;
/// The slot has no row, and whoever changes this to [`EMPTY`] has claimed it. No row has this address either.
const SPARE: usize = 2;

// SAFETY: sharing a slot must not make a data race on `row`. It is accessed by the one thread that has claimed or holds
// the slot, and what each thread wrote is visible to the next (the head of this file). The threads get, clone and drop
// pointers to the row, as those of an `Arc` that is sent and shared.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}

/// A slot that this thread has claimed.
pub(super) struct Claim<'a, T>(&'a Slot<T>);

/// The row of a slot that this thread holds.
pub(super) struct Held<'a, T> {
    slot: &'a Slot<T>,
    /// The state before.
    row: usize,
}

/// The state of a slot that has this row.
#[inline(always)]
fn address_of<T>(row: &T) -> usize {
    core::ptr::from_ref(row).addr()
}

impl<T> Group<T> {
    /// The group with this number on its shelf.
    pub(super) fn new(number: usize) -> Self {
        let first = number * SLOTS;
        Self { free: FreeSlots::all(), first, slots: core::array::from_fn(|index| Slot::new(first + index)) }
    }

    pub(super) fn number(&self) -> usize {
        self.first / SLOTS
    }

    /// Whether the slot with this number on the shelf is one of this group.
    #[inline(always)]
    pub(super) fn has(&self, slot: usize) -> bool {
        slot / SLOTS * SLOTS == self.first
    }

    /// Claims a free slot.
    #[inline(always)]
    pub(super) fn claim(&self) -> Option<Claim<'_, T>> {
        self.slot(self.free.claim()?).map(Claim)
    }

    /// Like [`claim`](Self::claim). `None` also if another thread claims the same slot at the same time.
    #[inline(always)]
    pub(super) fn claim_at_once(&self) -> Option<Claim<'_, T>> {
        self.slot(self.free.claim_at_once()?).map(Claim)
    }

    /// Claims a spare slot.
    pub(super) fn claim_spare(&self) -> Option<Claim<'_, T>> {
        self.slots.iter().find_map(Slot::claim_spare)
    }

    #[inline(always)]
    pub(super) fn slot(&self, index: usize) -> Option<&Slot<T>> {
        self.slots.get(index)
    }

    /// Frees the slot of a removed row.
    #[inline(always)]
    pub(super) fn give_back(&self, index: usize) {
        self.free.give_back(index);
    }

    /// Holds this slot, if it has a row.
    #[inline(always)]
    pub(super) fn hold(&self, index: usize) -> Option<Held<'_, T>> {
        self.slots.get(index)?.hold()
    }

    /// Holds this slot, if it has this row.
    #[inline(always)]
    pub(super) fn hold_row(&self, index: usize, row: &T) -> Option<Held<'_, T>> {
        self.slots.get(index)?.hold_row(address_of(row))
    }

    /// The rows of this group.
    pub(super) fn rows(&self) -> impl Iterator<Item = Held<'_, T>> {
        self.free.claimed(&self.slots).filter_map(Slot::hold)
    }

    /// How many slots are neither free nor spare.
    pub(super) fn len(&self) -> usize {
        self.free.claimed(&self.slots).filter(|slot| !slot.is_spare()).count()
    }
}

impl<T> Slot<T> {
    pub(super) fn new(number: usize) -> Self {
        Self { state: AtomicUsize::new(EMPTY), row: LoomCell::new(None), number }
    }

    /// Claims the slot if it is spare.
    #[inline(always)]
    pub(super) fn claim_spare(&self) -> Option<Claim<'_, T>> {
        if self.change(SPARE, EMPTY).is_err() {
            return None;
        }
        // SAFETY: the pointer must be valid, and nobody may write to it meanwhile. The slot is borrowed, and this thread has
        // just claimed it. `assert_unchecked` asks for a row: only `become_spare` makes a slot spare, of a slot that was
        // taken, and it leaves the row there.
        self.row.with(|row| unsafe { core::hint::assert_unchecked((*row).is_some()) });
        Some(Claim(self))
    }

    pub(super) fn is_spare(&self) -> bool {
        self.state.load(Ordering::Relaxed) == SPARE
    }

    /// Takes this row out, and leaves the slot and the row's memory for the next row. Returns `false`, and nothing has
    /// happened, if the slot does not have the row, and while another thread holds the slot.
    #[inline(always)]
    pub(super) fn become_spare(&self, row: &T) -> bool {
        self.change(address_of(row), SPARE).is_ok()
    }

    /// Takes this row out of the slot and leaves its memory for the next row. The caller then [gives the slot
    /// back](Group::give_back). Returns `false`, and nothing has happened, if the slot does not have the row, and while
    /// another thread holds the slot.
    #[inline(always)]
    pub(super) fn become_empty(&self, row: &T) -> bool {
        self.change(address_of(row), EMPTY).is_ok()
    }

    fn hold(&self) -> Option<Held<'_, T>> {
        loop {
            match self.state.load(Ordering::Relaxed) {
                EMPTY | SPARE => return None,
                HELD => yield_now(),
                row => {
                    if let Some(held) = self.hold_row(row) {
                        return Some(held);
                    }
                }
            }
        }
    }

    /// Holds the slot if it has the row at this address.
    #[inline(always)]
    fn hold_row(&self, row: usize) -> Option<Held<'_, T>> {
        loop {
            match self.change(row, HELD) {
                Ok(_) => return Some(Held { slot: self, row }),
                Err(HELD) => yield_now(),
                Err(_) => return None,
            }
        }
    }

    /// Changes the state, if it is this one.
    #[inline(always)]
    fn change(&self, from: usize, to: usize) -> Result<usize, usize> {
        self.state.compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed)
    }
}

impl<'a, T> Claim<'a, T> {
    #[inline(always)]
    pub(super) fn slot(&self) -> &'a Slot<T> {
        self.0
    }

    /// The slot's number on the shelf.
    #[inline(always)]
    pub(super) fn number(&self) -> usize {
        self.0.number
    }

    /// Lets `fill` put a row into the slot, which may have the memory of a removed row. Returns the pointer that `fill`
    /// returns. After an error of `fill` the slot stays claimed, and has no row yet.
    #[inline(always)]
    pub(super) fn fill<E>(
        self,
        fill: impl FnOnce(&mut Option<Arc<T>>) -> Result<Arc<T>, E>,
    ) -> Result<Arc<T>, (Self, E)> {
        // SAFETY: the pointer must be valid, and nobody else may use it. The slot outlives the claim that borrows it. This
        // thread has claimed the slot, so no other one accesses it (the head of this file).
        match self.0.row.with_mut(|row| fill(unsafe { &mut *row })) {
            Ok(row) => {
                self.0.state.store(address_of::<T>(&row), Ordering::Release);
                Ok(row)
            }
            Err(error) => Err((self, error)),
        }
    }

    /// Puts this row into the slot. Returns a pointer to it.
    pub(super) fn put(self, row: Arc<T>) -> Arc<T> {
        match self.fill(|slot| Ok::<_, Infallible>(Arc::clone(slot.insert(row)))) {
            Ok(row) => row,
            Err((_, never)) => match never {},
        }
    }
}

impl<'a, T> Held<'a, T> {
    /// Takes the row out, or leaves its memory for the next row. The caller then [gives the slot back](Group::give_back).
    #[inline(always)]
    pub(super) fn take_out(self, leaves_memory: bool) -> Option<Arc<T>> {
        let slot = self.slot;
        core::mem::forget(self);
        // SAFETY: the pointer must be valid, and nobody else may use it. The slot is borrowed. This thread holds it, so no
        // other one accesses it (the head of this file).
        let row = slot.row.with_mut(|row| if leaves_memory { None } else { unsafe { (*row).take() } });
        // The next thread that accesses the slot is one that claims it, and `give_back` is a `Release`. So `Relaxed` is
        // enough.
        slot.state.store(EMPTY, Ordering::Relaxed);
        row
    }
}

impl<T> Deref for Held<'_, T> {
    type Target = Arc<T>;

    #[inline(always)]
    fn deref(&self) -> &Arc<T> {
        // SAFETY: the pointer must be valid, and nobody may write through it while the reference exists. The slot is
        // borrowed. This thread holds it as long as this value exists, so no other one accesses it (the head of this
        // file), and this value is not taken out while it is borrowed. `unwrap_unchecked` asks for a row: a held slot was
        // taken, and only `fill` makes a slot taken, with a row in it.
        self.slot.row.with(|row| unsafe { (*row).as_ref().unwrap_unchecked() })
    }
}

impl<T> Drop for Held<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.slot.state.store(self.row, Ordering::Release);
    }
}
