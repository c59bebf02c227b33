//! Functions of the program that hear of the states of streams and devices, of the start and of the end.

use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::{CStr, c_char, c_void};
use core::ptr::{null, null_mut};
use std::sync::{Mutex, PoisonError};

/// What the functions heard, in its order. One test at a time has the machine, and this.
static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn note(what: String) {
    HEARD.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

fn heard() -> Vec<String> {
    std::mem::take(&mut *HEARD.lock().unwrap_or_else(PoisonError::into_inner))
}

fn quiet() -> World {
    let world = world();
    heard();
    world
}

/// Asks the stream for its id, which it has for as long as it can be named.
unsafe extern "C" fn of_stream(stream: aclrtStream, state: aclrtStreamState, _: *mut c_void) {
    let mut id = -1;
    let code = call!(stream::aclrtStreamGetId(stream, &mut id));
    let state = if state == aclrtStreamState::ACL_RT_STREAM_STATE_CREATE_POST { "created" } else { "ends" };
    note(format!("{state} {} {code}", stream.0.addr()));
}

unsafe extern "C" fn of_device(device: i32, state: aclrtDeviceState, argument: *mut c_void) {
    note(format!("device {device} {} {}", state.0, argument.addr()));
}

fn listen_to_streams(name: &CStr) {
    ok!(callback::aclrtRegStreamStateCallback(name.as_ptr(), Some(of_stream), null_mut()));
}

#[test]
fn a_stream_is_told_of_while_it_can_be_named() {
    let _world = quiet();
    listen_to_streams(c"one");
    let mut stream = aclrtStream::NULL;
    ok!(stream::aclrtCreateStream(&mut stream));
    assert_eq!(heard(), [format!("created {} 0", stream.0.addr())]);
    ok!(stream::aclrtDestroyStream(stream));
    assert_eq!(heard(), [format!("ends {} 0", stream.0.addr())]);
    // A call that is refused ends nothing.
    assert_eq!(call!(stream::aclrtDestroyStream(stream)), ACL_ERROR_RT_INVALID_HANDLE);
    assert!(heard().is_empty());
}

#[test]
fn the_streams_of_a_context_are_told_of_when_it_ends() {
    let _world = quiet();
    let (mut context, mut stream, mut default) = (aclrtContext::NULL, aclrtStream::NULL, aclrtStream::NULL);
    listen_to_streams(c"one");
    ok!(device::aclrtCreateContext(&mut context, 0));
    ok!(stream::aclrtCreateStream(&mut stream));
    ok!(stream::aclrtCtxGetCurrentDefaultStream(&mut default));
    assert_eq!(heard(), [format!("created {} 0", default.0.addr()), format!("created {} 0", stream.0.addr())]);
    ok!(device::aclrtDestroyContext(context));
    let mut ends = heard();
    ends.sort();
    let mut expected = [format!("ends {} 0", stream.0.addr()), format!("ends {} 0", default.0.addr())];
    expected.sort();
    assert_eq!(ends, expected);
}

#[test]
fn a_name_is_taken_until_the_registration_is_taken_back() {
    let _world = quiet();
    let name = c"one".as_ptr();
    listen_to_streams(c"one");
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "registered as `one`",
        callback::aclrtRegStreamStateCallback(name, Some(of_stream), null_mut())
    );
    ok!(callback::aclrtRegDeviceStateCallback(name, Some(of_device), null_mut()));
    ok!(callback::aclrtRegStreamStateCallback(name, None, null_mut()));
    let mut stream = aclrtStream::NULL;
    ok!(stream::aclrtCreateStream(&mut stream));
    assert!(heard().is_empty(), "nobody listens to streams any more");
    listen_to_streams(c"one");
    fails!(ACL_ERROR_INVALID_PARAM, "name", callback::aclrtRegStreamStateCallback(null(), Some(of_stream), null_mut()));
}

