//! Optional values in cells, which are rarely present.

use core::cell::Cell;
use core::mem::MaybeUninit;

/// Which of several values are present: one bit for each, which is set after the value was written.
pub(super) type Present = Cell<u8>;

/// The place of a value. It is written when the value is first present. An initial value would be in a constant, which older
/// compilers do not let refer to atomics.
pub(super) type Place<T> = Cell<MaybeUninit<T>>;

/// An optional value that is rarely present. Checking whether it is does not copy it.
#[derive(Clone, Copy)]
pub(super) struct Note<'a, T> {
    present: &'a Present,
    /// The bit of this value.
    bit: u8,
    value: &'a Place<T>,
}

impl<'a, T: Copy> Note<'a, T> {
    #[inline(always)]
    pub(super) fn new(present: &'a Present, bit: u8, value: &'a Place<T>) -> Self {
        Self { present, bit, value }
    }

    #[inline(always)]
    pub(super) fn is_some(self) -> bool {
        self.present.get() & self.bit != 0
    }

    /// Whether this value is present, and no other one.
    #[inline(always)]
    fn is_only(self) -> bool {
        self.present.get() == self.bit
    }

    /// Copies the value, if it is present and no other one is. A large value that is returned is copied twice.
    #[inline(always)]
    pub(super) fn copy_only_to(self, place: &mut MaybeUninit<T>) -> Option<&mut T> {
        if !self.is_only() {
            return None;
        }
        // SAFETY: `copy_nonoverlapping` asks for a source that is valid for reads and a place that is valid for writes, which do
        // not overlap. The cell is borrowed, nobody writes to it meanwhile because it stays on its thread, and `place` is
        // borrowed exclusively. `assume_init_mut` asks for a value that was written. The value was, because its bit is set,
        // and the copy wrote the place.
        unsafe {
            core::ptr::copy_nonoverlapping(self.value.as_ptr(), place, 1);
            Some(place.assume_init_mut())
        }
    }

    #[inline(always)]
    pub(super) fn get(self) -> Option<T> {
        if !self.is_some() {
            return None;
        }
        // SAFETY: `assume_init` asks for a value that was written. It was, because its bit is set.
        Some(unsafe { self.value.get().assume_init() })
    }

    #[inline(always)]
    pub(super) fn set(self, value: Option<T>) {
        if let Some(value) = value {
            self.value.set(MaybeUninit::new(value));
        }
        let others = self.present.get() & !self.bit;
        self.present.set(if value.is_some() { others | self.bit } else { others });
    }

    #[inline]
    pub(super) fn replace(self, value: Option<T>) -> Option<T> {
        let before = self.get();
        self.set(value);
        before
    }
}
