//! What each call of the library needs, stated once per C function.
//!
//! `call!` makes no call of a function that is not listed here. What the needs check is in [`call`](super::call).

/// Hands the table to `$callback!`: a need, and the C functions that have it.
macro_rules! needs {
    ($callback:ident) => {
        $callback! {
            // The text of this thread's last failure, and the log. They are used after calls that failed, wherever that
            // was.
            ThisProcess:
                aclAppLog aclGetRecentErrMsg;

            // Choose the current context, and tell which one that is. What is current beforehand does not matter.
            SelectsContext:
                aclrtGetCurrentContext aclrtGetDevice aclrtSetCurrentContext;

            // Descriptions and lists in host memory. Each was made by a function below that refuses to begin inside a
            // callback.
            HostOnly:
                aclDestroyDataBuffer aclDestroyTensorDesc aclGetDataBufferAddr aclGetDataBufferSizeV2
                aclGetTensorDescDimV2 aclGetTensorDescNumDims aclUpdateDataBuffer
                aclmdlAddDatasetBuffer aclmdlDestroyDataset aclmdlDestroyDesc aclmdlGetDatasetTensorDesc aclmdlGetDesc
                aclmdlGetDynamicBatch aclmdlGetDynamicHW aclmdlGetInputDataType aclmdlGetInputDims
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
                aclrtCreateEvent aclrtCreateEventExWithFlag aclrtCreateEventWithFlag aclrtCreateStream
                aclrtCreateStreamWithConfig
                aclrtDeviceEnablePeerAccess aclrtGetMemInfo
                aclrtHostRegisterV2 aclrtMalloc aclrtMallocHost aclrtSynchronizeDevice
                aclrtSynchronizeDeviceWithTimeout;

            // Use, or end, what was begun in the current context.
            Current:
                aclmdlExecute aclmdlExecuteAsync aclmdlRIBindStream aclmdlRIBuildEnd aclmdlRICaptureEnd
                aclmdlRICaptureGetInfo
                aclmdlRICaptureTaskGrpBegin aclmdlRICaptureTaskGrpEnd aclmdlRICaptureTaskUpdateBegin
                aclmdlRICaptureTaskUpdateEnd aclmdlRIDebugJsonPrint
                aclmdlRIDebugPrint aclmdlRIDestroy aclmdlRIEndTask aclmdlRIExecuteAsync aclmdlRIGetName aclmdlRISetName
                aclmdlRIUnbindStream
                aclmdlSetDynamicBatchSize aclmdlSetDynamicHWSize
                aclmdlSetInputDynamicDims aclmdlUnload
                aclopExecuteV2
                aclrtDestroyEvent aclrtDestroyStream aclrtEventElapsedTime aclrtFree aclrtFreeHost aclrtHostUnregister aclrtLaunchHostFunc
                aclrtMemcpy aclrtMemcpy2d aclrtMemcpy2dAsync aclrtMemcpyAsync aclrtMemset aclrtMemsetAsync aclrtQueryEventStatus aclrtRecordEvent
                aclrtStreamQuery aclrtStreamWaitEvent aclrtSynchronizeEvent aclrtSynchronizeEventWithTimeout
                aclrtSynchronizeStream aclrtSynchronizeStreamWithTimeout;
        }
    };
}
