//! Making operators known: compiling them, or loading compiled ones.

use super::operands::{Listed, check_counts, check_not_on_host, request};
use crate::abi::{Address, In, Name, Text};
use crate::failure::{Answer, Failure};
use crate::machine::operators::{self, Request};
use ascendcl_sys::error_codes::{ACL_ERROR_API_NOT_SUPPORT, ACL_ERROR_GE_FAILURE};
use ascendcl_sys::types::*;

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclopCompile(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *const aclTensorDesc>,
    num_outputs: i32,
    output_desc: In<'_, *const aclTensorDesc>,
    attr: Name<aclopAttr>,
    engine_type: aclopEngineType,
    compile_flag: aclopCompileType,
    op_path: Text<'_>,
) -> Answer {
    check_counts(num_inputs, num_outputs)?;
    check_way(compile_flag)?;
    let given = input_desc.listed(num_inputs, "input")?;
    let wanted = output_desc.listed(num_outputs, "output")?;
    let request = request(op_type, &given, &wanted, attr)?;
    check_not_on_host(&request)?;
    compiled(&request, engine_type, compile_flag, op_path)
}

/// What is neither of the two ways is refused before the operator is looked at (200001).
pub(super) fn check_way(compile_flag: aclopCompileType) -> Answer {
    if compile_flag > aclopCompileType::ACL_COMPILE_UNREGISTERED {
        let text = format!("there is no compile type {}", compile_flag.0);
        return Err(Failure::new(ACL_ERROR_API_NOT_SUPPORT, text));
    }
    Ok(())
}

/// Compiles an operator of the simulator's own. Those that a program brings the code of cannot run here. Whatever the
/// compiler has against an operator, its answer is 500002.
pub(super) fn compiled(
    request: &Request,
    engine_type: aclopEngineType,
    compile_flag: aclopCompileType,
    op_path: Text<'_>,
) -> Answer {
    if compile_flag == aclopCompileType::ACL_COMPILE_UNREGISTERED {
        op_path.get().ok_or_else(|| Failure::invalid("the path of the operator's code is null"))?;
        return Err(Failure::unsupported("the simulator compiles no operators that it does not have"));
    }
    if engine_type > aclopEngineType::ACL_ENGINE_VECTOR {
        return Err(Failure::new(ACL_ERROR_GE_FAILURE, format!("there is no engine {}", engine_type.0)));
    }
    operators::compile(request).map_err(|failure| failure.coded(ACL_ERROR_GE_FAILURE))
}

/// Any number but that of the fuzzy way stands for the usual one.
pub(crate) fn aclopSetCompileFlag(flag: aclOpCompileFlag) -> Answer {
    operators::set_fuzzy(flag == aclOpCompileFlag::ACL_OP_COMPILE_FUZZ);
    Ok(())
}

pub(crate) fn aclopSetModelDir(model_dir: Text<'_>) -> Answer {
    let path = model_dir.get().ok_or_else(|| Failure::invalid("the directory is null"))?;
    operators::choose_directory(&path)
}

/// The image is not looked at: it is compiled for a device.
pub(crate) fn aclopLoad(model: Address, model_size: usize) -> Answer {
    if model.is_null() || model_size == 0 {
        return Err(Failure::invalid("an operator's image has an address and a size"));
    }
    operators::load_image();
    Ok(())
}

pub(crate) fn aclopSetMaxOpQueueNum(max_op_num: u64) -> Answer {
    if max_op_num == 0 {
        return Err(Failure::invalid("at least one compiled operator has to be kept"));
    }
    operators::keep_at_most(max_op_num);
    Ok(())
}
