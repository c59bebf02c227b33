//! The library's own log.

use super::Api;
use super::call::call;
use super::process::LoadedLibrary;
use crate::error::Error;
use ascendcl_sys::types::aclLogLevel;
use core::ffi::CStr;

/// Writes a line to the library's log (`aclAppLog`).
pub(crate) fn app_log(loading: &'static LoadedLibrary, level: aclLogLevel, text: &str) -> Result<(), Error> {
    const NOWHERE: &CStr = c"";
    let api = Api::new(loading);
    // `aclAppLog` takes a format string, so percent signs are doubled. Text for C ends at the first zero byte.
    let mut format = text.replace('%', "%%").replace('\0', " ").into_bytes();
    format.push(0);
    // SAFETY: the function asks for three terminated strings that are valid during the call. Two are constants, and
    // `format` ends with the zero byte that was pushed. The function reads one more argument for each conversion in the
    // format. There is no conversion, since each percent sign is doubled.
    let answer = unsafe { call!(api.aclAppLog(level, NOWHERE.as_ptr(), NOWHERE.as_ptr(), 0, format.as_ptr().cast())) };
    answer.value(|| "write to the library's log".into())
}
