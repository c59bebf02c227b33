//! Structures of the runtime: devices, streams, events, memory, callbacks, captured graphs.

use super::*;
use core::ffi::{c_char, c_void};

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlRIValueWriteTaskParams {
    pub devAddr: *mut c_void,
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlRIValueWaitTaskParams {
    pub devAddr: *mut c_void,
    pub value: u64,
    pub flag: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclmdlRITaskParams {
    pub kind: aclmdlRITaskType,
    pub rsv0: [u32; 3],
    pub taskGrp: aclrtTaskGrp,
    pub opInfoPtr: *mut c_void,
    pub opInfoSize: usize,
    pub rsv1: [u8; 32],
    pub params: aclmdlRITaskParamsValue,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtBarrierCmoInfo {
    pub cmoType: aclrtCmoType,
    pub barrierId: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtBarrierTaskInfo {
    pub barrierNum: usize,
    pub cmoInfo: [aclrtBarrierCmoInfo; 6],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemcpyBatchAttr {
    pub dstLoc: aclrtMemLocation,
    pub srcLoc: aclrtMemLocation,
    pub rsv: [u8; 16],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtPlaceHolderInfo {
    pub addrOffset: u32,
    pub dataOffset: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtRandomParaInfo {
    pub isAddr: u8,
    pub valueOrAddr: [u8; 8],
    pub size: u8,
    pub rsv: [u8; 6],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtDropoutBitmaskInfo {
    pub dropoutRation: aclrtRandomParaInfo,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtUniformDisInfo {
    pub min: aclrtRandomParaInfo,
    pub max: aclrtRandomParaInfo,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtNormalDisInfo {
    pub mean: aclrtRandomParaInfo,
    pub stddev: aclrtRandomParaInfo,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomNumFuncParaInfo {
    pub funcType: aclrtRandomNumFuncType,
    pub paramInfo: aclrtRandomNumFuncParam,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtRandomNumTaskInfo {
    pub dataType: aclDataType,
    pub randomNumFuncParaInfo: aclrtRandomNumFuncParaInfo,
    pub randomParaAddr: *mut c_void,
    pub randomResultAddr: *mut c_void,
    pub randomCounterAddr: *mut c_void,
    pub randomSeed: aclrtRandomParaInfo,
    pub randomNum: aclrtRandomParaInfo,
    pub rsv: [u8; 8],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtRandomTaskUpdateAttr {
    pub srcAddr: *mut c_void,
    pub size: usize,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtAicAivTaskUpdateAttr {
    pub binHandle: *mut c_void,
    pub funcEntryAddr: *mut c_void,
    pub blockDimAddr: *mut c_void,
    pub rsv: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtUpdateTaskAttrVal {
    pub randomTaskAttr: aclrtRandomTaskUpdateAttr,
    pub aicAivTaskAttr: aclrtAicAivTaskUpdateAttr,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct aclrtTaskUpdateInfo {
    pub id: aclrtUpdateTaskAttrId,
    pub val: aclrtUpdateTaskAttrVal,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtSnapShotBackupArgs {
    pub backupFlags: u32,
    pub reserved: [c_char; 60],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtSnapShotRestoreArgs {
    pub restoreFlags: u32,
    pub reserved: [c_char; 60],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtUuid {
    pub bytes: [c_char; 16],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtCntNotifyRecordInfo {
    pub mode: aclrtCntNotifyRecordMode,
    pub value: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtCntNotifyWaitInfo {
    pub mode: aclrtCntNotifyWaitMode,
    pub value: u32,
    pub timeout: u32,
    pub isClear: u8,
    pub rsv: [u8; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemAccessDesc {
    pub flags: aclrtMemAccessFlags,
    pub location: aclrtMemLocation,
    pub rsv: [u8; 12],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclCANNPackageVersion {
    pub version: [c_char; 128],
    pub majorVersion: [c_char; 64],
    pub minorVersion: [c_char; 64],
    pub releaseVersion: [c_char; 64],
    pub patchVersion: [c_char; 64],
    pub reserved: [c_char; 128],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtIpcEventHandle {
    pub reserved: [c_char; 64],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemAttrMapping {
    pub pgType: u32,
    pub memType: u32,
    pub isHostAlloc: bool,
    pub memAttr: aclrtMemAttr,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tagAclmdlRICondTaskParams {
    pub handle: aclmdlRICondHandle,
    pub kind: aclmdlRICondTaskType,
    pub size: u32,
    pub modelRIArray: *mut aclmdlRI,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclrtMemPoolProps {
    pub allocType: aclrtMemAllocationType,
    pub handleType: aclrtMemHandleType,
    pub location: aclrtMemLocation,
    pub maxSize: usize,
    pub reserved: [u8; 32],
}

/// The parameters of one captured task; which member holds depends on `kind`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union aclmdlRITaskParamsValue {
    pub rsv2: [u8; 128],
    pub kernelTaskParams: aclmdlRIKernelTaskParams,
    pub eventRecordTaskParams: aclmdlRIEventRecordTaskParams,
    pub eventWaitTaskParams: aclmdlRIEventWaitTaskParams,
    pub eventResetTaskParams: aclmdlRIEventResetTaskParams,
    pub valueWriteTaskParams: aclmdlRIValueWriteTaskParams,
    pub valueWaitTaskParams: aclmdlRIValueWaitTaskParams,
}

/// The parameters of a random-number task; which member holds depends on `funcType`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union aclrtRandomNumFuncParam {
    pub dropoutBitmaskInfo: aclrtDropoutBitmaskInfo,
    pub uniformDisInfo: aclrtUniformDisInfo,
    pub normalDisInfo: aclrtNormalDisInfo,
}
