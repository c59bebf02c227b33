//! Functions that the simulator does not have: the AscendCL layer of the vendor's library looks at their arguments, as its
//! sources read, before the runtime does.

use super::*;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

const NO_DEVICE: i32 = ACL_ERROR_RT_INVALID_DEVICEID;
const ONE: dim3 = dim3 { x: 1, y: 1, z: 1 };

unsafe extern "C" fn hears(_: *mut aclrtExceptionInfo, _: *mut c_void) {}

unsafe extern "C" fn snaps(_: i32, _: *mut c_void) -> u32 {
    0
}

/// Something that no function here looks at.
fn place<T>() -> *mut T {
    core::ptr::without_provenance_mut(0x1000)
}

fn set<T>() -> *const T {
    place()
}

/// The number of this process.
fn own() -> i32 {
    std::process::id().cast_signed()
}

#[test]
fn what_loads_kernels_looks_at_its_arguments() {
    let _world = world();
    let (nowhere, somewhere) = (c"/nonexistent/kernel.o".as_ptr(), c"/proc/self/exe".as_ptr());
    check([
        row!(Own, kernel::aclrtBinaryGetDevAddress(aclrtBinHandle::NULL, place(), place()) => NULL),
        row!(Own, kernel::aclrtBinaryGetDevAddress(aclrtBinHandle(place()), place(), place()) => DEAD),
        row!(Own, kernel::aclrtBinaryGetFunction(aclrtBinHandle::NULL, set(), place()) => NULL),
        row!(Own, kernel::aclrtBinaryGetFunction(aclrtBinHandle(place()), null(), place()) => NULL),
        row!(Own, kernel::aclrtBinaryGetFunction(aclrtBinHandle(place()), set(), null_mut()) => NULL),
        row!(Own, kernel::aclrtBinaryGetFunction(aclrtBinHandle(place()), set(), place()) => DEAD),
        row!(Own, kernel::aclrtBinaryGetFunctionByEntry(aclrtBinHandle::NULL, 1, place()) => NULL),
        row!(Own, kernel::aclrtBinaryGetFunctionByEntry(aclrtBinHandle(place()), 1, null_mut()) => NULL),
        row!(Own, kernel::aclrtBinaryGetFunctionByEntry(aclrtBinHandle(place()), 1, place()) => DEAD),
        row!(Own, kernel::aclrtBinaryGetGlobal(aclrtBinHandle::NULL, set(), place(), place()) => NULL),
        row!(Own, kernel::aclrtBinaryGetGlobal(aclrtBinHandle(place()), null(), place(), place()) => NULL),
        row!(Own, kernel::aclrtBinaryGetGlobal(aclrtBinHandle(place()), set(), null_mut(), null_mut()) => NULL),
        row!(Own, kernel::aclrtBinaryGetGlobal(aclrtBinHandle(place()), set(), place(), place()) => DEAD),
        row!(Own, kernel::aclrtBinaryLoad(aclrtBinary::NULL, place()) => NULL),
        row!(Own, kernel::aclrtBinaryLoad(aclrtBinary(place()), null_mut()) => NULL),
        row!(Own, kernel::aclrtBinaryLoad(aclrtBinary(place()), place()) => UNSUPPORTED),
        row!(Own, kernel::aclrtBinaryLoadFromData(null(), 1, set(), place()) => NULL),
        row!(Own, kernel::aclrtBinaryLoadFromData(set(), 1, set(), null_mut()) => NULL),
        row!(Own, kernel::aclrtBinaryLoadFromData(set(), 0, set(), place()) => REFUSED),
        row!(Own, kernel::aclrtBinaryLoadFromData(set(), 1, set(), place()) => UNSUPPORTED),
        row!(Own, kernel::aclrtBinaryLoadFromFile(null(), place(), place()) => NULL),
        row!(Own, kernel::aclrtBinaryLoadFromFile(nowhere, place(), null_mut()) => NULL),
        row!(Own, kernel::aclrtBinaryLoadFromFile(nowhere, place(), place()) => REFUSED),
        row!(Own, kernel::aclrtBinaryLoadFromFile(c"".as_ptr(), place(), place()) => REFUSED),
        row!(Own, kernel::aclrtBinaryLoadFromFile(somewhere, place(), place()) => UNSUPPORTED),
        row!(Own, kernel::aclrtBinarySetExceptionCallback(aclrtBinHandle::NULL, Some(hears), place()) => NULL),
        row!(Own, kernel::aclrtBinarySetExceptionCallback(aclrtBinHandle(place()), None, place()) => NULL),
        row!(Own, kernel::aclrtBinarySetExceptionCallback(aclrtBinHandle(place()), Some(hears), place()) => DEAD),
        row!(Own, kernel::aclrtBinaryUnLoad(aclrtBinHandle::NULL) => NULL),
        row!(Own, kernel::aclrtBinaryUnLoad(aclrtBinHandle(place())) => DEAD),
        row!(Own, kernel::aclrtDestroyBinary(aclrtBinary::NULL) => NULL),
        row!(Own, kernel::aclrtDestroyBinary(aclrtBinary(place())) => UNSUPPORTED),
        row!(Own, kernel::aclrtRegisterCpuFunc(aclrtBinHandle::NULL, set(), set(), place()) => NULL),
        row!(Own, kernel::aclrtRegisterCpuFunc(aclrtBinHandle(place()), null(), set(), place()) => NULL),
        row!(Own, kernel::aclrtRegisterCpuFunc(aclrtBinHandle(place()), set(), null(), place()) => NULL),
        row!(Own, kernel::aclrtRegisterCpuFunc(aclrtBinHandle(place()), set(), set(), null_mut()) => NULL),
        row!(Own, kernel::aclrtRegisterCpuFunc(aclrtBinHandle(place()), set(), set(), place()) => DEAD),
    ]);
}

