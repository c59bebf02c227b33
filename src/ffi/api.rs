//! The loaded library, and the process that may call it.

use super::process::{LoadedLibrary, Verified};
use super::resets::Resets;
use crate::error::Error;
use crate::run_mode::RunMode;
use ascendcl_macros::rule;
use core::ffi::{CStr, c_char};
use std::ffi::CString;

/// The loaded library. Its functions stay at their addresses for the life of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Api {
    loading: &'static LoadedLibrary,
    on_device: bool,
}

impl Api {
    /// For a program on a host, until [`for_mode`](Self::for_mode) sets another mode.
    pub(crate) fn new(loading: &'static LoadedLibrary) -> Self {
        Self { loading, on_device: false }
    }

    /// The same library, for a program that runs in this mode.
    pub(crate) fn for_mode(self, mode: RunMode) -> Self {
        Self { on_device: mode == RunMode::Device, ..self }
    }

    #[inline]
    pub(crate) fn loading(self) -> &'static LoadedLibrary {
        self.loading
    }

    /// The resets of this library's devices.
    #[inline]
    pub(super) fn resets(self) -> &'static Resets {
        self.loading.resets()
    }

    /// How often the device was reset by force.
    pub(crate) fn forced_resets(self, device: i32) -> u64 {
        self.loading.resets().forced(device)
    }

    /// Whether both use the same library.
    #[inline]
    pub(crate) fn is_same_library(self, other: Self) -> bool {
        core::ptr::eq(self.loading.library(), other.loading.library())
    }

    /// Where the program runs.
    pub(crate) fn known_run_mode(self) -> RunMode {
        if self.on_device { RunMode::Device } else { RunMode::Host }
    }

    /// Whether the program runs on the device itself, where host and device memory are one.
    #[inline]
    pub(super) fn on_device(self) -> bool {
        self.on_device
    }

    /// Sets whether each call compares the thread's current context with the one that was entered.
    pub(crate) fn verify_current(self, on: bool) {
        self.loading.verify(on);
    }

    /// Makes each call compare the contexts while the answer exists.
    pub(crate) fn verified(self) -> Option<Verified> {
        self.loading.verified()
    }

    /// An error in a child of the process that loaded the library. The library's threads do not exist there, and its
    /// locks and those of this crate have whatever state they had at the fork. Call this before any lock is taken.
    #[inline]
    #[rule(THREAD_05)]
    pub(crate) fn check_process(self) -> Result<(), Error> {
        if self.loading.is_plain() { Ok(()) } else { self.check_process_slow() }
    }

    #[cold]
    fn check_process_slow(self) -> Result<(), Error> {
        match self.loading.is_forked() {
            true => Err(Error::Forked { loaded_in: self.loading.process(), here: std::process::id() }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
impl Api {
    /// A library without functions: a call that passes its checks finds its function missing.
    pub(crate) fn without_functions() -> Self {
        // SAFETY: `Api::from_table` asks for addresses of functions with the table's signatures. There are none.
        unsafe { Self::from_table("none", |_| None) }
    }

    /// A library of the few functions that a test gives.
    ///
    /// # Safety
    ///
    /// As [`ascendcl_sys::Library::from_table`]: each address is of a function with the table's signature.
    pub(crate) unsafe fn from_table(name: &'static str, resolve: ascendcl_sys::Resolver) -> Self {
        // SAFETY: the caller of this function promises what `Library::from_table` asks for (its safety section).
        Self::new(LoadedLibrary::new(unsafe { ascendcl_sys::Library::from_table(name, resolve) }))
    }
}

/// # Safety
///
/// `text` is null or a terminated string that stays in place during the call.
pub(super) unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. The pointer is not null, and the
    // caller of this function promises the rest (its safety section).
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?;
    let text = text.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Converts a text to the form that the library takes.
pub(crate) fn c_text(text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error::NulInText { text: text.to_owned() })
}

/// Converts a path to the form that the library takes.
pub(crate) fn c_path(path: &std::path::Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| Error::NulInPath { path: path.to_owned() })
}
