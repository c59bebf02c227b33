//! The pointers by which the library knows the blocks of an allocator.
//!
//! The library gets a pointer to a [`Place`], which has the block's device address. Places do not move and are reused,
//! so lending a block and taking it back allocates nothing. When a pointer comes back, its address is compared with
//! those of the places: nothing is read through a pointer that was not lent. No lock is taken.
//!
//! # States of a place
//!
//! * *Free*: it has no block. One thread may have claimed it, to put a block into it.
//! * *Lent*: it has a block, which the library has.
//! * *Marked*: the same, and the code that takes the block back learns that it was marked.
//!
//! # Why these orderings suffice
//!
//! A block is accessed by the thread that claimed its place, and by the one that takes it back. A place is claimed with
//! [`FreeSlots`]. Changing *lent* or *marked* to *free* is one atomic operation, in which only one thread can succeed
//! for each block that was lent. What a thread put into the place is visible to the one that takes it out: *lent* is
//! stored with `Release`, and the operation is `Acquire`. A place is given back after its block was taken out.
//!
//! A thread that [begins to mark](Places::begin_marking) first sets the flag `marks`, and then marks all lent blocks. A
//! thread that lends a block first makes it *lent*, and then reads the flag. Both access the flag by a
//! read-modify-write. One of these comes first and is visible to the other. So either the first thread sees the block,
//! or the second one sees the flag and marks the block itself.
//!
//! `tests/stamps/` runs this file with loom.

use super::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use super::free_slots::{FreeSlots, SLOTS};
use super::sync::LoomCell;
use core::ffi::c_void;
use core::num::NonZeroUsize;
use core::ptr;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::OnceLock;

/// The blocks that the library has, each with its place.
pub(crate) struct Places<T> {
    first: Level<T>,
    /// Whether a block is marked when it is lent.
    marks: AtomicBool,
}

/// Places that stay where they are.
struct Level<T> {
    places: Box<[Place<T>]>,
    /// For each [`SLOTS`] places.
    free: Box<[FreeSlots]>,
    /// The next level has twice as many.
    next: OnceLock<Box<Self>>,
}

/// What the library's pointer points to. The address comes first, because [`address_of`] reads it without knowing the
/// type of the block. The alignment keeps different blocks in different cache lines.
#[repr(C, align(64))]
pub(crate) struct Place<T> {
    address: AtomicUsize,
    state: AtomicU32,
    block: LoomCell<Option<T>>,
}

/// A block that came back. Its place is not free yet.
pub(crate) struct CameBack<'a, T> {
    block: T,
    was_marked: bool,
    slot: Slot<'a>,
}

/// The bit of a place in [`FreeSlots`].
struct Slot<'a> {
    of: &'a FreeSlots,
    index: usize,
}

const FREE: u32 = 0;
const LENT: u32 = 1;
const MARKED: u32 = 2;

// SAFETY: sharing a place must not make a data race on `block`. It is accessed by one thread at a time, and what each thread
// did is visible to the next (the head of this file). The thread that takes a block out may be another one than that
// which put it there.
unsafe impl<T: Send> Sync for Place<T> {}

// No code of `T` runs while a block is put there or taken out.
impl<T> UnwindSafe for Place<T> {}
impl<T> RefUnwindSafe for Place<T> {}

/// The device address of a block.
///
/// # Safety
///
/// `place` is a pointer of [`Places::lend`] that did not come back, and the places are there.
pub(crate) unsafe fn address_of(place: *mut c_void) -> Option<NonZeroUsize> {
    // SAFETY: a reference asks for an initialised value that nobody borrows mutably. The pointer is one to a place (the
    // safety section), which begins with its address, and stays where it is. Places are only borrowed shared.
    let address = unsafe { &*place.cast_const().cast::<AtomicUsize>() };
    NonZeroUsize::new(address.load(Ordering::Relaxed))
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { first: Level::new(1), marks: AtomicBool::new(false) }
    }
}

impl<T> Level<T> {
    /// A level with [`SLOTS`] places for each of `words` words.
    fn new(words: usize) -> Self {
        Self {
            places: (0..words * SLOTS).map(|_| Place::free()).collect(),
            free: (0..words).map(|_| FreeSlots::all()).collect(),
            next: OnceLock::new(),
        }
    }

    /// Claims one of the places of this word.
    #[inline(always)]
    fn claim(&self, word: usize) -> Option<&Place<T>> {
        let index = self.free.get(word)?.claim()?;
        self.places.get(word * SLOTS + index)
    }

    /// The place at this address, and its slot.
    #[inline(always)]
    fn find(&self, address: usize) -> Option<(&Place<T>, Slot<'_>)> {
        let offset = address.wrapping_sub(self.places.as_ptr().addr());
        let number = offset / size_of::<Place<T>>();
        let place = self.places.get(number).filter(|_| offset.is_multiple_of(size_of::<Place<T>>()))?;
        Some((place, Slot { of: self.free.get(number / SLOTS)?, index: number % SLOTS }))
    }

