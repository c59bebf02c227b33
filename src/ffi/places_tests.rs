//! Places on one thread. `tests/stamps/lent.rs` has several threads.

use super::free_slots::SLOTS;
use super::places::{CameBack, Place, Places, address_of};
use core::ffi::c_void;
use core::ptr;

/// What the library is told of the block behind a pointer.
fn told(pointer: *mut c_void) -> usize {
    // SAFETY: `address_of` asks for a pointer that is lent, and for its places: the tests keep both.
    unsafe { address_of(pointer) }.unwrap().get()
}

fn lend<T>(places: &Places<T>, number: usize, block: T) -> *mut c_void {
    places.lend(number, block).0
}

fn take_back<T>(places: &Places<T>, pointer: *mut c_void) -> Option<T> {
    places.take_back(pointer).map(CameBack::leave)
}

#[test]
fn each_block_has_a_place_of_its_own_that_stays_when_more_are_lent() {
    let places = Places::default();
    let pointers: Vec<_> = (1..1001).map(|number| lend(&places, number, number)).collect();
    assert_eq!(places.count(), 1000);
    for (number, pointer) in (1..1001).zip(&pointers) {
        assert_eq!(told(*pointer), number);
        assert!(places.has(number));
    }
    for (number, pointer) in (1..1001).zip(&pointers).rev() {
        assert_eq!(take_back(&places, *pointer), Some(number));
        assert!(!places.has(number));
    }
    assert_eq!(places.count(), 0);
}

#[test]
fn a_pointer_that_is_not_lent_is_no_block() {
    let places = Places::default();
    let (first, second) = (lend(&places, 1, 1), lend(&places, 2, 2));
    let local = 0_usize;
    let unknown = [
        ptr::null_mut(),
        first.wrapping_byte_add(1),
        first.wrapping_byte_sub(size_of::<Place<i32>>()),
        // A place that is free.
        second.wrapping_byte_add(size_of::<Place<i32>>()),
        first.wrapping_byte_add(SLOTS * size_of::<Place<i32>>()),
        ptr::from_ref(&local).cast_mut().cast(),
    ];
    for pointer in unknown {
        assert_eq!(take_back(&places, pointer), None, "{pointer:?}");
        assert!(!places.mark(pointer), "{pointer:?}");
    }
    assert_eq!(take_back(&places, first), Some(1));
    assert_eq!(take_back(&places, first), None, "it came back before");
    assert_eq!(places.count(), 1);
    assert_eq!(places.begin_marking().collect::<Vec<_>>(), [second.addr()]);
    assert!(places.lend(3, 3).1);
    places.end_marking();
    assert!(!places.lend(4, 4).1);
}

#[test]
fn a_place_whose_block_was_marked_is_lent_again_only_after_its_end_was_noticed() {
    let places = Places::default();
    let (first, second) = (lend(&places, 1, 1), lend(&places, 2, 2));
    assert!(places.mark(first) && places.mark(first));
    let back = places.take_back(first).unwrap();
    let third = lend(&places, 3, 3);
    assert!(back.was_marked() && third != first && third != second);
    assert_eq!(back.leave(), 1);
    let again = lend(&places, 4, 4);
    assert_eq!(again, first, "its place is free");
    assert!(!places.take_back(again).unwrap().was_marked());
    assert_eq!((take_back(&places, second), take_back(&places, third)), (Some(2), Some(3)));
}
