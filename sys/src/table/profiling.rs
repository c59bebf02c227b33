//! Profiling.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! profiling_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] profiling ["libmsprofiler.so" "libascendcl.so"]

        [optional sim] fn aclprofCreateConfig(
            device_id_list: *mut u32, device_nums: u32, aicore_metrics: aclprofAicoreMetrics,
            aicore_events: *const aclprofAicoreEvents, data_type_config: u64
        ) -> *mut aclprofConfig;
        [optional sim] fn aclprofCreateStamp() -> *mut c_void;
        [optional sim] fn aclprofCreateStepInfo() -> *mut aclprofStepInfo;
        [optional] fn aclprofCreateSubscribeConfig(
            time_info_switch: i8, aicore_metrics: aclprofAicoreMetrics, fd: *mut c_void
        ) -> *mut aclprofSubscribeConfig;
        [optional sim] fn aclprofDestroyConfig(profiler_config: *const aclprofConfig) -> aclError;
        [optional sim] fn aclprofDestroyStamp(stamp: *mut c_void);
        [optional sim] fn aclprofDestroyStepInfo(stepinfo: *mut aclprofStepInfo);
        [optional] fn aclprofDestroySubscribeConfig(prof_subscribe_config: *const aclprofSubscribeConfig) -> aclError;
        [optional sim] fn aclprofFinalize() -> aclError;
        [optional] fn aclprofGetModelId(op_info: *const c_void, op_info_len: usize, index: u32) -> usize;
        [optional] fn aclprofGetOpAttriValue(
            op_info: *const c_void, op_info_len: usize, index: u32, attri: aclprofSubscribeOpAttri
        ) -> *const c_char;
        [optional] fn aclprofGetOpDescSize(op_desc_size: *mut usize) -> aclError;
        [optional] fn aclprofGetOpDuration(op_info: *const c_void, op_info_len: usize, index: u32) -> u64;
        [optional] fn aclprofGetOpEnd(op_info: *const c_void, op_info_len: usize, index: u32) -> u64;
        [optional] fn aclprofGetOpFlag(op_info: *const c_void, op_info_len: usize, index: u32) -> aclprofSubscribeOpFlag;
        [optional] fn aclprofGetOpName(
            op_info: *const c_void, op_info_len: usize, index: u32, op_name: *mut c_char, op_name_len: usize
        ) -> aclError;
        [optional] fn aclprofGetOpNameLen(
            op_info: *const c_void, op_info_len: usize, index: u32, op_name_len: *mut usize
        ) -> aclError;
        [optional] fn aclprofGetOpNum(op_info: *const c_void, op_info_len: usize, op_number: *mut u32) -> aclError;
        [optional] fn aclprofGetOpStart(op_info: *const c_void, op_info_len: usize, index: u32) -> u64;
        [optional] fn aclprofGetOpType(
            op_info: *const c_void, op_info_len: usize, index: u32, op_type: *mut c_char, op_type_len: usize
        ) -> aclError;
        [optional] fn aclprofGetOpTypeLen(
            op_info: *const c_void, op_info_len: usize, index: u32, op_type_len: *mut usize
        ) -> aclError;
        [optional sim] fn aclprofGetStepTimestamp(
            step_info: *mut aclprofStepInfo, tag: aclprofStepTag, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn aclprofInit(profiler_result_path: *const c_char, length: usize) -> aclError;
        [optional sim] fn aclprofMark(stamp: *mut c_void) -> aclError;
        [optional sim] fn aclprofMarkEx(msg: *const c_char, msg_len: usize, stream: aclrtStream) -> aclError;
        [optional] fn aclprofModelSubscribe(
            model_id: u32, prof_subscribe_config: *const aclprofSubscribeConfig
        ) -> aclError;
        [optional] fn aclprofModelUnSubscribe(model_id: u32) -> aclError;
        [optional sim] fn aclprofPop() -> aclError;
        [optional sim] fn aclprofPush(stamp: *mut c_void) -> aclError;
        [optional sim] fn aclprofRangePop() -> aclError;
        [optional sim] fn aclprofRangePushEx(attr: *mut aclprofEventAttributes) -> aclError;
        [optional sim] fn aclprofRangeStart(stamp: *mut c_void, range_id: *mut u32) -> aclError;
        [optional sim] fn aclprofRangeStop(range_id: u32) -> aclError;
        [optional sim] fn aclprofSetConfig(
            config_type: aclprofConfigType, config: *const c_char, config_length: usize
        ) -> aclError;
        [optional sim] fn aclprofSetStampTraceMessage(stamp: *mut c_void, msg: *const c_char, msg_len: u32) -> aclError;
        [optional sim] fn aclprofStart(profiler_config: *const aclprofConfig) -> aclError;
        [optional sim] fn aclprofStop(profiler_config: *const aclprofConfig) -> aclError;
        [optional] fn aclprofStr2Id(message: *const c_char) -> u64;
    } };
}
