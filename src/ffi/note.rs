//! Optional values in cells, which are rarely present.

use core::cell::Cell;

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

    /// The value if it is present, and anything if it is not. An `Option` of a large value is copied twice.
    #[inline(always)]
    pub(super) fn value(self) -> T {
        self.value.get()
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
