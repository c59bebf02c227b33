//! Rows that threads add, look for and remove at the same time.

use super::ffi::shelf::{Row, Shelf, ShelfPlace};
use ascendcl_macros::proves;
use loom::sync::Arc as Shared;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

/// A row whose memory is used again.
#[derive(Debug)]
struct Thing {
    place: ShelfPlace,
    /// Not an atomic: loom sees whether it is read and written at the same time.
    value: super::inside::LoomCell<u64>,
}

impl Thing {
    /// The numbers are the same in each run of a model. They lead to the same group of slots.
    fn new(value: u64) -> Self {
        Self { place: ShelfPlace::of(value * 8 * 4096), value: super::inside::LoomCell::new(value) }
    }

    fn value(&self) -> u64 {
        // SAFETY: the pointer is valid, and loom fails the test if another thread writes meanwhile.
        self.value.with(|value| unsafe { *value })
    }
}

impl Row for Thing {
    fn place(&self) -> &ShelfPlace {
        &self.place
    }

    fn refers_to_nothing(&self) -> bool {
        true
    }
}

/// A shelf that has allocated its slots: loom does not see how that orders the threads.
fn shelf() -> Shared<Shelf<Thing>> {
    let shelf = Shared::new(Shelf::default());
    shelf.remove(&shelf.put(Thing::new(0)));
    shelf
}

/// Like [`shelf`], with a spare slot.
fn shelf_with_spare() -> Shared<Shelf<Thing>> {
    let shelf = shelf();
    shelf.take_out(&shelf.put(Thing::new(0)), true);
    shelf
}

fn of_two_threads(test: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(test);
}

#[proves(STREAM_01)]
#[test]
fn each_thread_gets_a_slot_of_its_own_and_every_row_is_found_until_it_is_removed() {
    of_two_threads(|| {
        let shelf = shelf();
        let of_both = |value: u64| {
            let shelf = Shared::clone(&shelf);
            move || {
                let row = shelf.put(Thing::new(value));
                assert!(shelf.has(&row), "a row is lost");
                assert_eq!(shelf.get(row.number()).unwrap().value(), value, "another row is in its place");
                shelf.take_out(&row, true);
                assert!(!shelf.has(&row));
                assert_eq!(row.value(), value, "a row that has a name was used for another object");
            }
        };
        let other = thread::spawn(of_both(1));
        of_both(2)();
        other.join().unwrap();
        assert_eq!((shelf.len(), shelf.all().len()), (0, 0));
    });
}

#[proves(STREAM_01)]
#[test]
fn the_memory_of_a_row_goes_to_another_only_after_every_look_at_it() {
    of_two_threads(|| {
        let shelf = shelf();
        let first = shelf.put(Thing::new(1));
        let theirs = Shared::clone(&shelf);
        let looks = thread::spawn(move || {
            let all = theirs.all();
            assert!(all.iter().all(|row| [1, 2].contains(&row.value())));
            theirs.unreferenced().len()
        });
        shelf.take_out(&first, true);
        drop(first);
        let second = shelf.put(Thing::new(2));
        assert_eq!(second.value(), 2);
        assert!(looks.join().unwrap() <= 1);
        assert_eq!(shelf.all().iter().map(|row| row.value()).collect::<Vec<_>>(), [2]);
    });
}

/// There is a spare slot, so that the first row is removed in another way.
#[proves(STREAM_01)]
#[test]
fn the_memory_of_a_row_beside_a_spare_slot_goes_to_another_only_after_every_look_at_it() {
    of_two_threads(|| {
        let shelf = shelf();
        let (first, last) = (shelf.put(Thing::new(1)), shelf.put(Thing::new(2)));
        shelf.take_out(&last, true);
        drop(last);
        let theirs = Shared::clone(&shelf);
        let looks = thread::spawn(move || theirs.all().iter().all(|row| [1, 3, 4].contains(&row.value())));
        shelf.take_out(&first, true);
        drop(first);
        let rows = [3, 4].map(|value| shelf.put(Thing::new(value)));
        assert_eq!([rows[0].value(), rows[1].value()], [3, 4]);
        assert!(looks.join().unwrap());
        assert_eq!((shelf.len(), shelf.all().len()), (2, 2));
    });
}

#[proves(STREAM_01)]
#[test]
fn one_of_two_threads_removes_a_row_and_one_of_two_puts_it_back() {
    of_two_threads(|| {
        let (shelf, looked) = (shelf(), Shared::new(AtomicU64::new(0)));
        let row = shelf.put(Thing::new(1));
        let theirs = (Shared::clone(&shelf), row.clone(), Shared::clone(&looked));
        let other = thread::spawn(move || {
            let (shelf, row, looked) = theirs;
            shelf.take_out(&row, true);
            shelf.keep(&row);
            looked.fetch_add(row.value(), Ordering::Relaxed);
        });
        shelf.keep(&row);
        assert!(shelf.len() <= 2);
        other.join().unwrap();
        assert_eq!((shelf.len(), shelf.all().len()), (1, 1), "it is there twice, or not at all");
        shelf.remove(&row);
        assert_eq!((shelf.len(), looked.load(Ordering::Relaxed)), (0, 1));
    });
}

