//! Tensor descriptions.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! tensor_desc_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] tensor_desc ["libacl_mdl.so" "libascendcl.so"]

        [required sim] fn aclCreateTensorDesc(
            data_type: aclDataType, num_dims: c_int, dims: *const i64, format: aclFormat
        ) -> *mut aclTensorDesc;
        [required sim] fn aclDestroyTensorDesc(desc: *const aclTensorDesc);
        [optional sim] fn aclGetTensorDescAddress(desc: *const aclTensorDesc) -> *mut c_void;
        [optional sim] fn aclGetTensorDescByIndex(desc: *mut aclTensorDesc, index: usize) -> *mut aclTensorDesc;
        [optional sim] fn aclGetTensorDescDim(desc: *const aclTensorDesc, index: usize) -> i64;
        [optional sim] fn aclGetTensorDescDimRange(
            desc: *const aclTensorDesc, index: usize, dim_range_num: usize, dim_range: *mut i64
        ) -> aclError;
        [required sim] fn aclGetTensorDescDimV2(desc: *const aclTensorDesc, index: usize, dim_size: *mut i64) -> aclError;
        [optional sim] fn aclGetTensorDescElementCount(desc: *const aclTensorDesc) -> usize;
        [optional sim] fn aclGetTensorDescFormat(desc: *const aclTensorDesc) -> aclFormat;
        [optional sim] fn aclGetTensorDescName(desc: *mut aclTensorDesc) -> *const c_char;
        [required sim] fn aclGetTensorDescNumDims(desc: *const aclTensorDesc) -> usize;
        [optional sim] fn aclGetTensorDescSize(desc: *const aclTensorDesc) -> usize;
        [optional sim] fn aclGetTensorDescType(desc: *const aclTensorDesc) -> aclDataType;
        [optional sim] fn aclSetTensorConst(desc: *mut aclTensorDesc, data_buffer: *mut c_void, length: usize) -> aclError;
        [optional sim] fn aclSetTensorDescName(desc: *mut aclTensorDesc, name: *const c_char);
        [optional sim] fn aclSetTensorDynamicInput(desc: *mut aclTensorDesc, dynamic_input_name: *const c_char) -> aclError;
        [optional sim] fn aclSetTensorFormat(desc: *mut aclTensorDesc, format: aclFormat) -> aclError;
        [optional sim] fn aclSetTensorOriginFormat(desc: *mut aclTensorDesc, format: aclFormat) -> aclError;
        [optional sim] fn aclSetTensorOriginShape(desc: *mut aclTensorDesc, num_dims: c_int, dims: *const i64) -> aclError;
        [optional sim] fn aclSetTensorPlaceMent(desc: *mut aclTensorDesc, mem_type: aclMemType) -> aclError;
        [optional sim] fn aclSetTensorShape(desc: *mut aclTensorDesc, num_dims: c_int, dims: *const i64) -> aclError;
        [optional sim] fn aclSetTensorShapeRange(
            desc: *mut aclTensorDesc, dims_count: usize, dims_range: *mut [i64; 2]
        ) -> aclError;
        [optional sim] fn aclSetTensorStorageFormat(desc: *mut aclTensorDesc, format: aclFormat) -> aclError;
        [optional sim] fn aclSetTensorStorageShape(
            desc: *mut aclTensorDesc, num_dims: c_int, dims: *const i64
        ) -> aclError;
        [optional sim] fn aclSetTensorValueRange(
            desc: *mut aclTensorDesc, value_count: usize, value_range: *mut [i64; 2]
        ) -> aclError;
        [optional] fn aclTransTensorDescFormat(
            src_desc: *const aclTensorDesc, dst_format: aclFormat, dst_desc: *mut *mut aclTensorDesc
        ) -> aclError;
    } };
}
