//! Shelves: lock-free lists of the rows of one kind.

mod place;
mod slot;

use super::atomic::{AtomicPtr, Ordering};
use super::cold_path::cold_path;
use super::sync::{Arc, SharedArc};
use super::thread_hint;
use super::unreferenced::unreferenced;
use super::yield_now;
use core::ptr::null_mut;
pub(crate) use place::ShelfPlace;
use slot::{Claim, Group, Held, SLOTS, Slot};
use std::sync::OnceLock;

/// Rows, each in a slot of its own. No lock is taken to add, find or remove a row.
///
/// The slots are in groups, and the groups in levels. Each level has twice as many groups as the one before. A level is
/// allocated when the slots of all levels before it are taken, and never moves.
#[derive(Debug)]
pub(crate) struct Shelf<T> {
    levels: [OnceLock<Box<[Group<T>]>>; LEVELS],
    /// For each hint, the group in which a free slot is searched first; null at the beginning. The number of a row
    /// determines its hint, so threads that create and destroy objects rarely access the same group.
    hints: [AtomicPtr<Group<T>>; HINTS],
    /// For each [hint of a thread](thread_hint), the slot in which a row is looked for first when it is to be removed, and
    /// which the next row gets if it is spare. A thread that destroys what it created last finds its slot here. This is only
    /// a hint: the state of a slot says whether it is spare, whether or not this leads to it.
    last: [AtomicPtr<Slot<T>>; HINTS],
    /// Where [`last`](Self::last) leads at the beginning: a slot that never has a row. It is not null, so that nobody asks.
    _none: SharedArc<Slot<T>>,
}

/// About the number of threads that create objects at the same time.
const HINTS: usize = 8;
/// How many groups the first level has: one for each hint.
const FIRST: usize = HINTS;
/// Enough for four billion rows.
const LEVELS: usize = 23;
/// The first slots of a shelf keep the memory of removed rows, for new rows. With this number of slots, that is a few
/// dozen megabytes at most.
const SPARES: usize = 1 << 18;
/// A number from [`put_by`](Shelf::put_by) has the row's slot modulo this, so a look-up by number checks only every so
/// many slots.
const LABELS: u64 = 1 << 12;

/// An entry of a shelf.
pub(crate) trait Row: Sized {
    /// Where the row is on its shelf.
    fn place(&self) -> &ShelfPlace;

    /// The number that identifies the row: no other row ever has it.
    #[inline(always)]
    fn number(&self) -> u64 {
        self.place().number()
    }

    /// Whether this row refers to no other value. Its memory is then kept for another row after its object was
    /// destroyed. The memory of a row that refers to something is not kept, because what it refers to would live as
    /// long.
    fn refers_to_nothing(&self) -> bool {
        false
    }
}

/// What a new row is made of.
pub(crate) trait Seed<T> {
    fn row(self) -> T;

    /// Makes a removed row, which [refers to nothing](Row::refers_to_nothing), the row of this object.
    fn renew(self, row: &mut T);
}

impl<T> Seed<T> for T {
    #[inline]
    fn row(self) -> T {
        self
    }

    #[inline]
    fn renew(self, row: &mut T) {
        *row = self;
    }
}

/// A number that nothing in this process had before. Never 0. It does not reach the highest numbers, which stamps use
/// as marks: at ten million numbers a second that takes more than ten years.
#[inline]
fn next_number() -> u64 {
    static NEXT: core::sync::atomic::AtomicU64 = core::sync::atomic::AtomicU64::new(LABELS);
    NEXT.fetch_add(LABELS, Ordering::Relaxed)
}

/// Which hint a row with this number uses.
#[inline(always)]
fn hint_of(number: u64) -> usize {
    (number / LABELS) as usize % HINTS
}

/// The number of a row in this slot, modulo [`LABELS`]. The numbers of rows that [`put_by`](Shelf::put_by) did not make
/// are 0 modulo `LABELS`, whatever their slot.
#[inline(always)]
fn label_of(slot: usize) -> u64 {
    slot as u64 % LABELS
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        let levels = core::array::from_fn(|_| OnceLock::new());
        let hints = core::array::from_fn(|_| AtomicPtr::new(null_mut()));
        let none = SharedArc::new(Slot::new(usize::MAX));
        let last = core::array::from_fn(|_| AtomicPtr::new(SharedArc::as_ptr(&none).cast_mut()));
        Self { levels, hints, last, _none: none }
    }
}

impl<T: Row> Shelf<T> {
    #[inline]
    pub(crate) fn put(&self, object: T) -> Arc<T> {
        let claim = self.claim(object.number());
        object.place().set(claim.number());
        fill(claim, object)
    }

    /// Adds the row that `seed_of` makes of its place. The number of that place makes [`get`](Self::get) fast.
    #[inline(always)]
    pub(crate) fn put_by<S: Seed<T>>(&self, seed_of: impl FnOnce(ShelfPlace) -> S) -> Arc<T> {
        let place = |number, slot| ShelfPlace::in_slot(number + label_of(slot), slot);
        match self.last().claim_spare() {
            Some(claim) => {
                let place = place(next_number(), claim.number());
                fill(claim, seed_of(place))
            }
            None => cold_path(move || {
                let number = next_number();
                let claim = self.claim_free(number);
                let place = place(number, claim.number());
                fill(claim, seed_of(place))
            }),
        }
    }

