//! Callbacks that hear of the start and the end, of states and of failures.

use crate::arguments::{Named, number};
use crate::call::Outcome;
use crate::world::{Ready, World};
use ascendcl_sys::types::*;
use core::ffi::{CStr, c_char, c_void};
use core::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// How often the functions of the start and the end were called.
static STARTS_AND_ENDS: AtomicU32 = AtomicU32::new(0);
static OF_DEVICES: AtomicU32 = AtomicU32::new(0);
static OF_STREAMS: AtomicU32 = AtomicU32::new(0);

/// What a function of the cases fails with.
const FAILS: aclError = 5;

unsafe extern "C" fn start(_: *const c_char, _: usize, _: *mut c_void) -> aclError {
    STARTS_AND_ENDS.fetch_add(1, SeqCst);
    0
}
unsafe extern "C" fn failing_start(_: *const c_char, _: usize, _: *mut c_void) -> aclError {
    STARTS_AND_ENDS.fetch_add(1, SeqCst);
    FAILS
}
unsafe extern "C" fn end(_: *mut c_void) -> aclError {
    STARTS_AND_ENDS.fetch_add(1, SeqCst);
    0
}
unsafe extern "C" fn failing_end(_: *mut c_void) -> aclError {
    STARTS_AND_ENDS.fetch_add(1, SeqCst);
    FAILS
}
unsafe extern "C" fn failure(_: *mut aclrtExceptionInfo) {}
unsafe extern "C" fn of_device(_: i32, _: aclrtDeviceState, _: *mut c_void) {
    OF_DEVICES.fetch_add(1, SeqCst);
}
unsafe extern "C" fn of_stream(_: aclrtStream, _: aclrtStreamState, _: *mut c_void) {
    OF_STREAMS.fetch_add(1, SeqCst);
}
unsafe extern "C" fn abort(_: i32, _: aclrtDeviceTaskAbortStage, _: u32, _: *mut c_void) -> i32 {
    0
}

/// What a row in parentheses says of calls that were counted.
pub(crate) fn counted(text: &str) -> Option<String> {
    let (devices, streams) = (OF_DEVICES.load(SeqCst), OF_STREAMS.load(SeqCst));
    if text.starts_with("device state callbacks") && text.contains(", stream ") {
        Some(format!("device state callbacks {devices}, stream {streams}"))
    } else if text.starts_with("device state callbacks") {
        Some(format!("device state callbacks {devices}"))
    } else if text.starts_with("stream state callbacks") {
        Some(format!("stream state callbacks {streams}"))
    } else if text.starts_with("callbacks ") && STARTS_AND_ENDS.load(SeqCst) > 0 {
        Some(format!("callbacks {}", STARTS_AND_ENDS.load(SeqCst)))
    } else {
        None
    }
}

pub(crate) fn ready(_: &mut World, named: &Named) -> Option<Ready> {
    let first = named.at(0);
    let name: *const c_char = named_as(first).map_or(core::ptr::null(), CStr::as_ptr);
    let name = name.expose_provenance();
    let at = move || core::ptr::with_exposed_provenance::<c_char>(name);
    let null = named.at(usize::from(named.arguments.len() > 1)) == "NULL";
    let given = !null;
    let fails = named.says("that fails");
    let kind = aclRegisterCallbackType(first.parse::<i64>().map_or(0, |_| number(first) as u32));
    let start = given.then_some(if fails { failing_start } else { start } as unsafe extern "C" fn(_, _, _) -> _);
    let end = given.then_some(if fails { failing_end } else { end } as unsafe extern "C" fn(_) -> _);
    let failure = given.then_some(failure as unsafe extern "C" fn(_));
    let call: Box<dyn FnOnce() -> i32 + Send> = match named.function {
        "SetExceptionInfoCallback" => Box::new(move || call!(callback::aclrtSetExceptionInfoCallback(failure))),
        "ExceptionInfoCallbackRegister" => {
            Box::new(move || call!(callback::aclrtExceptionInfoCallbackRegister(failure)))
        }
        "ExceptionInfoCallbackUnregister" => {
            Box::new(move || call!(callback::aclrtExceptionInfoCallbackUnregister(failure)))
        }
        "RegStreamStateCallback" => {
            let function = given.then_some(of_stream as unsafe extern "C" fn(_, _, _));
            Box::new(move || call!(callback::aclrtRegStreamStateCallback(at(), function, null_mut())))
        }
        "RegDeviceStateCallback" => {
            let function = given.then_some(of_device as unsafe extern "C" fn(_, _, _));
            Box::new(move || call!(callback::aclrtRegDeviceStateCallback(at(), function, null_mut())))
        }
        "SetDeviceTaskAbortCallback" => {
            let function = given.then_some(abort as unsafe extern "C" fn(_, _, _, _) -> _);
            Box::new(move || call!(callback::aclrtSetDeviceTaskAbortCallback(at(), function, null_mut())))
        }
        "InitCallbackRegister" => Box::new(move || call!(process::aclInitCallbackRegister(kind, start, null_mut()))),
        "InitCallbackUnRegister" => Box::new(move || call!(process::aclInitCallbackUnRegister(kind, start))),
        "FinalizeCallbackRegister" => {
            Box::new(move || call!(process::aclFinalizeCallbackRegister(kind, end, null_mut())))
        }
        "FinalizeCallbackUnRegister" => Box::new(move || call!(process::aclFinalizeCallbackUnRegister(kind, end))),
        _ => return None,
    };
    Some(Box::new(move || Outcome::from(call())))
}

/// The name of a registration.
fn named_as(argument: &str) -> Option<&'static CStr> {
    match argument {
        "NULL" => None,
        "\"\"" => Some(c""),
        "unknown" => Some(c"unknown"),
        _ => Some(c"name"),
    }
}
