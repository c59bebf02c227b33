//! Devices, contexts, threads, initialisation.

use super::support::*;
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::ffi::CString;
use std::ptr::null;
use std::thread;

fn current() -> Result<i32, aclError> {
    let mut device = -9;
    match acl!(aclrtGetDevice(&mut device)) {
        ACL_SUCCESS => Ok(device),
        code => {
            assert_eq!(device, -9);
            Err(code)
        }
    }
}

#[proves(INIT_05, INIT_07, INIT_08)]
#[test]
fn initialisation_is_counted() {
    let _machine = fresh();
    let mut count = 9;
    assert_eq!(acl!(aclFinalizeReference(&mut count)), ACL_ERROR_REPEAT_FINALIZE);
    assert_eq!(count, 0);
    ok!(aclInit(null()));
    assert_eq!(acl!(aclInit(null())), ACL_ERROR_REPEAT_INITIALIZE);
    ok!(aclFinalizeReference(&mut count));
    assert_eq!(count, 1);
    ok!(aclFinalize());
    assert_eq!(acl!(aclFinalize()), ACL_ERROR_REPEAT_FINALIZE);
    ok!(aclInit(c"".as_ptr()));
    ok!(aclFinalize());
    control::reset();
    ok!(aclFinalize());
    assert_eq!(acl!(aclFinalizeReference(std::ptr::null_mut())), ACL_ERROR_REPEAT_FINALIZE);
}

