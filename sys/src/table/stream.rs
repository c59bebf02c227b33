//! Streams and their attributes.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! stream_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] stream ["libacl_rt.so" "libascendcl.so"]

        [required sim] fn aclrtCreateStream(stream: *mut aclrtStream) -> aclError;
        [optional sim] fn aclrtCreateStreamConfigHandle() -> *mut aclrtStreamConfigHandle;
        [optional sim] fn aclrtCreateStreamV2(stream: *mut aclrtStream, handle: *const aclrtStreamConfigHandle) -> aclError;
        [optional sim] fn aclrtCreateStreamWithConfig(stream: *mut aclrtStream, priority: u32, flag: u32) -> aclError;
        [optional sim] fn aclrtCtxGetCurrentDefaultStream(stream: *mut aclrtStream) -> aclError;
        [optional] fn aclrtCtxGetFloatOverflowAddr(overflow_addr: *mut *mut c_void) -> aclError;
        [required sim] fn aclrtDestroyStream(stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtDestroyStreamConfigHandle(handle: *mut aclrtStreamConfigHandle) -> aclError;
        [optional sim] fn aclrtDestroyStreamForce(stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtDeviceGetStreamPriorityRange(least_priority: *mut i32, greatest_priority: *mut i32) -> aclError;
        [optional sim] fn aclrtGetFloatOverflowStatus(
            output_addr: *mut c_void, output_size: u64, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtGetOverflowStatus(
            output_addr: *mut c_void, output_size: usize, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtGetStreamAttribute(
            stream: aclrtStream, stm_attr_type: aclrtStreamAttr, value: *mut aclrtStreamAttrValue
        ) -> aclError;
        [optional sim] fn aclrtGetStreamAvailableNum(stream_count: *mut u32) -> aclError;
        [optional sim] fn aclrtGetStreamOverflowSwitch(stream: aclrtStream, flag: *mut u32) -> aclError;
        [optional sim] fn aclrtGetStreamResLimit(stream: aclrtStream, kind: aclrtDevResLimitType, value: *mut u32) -> aclError;
        [optional] fn aclrtNpuClearFloatOverFlowStatus(check_mode: u32, stream: aclrtStream) -> aclError;
        [optional] fn aclrtNpuGetFloatOverFlowStatus(
            output_addr: *mut c_void, output_size: u64, check_mode: u32, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclrtResetFloatOverflowStatus(stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtResetOverflowStatus(stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtResetStreamResLimit(stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtSetStreamAttribute(
            stream: aclrtStream, stm_attr_type: aclrtStreamAttr, value: *mut aclrtStreamAttrValue
        ) -> aclError;
        [optional sim] fn aclrtSetStreamConfigOpt(
            handle: *mut aclrtStreamConfigHandle, attr: aclrtStreamConfigAttr, attr_value: *const c_void,
            value_size: usize
        ) -> aclError;
        [optional sim] fn aclrtSetStreamFailureMode(stream: aclrtStream, mode: u64) -> aclError;
        [optional sim] fn aclrtSetStreamOverflowSwitch(stream: aclrtStream, flag: u32) -> aclError;
        [optional sim] fn aclrtSetStreamResLimit(stream: aclrtStream, kind: aclrtDevResLimitType, value: u32) -> aclError;
        [optional sim] fn aclrtStreamAbort(stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtStreamGetFlags(stream: aclrtStream, flags: *mut u32) -> aclError;
        [optional sim] fn aclrtStreamGetId(stream: aclrtStream, stream_id: *mut i32) -> aclError;
        [optional sim] fn aclrtStreamGetPriority(stream: aclrtStream, priority: *mut u32) -> aclError;
        [required sim] fn aclrtStreamQuery(stream: aclrtStream, status: *mut aclrtStreamStatus) -> aclError;
        [optional sim] fn aclrtStreamStop(stream: aclrtStream) -> aclError;
        [required sim] fn aclrtSynchronizeStream(stream: aclrtStream) -> aclError;
        [required sim] fn aclrtSynchronizeStreamWithTimeout(stream: aclrtStream, timeout: i32) -> aclError;
        [optional sim] fn aclrtUnuseStreamResInCurrentThread(stream: aclrtStream) -> aclError;
        [optional sim] fn aclrtUseStreamResInCurrentThread(stream: aclrtStream) -> aclError;
    } };
}
