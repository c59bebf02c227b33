//! The rows of one kind.

use super::unnamed::unnamed;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Rows, in the order of their [numbers](Row::number). A lock is held only during a look-up or a change.
///
/// The number of a row determines its part of the shelf, so threads that make and destroy objects seldom want the same
/// lock.
#[derive(Debug)]
pub(crate) struct Shelf<T>([Mutex<Part<T>>; PARTS]);

/// About as many as threads that create objects at the same time.
const PARTS: usize = 8;
/// How many rows of destroyed objects each part keeps for new objects.
const SPARES: usize = 8;

/// The rows of one part.
#[derive(Debug)]
struct Part<T> {
    /// By their numbers. New rows are added at the end. Removing a row from the middle leaves its place empty.
    rows: Vec<(u64, Option<Arc<T>>)>,
    /// How many places are empty: at most half.
    empty: usize,
    spares: Vec<Arc<T>>,
}

/// An entry of a shelf.
pub(crate) trait Row: Sized {
    /// The number that identifies the row: no other row ever has it. It comes from [`next_number`].
    fn number(&self) -> u64;

    /// Whether the memory of this row can be used for another one after its object was destroyed. What the row refers
    /// to lives until then.
    fn refers_to_nothing(&self) -> bool {
        false
    }
}

/// A number that nothing in this process had before. Never 0, and never one of the highest.
#[inline]
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(core::array::from_fn(|_| Mutex::new(Part { rows: Vec::new(), empty: 0, spares: Vec::new() })))
    }
}

impl<T: Row> Shelf<T> {
    #[inline]
    pub(crate) fn put(&self, object: T) -> Arc<T> {
        let number = object.number();
        self.part(number).put(number, object)
    }

    /// Adds an existing row, if it is not on this shelf yet.
    pub(crate) fn keep(&self, row: &Arc<T>) {
        let (number, mut part) = (row.number(), self.part(row.number()));
        if part.find(number).is_none() {
            part.insert(number, Arc::clone(row));
        }
    }

    pub(crate) fn get(&self, number: u64) -> Option<Arc<T>> {
        let part = self.part(number);
        part.find(number).and_then(|at| part.rows.get(at)).and_then(|(_, row)| row.clone())
    }

    #[inline]
    pub(crate) fn has(&self, row: &T) -> bool {
        self.part(row.number()).find(row.number()).is_some()
    }

    #[inline]
    pub(crate) fn remove(&self, row: &T) {
        self.part(row.number()).remove(row.number());
    }

    /// The rows, in the order of their numbers.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        let mut all: Vec<_> = self.parts().flat_map(|part| part.taken().cloned().collect::<Vec<_>>()).collect();
        all.sort_by_key(|row| row.number());
        all
    }

    /// The rows to which no handle points any more.
    pub(crate) fn unnamed(&self) -> Vec<Arc<T>> {
        let mut all: Vec<_> = self.parts().flat_map(|part| unnamed(part.taken())).collect();
        all.sort_by_key(|row| row.number());
        all
    }

    pub(crate) fn len(&self) -> usize {
        self.parts().map(|part| part.rows.len() - part.empty).sum()
    }

    #[inline]
    fn part(&self, number: u64) -> MutexGuard<'_, Part<T>> {
        let [first, ..] = &self.0;
        // The remainder is always a valid index, so the default is never used.
        locked(self.0.get(number as usize % PARTS).unwrap_or(first))
    }

    fn parts(&self) -> impl Iterator<Item = MutexGuard<'_, Part<T>>> {
        self.0.iter().map(locked)
    }
}

impl<T: Row> Part<T> {
    #[inline]
    fn put(&mut self, number: u64, object: T) -> Arc<T> {
        let row = match self.spares.pop() {
            Some(spare) => renewed(spare, object),
            None => Arc::new(object),
        };
        self.insert(number, Arc::clone(&row));
        row
    }

    #[inline]
    fn insert(&mut self, number: u64, row: Arc<T>) {
        match self.rows.last() {
            Some((last, _)) if *last >= number => self.insert_among_all(number, row),
            _ => self.rows.push((number, Some(row))),
        }
    }

    /// Inserts a row before later ones, because another thread took a later number and inserted its row first. Or puts
    /// a row back that was removed.
    #[cold]
    fn insert_among_all(&mut self, number: u64, row: Arc<T>) {
        match self.rows.binary_search_by_key(&number, |(other, _)| *other) {
            Ok(at) => {
                let place = self.rows.get_mut(at).map(|(_, place)| place.replace(row));
                self.empty -= usize::from(place.is_some_and(|before| before.is_none()));
            }
            Err(at) => self.rows.insert(at, (number, Some(row))),
        }
    }

    /// The index of the row with this number.
    #[inline]
    fn find(&self, number: u64) -> Option<usize> {
        match self.rows.last() {
            Some((last, Some(_))) if *last == number => Some(self.rows.len() - 1),
            _ => self.find_among_all(number),
        }
    }

    #[inline(never)]
    fn find_among_all(&self, number: u64) -> Option<usize> {
        let at = self.rows.binary_search_by_key(&number, |(other, _)| *other).ok()?;
        self.rows.get(at).is_some_and(|(_, row)| row.is_some()).then_some(at)
    }

    #[inline]
    fn remove(&mut self, number: u64) {
        match self.rows.last() {
            Some((last, _)) if *last == number => {
                let row = self.rows.pop().and_then(|(_, row)| row);
                // Two threads may remove the same row.
                self.empty -= usize::from(row.is_none());
                self.has_left(row);
            }
            _ => self.remove_among_all(number),
        }
    }

