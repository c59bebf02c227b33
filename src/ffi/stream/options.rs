//! Streams with a priority, flags and a failure mode, on releases that have the functions for it.

use super::RawStream;
use crate::error::Error;
use crate::ffi::Api;
use crate::ffi::call::call;
use ascendcl_macros::rule;
use ascendcl_sys::constants::{ACL_STOP_ON_FAILURE, ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC};
use ascendcl_sys::types::aclrtStream;

impl RawStream {
    /// Like [`create`](Self::create), with a priority and flags, which the library checks.
    pub(crate) fn create_with(api: Api, priority: u32, flags: u32) -> Result<aclrtStream, Error> {
        let mut raw = aclrtStream::NULL;
        // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety"). The numbers are plain values.
        let answer = unsafe { call!(api.aclrtCreateStreamWithConfig(&raw mut raw, priority, flags)) };
        answer.wrote(raw, || format!("create a stream of priority {priority} with the flags {flags:#x}"))
    }

    /// Lets a failure on any stream of the context stop all of them. After such a failure all waits fail, so what
    /// unfinished work uses is never known to be idle.
    #[rule(STREAM_15)]
    pub(crate) fn stop_on_failure(&self, api: Api) -> Result<(), Error> {
        // SAFETY: the function asks for a live stream. It was created just now, in the current context, and the caller
        // has its only handle, so it is not destroyed meanwhile (STREAM-07). The mode is a plain value.
        let answer = unsafe { call!(api.aclrtSetStreamFailureMode(self.raw, ACL_STOP_ON_FAILURE.into())) };
        answer.done(|| "let a failure stop all streams of the context".into())
    }
}

/// The flags of a stream, as the library takes them.
pub(crate) fn stream_flags(fast_launch: bool, fast_sync: bool) -> u32 {
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    flag(fast_launch, ACL_STREAM_FAST_LAUNCH) | flag(fast_sync, ACL_STREAM_FAST_SYNC)
}
