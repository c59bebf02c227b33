//! Initialising and finalising.

use crate::case::saw;
use ascendcl_sys::types::*;
use core::ptr::null;

pub(crate) const CASES: &[(&str, fn())] = &[
    ("init: aclInit twice / finalize twice", init_twice),
    ("init: finalize without init", finalize_without_init),
    ("init: bad config path", bad_config_path),
    ("init: runtime calls without aclInit", calls_without_init),
    ("init: finalize with live objects", finalize_with_live_objects),
];

fn init_twice() {
    let mut count = 0;
    row!("aclInit(NULL)", process::aclInit(null()));
    row!("aclInit(NULL) again", process::aclInit(null()));
    row!("aclFinalizeReference (refcount 2)", process::aclFinalizeReference(&mut count));
    saw(format!("refCount={count}"));
    row!("aclFinalize", process::aclFinalize());
    row!("aclFinalize again", process::aclFinalize());
    row!("aclInit after aclFinalize", process::aclInit(null()));
    row!("aclFinalize", process::aclFinalize());
}

fn finalize_without_init() {
    let mut count = 0;
    row!("aclFinalize without aclInit", process::aclFinalize());
    row!("aclFinalizeReference without aclInit", process::aclFinalizeReference(&mut count));
    saw(format!("refCount={count}"));
}

fn bad_config_path() {
    row!(r#"aclInit("/nonexistent.json")"#, process::aclInit(c"/nonexistent.json".as_ptr()));
    row!(r#"aclInit("")"#, process::aclInit(c"".as_ptr()));
}

fn calls_without_init() {
    let (mut count, mut stream, mut memory) = (0, aclrtStream::NULL, core::ptr::null_mut());
    row!("GetDeviceCount without aclInit", device::aclrtGetDeviceCount(&mut count));
    row!("SetDevice(0) without aclInit", device::aclrtSetDevice(0));
    row!("CreateStream without aclInit (device set)", stream::aclrtCreateStream(&mut stream));
    row!(
        "Malloc without aclInit",
        memory::aclrtMalloc(&mut memory, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST)
    );
    row!("ResetDevice without aclInit", device::aclrtResetDevice(0));
}

fn finalize_with_live_objects() {
    let mut stream = aclrtStream::NULL;
    prepare!(process::aclInit(null()));
    prepare!(device::aclrtSetDevice(0));
    prepare!(stream::aclrtCreateStream(&mut stream));
    row!("aclFinalize with device set and live stream", process::aclFinalize());
    row!("SynchronizeStream after aclFinalize", stream::aclrtSynchronizeStream(stream));
    row!("DestroyStream after aclFinalize", stream::aclrtDestroyStream(stream));
    row!("ResetDevice after aclFinalize", device::aclrtResetDevice(0));
}
