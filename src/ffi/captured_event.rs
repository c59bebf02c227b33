//! Events of captures.

use super::Api;
use super::call::call;
use crate::error::Error;
use ascendcl_sys::constants::ACL_EVENT_SYNC;
use ascendcl_sys::types::aclrtEvent;

/// Creates an event that can order streams of a capture.
pub(super) fn event_for_captures(api: Api) -> Result<aclrtEvent, Error> {
    let mut raw = aclrtEvent(core::ptr::null_mut());
    // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for
    // writes (`core::ptr`, "Safety").
    let answer = unsafe { call!(api.aclrtCreateEventExWithFlag(&raw mut raw, ACL_EVENT_SYNC)) };
    answer.wrote(raw, || "create an event for a capture".into())
}
