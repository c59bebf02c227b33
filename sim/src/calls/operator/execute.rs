//! Executing an operator that is described by the call itself.

use super::{compiled, count, request};
use crate::abi::{In, Name, Text};
use crate::calls::model::told;
use crate::failure::Answer;
use crate::machine::contexts::named::submission_stream;
use crate::machine::models::with_tensor;
use crate::machine::operators::{Attribute, Job, Plan, Request, check_found, statistics};
use crate::machine::watch;
use ascendcl_rules::{Access, Flag, Op, Role};
use ascendcl_sys::types::*;

/// Its output's shape may be open: it is entered into the description.
#[allow(clippy::too_many_arguments)]
pub(crate) fn aclopExecuteV2(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *mut aclTensorDesc>,
    inputs: In<'_, *mut aclDataBuffer>,
    num_outputs: i32,
    output_desc: In<'_, *mut aclTensorDesc>,
    outputs: In<'_, *mut aclDataBuffer>,
    attr: Name<aclopAttr>,
    stream: aclrtStream,
) -> Answer {
    let given = count(num_inputs, "input", &[input_desc.is_null(), inputs.is_null()])?;
    let wanted = count(num_outputs, "output", &[output_desc.is_null(), outputs.is_null()])?;
    let outcomes = output_desc.names(wanted);
    let plan = Plan::new(&request(op_type, &input_desc.names(given), &outcomes, attr)?)?;
    check_found(&plan)?;
    run(&plan, &inputs.names(given), &outputs.names(wanted), stream)?;
    describe(&plan, &outcomes);
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclopExecute(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *const aclTensorDesc>,
    inputs: In<'_, *const aclDataBuffer>,
    num_outputs: i32,
    output_desc: In<'_, *const aclTensorDesc>,
    outputs: In<'_, *mut aclDataBuffer>,
    attr: Name<aclopAttr>,
    stream: aclrtStream,
) -> Answer {
    let given = count(num_inputs, "input", &[input_desc.is_null(), inputs.is_null()])?;
    let wanted = count(num_outputs, "output", &[output_desc.is_null(), outputs.is_null()])?;
    let plan = Plan::new(&request(op_type, &input_desc.names(given), &output_desc.names(wanted), attr)?)?.fixed()?;
    check_found(&plan)?;
    run(&plan, &inputs.names(given), &outputs.names(wanted), stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclopCompileAndExecute(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *const aclTensorDesc>,
    inputs: In<'_, *const aclDataBuffer>,
    num_outputs: i32,
    output_desc: In<'_, *const aclTensorDesc>,
    outputs: In<'_, *mut aclDataBuffer>,
    attr: Name<aclopAttr>,
    engine_type: aclopEngineType,
    compile_flag: aclopCompileType,
    _op_path: Text<'_>,
    stream: aclrtStream,
) -> Answer {
    let given = count(num_inputs, "input", &[input_desc.is_null(), inputs.is_null()])?;
    let wanted = count(num_outputs, "output", &[output_desc.is_null(), outputs.is_null()])?;
    let request = request(op_type, &input_desc.names(given), &output_desc.names(wanted), attr)?;
    let plan = Plan::new(&request)?.fixed()?;
    compiled(&request, engine_type, compile_flag)?;
    run(&plan, &inputs.names(given), &outputs.names(wanted), stream)
}

/// Its output's shape may be open: it is entered into the description.
#[allow(clippy::too_many_arguments)]
pub(crate) fn aclopCompileAndExecuteV2(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *mut aclTensorDesc>,
    inputs: In<'_, *mut aclDataBuffer>,
    num_outputs: i32,
    output_desc: In<'_, *mut aclTensorDesc>,
    outputs: In<'_, *mut aclDataBuffer>,
    attr: Name<aclopAttr>,
    engine_type: aclopEngineType,
    compile_flag: aclopCompileType,
    _op_path: Text<'_>,
    stream: aclrtStream,
) -> Answer {
    let given = count(num_inputs, "input", &[input_desc.is_null(), inputs.is_null()])?;
    let wanted = count(num_outputs, "output", &[output_desc.is_null(), outputs.is_null()])?;
    let outcomes = output_desc.names(wanted);
    let request = request(op_type, &input_desc.names(given), &outcomes, attr)?;
    let plan = Plan::new(&request)?;
    compiled(&request, engine_type, compile_flag)?;
    run(&plan, &inputs.names(given), &outputs.names(wanted), stream)?;
    describe(&plan, &outcomes);
    Ok(())
}

/// Enters the shapes that the outputs of an operator would have. The elements are not needed for that: the shapes that
/// the simulator's operators give depend on shapes and attributes only.
pub(crate) fn aclopInferShape(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *mut aclTensorDesc>,
    _inputs: In<'_, *mut aclDataBuffer>,
    num_outputs: i32,
    output_desc: In<'_, *mut aclTensorDesc>,
    attr: Name<aclopAttr>,
) -> Answer {
    let given = count(num_inputs, "input", &[input_desc.is_null()])?;
    let wanted = count(num_outputs, "output", &[output_desc.is_null()])?;
    let outcomes = output_desc.names(wanted);
    let plan = Plan::new(&request(op_type, &input_desc.names(given), &outcomes, attr)?)?;
    describe(&plan, &outcomes);
    Ok(())
}

/// The operator `Cast` to the type of the output. It needs neither compiling nor loading.
pub(crate) fn aclopCast(
    src_desc: Name<aclTensorDesc>,
    src_buffer: Name<aclDataBuffer>,
    dst_desc: Name<aclTensorDesc>,
    dst_buffer: Name<aclDataBuffer>,
    truncate: u8,
    stream: aclrtStream,
) -> Answer {
    let plan = Plan::new(&cast(src_desc, dst_desc, truncate)?)?.fixed()?;
    run(&plan, &[src_buffer], &[dst_buffer], stream)
}

/// The arguments of a call that casts to the type of the output.
pub(super) fn cast(from: Name<aclTensorDesc>, to: Name<aclTensorDesc>, truncate: u8) -> Answer<Request> {
    let mut request = request(Text::of(c"Cast"), &[from], &[to], Name::new(0))?;
    let target = request.outputs.first().map_or(aclDataType::ACL_DT_UNDEFINED, |output| output.data_type);
    request.attributes.insert("dst_type".to_string(), Attribute::DataType(target));
    request.attributes.insert("truncate".to_string(), Attribute::Bool(truncate != 0));
    Ok(request)
}

pub(in crate::calls) fn run(
    plan: &Plan,
    inputs: &[Name<aclDataBuffer>],
    outputs: &[Name<aclDataBuffer>],
    stream: aclrtStream,
) -> Answer {
    let call = watch::call(Op::Use, stream).queue(stream).flag(Flag::Allocates, true);
    let call =
        call.operands(inputs, Access::Read, Role::Input).operands(outputs, Access::Write, Role::Output).begin()?;
    let job = Job::prepare(plan, inputs, outputs)?;
    call.end(job.submit(&submission_stream(stream)?))?;
    statistics::note(plan);
    Ok(())
}

/// Another thread may have destroyed the description since. The run does not fail because of that.
fn describe(plan: &Plan, outcomes: &[Name<aclTensorDesc>]) {
    for outcome in outcomes {
        told(with_tensor(*outcome, |desc| desc.dims = plan.output_dims().to_vec()));
    }
}
