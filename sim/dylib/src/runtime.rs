//! Names of the layer below AscendCL (`rt*`, from the vendor's `libruntime.so`) that programs link with beside it.
//!
//! They are no part of the vendor's public interface. Those whose meaning is certain do what the function of AscendCL beside
//! them does, with its rules and codes. The others answer 207000 with a reason.

use ascendcl_sim::exports::{base, copy, device, event, memory, stream};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_PARAM_INVALID, ACL_SUCCESS};
use ascendcl_sys::types::*;
use core::ffi::*;

macro_rules! same {
    ($($name:ident($($arg:ident: $ty:ty),*) = $group:ident::$function:ident($($given:expr),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> aclError {
                // SAFETY: the function of AscendCL asks for the contract of its C function, which is the one of this name.
                // The caller keeps it.
                unsafe { $group::$function($($given),*) }
            }
        )*

        const SAME: &[&str] = &[$(stringify!($name)),*];
    };
}
same! {
    rtSetDevice(device: i32) = device::aclrtSetDevice(device);
    rtDeviceReset(device: i32) = device::aclrtResetDevice(device);
    rtGetDevice(device: *mut i32) = device::aclrtGetDevice(device);
    rtGetDeviceCount(count: *mut i32) = device::aclrtGetDeviceCount(count.cast());
    rtDeviceSynchronize() = device::aclrtSynchronizeDevice();
    rtCtxCreate(context: *mut aclrtContext, _flags: u32, device: i32) = device::aclrtCreateContext(context, device);
    rtCtxDestroy(context: aclrtContext) = device::aclrtDestroyContext(context);
    rtCtxSetCurrent(context: aclrtContext) = device::aclrtSetCurrentContext(context);
    rtCtxGetCurrent(context: *mut aclrtContext) = device::aclrtGetCurrentContext(context);
    rtCtxSynchronize() = device::aclrtSynchronizeDevice();
    rtStreamCreate(stream: *mut aclrtStream, priority: i32) =
        stream::aclrtCreateStreamWithConfig(stream, priority.cast_unsigned(), 0);
    rtStreamDestroy(stream: aclrtStream) = stream::aclrtDestroyStream(stream);
    rtStreamSynchronize(stream: aclrtStream) = stream::aclrtSynchronizeStream(stream);
    rtStreamSynchronizeWithTimeout(stream: aclrtStream, timeout: i32) =
        stream::aclrtSynchronizeStreamWithTimeout(stream, timeout);
    rtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) = event::aclrtStreamWaitEvent(stream, event);
    rtGetStreamId(stream: aclrtStream, id: *mut i32) = stream::aclrtStreamGetId(stream, id);
    rtEventCreate(event: *mut aclrtEvent) = event::aclrtCreateEvent(event);
    rtEventDestroy(event: aclrtEvent) = event::aclrtDestroyEvent(event);
    rtEventRecord(event: aclrtEvent, stream: aclrtStream) = event::aclrtRecordEvent(event, stream);
    rtEventReset(event: aclrtEvent, stream: aclrtStream) = event::aclrtResetEvent(event, stream);
    rtEventSynchronize(event: aclrtEvent) = event::aclrtSynchronizeEvent(event);
    rtEventElapsedTime(time: *mut f32, start: aclrtEvent, end: aclrtEvent) =
        event::aclrtEventElapsedTime(time, start, end);
    rtEventQueryStatus(event: aclrtEvent, status: *mut aclrtEventRecordedStatus) =
        event::aclrtQueryEventStatus(event, status);
    rtNotifyDestroy(notify: aclrtNotify) = event::aclrtDestroyNotify(notify);
    rtNotifyRecord(notify: aclrtNotify, stream: aclrtStream) = event::aclrtRecordNotify(notify, stream);
    rtNotifyWait(notify: aclrtNotify, stream: aclrtStream) = event::aclrtWaitAndResetNotify(notify, stream, 0);
    rtMalloc(address: *mut *mut c_void, size: u64, _kind: u32, _module: u16) =
        memory::aclrtMalloc(address, bytes(size), aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST);
    rtFree(address: *mut c_void) = memory::aclrtFree(address);
    rtMallocHost(address: *mut *mut c_void, size: u64, _module: u16) = memory::aclrtMallocHost(address, bytes(size));
    rtFreeHost(address: *mut c_void) = memory::aclrtFreeHost(address);
    rtMemcpy(to: *mut c_void, room: u64, from: *const c_void, size: u64, kind: u32) =
        copy::aclrtMemcpy(to, bytes(room), from, bytes(size), direction(kind));
    rtMemcpyAsync(to: *mut c_void, room: u64, from: *const c_void, size: u64, kind: u32, stream: aclrtStream) =
        copy::aclrtMemcpyAsync(to, bytes(room), from, bytes(size), direction(kind), stream);
    rtMemset(address: *mut c_void, room: u64, value: u32, size: u64) =
        copy::aclrtMemset(address, bytes(room), value.cast_signed(), bytes(size));
    rtMemsetAsync(address: *mut c_void, room: u64, value: u32, size: u64, stream: aclrtStream) =
        copy::aclrtMemsetAsync(address, bytes(room), value.cast_signed(), bytes(size), stream);
}

