//! Enumerations of the runtime: devices, streams, events, memory, callbacks, captured graphs.

c_enum! {
    aclrtRunMode: u32 {
        ACL_DEVICE = 0,
        ACL_HOST = 1,
    }
}

c_enum! {
    aclrtTsId: u32 {
        ACL_TS_ID_AICORE = 0,
        ACL_TS_ID_AIVECTOR = 1,
        ACL_TS_ID_RESERVED = 2,
    }
}

c_enum! {
    aclrtEventStatus: u32 {
        ACL_EVENT_STATUS_COMPLETE = 0,
        ACL_EVENT_STATUS_NOT_READY = 1,
        ACL_EVENT_STATUS_RESERVED = 2,
    }
}

c_enum! {
    aclrtEventRecordedStatus: u32 {
        ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
        ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
    }
}

c_enum! {
    aclrtEventWaitStatus: u32 {
        ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
        ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
        ACL_EVENT_WAIT_STATUS_RESERVED = 0xffff,
    }
}

c_enum! {
    aclrtStreamStatus: u32 {
        ACL_STREAM_STATUS_COMPLETE = 0,
        ACL_STREAM_STATUS_NOT_READY = 1,
        ACL_STREAM_STATUS_RESERVED = 0xffff,
    }
}

c_enum! {
    aclrtCallbackBlockType: u32 {
        ACL_CALLBACK_NO_BLOCK = 0,
        ACL_CALLBACK_BLOCK = 1,
    }
}

c_enum! {
    aclrtMemcpyKind: u32 {
        ACL_MEMCPY_HOST_TO_HOST = 0,
        ACL_MEMCPY_HOST_TO_DEVICE = 1,
        ACL_MEMCPY_DEVICE_TO_HOST = 2,
        ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
        ACL_MEMCPY_DEFAULT = 4,
        ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
        ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
        ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
    }
}

c_enum! {
    aclrtMemManagedAdviseType: u32 {
        ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
        ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
        ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
        ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
        ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
        ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5,
    }
}

c_enum! {
    aclrtMemManagedLocationType: u32 {
        ACL_MEM_LOCATIONTYPE_INVALID = 0,
        ACL_MEM_LOCATIONTYPE_DEVICE = 1,
        ACL_MEM_LOCATIONTYPE_HOST = 2,
        ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
        ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4,
    }
}

c_enum! {
    aclrtMemMallocPolicy: u32 {
        ACL_MEM_MALLOC_HUGE_FIRST = 0,
        ACL_MEM_MALLOC_HUGE_ONLY = 1,
        ACL_MEM_MALLOC_NORMAL_ONLY = 2,
        ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
        ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
        ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
        ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
        ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
        ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x100,
        ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
        ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000,
    }
}

c_enum! {
    aclrtHostRegisterType: u32 {
        ACL_HOST_REGISTER_MAPPED = 0,
        ACL_HOST_REGISTER_IOMEMORY = 4,
        ACL_HOST_REGISTER_READONLY = 8,
    }
}

c_enum! {
    aclrtMallocAttrType: u32 {
        ACL_RT_MEM_ATTR_RSV = 0,
        ACL_RT_MEM_ATTR_MODULE_ID = 1,
        ACL_RT_MEM_ATTR_DEVICE_ID = 2,
        ACL_RT_MEM_ATTR_VA_FLAG = 3,
    }
}

c_enum! {
    aclrtMemAttr: u32 {
        ACL_DDR_MEM = 0,
        ACL_HBM_MEM = 1,
        ACL_DDR_MEM_HUGE = 2,
        ACL_DDR_MEM_NORMAL = 3,
        ACL_HBM_MEM_HUGE = 4,
        ACL_HBM_MEM_NORMAL = 5,
        ACL_DDR_MEM_P2P_HUGE = 6,
        ACL_DDR_MEM_P2P_NORMAL = 7,
        ACL_HBM_MEM_P2P_HUGE = 8,
        ACL_HBM_MEM_P2P_NORMAL = 9,
        ACL_HBM_MEM_HUGE1G = 10,
        ACL_HBM_MEM_P2P_HUGE1G = 11,
        ACL_MEM_NORMAL = 12,
        ACL_MEM_HUGE = 13,
        ACL_MEM_HUGE1G = 14,
        ACL_MEM_P2P_NORMAL = 15,
        ACL_MEM_P2P_HUGE = 16,
        ACL_MEM_P2P_HUGE1G = 17,
    }
}

c_enum! {
    aclrtMemPgType: u32 {
        NORMAL_PAGE_TYPE = 0,
        HUGE_PAGE_TYPE = 1,
        HUGE1G_PAGE_TYPE = 2,
    }
}

