//! The pointers by which the library knows the blocks of an allocator.
//!
//! The library gets a pointer to a [`Place`], which has the block's device address. Places do not move and are used
//! again, so a block that goes out and comes back allocates nothing. A pointer that comes back is compared with the
//! places as a number: nothing is read through a pointer that was not lent.

use crate::device_allocator::DeviceAddress;
use core::ffi::c_void;
use core::num::NonZeroUsize;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// What the library's pointer points to: the address of the block.
#[repr(transparent)]
#[derive(Default)]
pub(super) struct Place(AtomicUsize);

/// The blocks that the library has, each with its place.
pub(super) struct Places<T> {
    /// Each group has twice as many places as the one before. The library reads them while no lock is held, so they are
    /// never borrowed mutably.
    groups: Vec<Arc<[Place]>>,
    /// What belongs to each place: `None` for the free ones.
    lent: Vec<Option<T>>,
    /// The numbers of the free places.
    free: Vec<usize>,
}

/// How many places the first group has.
const FIRST: usize = 32;

impl Place {
    /// The device address of a block.
    ///
    /// # Safety
    ///
    /// `place` is a pointer of [`Places::lend`] that did not come back, and the places are there.
    pub(super) unsafe fn address(place: *mut c_void) -> Option<NonZeroUsize> {
        // SAFETY: a reference asks for an initialised value that nobody borrows mutably. The pointer is one to a place (the
        // safety section), which is in a group that stays, and `Places` borrows groups only shared.
        let place = unsafe { &*place.cast_const().cast::<Self>() };
        NonZeroUsize::new(place.0.load(Ordering::Relaxed))
    }
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { groups: Vec::new(), lent: Vec::new(), free: Vec::new() }
    }
}

impl<T> Places<T> {
    /// Lends a block: the pointer by which the library knows it.
    #[inline(always)]
    pub(super) fn lend(&mut self, address: DeviceAddress, block: T) -> *mut c_void {
        let number = match self.free.pop() {
            Some(number) => number,
            None => self.grow(),
        };
        // Both are there: `grow` has made the number.
        let (Some(place), Some(lent)) = (place(&self.groups, number), self.lent.get_mut(number)) else {
            return ptr::null_mut();
        };
        *lent = Some(block);
        place.0.store(address.number(), Ordering::Relaxed);
        ptr::from_ref(place).cast_mut().cast()
    }

    /// Takes a block back. `None` for a pointer that is not lent.
    #[inline(always)]
    pub(super) fn take_back(&mut self, pointer: *mut c_void) -> Option<T> {
        let number = self.number(pointer.addr())?;
        let block = self.lent.get_mut(number)?.take()?;
        self.free.push(number);
        Some(block)
    }

    /// How many blocks are lent.
    pub(super) fn count(&self) -> usize {
        self.lent.len() - self.free.len()
    }

    /// Whether a block at this address is lent.
    pub(super) fn has(&self, address: DeviceAddress) -> bool {
        let places = self.groups.iter().flat_map(|group| group.iter());
        places
            .zip(&self.lent)
            .any(|(place, lent)| lent.is_some() && place.0.load(Ordering::Relaxed) == address.number())
    }

    /// The pointers that are lent, as numbers.
    pub(super) fn pointers(&self) -> impl Iterator<Item = usize> {
        self.lent().map(|place| ptr::from_ref(place).addr())
    }

    fn lent(&self) -> impl Iterator<Item = &Place> {
        let places = self.groups.iter().flat_map(|group| group.iter());
        places.zip(&self.lent).filter(|(_, lent)| lent.is_some()).map(|(place, _)| place)
    }

    /// The number of the place at this address.
    #[inline]
    fn number(&self, pointer: usize) -> Option<usize> {
        let mut before = 0;
        for group in &self.groups {
            let offset = pointer.wrapping_sub(group.as_ptr().addr());
            if offset < size_of_val::<[Place]>(group) {
                return offset.is_multiple_of(size_of::<Place>()).then_some(before + offset / size_of::<Place>());
            }
            before += group.len();
        }
        None
    }

    /// Adds a group of places: the number of one of them, which is not among the free ones.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> usize {
        let first = self.lent.len();
        let more = first.max(FIRST);
        self.groups.push((0..more).map(|_| Place::default()).collect());
        self.lent.resize_with(first + more, || None);
        // So many can be free at once: giving one back does not allocate.
        self.free.reserve(self.lent.len());
        self.free.extend((first + 1..first + more).rev());
        first
    }
}

/// The place with this number.
#[inline]
fn place(groups: &[Arc<[Place]>], number: usize) -> Option<&Place> {
    let mut number = number;
    for group in groups {
        match group.get(number) {
            Some(place) => return Some(place),
            None => number -= group.len(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: usize) -> DeviceAddress {
        DeviceAddress::new(number).unwrap()
    }

    /// What the library is told of the block behind a pointer.
    fn told(pointer: *mut c_void) -> usize {
        // SAFETY: `address` asks for a pointer that is lent, and for its places: the tests keep both.
        unsafe { Place::address(pointer) }.unwrap().get()
    }

    #[test]
    fn each_block_has_a_place_of_its_own_that_stays_when_more_are_lent() {
        let mut places = Places::default();
        let pointers: Vec<_> = (1..1001).map(|number| places.lend(address(number), number)).collect();
        assert_eq!(places.count(), 1000);
        for (number, pointer) in (1..1001).zip(&pointers) {
            assert_eq!(told(*pointer), number);
            assert!(places.has(address(number)));
        }
        for (number, pointer) in (1..1001).zip(&pointers).rev() {
            assert_eq!(places.take_back(*pointer), Some(number));
            assert!(!places.has(address(number)));
        }
        assert_eq!(places.count(), 0);
    }

    #[test]
    fn a_pointer_that_is_not_lent_is_no_block() {
        let mut places = Places::default();
        let (first, second) = (places.lend(address(1), 1), places.lend(address(2), 2));
        let local = 0_usize;
        let unknown = [
            ptr::null_mut(),
            first.wrapping_byte_add(1),
            first.wrapping_byte_sub(size_of::<Place>()),
            // A place that is free.
            second.wrapping_byte_add(size_of::<Place>()),
            first.wrapping_byte_add(FIRST * size_of::<Place>()),
            ptr::from_ref(&local).cast_mut().cast(),
        ];
        for pointer in unknown {
            assert_eq!(places.take_back(pointer), None, "{pointer:?}");
        }
        assert_eq!(places.take_back(first), Some(1));
        assert_eq!(places.take_back(first), None, "it came back before");
        assert_eq!(places.count(), 1);
        assert_eq!(places.pointers().collect::<Vec<_>>(), [second.addr()]);
    }
}
