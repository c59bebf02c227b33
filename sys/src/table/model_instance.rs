//! Captured task graphs (model runtime instances).

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! model_instance_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] model_instance ["libacl_rt.so" "libascendcl.so"]

        [optional sim] fn aclmdlRIAbort(model_ri: aclmdlRI) -> aclError;
        [optional sim] fn aclmdlRIAddCondTask(params: aclmdlRICondTaskParams, stream: aclrtStream, flags: u32) -> aclError;
        [optional sim] fn aclmdlRIBindStream(model_ri: aclmdlRI, stream: aclrtStream, flag: u32) -> aclError;
        [optional sim] fn aclmdlRIBuildBegin(model_ri: *mut aclmdlRI, flag: u32) -> aclError;
        [optional sim] fn aclmdlRIBuildEnd(model_ri: aclmdlRI, reserve: *mut c_void) -> aclError;
        [optional sim] fn aclmdlRICaptureBegin(stream: aclrtStream, mode: aclmdlRICaptureMode) -> aclError;
        [optional sim] fn aclmdlRICaptureEnd(stream: aclrtStream, model_ri: *mut aclmdlRI) -> aclError;
        [optional sim] fn aclmdlRICaptureGetInfo(
            stream: aclrtStream, status: *mut aclmdlRICaptureStatus, model_ri: *mut aclmdlRI
        ) -> aclError;
        [optional sim] fn aclmdlRICaptureTaskGrpBegin(stream: aclrtStream) -> aclError;
        [optional sim] fn aclmdlRICaptureTaskGrpEnd(stream: aclrtStream, handle: *mut aclrtTaskGrp) -> aclError;
        [optional sim] fn aclmdlRICaptureTaskUpdateBegin(stream: aclrtStream, handle: aclrtTaskGrp) -> aclError;
        [optional sim] fn aclmdlRICaptureTaskUpdateEnd(stream: aclrtStream) -> aclError;
        [optional sim] fn aclmdlRICaptureThreadExchangeMode(mode: *mut aclmdlRICaptureMode) -> aclError;
        [optional sim] fn aclmdlRICaptureToModelRIBegin(
            stream: aclrtStream, model_ri: aclmdlRI, mode: aclmdlRICaptureMode
        ) -> aclError;
        [optional sim] fn aclmdlRICondHandleCreate(
            model_ri: aclmdlRI, default_launch_value: u32, flag: aclmdlRICondHandleFlag, handle: *mut aclmdlRICondHandle
        ) -> aclError;
        [optional sim] fn aclmdlRICondHandleGetCondPtr(handle: aclmdlRICondHandle, ptr: *mut *mut u64) -> aclError;
        [optional sim] fn aclmdlRIDebugJsonPrint(model_ri: aclmdlRI, path: *const c_char, flags: u32) -> aclError;
        [optional sim] fn aclmdlRIDebugPrint(model_ri: aclmdlRI) -> aclError;
        [optional sim] fn aclmdlRIDestroy(model_ri: aclmdlRI) -> aclError;
        [optional sim] fn aclmdlRIDestroyRegisterCallback(
            model_ri: aclmdlRI, func: aclrtCallback, user_data: *mut c_void
        ) -> aclError;
        [optional sim] fn aclmdlRIDestroyUnregisterCallback(model_ri: aclmdlRI, func: aclrtCallback) -> aclError;
        [optional sim] fn aclmdlRIEndTask(model_ri: aclmdlRI, stream: aclrtStream) -> aclError;
        [optional sim] fn aclmdlRIExecute(model_ri: aclmdlRI, timeout: i32) -> aclError;
        [optional sim] fn aclmdlRIExecuteAsync(model_ri: aclmdlRI, stream: aclrtStream) -> aclError;
        [optional sim] fn aclmdlRIGetId(model_ri: aclmdlRI, model_ri_id: *mut u32) -> aclError;
        [optional sim] fn aclmdlRIGetName(model_ri: aclmdlRI, max_len: u32, name: *mut c_char) -> aclError;
        [optional sim] fn aclmdlRIGetStreams(model_ri: aclmdlRI, streams: *mut aclrtStream, num_streams: *mut u32) -> aclError;
        [optional sim] fn aclmdlRIGetTasksByStream(
            stream: aclrtStream, tasks: *mut aclmdlRITask, num_tasks: *mut u32
        ) -> aclError;
        [optional] fn aclmdlRIKernelTaskGetAttribute(
            task: aclmdlRITask, attr_id: aclrtLaunchKernelAttrId, attr_value: *mut aclrtLaunchKernelAttrValue
        ) -> aclError;
        [optional sim] fn aclmdlRISetName(model_ri: aclmdlRI, name: *const c_char) -> aclError;
        [optional sim] fn aclmdlRITaskDisable(task: aclmdlRITask) -> aclError;
        [optional] fn aclmdlRITaskGetParams(task: aclmdlRITask, params: *mut aclmdlRITaskParams) -> aclError;
        [optional] fn aclmdlRITaskGetSeqId(task: aclmdlRITask, id: *mut u32) -> aclError;
        [optional sim] fn aclmdlRITaskGetType(task: aclmdlRITask, kind: *mut aclmdlRITaskType) -> aclError;
        [optional] fn aclmdlRITaskSetParams(task: aclmdlRITask, params: *mut aclmdlRITaskParams) -> aclError;
        [optional sim] fn aclmdlRIUnbindStream(model_ri: aclmdlRI, stream: aclrtStream) -> aclError;
        [optional sim] fn aclmdlRIUpdate(model_ri: aclmdlRI) -> aclError;
    } };
}
