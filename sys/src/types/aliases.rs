//! DefaultAllocator aliases and the types of C callbacks.

use super::*;
use core::ffi::{c_char, c_int, c_void};

pub type aclError = c_int;
pub type aclFloat16 = u16;
pub type aclrtAllocatorAllocFunc = Option<unsafe extern "C" fn(aclrtAllocator, usize) -> *mut c_void>;
pub type aclrtAllocatorFreeFunc = Option<unsafe extern "C" fn(aclrtAllocator, aclrtAllocatorBlock)>;
pub type aclrtAllocatorAllocAdviseFunc =
    Option<unsafe extern "C" fn(aclrtAllocator, usize, aclrtAllocatorAddr) -> *mut c_void>;
pub type aclrtAllocatorGetAddrFromBlockFunc = Option<unsafe extern "C" fn(aclrtAllocatorBlock) -> *mut c_void>;
pub type aclrtGroupInfo = tagRtGroupInfo;
pub type aclrtExceptionInfo = rtExceptionInfo;
pub type aclrtCallback = Option<unsafe extern "C" fn(*mut c_void)>;
pub type aclrtHostFunc = Option<unsafe extern "C" fn(*mut c_void)>;
pub type aclrtExceptionInfoCallback = Option<unsafe extern "C" fn(*mut aclrtExceptionInfo)>;
pub type aclrtOpExceptionCallback = Option<unsafe extern "C" fn(*mut aclrtExceptionInfo, *mut c_void)>;
pub type aclrtDeviceStateCallback = Option<unsafe extern "C" fn(i32, aclrtDeviceState, *mut c_void)>;
pub type aclrtSnapShotCallBack = Option<unsafe extern "C" fn(i32, *mut c_void) -> u32>;
pub type aclrtStreamStateCallback = Option<unsafe extern "C" fn(aclrtStream, aclrtStreamState, *mut c_void)>;
pub type aclrtDeviceTaskAbortCallback =
    Option<unsafe extern "C" fn(i32, aclrtDeviceTaskAbortStage, u32, *mut c_void) -> i32>;
pub type aclmdlRICondTaskParams = tagAclmdlRICondTaskParams;
pub type aclInitCallbackFunc = Option<unsafe extern "C" fn(*const c_char, usize, *mut c_void) -> aclError>;
pub type aclFinalizeCallbackFunc = Option<unsafe extern "C" fn(*mut c_void) -> aclError>;
pub type aclDataDeallocator = Option<unsafe extern "C" fn(*mut c_void, usize)>;
pub type aclopCompileFunc = Option<
    unsafe extern "C" fn(
        c_int,
        *const *const aclTensorDesc,
        c_int,
        *const *const aclTensorDesc,
        *const aclopAttr,
        *mut aclopKernelDesc,
    ) -> aclError,
>;
pub type acltdtQueueAttr = tagMemQueueAttr;
pub type acldumpCallback = Option<unsafe extern "C" fn(*const acldumpChunk, i32) -> i32>;
pub type aclvdecCallback = Option<unsafe extern "C" fn(*mut acldvppStreamDesc, *mut acldvppPicDesc, *mut c_void)>;
pub type aclvencCallback = Option<unsafe extern "C" fn(*mut acldvppPicDesc, *mut acldvppStreamDesc, *mut c_void)>;