#[test]
fn questions_about_functions_of_kernels_look_at_their_arguments() {
    let _world = world();
    check([
        row!(Own, kernel::aclrtFunctionGetAvailDynUbufPerBlock(null_mut(), 0, place()) => NULL),
        row!(Own, kernel::aclrtFunctionGetAvailDynUbufPerBlock(place(), 0, null_mut()) => NULL),
        row!(Own, kernel::aclrtFunctionGetAvailDynUbufPerBlock(place(), 1, place()) => NULL),
        row!(Own, kernel::aclrtFunctionGetAvailDynUbufPerBlock(place(), 0, place()) => DEAD),
        row!(Own, kernel::aclrtFunctionGetParamCount(null(), place()) => NULL),
        row!(Own, kernel::aclrtFunctionGetParamCount(set(), null_mut()) => NULL),
        row!(Own, kernel::aclrtFunctionGetParamCount(set(), place()) => DEAD),
        row!(Own, kernel::aclrtFunctionGetParamInfo(null(), 1, place(), place()) => NULL),
        row!(Own, kernel::aclrtFunctionGetParamInfo(set(), 1, null_mut(), null_mut()) => NULL),
        row!(Own, kernel::aclrtFunctionGetParamInfo(set(), 1, place(), place()) => DEAD),
        row!(Own, kernel::aclrtGetFuncBySymbol(null(), place()) => NULL),
        row!(Own, kernel::aclrtGetFuncBySymbol(set(), null_mut()) => NULL),
        row!(Own, kernel::aclrtGetFuncBySymbol(set(), place()) => ACL_ERROR_RT_INVALID_DEVICE_FUNCTION),
        row!(Nowhere, kernel::aclrtGetFuncBySymbol(set(), place()) => NO_CONTEXT),
        row!(Own, kernel::aclrtGetFunctionName(aclrtFuncHandle::NULL, 1, place()) => REFUSED),
        row!(Own, kernel::aclrtGetFunctionSize(aclrtFuncHandle::NULL, place(), place()) => REFUSED),
        row!(Own, kernel::aclrtGetFunctionSize(aclrtFuncHandle(place()), place(), place()) => DEAD),
        row!(Own, kernel::aclrtFunctionGetBinary(aclrtFuncHandle::NULL, place()) => REFUSED),
        row!(Own, kernel::aclrtFunctionGetBinary(aclrtFuncHandle(place()), place()) => DEAD),
        row!(Own, kernel::aclrtGetFunctionAddr(aclrtFuncHandle::NULL, place(), place()) => NULL),
        row!(Own, kernel::aclrtGetFunctionAddr(aclrtFuncHandle(place()), null_mut(), place()) => NULL),
        row!(Own, kernel::aclrtGetFunctionAddr(aclrtFuncHandle(place()), place(), null_mut()) => NULL),
        row!(Own, kernel::aclrtGetFunctionAddr(aclrtFuncHandle(place()), place(), place()) => DEAD),
        row!(Own, kernel::aclrtGetFunctionAttribute(aclrtFuncHandle::NULL, aclrtFuncAttribute(0), place()) => NULL),
        row!(Own, kernel::aclrtGetFunctionAttribute(aclrtFuncHandle(place()), aclrtFuncAttribute(0), null_mut()) => NULL),
        row!(Own, kernel::aclrtGetFunctionAttribute(aclrtFuncHandle(place()), aclrtFuncAttribute(0), place()) => DEAD),
        row!(Own, kernel::aclrtGetFunctionName(aclrtFuncHandle(place()), 1, null_mut()) => NULL),
        row!(Own, kernel::aclrtGetFunctionName(aclrtFuncHandle(place()), 1, place()) => DEAD),
        row!(Own, copy::aclrtTaskUpdateAsync(aclrtStream::NULL, 1, null_mut(), aclrtStream::NULL) => NULL),
        row!(Own, copy::aclrtTaskUpdateAsync(aclrtStream::NULL, 1, place(), aclrtStream::NULL) => UNSUPPORTED),
        row!(Own, model_instance::aclmdlRIKernelTaskGetAttribute(aclmdlRITask::NULL, aclrtLaunchKernelAttrId(0), place()) => NULL),
        row!(Own, model_instance::aclmdlRIKernelTaskGetAttribute(aclmdlRITask(place()), aclrtLaunchKernelAttrId(0), null_mut()) => NULL),
        row!(Own, model_instance::aclmdlRIKernelTaskGetAttribute(aclmdlRITask(place()), aclrtLaunchKernelAttrId(0), place()) => UNSUPPORTED),
    ]);
}

