//! The calls that take and give numbers.

use super::Api;
use super::api::text;
use super::wait::Wait;
use crate::error::Error;
use crate::run_mode::RunMode;
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_REPEAT_INITIALIZE, ACL_SUCCESS};
use ascendcl_sys::types::*;
use core::ffi::CStr;
use std::time::Duration;

/// What the vendor's initialisation answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Initialised {
    First,
    Again,
}

impl Api {
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
}
