//! Texts that stay in place for the caller.

use core::ffi::{CStr, c_char};

/// A C string that stays in place: part of an object that the caller destroys, or of the thread's error text.
#[derive(Clone, Copy)]
pub(crate) struct CText(*const c_char);

impl CText {
    pub(crate) const NULL: Self = Self(core::ptr::null());

    /// The caller keeps `text` in place for as long as the C documentation says.
    pub(crate) fn of(text: &CStr) -> Self {
        Self(text.as_ptr())
    }

    pub(crate) fn pointer(self) -> *const c_char {
        self.0
    }
}