    #[inline(never)]
    fn remove_among_all(&mut self, number: u64) {
        let place = self.find_among_all(number).and_then(|at| self.rows.get_mut(at));
        let row = place.and_then(|(_, row)| row.take());
        self.empty += usize::from(row.is_some());
        self.has_left(row);
        if self.empty > self.rows.len() / 2 {
            self.rows.retain(|(_, row)| row.is_some());
            self.empty = 0;
        }
    }

    #[inline]
    fn has_left(&mut self, row: Option<Arc<T>>) {
        if let Some(row) = row
            && self.spares.len() < SPARES
            && row.refers_to_nothing()
        {
            self.spares.push(row);
        }
    }

    fn taken(&self) -> impl Iterator<Item = &Arc<T>> {
        self.rows.iter().filter_map(|(_, row)| row.as_ref())
    }
}

/// Puts the object into the memory of a spare row, if no handle points to that row any more; otherwise allocates.
#[inline]
fn renewed<T>(mut spare: Arc<T>, object: T) -> Arc<T> {
    match Arc::get_mut(&mut spare) {
        Some(place) => {
            *place = object;
            spare
        }
        None => Arc::new(object),
    }
}

#[inline]
fn locked<T>(part: &Mutex<Part<T>>) -> MutexGuard<'_, Part<T>> {
    part.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing {
        number: u64,
        says: usize,
    }

    impl Row for Thing {
        fn number(&self) -> u64 {
            self.number
        }

        fn refers_to_nothing(&self) -> bool {
            self.says.is_multiple_of(2)
        }
    }

    fn things(shelf: &Shelf<Thing>, count: usize) -> Vec<Arc<Thing>> {
        (0..count).map(|says| shelf.put(Thing { number: next_number(), says })).collect()
    }

    fn say(shelf: &Shelf<Thing>) -> Vec<usize> {
        shelf.all().iter().map(|thing| thing.says).collect()
    }

    #[test]
    fn rows_are_found_and_stay_in_order_whichever_go() {
        let shelf = Shelf::default();
        let things = things(&shelf, 200);
        for gone in things.iter().filter(|thing| thing.says % 3 > 0) {
            assert!(shelf.has(gone));
            shelf.remove(gone);
            shelf.remove(gone);
            assert!(!shelf.has(gone) && shelf.get(gone.number).is_none());
        }
        let left: Vec<_> = (0..200).step_by(3).collect();
        assert_eq!((say(&shelf), shelf.len()), (left.clone(), left.len()));
        let is_there = |thing: &Arc<Thing>| shelf.get(thing.number).is_some_and(|found| Arc::ptr_eq(&found, thing));
        assert!(left.iter().all(|says| things.get(*says).is_some_and(is_there)));
        things.iter().rev().for_each(|thing| shelf.remove(thing));
        assert_eq!(shelf.len(), 0);
    }

    #[test]
    fn a_row_whose_number_is_lower_than_others_stands_before_them_and_is_kept_once() {
        let (shelf, first) = (Shelf::default(), Arc::new(Thing { number: next_number(), says: 0 }));
        let others: Vec<_> = things(&shelf, 40);
        shelf.keep(&first);
        shelf.keep(&first);
        assert_eq!((shelf.len(), shelf.all().first().map(|row| row.number)), (41, Some(first.number)));
        assert!(others.iter().all(|thing| shelf.has(thing)));
    }

    #[test]
    fn a_row_that_is_removed_twice_or_put_back_is_counted_once() {
        let shelf = Shelf::default();
        let things = things(&shelf, 2 * PARTS);
        let (first, second) = things.split_at(PARTS);
        for thing in first.iter().chain(second).chain(first) {
            shelf.remove(thing);
        }
        assert_eq!(shelf.len(), 0);
        for thing in second.iter().chain(first) {
            shelf.keep(thing);
        }
        assert_eq!(shelf.len(), 2 * PARTS);
        first.iter().for_each(|thing| shelf.remove(thing));
        first.iter().for_each(|thing| shelf.keep(thing));
        assert_eq!((shelf.len(), say(&shelf)), (2 * PARTS, (0..2 * PARTS).collect()));
        assert!(things.iter().all(|thing| shelf.has(thing)));
    }

    #[test]
    fn the_memory_of_a_row_is_used_again_when_nothing_names_it_and_it_refers_to_nothing() {
        let shelf = Shelf::default();
        let rounds = |names: bool, says: usize| {
            let (mut seen, mut kept) = (std::collections::BTreeSet::new(), Vec::new());
            for _ in 0..10 * PARTS {
                let row = shelf.put(Thing { number: next_number(), says });
                assert_eq!(row.says, says);
                shelf.remove(&row);
                seen.insert(Arc::as_ptr(&row).addr());
                kept.extend(names.then_some(row));
            }
            assert!(kept.iter().all(|row| row.says == says), "a row that is named was used for another");
            seen.len()
        };
        assert!(rounds(false, 2) <= PARTS);
        assert_eq!(rounds(true, 4), 10 * PARTS);
        let named = shelf.put(Thing { number: next_number(), says: 1 });
        shelf.remove(&named);
        assert_eq!(Arc::strong_count(&named), 1, "a row that refers to something is kept");
    }

    #[test]
    fn who_has_the_only_name_of_a_row_beside_the_shelf_is_seen() {
        let shelf = Shelf::default();
        let mut things = things(&shelf, 20);
        things.retain(|thing| thing.says >= 5);
        let unnamed: Vec<_> = shelf.unnamed().iter().map(|thing| thing.says).collect();
        assert_eq!(unnamed, [0, 1, 2, 3, 4]);
    }
}
