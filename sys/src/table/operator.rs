//! Single operators.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! operator_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] operator ["libacl_op_executor.so" "libascendcl.so"]

        [optional sim] fn aclopCast(
            src_desc: *const aclTensorDesc, src_buffer: *const aclDataBuffer, dst_desc: *const aclTensorDesc,
            dst_buffer: *mut aclDataBuffer, truncate: u8, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclopCreateAttr() -> *mut aclopAttr;
        [optional sim] fn aclopCreateHandle(
            op_type: *const c_char, num_inputs: c_int, input_desc: *const *const aclTensorDesc, num_outputs: c_int,
            output_desc: *const *const aclTensorDesc, op_attr: *const aclopAttr, handle: *mut *mut aclopHandle
        ) -> aclError;
        [optional sim] fn aclopCreateHandleForCast(
            src_desc: *mut aclTensorDesc, dst_desc: *mut aclTensorDesc, truncate: u8, handle: *mut *mut aclopHandle
        ) -> aclError;
        [optional] fn aclopCreateKernel(
            op_type: *const c_char, kernel_id: *const c_char, kernel_name: *const c_char, bin_data: *mut c_void,
            bin_size: c_int, enginetype: aclopEngineType, deallocator: aclDataDeallocator
        ) -> aclError;
        [optional sim] fn aclopDestroyAttr(attr: *const aclopAttr);
        [optional sim] fn aclopDestroyHandle(handle: *mut aclopHandle);
        [optional sim] fn aclopExecWithHandle(
            handle: *mut aclopHandle, num_inputs: c_int, inputs: *const *const aclDataBuffer, num_outputs: c_int,
            outputs: *const *mut aclDataBuffer, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclopExecute(
            op_type: *const c_char, num_inputs: c_int, input_desc: *const *const aclTensorDesc,
            inputs: *const *const aclDataBuffer, num_outputs: c_int, output_desc: *const *const aclTensorDesc,
            outputs: *const *mut aclDataBuffer, attr: *const aclopAttr, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclopExecuteV2(
            op_type: *const c_char, num_inputs: c_int, input_desc: *mut *mut aclTensorDesc,
            inputs: *mut *mut aclDataBuffer, num_outputs: c_int, output_desc: *mut *mut aclTensorDesc,
            outputs: *mut *mut aclDataBuffer, attr: *mut aclopAttr, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclopInferShape(
            op_type: *const c_char, num_inputs: c_int, input_desc: *mut *mut aclTensorDesc,
            inputs: *mut *mut aclDataBuffer, num_outputs: c_int, output_desc: *mut *mut aclTensorDesc,
            attr: *mut aclopAttr
        ) -> aclError;
        [optional sim] fn aclopLoad(model: *const c_void, model_size: usize) -> aclError;
        [optional sim] fn aclopRegisterCompileFunc(op_type: *const c_char, func: aclopCompileFunc) -> aclError;
        [optional sim] fn aclopSetAttrBool(attr: *mut aclopAttr, attr_name: *const c_char, attr_value: u8) -> aclError;
        [optional sim] fn aclopSetAttrDataType(
            attr: *mut aclopAttr, attr_name: *const c_char, attr_value: aclDataType
        ) -> aclError;
        [optional sim] fn aclopSetAttrFloat(
            attr: *mut aclopAttr, attr_name: *const c_char, attr_value: f32
        ) -> aclError;
        [optional sim] fn aclopSetAttrInt(attr: *mut aclopAttr, attr_name: *const c_char, attr_value: i64) -> aclError;
        [optional sim] fn aclopSetAttrListBool(
            attr: *mut aclopAttr, attr_name: *const c_char, num_values: c_int, values: *const u8
        ) -> aclError;
        [optional sim] fn aclopSetAttrListDataType(
            attr: *mut aclopAttr, attr_name: *const c_char, num_values: c_int, values: *const aclDataType
        ) -> aclError;
        [optional sim] fn aclopSetAttrListFloat(
            attr: *mut aclopAttr, attr_name: *const c_char, num_values: c_int, values: *const f32
        ) -> aclError;
        [optional sim] fn aclopSetAttrListInt(
            attr: *mut aclopAttr, attr_name: *const c_char, num_values: c_int, values: *const i64
        ) -> aclError;
        [optional sim] fn aclopSetAttrListListInt(
            attr: *mut aclopAttr, attr_name: *const c_char, num_lists: c_int, num_values: *const c_int,
            values: *const *const i64
        ) -> aclError;
        [optional sim] fn aclopSetAttrListString(
            attr: *mut aclopAttr, attr_name: *const c_char, num_values: c_int, values: *mut *const c_char
        ) -> aclError;
        [optional sim] fn aclopSetAttrString(
            attr: *mut aclopAttr, attr_name: *const c_char, attr_value: *const c_char
        ) -> aclError;
        [optional sim] fn aclopSetKernelArgs(
            kernel_desc: *mut aclopKernelDesc, kernel_id: *const c_char, block_dim: u32, args: *const c_void,
            arg_size: u32
        ) -> aclError;
        [optional sim] fn aclopSetKernelWorkspaceSizes(
            kernel_desc: *mut aclopKernelDesc, num_workspaces: c_int, workspace_sizes: *mut usize
        ) -> aclError;
        [optional sim] fn aclopSetMaxOpQueueNum(max_op_num: u64) -> aclError;
        [optional sim] fn aclopSetModelDir(model_dir: *const c_char) -> aclError;
        [optional sim] fn aclopUnregisterCompileFunc(op_type: *const c_char) -> aclError;
        [optional sim] fn aclopUpdateParams(
            op_type: *const c_char, num_inputs: c_int, input_desc: *const *const aclTensorDesc, num_outputs: c_int,
            output_desc: *const *const aclTensorDesc, attr: *const aclopAttr
        ) -> aclError;
    } };
}
