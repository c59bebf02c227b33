//! Data buffers, number conversion and logging.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! base_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] base "libascendcl.so"

        [variadic optional sim] fn aclAppLog(
            log_level: aclLogLevel, func: *const c_char, file: *const c_char, line: u32, fmt: *const c_char
        );
        [required sim] fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut aclDataBuffer;
        [optional sim] fn aclDataTypeSize(data_type: aclDataType) -> usize;
        [required sim] fn aclDestroyDataBuffer(data_buffer: *const aclDataBuffer) -> aclError;
        [optional sim] fn aclFloat16ToFloat(value: aclFloat16) -> f32;
        [optional sim] fn aclFloatToFloat16(value: f32) -> aclFloat16;
        [optional sim] fn aclGetCannAttribute(cann_attr: aclCannAttr, value: *mut i32) -> aclError;
        [optional sim] fn aclGetCannAttributeList(cann_attr_list: *mut *const aclCannAttr, num: *mut usize) -> aclError;
        [required sim] fn aclGetDataBufferAddr(data_buffer: *const aclDataBuffer) -> *mut c_void;
        [optional sim] fn aclGetDataBufferSize(data_buffer: *const aclDataBuffer) -> u32;
        [required sim] fn aclGetDataBufferSizeV2(data_buffer: *const aclDataBuffer) -> usize;
        [optional sim] fn aclGetDeviceCapability(device_id: u32, device_info: aclDeviceInfo, value: *mut i64) -> aclError;
        [required sim] fn aclUpdateDataBuffer(data_buffer: *mut aclDataBuffer, data: *mut c_void, size: usize) -> aclError;
        [required sim] fn aclrtGetSocName() -> *const c_char;
    } };
}
