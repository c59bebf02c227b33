//! Enumerations of single operators and their compiler.

c_enum! {
    aclopEngineType: u32 {
        ACL_ENGINE_SYS = 0,
        ACL_ENGINE_AICORE = 1,
        ACL_ENGINE_VECTOR = 2,
    }
}

c_enum! {
    aclopCompileType: u32 {
        ACL_COMPILE_SYS = 0,
        ACL_COMPILE_UNREGISTERED = 1,
    }
}

c_enum! {
    aclCompileOpt: u32 {
        ACL_PRECISION_MODE = 0,
        ACL_AICORE_NUM = 1,
        ACL_AUTO_TUNE_MODE = 2,
        ACL_OP_SELECT_IMPL_MODE = 3,
        ACL_OPTYPELIST_FOR_IMPLMODE = 4,
        ACL_OP_DEBUG_LEVEL = 5,
        ACL_DEBUG_DIR = 6,
        ACL_OP_COMPILER_CACHE_MODE = 7,
        ACL_OP_COMPILER_CACHE_DIR = 8,
        ACL_OP_PERFORMANCE_MODE = 9,
        ACL_OP_JIT_COMPILE = 10,
        ACL_OP_DETERMINISTIC = 11,
        ACL_CUSTOMIZE_DTYPES = 12,
        ACL_OP_PRECISION_MODE = 13,
        ACL_ALLOW_HF32 = 14,
        ACL_PRECISION_MODE_V2 = 15,
        ACL_OP_DEBUG_OPTION = 16,
    }
}

c_enum! {
    aclOpCompileFlag: u32 {
        ACL_OP_COMPILE_DEFAULT = 0,
        ACL_OP_COMPILE_FUZZ = 1,
    }
}

c_enum! {
    aclTransType: u32 {
        ACL_TRANS_N = 0,
        ACL_TRANS_T = 1,
        ACL_TRANS_NZ = 2,
        ACL_TRANS_NZ_T = 3,
    }
}

c_enum! {
    aclComputeType: u32 {
        ACL_COMPUTE_HIGH_PRECISION = 0,
        ACL_COMPUTE_LOW_PRECISION = 1,
    }
}
