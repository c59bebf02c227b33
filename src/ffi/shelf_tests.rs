//! Rows on one thread. `tests/stamps/shelves.rs` has several threads.

use super::shelf::{Row, Shelf, ShelfPlace};
use std::sync::Arc;

/// As many rows as a shelf keeps hints for.
const HINTS: usize = 8;
/// More slots than a number can tell apart, in several levels.
const MANY: usize = 10_000;

struct Thing {
    place: ShelfPlace,
    says: usize,
}

impl Thing {
    fn new(says: usize) -> Self {
        Self { place: ShelfPlace::new(), says }
    }
}

impl Row for Thing {
    fn place(&self) -> &ShelfPlace {
        &self.place
    }

    fn refers_to_nothing(&self) -> bool {
        self.says.is_multiple_of(2)
    }
}

fn things(shelf: &Shelf<Thing>, count: usize) -> Vec<Arc<Thing>> {
    (0..count).map(|says| shelf.put(Thing::new(says))).collect()
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
        assert!(!shelf.has(gone) && shelf.get(gone.number()).is_none());
    }
    let left: Vec<_> = (0..200).step_by(3).collect();
    assert_eq!((say(&shelf), shelf.len()), (left.clone(), left.len()));
    let is_there = |thing: &Arc<Thing>| shelf.get(thing.number()).is_some_and(|found| Arc::ptr_eq(&found, thing));
    assert!(left.iter().all(|says| things.get(*says).is_some_and(is_there)));
    things.iter().rev().for_each(|thing| shelf.remove(thing));
    assert_eq!(shelf.len(), 0);
}

#[test]
fn a_row_whose_number_is_lower_than_others_stands_before_them_and_is_kept_once() {
    let (shelf, first) = (Shelf::default(), Arc::new(Thing::new(0)));
    let others: Vec<_> = things(&shelf, 40);
    shelf.keep(&first);
    shelf.keep(&first);
    assert_eq!((shelf.len(), shelf.all().first().map(|row| row.number())), (41, Some(first.number())));
    assert!(others.iter().all(|thing| shelf.has(thing)));
}

#[test]
fn a_row_that_is_removed_twice_or_put_back_is_counted_once() {
    let shelf = Shelf::default();
    let things = things(&shelf, 2 * HINTS);
    let (first, second) = things.split_at(HINTS);
    for thing in first.iter().chain(second).chain(first) {
        shelf.remove(thing);
    }
    assert_eq!(shelf.len(), 0);
    for thing in second.iter().chain(first) {
        shelf.keep(thing);
    }
    assert_eq!(shelf.len(), 2 * HINTS);
    first.iter().for_each(|thing| shelf.remove(thing));
    first.iter().for_each(|thing| shelf.keep(thing));
    assert_eq!((shelf.len(), say(&shelf)), (2 * HINTS, (0..2 * HINTS).collect()));
    assert!(things.iter().all(|thing| shelf.has(thing)));
}

#[test]
fn the_memory_of_a_row_is_used_again_when_nothing_names_it_and_it_refers_to_nothing() {
    let shelf = Shelf::default();
    let rounds = |names: bool, says: usize| {
        let (mut seen, mut kept) = (std::collections::BTreeSet::new(), Vec::new());
        for _ in 0..10 * HINTS {
            let row = shelf.put(Thing::new(says));
            assert_eq!(row.says, says);
            shelf.remove(&row);
            seen.insert(Arc::as_ptr(&row).addr());
            kept.extend(names.then_some(row));
        }
        assert!(kept.iter().all(|row| row.says == says), "a row that is named was used for another");
        seen.len()
    };
    assert!(rounds(false, 2) <= HINTS);
    assert_eq!(rounds(true, 4), 10 * HINTS);
    let named = shelf.put(Thing::new(1));
    shelf.remove(&named);
    assert_eq!(Arc::strong_count(&named), 1, "a row that refers to something is kept");
}

#[test]
fn the_fast_path_removes_the_row_itself_and_nothing_else() {
    let (shelf, other) = (Shelf::default(), Shelf::default());
    let (own, theirs) = (things(&shelf, 2 * HINTS), things(&other, 2 * HINTS));
    for row in &theirs {
        shelf.take_out(row, row.refers_to_nothing());
    }
    assert!(own.iter().all(|row| shelf.has(row)) && theirs.iter().all(|row| other.has(row)));
    for row in own.iter().chain(&own) {
        shelf.take_out(row, row.refers_to_nothing());
        assert!(!shelf.has(row));
    }
    assert_eq!((shelf.len(), other.len()), (0, 2 * HINTS));
    // A row that refers to something is not kept.
    assert!(own.iter().all(|row| (Arc::strong_count(row) > 1) == row.refers_to_nothing()));
}

