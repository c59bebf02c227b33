//! A file's graph, made into one that the engine answers rightly.
//!
//! The engine takes some nodes for something else than the standard says, lacks operators that the standard defines by
//! simpler ones, and calculates in fewer types. Here each node is looked at before the engine sees it, with what is
//! known of its inputs (`infer`):
//!
//! * `operators` has what is written in other nodes, completed with the standard's defaults, or refused;
//! * `numbers` has what the types ask for, and adds checks: values that are true where an answer would be wrong. A run
//!   that finds one fails;
//! * `halves` rounds results to 16 bits.
//!
//! Nodes are named after the node of the file that they are for, so that every message of the engine names it.

mod attributes;
mod constants;
mod form;
mod halves;
mod infer;
mod inner;
mod numbers;
mod operators;
mod scan;
mod scope;
mod standard;

use super::empty::Need;
use super::failure::LoadFailure;
use super::names;
use attributes::Attributes;
pub(super) use attributes::shown;
pub(super) use operators::parts;
use rten_onnx::onnx::{AttributeProto, DataType, GraphProto, ModelProto, NodeProto, ValueInfoProto};
use scope::{Known, Scope, Shared};
use std::cell::{Cell, RefCell};

/// The newest version of the standard's operators.
const NEWEST: i64 = 28;

/// What became of a model.
pub(super) struct Rewritten {
    /// The graph for the engine. Its outputs are those of the file, and the checks after them.
    pub(super) model: ModelProto,
    /// What it means when an element of a check is true, by check.
    pub(super) checks: Vec<String>,
    pub(super) needs: Vec<Need>,
    /// What the nodes of the file ask for.
    pub(super) attributes: names::Attributes,
}

/// Why a node is not one that the simulator can run.
pub(super) struct Refusal {
    attribute: Option<(String, String)>,
    why: String,
}

impl Refusal {
    fn because(why: impl Into<String>) -> Self {
        Self { attribute: None, why: why.into() }
    }
}

/// Refuses the value of an attribute.
fn refuse<T>(attribute: &str, value: &str, why: &str) -> Result<T, Refusal> {
    Err(Refusal { attribute: Some((attribute.to_string(), value.to_string())), why: why.to_string() })
}

