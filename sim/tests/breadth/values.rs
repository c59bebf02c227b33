//! Values that a call does not take: a size of nothing, a flag that there is not, a number outside of an enumeration, a
//! reserved argument that is given. The vendor's first layer refuses them in this order, before it looks for a context,
//! a handle or memory; what it does not look at, the layer below refuses with a code of its own.

use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

const WRONG: i32 = ACL_ERROR_INVALID_PARAM;
const BELOW: i32 = ACL_ERROR_RT_PARAM_INVALID;

/// Calls, each with the code that it answers.
macro_rules! answers {
    ($($code:expr, $group:ident::$function:ident($($argument:expr),* $(,)?);)*) => {{
        let mut differ = Vec::new();
        $(
            let code = call!($group::$function($($argument),*));
            if code != $code {
                differ.push(format!("{}: {code}, not {}", stringify!($function($($argument),*)), $code));
            }
        )*
        assert!(differ.is_empty(), "{}", differ.join("\n"));
    }};
}

fn address(value: &mut [u64]) -> *mut c_void {
    value.as_mut_ptr().cast()
}

#[test]
fn sizes_of_nothing_are_refused_where_memory_is_named_and_do_nothing_where_it_is_copied() {
    let _world = world();
    let (mut place, mut handle, nothing) = (null_mut(), aclrtDrvMemHandle::NULL, aclrtStream::NULL);
    let mut host = [0_u64; 8];
    let host = address(&mut host);
    let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
    let no_kind = aclrtMemcpyKind(99);
    answers! {
        WRONG, memory::aclrtMalloc(&mut place, 0, policy);
        WRONG, memory::aclrtMallocAlign32(&mut place, 0, policy);
        WRONG, memory::aclrtMallocCached(&mut place, 0, policy);
        WRONG, memory::aclrtMallocWithCfg(&mut place, 0, policy, null_mut());
        WRONG, memory::aclrtMallocForTaskScheduler(&mut place, 0, policy, null_mut());
        WRONG, memory::aclrtMallocHost(&mut place, 0);
        WRONG, memory::aclrtMallocHostWithCfg(&mut place, 0, null_mut());
        WRONG, memory::aclrtMemFlush(host, 0);
        WRONG, memory::aclrtMemInvalidate(host, 0);
        WRONG, memory::aclrtHostRegister(host, 0, aclrtHostRegisterType(0), &mut place);
        WRONG, memory::aclrtHostRegisterV2(host, 0, 0);
        WRONG, memory::aclrtReserveMemAddress(&mut place, 0, 0, null_mut(), 0);
        WRONG, memory::aclrtReserveMemAddressNoUCMemory(&mut place, 0, 0, null_mut(), 0);
        WRONG, memory::aclrtMapMem(host, 0, 0, aclrtDrvMemHandle(host.cast()), 0);
        WRONG, memory::aclrtMemSetPidToShareableHandle(1, host.cast(), 0);
        WRONG, memory::aclrtMemSetPidToShareableHandleV2(host, aclrtMemSharedHandleType(0), host.cast(), 0);
        WRONG, copy::aclrtCmoAsync(host, 0, aclrtCmoType(0), nothing);
        WRONG, memory::aclrtMallocPhysical(&mut handle, 0, null(), 0);
        0, copy::aclrtMemcpy(null_mut(), 0, null(), 0, no_kind);
        0, copy::aclrtMemcpyAsync(null_mut(), 0, null(), 0, no_kind, nothing);
        0, copy::aclrtMemcpyAsyncWithCondition(null_mut(), 0, null(), 0, no_kind, nothing);
        0, copy::aclrtMemcpyAsyncWithOffset(null_mut(), 0, 0, null_mut(), 0, 0, no_kind, nothing);
        0, copy::aclrtMemset(null_mut(), 0, 0, 0);
        0, copy::aclrtMemsetAsync(null_mut(), 0, 0, 0, nothing);
        0, copy::aclrtMemsetD32(null_mut(), 0, 0, 0);
        0, copy::aclrtMemsetD32Async(null_mut(), 0, 0, 0, nothing);
    }
}

#[test]
fn limits_of_time_are_looked_at_before_handles() {
    let _world = world();
    let stream = stream();
    answers! {
        BELOW, stream::aclrtSynchronizeStreamWithTimeout(stream, -2);
        BELOW, device::aclrtSynchronizeDeviceWithTimeout(-2);
        BELOW, event::aclrtSynchronizeEventWithTimeout(aclrtEvent::NULL, -2);
        BELOW, event::aclrtStreamWaitEventWithTimeout(stream, aclrtEvent::NULL, -1);
        WRONG, callback::aclrtProcessReport(0);
        WRONG, callback::aclrtProcessReport(-2);
    }
}

