//! Enumerations of profiling, dump and tensor channels.

c_enum! {
    acldumpType: u32 {
        AIC_ERR_BRIEF_DUMP = 1,
        AIC_ERR_NORM_DUMP = 2,
        AIC_ERR_DETAIL_DUMP = 3,
        DATA_DUMP = 4,
        OVERFLOW_DUMP = 5,
    }
}

c_enum! {
    acldumpTensorType: u32 {
        ACL_DUMP_TENSOR_INPUT = 0,
        ACL_DUMP_TENSOR_OUTPUT = 1,
        ACL_DUMP_TENSOR_WORKSPACE = 2,
    }
}

c_enum! {
    acldumpTensorAddressType: u32 {
        ACL_DUMP_ADDR_PTR = 0,
        ACL_DUMP_ADDR_PTR_PTR = 1,
        ACL_DUMP_ADDR_RAW = 2,
    }
}

c_enum! {
    acldumpTensorPlacement: u32 {
        ACL_DUMP_PLACEMENT_DEVICE = 0,
        ACL_DUMP_PLACEMENT_HOST = 1,
        ACL_DUMP_PLACEMENT_END = 2,
    }
}

c_enum! {
    aclprofAicoreMetrics: u32 {
        ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
        ACL_AICORE_PIPE_UTILIZATION = 1,
        ACL_AICORE_MEMORY_BANDWIDTH = 2,
        ACL_AICORE_L0B_AND_WIDTH = 3,
        ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
        ACL_AICORE_MEMORY_UB = 5,
        ACL_AICORE_L2_CACHE = 6,
        ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
        ACL_AICORE_MEMORY_ACCESS = 8,
        ACL_AICORE_NONE = 255,
    }
}

c_enum! {
    aclprofStepTag: u32 {
        ACL_STEP_START = 0,
        ACL_STEP_END = 1,
    }
}

c_enum! {
    aclprofSubscribeOpFlag: u32 {
        ACL_SUBSCRIBE_OP = 0,
        ACL_SUBSCRIBE_SUBGRAPH = 1,
        ACL_SUBSCRIBE_OP_THREAD = 2,
        ACL_SUBSCRIBE_NONE = 255,
    }
}

c_enum! {
    aclprofSubscribeOpAttri: u32 {
        ACL_SUBSCRIBE_ATTRI_THREADID = 0,
        ACL_SUBSCRIBE_ATTRI_NONE = 1,
    }
}

c_enum! {
    aclprofConfigType: u32 {
        ACL_PROF_ARGS_MIN = 0,
        ACL_PROF_STORAGE_LIMIT = 1,
        ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
        ACL_PROF_LLC_MODE = 4,
        ACL_PROF_SYS_IO_FREQ = 5,
        ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
        ACL_PROF_DVPP_FREQ = 7,
        ACL_PROF_HOST_SYS = 8,
        ACL_PROF_HOST_SYS_USAGE = 9,
        ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
        ACL_PROF_LOW_POWER_FREQ = 11,
        ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
        ACL_PROF_SYS_CPU_FREQ = 13,
        ACL_PROF_OPTYPE = 14,
        ACL_PROF_NTS_METRICS = 15,
        ACL_PROF_PATH = 16,
        ACL_PROF_ARGS_MAX = 17,
    }
}

c_enum! {
    aclprofMessageType: u32 {
        ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0,
    }
}

c_enum! {
    acltdtTensorType: i32 {
        ACL_TENSOR_DATA_UNDEFINED = -1,
        ACL_TENSOR_DATA_TENSOR = 0,
        ACL_TENSOR_DATA_END_OF_SEQUENCE = 1,
        ACL_TENSOR_DATA_ABNORMAL = 2,
        ACL_TENSOR_DATA_SLICE_TENSOR = 3,
        ACL_TENSOR_DATA_END_TENSOR = 4,
    }
}

c_enum! {
    acltdtQueueAttrType: u32 {
        ACL_TDT_QUEUE_NAME_PTR = 0,
        ACL_TDT_QUEUE_DEPTH_UINT32 = 1,
    }
}

c_enum! {
    acltdtQueueRouteParamType: u32 {
        ACL_TDT_QUEUE_ROUTE_SRC_UINT32 = 0,
        ACL_TDT_QUEUE_ROUTE_DST_UINT32 = 1,
        ACL_TDT_QUEUE_ROUTE_STATUS_INT32 = 2,
    }
}

c_enum! {
    acltdtQueueRouteQueryMode: u32 {
        ACL_TDT_QUEUE_ROUTE_QUERY_SRC = 0,
        ACL_TDT_QUEUE_ROUTE_QUERY_DST = 1,
        ACL_TDT_QUEUE_ROUTE_QUERY_SRC_AND_DST = 2,
        ACL_TDT_QUEUE_ROUTE_QUERY_ABNORMAL = 100,
    }
}

c_enum! {
    acltdtQueueRouteQueryInfoParamType: u32 {
        ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM = 0,
        ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32 = 1,
        ACL_TDT_QUEUE_ROUTE_QUERY_DST_ID_UINT32 = 2,
    }
}

c_enum! {
    acltdtAllocBufType: u32 {
        ACL_TDT_NORMAL_MEM = 0,
        ACL_TDT_DVPP_MEM = 1,
    }
}