#[test]
fn a_row_in_the_last_slot_that_refers_to_something_is_not_kept() {
    for says in [1, 2] {
        let shelf = Shelf::default();
        let row = shelf.put(Thing::new(says));
        let weak = Arc::downgrade(&row);
        shelf.take_out(&row, row.refers_to_nothing());
        drop(row);
        assert_eq!(weak.strong_count() > 0, says == 2, "{says}");
    }
}

#[test]
fn what_is_put_in_a_row_s_place_uses_its_memory_also_beside_rows_that_stay() {
    let shelf = Shelf::default();
    let stay = things(&shelf, 100);
    let mut seen = std::collections::BTreeSet::new();
    for says in 100..200 {
        let row = shelf.put_by(|place| Thing { place, says });
        assert_eq!((row.says, shelf.len()), (says, 101));
        assert!(shelf.get(row.number()).is_some_and(|found| Arc::ptr_eq(&found, &row)));
        seen.insert(Arc::as_ptr(&row).addr());
        shelf.take_out(&row, true);
        assert!(shelf.get(row.number()).is_none() && !shelf.has(&row) && shelf.len() == 100);
    }
    assert_eq!(seen.len(), 1);
    assert_eq!(say(&shelf), (0..100).collect::<Vec<_>>());
    drop(stay);
}

#[test]
fn the_memory_of_a_row_with_a_weak_pointer_is_not_used_again() {
    let shelf = Shelf::default();
    let row = shelf.put(Thing::new(0));
    let weak = Arc::downgrade(&row);
    shelf.take_out(&row, true);
    drop(row);
    let next = shelf.put(Thing::new(2));
    assert!(weak.upgrade().is_none() && next.says == 2);
}

#[test]
fn a_row_that_was_taken_out_can_come_back() {
    let shelf = Shelf::default();
    let row = shelf.put(Thing::new(0));
    shelf.take_out(&row, true);
    let next = shelf.put(Thing::new(2));
    shelf.keep(&row);
    assert!(shelf.has(&row) && shelf.has(&next) && shelf.len() == 2);
}

#[test]
fn a_shelf_that_goes_drops_its_spare_row() {
    let shelf = Shelf::default();
    let row = shelf.put(Thing::new(0));
    let weak = Arc::downgrade(&row);
    shelf.take_out(&row, true);
    drop(row);
    assert!(weak.strong_count() == 1, "the slot keeps the memory");
    drop(shelf);
    assert!(weak.upgrade().is_none());
}

#[test]
fn who_has_the_only_name_of_a_row_beside_the_shelf_is_seen() {
    let shelf = Shelf::default();
    let mut things = things(&shelf, 20);
    things.retain(|thing| thing.says >= 5);
    let unreferenced: Vec<_> = shelf.unreferenced().iter().map(|thing| thing.says).collect();
    assert_eq!(unreferenced, [0, 1, 2, 3, 4]);
    // New rows get the slots of those that went, but higher numbers.
    things.iter().step_by(2).for_each(|thing| shelf.remove(thing));
    drop((0..20).map(|says| shelf.put(Thing::new(says))).collect::<Vec<_>>());
    let numbers: Vec<_> = shelf.unreferenced().iter().map(|thing| thing.number()).collect();
    assert!(numbers.len() == 25 && numbers.is_sorted(), "{numbers:?}");
}

#[test]
fn a_row_is_found_by_its_number_among_more_rows_than_numbers_tell_apart() {
    let shelf = Shelf::default();
    let put = |says| shelf.put_by(|place| Thing { place, says });
    let all: Vec<_> = (0..MANY).map(put).collect();
    assert_eq!(shelf.len(), MANY);
    for thing in &all {
        assert!(shelf.get(thing.number()).is_some_and(|found| Arc::ptr_eq(&found, thing)));
    }
    let gone: Vec<_> = all.iter().filter(|thing| thing.says % 7 == 0).collect();
    gone.iter().for_each(|thing| shelf.remove(thing));
    assert!(gone.iter().all(|thing| shelf.get(thing.number()).is_none() && !shelf.has(thing)));
    // The free slots of all groups are used before there are more groups.
    let again: Vec<_> = (0..gone.len()).map(put).collect();
    assert!(again.iter().all(|thing| shelf.get(thing.number()).is_some_and(|found| Arc::ptr_eq(&found, thing))));
    assert_eq!(shelf.len(), MANY);
    let mut numbers: Vec<_> = all.iter().chain(&again).map(|thing| thing.number()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), MANY + gone.len(), "two rows had one number");
}
