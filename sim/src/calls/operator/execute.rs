//! Executing an operator that is described by the call itself.

use super::operands::{Listed, check_addresses, check_buffers, check_counts, check_elements, request};
use super::{check_way, compiled, known, planned};
use crate::abi::{In, Name, Text};
use crate::calls::model::told;
use crate::failure::Answer;
use crate::machine::contexts::named::submission_stream;
use crate::machine::models::with_tensor;
use crate::machine::operators::{Attribute, Job, Plan, Request, knows_attribute, statistics};
use crate::machine::watch::{self, Watched};
use ascendcl_rules::{Access, Flag, Op, Role};
use ascendcl_sys::error_codes::{ACL_ERROR_GE_FAILURE, ACL_ERROR_INVALID_PARAM, ACL_ERROR_OP_NOT_FOUND};
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
    let given = input_desc.listed(num_inputs, "input")?;
    let outcomes = output_desc.listed(num_outputs, "output")?;
    let request = request(op_type, &given, &outcomes, attr)?;
    if request.gives_nothing() {
        return Ok(());
    }
    let (inputs, outputs) = (inputs.listed(num_inputs, "input")?, outputs.listed(num_outputs, "output")?);
    execute(&request, &inputs, &outputs, &outcomes, stream)
}

fn execute(
    request: &Request,
    inputs: &[Name<aclDataBuffer>],
    outputs: &[Name<aclDataBuffer>],
    outcomes: &[Name<aclTensorDesc>],
    stream: aclrtStream,
) -> Answer {
    check_both(|what, buffers| check_addresses(&request.name, what, buffers), inputs, outputs, stream)?;
    let plan = known(request)?;
    run(&plan, inputs, outputs, stream)?;
    describe(&plan, outcomes);
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
    let given = input_desc.listed(num_inputs, "input")?;
    let wanted = output_desc.listed(num_outputs, "output")?;
    let request = request(op_type, &given, &wanted, attr)?;
    if request.gives_nothing() {
        return Ok(());
    }
    let (inputs, outputs) = (inputs.listed(num_inputs, "input")?, outputs.listed(num_outputs, "output")?);
    check_both(|what, buffers| check_buffers(&request.name, what, buffers), &inputs, &outputs, stream)?;
    let plan = known(&request)?.fixed()?;
    run(&plan, &inputs, &outputs, stream)
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
    op_path: Text<'_>,
    stream: aclrtStream,
) -> Answer {
    check_counts(num_inputs, num_outputs)?;
    check_way(compile_flag)?;
    let (given, inputs) = (input_desc.listed(num_inputs, "input")?, inputs.listed(num_inputs, "input")?);
    let (wanted, outputs) = (output_desc.listed(num_outputs, "output")?, outputs.listed(num_outputs, "output")?);
    let request = request(op_type, &given, &wanted, attr)?;
    check_both(|what, buffers| check_addresses(&request.name, what, buffers), &inputs, &outputs, stream)?;
    if request.gives_nothing() {
        return Ok(());
    }
    compiled(&request, engine_type, compile_flag, op_path)?;
    let plan = planned(&request)?.fixed()?;
    run(&plan, &inputs, &outputs, stream)
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
    op_path: Text<'_>,
    stream: aclrtStream,
) -> Answer {
    check_counts(num_inputs, num_outputs)?;
    check_way(compile_flag)?;
    let (given, inputs) = (input_desc.listed(num_inputs, "input")?, inputs.listed(num_inputs, "input")?);
    let (outcomes, outputs) = (output_desc.listed(num_outputs, "output")?, outputs.listed(num_outputs, "output")?);
    let request = request(op_type, &given, &outcomes, attr)?;
    check_both(|what, buffers| check_addresses(&request.name, what, buffers), &inputs, &outputs, stream)?;
    if request.gives_nothing() {
        return Ok(());
    }
    compiled(&request, engine_type, compile_flag, op_path)?;
    let plan = planned(&request)?;
    run(&plan, &inputs, &outputs, stream)?;
    describe(&plan, &outcomes);
    Ok(())
}

