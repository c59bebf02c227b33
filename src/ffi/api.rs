//! The calls that take and give numbers, and what every failing call becomes.

use super::RawContext;
use super::process::{Loading, without_functions};
use super::standing;
use super::wait::Wait;
use crate::acl::RunMode;
use crate::error::{Error, MissingFunction, VendorError};
use crate::library::Loaded;
use crate::thread::InCallback;
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_REPEAT_INITIALIZE, ACL_ERROR_RT_CONTEXT_NULL, ACL_SUCCESS};
use ascendcl_sys::types::*;
use ascendcl_sys::{Library, MissingSymbol};
use core::ffi::{CStr, c_char};
use std::ffi::CString;
use std::time::Duration;

/// The loaded library. Its functions stay where they are for the life of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Api {
    loading: &'static Loading,
    on_device: bool,
}

/// What the vendor's initialisation answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Initialised {
    First,
    Again,
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

    pub(crate) fn loaded(self) -> Loaded {
        Loaded::by(self.loading)
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

    #[rule(INIT_05)]
    pub(crate) fn init(self, config: Option<&CStr>) -> Result<Initialised, Error> {
        self.may_be_called()?;
        // SAFETY: the path is a terminated string, or null for none; the library reads it during the call.
        let code = unsafe { self.library().aclInit(config.map_or(core::ptr::null(), CStr::as_ptr)) };
        match code {
            Ok(ACL_ERROR_REPEAT_INITIALIZE) => Ok(Initialised::Again),
            code => self.done("aclInit", code, || "initialise the library".into()).map(|()| Initialised::First),
        }
    }

    #[rule(INIT_07, INIT_09)]
    pub(crate) fn finalize_reference(self) -> Result<(), Error> {
        self.may_be_called()?;
        let mut left = 0;
        // SAFETY: `left` is a place for the count.
        let code = unsafe { self.library().aclFinalizeReference(&raw mut left) };
        self.done("aclFinalizeReference", code, || "finalise the library".into())
    }

    pub(crate) fn device_count(self) -> Result<u32, Error> {
        self.may_be_called()?;
        let mut count = 0;
        // SAFETY: `count` is a place for the number.
        let code = unsafe { self.library().aclrtGetDeviceCount(&raw mut count) };
        self.done("aclrtGetDeviceCount", code, || "count the devices".into()).map(|()| count)
    }

    pub(crate) fn set_device(self, id: i32) -> Result<(), Error> {
        self.may_be_called()?;
        // SAFETY: takes a number, which the library checks.
        let code = unsafe { self.library().aclrtSetDevice(id) };
        self.done("aclrtSetDevice", code, || format!("take device {id}"))
    }

    pub(crate) fn reset_device(self, id: i32) -> Result<(), Error> {
        self.may_be_called()?;
        // SAFETY: takes a number, which the library checks.
        let code = unsafe { self.library().aclrtResetDevice(id) };
        self.done("aclrtResetDevice", code, || format!("give device {id} back"))
    }

    /// The device of this thread's current context; `None` without one.
    pub(super) fn current_device(self) -> Option<i32> {
        self.may_be_called().ok()?;
        let mut id = -1;
        // SAFETY: `id` is a place for the number.
        let code = unsafe { self.library_anyway().aclrtGetDevice(&raw mut id) };
        (code == Ok(ACL_SUCCESS)).then_some(id)
    }

    /// Where the program runs, as the library says.
    pub(crate) fn run_mode(self) -> Result<RunMode, Error> {
        self.may_be_called()?;
        let mut mode = aclrtRunMode::ACL_HOST;
        // SAFETY: `mode` is a place for the answer.
        let code = unsafe { self.library().aclrtGetRunMode(&raw mut mode) };
        self.done("aclrtGetRunMode", code, || "ask for the run mode".into())?;
        Ok(if mode == aclrtRunMode::ACL_DEVICE { RunMode::Device } else { RunMode::Host })
    }

    /// Free and total bytes of the current device's main memory.
    pub(crate) fn memory_info(self) -> Result<(usize, usize), Error> {
        self.may_be_called()?;
        self.in_place()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are places for numbers.
        let code = unsafe { self.library().aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &raw mut free, &raw mut total) };
        self.done("aclrtGetMemInfo", code, || "ask how much device memory is free".into()).map(|()| (free, total))
    }

    /// Waits for everything in the current context; for at most `limit`, if there is one.
    pub(crate) fn synchronize_device(self, limit: Option<Duration>) -> Result<(), Error> {
        self.may_be_called()?;
        self.in_place()?;
        let library = self.library();
        let wait = Wait {
            calls: ("aclrtSynchronizeDeviceWithTimeout", "aclrtSynchronizeDevice"),
            doing: "synchronise a context",
            // SAFETY: takes a number.
            within: |milliseconds| unsafe { library.aclrtSynchronizeDeviceWithTimeout(milliseconds) },
            // SAFETY: takes nothing.
            unlimited: || unsafe { library.aclrtSynchronizeDevice() },
            // There is no such query.
            is_over: || false,
        };
        wait.run(self, limit)
    }

    /// The product, as the library names it; `None` when it does not say.
    pub(crate) fn soc_name(self) -> Option<String> {
        self.may_be_called().ok()?;
        // SAFETY: takes nothing.
        let name = unsafe { self.library().aclrtGetSocName() }.ok()?;
        // SAFETY: the library answers with null or with a string that it keeps.
        unsafe { text(name) }
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
        let (library, searched) = (self.loaded().to_string(), self.library().searched_for(&missing));
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
