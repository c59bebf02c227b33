//! Events with flags, each for one purpose, on releases that have the function for them.

use super::Api;
use super::answer::ReadyAnswer;
use super::call::{Current, Ready, call};
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::{aclError, aclrtEvent, aclrtStream};

/// Creates an event with flags, which the library checks.
pub(super) fn event_with(api: Api, flags: u32) -> Result<aclrtEvent, Error> {
    let mut raw = aclrtEvent(core::ptr::null_mut());
    // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for writes
    // (`core::ptr`, "Safety"). The flags are a plain value.
    let answer = unsafe { call!(api.aclrtCreateEventWithFlag(&raw mut raw, flags)) };
    answer.wrote(raw, || format!("create an event with the flags {flags:#x}"))
}

/// Resets an event in the order of a stream, behind the only wait for it.
///
/// # Safety
///
/// Both are alive during the call, and the event was created by [`event_with`] with the flag for waits (EVENT-02).
#[rule(EVENT_02, EVENT_10)]
pub(super) unsafe fn reset(ready: Ready<Current>, event: aclrtEvent, stream: aclrtStream) -> ReadyAnswer<aclError> {
    // SAFETY: the function asks for a live event with the flag for waits, and for a live stream. The caller of this
    // function promises both (its safety section).
    unsafe { call!(ready.aclrtResetEvent(event, stream)) }
}
