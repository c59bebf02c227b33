//! Scan, written as a loop that takes a slice of each scanned input in each turn.

use super::attributes::{Attributes, Value, attribute};
use super::inner::{self, truth};
use super::scope::Scope;
use super::{Refusal, Wrong, refuse};
use rten_onnx::onnx::{DataType, GraphProto, NodeProto, TypeProto, TypeProtoTensor, ValueInfoProto};

/// How a list is gone through.
struct Way {
    axis: i64,
    backward: bool,
}

pub(super) fn scan(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Wrong> {
    if scope.opset() < 9 {
        return Err(
            Refusal::because("before version 9 of the operators it has batches, which are not simulated").into()
        );
    }
    let graph = node.attribute.iter_mut().find_map(|attribute| attribute.g.take());
    let Some(mut body) = graph else { return Err(Refusal::because("it has no body").into()) };
    let scanned = usize::try_from(node.int("num_scan_inputs", 0)).unwrap_or(0);
    let counts = (body.input.len(), body.output.len());
    let states = node.input.len().checked_sub(scanned).filter(|states| *states <= counts.1 && scanned > 0);
    let Some(states) = states.filter(|_| counts.0 == node.input.len()) else {
        return Err(Refusal::because("its body has other inputs and outputs than `num_scan_inputs` says").into());
    };
    node.output.resize(counts.1, String::new());
    let inputs = ways(&node, "scan_input_axes", "scan_input_directions", scanned);
    let outputs = ways(&node, "scan_output_axes", "scan_output_directions", counts.1 - states);
    let lists = node.input.split_off(states);
    let turns = turns(scope, &lists, &inputs);
    let lists: Vec<String> = lists.iter().zip(&inputs).map(|(list, way)| turned(scope, list, way)).collect();
    let ranks: Vec<Option<usize>> = body.output.iter().skip(states).map(rank).collect();
    take(scope, &mut body, &lists, &inputs, states);
    let mut results: Vec<String> = node.output.drain(states..).collect();
    let names = results.clone();
    for (result, way) in results.iter_mut().zip(&outputs) {
        if result.is_empty() || way.axis != 0 || way.backward {
            *result = scope.fresh();
        }
    }
    let yes = scope.integer(1, DataType::BOOL);
    let mut given = vec![turns, yes];
    given.append(&mut node.input);
    node.output.append(&mut results.clone());
    for name in node.output.iter_mut().filter(|name| name.is_empty()) {
        *name = scope.fresh();
    }
    let mut made = attribute("body", &Value::I(0));
    (made.i, made.g) = (None, Some(body));
    made.r#type = Some(rten_onnx::onnx::AttributeType::GRAPH);
    let looped = NodeProto { op_type: Some("Loop".to_string()), input: given, attribute: vec![made], ..node };
    inner::body(scope, looped)?;
    for (((name, result), way), rank) in names.iter().zip(&results).zip(&outputs).zip(ranks) {
        if !name.is_empty() && name != result {
            placed(scope, result, way, rank, name)?;
        }
    }
    Ok(())
}

fn ways(node: &NodeProto, axes: &str, directions: &str, count: usize) -> Vec<Way> {
    let of = |name: &str, index: usize| node.ints(name).and_then(|all| all.get(index).copied()).unwrap_or(0);
    (0..count).map(|index| Way { axis: of(axes, index), backward: of(directions, index) != 0 }).collect()
}

/// How many there are; all lists have to be as long.
fn turns(scope: &mut Scope<'_>, lists: &[String], ways: &[Way]) -> String {
    let mut lengths = Vec::new();
    for (list, way) in lists.iter().zip(ways) {
        let (sizes, axis) = (scope.make("Shape", &[list], &[]), scope.list(&[way.axis]));
        lengths.push(scope.make("Gather", &[&sizes, &axis], &[("axis", Value::I(0))]));
    }
    let first = lengths.first().cloned().unwrap_or_default();
    for (length, list) in lengths.iter().zip(lists).skip(1) {
        let same = scope.make("Equal", &[&first, length], &[]);
        let bad = scope.make("Not", &[&same], &[]);
        scope.check(bad, format!("`{list}` is scanned in another number of turns than the first list"));
    }
    let none = scope.list(&[]);
    scope.make("Reshape", &[&first, &none], &[])
}

/// A list with its last slice at the start, if it is gone through in that way.
fn turned(scope: &mut Scope<'_>, list: &str, way: &Way) -> String {
    if !way.backward {
        return list.to_string();
    }
    let (from, to) = (scope.list(&[-1]), scope.list(&[i32::MIN.into()]));
    let (axes, step) = (scope.list(&[way.axis]), scope.list(&[-1]));
    scope.make("Slice", &[list, &from, &to, &axes, &step], &[])
}

/// Makes the body one of Loop: with the number of the turn and a word that it goes on, and its slices taken inside.
fn take(scope: &mut Scope<'_>, body: &mut GraphProto, lists: &[String], ways: &[Way], states: usize) {
    // What is put before them does not change the numbers by which messages call them.
    for (index, node) in body.node.iter_mut().enumerate() {
        if node.name.as_deref().unwrap_or_default().is_empty() {
            node.name = Some(format!("node {index}"));
        }
    }
    let [turn, go, stay] = [(); 3].map(|()| scope.fresh());
    let slices = body.input.split_off(states);
    let label = scope.label.clone();
    let made = |operator: &str, input: Vec<String>, output: &str| NodeProto {
        name: Some(label.clone()),
        op_type: Some(operator.to_string()),
        input,
        output: vec![output.to_string()],
        ..Default::default()
    };
    let mut nodes = vec![made("Identity", vec![go.clone()], &stay)];
    for ((list, way), slice) in lists.iter().zip(ways).zip(&slices) {
        let mut taken = made("Gather", vec![list.clone(), turn.clone()], slice.name.as_deref().unwrap_or_default());
        taken.attribute.push(attribute("axis", &Value::I(way.axis)));
        nodes.push(taken);
    }
    // What the body says of them is still true.
    body.value_info.extend(slices);
    nodes.append(&mut body.node);
    body.node = nodes;
    body.input.splice(0..0, [number(&turn), truth(&go)]);
    body.output.insert(0, truth(&stay));
    // A value that leaves the body twice gets a second name.
    for index in 1..body.output.len() {
        let (before, rest) = body.output.split_at_mut(index);
        let Some(output) = rest.first_mut().filter(|output| before.iter().any(|other| other.name == output.name))
        else {
            continue;
        };
        let other = scope.fresh();
        body.node.push(made("Identity", vec![output.name.clone().unwrap_or_default()], &other));
        output.name = Some(other);
    }
}

/// Of a slice of this output, as the body declares it.
fn rank(output: &ValueInfoProto) -> Option<usize> {
    Some(output.r#type.as_ref()?.tensor_type.as_ref()?.shape.as_ref()?.dim.len())
}

/// The slices of an output along the axis, and in the order, that were asked for.
fn placed(scope: &mut Scope<'_>, stacked: &str, way: &Way, slice: Option<usize>, name: &str) -> Result<(), Refusal> {
    let stacked = turned(scope, stacked, &Way { axis: 0, backward: way.backward });
    if way.axis == 0 {
        scope.make_as("Identity", &[&stacked], &[], &[name]);
        return Ok(());
    }
    let shown = way.axis.to_string();
    let Some(slice) = slice.and_then(|slice| i64::try_from(slice).ok()) else {
        return refuse("scan_output_axes", &shown, "the body does not say how many axes the output has");
    };
    let axis = if way.axis < 0 { way.axis + slice + 1 } else { way.axis };
    if !(0..=slice).contains(&axis) {
        return refuse("scan_output_axes", &shown, "the output has no such axis");
    }
    let order: Vec<i64> = (1..=axis).chain([0]).chain(axis + 1..=slice).collect();
    scope.make_as("Transpose", &[&stacked], &[("perm", Value::Is(&order))], &[name]);
    Ok(())
}

fn number(name: &str) -> ValueInfoProto {
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(DataType::INT64), shape: None });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { tensor_type, sequence: None }) }
}
