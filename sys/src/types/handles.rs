//! Handles: values that the library gives out and takes back. Each has its own Rust type, so that a stream cannot be
//! passed where an event is expected.

handles! {
    aclrtStream,
    aclmdlRITask,
    aclrtEvent,
    aclrtContext,
    aclrtNotify,
    aclrtCntNotify,
    aclrtLabel,
    aclrtLabelList,
    aclrtMbuf,
    aclrtAllocatorDesc,
    aclrtAllocator,
    aclrtAllocatorBlock,
    aclrtTaskGrp,
    aclrtDrvMemHandle,
    aclrtBinary,
    aclrtBinHandle,
    aclrtFuncHandle,
    aclrtArgsHandle,
    aclrtParamHandle,
    aclmdlRI,
    aclmdlRICondHandle,
    aclmdlModel,
}

opaques! {
    aclDataBuffer,
    aclTensorDesc,
    aclrtUtilizationExtendInfo,
    tagRtGroupInfo,
    rtExceptionInfo,
    aclmdlDataset,
    aclmdlDesc,
    aclmdlAIPP,
    aclAippExtendInfo,
    aclmdlConfigHandle,
    aclmdlExecConfigHandle,
    aclmdlBundleQueryInfo,
    aclopHandle,
    aclopAttr,
    aclopKernelDesc,
    aclGraphDumpOption,
    aclprofConfig,
    aclprofStopConfig,
    aclprofAicoreEvents,
    aclprofSubscribeConfig,
    aclprofStepInfo,
    acltdtDataItem,
    acltdtDataset,
    acltdtChannelHandle,
}

/// A device address that an allocator callback returns.
pub type aclrtAllocatorAddr = *mut core::ffi::c_void;
