//! Choosing kernels that a program brings for operators of its own.

use super::operands::{Listed, count, request};
use crate::abi::{Address, In, KernelChoice, Name, Text};
use crate::failure::{Answer, Failure};
use crate::machine::operators::{Chosen, check_chosen, choice_of, choose, register_choice, unregister_choice};
use crate::machine::workers::user_code;
use ascendcl_sys::types::*;

pub(crate) fn aclopRegisterCompileFunc(op_type: Text<'_>, func: aclopCompileFunc) -> Answer {
    let name = name(op_type)?;
    register_choice(name, KernelChoice::new(func).ok_or_else(|| Failure::invalid("the function is null"))?)
}

pub(crate) fn aclopUnregisterCompileFunc(op_type: Text<'_>) -> Answer {
    unregister_choice(&name(op_type)?);
    Ok(())
}

/// Has the function of the program choose, whose code is the answer if it fails. What it chooses is not there.
pub(crate) fn aclopUpdateParams(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *const aclTensorDesc>,
    num_outputs: i32,
    output_desc: In<'_, *const aclTensorDesc>,
    attr: Name<aclopAttr>,
) -> Answer {
    let given = input_desc.listed(num_inputs, "input")?;
    let wanted = output_desc.listed(num_outputs, "output")?;
    let request = request(op_type, &given, &wanted, attr)?;
    let (choice, chosen) = (choice_of(&request.name)?, Chosen::new());
    let lists = ((num_inputs, &input_desc), (num_outputs, &output_desc));
    let code = user_code::run_within(0, || choice.ask(lists.0, lists.1, attr, chosen.name()));
    if code != 0 {
        let text = format!("the function that chooses kernels of `{}` answers {code}", request.name);
        return Err(Failure::new(code, text));
    }
    Err(chosen.refuse())
}

/// Only in a function that chooses.
pub(crate) fn aclopSetKernelArgs(
    kernel_desc: Name<aclopKernelDesc>,
    kernel_id: Text<'_>,
    _block_dim: u32,
    args: Address,
    _arg_size: u32,
) -> Answer {
    check_chosen(kernel_desc)?;
    if args.is_null() {
        return Err(Failure::invalid("the arguments are null"));
    }
    let id = kernel_id.get().ok_or_else(|| Failure::invalid("the name of the kernel is null"))?;
    choose(kernel_desc, id.into_owned())
}

pub(crate) fn aclopSetKernelWorkspaceSizes(
    kernel_desc: Name<aclopKernelDesc>,
    num_workspaces: i32,
    workspace_sizes: In<'_, usize>,
) -> Answer {
    check_chosen(kernel_desc)?;
    count(num_workspaces, "workspace", workspace_sizes.is_null()).map(drop)
}

fn name(op_type: Text<'_>) -> Answer<String> {
    let name = op_type.get().ok_or_else(|| Failure::invalid("the operator type is null"))?;
    Ok(name.into_owned())
}
