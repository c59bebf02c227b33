//! Structures of profiling, dump and tensor channels.

use super::*;
use core::ffi::{c_char, c_void};

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct acldumpChunk {
    pub fileName: [c_char; 4096],
    pub bufLen: u32,
    pub isLastChunk: u32,
    pub offset: i64,
    pub flag: i32,
    pub dataBuf: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct acldumpTensorInfo {
    pub kind: acldumpTensorType,
    pub tensorSize: usize,
    pub format: i32,
    pub dataType: i32,
    pub tensorAddr: *mut i64,
    pub addrType: acldumpTensorAddressType,
    pub placement: acldumpTensorPlacement,
    pub argsOffset: u32,
    pub shapeNum: u32,
    pub originShapeNum: u32,
    pub shape: [u64; 25],
    pub originShape: [u64; 25],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclprofTensor {
    pub kind: u32,
    pub format: u32,
    pub dataType: u32,
    pub shapeDim: u32,
    pub shape: [u32; 8],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclprofTensorInfo {
    pub opNameId: u64,
    pub opTypeId: u64,
    pub resv: u32,
    pub tensorNum: u32,
    pub kernelType: u32,
    pub blockNums: u32,
    pub stream: *mut c_void,
    pub tensors: *mut aclprofTensor,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclprofEventAttributes {
    pub version: u16,
    pub size: u16,
    pub messageType: u32,
    pub message: *const c_char,
}