/// A search that does not find the row takes its work for done.
#[proves(MEM_02)]
#[test]
fn a_row_that_two_threads_put_on_a_shelf_is_there_for_each_as_soon_as_it_has_done_so() {
    of_two_threads(|| {
        let shelf = shelf();
        let row = shelf.put(Thing::new(1));
        shelf.remove(&row);
        let theirs = (Shared::clone(&shelf), row.clone());
        let other = thread::spawn(move || {
            let (shelf, row) = theirs;
            shelf.keep(&row);
            assert!(shelf.get(row.number()).is_some(), "the other thread is still looking for a slot");
        });
        shelf.keep(&row);
        assert!(shelf.get(row.number()).is_some(), "the other thread is still looking for a slot");
        other.join().unwrap();
        assert_eq!((shelf.len(), shelf.all().len()), (1, 1));
    });
}

#[proves(STREAM_01)]
#[test]
fn the_row_of_another_shelf_is_not_on_this_one_though_a_row_is_in_its_slot() {
    loom::model(|| {
        let (shelf, other) = (shelf(), shelf());
        let (own, theirs) = (shelf.put(Thing::new(1)), other.put(Thing::new(2)));
        assert!(!shelf.has(&theirs));
        shelf.remove(&theirs);
        shelf.take_out(&theirs, true);
        assert!(shelf.has(&own) && other.has(&theirs));
        // Another path is taken beside a spare slot.
        shelf.take_out(&shelf.put(Thing::new(3)), true);
        shelf.take_out(&theirs, true);
        assert!(shelf.has(&own) && other.has(&theirs));
    });
}

#[proves(STREAM_01)]
#[test]
fn one_of_two_threads_gets_the_spare_slot() {
    of_two_threads(|| {
        let shelf = shelf_with_spare();
        let of_both = |value: u64| {
            let shelf = Shared::clone(&shelf);
            move || {
                let row = shelf.put(Thing::new(value));
                assert!(shelf.has(&row) && row.value() == value, "another row is in its slot");
                row
            }
        };
        let other = thread::spawn(of_both(1));
        let rows = (of_both(2)(), other.join().unwrap());
        assert_eq!((rows.0.value(), rows.1.value()), (2, 1));
        assert_eq!(shelf.all().iter().map(|row| row.value()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(shelf.len(), 2);
    });
}

#[proves(STREAM_01)]
#[test]
fn a_spare_slot_has_no_row() {
    of_two_threads(|| {
        let shelf = shelf_with_spare();
        assert_eq!((shelf.len(), shelf.all().len(), shelf.unreferenced().len()), (0, 0, 0));
        let row = shelf.put(Thing::new(1));
        let theirs = Shared::clone(&shelf);
        let looks = thread::spawn(move || {
            let (all, count) = (theirs.all(), theirs.len());
            assert!(count <= all.len(), "a row came back");
            theirs.get(8 * 4096).is_none_or(|row| row.value() == 1)
        });
        shelf.take_out(&row, true);
        assert!(!shelf.has(&row) && shelf.get(row.number()).is_none());
        assert!(looks.join().unwrap());
        assert_eq!((shelf.len(), shelf.all().len(), shelf.unreferenced().len()), (0, 0, 0));
    });
}

/// Two threads leave a spare slot at once, and the shelf leads to one of them. The other is not lost: the shelf does not
/// grow before it is used.
#[proves(STREAM_01)]
#[test]
fn a_spare_slot_that_nothing_leads_to_is_used_before_the_shelf_grows() {
    /// The slots of the first level.
    const FIRST_LEVEL: u64 = 8 * 64;
    let mut model = loom::model::Builder::new();
    (model.preemption_bound, model.max_branches) = (Some(1), 1_000_000);
    model.check(|| {
        let shelf = shelf();
        let [one, other, last] = [1, 2, 3].map(|value| shelf.put(Thing::new(value)));
        let addresses = [address_of(&one), address_of(&other)];
        let theirs = Shared::clone(&shelf);
        let leaves = thread::spawn(move || theirs.take_out(&other, true));
        shelf.take_out(&one, true);
        leaves.join().unwrap();
        drop(one);
        let rest: Vec<_> = (4..FIRST_LEVEL + 3).map(|value| shelf.put(Thing::new(value))).collect();
        assert_eq!(shelf.len(), rest.len() + 1);
        for address in addresses {
            assert!(rest.iter().any(|row| address_of(row) == address), "a spare slot is lost");
        }
        assert_eq!(last.value(), 3);
    });
}

fn address_of(row: &Thing) -> usize {
    std::ptr::from_ref(row).addr()
}