    /// Adds an existing row, if it is not on this shelf yet. Afterwards it is there, also if another thread adds it at the
    /// same time: work whose row is not found counts as done.
    pub(crate) fn keep(&self, row: &Arc<T>) {
        loop {
            if row.place().begin() {
                let claim = self.claim(row.number());
                row.place().set(claim.number());
                claim.put(Arc::clone(row));
                return;
            }
            if self.has(row) {
                return;
            }
            // Another thread is about to fill the slot, or to remove the row.
            yield_now();
        }
    }

    /// The row with this number.
    pub(crate) fn get(&self, number: u64) -> Option<Arc<T>> {
        let is_it = |row: &Held<'_, T>| row.number() == number;
        match number % LABELS {
            // The row may be in any slot.
            0 => self.rows().find(is_it),
            label => {
                let slots = (label as usize..).step_by(LABELS as usize);
                let groups = slots.map_while(|slot| self.group(slot / SLOTS).map(|group| group.hold(slot % SLOTS)));
                groups.flatten().find(is_it)
            }
        }
        .map(|row| Arc::clone(&row))
    }

    #[inline]
    pub(crate) fn has(&self, row: &T) -> bool {
        self.held(row).is_some()
    }

    /// Removes the row, if it is on this shelf.
    #[inline(never)]
    pub(crate) fn remove(&self, row: &T) {
        let Some((slot, group, held)) = self.held(row) else { return };
        let left = vacate(row, slot, group, held, slot < SPARES && row.refers_to_nothing());
        self.look_first_in(group, row.number());
        // The slot is no longer held here: dropping the last pointer may take time.
        drop(left);
    }

    /// Like [`remove`](Self::remove), for a fast path: the usual case is compiled in place. The caller says whether the row
    /// [refers to nothing](Row::refers_to_nothing), which it may have asked already.
    #[inline(always)]
    pub(crate) fn take_out(&self, row: &T, refers_to_nothing: bool) {
        let is_out = refers_to_nothing && self.last().become_spare(row);
        match is_out {
            true => row.place().clear(),
            false => cold_path(move || self.take_out_elsewhere(row)),
        }
    }

    /// Removes a row that is not in the last slot.
    #[inline(never)]
    fn take_out_elsewhere(&self, row: &T) {
        if !self.take_out_at_once(row) {
            self.remove(row);
        }
    }

    /// Removes the row if its hint leads to it, nobody else is accessing its slot, and its memory is kept for another row.
    /// Otherwise returns `false`, and nothing has happened.
    ///
    /// The group of the hint need not be the row's. Then the slot with this index has another row, or none, and the steps
    /// below change only a slot that has this row.
    ///
    /// The slot becomes the spare one if there is none. If two threads do that at once, the shelf has two spare slots, and
    /// [`last`](Self::last) leads to one. [`claim_elsewhere`](Self::claim_elsewhere) finds the other.
    fn take_out_at_once(&self, row: &T) -> bool {
        let (slot, hinted) = (row.place().slot_below(SPARES), self.hinted(row.number()));
        let Some((index, group)) = slot.map(|slot| slot % SLOTS).zip(hinted) else { return false };
        let Some(slot) = group.slot(index).filter(|_| row.refers_to_nothing()) else { return false };
        let has_spare = self.last().is_spare();
        let is_out = if has_spare { slot.become_empty(row) } else { slot.become_spare(row) };
        if is_out {
            // The hint leads to this group already, and no pointer is left to be dropped.
            row.place().clear();
            match has_spare {
                true => group.give_back(index),
                false => self.look_first_at(slot),
            }
        }
        is_out
    }

