//! Enumerations of models: loading, execution, AIPP.

c_enum! {
    aclAippInputFormat: u32 {
        ACL_YUV420SP_U8 = 1,
        ACL_XRGB8888_U8 = 2,
        ACL_RGB888_U8 = 3,
        ACL_YUV400_U8 = 4,
        ACL_NC1HWC0DI_FP16 = 5,
        ACL_NC1HWC0DI_S8 = 6,
        ACL_ARGB8888_U8 = 7,
        ACL_YUYV_U8 = 8,
        ACL_YUV422SP_U8 = 9,
        ACL_AYUV444_U8 = 10,
        ACL_RAW10 = 11,
        ACL_RAW12 = 12,
        ACL_RAW16 = 13,
        ACL_RAW24 = 14,
        ACL_AIPP_RESERVED = 0xffff,
    }
}

c_enum! {
    aclmdlConfigAttr: u32 {
        ACL_MDL_PRIORITY_INT32 = 0,
        ACL_MDL_LOAD_TYPE_SIZET = 1,
        ACL_MDL_PATH_PTR = 2,
        ACL_MDL_MEM_ADDR_PTR = 3,
        ACL_MDL_MEM_SIZET = 4,
        ACL_MDL_WEIGHT_ADDR_PTR = 5,
        ACL_MDL_WEIGHT_SIZET = 6,
        ACL_MDL_WORKSPACE_ADDR_PTR = 7,
        ACL_MDL_WORKSPACE_SIZET = 8,
        ACL_MDL_INPUTQ_NUM_SIZET = 9,
        ACL_MDL_INPUTQ_ADDR_PTR = 10,
        ACL_MDL_OUTPUTQ_NUM_SIZET = 11,
        ACL_MDL_OUTPUTQ_ADDR_PTR = 12,
        ACL_MDL_WORKSPACE_MEM_OPTIMIZE = 13,
        ACL_MDL_WEIGHT_PATH_PTR = 14,
        ACL_MDL_MODEL_DESC_PTR = 15,
        ACL_MDL_MODEL_DESC_SIZET = 16,
        ACL_MDL_KERNEL_PTR = 17,
        ACL_MDL_KERNEL_SIZET = 18,
        ACL_MDL_KERNEL_ARGS_PTR = 19,
        ACL_MDL_KERNEL_ARGS_SIZET = 20,
        ACL_MDL_STATIC_TASK_PTR = 21,
        ACL_MDL_STATIC_TASK_SIZET = 22,
        ACL_MDL_DYNAMIC_TASK_PTR = 23,
        ACL_MDL_DYNAMIC_TASK_SIZET = 24,
        ACL_MDL_MEM_MALLOC_POLICY_SIZET = 25,
        ACL_MDL_FIFO_PTR = 26,
        ACL_MDL_FIFO_SIZET = 27,
        ACL_MDL_WITHOUT_GRAPH_INT32 = 28,
        ACL_NPU_PERF_MODE = 29,
        ACL_MDL_RESERVED = 0xffff,
    }
}

c_enum! {
    aclmdlAttr: u32 {
        ACL_MDL_ATTR_PRIORITY_INT32 = 0,
    }
}

c_enum! {
    aclmdlExecConfigAttr: u32 {
        ACL_MDL_STREAM_SYNC_TIMEOUT = 0,
        ACL_MDL_EVENT_SYNC_TIMEOUT = 1,
        ACL_MDL_WORK_ADDR_PTR = 2,
        ACL_MDL_WORK_SIZET = 3,
        ACL_MDL_MPAIMID_SIZET = 4,
        ACL_MDL_AICQOS_SIZET = 5,
        ACL_MDL_AICOST_SIZET = 6,
        ACL_MDL_MEC_TIMETHR_SIZET = 7,
        ACL_MDL_EXEC_PRIORITY_INT32 = 8,
        ACL_MDL_NPU_PERF_MODE = 9,
    }
}

c_enum! {
    aclmdlInputAippType: u32 {
        ACL_DATA_WITHOUT_AIPP = 0,
        ACL_DATA_WITH_STATIC_AIPP = 1,
        ACL_DATA_WITH_DYNAMIC_AIPP = 2,
        ACL_DYNAMIC_AIPP_NODE = 3,
    }
}