#[test]
fn arguments_of_kernels_look_at_their_arguments() {
    let _world = world();
    check([
        row!(Own, kernel::aclrtKernelArgsAppend(aclrtArgsHandle::NULL, place(), 1, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsAppend(aclrtArgsHandle(place()), null_mut(), 1, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsAppend(aclrtArgsHandle(place()), place(), 0, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsAppend(aclrtArgsHandle(place()), place(), 1, null_mut()) => NULL),
        row!(Own, kernel::aclrtKernelArgsAppend(aclrtArgsHandle(place()), place(), 1, place()) => DEAD),
        row!(Own, kernel::aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle::NULL, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle(place()), null_mut()) => NULL),
        row!(Own, kernel::aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle(place()), place()) => DEAD),
        row!(Own, kernel::aclrtKernelArgsFinalize(aclrtArgsHandle::NULL) => NULL),
        row!(Own, kernel::aclrtKernelArgsFinalize(aclrtArgsHandle(place())) => DEAD),
        row!(Own, kernel::aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle::NULL, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle(place()), null_mut()) => NULL),
        row!(Own, kernel::aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle(place()), place()) => DEAD),
        row!(Own, kernel::aclrtKernelArgsGetMemSize(aclrtFuncHandle::NULL, 1, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsGetMemSize(aclrtFuncHandle(place()), 1, null_mut()) => NULL),
        row!(Own, kernel::aclrtKernelArgsGetMemSize(aclrtFuncHandle(place()), 1, place()) => DEAD),
        row!(Own, kernel::aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle::NULL, aclrtParamHandle(place()), 1, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle(place()), aclrtParamHandle::NULL, 1, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle(place()), aclrtParamHandle(place()), 0, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle(place()), aclrtParamHandle(place()), 1, null_mut()) => NULL),
        row!(Own, kernel::aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle(place()), aclrtParamHandle(place()), 1, place()) => DEAD),
        row!(Own, kernel::aclrtKernelArgsInit(aclrtFuncHandle::NULL, place()) => NULL),
        row!(Own, kernel::aclrtKernelArgsInit(aclrtFuncHandle(place()), null_mut()) => NULL),
        row!(Own, kernel::aclrtKernelArgsInit(aclrtFuncHandle(place()), place()) => DEAD),
        row!(Own, kernel::aclrtKernelArgsInitByUserMem(aclrtFuncHandle::NULL, aclrtArgsHandle(place()), place(), 1) => NULL),
        row!(Own, kernel::aclrtKernelArgsInitByUserMem(aclrtFuncHandle(place()), aclrtArgsHandle::NULL, place(), 1) => NULL),
        row!(Own, kernel::aclrtKernelArgsInitByUserMem(aclrtFuncHandle(place()), aclrtArgsHandle(place()), null_mut(), 1) => NULL),
        row!(Own, kernel::aclrtKernelArgsInitByUserMem(aclrtFuncHandle(place()), aclrtArgsHandle(place()), place(), 0) => NULL),
        row!(Own, kernel::aclrtKernelArgsInitByUserMem(aclrtFuncHandle(place()), aclrtArgsHandle(place()), place(), 1) => DEAD),
        row!(Own, kernel::aclrtKernelArgsParaUpdate(aclrtArgsHandle::NULL, aclrtParamHandle(place()), place(), 1) => NULL),
        row!(Own, kernel::aclrtKernelArgsParaUpdate(aclrtArgsHandle(place()), aclrtParamHandle::NULL, place(), 1) => NULL),
        row!(Own, kernel::aclrtKernelArgsParaUpdate(aclrtArgsHandle(place()), aclrtParamHandle(place()), null_mut(), 1) => NULL),
        row!(Own, kernel::aclrtKernelArgsParaUpdate(aclrtArgsHandle(place()), aclrtParamHandle(place()), place(), 0) => NULL),
        row!(Own, kernel::aclrtKernelArgsParaUpdate(aclrtArgsHandle(place()), aclrtParamHandle(place()), place(), 1) => DEAD),
    ]);
}

