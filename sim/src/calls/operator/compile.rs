//! Making operators known: compiling them, or loading compiled ones.

use super::{count, request};
use crate::abi::{Address, In, Name, Text};
use crate::failure::{Answer, Failure};
use crate::machine::operators::{self, Request};
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
    _op_path: Text<'_>,
) -> Answer {
    let given = count(num_inputs, "input", &[input_desc.is_null()])?;
    let wanted = count(num_outputs, "output", &[output_desc.is_null()])?;
    let request = request(op_type, &input_desc.names(given), &output_desc.names(wanted), attr)?;
    compiled(&request, engine_type, compile_flag)
}

/// Compiles an operator of the simulator's own. Those that a program brings the code of cannot run here.
pub(super) fn compiled(request: &Request, engine_type: aclopEngineType, compile_flag: aclopCompileType) -> Answer {
    if engine_type > aclopEngineType::ACL_ENGINE_VECTOR {
        return Err(Failure::invalid(format!("there is no engine {}", engine_type.0)));
    }
    match compile_flag {
        aclopCompileType::ACL_COMPILE_SYS => operators::compile(request),
        aclopCompileType::ACL_COMPILE_UNREGISTERED => {
            Err(Failure::unsupported("the simulator compiles no operators that it does not have"))
        }
        other => Err(Failure::invalid(format!("there is no compile type {}", other.0))),
    }
}

pub(crate) fn aclopSetCompileFlag(flag: aclOpCompileFlag) -> Answer {
    match flag {
        aclOpCompileFlag::ACL_OP_COMPILE_DEFAULT => operators::set_fuzzy(false),
        aclOpCompileFlag::ACL_OP_COMPILE_FUZZ => operators::set_fuzzy(true),
        other => return Err(Failure::invalid(format!("there is no compile flag {}", other.0))),
    }
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
