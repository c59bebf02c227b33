//! The library's functions, who may call them, and what every failing call becomes.

use super::RawContext;
use super::process::{Loading, without_functions};
use super::standing;
use crate::callback_guard::InCallback;
use crate::error::{Error, MissingFunction, VendorError};
use crate::run_mode::RunMode;
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_CONTEXT_NULL, ACL_SUCCESS};
use ascendcl_sys::types::*;
use ascendcl_sys::{Library, MissingSymbol};
use core::ffi::{CStr, c_char};
use std::ffi::CString;

/// The loaded library. Its functions stay where they are for the life of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Api {
    loading: &'static Loading,
    on_device: bool,
}

impl Api {
    /// For a program on a host, until [`for_mode`](Self::for_mode) says something else.
    pub(crate) fn new(loading: &'static Loading) -> Self {
        Self { loading, on_device: false }
    }

    /// The same library, for a program that runs there.
    pub(crate) fn for_mode(self, mode: RunMode) -> Self {
        Self { on_device: mode == RunMode::Device, ..self }
    }

    pub(crate) fn loading(self) -> &'static Loading {
        self.loading
    }

    /// Whether both call the same functions.
    pub(crate) fn is_of_the_library_of(self, other: Self) -> bool {
        core::ptr::eq(self.loading.library(), other.loading.library())
    }

    /// Whether the program runs on the device itself, where host and device memory are one.
    #[inline]
    pub(super) fn on_device(self) -> bool {
        self.on_device
    }

    /// The functions. Whoever loaded them vouched that they have the signatures of the table.
    ///
    /// Every call comes by here. In a forked child, and when each call is verified and the wrong context is current, there
    /// are no functions to be had: the call fails as if the library lacked it, and [`lacks`](Self::lacks) says why.
    #[inline]
    pub(super) fn library(self) -> &'static Library {
        if self.loading.is_plain() { self.loading.library() } else { self.library_if_allowed() }
    }

    #[cold]
    fn library_if_allowed(self) -> &'static Library {
        match self.objection() {
            None => self.loading.library(),
            Some(_) => without_functions(),
        }
    }

    /// As [`library`](Self::library), for the calls that choose and ask for the current context: no verification stands in
    /// their way.
    pub(super) fn library_anyway(self) -> &'static Library {
        if self.loading.is_forked() { without_functions() } else { self.loading.library() }
    }

    /// Why the library cannot be called now, on this thread.
    #[rule(CTX_05, CTX_08, THREAD_05)]
    fn objection(self) -> Option<Error> {
        self.is_of_this_process().err().or_else(|| self.loading.verifies().then(|| self.current_is_entered().err())?)
    }

    /// Whether each call compares the thread's current context with the one that was entered.
    pub(crate) fn verify_current(self, on: bool) {
        self.loading.verify(on);
    }

    fn current_is_entered(self) -> Result<(), Error> {
        let Some(expected) = standing::entered(self) else { return Ok(()) };
        match RawContext::current(self) {
            Some(found) if found.is(expected) => Ok(()),
            found => {
                let found = found.map_or_else(|| "none".to_owned(), RawContext::in_words);
                Err(Error::CurrentChanged { expected: expected.in_words(), found })
            }
        }
    }

    /// An error in a child of the process that loaded the library: the library's threads are not there, its locks are as
    /// they happened to be, and so are those of this crate. No lock is taken before this was asked.
    #[inline]
    #[rule(THREAD_05)]
    pub(crate) fn is_of_this_process(self) -> Result<(), Error> {
        if self.loading.is_plain() { Ok(()) } else { self.is_of_this_process_after_all() }
    }

    #[cold]
    fn is_of_this_process_after_all(self) -> Result<(), Error> {
        match self.loading.is_forked() {
            true => Err(Error::Forked { loaded_in: self.loading.process(), here: std::process::id() }),
            false => Ok(()),
        }
    }

    /// Whether the library can be called here; every call that begins something asks this first.
    ///
    /// It cannot in code that it is calling itself, nor in a child of the process that loaded it.
    #[rule(THREAD_05, ALLOC_18)]
    pub(super) fn may_be_called(self) -> Result<(), Error> {
        InCallback::refuses()?;
        self.is_of_this_process()
    }

    /// Whether the call that follows may be made: in this process, and with the context current that this thread's
    /// innermost `Current` stands for. If the library refused to make it current again, it is asked once more.
    #[inline]
    pub(super) fn in_place(self) -> Result<(), Error> {
        if self.loading.is_plain() && !standing::displaced_any() { Ok(()) } else { self.in_place_after_all() }
    }

    #[cold]
    fn in_place_after_all(self) -> Result<(), Error> {
        self.is_of_this_process()?;
        standing::returns(self)?;
        self.objection().map_or(Ok(()), Err)
    }

    /// Turns the answer of a call into a result, and the recent error text of this thread into part of the error.
    ///
    /// `doing` reads on from "could not": "create a stream".
    #[inline]
    pub(super) fn done(
        self,
        call: &'static str,
        answer: Result<aclError, MissingSymbol>,
        doing: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        match answer {
            Ok(ACL_SUCCESS) => Ok(()),
            Ok(code) => Err(self.failed(call, code, doing())),
            Err(missing) => Err(self.lacks(missing, doing())),
        }
    }

    #[cold]
    pub(super) fn lacks(self, missing: MissingSymbol, doing: String) -> Error {
        if let Some(objection) = self.objection() {
            return objection;
        }
        let (library, searched) = (self.loading.to_string(), self.library().searched_for(&missing));
        let MissingSymbol { symbol, files } = missing;
        Error::MissingFunction(Box::new(MissingFunction { symbol, files, searched, library, doing }))
    }

    #[cold]
    pub(super) fn failed(self, call: &'static str, code: aclError, doing: String) -> Error {
        let text = self.recent_text().filter(|text| code == ACL_ERROR_RT_CONTEXT_NULL || !self.is_made_up(text));
        Error::Vendor(Box::new(VendorError { call, code: code.into(), text, doing }))
    }

    /// The text that the library keeps for this thread's last failure; reading clears it.
    #[rule(ERR_03)]
    fn recent_text(self) -> Option<String> {
        // SAFETY: takes nothing.
        let text_or_null = unsafe { self.library_anyway().aclGetRecentErrMsg() }.ok()?;
        // SAFETY: the pointer is null or a string that is valid until this thread's next call; it is copied here.
        unsafe { text(text_or_null) }
    }

    /// Throws away the text of an answer that is no failure.
    pub(super) fn forget_text(self) {
        // SAFETY: takes nothing; reading clears.
        let _ = unsafe { self.library().aclGetRecentErrMsg() };
    }

    /// On a thread without a context the library makes up a message about the missing context, whatever failed.
    fn is_made_up(self, text: &str) -> bool {
        RawContext::current(self).is_none() && text.to_ascii_lowercase().contains("context")
    }
}

/// # Safety
///
/// `text` is null or a terminated string that stays in place during the call.
pub(super) unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: as the caller vouches.
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?;
    let text = text.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A text as the library takes it.
pub(super) fn c_text(text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error::NulInText { text: text.to_owned() })
}

/// A path as the library takes it.
pub(crate) fn c_path(path: &std::path::Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| Error::NulInPath { path: path.to_owned() })
}
