//! An allocator that is in use, and its blocks, which go out and come back on several threads.

use super::allocator::recent::Recent;
use super::allocator::size_class::SizeClass;
use super::ffi::in_place::{InPlace, NotTaken};
use super::ffi::places::Places;
use super::inside::LoomCell;
use ascendcl_macros::proves;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;
use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ptr::without_provenance_mut;

/// Something that loom watches: two accesses that are not ordered fail the test.
struct Watched(LoomCell<u64>);

impl Watched {
    fn new(value: u64) -> Self {
        Self(LoomCell::new(value))
    }

    fn read(&self) -> u64 {
        // SAFETY: the pointer is valid, and loom fails the test if another thread writes meanwhile.
        self.0.with(|value| unsafe { *value })
    }

    fn write(&self, new: u64) {
        // SAFETY: the pointer is valid, and loom fails the test if another thread accesses it meanwhile.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}

/// As a call of the library does it: what it finds.
fn uses(allocator: &InPlace<Watched>) -> Option<u64> {
    allocator.look(Watched::read)
}

#[proves(ALLOC_12)]
#[test]
fn an_allocator_that_is_taken_out_has_no_use_and_gets_none() {
    loom::model(|| {
        let allocator = Arc::new(InPlace::vacant());
        assert!(allocator.put(Watched::new(1)).is_ok());
        let other = Arc::clone(&allocator);
        let library = thread::spawn(move || uses(&other));
        match allocator.take() {
            Ok(taken) => {
                taken.write(2);
                assert_eq!(allocator.take().err(), Some(NotTaken::Vacant));
                assert!(allocator.put(taken).is_ok());
                assert!(matches!(library.join().unwrap(), None | Some(1 | 2)));
            }
            Err(reason) => {
                assert_eq!(reason, NotTaken::InUse(1));
                assert_eq!(library.join().unwrap(), Some(1));
            }
        }
        // All uses have ended.
        assert!(allocator.take().is_ok());
    });
}

#[proves(ALLOC_12)]
#[test]
fn a_use_sees_what_was_done_with_the_allocator_before_it_was_put_there() {
    loom::model(|| {
        let allocator = Arc::new(InPlace::vacant());
        let other = Arc::clone(&allocator);
        let library = thread::spawn(move || uses(&other));
        let value = Watched::new(1);
        value.write(2);
        assert!(allocator.put(value).is_ok());
        assert!(allocator.put(Watched::new(3)).is_err());
        assert!(matches!(library.join().unwrap(), None | Some(2)));
        assert_eq!(allocator.take().unwrap().read(), 2);
    });
}

#[proves(ALLOC_16)]
#[test]
fn an_allocator_that_is_shut_gets_no_further_use_until_it_is_reopened() {
    loom::model(|| {
        let allocator = Arc::new(InPlace::vacant());
        allocator.reopen();
        allocator.shut();
        assert!(allocator.put(Watched::new(1)).is_ok(), "nothing was shut");
        let other = Arc::clone(&allocator);
        let library = thread::spawn(move || uses(&other));
        allocator.shut();
        allocator.shut();
        assert_eq!(uses(&allocator), None);
        assert!(allocator.put(Watched::new(2)).is_err());
        assert_eq!(allocator.take().err(), Some(NotTaken::Vacant));
        allocator.reopen();
        allocator.reopen();
        assert!(matches!(library.join().unwrap(), None | Some(1)));
        assert_eq!(uses(&allocator), Some(1));
        assert_eq!(allocator.take().unwrap().read(), 1);
    });
}

#[proves(ALLOC_16)]
#[test]
fn a_use_of_an_allocator_that_another_thread_has_reopened_sees_it_as_it_was_put_there() {
    loom::model(|| {
        let allocator = Arc::new(InPlace::vacant());
        let [there, other] = [(); 2].map(|()| Arc::clone(&allocator));
        let puts = thread::spawn(move || there.put(Watched::new(1)).is_ok());
        let library = thread::spawn(move || uses(&other));
        allocator.shut();
        allocator.reopen();
        assert!(matches!(library.join().unwrap(), None | Some(1)));
        assert!(puts.join().unwrap());
        assert_eq!(uses(&allocator), Some(1));
    });
}

#[test]
fn of_two_threads_one_puts_its_allocator_there() {
    loom::model(|| {
        let allocator = Arc::new(InPlace::vacant());
        let other = Arc::clone(&allocator);
        let puts = thread::spawn(move || other.put(Watched::new(1)).is_ok());
        let here = allocator.put(Watched::new(2)).is_ok();
        assert!(here != puts.join().unwrap());
        assert_eq!(allocator.take().unwrap().read(), if here { 2 } else { 1 });
    });
}

#[test]
fn an_allocator_is_put_where_another_thread_has_taken_one_out() {
    loom::model(|| {
        let allocator = Arc::new(InPlace::vacant());
        assert!(allocator.put(Watched::new(1)).is_ok());
        let other = Arc::clone(&allocator);
        let takes = thread::spawn(move || other.take().map(|taken| taken.read()));
        let put = allocator.put(Watched::new(2));
        assert_eq!(takes.join().unwrap(), Ok(1));
        let has = put.map_or_else(|_| None, |()| Some(2));
        assert_eq!(allocator.take().ok().map(|taken| taken.read()), has);
    });
}

fn lend(places: &Places<Watched>, value: u64) -> usize {
    places.lend(1, Watched::new(value)).0.addr()
}

/// The block behind this pointer, and whether it was marked.
fn take_back(places: &Places<Watched>, pointer: usize) -> Option<(u64, bool)> {
    let pointer: *mut c_void = without_provenance_mut(pointer);
    places.take_back(pointer).map(|back| {
        let was_marked = back.was_marked();
        (back.leave().read(), was_marked)
    })
}

#[proves(ALLOC_19)]
#[test]
fn a_place_has_one_block_at_a_time() {
    loom::model(|| {
        let places = Arc::new(Places::default());
        let round = |value: u64| {
            let places = Arc::clone(&places);
            move || {
                let pointer = lend(&places, value);
                assert_eq!(take_back(&places, pointer), Some((value, false)));
            }
        };
        let other = thread::spawn(round(1));
        round(2)();
        other.join().unwrap();
        assert_eq!(places.count(), 0);
    });
}

#[proves(ALLOC_19)]
#[test]
fn a_block_that_two_threads_give_back_comes_back_once() {
    loom::model(|| {
        let places = Arc::new(Places::default());
        let pointer = Arc::new(AtomicUsize::new(0));
        let (there, has) = (Arc::clone(&places), Arc::clone(&pointer));
        // Another thread may get the pointer in a way that orders nothing else.
        let other = thread::spawn(move || take_back(&there, has.load(Ordering::Relaxed)));
        pointer.store(lend(&places, 7), Ordering::Relaxed);
        let here = take_back(&places, pointer.load(Ordering::Relaxed));
        let there = other.join().unwrap();
        assert!([here, there] == [Some((7, false)), None] || [here, there] == [None, Some((7, false))]);
    });
}

#[proves(GRAPH_05)]
#[test]
fn a_block_that_is_lent_while_a_capture_begins_is_marked() {
    loom::model(|| {
        let places = Arc::new(Places::default());
        let there = Arc::clone(&places);
        let captures = thread::spawn(move || there.begin_marking().collect::<Vec<_>>());
        let (pointer, is_to_be_marked) = places.lend(1, Watched::new(7));
        if is_to_be_marked {
            assert!(places.mark(pointer));
        }
        let marked = captures.join().unwrap();
        assert!(is_to_be_marked || marked == [pointer.addr()], "the graph does not have it");
        assert_eq!(take_back(&places, pointer.addr()), Some((7, true)));
    });
}

#[proves(GRAPH_05)]
#[test]
fn a_block_that_comes_back_while_a_capture_begins_says_whether_it_was_marked() {
    loom::model(|| {
        let places = Arc::new(Places::default());
        let pointer = lend(&places, 7);
        let has_begun = Arc::new(AtomicBool::new(false));
        let (there, begun) = (Arc::clone(&places), Arc::clone(&has_begun));
        let captures = thread::spawn(move || {
            let marked = there.begin_marking().collect::<Vec<_>>();
            begun.store(true, Ordering::Release);
            marked
        });
        let had_begun = has_begun.load(Ordering::Acquire);
        let (_, was_marked) = take_back(&places, pointer).unwrap();
        assert_eq!(captures.join().unwrap(), if was_marked { vec![pointer] } else { vec![] });
        assert!(was_marked || !had_begun);
    });
}

#[proves(ALLOC_11)]
#[test]
fn a_block_of_a_pool_that_came_back_goes_to_one_thread() {
    loom::model(|| {
        let (recent, size) = (Arc::new(Recent::new()), SizeClass::numbered(2));
        let (first, second) = (NonZeroUsize::new(512).unwrap(), NonZeroUsize::new(1024).unwrap());
        assert!(recent.put(size, first));
        let there = Arc::clone(&recent);
        let other = thread::spawn(move || (there.take(size), there.put(size, second)));
        let mut all = Vec::from_iter(recent.take(size));
        let (taken, put) = other.join().unwrap();
        assert!(put, "there is room");
        all.extend(taken);
        all.extend(std::iter::from_fn(|| recent.take(size)));
        all.sort_unstable();
        assert_eq!(all, [first, second], "a block is lost, or two have it");
    });
}

#[test]
fn a_slot_keeps_one_block_of_a_pool() {
    loom::model(|| {
        let (recent, size) = (Arc::new(Recent::new()), SizeClass::numbered(2));
        let there = Arc::clone(&recent);
        let other = thread::spawn(move || there.put(size, NonZeroUsize::new(512).unwrap()));
        assert!(recent.put(size, NonZeroUsize::new(1024).unwrap()));
        assert!(other.join().unwrap());
        assert_eq!(std::iter::from_fn(|| recent.take(size)).count(), 2, "a block is lost");
    });
}