/// Enters the shapes that the outputs of an operator would have. The elements have to be given, and are not needed here:
/// the shapes that the simulator's operators give depend on shapes and attributes only.
pub(crate) fn aclopInferShape(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *mut aclTensorDesc>,
    inputs: In<'_, *mut aclDataBuffer>,
    num_outputs: i32,
    output_desc: In<'_, *mut aclTensorDesc>,
    attr: Name<aclopAttr>,
) -> Answer {
    let (given, inputs) = (input_desc.listed(num_inputs, "input")?, inputs.listed(num_inputs, "input")?);
    let outcomes = output_desc.listed(num_outputs, "output")?;
    let request = request(op_type, &given, &outcomes, attr)?;
    check_elements(&request.name, &inputs)?;
    // An operator that there is not is a wrong argument here; whatever else is wrong fails the inference.
    let plan = Plan::new(&request).map_err(|failure| match failure.code {
        ACL_ERROR_OP_NOT_FOUND => failure.coded(ACL_ERROR_INVALID_PARAM),
        _ => failure.coded(ACL_ERROR_GE_FAILURE),
    })?;
    describe(&plan, &outcomes);
    Ok(())
}

/// The operator `Cast` to the type of the output, which has to be known as others have.
pub(crate) fn aclopCast(
    src_desc: Name<aclTensorDesc>,
    src_buffer: Name<aclDataBuffer>,
    dst_desc: Name<aclTensorDesc>,
    dst_buffer: Name<aclDataBuffer>,
    truncate: u8,
    stream: aclrtStream,
) -> Answer {
    let request = cast(src_desc, dst_desc, truncate)?;
    if request.gives_nothing() {
        return Ok(());
    }
    execute(&request, &[src_buffer], &[dst_buffer], &[dst_desc], stream)
}

/// The arguments of a call that casts to the type of the output. Whether to truncate is an attribute only if one of the
/// operators that are known has it.
pub(super) fn cast(from: Name<aclTensorDesc>, to: Name<aclTensorDesc>, truncate: u8) -> Answer<Request> {
    let mut request = request(Text::of(c"Cast"), &[from], &[to], Name::new(0))?;
    let target = request.outputs.first().map_or(aclDataType::ACL_DT_UNDEFINED, |output| output.data_type);
    request.attributes.insert("dst_type".to_string(), Attribute::Int(i64::from(target.0)));
    if knows_attribute("Cast", "truncate") {
        request.attributes.insert("truncate".to_string(), Attribute::Bool(truncate != 0));
    }
    Ok(request)
}

/// A call that executes an operator, as the checker sees it.
fn watched(inputs: &[Name<aclDataBuffer>], outputs: &[Name<aclDataBuffer>], stream: aclrtStream) -> Answer<Watched> {
    let call = watch::call(Op::Use, stream).queue(stream).flag(Flag::Allocates, true);
    call.operands(inputs, Access::Read, Role::Input).operands(outputs, Access::Write, Role::Output).begin()
}

/// Refuses buffers before the operator is looked for. The checker sees the call all the same.
pub(super) fn check_both(
    check: impl Fn(&str, &[Name<aclDataBuffer>]) -> Answer,
    inputs: &[Name<aclDataBuffer>],
    outputs: &[Name<aclDataBuffer>],
    stream: aclrtStream,
) -> Answer {
    let checked = check("input", inputs).and_then(|()| check("output", outputs));
    checked.or_else(|failure| watched(inputs, outputs, stream).and(Err(failure)))
}

pub(in crate::calls) fn run(
    plan: &Plan,
    inputs: &[Name<aclDataBuffer>],
    outputs: &[Name<aclDataBuffer>],
    stream: aclrtStream,
) -> Answer {
    let call = watched(inputs, outputs, stream)?;
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
