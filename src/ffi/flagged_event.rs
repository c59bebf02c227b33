//! Events with flags, each for one purpose, on releases that have the function for them.

use super::Api;
use super::call::call;
use crate::error::Error;
use ascendcl_sys::types::aclrtEvent;

/// Creates an event with flags, which the library checks.
pub(super) fn event_with(api: Api, flags: u32) -> Result<aclrtEvent, Error> {
    let mut raw = aclrtEvent(core::ptr::null_mut());
    // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for writes
    // (`core::ptr`, "Safety"). The flags are a plain value.
    let answer = unsafe { call!(api.aclrtCreateEventWithFlag(&raw mut raw, flags)) };
    answer.done(|| format!("create an event with the flags {flags:#x}"))?;
    Ok(raw)
}
