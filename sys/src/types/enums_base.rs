//! Enumerations of data types, formats, memory kinds.

c_enum! {
    aclDataType: i32 {
        ACL_DT_UNDEFINED = -1,
        ACL_FLOAT = 0,
        ACL_FLOAT16 = 1,
        ACL_INT8 = 2,
        ACL_INT32 = 3,
        ACL_UINT8 = 4,
        ACL_INT16 = 6,
        ACL_UINT16 = 7,
        ACL_UINT32 = 8,
        ACL_INT64 = 9,
        ACL_UINT64 = 10,
        ACL_DOUBLE = 11,
        ACL_BOOL = 12,
        ACL_STRING = 13,
        ACL_COMPLEX64 = 16,
        ACL_COMPLEX128 = 17,
        ACL_BF16 = 27,
        ACL_INT4 = 29,
        ACL_UINT1 = 30,
        ACL_COMPLEX32 = 33,
        ACL_HIFLOAT8 = 34,
        ACL_FLOAT8_E5M2 = 35,
        ACL_FLOAT8_E4M3FN = 36,
        ACL_FLOAT8_E8M0 = 37,
        ACL_FLOAT6_E3M2 = 38,
        ACL_FLOAT6_E2M3 = 39,
        ACL_FLOAT4_E2M1 = 40,
        ACL_FLOAT4_E1M2 = 41,
    }
}

c_enum! {
    aclFormat: i32 {
        ACL_FORMAT_UNDEFINED = -1,
        ACL_FORMAT_NCHW = 0,
        ACL_FORMAT_NHWC = 1,
        ACL_FORMAT_ND = 2,
        ACL_FORMAT_NC1HWC0 = 3,
        ACL_FORMAT_FRACTAL_Z = 4,
        ACL_FORMAT_NC1HWC0_C04 = 12,
        ACL_FORMAT_HWCN = 16,
        ACL_FORMAT_NDHWC = 27,
        ACL_FORMAT_FRACTAL_NZ = 29,
        ACL_FORMAT_NCDHW = 30,
        ACL_FORMAT_NDC1HWC0 = 32,
        ACL_FRACTAL_Z_3D = 33,
        ACL_FORMAT_NC = 35,
        ACL_FORMAT_NCL = 47,
        ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
        ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
        ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
        ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
        ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,
    }
}

c_enum! {
    aclLogLevel: u32 {
        ACL_DEBUG = 0,
        ACL_INFO = 1,
        ACL_WARNING = 2,
        ACL_ERROR = 3,
    }
}

c_enum! {
    aclMemType: u32 {
        ACL_MEMTYPE_DEVICE = 0,
        ACL_MEMTYPE_HOST = 1,
        ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,
    }
}

c_enum! {
    aclSysParamOpt: u32 {
        ACL_OPT_DETERMINISTIC = 0,
        ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
        ACL_OPT_STRONG_CONSISTENCY = 2,
        ACL_OPT_ENABLE_KERNEL_EARLY_START = 3,
    }
}

c_enum! {
    aclCannAttr: i32 {
        ACL_CANN_ATTR_UNDEFINED = -1,
        ACL_CANN_ATTR_INF_NAN = 0,
        ACL_CANN_ATTR_BF16 = 1,
        ACL_CANN_ATTR_JIT_COMPILE = 2,
    }
}

c_enum! {
    aclDeviceInfo: i32 {
        ACL_DEVICE_INFO_UNDEFINED = -1,
        ACL_DEVICE_INFO_AI_CORE_NUM = 0,
        ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
        ACL_DEVICE_INFO_L2_SIZE = 2,
    }
}