#[test]
fn launches_of_kernels_look_at_their_arguments() {
    let _world = world();
    check([
        row!(Own, kernel::aclrtLaunchKernel(aclrtFuncHandle::NULL, 1, set(), 1, aclrtStream::NULL) => NULL),
        row!(Own, kernel::aclrtLaunchKernel(aclrtFuncHandle(place()), 1, null(), 1, aclrtStream::NULL) => NULL),
        row!(Own, kernel::aclrtLaunchKernel(aclrtFuncHandle(place()), 1, set(), 1, aclrtStream::NULL) => DEAD),
        row!(Own, kernel::aclrtLaunchKernelV2(aclrtFuncHandle::NULL, 1, set(), 1, place(), aclrtStream::NULL) => NULL),
        row!(Own, kernel::aclrtLaunchKernelV2(aclrtFuncHandle(place()), 1, null(), 1, place(), aclrtStream::NULL) => NULL),
        row!(Own, kernel::aclrtLaunchKernelV2(aclrtFuncHandle(place()), 1, set(), 1, place(), aclrtStream::NULL) => DEAD),
        row!(Own, kernel::aclrtLaunchKernelWithArgsArray(null_mut(), 1, aclrtStream::NULL, place(), place()) => NULL),
        row!(Own, kernel::aclrtLaunchKernelWithArgsArray(place(), 0, aclrtStream::NULL, place(), place()) => NULL),
        row!(Own, kernel::aclrtLaunchKernelWithArgsArray(place(), 1, aclrtStream::NULL, place(), place()) => UNSUPPORTED),
        row!(Own, kernel::aclrtLaunchKernelWithConfig(aclrtFuncHandle::NULL, 1, aclrtStream::NULL, place(), aclrtArgsHandle(place()), null_mut()) => NULL),
        row!(Own, kernel::aclrtLaunchKernelWithConfig(aclrtFuncHandle(place()), 0, aclrtStream::NULL, place(), aclrtArgsHandle(place()), null_mut()) => NULL),
        row!(Own, kernel::aclrtLaunchKernelWithConfig(aclrtFuncHandle(place()), 1, aclrtStream::NULL, place(), aclrtArgsHandle::NULL, null_mut()) => NULL),
        row!(Own, kernel::aclrtLaunchKernelWithConfig(aclrtFuncHandle(place()), 1, aclrtStream::NULL, place(), aclrtArgsHandle(place()), place()) => NULL),
        row!(Own, kernel::aclrtLaunchKernelWithConfig(aclrtFuncHandle(place()), 1, aclrtStream::NULL, place(), aclrtArgsHandle(place()), null_mut()) => DEAD),
        row!(Own, kernel::aclrtLaunchKernelWithHostArgs(aclrtFuncHandle::NULL, 1, aclrtStream::NULL, place(), place(), 1, place(), 1) => NULL),
        row!(Own, kernel::aclrtLaunchKernelWithHostArgs(aclrtFuncHandle(place()), 1, aclrtStream::NULL, place(), null_mut(), 1, place(), 1) => NULL),
        row!(Own, kernel::aclrtLaunchKernelWithHostArgs(aclrtFuncHandle(place()), 1, aclrtStream::NULL, place(), place(), 1, place(), 1) => DEAD),
        row!(Own, kernel::aclrtLaunchSIMTKernelWithArgsArray(null_mut(), ONE, ONE, 1, aclrtStream::NULL, place(), place()) => NULL),
        row!(Own, kernel::aclrtLaunchSIMTKernelWithArgsArray(place(), ONE, ONE, 1, aclrtStream::NULL, place(), place()) => UNSUPPORTED),
        row!(Own, kernel::aclrtLaunchSIMTKernelWithHostArgs(null_mut(), ONE, ONE, 1, aclrtStream::NULL, place(), place(), 1, place(), 1) => NULL),
        row!(Own, kernel::aclrtLaunchSIMTKernelWithHostArgs(place(), ONE, ONE, 1, aclrtStream::NULL, place(), null_mut(), 1, place(), 1) => NULL),
        row!(Own, kernel::aclrtLaunchSIMTKernelWithHostArgs(place(), ONE, ONE, 1, aclrtStream::NULL, place(), place(), 0, place(), 1) => NULL),
        row!(Own, kernel::aclrtLaunchSIMTKernelWithHostArgs(place(), ONE, ONE, 1, aclrtStream::NULL, place(), place(), 1, place(), 1) => UNSUPPORTED),
    ]);
}

