//! Graphs of operators, which the simulator cannot write: they are the vendor's format.

use super::operands::{Listed, check_buffers, check_counts, request};
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
    let given = input_desc.listed(num_inputs, "input")?;
    let wanted = output_desc.listed(num_outputs, "output")?;
    let request = request(op_type, &given, &wanted, attr)?;
    if request.gives_nothing() {
        return Ok(());
    }
    let (inputs, outputs) = (inputs.listed(num_inputs, "input")?, outputs.listed(num_outputs, "output")?);
    check_buffers(&request.name, "input", &inputs)?;
    check_buffers(&request.name, "output", &outputs)?;
    Err(Failure::unsupported("the simulator writes no graphs of operators"))
}
