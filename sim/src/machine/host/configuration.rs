//! The configuration file of `aclInit`, which other calls are given too.

use super::dump_section;
use super::json::{self, Value};
use crate::failure::{Answer, Failure};
use crate::machine::device::{self, settings};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::{aclError, aclrtDeviceLimit};
use std::ffi::CString;
use std::fs;

/// The text of the file that `aclInit` is given. No file is as good as an empty one.
pub(super) fn text(path: &str) -> Answer<CString> {
    let bytes = if path.is_empty() { Vec::new() } else { bytes(path)? };
    let not_json = |_| Failure::new(ACL_ERROR_PARSE_FILE, format!("the configuration file {path} has a zero byte"));
    CString::new(bytes).map_err(not_json)
}

/// What the text of a configuration file says, of which nothing is to be said at all.
pub(super) fn parsed(path: &str, text: &[u8]) -> Answer<Value> {
    if text.is_empty() {
        return Ok(Value::default());
    }
    json::read(text).map_err(|at| {
        let text = format!("the configuration file {path} is not JSON, from byte {at} on");
        Failure::new(ACL_ERROR_PARSE_FILE, text)
    })
}

/// The bytes of a configuration file, whichever call is given it.
pub(super) fn bytes(path: &str) -> Answer<Vec<u8>> {
    const MOST_BYTES: u64 = 10 << 20;
    let refused = |why: String| Failure::new(ACL_ERROR_INVALID_FILE, format!("the configuration file {path} {why}"));
    let unread = |error: std::io::Error| refused(format!("cannot be read: {error}"));
    let found = fs::metadata(path).map_err(unread)?;
    if !found.is_file() {
        return Err(refused("is no file that is read from start to end".to_owned()));
    }
    if found.len() > MOST_BYTES {
        return Err(refused(format!("has {} bytes; at most {MOST_BYTES} are read", found.len())));
    }
    let bytes = fs::read(path).map_err(unread)?;
    let deepest = [(b'{', b'}'), (b'[', b']')].map(|(open, close)| depth(&bytes, open, close)).into_iter().max();
    if deepest.is_some_and(|depth| depth > DEEPEST) {
        let text = format!("the configuration file {path} is nested deeper than {DEEPEST} objects or lists");
        return Err(Failure::new(ACL_ERROR_PARSE_FILE, text));
    }
    Ok(bytes)
}

/// Objects in objects, or lists in lists.
const DEEPEST: usize = 10;

/// How deep the brackets of one kind go. What stands in a text counts as well.
fn depth(bytes: &[u8], open: u8, close: u8) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in bytes {
        if *byte == open {
            depth += 1;
            deepest = deepest.max(depth);
        } else if *byte == close {
            depth = depth.saturating_sub(1);
        }
    }
    deepest
}

/// Looks at what `aclInit` demands of its configuration.
pub(super) fn check(said: &Value) -> Answer {
    let refused = |code: aclError, key: &str, expected: &str| -> Answer {
        Err(Failure::new(code, format!("the configuration has another `{key}` than {expected}")))
    };
    let is_one_of_two = |value: &Value| matches!(value.as_text(), Some("0" | "1"));
    if said.get("err_msg_mode").is_some_and(|mode| !is_one_of_two(mode)) {
        return refused(ACL_ERROR_INVALID_PARAM, "err_msg_mode", "\"0\" or \"1\"");
    }
    if let Some(section) = said.get("dump") {
        let refuse = |why| Failure::new(ACL_ERROR_INVALID_DUMP_CONFIG, format!("the configuration's `dump`: {why}"));
        dump_section::check(section).map_err(refuse)?;
    }
    if said.get(MOST_OPERATORS).is_some_and(|_| most_operators(said).is_none()) {
        return refused(ACL_ERROR_INVALID_PARAM, MOST_OPERATORS, "a positive number");
    }
    let in_section = |section: &str, key: &str| said.get(section).and_then(|section| section.get(key));
    for key in ["aicore_stack_size", "simt_stack_size", "simt_divergence_stack_size"] {
        if in_section("StackSize", key).is_some_and(|size| size.as_number().is_none()) {
            return refused(ACL_ERROR_FAILURE, key, "a number");
        }
    }
    let named = in_section("defaultDevice", "default_device");
    if named.is_some_and(|id| !id.as_text().is_some_and(|id| id == "0" || is_positive(id))) {
        return refused(
            ACL_ERROR_FAILURE,
            "default_device",
            "the text of a number, with neither a sign nor a zero before it",
        );
    }
    if let Some(id) = named.and_then(Value::as_text) {
        device::device(id.parse().unwrap_or(i64::MAX))?;
    }
    for key in ["simd_printf_fifo_size_per_core", "simt_printf_fifo_size"] {
        if said.get(key).is_some_and(|size| !size.as_number().is_some_and(is_positive)) {
            return refused(ACL_ERROR_FAILURE, key, "a positive number");
        }
    }
    if in_section("acl_graph", "event_mode").is_some_and(|mode| !is_one_of_two(mode)) {
        return refused(ACL_ERROR_INVALID_PARAM, "event_mode", "\"0\" or \"1\"");
    }
    Ok(())
}

const MOST_OPERATORS: &str = "max_opqueue_num";

/// How many compiled operators are kept, by the digits that a number or a text begins with.
pub(super) fn most_operators(said: &Value) -> Option<u64> {
    let value = said.get(MOST_OPERATORS)?;
    let written = value.as_text().or(value.as_number())?.trim_start();
    let written = written.strip_prefix('+').unwrap_or(written);
    let digits = written.find(|digit: char| !digit.is_ascii_digit()).map_or(written, |end| &written[..end]);
    digits.parse().ok().filter(|number| *number > 0)
}

/// Chooses the limits of kernels that the configuration has. Those of cores that the device does not have are passed over.
pub(super) fn choose_limits(said: &Value) -> Answer {
    let number = |value: Option<&Value>| value.and_then(Value::as_number).and_then(|digits| digits.parse::<u64>().ok());
    let stack = number(said.get("StackSize").and_then(|section| section.get("aicore_stack_size")));
    let printed = number(said.get("simd_printf_fifo_size_per_core"));
    let limits = [
        (aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, stack),
        (aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, printed),
    ];
    for (limit, bytes) in limits {
        if let Some(bytes) = bytes {
            // The library, too, looks at the lower half alone.
            settings::choose_device_limit(limit, bytes as u32)?;
        }
    }
    Ok(())
}

fn is_positive(digits: &str) -> bool {
    !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit())
}
