//! Structures of the runtime: devices, streams, events, memory, callbacks, captured graphs.

use super::*;
use core::ffi::{c_char, c_void};

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemManagedLocation {
    pub kind: aclrtMemManagedLocationType,
    pub id: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtMallocAttrValue {
    pub moduleId: u16,
    pub deviceId: u32,
    pub vaFlag: u32,
    pub rsv: [u8; 8],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtMallocAttribute {
    pub attr: aclrtMallocAttrType,
    pub value: aclrtMallocAttrValue,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMallocConfig {
    pub attrs: *mut aclrtMallocAttribute,
    pub numAttrs: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtServerPid {
    pub sdid: u32,
    pub pid: *mut i32,
    pub num: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtStreamConfigHandle {
    pub workptr: *mut c_void,
    pub workSize: usize,
    pub flag: usize,
    pub priority: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtUtilizationInfo {
    pub cubeUtilization: i32,
    pub vectorUtilization: i32,
    pub aicpuUtilization: i32,
    pub memoryUtilization: i32,
    pub utilizationExtend: *mut aclrtUtilizationExtendInfo,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemLocation {
    pub id: u32,
    pub kind: aclrtMemLocationType,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtPtrAttributes {
    pub location: aclrtMemLocation,
    pub pageSize: u32,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemUsageInfo {
    pub name: [c_char; 32],
    pub curMemSize: u64,
    pub memPeakSize: u64,
    pub reserved: [usize; 8],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemFabricHandle {
    pub data: [u8; 128],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtPhysicalMemProp {
    pub handleType: aclrtMemHandleType,
    pub allocationType: aclrtMemAllocationType,
    pub memAttr: aclrtMemAttr,
    pub location: aclrtMemLocation,
    pub reserve: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemUceInfo {
    pub addr: *mut c_void,
    pub len: usize,
    pub reserved: [usize; 14],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemUceInfoArray {
    pub arraySize: usize,
    pub memUceInfoArray: [aclrtMemUceInfo; 20],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtErrorInfoDetail {
    pub uceInfo: aclrtMemUceInfoArray,
    pub aicoreErrType: aclrtAicoreErrorType,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtErrorInfo {
    pub tryRepair: u8,
    pub hasDetail: u8,
    pub reserved: [u8; 2],
    pub errorType: aclrtErrorType,
    pub detail: aclrtErrorInfoDetail,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtBinaryLoadOptionValue {
    pub isLazyLoad: u32,
    pub magic: u32,
    pub cpuKernelMode: i32,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtBinaryLoadOption {
    pub kind: aclrtBinaryLoadOptionType,
    pub value: aclrtBinaryLoadOptionValue,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtBinaryLoadOptions {
    pub options: *mut aclrtBinaryLoadOption,
    pub numOpt: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtTimeoutUs {
    pub timeoutLow: u32,
    pub timeoutHigh: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtLaunchKernelAttrValue {
    pub schemMode: u8,
    pub localMemorySize: u32,
    pub dynUBufSize: u32,
    pub engineType: aclrtEngineType,
    pub blockDimOffset: u32,
    pub isBlockTaskPrefetch: u8,
    pub isDataDump: u8,
    pub timeout: u16,
    pub timeoutUs: aclrtTimeoutUs,
    pub enableProfiling: u8,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtLaunchKernelAttr {
    pub id: aclrtLaunchKernelAttrId,
    pub value: aclrtLaunchKernelAttrValue,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtLaunchKernelCfg {
    pub attrs: *mut aclrtLaunchKernelAttr,
    pub numAttrs: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtStreamAttrValue {
    pub failureMode: u64,
    pub overflowSwitch: u32,
    pub userCustomTag: u32,
    pub cacheOpInfoSwitch: u32,
    pub streamPriority: u32,
    pub reserve: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlRIKernelTaskParams {
    pub funcHandle: aclrtFuncHandle,
    pub cfg: *mut aclrtLaunchKernelCfg,
    pub args: *mut c_void,
    pub isHostArgs: u32,
    pub argsSize: usize,
    pub numBlocks: u32,
    pub rsv: [u32; 10],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlRIEventRecordTaskParams {
    pub event: aclrtEvent,
    pub eventFlag: u32,
    pub recordFlag: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlRIEventWaitTaskParams {
    pub event: aclrtEvent,
    pub eventFlag: u32,
    pub waitFlag: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlRIEventResetTaskParams {
    pub event: aclrtEvent,
    pub eventFlag: u32,
    pub resetFlag: u32,
}