#[test]
fn buffers_and_their_chains_look_at_their_arguments() {
    let _world = world();
    check([
        row!(Own, memory::aclrtAllocBuf(null_mut(), 1) => NULL),
        row!(Own, memory::aclrtAllocBuf(place(), 0) => NULL),
        row!(Own, memory::aclrtAllocBuf(place(), 1) => UNSUPPORTED),
        row!(Own, memory::aclrtAppendBufChain(aclrtMbuf::NULL, aclrtMbuf(place())) => NULL),
        row!(Own, memory::aclrtAppendBufChain(aclrtMbuf(place()), aclrtMbuf::NULL) => NULL),
        row!(Own, memory::aclrtAppendBufChain(aclrtMbuf(place()), aclrtMbuf(place())) => UNSUPPORTED),
        row!(Own, memory::aclrtCopyBufRef(aclrtMbuf::NULL, place()) => NULL),
        row!(Own, memory::aclrtCopyBufRef(aclrtMbuf(place()), null_mut()) => NULL),
        row!(Own, memory::aclrtCopyBufRef(aclrtMbuf(place()), place()) => UNSUPPORTED),
        row!(Own, memory::aclrtFreeBuf(aclrtMbuf::NULL) => NULL),
        row!(Own, memory::aclrtFreeBuf(aclrtMbuf(place())) => UNSUPPORTED),
        row!(Own, memory::aclrtGetBufChainNum(aclrtMbuf::NULL, place()) => NULL),
        row!(Own, memory::aclrtGetBufChainNum(aclrtMbuf(place()), null_mut()) => NULL),
        row!(Own, memory::aclrtGetBufChainNum(aclrtMbuf(place()), place()) => UNSUPPORTED),
        row!(Own, memory::aclrtGetBufData(aclrtMbuf::NULL, place(), place()) => NULL),
        row!(Own, memory::aclrtGetBufData(aclrtMbuf(place()), null_mut(), place()) => NULL),
        row!(Own, memory::aclrtGetBufData(aclrtMbuf(place()), place(), null_mut()) => NULL),
        row!(Own, memory::aclrtGetBufData(aclrtMbuf(place()), place(), place()) => UNSUPPORTED),
        row!(Own, memory::aclrtGetBufDataLen(aclrtMbuf::NULL, place()) => NULL),
        row!(Own, memory::aclrtGetBufDataLen(aclrtMbuf(place()), null_mut()) => NULL),
        row!(Own, memory::aclrtGetBufDataLen(aclrtMbuf(place()), place()) => UNSUPPORTED),
        row!(Own, memory::aclrtGetBufFromChain(aclrtMbuf::NULL, 1, place()) => NULL),
        row!(Own, memory::aclrtGetBufFromChain(aclrtMbuf(place()), 1, null_mut()) => NULL),
        row!(Own, memory::aclrtGetBufFromChain(aclrtMbuf(place()), 1, place()) => UNSUPPORTED),
        row!(Own, memory::aclrtGetBufUserData(aclrtMbuf::NULL, place(), 1, 1) => NULL),
        row!(Own, memory::aclrtGetBufUserData(aclrtMbuf(place()), null_mut(), 1, 1) => NULL),
        row!(Own, memory::aclrtGetBufUserData(aclrtMbuf(place()), place(), 1, 1) => UNSUPPORTED),
        row!(Own, memory::aclrtSetBufDataLen(aclrtMbuf::NULL, 1) => NULL),
        row!(Own, memory::aclrtSetBufDataLen(aclrtMbuf(place()), 1) => UNSUPPORTED),
        row!(Own, memory::aclrtSetBufUserData(aclrtMbuf::NULL, set(), 1, 1) => NULL),
        row!(Own, memory::aclrtSetBufUserData(aclrtMbuf(place()), null(), 1, 1) => NULL),
        row!(Own, memory::aclrtSetBufUserData(aclrtMbuf(place()), set(), 1, 1) => UNSUPPORTED),
    ]);
}

