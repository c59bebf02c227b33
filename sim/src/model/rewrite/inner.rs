//! Graphs inside nodes: the branches of If and the body of Loop. What has to be checked inside leaves them by one more
//! output, which is true if anything was wrong.

use super::attributes::{Attributes, Value};
use super::scope::{Known, Scope};
use super::{Refusal, Wrong, graph_of};
use rten_onnx::onnx::{DataType, GraphProto, NodeProto, TypeProto, TypeProtoTensor, ValueInfoProto};

pub(super) fn branches(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Wrong> {
    let mut checked = Vec::new();
    for (place, attribute) in node.attribute.iter_mut().enumerate() {
        let Some(graph) = attribute.g.take() else { continue };
        let (graph, elements, texts) = rewritten(scope, graph, Vec::new())?;
        for (name, known) in node.output.iter().zip(elements) {
            scope.learn(name, Known { element: known.element, ..Default::default() });
        }
        checked.push((place, graph, texts));
    }
    let any = checked.iter().any(|(.., texts)| !texts.is_empty());
    let results = checked.first().map_or(0, |(_, graph, _)| graph.output.len().saturating_sub(1));
    let texts: Vec<String> = checked.iter().flat_map(|(.., texts)| texts.clone()).collect();
    for (place, mut graph, _) in checked {
        if !any {
            // Without checks a branch has no output for them.
            graph.output.pop();
        }
        if let Some(attribute) = node.attribute.get_mut(place) {
            attribute.g = Some(graph);
        }
    }
    finish(scope, node, any, results, &texts)
}

pub(super) fn body(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Wrong> {
    let Some(attribute) = node.attribute.iter_mut().find(|attribute| attribute.g.is_some()) else {
        return Err(Refusal::because("it has no body").into());
    };
    let Some(mut graph) = attribute.g.take() else { return Ok(()) };
    countable(scope, &node, &graph)?;
    let carried = node.input.len().saturating_sub(2);
    let mut given = Vec::new();
    for (outer, inner) in node.input.iter().zip(&graph.input).skip(2) {
        if let (Some(known), Some(name)) = (scope.known(outer), inner.name.clone()) {
            given.push((name, Known { element: known.element, ..Default::default() }));
        }
    }
    let was_bad = scope.fresh();
    graph.input.push(truth(&was_bad));
    let (mut graph, elements, texts) = rewritten(scope, graph, given)?;
    for (name, known) in node.output.iter().zip(elements.into_iter().skip(1)) {
        scope.learn(name, Known { element: known.element, ..Default::default() });
    }
    let any = !texts.is_empty();
    if any {
        let now = graph.output.pop().and_then(|info| info.name).unwrap_or_default();
        let bad = scope.fresh();
        let either = NodeProto {
            name: Some(scope.name_of_node()),
            op_type: Some("Or".to_string()),
            input: vec![now, was_bad.clone()],
            output: vec![bad.clone()],
            ..Default::default()
        };
        graph.node.push(either);
        graph.output.insert((carried + 1).min(graph.output.len()), truth(&bad));
        let start = scope.integer(0, DataType::BOOL);
        node.input.resize(carried + 2, String::new());
        node.input.push(start);
    } else {
        graph.output.pop();
        graph.input.pop();
    }
    if let Some(attribute) = node.attribute.iter_mut().find(|attribute| attribute.name.as_deref() == Some("body")) {
        attribute.g = Some(graph);
    }
    finish(scope, node, any, carried, &texts)
}

/// Refuses more turns than the engine counts, where no condition ends them earlier: it would take fewer.
fn countable(scope: &Scope<'_>, node: &NodeProto, body: &GraphProto) -> Result<(), Refusal> {
    let known = |name: &str| scope.known(name).cloned().unwrap_or_default();
    let Some(turns) = known(node.given(0)).too_large.filter(|turns| *turns > 0) else { return Ok(()) };
    if node.has(1) && known(node.given(1)).integers != Some(vec![1]) {
        return Ok(());
    }
    let name = |info: Option<&ValueInfoProto>| info.and_then(|info| info.name.clone()).unwrap_or_default();
    let (before, mut after) = (name(body.input.get(1)), name(body.output.first()));
    let made_by = |name: &str| body.node.iter().find(|by| by.output.iter().any(|output| output == name));
    // A body that does not end the loop hands the condition on, or says that it goes on.
    for _ in &body.node {
        let Some(by) = made_by(&after).filter(|by| by.operator() == "Identity") else { break };
        after = by.given(0).to_string();
    }
    let is_constant = body.initializer.iter().any(|tensor| tensor.name.as_ref() == Some(&after))
        || made_by(&after).is_some_and(|by| by.operator() == "Constant");
    if after == before || is_constant {
        return Err(Refusal::because(format!(
            "it has {turns} turns and no condition that ends them, and the simulator counts turns in 32 bits"
        )));
    }
    Ok(())
}

/// The graph with one more output, and what is known of the outputs before it. `given` is what is known of its inputs.
fn rewritten(
    scope: &Scope<'_>,
    graph: GraphProto,
    given: Vec<(String, Known)>,
) -> Result<(GraphProto, Vec<Known>, Vec<String>), Wrong> {
    let mut inner = Scope::new(scope.shared, Some(scope));
    given.into_iter().for_each(|(name, known)| inner.know(&name, known));
    let mut graph = graph_of(&mut inner, graph).map_err(Wrong::Inner)?;
    let known = |info: &ValueInfoProto| inner.known(info.name.as_deref().unwrap_or_default()).cloned();
    let elements = graph.output.iter().map(|info| known(info).unwrap_or_default()).collect();
    inner.go_on_with(scope);
    let mut bad = inner.integer(0, DataType::BOOL);
    let mut texts = Vec::new();
    for check in std::mem::take(&mut inner.checks) {
        // Of any shape, and maybe empty: the greatest element of all and a zero.
        let (all, zero) = (inner.list(&[-1]), inner.list(&[0]));
        let flat = inner.make("Reshape", &[&check.name, &all], &[]);
        let none = inner.make("Cast", &[&zero], &[("to", Value::I(DataType::INT32.0.into()))]);
        let both = inner.make("Concat", &[&flat, &none], &[("axis", Value::I(0))]);
        let most = inner.make("ReduceMax", &[&both], &[("keepdims", Value::I(0))]);
        bad = inner.make("Or", &[&bad, &most], &[]);
        texts.push(check.text);
    }
    if texts.is_empty() {
        bad = inner.make("Identity", &[&bad], &[]);
    }
    graph.node.append(&mut inner.nodes);
    graph.initializer.append(&mut inner.initializers);
    graph.output.push(truth(&bad));
    Ok((graph, elements, texts))
}

/// Adds the node, with an output for its checks at this place: behind all, or before those that collect a value of each
/// turn.
fn finish(scope: &mut Scope<'_>, mut node: NodeProto, checked: bool, at: usize, texts: &[String]) -> Result<(), Wrong> {
    let bad = scope.fresh();
    if checked {
        // Outputs that nobody uses may be left out at the end, but their places are counted.
        node.output.resize(at.max(node.output.len()), String::new());
        node.output.insert(at, bad.clone());
    }
    super::numbers::keep(scope, node)?;
    if checked {
        scope.check(bad, texts.join("; or "));
    }
    Ok(())
}

pub(super) fn truth(name: &str) -> ValueInfoProto {
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(DataType::BOOL), shape: None });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { tensor_type, sequence: None }) }
}
