//! Callbacks, host functions and exception information.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! callback_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] callback ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclrtExceptionInfoCallbackRegister(callback: aclrtExceptionInfoCallback) -> aclError;
        [optional sim] fn aclrtExceptionInfoCallbackUnregister(callback: aclrtExceptionInfoCallback) -> aclError;
        [optional sim] fn aclrtGetDeviceIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32;
        [optional sim] fn aclrtGetErrorCodeFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32;
        [optional sim] fn aclrtGetStreamIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32;
        [optional sim] fn aclrtGetTaskIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32;
        [optional sim] fn aclrtGetThreadIdFromExceptionInfo(info: *const aclrtExceptionInfo) -> u32;
        [optional sim] fn aclrtLaunchCallback(
            func: aclrtCallback, user_data: *mut c_void, block_type: aclrtCallbackBlockType, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtLaunchHostFunc(stream: aclrtStream, func: aclrtHostFunc, args: *mut c_void) -> aclError;
        [optional] fn aclrtProcessHostFunc(timeout: i32) -> aclError;
        [optional sim] fn aclrtProcessReport(timeout: i32) -> aclError;
        [optional sim] fn aclrtRegDeviceStateCallback(
            reg_name: *const c_char, callback: aclrtDeviceStateCallback, args: *mut c_void
        ) -> aclError;
        [optional sim] fn aclrtRegStreamStateCallback(
            reg_name: *const c_char, callback: aclrtStreamStateCallback, args: *mut c_void
        ) -> aclError;
        [optional sim] fn aclrtSetDeviceTaskAbortCallback(
            reg_name: *const c_char, callback: aclrtDeviceTaskAbortCallback, args: *mut c_void
        ) -> aclError;
        [optional sim] fn aclrtSetExceptionInfoCallback(callback: aclrtExceptionInfoCallback) -> aclError;
        [optional] fn aclrtSnapShotCallbackRegister(
            stage: aclrtSnapShotStage, callback: aclrtSnapShotCallBack, args: *mut c_void
        ) -> aclError;
        [optional] fn aclrtSnapShotCallbackUnregister(
            stage: aclrtSnapShotStage, callback: aclrtSnapShotCallBack
        ) -> aclError;
        [optional] fn aclrtSubscribeHostFunc(host_func_thread_id: u64, exe_stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtSubscribeReport(thread_id: u64, stream: aclrtStream) -> aclError;
        [optional] fn aclrtUnSubscribeHostFunc(host_func_thread_id: u64, exe_stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtUnSubscribeReport(thread_id: u64, stream: aclrtStream) -> aclError;
    } };
}
