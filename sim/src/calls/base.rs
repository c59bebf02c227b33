//! Data types, half-precision numbers, the log.

use crate::abi::Text;
use crate::config::say;
use ascendcl_sys::types::*;
use half::f16;

/// The bytes of one element: 1 also for two of the types that take less, 8 for every number that is none of the types
/// here, those of 4 and 6 bits among them.
pub(crate) fn aclDataTypeSize(data_type: aclDataType) -> usize {
    match data_type {
        aclDataType::ACL_INT8
        | aclDataType::ACL_UINT8
        | aclDataType::ACL_BOOL
        | aclDataType::ACL_INT4
        | aclDataType::ACL_UINT1
        | aclDataType::ACL_HIFLOAT8
        | aclDataType::ACL_FLOAT8_E5M2
        | aclDataType::ACL_FLOAT8_E4M3FN
        | aclDataType::ACL_FLOAT8_E8M0 => 1,
        aclDataType::ACL_FLOAT16 | aclDataType::ACL_BF16 | aclDataType::ACL_INT16 | aclDataType::ACL_UINT16 => 2,
        aclDataType::ACL_FLOAT | aclDataType::ACL_INT32 | aclDataType::ACL_UINT32 | aclDataType::ACL_COMPLEX32 => 4,
        aclDataType::ACL_COMPLEX128 => 16,
        aclDataType::ACL_STRING | aclDataType::ACL_DT_UNDEFINED => 0,
        _ => 8,
    }
}

pub(crate) fn aclFloat16ToFloat(value: aclFloat16) -> f32 {
    f16::from_bits(value).to_f32()
}

pub(crate) fn aclFloatToFloat16(value: f32) -> aclFloat16 {
    f16::from_f32(value).to_bits()
}

/// Warnings and errors go to stderr, with the format as it stands but for `%%`: what it refers to is out of reach here.
pub(crate) fn aclAppLog(level: aclLogLevel, func: Text<'_>, file: Text<'_>, line: u32, fmt: Text<'_>) {
    if level < aclLogLevel::ACL_WARNING {
        return;
    }
    let kind = if level == aclLogLevel::ACL_WARNING { "warning" } else { "error" };
    let [func, file, fmt] = [func, file, fmt].map(|text| text.get().unwrap_or_default());
    let fmt = fmt.replace("%%", "%");
    say(format_args!("ascendcl-sim: {kind} from the program, {file}:{line} {func}: {fmt}"));
}