#[test]
fn memory_that_is_mapped_elsewhere_looks_at_its_arguments() {
    let _world = world();
    check([
        row!(Own, memory::aclrtMemMapSelectedLink(null_mut(), 1, place(), 1) => NULL),
        row!(Own, memory::aclrtMemMapSelectedLink(place(), 1, null_mut(), 1) => NULL),
        row!(Own, memory::aclrtMemMapSelectedLink(place(), 0, place(), 1) => NULL),
        row!(Own, memory::aclrtMemMapSelectedLink(place(), 1, place(), 1) => UNSUPPORTED),
        row!(Own, memory::aclrtMemP2PMap(null_mut(), 1, 1, 0) => NULL),
        row!(Own, memory::aclrtMemP2PMap(place(), 0, 1, 0) => NULL),
        row!(Own, memory::aclrtMemP2PMap(place(), 1, 1, 1) => NULL),
        row!(Own, memory::aclrtMemP2PMap(place(), 1, 1, 0) => UNSUPPORTED),
    ]);
}

#[test]
fn questions_about_memory_look_at_their_arguments() {
    let _world = world();
    check([
        row!(Own, memory::aclrtGetMemUceInfo(1, null_mut(), 1, place()) => NULL),
        row!(Own, memory::aclrtGetMemUceInfo(1, place(), 1, null_mut()) => NULL),
        row!(Nowhere, memory::aclrtGetMemUceInfo(5, place(), 1, place()) => NO_DEVICE),
        row!(Nowhere, memory::aclrtGetMemUceInfo(-1, place(), 1, place()) => NO_DEVICE),
        row!(Own, memory::aclrtMemUceRepair(5, null_mut(), 1) => NULL),
        row!(Own, memory::aclrtMemUceRepair(5, place(), 1) => NO_DEVICE),
        row!(Own, memory::aclrtMemUceRepair(1, place(), 1) => UNSUPPORTED),
        row!(Own, memory::aclrtGetMemUsageInfo(1, null_mut(), 1, place()) => NULL),
        row!(Own, memory::aclrtGetMemUsageInfo(1, place(), 1, null_mut()) => NULL),
        row!(Own, memory::aclrtGetMemUsageInfo(5, place(), 0, place()) => REFUSED),
        row!(Own, memory::aclrtGetMemUsageInfo(5, place(), 1, place()) => NO_DEVICE),
        row!(Own, memory::aclrtGetMemUsageInfo(1, place(), 1, place()) => UNSUPPORTED),
        row!(Own, memory::aclrtHostMemMapCapabilities(1, aclrtHacType(0), null_mut()) => NULL),
        row!(Nowhere, memory::aclrtHostMemMapCapabilities(5, aclrtHacType(10), place()) => NO_DEVICE),
        row!(Nowhere, memory::aclrtHostMemMapCapabilities(u32::MAX, aclrtHacType(0), place()) => NO_DEVICE),
        row!(Nowhere, memory::aclrtHostMemMapCapabilities(1, aclrtHacType(10), place()) => REFUSED),
        row!(Nowhere, memory::aclrtHostMemMapCapabilities(1, aclrtHacType(9), place()) => NO_CONTEXT),
        row!(Own, memory::aclrtHostMemMapCapabilities(1, aclrtHacType(9), place()) => UNSUPPORTED),
    ]);
}