#[test]
fn a_configuration_file_has_to_be_json() {
    let _machine = fresh();
    assert_eq!(acl!(aclInit(c"/nonexistent.json".as_ptr())), ACL_ERROR_INVALID_FILE);
    for folder_or_device in [c"/", c"/dev/null"] {
        assert_eq!(acl!(aclInit(folder_or_device.as_ptr())), ACL_ERROR_INVALID_FILE);
    }
    let objects = |depth| "{\"a\":".repeat(depth) + "0" + &"}".repeat(depth);
    let lists = |depth| "[".repeat(depth) + &"]".repeat(depth);
    let long = |bytes: usize| "{}".to_owned() + &" ".repeat(bytes - 2);
    let rows = [
        (r#"{"dump": {}}"#.to_owned(), ACL_SUCCESS),
        ("{dump}".to_owned(), ACL_ERROR_PARSE_FILE),
        (String::new(), ACL_SUCCESS),
        (objects(10), ACL_SUCCESS),
        (objects(11), ACL_ERROR_PARSE_FILE),
        (lists(10), ACL_SUCCESS),
        (lists(11), ACL_ERROR_PARSE_FILE),
        (long(10 << 20), ACL_SUCCESS),
        (long((10 << 20) + 1), ACL_ERROR_INVALID_FILE),
    ];
    for (text, code) in rows {
        assert_eq!(start_with(&text), code, "{:.40}", text);
        control::reset();
    }
}

/// The code of a start with this text as its configuration file.
fn start_with(text: &str) -> aclError {
    let path = std::env::temp_dir().join(format!("ascendcl-sim-{}.json", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let c_path = CString::new(path.to_str().unwrap()).unwrap();
    let code = acl!(aclInit(c_path.as_ptr()));
    std::fs::remove_file(path).unwrap();
    code
}

#[test]
fn what_a_configuration_says_is_looked_at() {
    let _machine = fresh();
    let failure = ACL_ERROR_FAILURE;
    for (text, code) in [
        (r#"{"err_msg_mode": "0"}"#, ACL_SUCCESS),
        (r#"{"err_msg_mode": "1"}"#, ACL_SUCCESS),
        (r#"{"err_msg_mode": "2"}"#, ACL_ERROR_INVALID_PARAM),
        (r#"{"err_msg_mode": 1}"#, ACL_ERROR_INVALID_PARAM),
        (r#"{"defaultDevice": {"default_device": "0"}}"#, ACL_SUCCESS),
        (r#"{"defaultDevice": {"default_device": "1"}}"#, ACL_SUCCESS),
        (r#"{"defaultDevice": {"default_device": "99"}}"#, ACL_ERROR_RT_INVALID_DEVICEID),
        (r#"{"defaultDevice": {"default_device": "99999999999999999999"}}"#, ACL_ERROR_RT_INVALID_DEVICEID),
        (r#"{"defaultDevice": {}}"#, ACL_SUCCESS),
        (r#"{"defaultDevice": 0}"#, ACL_SUCCESS),
        (r#"{"defaultDevice": {"default_device": "-1"}}"#, failure),
        (r#"{"defaultDevice": {"default_device": "00"}}"#, failure),
        (r#"{"defaultDevice": {"default_device": ""}}"#, failure),
        (r#"{"defaultDevice": {"default_device": 0}}"#, failure),
        (r#"{"StackSize": {"aicore_stack_size": 32768}}"#, ACL_SUCCESS),
        (r#"{"StackSize": {"another": "32768"}}"#, ACL_SUCCESS),
        (r#"{"StackSize": {"aicore_stack_size": "32768"}}"#, failure),
        (r#"{"simt_printf_fifo_size": 1048576}"#, ACL_SUCCESS),
        (r#"{"simt_printf_fifo_size": 0}"#, failure),
        (r#"{"simt_printf_fifo_size": "1048576"}"#, failure),
        (r#"{"simd_printf_fifo_size_per_core": -1}"#, failure),
        (r#"{"simd_printf_fifo_size_per_core": 87}"#, ACL_ERROR_RT_PARAM_INVALID),
        (r#"{"simd_printf_fifo_size_per_core": 1048576}"#, ACL_SUCCESS),
        (r#"{"acl_graph": {"event_mode": "1"}}"#, ACL_SUCCESS),
        (r#"{"acl_graph": {"event_mode": "2"}}"#, ACL_ERROR_INVALID_PARAM),
        (r#"{"acl_graph": {}}"#, ACL_SUCCESS),
        (r#"{"max_opqueue_num": "20000"}"#, ACL_SUCCESS),
        (r#"{"max_opqueue_num": 1}"#, ACL_SUCCESS),
        (r#"{"max_opqueue_num": "1 and more"}"#, ACL_SUCCESS),
        (r#"{"max_opqueue_num": "0"}"#, ACL_ERROR_INVALID_PARAM),
        (r#"{"max_opqueue_num": -1}"#, ACL_ERROR_INVALID_PARAM),
        (r#"{"max_opqueue_num": "many"}"#, ACL_ERROR_INVALID_PARAM),
        (r#"{"max_opqueue_num": [7]}"#, ACL_ERROR_INVALID_PARAM),
        // One thing is looked at after the other.
        (r#"{"dump": 1, "err_msg_mode": "2"}"#, ACL_ERROR_INVALID_PARAM),
        (r#"{"max_opqueue_num": 0, "dump": 1}"#, ACL_ERROR_INVALID_DUMP_CONFIG),
        (r#"{"defaultDevice": {"default_device": "00"}, "max_opqueue_num": 0}"#, ACL_ERROR_INVALID_PARAM),
        (r#"{"acl_graph": {"event_mode": "2"}, "defaultDevice": {"default_device": "00"}}"#, failure),
    ] {
        assert_eq!(start_with(text), code, "{text}");
        control::reset();
    }
}

#[test]
fn a_configuration_chooses_the_limits_of_kernels() {
    let _machine = fresh();
    let limit = |of| {
        let mut bytes = 7;
        ok!(aclrtDeviceGetLimit(of, &mut bytes));
        bytes
    };
    let text =
        r#"{"StackSize": {"aicore_stack_size": 40000, "simt_stack_size": 1}, "simd_printf_fifo_size_per_core": 1025}"#;
    assert_eq!(start_with(text), ACL_SUCCESS);
    assert_eq!(limit(aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE), 49_152);
    assert_eq!(limit(aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE), 1032);
    ok!(aclFinalize());
}

/// As long as the process lives, its configuration is that of the first start, whichever file it stands in.
#[test]
fn a_later_start_has_the_configuration_of_the_first() {
    let _machine = fresh();
    let (first, other) = (r#"{"a": 1}"#, r#"{"a": 2}"#);
    assert_eq!(start_with("{"), ACL_ERROR_PARSE_FILE, "it does not count");
    assert_eq!(start_with(first), ACL_SUCCESS);
    assert_eq!(start_with(other), ACL_ERROR_REPEAT_INITIALIZE);
    ok!(aclFinalize());
    for text in [other, "", "{"] {
        assert_eq!(start_with(text), ACL_ERROR_INVALID_PARAM, "{text}");
    }
    assert_eq!(acl!(aclInit(null())), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclInit(c"/nonexistent.json".as_ptr())), ACL_ERROR_INVALID_FILE);
    assert_eq!(start_with(first), ACL_SUCCESS);
    control::reset();
    ok!(aclInit(null()));
    ok!(aclFinalize());
    assert_eq!(start_with(first), ACL_ERROR_INVALID_PARAM);
    for nothing in [c"".as_ptr(), null()] {
        ok!(aclInit(nothing));
        ok!(aclFinalize());
    }
    assert_eq!(start_with(""), ACL_SUCCESS);
}

#[proves(DEV_06, DEV_07, DEV_11)]
#[test]
fn sets_and_resets_are_counted() {
    let _machine = fresh();
    assert_eq!(current(), Err(ACL_ERROR_RT_CONTEXT_NULL));
    for id in [2, -1, 1000] {
        assert_eq!(acl!(aclrtSetDevice(id)), ACL_ERROR_RT_INVALID_DEVICEID);
        assert_eq!(acl!(aclrtResetDevice(id)), ACL_ERROR_RT_INVALID_DEVICEID);
    }
    assert_eq!(acl!(aclrtResetDevice(0)), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    ok!(aclrtSetDevice(0));
    ok!(aclrtSetDevice(0));
    ok!(aclrtResetDevice(0));
    assert_eq!(current(), Ok(0));
    ok!(aclrtResetDevice(0));
    assert_eq!(current(), Err(ACL_ERROR_RT_CONTEXT_NULL));
    assert_eq!(acl!(aclrtResetDeviceForce(0)), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    ok!(aclrtSetDevice(0));
    ok!(aclrtSetDevice(0));
    ok!(aclrtResetDeviceForce(0));
    assert_eq!(acl!(aclrtResetDevice(0)), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

#[proves(DEV_04, DEV_05, CTX_06)]
#[test]
fn a_reset_takes_what_belongs_to_the_default_context() {
    let _machine = device();
    let (lost, event, block) = (stream(), event(), malloc(64));
    let mut default = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut default));
    ok!(aclrtResetDevice(0));
    assert_eq!(acl!(aclrtSynchronizeStream(lost)), ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(acl!(aclrtRecordEvent(event, lost)), ACL_ERROR_RT_INVALID_HANDLE);
    ok!(aclrtFree(block));
    assert_eq!(acl!(aclrtFree(block)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtSetCurrentContext(default)), ACL_ERROR_RT_PARAM_INVALID);
    ok!(aclrtSetDevice(0));
    assert_eq!(acl!(aclrtDestroyStream(lost)), ACL_ERROR_RT_INVALID_HANDLE);
    let new = stream();
    ok!(aclrtSynchronizeStream(new));
    ok!(aclrtDestroyStream(new));
    assert!(control::live().is_empty());
}

#[proves(CTX_03, CTX_04, CTX_09, CTX_10)]
#[test]
fn explicit_contexts_live_by_themselves() {
    let _machine = device();
    let mut default = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut default));
    let made = context(0);
    let mut now = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut now));
    assert_eq!(now, made);
    let block = malloc(100);
    ok!(aclrtResetDevice(0));
    ok!(aclrtGetCurrentContext(&mut now));
    assert_eq!(now, made);
    assert_eq!(control::live().device_blocks, 1);
    let stream = stream();
    ok!(aclrtDestroyContext(made));
    assert!(control::live().is_empty(), "{:?}", control::live());
    ok!(aclrtFree(block));
    assert_eq!(acl!(aclrtGetCurrentContext(&mut now)), ACL_ERROR_RT_CONTEXT_NULL);
    assert_eq!(acl!(aclrtSetCurrentContext(made)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtDestroyContext(made)), ACL_ERROR_RT_CONTEXT_NULL);
    assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(acl!(aclrtDestroyContext(default)), ACL_ERROR_RT_CONTEXT_NULL);
}

#[proves(CTX_02)]
#[test]
fn the_default_context_cannot_be_destroyed() {
    let _machine = device();
    let mut default = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut default));
    assert_eq!(acl!(aclrtDestroyContext(default)), ACL_ERROR_RT_CONTEXT_NULL);
    let mut handle = aclrtStream::NULL;
    ok!(aclrtCtxGetCurrentDefaultStream(&mut handle));
    ok!(aclrtDestroyStream(handle));
    assert_eq!(acl!(aclrtSynchronizeStream(handle)), ACL_ERROR_RT_INVALID_HANDLE);
    let block = malloc(4);
    assert_eq!(acl!(aclrtMemsetAsync(block, 4, 0, 4, aclrtStream::NULL)), ACL_ERROR_RT_STREAM_CONTEXT);
    assert_eq!(acl!(aclrtSynchronizeStream(aclrtStream::NULL)), ACL_ERROR_RT_INVALID_HANDLE);
    ok!(aclrtDestroyStream(stream()));
}

#[proves(STREAM_09)]
#[test]
fn work_is_for_streams_of_the_current_context() {
    let _machine = device();
    let a = context(0);
    let (sa, ea, block) = (stream(), event(), malloc(64));
    ok!(aclrtRecordEvent(ea, sa));
    let _b = context(0);
    let (sb, eb) = (stream(), event());
    ok!(aclrtSynchronizeStream(sa));
    ok!(aclrtSynchronizeStreamWithTimeout(sa, 1000));
    assert_eq!(acl!(aclrtRecordEvent(eb, sa)), ACL_ERROR_RT_STREAM_CONTEXT);
    ok!(aclrtRecordEvent(ea, sb));
    assert_eq!(acl!(aclrtStreamWaitEvent(sa, ea)), ACL_ERROR_RT_STREAM_CONTEXT);
    ok!(aclrtStreamWaitEvent(sb, ea));
    assert_eq!(acl!(aclrtMemsetAsync(block, 64, 0, 64, sa)), ACL_ERROR_RT_STREAM_CONTEXT);
    assert_eq!(acl!(aclrtDestroyStream(sa)), ACL_ERROR_RT_STREAM_CONTEXT);
    ok!(aclrtDestroyEvent(ea));
    ok!(aclrtSetCurrentContext(a));
    ok!(aclrtDestroyStream(sa));
}

#[proves(THREAD_01)]
#[test]
fn a_new_thread_has_no_context() {
    let _machine = device();
    let mut context = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut context));
    let (stream, event, block, context) = (Shared(stream()), Shared(event()), Shared(malloc(64)), Shared(context));
    thread::spawn(move || {
        let (mut created, mut address) = (aclrtStream::NULL, std::ptr::null_mut());
        assert_eq!(current(), Err(ACL_ERROR_RT_CONTEXT_NULL));
        assert_eq!(acl!(aclrtCreateStream(&mut created)), ACL_ERROR_RT_CONTEXT_NULL);
        assert_eq!(acl!(aclrtSynchronizeStream(stream.get())), ACL_ERROR_RT_CONTEXT_NULL);
        assert_eq!(acl!(aclrtSynchronizeStream(aclrtStream::NULL)), ACL_ERROR_RT_CONTEXT_NULL);
        assert_eq!(acl!(aclrtRecordEvent(event.get(), stream.get())), ACL_ERROR_RT_CONTEXT_NULL);
        ok!(aclrtSynchronizeEvent(event.get()));
        assert_eq!(acl!(aclrtMallocHost(&mut address, 64)), ACL_ERROR_RT_CONTEXT_NULL);
        ok!(aclrtFree(block.get()));
        assert_eq!(acl!(aclrtDestroyStream(stream.get())), ACL_ERROR_RT_CONTEXT_NULL);
        ok!(aclrtSetCurrentContext(context.get()));
        ok!(aclrtCreateStream(&mut created));
        ok!(aclrtResetDevice(0));
    })
    .join()
    .unwrap();
    assert_eq!(acl!(aclrtSynchronizeStream(stream.get())), ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(acl!(aclrtResetDevice(0)), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

#[test]
fn peers_are_enabled_one_way() {
    let _machine = device();
    let (mut can, mut status) = (9, 9);
    ok!(aclrtDeviceCanAccessPeer(&mut can, 0, 1));
    assert_eq!(can, 1);
    assert_eq!(acl!(aclrtDeviceCanAccessPeer(&mut can, 1, 1)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtDeviceCanAccessPeer(&mut can, 0, 7)), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_eq!(acl!(aclrtDeviceEnablePeerAccess(1, 1)), ACL_ERROR_FEATURE_UNSUPPORTED);
    assert_eq!(acl!(aclrtDeviceEnablePeerAccess(0, 0)), ACL_ERROR_INVALID_PARAM);
    ok!(aclrtDeviceEnablePeerAccess(1, 0));
    ok!(aclrtDevicePeerAccessStatus(0, 1, &mut status));
    assert_eq!(status, 1);
    ok!(aclrtDevicePeerAccessStatus(1, 0, &mut status));
    assert_eq!(status, 0);
    ok!(aclrtDeviceDisablePeerAccess(1));
    ok!(aclrtDeviceDisablePeerAccess(1));
    ok!(aclrtDevicePeerAccessStatus(0, 1, &mut status));
    assert_eq!(status, 0);
}

#[test]
fn the_machine_can_be_configured_while_it_is_unused() {
    let _machine = fresh();
    assert!(control::configure(Config::new().devices(0)).is_err());
    assert!(control::configure(Config::new().soc("Ascend910B1")).is_err());
    control::configure(Config::new().devices(5).memory(1 << 16)).unwrap();
    let mut count = 0;
    ok!(aclrtGetDeviceCount(&mut count));
    assert_eq!(count, 5);
    ok!(aclrtSetDevice(4));
    assert!(control::configure(Config::new()).is_err());
    let mut address = std::ptr::null_mut();
    let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_NORMAL_ONLY;
    assert_eq!(acl!(aclrtMalloc(&mut address, 1 << 16, policy)), ACL_ERROR_RT_MEMORY_ALLOCATION);
    assert!(address.is_null());
    ok!(aclrtResetDevice(4));
    control::configure(Config::new()).unwrap();
}

#[test]
fn it_says_that_it_is_a_simulator() {
    use ascendcl_sim::exports::base::aclrtGetSocName;
    let _machine = fresh();
    // SAFETY: the name stays in place.
    let name = unsafe { std::ffi::CStr::from_ptr(acl!(aclrtGetSocName())) };
    assert!(name.to_str().unwrap().starts_with(ascendcl_sim::SOC_NAME_MARK));
    let mut text = [0x7f; 128];
    ok!(aclsysGetVersionStr(c"runtime".as_ptr().cast_mut(), text.as_mut_ptr()));
    // SAFETY: the call succeeded, so a terminated text stands there.
    let text = unsafe { std::ffi::CStr::from_ptr(text.as_ptr()) };
    assert!(text.to_str().unwrap().contains("simulator"));
    for (name, code) in [
        (c"ops-legacy", ACL_SUCCESS),
        (c"ops_legacy", ACL_SUCCESS),
        (c"driver", ACL_SUCCESS),
        (c"firmware", ACL_SUCCESS),
        (c"x", ACL_ERROR_INVALID_FILE),
        (c"", ACL_ERROR_INVALID_FILE),
    ] {
        let (mut text, mut number) = ([0; 128], 0);
        assert_eq!(acl!(aclsysGetVersionStr(name.as_ptr().cast_mut(), text.as_mut_ptr())), code, "{name:?}");
        assert_eq!(acl!(aclsysGetVersionNum(name.as_ptr().cast_mut(), &mut number)), code, "{name:?}");
    }
    let mut number = 0;
    ok!(aclsysGetVersionNum(c"runtime".as_ptr().cast_mut(), &mut number));
    assert!(number > 0 && number % 1000 == 0, "{number}");
    let mut version = std::mem::MaybeUninit::<aclCANNPackageVersion>::zeroed();
    ok!(aclsysGetCANNVersion(aclCANNPackageName::ACL_PKG_NAME_CANN, version.as_mut_ptr()));
    // SAFETY: every byte was zero, and the call has filled the texts in.
    let release = unsafe { std::ffi::CStr::from_ptr(version.assume_init_ref().releaseVersion.as_ptr()) };
    assert_eq!(release, c"simulator");
}