/// Of a size that no memory has, a call says so.
fn bytes(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

/// The directions up to 3 are those of AscendCL. The others have other numbers there, and none of these is taken.
fn direction(kind: u32) -> aclrtMemcpyKind {
    aclrtMemcpyKind(if kind <= aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE.0 { kind } else { u32::MAX })
}

/// Notifies of the current device alone.
///
/// # Safety
///
/// `notify` is null or a place for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtNotifyCreate(device: i32, notify: *mut aclrtNotify) -> aclError {
    let mut current = -1;
    // SAFETY: the function writes a number to the place that it is given, a local that is alive.
    let code = unsafe { device::aclrtGetDevice(&raw mut current) };
    if code != ACL_SUCCESS {
        return code;
    }
    if device != current {
        return ascendcl_sim::not_simulated(
            "rtNotifyCreate",
            "notifies of another device than the current one are not simulated",
        );
    }
    // SAFETY: the function asks for null or a place for a handle. The caller of this one gave that.
    unsafe { event::aclrtCreateNotify(notify, 0) }
}

/// # Safety
///
/// `version` is null or a place for `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtGetSocVersion(version: *mut c_char, room: u32) -> aclError {
    // SAFETY: the function has no arguments.
    let name = unsafe { base::aclrtGetSocName() };
    if name.is_null() || version.is_null() {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. The name of the system on chip lives as long
    // as the process.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes_with_nul();
    if name.len() > bytes(room.into()) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    // SAFETY: `copy_nonoverlapping` asks for as many bytes to read and to write, apart from each other. The name has so many,
    // and the place, which the caller owns, has at least as many.
    unsafe { core::ptr::copy_nonoverlapping(name.as_ptr().cast(), version, name.len()) };
    ACL_SUCCESS
}

const KERNELS: &str = "kernels are machine code of a device's cores";
const OF_A_DEVICE: &str = "it tells of the hardware of a device, and there is none";
const NOT_MEASURED: &str = "its codes were not measured; rtEventQueryStatus tells the same";

macro_rules! absent {
    ($($reason:ident: $($name:ident)*;)*) => {
        $($(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name() -> aclError {
                ascendcl_sim::not_simulated(stringify!($name), $reason)
            }
        )*)*
    };
}
// Without parameters: arguments that the caller passes are not looked at, which the platforms' conventions allow.
absent! {
    KERNELS: rtDevBinaryRegister rtDevBinaryUnRegister rtRegisterAllKernel rtFunctionRegister rtQueryFunctionRegistered
        rtGetFunctionByName rtKernelLaunch rtKernelLaunchWithFlag rtKernelLaunchWithFlagV2 rtKernelLaunchWithHandle
        rtKernelLaunchWithHandleV2 rtVectorCoreKernelLaunch rtVectorCoreKernelLaunchWithHandle rtLaunchKernelByFuncHandle
        rtLaunchKernelByFuncHandleV2 rtLaunchKernelByFuncHandleV3 rtCpuKernelLaunch rtCpuKernelLaunchWithFlag
        rtAicpuKernelLaunch rtAicpuKernelLaunchWithFlag rtAicpuKernelLaunchExWithArgs rtConfigureCall rtSetupArgument
        rtLaunch;
    OF_A_DEVICE: rtGetC2cCtrlAddr rtGetAiCoreCount rtGetAiCpuCount rtGetTaskIdAndStreamID rtGetDeviceInfo;
    NOT_MEASURED: rtEventQuery;
}

/// Whether the library has this function under its name.
pub(crate) fn has(name: &str) -> bool {
    SAME.contains(&name) || ["rtNotifyCreate", "rtGetSocVersion"].contains(&name)
}
