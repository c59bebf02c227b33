//! Graphs of operators, which the simulator cannot write: they are the vendor's format.

use super::operands::{check_buffers, check_counts, count, request};
use crate::abi::{In, Name, Text};
use crate::failure::{Answer, Failure};
use crate::machine::operators::{create_dump_options, destroy_dump_options};
use ascendcl_sys::types::*;

pub(crate) fn aclCreateGraphDumpOpt() -> Option<Name<aclGraphDumpOption>> {
    Some(create_dump_options())
}

pub(crate) fn aclDestroyGraphDumpOpt(graph_dump_opt: Name<aclGraphDumpOption>) -> Answer {
    destroy_dump_options(graph_dump_opt)
}

/// Takes no options yet. An operator without results has no graph to write.
#[allow(clippy::too_many_arguments)]
pub(crate) fn aclGenGraphAndDumpForOp(
    op_type: Text<'_>,
    num_inputs: i32,
    input_desc: In<'_, *const aclTensorDesc>,
    inputs: In<'_, *const aclDataBuffer>,
    num_outputs: i32,
    output_desc: In<'_, *const aclTensorDesc>,
    outputs: In<'_, *mut aclDataBuffer>,
    attr: Name<aclopAttr>,
    _engine_type: aclopEngineType,
    graph_dump_path: Text<'_>,
    graph_dump_opt: Name<aclGraphDumpOption>,
) -> Answer {
    if graph_dump_opt.0 != 0 {
        return Err(Failure::invalid("the options of the dump have to be null"));
    }
    check_counts(num_inputs, num_outputs)?;
    graph_dump_path.get().ok_or_else(|| Failure::invalid("the path is null"))?;
    let given = count(num_inputs, "input", &[input_desc.is_null()])?;
    let wanted = count(num_outputs, "output", &[output_desc.is_null()])?;
    let request = request(op_type, &input_desc.names(given), &output_desc.names(wanted), attr)?;
    if request.gives_nothing() {
        return Ok(());
    }
    let inputs = inputs.names(count(num_inputs, "input", &[inputs.is_null()])?);
    let outputs = outputs.names(count(num_outputs, "output", &[outputs.is_null()])?);
    check_buffers(&request.name, "input", &inputs)?;
    check_buffers(&request.name, "output", &outputs)?;
    Err(Failure::unsupported("the simulator writes no graphs of operators"))
}