#[test]
fn flags_and_names_that_there_are_not_are_refused() {
    let _world = world();
    let (stream, event) = (stream(), event());
    let mut host = [0_u64; 8];
    let host = address(&mut host);
    let (mut place, mut handle) = (null_mut(), aclrtDrvMemHandle::NULL);
    let (mut number, mut size, mut notify) = (0_i64, 0_usize, aclrtNotify::NULL);
    let (mut flags, mut active) = (0_u32, 0_i32);
    answers! {
        WRONG, event::aclrtRecordEventWithFlag(event, stream, 7);
        WRONG, event::aclrtRecordEventWithFlag(aclrtEvent::NULL, stream, 7);
        WRONG, event::aclrtStreamWaitEventWithFlag(stream, event, 0, 7);
        WRONG, event::aclrtStreamWaitEventWithFlag(stream, event, 5, 1);
        WRONG, stream::aclrtSetStreamOverflowSwitch(stream, 2);
        WRONG, callback::aclrtLaunchCallback(None, null_mut(), aclrtCallbackBlockType(7), aclrtStream::NULL);
        WRONG, device::aclrtSetTsDevice(aclrtTsId(9));
        WRONG, device::aclrtGetSysParamOpt(aclSysParamOpt(9), &mut number);
        WRONG, device::aclrtSetSysParamOpt(aclSysParamOpt(9), 1);
        WRONG, device::aclrtCtxGetSysParamOpt(aclSysParamOpt(9), &mut number);
        WRONG, device::aclrtCtxSetSysParamOpt(aclSysParamOpt(9), 1);
        WRONG, device::aclrtGetPrimaryCtxState(0, &mut flags, &mut active);
        WRONG, device::aclrtDeviceCanAccessPeer(&mut active, 0, 0);
        ACL_ERROR_FEATURE_UNSUPPORTED, device::aclrtDeviceEnablePeerAccess(0, 1);
        WRONG, memory::aclrtHostGetDevicePointer(host, &mut place, 1);
        WRONG, memory::aclrtReserveMemAddress(&mut place, 1 << 21, 0, null_mut(), 2);
        WRONG, memory::aclrtMapMem(host, 1 << 21, 0, aclrtDrvMemHandle(host.cast()), 1);
        WRONG, memory::aclrtMemExportToShareableHandle(
            aclrtDrvMemHandle(host.cast()), aclrtMemHandleType(9), 0, host.cast());
        WRONG, memory::aclrtMemImportFromShareableHandleV2(host, aclrtMemSharedHandleType(0), 1, &mut handle);
        WRONG, event::aclrtNotifyImportByKey(&mut notify, host.cast(), 9);
        WRONG, copy::aclrtGetMemcpyDescSize(aclrtMemcpyKind(99), &mut size);
        WRONG, copy::aclrtSetMemcpyDesc(host, aclrtMemcpyKind(99), host, host, 8, null_mut());
        WRONG, copy::aclrtSetMemcpyDesc(host, TO_HOST, host, host, 0, null_mut());
        WRONG, copy::aclrtSetMemcpyDesc(host, TO_HOST, host, host, 8, host);
        WRONG, copy::aclrtMemcpyAsyncWithDesc(host, aclrtMemcpyKind(99), stream);
        WRONG, copy::aclrtMemcpyAsyncWithDesc(host, TO_HOST, aclrtStream::NULL);
        WRONG, copy::aclrtMemcpy(host, 8, host, 8, aclrtMemcpyKind(99));
        WRONG, copy::aclrtMemcpyAsync(host, 8, host, 8, aclrtMemcpyKind(99), aclrtStream::NULL);
        WRONG, copy::aclrtMemcpy2d(host, 4, host, 8, 8, 1, TO_HOST);
        WRONG, copy::aclrtMemcpy2d(host, 8, host, 8, 8, 1, aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE);
        WRONG, copy::aclrtMemcpy2dAsync(host, 4, host, 8, 8, 1, TO_HOST, stream);
        WRONG, copy::aclrtMemcpy2dAsync(host, 8, host, 8, 8, 1, aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST, stream);
        WRONG, copy::aclrtMemsetD32(host, 4, 0, 2);
        WRONG, copy::aclrtMemsetD32(host.wrapping_byte_add(1), 64, 0, 2);
        WRONG, copy::aclrtMemsetD32(host, 64, 0, usize::MAX);
        WRONG, copy::aclrtMemsetD32Async(host, 4, 0, 2, stream);
        WRONG, copy::aclrtReduceAsync(host, host, 1, aclrtReduceKind(10), aclDataType::ACL_STRING, stream, null_mut());
        WRONG, copy::aclrtReduceAsync(host, host, 1, aclrtReduceKind(10), aclDataType::ACL_FLOAT, stream, host);
        BELOW, callback::aclrtExceptionInfoCallbackRegister(None);
        BELOW, callback::aclrtExceptionInfoCallbackUnregister(None);
    }
    let _ = (place, handle, number, size, notify, flags, active);
}

#[test]
fn streams_that_are_needed_are_not_the_default_one() {
    let _world = world();
    let (stream, none) = (stream(), aclrtStream::NULL);
    let mut host = [0_u64; 8];
    let host = address(&mut host);
    let mut label = aclrtLabel::NULL;
    ok!(kernel::aclrtCreateLabel(&mut label));
    let mut place = null_mut();
    answers! {
        WRONG, kernel::aclrtSetLabel(label, none);
        WRONG, kernel::aclrtActiveStream(none, stream);
        WRONG, kernel::aclrtActiveStream(stream, none);
        WRONG, kernel::aclrtSwitchLabelByIndex(host, 1, aclrtLabelList(host.cast()), none);
        WRONG, memory_pool::aclrtMemPoolMallocAsync(&mut place, 0, aclrtMemPool(host.cast()), none);
        WRONG, model_instance::aclmdlRICaptureBegin(none, aclmdlRICaptureMode(0));
        WRONG, model_instance::aclmdlRICaptureGetInfo(stream, null_mut(), null_mut());
        WRONG, stream::aclrtDestroyStream(none);
        WRONG, stream::aclrtDestroyStreamForce(none);
    }
    let _ = place;
}
