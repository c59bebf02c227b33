//! Values of the enumerations of single operators and their compiler.

use crate::types::*;

value_is! {
    aclopEngineType::ACL_ENGINE_SYS.0 => 0;
    aclopEngineType::ACL_ENGINE_AICORE.0 => 1;
    aclopEngineType::ACL_ENGINE_VECTOR.0 => 2;
    aclopCompileType::ACL_COMPILE_SYS.0 => 0;
    aclopCompileType::ACL_COMPILE_UNREGISTERED.0 => 1;
    aclCompileOpt::ACL_PRECISION_MODE.0 => 0;
    aclCompileOpt::ACL_AICORE_NUM.0 => 1;
    aclCompileOpt::ACL_AUTO_TUNE_MODE.0 => 2;
    aclCompileOpt::ACL_OP_SELECT_IMPL_MODE.0 => 3;
    aclCompileOpt::ACL_OPTYPELIST_FOR_IMPLMODE.0 => 4;
    aclCompileOpt::ACL_OP_DEBUG_LEVEL.0 => 5;
    aclCompileOpt::ACL_DEBUG_DIR.0 => 6;
    aclCompileOpt::ACL_OP_COMPILER_CACHE_MODE.0 => 7;
    aclCompileOpt::ACL_OP_COMPILER_CACHE_DIR.0 => 8;
    aclCompileOpt::ACL_OP_PERFORMANCE_MODE.0 => 9;
    aclCompileOpt::ACL_OP_JIT_COMPILE.0 => 10;
    aclCompileOpt::ACL_OP_DETERMINISTIC.0 => 11;
    aclCompileOpt::ACL_CUSTOMIZE_DTYPES.0 => 12;
    aclCompileOpt::ACL_OP_PRECISION_MODE.0 => 13;
    aclCompileOpt::ACL_ALLOW_HF32.0 => 14;
    aclCompileOpt::ACL_PRECISION_MODE_V2.0 => 15;
    aclCompileOpt::ACL_OP_DEBUG_OPTION.0 => 16;
    aclOpCompileFlag::ACL_OP_COMPILE_DEFAULT.0 => 0;
    aclOpCompileFlag::ACL_OP_COMPILE_FUZZ.0 => 1;
    aclTransType::ACL_TRANS_N.0 => 0;
    aclTransType::ACL_TRANS_T.0 => 1;
    aclTransType::ACL_TRANS_NZ.0 => 2;
    aclTransType::ACL_TRANS_NZ_T.0 => 3;
    aclComputeType::ACL_COMPUTE_HIGH_PRECISION.0 => 0;
    aclComputeType::ACL_COMPUTE_LOW_PRECISION.0 => 1;
}