#[test]
fn a_device_is_told_of_before_and_after_each_set_and_reset() {
    let _world = quiet();
    let argument = core::ptr::without_provenance_mut(7);
    ok!(callback::aclrtRegDeviceStateCallback(c"one".as_ptr(), Some(of_device), argument));
    ok!(device::aclrtSetDevice(0));
    assert_eq!(heard(), ["device 0 0 7", "device 0 1 7"]);
    ok!(device::aclrtResetDevice(0));
    assert_eq!(heard(), ["device 0 2 7", "device 0 3 7"]);
    assert_eq!(call!(device::aclrtSetDevice(99)), ACL_ERROR_RT_INVALID_DEVICEID);
    assert!(heard().is_empty());
}

unsafe extern "C" fn of_start(text: *const c_char, length: usize, argument: *mut c_void) -> aclError {
    // SAFETY: the text is terminated and stays in place for the length of the call.
    let text = unsafe { CStr::from_ptr(text) };
    assert_eq!(text.count_bytes(), length);
    let again = call!(process::aclInit(null()));
    note(format!("start {} {again}", text.to_string_lossy()));
    i32::try_from(argument.addr()).unwrap()
}

unsafe extern "C" fn of_end(argument: *mut c_void) -> aclError {
    let again = call!(process::aclFinalize());
    note(format!("end {again}"));
    i32::try_from(argument.addr()).unwrap()
}

const MODELS: aclRegisterCallbackType = aclRegisterCallbackType::ACL_REG_TYPE_ACL_MODEL;

#[test]
fn who_hears_of_the_start_gets_the_configuration_and_cannot_start_itself() {
    let _world = quiet();
    // A process has one configuration for life.
    ascendcl_sim::control::reset();
    let file = std::env::temp_dir().join(format!("ascendcl-sim-notices-{}.json", std::process::id()));
    std::fs::write(&file, "{\"a\": 1}").unwrap();
    ok!(process::aclInitCallbackRegister(MODELS, Some(of_start), null_mut()));
    let path = c(file.to_str().unwrap());
    ok!(process::aclInit(path.as_ptr()));
    std::fs::remove_file(file).unwrap();
    assert_eq!(heard(), [format!("start {{\"a\": 1}} {ACL_ERROR_REPEAT_INITIALIZE}")]);
    // One that comes later hears of it at once.
    ok!(process::aclInitCallbackUnRegister(MODELS, Some(of_start)));
    ok!(process::aclInitCallbackRegister(MODELS, Some(of_start), null_mut()));
    assert_eq!(heard().len(), 1);
}

#[test]
fn an_end_that_a_function_refuses_does_not_take_place() {
    let _world = quiet();
    let refuses = core::ptr::without_provenance_mut(5);
    ok!(process::aclFinalizeCallbackRegister(MODELS, Some(of_end), refuses));
    fails!(5, "failed with 5", process::aclFinalize());
    assert_eq!(heard(), [format!("end {ACL_ERROR_REPEAT_FINALIZE}")]);
    let mut left = 9;
    assert_eq!(call!(process::aclFinalizeReference(&mut left)), 5);
    assert_eq!((left, heard().len()), (1, 1), "the initialisation is still counted");
    ok!(process::aclFinalizeCallbackUnRegister(MODELS, Some(of_end)));
    ok!(process::aclFinalizeReference(&mut left));
    assert_eq!((left, heard().len()), (0, 0));
}

#[test]
fn a_function_that_is_told_of_an_end_holds_up_other_threads_and_no_lock() {
    let _world = quiet();
    // It registers, asks and counts while the end is under way.
    unsafe extern "C" fn of_end(_: *mut c_void) -> aclError {
        ok!(process::aclInitCallbackRegister(MODELS, Some(of_start), null_mut()));
        ok!(process::aclInitCallbackUnRegister(MODELS, Some(of_start)));
        let mut stream = aclrtStream::NULL;
        ok!(stream::aclrtCreateStream(&mut stream));
        ok!(stream::aclrtDestroyStream(stream));
        note("end".to_owned());
        0
    }
    ok!(process::aclFinalizeCallbackRegister(MODELS, Some(of_end), null_mut()));
    let codes: Vec<i32> = std::thread::scope(|scope| {
        let ends: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    ok!(device::aclrtSetDevice(0));
                    call!(process::aclFinalize())
                })
            })
            .collect();
        ends.into_iter().map(|end| end.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    assert_eq!(heard().iter().filter(|what| *what == "end").count(), 1);
}
