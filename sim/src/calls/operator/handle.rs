//! Executing an operator by a handle.

use super::execute::{cast, check_both, run};
use super::known;
use super::operands::{Listed, are_empty, check_buffers, check_not_on_host, request};
use crate::abi::{In, Name, Out, Text};
use crate::calls::model::told;
use crate::calls::wanted;
use crate::failure::Answer;
use crate::machine::operators::{Request, create_handle, destroy_handle, find_handle};
use ascendcl_sys::types::*;

/// The operator has to be known already, and its shapes fixed (OP-07).
pub(crate) fn aclopCreateHandle(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *const aclTensorDesc>,
    num_outputs: i32,
    output_desc: In<'_, *const aclTensorDesc>,
    op_attr: Name<aclopAttr>,
    mut handle: Out<'_, *mut aclopHandle>,
) -> Answer {
    wanted(&handle)?;
    let given = input_desc.listed(num_inputs, "input")?;
    let wanted = output_desc.listed(num_outputs, "output")?;
    let request = request(op_type, &given, &wanted, op_attr)?;
    handle.set(create(&request)?.pointer());
    Ok(())
}

fn create(request: &Request) -> Answer<Name<aclopHandle>> {
    check_not_on_host(request)?;
    Ok(create_handle(known(request)?.fixed()?))
}

pub(crate) fn aclopCreateHandleForCast(
    src_desc: Name<aclTensorDesc>,
    dst_desc: Name<aclTensorDesc>,
    truncate: u8,
    mut handle: Out<'_, *mut aclopHandle>,
) -> Answer {
    wanted(&handle)?;
    handle.set(create(&cast(src_desc, dst_desc, truncate)?)?.pointer());
    Ok(())
}

pub(crate) fn aclopExecWithHandle(
    handle: Name<aclopHandle>,
    num_inputs: i32,
    inputs: In<'_, *const aclDataBuffer>,
    num_outputs: i32,
    outputs: In<'_, *mut aclDataBuffer>,
    stream: aclrtStream,
) -> Answer {
    let plan = find_handle(handle)?;
    let (inputs, outputs) = (inputs.listed(num_inputs, "input")?, outputs.listed(num_outputs, "output")?);
    check_both(|what, buffers| check_buffers(plan.name(), what, buffers), &inputs, &outputs, stream)?;
    if are_empty(plan.name(), &outputs)? {
        return Ok(());
    }
    run(&plan, &inputs, &outputs, stream)
}

/// Has no result: why it failed is the thread's recent text. By OP-07 the handle is destroyed after the call that executes
/// it. The manual does not ask for a wait in between, and frameworks do not wait: what is queued does not need the handle.
pub(crate) fn aclopDestroyHandle(handle: Name<aclopHandle>) {
    told(destroy_handle(handle));
}
