//! The operator compiler.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! op_compiler_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] op_compiler ["libacl_op_compiler.so" "libascendcl.so"]

        [optional sim] fn aclCreateGraphDumpOpt() -> *mut aclGraphDumpOption;
        [optional sim] fn aclDestroyGraphDumpOpt(graph_dump_opt: *const aclGraphDumpOption) -> aclError;
        [optional sim] fn aclGenGraphAndDumpForOp(
            op_type: *const c_char, num_inputs: c_int, input_desc: *const *const aclTensorDesc,
            inputs: *const *const aclDataBuffer, num_outputs: c_int, output_desc: *const *const aclTensorDesc,
            outputs: *const *mut aclDataBuffer, attr: *const aclopAttr, engine_type: aclopEngineType,
            graph_dump_path: *const c_char, graph_dump_opt: *const aclGraphDumpOption
        ) -> aclError;
        [optional sim] fn aclGetCompileopt(opt: aclCompileOpt, value: *mut c_char, length: usize) -> aclError;
        [optional sim] fn aclGetCompileoptSize(opt: aclCompileOpt) -> usize;
        [optional sim] fn aclSetCompileopt(opt: aclCompileOpt, value: *const c_char) -> aclError;
        [optional sim] fn aclopCompile(
            op_type: *const c_char, num_inputs: c_int, input_desc: *const *const aclTensorDesc, num_outputs: c_int,
            output_desc: *const *const aclTensorDesc, attr: *const aclopAttr, engine_type: aclopEngineType,
            compile_flag: aclopCompileType, op_path: *const c_char
        ) -> aclError;
        [optional sim] fn aclopCompileAndExecute(
            op_type: *const c_char, num_inputs: c_int, input_desc: *const *const aclTensorDesc,
            inputs: *const *const aclDataBuffer, num_outputs: c_int, output_desc: *const *const aclTensorDesc,
            outputs: *const *mut aclDataBuffer, attr: *const aclopAttr, engine_type: aclopEngineType,
            compile_flag: aclopCompileType, op_path: *const c_char, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclopCompileAndExecuteV2(
            op_type: *const c_char, num_inputs: c_int, input_desc: *mut *mut aclTensorDesc,
            inputs: *mut *mut aclDataBuffer, num_outputs: c_int, output_desc: *mut *mut aclTensorDesc,
            outputs: *mut *mut aclDataBuffer, attr: *mut aclopAttr, engine_type: aclopEngineType,
            compile_flag: aclopCompileType, op_path: *const c_char, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclopSetCompileFlag(flag: aclOpCompileFlag) -> aclError;
    } };
}
