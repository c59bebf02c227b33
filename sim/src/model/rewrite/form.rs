//! The form of a graph: each value is made once, and before it is used. A file whose nodes stand in another order is put
//! in order, since what is known of a value comes from the node that makes it.

use super::attributes::{Attributes, say_zeros};
use super::{Refusal, Wrong, label};
use crate::model::failure::LoadFailure;
use rten_onnx::onnx::{GraphProto, NodeProto, ValueInfoProto};
use std::collections::{HashMap, HashSet};

/// Checks a graph and those inside it, and puts the nodes in order.
pub(super) fn put_in_order(graph: &mut GraphProto) -> Result<(), LoadFailure> {
    ordered(graph, &HashSet::new(), "")
}

/// `outer` has the values of the graphs around it, and `around` the names of the nodes that it is inside of.
fn ordered(graph: &mut GraphProto, outer: &HashSet<String>, around: &str) -> Result<(), LoadFailure> {
    let labels: Vec<String> =
        graph.node.iter().enumerate().map(|(index, node)| format!("{around}{}", label(node, index))).collect();
    let given = given(graph)?;
    let makers = makers(graph, &labels, &given)?;
    let mut known = outer.clone();
    known.extend(given);
    let order = order(graph, &labels, &makers, &known)?;
    known.extend(makers.into_keys());
    if let Some(output) = graph.output.iter().find(|output| !known.contains(named(output))) {
        return Err(LoadFailure::port(named(output), "no node makes this output"));
    }
    let mut nodes: Vec<Option<NodeProto>> = std::mem::take(&mut graph.node).into_iter().map(Some).collect();
    for index in order {
        let Some(mut node) = nodes.get_mut(index).and_then(Option::take) else { continue };
        let around = labels.get(index).map(|label| format!("{label}: ")).unwrap_or_default();
        say_zeros(&mut node);
        // The place that a nameless node has in the file is what messages call it by.
        if node.name.as_deref().unwrap_or_default().is_empty() {
            node.name = Some(format!("node {index}"));
        }
        for inner in node.attribute.iter_mut().filter_map(|attribute| attribute.g.as_mut()) {
            ordered(inner, &known, &around)?;
        }
        graph.node.push(node);
    }
    Ok(())
}

/// The nodes by their places in the file, each behind those that make what it needs, and else as they stand there.
fn order(
    graph: &GraphProto,
    labels: &[String],
    makers: &HashMap<String, usize>,
    known: &HashSet<String>,
) -> Result<Vec<usize>, LoadFailure> {
    let mut order = Vec::with_capacity(graph.node.len());
    let mut state = vec![State::Waits; graph.node.len()];
    // The nodes that wait for the one behind them, each with the values that it still has to look for.
    let mut path: Vec<(usize, Vec<String>)> = Vec::new();
    for first in 0..graph.node.len() {
        enter(graph, first, &mut path, &mut state);
        while let Some((node, values)) = path.last_mut() {
            let node = *node;
            let Some(value) = values.pop() else {
                order.push(node);
                if let Some(place) = state.get_mut(node) {
                    *place = State::Done;
                }
                path.pop();
                continue;
            };
            match makers.get(&value).map(|maker| (*maker, state.get(*maker))) {
                Some((_, Some(State::Done))) => {}
                Some((maker, Some(State::Waits))) => enter(graph, maker, &mut path, &mut state),
                Some((maker, _)) => {
                    let other = labels.get(maker).map(String::as_str).unwrap_or_default();
                    let why = format!("it needs `{value}` of {other}, which needs its own output");
                    return Err(refused(graph, labels, node, why));
                }
                // What a graph inside needs and nobody makes is told of the node there.
                None if known.contains(&value) || !needs(graph, node, &value) => {}
                None => {
                    let why = format!("nothing makes its input `{value}`: no node, input or constant");
                    return Err(refused(graph, labels, node, why));
                }
            }
        }
    }
    Ok(order)
}

/// Begins with a node, unless it was begun before.
fn enter(graph: &GraphProto, node: usize, path: &mut Vec<(usize, Vec<String>)>, state: &mut [State]) {
    if let (Some(place @ State::Waits), Some(found)) = (state.get_mut(node), graph.node.get(node)) {
        *place = State::Begun;
        path.push((node, uses(found)));
    }
}

fn refused(graph: &GraphProto, labels: &[String], node: usize, why: String) -> LoadFailure {
    let operator = graph.node.get(node).map(|node| node.operator().to_string()).unwrap_or_default();
    Wrong::Node(Refusal::because(why)).of(labels.get(node).cloned().unwrap_or_default(), operator)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waits,
    Begun,
    Done,
}

fn needs(graph: &GraphProto, node: usize, value: &str) -> bool {
    graph.node.get(node).is_some_and(|node| node.input.iter().any(|input| input == value))
}

/// The values that are there before any node runs.
fn given(graph: &GraphProto) -> Result<HashSet<String>, LoadFailure> {
    let mut names = HashSet::new();
    for input in &graph.input {
        if named(input).is_empty() {
            return Err(LoadFailure::Refused("an input of its graph has no name".to_string()));
        }
        if !names.insert(named(input).to_string()) {
            return Err(LoadFailure::port(named(input), "the graph has several inputs of this name"));
        }
    }
    let mut constants = HashSet::new();
    for name in graph.initializer.iter().map(|tensor| tensor.name.as_deref().unwrap_or_default()) {
        if !constants.insert(name.to_string()) {
            return Err(LoadFailure::port(name, "the graph has several constants of this name"));
        }
    }
    names.extend(constants);
    Ok(names)
}

/// The node that makes each value.
fn makers(
    graph: &GraphProto,
    labels: &[String],
    given: &HashSet<String>,
) -> Result<HashMap<String, usize>, LoadFailure> {
    let mut makers: HashMap<String, usize> = HashMap::new();
    for (index, node) in graph.node.iter().enumerate() {
        for name in node.output.iter().filter(|name| !name.is_empty()) {
            let other = makers.insert(name.clone(), index);
            let first = match other {
                Some(other) => labels.get(other).map(String::as_str),
                None => given.contains(name).then_some("an input or a constant"),
            };
            if let Some(first) = first {
                return Err(refused(graph, labels, index, format!("its output `{name}` is made by {first}, too")));
            }
        }
    }
    Ok(makers)
}

/// The values that a node needs, those for the graphs inside it too.
fn uses(node: &NodeProto) -> Vec<String> {
    let mut all: Vec<String> = node.input.iter().filter(|name| !name.is_empty()).cloned().collect();
    for graph in node.attribute.iter().filter_map(|attribute| attribute.g.as_ref()) {
        let mut own: HashSet<&str> = graph.input.iter().map(named).collect();
        own.extend(graph.initializer.iter().filter_map(|tensor| tensor.name.as_deref()));
        own.extend(graph.node.iter().flat_map(|node| &node.output).map(String::as_str));
        let inside =
            graph.node.iter().flat_map(uses).chain(graph.output.iter().map(|output| named(output).to_string()));
        all.extend(inside.filter(|name| !name.is_empty() && !own.contains(name.as_str())));
    }
    all
}

fn named(info: &ValueInfoProto) -> &str {
    info.name.as_deref().unwrap_or_default()
}