    fn claimed(&self) -> impl Iterator<Item = &Place<T>> {
        self.free.iter().zip(self.places.chunks(SLOTS)).flat_map(|(free, places)| free.claimed(places))
    }
}

impl<T> Place<T> {
    fn free() -> Self {
        Self { address: AtomicUsize::new(0), state: AtomicU32::new(FREE), block: LoomCell::new(None) }
    }

    /// The pointer by which the library knows the block in this place.
    #[inline(always)]
    fn pointer(&self) -> *mut c_void {
        ptr::from_ref(self).cast_mut().cast()
    }

    /// Marks the block, if there is one. Returns whether there is.
    fn mark(&self) -> bool {
        let marked = self.state.compare_exchange(LENT, MARKED, Ordering::Relaxed, Ordering::Relaxed);
        matches!(marked, Ok(_) | Err(MARKED))
    }
}

impl<T> CameBack<'_, T> {
    #[inline(always)]
    pub(crate) fn was_marked(&self) -> bool {
        self.was_marked
    }

    /// Frees the place, and returns the block.
    #[inline(always)]
    pub(crate) fn leave(self) -> T {
        self.slot.of.give_back(self.slot.index);
        self.block
    }
}

impl<T> Places<T> {
    /// Lends a block. Returns the pointer by which the library knows it, and whether the caller has to
    /// [mark](Self::mark) it.
    #[inline(always)]
    pub(crate) fn lend(&self, address: usize, block: T) -> (*mut c_void, bool) {
        let place = self.first.claim(0).unwrap_or_else(|| self.claim_elsewhere());
        // SAFETY: the pointer must be valid, and nobody else may use it. This thread has claimed the place, so no other one
        // accesses the block (the head of this file).
        place.block.with_mut(|inside| unsafe { *inside = Some(block) });
        place.address.store(address, Ordering::Relaxed);
        place.state.store(LENT, Ordering::Release);
        // This changes nothing. It is a read-modify-write for the reason that the head of this file gives.
        (place.pointer(), self.marks.fetch_or(false, Ordering::AcqRel))
    }

    /// Takes a block back. `None` for a pointer that is not lent.
    #[inline(always)]
    pub(crate) fn take_back(&self, pointer: *mut c_void) -> Option<CameBack<'_, T>> {
        let (place, slot) = self.find(pointer.addr())?;
        let before = place.state.swap(FREE, Ordering::Acquire);
        if before == FREE {
            return None;
        }
        // SAFETY: the pointer must be valid, and nobody else may use it. This thread has changed the state to free, so no
        // other one accesses the block (the head of this file).
        let block = place.block.with_mut(|inside| unsafe { (*inside).take() })?;
        Some(CameBack { block, was_marked: before == MARKED, slot })
    }

    /// Marks the block behind this pointer, if it is lent. Returns whether it is.
    pub(crate) fn mark(&self, pointer: *mut c_void) -> bool {
        self.find(pointer.addr()).is_some_and(|(place, _)| place.mark())
    }

    /// Marks the blocks that are lent. Returns their pointers, as numbers. Callers of [`lend`](Self::lend) have to mark
    /// blocks from now on, until [`end_marking`](Self::end_marking).
    pub(crate) fn begin_marking(&self) -> impl Iterator<Item = usize> {
        self.marks.swap(true, Ordering::AcqRel);
        self.claimed().filter(|place| place.mark()).map(|place| place.pointer().addr())
    }

    /// Callers of [`lend`](Self::lend) need not mark blocks any more.
    pub(crate) fn end_marking(&self) {
        self.marks.store(false, Ordering::Relaxed);
    }

    /// How many blocks are lent.
    pub(crate) fn count(&self) -> usize {
        self.levels().flat_map(|level| &level.free).map(FreeSlots::count_claimed).sum()
    }

    /// Whether a block at this address is lent.
    pub(crate) fn has(&self, address: usize) -> bool {
        self.claimed().any(|place| {
            place.state.load(Ordering::Acquire) != FREE && place.address.load(Ordering::Relaxed) == address
        })
    }

    fn claimed(&self) -> impl Iterator<Item = &Place<T>> {
        self.levels().flat_map(Level::claimed)
    }

    fn levels(&self) -> impl Iterator<Item = &Level<T>> {
        core::iter::successors(Some(&self.first), |level| level.next.get().map(Box::as_ref))
    }

    #[inline(always)]
    fn find(&self, address: usize) -> Option<(&Place<T>, Slot<'_>)> {
        self.first.find(address).or_else(|| self.find_elsewhere(address))
    }

    #[cold]
    #[inline(never)]
    fn find_elsewhere(&self, address: usize) -> Option<(&Place<T>, Slot<'_>)> {
        self.levels().find_map(|level| level.find(address))
    }

    /// Looks for a free place in all levels, and adds one if all are claimed.
    #[cold]
    #[inline(never)]
    fn claim_elsewhere(&self) -> &Place<T> {
        let mut level = &self.first;
        loop {
            if let Some(place) = (0..level.free.len()).find_map(|word| level.claim(word)) {
                return place;
            }
            level = level.next.get_or_init(|| Box::new(Level::new(2 * level.free.len())));
        }
    }
}
