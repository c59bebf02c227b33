//! The error text and the last error of a thread.

use crate::case::saw;
use crate::objects::{ANY_PAGES, device_0};
use ascendcl_sys::types::aclrtLastErrLevel;
use core::ptr::null_mut;

pub(crate) const CASES: &[(&str, fn())] = &[("error state", error_state)];

fn error_state() {
    let mut p = null_mut();
    let (this_thread, no_level) = (aclrtLastErrLevel::ACL_RT_THREAD_LEVEL, aclrtLastErrLevel(9));
    device_0();
    let text = call!(process::aclGetRecentErrMsg());
    saw(format!("msg before any error: {}", if text.is_null() { "(null)" } else { "some text" }));
    row!("Malloc(&p,0)", memory::aclrtMalloc(&mut p, 0, ANY_PAGES));
    row!("PeekAtLastError(THREAD)", process::aclrtPeekAtLastError(this_thread));
    row!("GetLastError(THREAD)", process::aclrtGetLastError(this_thread));
    row!("GetLastError(THREAD) again", process::aclrtGetLastError(this_thread));
    row!("Malloc ok", memory::aclrtMalloc(&mut p, 64, ANY_PAGES));
    row!("GetLastError(level 9)", process::aclrtGetLastError(no_level));
}
