//! What follows from the constants of a file alone, calculated once: the engine that runs is not optimised, and would
//! calculate it in each run.

use super::contained::contained_load;
use super::engine::{shared_thread, unoptimised};
use super::failure::LoadFailure;
use super::names::{self, Attributes};
use super::{ceiling, deep, external};
use rten::{NodeId, Value};
use rten_onnx::onnx::{DataType, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto};
use rten_tensor::prelude::*;
use std::cell::RefCell;
use std::collections::HashSet;

/// Replaces nodes on constants by their results, and leaves out what nobody uses then.
pub(super) fn fold(model: &mut ModelProto, attributes: &Attributes) -> Result<(), LoadFailure> {
    let Some(graph) = &mut model.graph else { return Ok(()) };
    forget_idle(graph);
    let (folds, wanted) = folding(graph);
    if !wanted.is_empty() {
        let nodes = std::mem::take(&mut graph.node).into_iter().zip(&folds);
        let (done, rest): (Vec<_>, Vec<_>) = nodes.partition(|(node, folds)| **folds || operator(node) == "Constant");
        // Constants stay, too: others may use them.
        let stay = done.iter().filter(|(_, folds)| !**folds).map(|(node, _)| node.clone());
        graph.node = stay.chain(rest.into_iter().map(|(node, _)| node)).collect();
        let done: Vec<NodeProto> = done.into_iter().map(|(node, _)| node).collect();
        let found = results(done, graph, &model.opset_import, &wanted, attributes)?;
        graph.initializer.extend(found);
    }
    forget_unused(graph);
    Ok(())
}

/// Leaves out the nodes that no output needs: they do not run, and what is wrong with them does not matter.
fn forget_idle(graph: &mut GraphProto) {
    let mut used: HashSet<String> = graph.output.iter().map(|info| named(info).to_string()).collect();
    let mut needed = Vec::with_capacity(graph.node.len());
    for node in std::mem::take(&mut graph.node).into_iter().rev() {
        if node.output.iter().any(|name| used.contains(name)) {
            deep::uses(&node, &mut |name| _ = used.insert(name.to_string()));
            needed.push(node);
        }
    }
    needed.reverse();
    graph.node = needed;
}

/// Which nodes follow from constants, and which of their values others need.
fn folding(graph: &GraphProto) -> (Vec<bool>, Vec<String>) {
    let mut constants: HashSet<&str> = graph.initializer.iter().filter_map(|tensor| tensor.name.as_deref()).collect();
    constants.insert("");
    let mut folds = Vec::with_capacity(graph.node.len());
    for node in &graph.node {
        let is_constant = operator(node) == "Constant";
        let follows =
            !is_constant && is_foldable(node) && node.input.iter().all(|name| constants.contains(name.as_str()));
        if is_constant || follows {
            constants.extend(node.output.iter().map(String::as_str));
        }
        folds.push(follows);
    }
    let mut used: HashSet<&str> = graph.output.iter().map(named).collect();
    let others = graph.node.iter().zip(&folds).filter(|(_, folds)| !**folds);
    others.for_each(|(node, _)| deep::uses(node, &mut |name| _ = used.insert(name)));
    let made = graph.node.iter().zip(&folds).filter(|(_, folds)| **folds).flat_map(|(node, _)| &node.output);
    let wanted = made.filter(|name| !name.is_empty() && used.contains(name.as_str())).cloned().collect();
    (folds, wanted)
}

/// Whether a node gives the same tensors in each run.
fn is_foldable(node: &NodeProto) -> bool {
    let operator = operator(node);
    let is_random = operator.starts_with("Random") || matches!(operator, "Multinomial" | "Bernoulli" | "Dropout");
    let is_sequence = operator.contains("Sequence") || operator.starts_with("Optional");
    !is_random && !is_sequence && node.attribute.iter().all(|attribute| attribute.g.is_none())
}

