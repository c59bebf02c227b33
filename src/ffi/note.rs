//! Optional values in cells, which are rarely present.

use core::cell::Cell;
use core::mem::MaybeUninit;

/// Which of several values are present: one bit for each.
pub(super) type Present = Cell<u8>;

/// An optional value that is rarely present. Checking whether it is does not copy it.
#[derive(Clone, Copy)]
pub(super) struct Note<'a, T> {
    present: &'a Present,
    /// The bit of this value.
    bit: u8,
    /// Anything while it is not present.
    value: &'a Cell<T>,
}

impl<'a, T: Copy> Note<'a, T> {
    #[inline(always)]
    pub(super) fn new(present: &'a Present, bit: u8, value: &'a Cell<T>) -> Self {
        Self { present, bit, value }
    }

    #[inline(always)]
    pub(super) fn is_some(self) -> bool {
        self.present.get() & self.bit != 0
    }

    /// Whether this value is present, and no other one.
    #[inline(always)]
    pub(super) fn is_only(self) -> bool {
        self.present.get() == self.bit
    }

    /// Copies the value if it is present, and anything if it is not. A large value that is returned is copied twice.
    #[inline(always)]
    pub(super) fn copy_to(self, place: &mut MaybeUninit<T>) -> &mut T {
        // SAFETY: `copy_nonoverlapping` asks for a source that is valid for reads and a place that is valid for writes, which do
        // not overlap. The cell is borrowed, nobody writes to it meanwhile because it stays on its thread, and `place` is
        // borrowed exclusively. `assume_init_mut` asks for a value that was written, which it was by the copy.
        unsafe {
            core::ptr::copy_nonoverlapping(self.value.as_ptr(), place.as_mut_ptr(), 1);
            place.assume_init_mut()
        }
    }

    #[inline(always)]
    pub(super) fn get(self) -> Option<T> {
        if self.is_some() { Some(self.value.get()) } else { None }
    }

    #[inline(always)]
    pub(super) fn set(self, value: Option<T>) {
        let others = self.present.get() & !self.bit;
        self.present.set(if value.is_some() { others | self.bit } else { others });
        if let Some(value) = value {
            self.value.set(value);
        }
    }

    #[inline]
    pub(super) fn replace(self, value: Option<T>) -> Option<T> {
        let before = self.get();
        self.set(value);
        before
    }
}