c_enum! {
    aclrtMemType: u32 {
        HBM_TYPE = 0,
        DDR_TYPE = 1,
        P2P_HBM_TYPE = 2,
        P2P_DDR_TYPE = 3,
    }
}

c_enum! {
    aclrtIpcMemAttrType: u32 {
        ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0,
    }
}

c_enum! {
    aclrtGroupAttr: u32 {
        ACL_GROUP_AICORE_INT = 0,
        ACL_GROUP_AIV_INT = 1,
        ACL_GROUP_AIC_INT = 2,
        ACL_GROUP_SDMANUM_INT = 3,
        ACL_GROUP_ASQNUM_INT = 4,
        ACL_GROUP_GROUPID_INT = 5,
    }
}

c_enum! {
    aclrtFloatOverflowMode: u32 {
        ACL_RT_OVERFLOW_MODE_SATURATION = 0,
        ACL_RT_OVERFLOW_MODE_INFNAN = 1,
        ACL_RT_OVERFLOW_MODE_UNDEF = 2,
    }
}

c_enum! {
    aclrtStreamConfigAttr: u32 {
        ACL_RT_STREAM_WORK_ADDR_PTR = 0,
        ACL_RT_STREAM_WORK_SIZE = 1,
        ACL_RT_STREAM_FLAG = 2,
        ACL_RT_STREAM_PRIORITY = 3,
    }
}

c_enum! {
    aclrtMemLocationType: u32 {
        ACL_MEM_LOCATION_TYPE_HOST = 0,
        ACL_MEM_LOCATION_TYPE_DEVICE = 1,
        ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
        ACL_MEM_LOCATION_TYPE_MANAGED = 3,
        ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
    }
}

c_enum! {
    aclrtMemManagedRangeAttribute: u32 {
        ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
        ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
        ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
        ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
        ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
        ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
        ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
        ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
    }
}

c_enum! {
    aclrtMemAllocationType: u32 {
        ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
    }
}

c_enum! {
    aclrtMemHandleType: u32 {
        ACL_MEM_HANDLE_TYPE_NONE = 0,
        ACL_MEM_HANDLE_TYPE_POSIX = 2,
    }
}

c_enum! {
    aclrtMemSharedHandleType: u32 {
        ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
        ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2,
    }
}

c_enum! {
    aclrtMemGranularityOptions: u32 {
        ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
        ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
        ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xffff,
    }
}

c_enum! {
    aclrtDeviceStatus: u32 {
        ACL_RT_DEVICE_STATUS_NORMAL = 0,
        ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
        ACL_RT_DEVICE_STATUS_END = 0xffff,
    }
}

c_enum! {
    aclmdlRICaptureMode: u32 {
        ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
        ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
        ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
    }
}

c_enum! {
    aclmdlRICaptureStatus: u32 {
        ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
        ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
        ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
    }
}

c_enum! {
    aclrtErrorType: u32 {
        ACL_RT_NO_ERROR = 0,
        ACL_RT_ERROR_MEMORY = 1,
        ACL_RT_ERROR_L2 = 2,
        ACL_RT_ERROR_AICORE = 3,
        ACL_RT_ERROR_LINK = 4,
        ACL_RT_ERROR_L3_PORT = 5,
        ACL_RT_ERROR_OTHERS = 0xffff,
    }
}

c_enum! {
    aclrtAicoreErrorType: u32 {
        ACL_RT_AICORE_ERROR_UNKNOWN = 0,
        ACL_RT_AICORE_ERROR_SW = 1,
        ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
    }
}

c_enum! {
    aclrtCmoType: u32 {
        ACL_RT_CMO_TYPE_PREFETCH = 0,
        ACL_RT_CMO_TYPE_WRITEBACK = 1,
        ACL_RT_CMO_TYPE_INVALID = 2,
        ACL_RT_CMO_TYPE_FLUSH = 3,
    }
}

c_enum! {
    aclrtLastErrLevel: u32 {
        ACL_RT_THREAD_LEVEL = 0,
    }
}

c_enum! {
    aclrtBinaryLoadOptionType: u32 {
        ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
        ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
        ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
        ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
    }
}

c_enum! {
    aclrtEngineType: u32 {
        ACL_RT_ENGINE_TYPE_AIC = 0,
        ACL_RT_ENGINE_TYPE_AIV = 1,
    }
}

c_enum! {
    aclrtLaunchKernelAttrId: u32 {
        ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
        ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
        ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
        ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
        ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
        ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
        ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
        ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
        ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
        ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
    }
}