pub(super) fn rewrite(mut model: ModelProto) -> Result<Rewritten, LoadFailure> {
    let Some(mut graph) = model.graph.take() else {
        return Ok(Rewritten { model, checks: Vec::new(), needs: Vec::new(), attributes: Vec::new() });
    };
    let mut opset = None;
    for import in model.opset_import.iter_mut().filter(|import| is_standard(import.domain.as_deref())) {
        opset = import.version;
        // What the engine refuses of old versions is made new here.
        import.version = Some(import.version.unwrap_or(NEWEST).max(13));
    }
    // A file without operators of the standard need not name their version.
    let Some(opset) = opset.or_else(|| (!has_standard(&graph)).then_some(NEWEST)) else {
        let why = "the file does not say which version of the standard's operators it has (`opset_import`)";
        return Err(LoadFailure::Refused(why.to_string()));
    };
    if !(1..=NEWEST).contains(&opset) {
        let why = format!(
            "it has version {opset} of the standard's operators (`opset_import`), and the simulator those from 1 to {NEWEST}"
        );
        return Err(LoadFailure::Refused(why));
    }
    form::put_in_order(&mut graph)?;
    let mut prefix = "simulator/".to_string();
    while names(&graph).any(|name| name.starts_with(&prefix)) {
        prefix.push('/');
    }
    let (needs, attributes) = (RefCell::default(), RefCell::default());
    let shared = Shared { opset, prefix, made: Cell::new(0), needs, attributes };
    let mut scope = Scope::new(&shared, None);
    let mut graph = graph_of(&mut scope, graph)?;
    let mut checks = Vec::new();
    for check in scope.checks {
        graph.output.push(ValueInfoProto { name: Some(check.name), r#type: None });
        checks.push(check.text);
    }
    names::tell_apart(&mut graph);
    model.graph = Some(graph);
    Ok(Rewritten { model, checks, needs: shared.needs.take(), attributes: shared.attributes.take() })
}

fn is_standard(domain: Option<&str>) -> bool {
    matches!(domain, None | Some("" | "ai.onnx"))
}

fn has_standard(graph: &GraphProto) -> bool {
    let inner = |node: &NodeProto| node.attribute.iter().filter_map(|one| one.g.as_ref()).any(has_standard);
    graph.node.iter().any(|node| is_standard(node.domain.as_deref()) || inner(node))
}

/// The names of all values of a graph, and of the graphs inside it.
fn names(graph: &GraphProto) -> Box<dyn Iterator<Item = &str> + '_> {
    let inner = graph.node.iter().flat_map(|node| &node.attribute).filter_map(|attribute| attribute.g.as_ref());
    let of_nodes = graph.node.iter().flat_map(|node| node.input.iter().chain(&node.output)).map(String::as_str);
    let of_ports = graph.input.iter().chain(&graph.output).filter_map(|info| info.name.as_deref());
    let of_constants = graph.initializer.iter().filter_map(|tensor| tensor.name.as_deref());
    Box::new(of_nodes.chain(of_ports).chain(of_constants).chain(inner.flat_map(names)))
}

/// Rewrites a graph; what has to be checked is left in the scope.
fn graph_of(scope: &mut Scope<'_>, mut graph: GraphProto) -> Result<GraphProto, LoadFailure> {
    for tensor in &mut graph.initializer {
        let name = tensor.name.clone().unwrap_or_default();
        let known = constants::prepare(tensor).map_err(|why| LoadFailure::port(&name, why))?;
        scope.know(&name, known);
    }
    for info in graph.input.iter().chain(&graph.value_info).chain(&graph.output) {
        declared(scope, info);
    }
    for (index, node) in std::mem::take(&mut graph.node).into_iter().enumerate() {
        scope.begin(label(&node, index), asked(&node));
        let (operator, label) = (node.operator().to_string(), scope.label.clone());
        scope.shared.needs.borrow_mut().extend(Need::of(&node, &label, scope.is_inside()));
        let calculated = if halves::are_calculated(scope, &node) { node.output.clone() } else { Vec::new() };
        let first = scope.nodes.len();
        operators::rewrite(scope, node).map_err(|wrong| wrong.of(label, operator))?;
        halves::round(scope, first, &calculated);
    }
    for info in &graph.output {
        let name = info.name.as_deref().unwrap_or_default();
        if let Some(value) = scope.known(name).and_then(|known| known.too_large) {
            let why = format!("it is the constant {value}, which the 32 bits that the simulator has do not hold");
            return Err(LoadFailure::port(name, why));
        }
    }
    // The sizes that the file gives to values between its nodes may be wrong; the engine finds them by itself.
    graph.value_info.clear();
    graph.node = std::mem::take(&mut scope.nodes);
    graph.initializer.append(&mut scope.initializers);
    Ok(graph)
}

/// Why a node cannot be rewritten: it is refused, or a graph inside it is.
enum Wrong {
    Node(Refusal),
    Inner(LoadFailure),
}

impl From<Refusal> for Wrong {
    fn from(refusal: Refusal) -> Self {
        Self::Node(refusal)
    }
}

impl Wrong {
    fn of(self, node: String, operator: String) -> LoadFailure {
        match self {
            Self::Inner(failure) => failure,
            Self::Node(Refusal { attribute, why }) => LoadFailure::Node { node, operator, attribute, why },
        }
    }
}

/// Enters what the file declares of a value.
fn declared(scope: &mut Scope<'_>, info: &ValueInfoProto) {
    let Some((name, r#type)) = info.name.as_deref().zip(info.r#type.as_ref()) else { return };
    let of_sequence = r#type.sequence.as_ref().and_then(|sequence| sequence.elem_type.as_ref()?.tensor_type.as_ref());
    let element = r#type.tensor_type.as_ref().or(of_sequence).and_then(|tensor| tensor.elem_type);
    let shape = r#type.tensor_type.as_ref().and_then(|tensor| tensor.shape.as_ref());
    let size = |size: Option<i64>| size.filter(|size| *size >= 0);
    let dims = shape.map(|shape| shape.dim.iter().map(|dim| size(dim.dim_value)).collect());
    let element = element.filter(|element| *element != DataType(0));
    scope.learn(name, Known { element, dims, ..Default::default() });
}

/// What a node of the file asks for.
fn asked(node: &NodeProto) -> String {
    let given = node.attribute.iter().filter(|attribute| attribute.g.is_none() && attribute.t.is_none());
    let name = |attribute: &AttributeProto| attribute.name.clone().unwrap_or_default();
    let all: Vec<_> = given.map(|attribute| format!("{} = {}", name(attribute), shown(attribute))).collect();
    all.join(", ")
}

/// The name by which messages call a node.
fn label(node: &NodeProto, index: usize) -> String {
    let operator = node.operator();
    match node.name.as_deref().filter(|name| !name.is_empty()) {
        // A name may hold anything, and messages go to terminals.
        Some(name) => format!("{} ({operator})", name.replace(char::is_control, "?")),
        None => format!("node {index} ({operator})"),
    }
}