/// The values of these names, which the nodes calculate.
fn results(
    nodes: Vec<NodeProto>,
    graph: &GraphProto,
    opsets: &[OperatorSetIdProto],
    wanted: &[String],
    attributes: &Attributes,
) -> Result<Vec<TensorProto>, LoadFailure> {
    let output = |name: &String| ValueInfoProto { name: Some(name.clone()), r#type: None };
    let mut part = GraphProto { node: nodes, output: wanted.iter().map(output).collect(), ..Default::default() };
    forget_idle(&mut part);
    let used: HashSet<&String> = part.node.iter().flat_map(|node| &node.input).collect();
    let is_used = |tensor: &&TensorProto| tensor.name.as_ref().is_some_and(|name| used.contains(name));
    part.initializer = graph.initializer.iter().filter(is_used).cloned().collect();
    forget_unused(&mut part);
    let chain = deep::chain(&part)?;
    let data = external::take(&mut part)?;
    let opset =
        |import: &OperatorSetIdProto| OperatorSetIdProto { domain: import.domain.clone(), version: import.version };
    let opset_import = opsets.iter().map(opset).collect();
    let file = ModelProto { ir_version: Some(8), graph: Some(part), opset_import, ..Default::default() };
    let file = file.write_buf().map_err(|error| LoadFailure::Refused(error.to_string()))?;
    let options = shared_thread().map_err(LoadFailure::Refused)?;
    let work = || {
        contained_load(|| {
            let model = unoptimised(data).load(file).map_err(|error| error.to_string())?;
            let id = |name: &String| model.node_id(name).map_err(|error| error.to_string());
            let ids = wanted.iter().map(id).collect::<Result<Vec<NodeId>, _>>()?;
            model.run(Vec::new(), &ids, Some(options)).map_err(|error| error.to_string())
        })
    };
    let found = deep::along(chain, work).flatten().flatten().map_err(|why| {
        let lack = ceiling::no_room(&why).map(|lack| lack.to_string());
        LoadFailure::Refused(lack.unwrap_or_else(|| names::told(&why, attributes)))
    })?;
    Ok(wanted.iter().zip(found).filter_map(|(name, value)| tensor(name, &value)).collect())
}

fn tensor(name: &str, value: &Value) -> Option<TensorProto> {
    let (data_type, bytes): (_, Vec<u8>) = match value {
        Value::FloatTensor(all) => (DataType::FLOAT, all.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Value::Int32Tensor(all) => (DataType::INT32, all.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Value::Int8Tensor(all) => (DataType::INT8, all.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Value::UInt8Tensor(all) => (DataType::UINT8, all.iter().copied().collect()),
        _ => return None,
    };
    Some(TensorProto {
        dims: value.shape().iter().filter_map(|&size| i64::try_from(size).ok()).collect(),
        data_type: Some(data_type),
        raw_data: Some(RefCell::new(bytes)),
        name: Some(name.to_string()),
        ..Default::default()
    })
}

/// Leaves out constants that nobody uses, and the names of outputs that nobody uses: the engine may lack those.
fn forget_unused(graph: &mut GraphProto) {
    let mut used: HashSet<String> = graph.output.iter().map(|info| named(info).to_string()).collect();
    graph.node.iter().for_each(|node| deep::uses(node, &mut |name| _ = used.insert(name.to_string())));
    let is_used = |name: Option<&String>| name.is_some_and(|name| used.contains(name));
    graph.initializer.retain(|tensor| is_used(tensor.name.as_ref()));
    for node in graph.node.iter_mut().filter(|node| operator(node) != "Constant") {
        // The number of its outputs is that of the parts.
        if operator(node) != "Split" {
            node.output.iter_mut().filter(|name| !is_used(Some(name))).for_each(String::clear);
        }
        node.attribute.iter_mut().filter_map(|attribute| attribute.g.as_mut()).for_each(forget_unused);
    }
}

fn operator(node: &NodeProto) -> &str {
    node.op_type.as_deref().unwrap_or_default()
}

fn named(info: &ValueInfoProto) -> &str {
    info.name.as_deref().unwrap_or_default()
}
