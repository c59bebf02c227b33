//! The needs of each call of the library, stated once per C function.
//!
//! `call!` cannot call a function that is not listed here. [`call`](super::call) implements the checks.

/// Passes the table to `$callback!`: each need, and the C functions that have it.
macro_rules! needs {
    ($callback:ident) => {
        $callback! {
            // The text of this thread's last failure, and the log. They are used after failed calls, wherever those
            // were made.
            ThisProcess:
                aclAppLog aclGetRecentErrMsg;

            // Choose or query the current context. It does not matter what is current beforehand.
            SelectsContext:
                aclrtGetCurrentContext aclrtGetDevice aclrtSetCurrentContext;

            // Descriptions and lists in host memory. Each was created by one of the functions below that refuse to run
            // inside a callback.
            HostOnly:
                aclDestroyDataBuffer aclDestroyTensorDesc aclGetDataBufferAddr aclGetDataBufferSizeV2
                aclGetTensorDescDimV2 aclGetTensorDescNumDims aclUpdateDataBuffer
                aclmdlAddDatasetBuffer aclmdlDestroyDataset aclmdlDestroyDesc aclmdlGetCurOutputDims
                aclmdlGetDatasetTensorDesc aclmdlGetDesc
                aclmdlGetDynamicBatch aclmdlGetDynamicHW aclmdlGetInputDataType aclmdlGetInputDims
                aclmdlGetInputDimsV2
                aclmdlGetInputDynamicDims aclmdlGetInputDynamicGearCount aclmdlGetInputFormat aclmdlGetInputNameByIndex
                aclmdlGetInputSizeByIndex aclmdlGetNumInputs aclmdlGetNumOutputs aclmdlGetOutputDataType
                aclmdlGetOutputDims aclmdlGetOutputFormat aclmdlGetOutputNameByIndex aclmdlGetOutputSizeByIndex
                aclmdlSetDatasetTensorDesc
                aclopDestroyAttr aclopSetAttrBool aclopSetAttrDataType aclopSetAttrFloat aclopSetAttrInt
                aclopSetAttrListBool aclopSetAttrListDataType aclopSetAttrListFloat aclopSetAttrListInt
                aclopSetAttrListListInt aclopSetAttrListString aclopSetAttrString
                aclrtAllocatorDestroyDesc aclrtAllocatorSetAllocAdviseFuncToDesc aclrtAllocatorSetAllocFuncToDesc
                aclrtAllocatorSetFreeFuncToDesc aclrtAllocatorSetGetAddrFromBlockFuncToDesc aclrtAllocatorSetObjToDesc;

            // Calls for the whole process or a device, and calls that name their context or stream themselves.
            OutsideCallbacks:
                aclFinalizeReference aclInit
                aclopLoad aclopSetModelDir
                aclrtAllocatorCreateDesc aclrtAllocatorRegister aclrtAllocatorUnregister aclrtCreateContext
                aclrtDestroyContext aclrtDestroyStreamForce aclrtDeviceCanAccessPeer aclrtDeviceTaskAbort
                aclrtGetDeviceCount aclrtGetDeviceInfo aclrtGetRunMode
                aclrtGetSocName aclrtGetVersion aclrtResetDevice aclrtResetDeviceForce aclrtSetDevice aclrtStreamAbort
                aclsysGetCANNVersion;

            // Begin something in the current context.
            Begins:
                aclCreateDataBuffer aclCreateTensorDesc
                aclmdlRIBuildBegin aclmdlRICaptureBegin
                aclmdlCreateDataset aclmdlCreateDesc aclmdlLoadFromFile aclmdlLoadFromFileWithMem aclmdlLoadFromMem
                aclmdlLoadFromMemWithMem aclmdlQuerySize aclmdlQuerySizeFromMem
                aclopCompile aclopCreateAttr
                aclrtCreateEvent aclrtCreateEventExWithFlag aclrtCreateEventWithFlag
                aclrtCreateLabel aclrtCreateLabelList aclrtCreateStream
                aclrtCreateStreamWithConfig
                aclrtDeviceEnablePeerAccess aclrtGetMemInfo
                aclrtHostRegisterV2 aclrtMalloc aclrtMallocHost aclrtSynchronizeDevice
                aclrtSynchronizeDeviceWithTimeout;

            // Use, or end, what was begun in the current context.
            Current:
                aclmdlExecute aclmdlExecuteAsync aclmdlRIBindStream aclmdlRIBuildEnd aclmdlRICaptureEnd
                aclmdlRIAddCondTask aclmdlRICaptureGetInfo aclmdlRICaptureToModelRIBegin aclmdlRICondHandleCreate
                aclmdlRICondHandleGetCondPtr
                aclmdlRICaptureTaskGrpBegin aclmdlRICaptureTaskGrpEnd aclmdlRICaptureTaskUpdateBegin
                aclmdlRICaptureTaskUpdateEnd aclmdlRIDebugJsonPrint
                aclmdlRIDebugPrint aclmdlRIDestroy aclmdlRIEndTask aclmdlRIExecuteAsync aclmdlRIGetName aclmdlRISetName
                aclmdlRIUnbindStream
                aclmdlSetDynamicBatchSize aclmdlSetDynamicHWSize
                aclmdlSetInputDynamicDims aclmdlUnload
                aclopExecuteV2
                aclrtDestroyEvent aclrtDestroyLabel aclrtDestroyLabelList aclrtDestroyStream aclrtEventElapsedTime
                aclrtFree aclrtFreeHost aclrtHostUnregister aclrtLaunchHostFunc
                aclrtMemcpy aclrtMemcpy2d aclrtMemcpy2dAsync aclrtMemcpyAsync aclrtMemset aclrtMemsetAsync
                aclrtQueryEventStatus aclrtRecordEvent
                aclrtResetEvent aclrtSetLabel aclrtSetStreamFailureMode aclrtSwitchLabelByIndex
                aclrtStreamQuery aclrtStreamWaitEvent aclrtSynchronizeEvent aclrtSynchronizeEventWithTimeout
                aclrtSynchronizeStream aclrtSynchronizeStreamWithTimeout;
        }
    };
}
