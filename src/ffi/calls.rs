//! Calls of the library that take and return numbers.

use super::Api;
use super::api::text;
use super::call::call;
use super::wait::Wait;
use crate::error::Error;
use crate::run_mode::RunMode;
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::ACL_ERROR_REPEAT_INITIALIZE;
use ascendcl_sys::types::*;
use core::ffi::CStr;
use std::time::Duration;

/// The answer of the vendor's initialisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Initialised {
    First,
    Again,
}

impl Api {
    #[rule(INIT_05)]
    pub(crate) fn init(self, config: Option<&CStr>) -> Result<Initialised, Error> {
        // SAFETY: the function reads a terminated string during the call, or takes null for none. A `CStr` is
        // terminated, and is borrowed for longer than the call.
        let answer = unsafe { call!(self.aclInit(config.map_or(core::ptr::null(), CStr::as_ptr))) };
        match answer.code() {
            Some(ACL_ERROR_REPEAT_INITIALIZE) => Ok(Initialised::Again),
            _ => answer.done(|| "initialise the library".into()).map(|()| Initialised::First),
        }
    }

    #[rule(INIT_07, INIT_09)]
    pub(crate) fn finalize_reference(self) -> Result<(), Error> {
        let mut left = 0;
        // SAFETY: the function writes the count to `left` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(self.aclFinalizeReference(&raw mut left)) };
        answer.done(|| "finalise the library".into())
    }

    /// How many devices there are. Their numbers are `i32`, so no device has a larger one.
    pub(crate) fn device_count(self) -> Result<i32, Error> {
        let mut count = 0;
        // SAFETY: the function writes the number to `count` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(self.aclrtGetDeviceCount(&raw mut count)) };
        answer.done(|| "count the devices".into()).map(|()| i32::try_from(count).unwrap_or(i32::MAX))
    }

    pub(crate) fn set_device(self, id: i32) -> Result<(), Error> {
        // SAFETY: the function takes a number by value, and no pointer. The library returns an error for an unknown
        // number.
        let answer = unsafe { call!(self.aclrtSetDevice(id)) };
        answer.done(|| format!("take device {id}"))
    }

    pub(crate) fn reset_device(self, id: i32) -> Result<(), Error> {
        // SAFETY: the function takes a number by value, and no pointer. The library returns an error for an unknown
        // number.
        let answer = unsafe { call!(self.aclrtResetDevice(id)) };
        answer.done(|| format!("give device {id} back"))
    }

    /// The device of this thread's current context. `None` without a current context.
    pub(super) fn current_device(self) -> Option<i32> {
        let mut id = -1;
        // SAFETY: the function writes the device to `id` during the call; a pointer to a live local is valid for writes
        // (`core::ptr`, "Safety").
        let answer = unsafe { call!(self.aclrtGetDevice(&raw mut id)) };
        answer.is_success().then_some(id)
    }

    /// Where the program runs, according to the library.
    pub(crate) fn run_mode(self) -> Result<RunMode, Error> {
        let mut mode = aclrtRunMode::ACL_HOST;
        // SAFETY: the function writes the answer to `mode` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(self.aclrtGetRunMode(&raw mut mode)) };
        answer.done(|| "ask for the run mode".into())?;
        Ok(if mode == aclrtRunMode::ACL_DEVICE { RunMode::Device } else { RunMode::Host })
    }

    /// Free and total bytes of the current device's main memory.
    pub(crate) fn memory_info(self) -> Result<(usize, usize), Error> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the function writes a number to each of `free` and `total` during the call; a pointer to a live local
        // is valid for writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(self.aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &raw mut free, &raw mut total)) };
        answer.done(|| "ask how much device memory is free".into()).map(|()| (free, total))
    }

    /// Waits for everything in the current context, for at most `limit` if there is one.
    pub(crate) fn synchronize_device(self, limit: Option<Duration>) -> Result<(), Error> {
        let ready = self.ready()?;
        let wait = Wait {
            doing: "synchronise a context",
            // SAFETY: the function takes numbers by value, and no pointer, so it requires only that its signature is
            // that of the table.
            within: |milliseconds| unsafe { call!(ready.aclrtSynchronizeDeviceWithTimeout(milliseconds)) },
            // SAFETY: the function takes no arguments, so it requires only that its signature is that of the table.
            unlimited: || unsafe { call!(ready.aclrtSynchronizeDevice()) },
            // The library has no such query for a context.
            is_over: || false,
        };
        wait.run(self, limit)
    }

    /// The product name that the library reports. `None` if it reports none.
    pub(crate) fn soc_name(self) -> Option<String> {
        // SAFETY: the function takes no arguments, so it requires only that its signature is that of the table.
        let name = unsafe { call!(self.aclrtGetSocName()) }.ok()?;
        // SAFETY: `text` asks for null or a terminated string that stays in place. The library returns null, or a
        // string of its own that it keeps while it is loaded, which is forever.
        unsafe { text(name) }
    }
}
