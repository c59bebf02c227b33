//! Hints for a device's cache.

use crate::support::{stream, synchronize};
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

const PREFETCH: aclrtCmoType = aclrtCmoType::ACL_RT_CMO_TYPE_PREFETCH;

fn memory(size: usize) -> *mut c_void {
    let mut memory = null_mut();
    ok!(memory::aclrtMalloc(&mut memory, size, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    ok!(copy::aclrtMemset(memory, size, 0, size));
    memory
}

#[test]
fn a_hint_may_stand_in_a_descriptor() {
    let _world = world();
    let (stream, data) = (stream(), memory(256));
    let mut size = 0;
    ok!(copy::aclrtCmoGetDescSize(&mut size));
    let descriptor = memory(size);
    ok!(copy::aclrtCmoSetDesc(descriptor, data, 256));
    ok!(copy::aclrtCmoAsyncWithDesc(descriptor, PREFETCH, stream, null()));
    synchronize(stream);
    // What was not written by the function above is no descriptor: the device finds that out.
    ok!(copy::aclrtCmoAsyncWithDesc(data, PREFETCH, stream, null()));
    assert_eq!(call!(stream::aclrtSynchronizeStream(stream)), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
}

#[test]
fn arguments_of_descriptors_are_refused_by_the_runtime() {
    let _world = world();
    let (stream, data) = (stream(), memory(256));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "no place", copy::aclrtCmoGetDescSize(null_mut()));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "size is 0", copy::aclrtCmoSetDesc(data, data, 0));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "null", copy::aclrtCmoAsyncWithDesc(null_mut(), PREFETCH, stream, null()));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "reserved", copy::aclrtCmoAsyncWithDesc(data, PREFETCH, stream, data));
    let unknown = aclrtCmoType(9);
    let none = aclrtStream(data.cast());
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "stream", copy::aclrtCmoAsyncWithDesc(null_mut(), PREFETCH, none, null()));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "reserved", copy::aclrtCmoAsyncWithDesc(null_mut(), PREFETCH, none, data));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "no hint 9", copy::aclrtCmoAsyncWithDesc(data, unknown, stream, null()));
}
