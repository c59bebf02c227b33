//! Structures of models: loading, execution, AIPP.

use super::*;
use core::ffi::c_char;

#[repr(C)]
#[derive(Clone, Copy)]
pub union aclmdlAttrValue_t {
    pub mdlPriority: u32,
    pub reserved: [u32; 8],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlIODims {
    pub name: [c_char; 128],
    pub dimCount: usize,
    pub dims: [i64; 128],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlIODimsRange {
    pub rangeCount: usize,
    pub range: [[i64; 2]; 128],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclAippDims {
    pub srcDims: aclmdlIODims,
    pub srcSize: usize,
    pub aippOutdims: aclmdlIODims,
    pub aippOutSize: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlBatch {
    pub batchCount: usize,
    pub batch: [u64; 128],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlHW {
    pub hwCount: usize,
    pub hw: [[u64; 2]; 128],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclAippInfo {
    pub inputFormat: aclAippInputFormat,
    pub srcImageSizeW: i32,
    pub srcImageSizeH: i32,
    pub cropSwitch: i8,
    pub loadStartPosW: i32,
    pub loadStartPosH: i32,
    pub cropSizeW: i32,
    pub cropSizeH: i32,
    pub resizeSwitch: i8,
    pub resizeOutputW: i32,
    pub resizeOutputH: i32,
    pub paddingSwitch: i8,
    pub leftPaddingSize: i32,
    pub rightPaddingSize: i32,
    pub topPaddingSize: i32,
    pub bottomPaddingSize: i32,
    pub cscSwitch: i8,
    pub rbuvSwapSwitch: i8,
    pub axSwapSwitch: i8,
    pub singleLineMode: i8,
    pub matrixR0C0: i32,
    pub matrixR0C1: i32,
    pub matrixR0C2: i32,
    pub matrixR1C0: i32,
    pub matrixR1C1: i32,
    pub matrixR1C2: i32,
    pub matrixR2C0: i32,
    pub matrixR2C1: i32,
    pub matrixR2C2: i32,
    pub outputBias0: i32,
    pub outputBias1: i32,
    pub outputBias2: i32,
    pub inputBias0: i32,
    pub inputBias1: i32,
    pub inputBias2: i32,
    pub meanChn0: i32,
    pub meanChn1: i32,
    pub meanChn2: i32,
    pub meanChn3: i32,
    pub minChn0: f32,
    pub minChn1: f32,
    pub minChn2: f32,
    pub minChn3: f32,
    pub varReciChn0: f32,
    pub varReciChn1: f32,
    pub varReciChn2: f32,
    pub varReciChn3: f32,
    pub srcFormat: aclFormat,
    pub srcDatatype: aclDataType,
    pub srcDimNum: usize,
    pub shapeCount: usize,
    pub outDims: [aclAippDims; 128],
    pub aippExtend: *mut aclAippExtendInfo,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct aclmdlExeOMDesc {
    pub workSize: usize,
    pub weightSize: usize,
    pub modelDescSize: usize,
    pub kernelSize: usize,
    pub kernelArgsSize: usize,
    pub staticTaskSize: usize,
    pub dynamicTaskSize: usize,
    pub fifoTaskSize: usize,
    pub reserved: [usize; 8],
}