#[test]
fn questions_about_the_process_look_at_their_arguments() {
    let _world = world();
    check([
        row!(Own, process::aclrtCacheLastTaskOpInfo(null(), 1) => NULL),
        row!(Own, process::aclrtCacheLastTaskOpInfo(set(), 0) => NULL),
        row!(Own, process::aclrtCacheLastTaskOpInfo(set(), 1) => UNSUPPORTED),
        row!(Own, copy::aclrtCmoAsyncWithBarrier(null_mut(), 1, aclrtCmoType(0), 1, aclrtStream::NULL) => NULL),
        row!(Own, copy::aclrtCmoAsyncWithBarrier(place(), 1, aclrtCmoType(0), 1, aclrtStream::NULL) => UNSUPPORTED),
        row!(Own, copy::aclrtCmoWaitBarrier(null_mut(), aclrtStream::NULL, 1) => NULL),
        row!(Own, copy::aclrtCmoWaitBarrier(place(), aclrtStream::NULL, 1) => UNSUPPORTED),
        row!(Own, device::aclrtDeviceGetByPCIBusId(null(), place()) => NULL),
        row!(Own, device::aclrtDeviceGetByPCIBusId(set(), null_mut()) => NULL),
        row!(Own, device::aclrtDeviceGetByPCIBusId(set(), place()) => UNSUPPORTED),
        row!(Own, device::aclrtDeviceGetPCIBusId(1, null_mut(), 1) => NULL),
        row!(Own, device::aclrtDeviceGetPCIBusId(1, place(), 1) => UNSUPPORTED),
        row!(Own, process::aclrtDeviceL2CacheFlush(place()) => NULL),
        row!(Own, process::aclrtDeviceL2CacheFlush(null_mut()) => UNSUPPORTED),
        row!(Own, process::aclrtDestroyGroupInfo(null_mut()) => NULL),
        row!(Own, process::aclrtGetGroupCount(null_mut()) => NULL),
        row!(Own, process::aclrtGetGroupCount(place()) => UNSUPPORTED),
        row!(Own, process::aclrtGetAllGroupInfo(null_mut()) => NULL),
        row!(Own, process::aclrtGetAllGroupInfo(place()) => UNSUPPORTED),
        row!(Own, device::aclrtGetHardwareSyncAddr(null_mut()) => REFUSED),
        row!(Own, device::aclrtGetHardwareSyncAddr(place()) => UNSUPPORTED),
        row!(Own, device::aclrtGetDevicesTopo(1, 1, null_mut()) => NULL),
        row!(Own, device::aclrtGetDevicesTopo(1, 1, place()) => UNSUPPORTED),
        row!(Own, process::aclrtGetErrorVerbose(1, null_mut()) => NULL),
        row!(Own, process::aclrtGetErrorVerbose(-1, place()) => NO_DEVICE),
        row!(Own, process::aclrtGetErrorVerbose(1, place()) => UNSUPPORTED),
        row!(Own, process::aclrtGetGroupInfoDetail(null(), 1, aclrtGroupAttr(0), place(), 1, place()) => NULL),
        row!(Own, process::aclrtGetGroupInfoDetail(set(), 1, aclrtGroupAttr(0), null_mut(), 1, place()) => NULL),
        row!(Own, process::aclrtGetGroupInfoDetail(set(), 1, aclrtGroupAttr(0), place(), 1, null_mut()) => NULL),
        row!(Own, process::aclrtGetGroupInfoDetail(set(), 1, aclrtGroupAttr(0), place(), 1, place()) => UNSUPPORTED),
        row!(Own, process::aclrtProfTrace(null_mut(), 1, aclrtStream::NULL) => NULL),
        row!(Own, process::aclrtProfTrace(place(), 1, aclrtStream::NULL) => UNSUPPORTED),
        row!(Own, process::aclrtRepairError(1, null()) => NULL),
        row!(Own, process::aclrtRepairError(5, set()) => NO_DEVICE),
        row!(Own, process::aclrtRepairError(1, set()) => UNSUPPORTED),
        row!(Nowhere, stream::aclrtCtxGetFloatOverflowAddr(null_mut()) => REFUSED),
        row!(Nowhere, stream::aclrtCtxGetFloatOverflowAddr(place()) => NO_CONTEXT),
        row!(Own, stream::aclrtCtxGetFloatOverflowAddr(place()) => UNSUPPORTED),
        row!(Own, process::aclrtSnapShotProcessBackup(own() + 1, null_mut()) => NULL),
        row!(Own, process::aclrtSnapShotProcessBackup(own(), place()) => NULL),
        row!(Own, process::aclrtSnapShotProcessBackup(own(), null_mut()) => ACL_ERROR_SNAPSHOT_BACKUP_FAILED),
        row!(Own, process::aclrtSnapShotProcessLock(own(), place()) => NULL),
        row!(Own, process::aclrtSnapShotProcessLock(own(), null_mut()) => UNSUPPORTED),
        row!(Own, process::aclrtSnapShotProcessRestore(own(), place()) => NULL),
        row!(Own, process::aclrtSnapShotProcessRestore(own(), null_mut()) => ACL_ERROR_SNAPSHOT_RESTORE_FAILED),
        row!(Own, process::aclrtSnapShotProcessUnlock(own(), place()) => NULL),
        row!(Own, process::aclrtSnapShotProcessUnlock(own(), null_mut()) => ACL_ERROR_SNAPSHOT_UNLOCK_FAILED),
    ]);
}