    /// The rows, in the order of their numbers.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        let mut all: Vec<_> = self.rows().map(|row| Arc::clone(&row)).collect();
        all.sort_by_key(|row| row.number());
        all
    }

    /// The rows to which no handle points any more.
    pub(crate) fn unreferenced(&self) -> Vec<Arc<T>> {
        let mut all = unreferenced(self.rows());
        all.sort_by_key(|row| row.number());
        all
    }

    pub(crate) fn len(&self) -> usize {
        self.groups().map(Group::len).sum()
    }

    /// The slot of this row, if the row is on this shelf.
    fn held(&self, row: &T) -> Option<(usize, &Group<T>, Held<'_, T>)> {
        let slot = row.place().slot()?;
        let group = match self.hinted(row.number()) {
            Some(group) if group.has(slot) => group,
            _ => self.group(slot / SLOTS)?,
        };
        Some((slot, group, group.hold_row(slot % SLOTS, row)?))
    }

    fn rows(&self) -> impl Iterator<Item = Held<'_, T>> {
        self.groups().flat_map(Group::rows)
    }

    fn groups(&self) -> impl Iterator<Item = &Group<T>> {
        self.levels.iter().map_while(OnceLock::get).flat_map(|level| level.iter())
    }

    #[inline(always)]
    fn group(&self, group: usize) -> Option<&Group<T>> {
        let level = (group / FIRST + 1).ilog2() as usize;
        self.levels.get(level)?.get()?.get(group - groups_before(level))
    }

    /// The group in which a row with this number looks for a free slot first.
    #[inline(always)]
    fn hinted(&self, number: u64) -> Option<&Group<T>> {
        let hint = self.hints.get(hint_of(number))?.load(Ordering::Acquire);
        // SAFETY: the pointer must be null, or valid as long as the reference lives, while nobody writes to the group.
        // `look_first_in` stores pointers to groups of this shelf, which stay where they are as long as the shelf exists,
        // and are only changed through shared references. It stores with `Release`, so the group is seen as it was made.
        unsafe { hint.as_ref() }
    }

    /// Lets rows whose number has the same hint look here first.
    #[inline(always)]
    fn look_first_in(&self, group: &Group<T>, number: u64) {
        if let Some(hint) = self.hints.get(hint_of(number)) {
            hint.store(core::ptr::from_ref(group).cast_mut(), Ordering::Release);
        }
    }

    /// The slot that was claimed last, or became spare last, by a thread with the hint of this one.
    #[inline(always)]
    fn last(&self) -> &Slot<T> {
        let [.., last] = &self.last;
        let last = self.last.get(thread_hint() % HINTS).unwrap_or(last).load(Ordering::Acquire);
        // SAFETY: the pointer must be valid as long as the reference lives, while nobody writes to the slot. It leads to a
        // slot of `_none` or of a level: `look_first_at` stores no others. Both stay where they are as long as the shelf
        // exists, and are only changed through shared references. `look_first_at` stores with `Release`, so the slot is seen
        // as it was made.
        unsafe { &*last }
    }

    #[inline(always)]
    fn look_first_at(&self, slot: &Slot<T>) {
        if let Some(last) = self.last.get(thread_hint() % HINTS) {
            last.store(core::ptr::from_ref(slot).cast_mut(), Ordering::Release);
        }
    }

    /// Claims a slot for a row with this number.
    fn claim(&self, number: u64) -> Claim<'_, T> {
        self.last().claim_spare().unwrap_or_else(|| self.claim_free(number))
    }

    /// Like [`claim`](Self::claim), where the last slot is not spare.
    fn claim_free(&self, number: u64) -> Claim<'_, T> {
        let claim = self.hinted(number).and_then(Group::claim_at_once).unwrap_or_else(|| self.claim_elsewhere(number));
        self.look_first_at(claim.slot());
        claim
    }

    /// Looks for a free slot in all groups, and then for a spare one. Adds a level if there is none.
    #[cold]
    #[inline(never)]
    fn claim_elsewhere(&self, number: u64) -> Claim<'_, T> {
        loop {
            let all = self.groups().count();
            let from = self.hinted(number).map_or(hint_of(number), Group::number);
            for group in (from..all).chain(0..from.min(all)).filter_map(|group| self.group(group)) {
                if let Some(claim) = group.claim() {
                    self.look_first_in(group, number);
                    return claim;
                }
            }
            if let Some(claim) = self.groups().find_map(Group::claim_spare) {
                return claim;
            }
            self.grow();
            if let Some(group) = self.group(all + from % FIRST) {
                self.look_first_in(group, number);
            }
        }
    }

    fn grow(&self) {
        if let Some((level, next)) = self.levels.iter().enumerate().find(|(_, level)| level.get().is_none()) {
            let (before, here) = (groups_before(level), FIRST << level);
            next.get_or_init(|| (before..before + here).map(Group::new).collect());
        }
    }
}

/// How many groups the levels before this one have.
#[inline(always)]
fn groups_before(level: usize) -> usize {
    FIRST * ((1 << level) - 1)
}

/// Puts the object into the memory of the spare row in the slot, if there is one to which no handle points any more;
/// otherwise allocates. That is out of line, because it happens only once for each slot if the program destroys what it
/// creates.
#[inline(always)]
fn fill<T>(claim: Claim<'_, T>, seed: impl Seed<T>) -> Arc<T> {
    let filled = claim.fill(|slot| {
        let Some(spare) = slot else { return Err(seed) };
        let Some(row) = Arc::get_mut(spare) else { return Err(seed) };
        seed.renew(row);
        Ok(Arc::clone(spare))
    });
    match filled {
        Ok(row) => row,
        Err((claim, seed)) => cold_path(move || claim.put(Arc::new(seed.row()))),
    }
}

/// Frees the slot of the row. Returns the pointer that was there, unless the slot keeps the memory for another row.
#[inline(always)]
fn vacate<T: Row>(row: &T, slot: usize, group: &Group<T>, held: Held<'_, T>, keeps_memory: bool) -> Option<Arc<T>> {
    row.place().clear();
    let left = held.take_out(keeps_memory);
    group.give_back(slot % SLOTS);
    left
}
