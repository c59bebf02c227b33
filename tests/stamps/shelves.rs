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
                shelf.take_out(&row);
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
        shelf.take_out(&first);
        drop(first);
        let second = shelf.put(Thing::new(2));
        assert_eq!(second.value(), 2);
        assert!(looks.join().unwrap() <= 1);
        assert_eq!(shelf.all().iter().map(|row| row.value()).collect::<Vec<_>>(), [2]);
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
            shelf.take_out(&row);
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
        shelf.take_out(&theirs);
        assert!(shelf.has(&own) && other.has(&theirs));
    });
}
