//! Dump.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! dump_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] dump ["libascend_dump.so"]

        [optional] fn acldumpGetExceptionInfoPath(path: *mut c_char, max_len: usize) -> aclError;
        [optional sim] fn acldumpGetPath(dump_type: acldumpType) -> *const c_char;
        [optional sim] fn acldumpRegCallback(message_callback: acldumpCallback, flag: i32) -> aclError;
        [optional] fn acldumpSaveExceptionInfo(
            file_name: *const c_char, user_tag: *const c_char, tensors: *const acldumpTensorInfo, tensor_count: usize
        ) -> aclError;
        [optional sim] fn acldumpUnregCallback();
        [optional sim] fn aclopStartDumpArgs(dump_type: u32, path: *const c_char) -> aclError;
        [optional sim] fn aclopStopDumpArgs(dump_type: u32) -> aclError;
    } };
}