#[test]
fn functions_for_snapshots_have_a_stage_and_are_registered_before_they_are_removed() {
    let _world = world();
    let (last, none) = (aclrtSnapShotStage::ACL_RT_SNAPSHOT_UNLOCK_POST, aclrtSnapShotStage(6));
    check([
        row!(Own, callback::aclrtSnapShotCallbackRegister(none, Some(snaps), null_mut()) => REFUSED),
        row!(Own, callback::aclrtSnapShotCallbackRegister(last, None, null_mut()) => REFUSED),
        row!(Own, callback::aclrtSnapShotCallbackRegister(last, Some(snaps), null_mut()) => UNSUPPORTED),
        row!(Own, callback::aclrtSnapShotCallbackUnregister(none, Some(snaps)) => REFUSED),
        row!(Own, callback::aclrtSnapShotCallbackUnregister(last, None) => REFUSED),
        row!(Own, callback::aclrtSnapShotCallbackUnregister(last, Some(snaps)) => REFUSED),
    ]);
}

/// The runtime comes behind, so that neither the context nor a stream counts.
#[test]
fn what_is_null_is_said_in_any_context_and_in_none() {
    let _world = world();
    let dead = dead();
    for on in ANYWHERE {
        check([
            row!(on, kernel::aclrtLaunchKernel(aclrtFuncHandle::NULL, 1, set(), 1, dead) => NULL),
            row!(on, kernel::aclrtBinaryUnLoad(aclrtBinHandle::NULL) => NULL),
        ]);
    }
}

#[test]
fn a_description_of_a_binary_is_null_when_there_are_no_data() {
    let _world = world();
    assert!(call!(kernel::aclrtCreateBinary(null(), 8)).is_null());
}
