//! Limits of a run. A failed allocation ends a Rust process, so a run that needs too much memory is refused before.
//!
//! How large a value becomes follows from the dims of the inputs, or from the contents of other values.
//! [`Between`] compares the first kind before a run. [`guard`] puts a check in front of operators whose output is of the
//! second kind: it counts the elements, and takes the element behind the end of a list where they are too many, which makes
//! the run fail.

use super::failure::{LoadFailure, RunFailure};
use super::names;
use super::shapes::Shapes;
use super::sizes::{self, Size};
use super::steps::{MARK, Steps};
use crate::abi::is_promised;
use rten_onnx::onnx::{DataType, GraphProto, ModelProto, NodeProto, TensorProto};
use std::cell::RefCell;
use std::collections::HashMap;

/// Values up to this size are not looked at: a machine that cannot hold one of them runs no model.
const SMALL: usize = 1 << 28;
/// The bytes of an element while it is calculated with, at most.
const ELEMENT: usize = 4;
/// An operator that only [`guard`] knows, and its domain: its output is its first input, a size, if the value of that size
/// has few enough elements, which is its second input.
pub(super) const LIMIT: (&str, &str) = ("Limit", MARK);

/// Whether memory of this size can be had now.
pub(super) fn can_be_had(bytes: usize) -> bool {
    bytes <= SMALL || is_promised(bytes)
}

/// The largest number of elements that a value can have on this machine, to a power of two. What a system promises
/// without having it is not asked for.
fn most_elements() -> usize {
    const PROMISED: u32 = 37;
    let most = (SMALL.ilog2()..=PROMISED).rev().map(|power| 1_usize << power).find(|bytes| can_be_had(*bytes));
    most.unwrap_or(SMALL) / ELEMENT
}

/// The values between the inputs and the outputs, and the outputs: those whose size follows from the inputs'.
#[derive(Debug, Default)]
pub(super) struct Between {
    values: Vec<(String, Vec<Size>)>,
}

impl Between {
    /// Of a graph's values, one of each shape is enough.
    pub(super) fn of(graph: Option<&GraphProto>, shapes: &Shapes) -> Self {
        let inputs = shapes.dims_of_inputs();
        let mut found: Vec<(String, Vec<Size>)> = Vec::new();
        let mut enter = |name: &String, sizes: Option<Vec<Size>>| {
            if let Some(sizes) = sizes.filter(|sizes| found.iter().all(|(_, known)| known != sizes)) {
                found.push((name.clone(), sizes));
            }
        };
        for (graph, node) in graph.iter().flat_map(|graph| graph.node.iter().map(move |node| (graph, node))) {
            for name in &node.output {
                let shape = shapes.shape_of(name);
                enter(name, shape.and_then(|shape| shape.iter().map(|dim| Size::of(dim, &inputs)).collect()));
            }
            if let Some(name) = node.output.first() {
                enter(name, sizes::by_constants(node, graph, shapes, &inputs));
            }
        }
        Self { values: found }
    }

    /// Refuses a run on inputs of these dims if one of the values would be larger than memory that can be had.
    pub(super) fn check<D: AsRef<[i64]>>(&self, inputs: &[D]) -> Result<(), RunFailure> {
        for (name, sizes) in &self.values {
            let dims = || sizes.iter().map(|size| size.for_inputs(inputs).unwrap_or(0));
            let sizes = dims().map(|dim| usize::try_from(dim).unwrap_or(0));
            if !can_be_had(sizes.fold(ELEMENT, usize::saturating_mul)) {
                let dims: Vec<i64> = dims().collect();
                return Err(RunFailure::NoRoom { what: format!("the value `{name}`, of {dims:?} elements") });
            }
        }
        Ok(())
    }
}

/// A failed run, if it is a check that made it fail.
pub(super) fn no_room(why: &str) -> Option<RunFailure> {
    let (_, rest) = why.split_once(MARK)?;
    let node = rest.split('"').next().unwrap_or_default().trim_start_matches([' ', ':']);
    Some(RunFailure::NoRoom { what: format!("the output of {}", names::shown(node)) })
}

/// Puts checks into a model, where there is anything to check. What follows from constants is calculated when a model is
/// loaded ([`fold`](super::fold)), so what they make too large is refused here.
pub(super) fn guard(model: &mut ModelProto) -> Result<(), LoadFailure> {
    let mut checks = Checks { most: most_elements() as f32, count: 0, too_large: None };
    model.graph.iter_mut().for_each(|graph| checks.graph(graph));
    checks.too_large.map_or(Ok(()), |node| {
        Err(LoadFailure::Refused(format!("there is no memory for the output of {}", names::shown(&node))))
    })
}

/// The values from which a value is computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Follows {
    Constants,
    /// The dims of other values: what they come to is told by inference, which a check would hide it from.
    Dims,
    Contents,
}

struct Checks {
    most: f32,
    count: usize,
    /// A node that constants make too large.
    too_large: Option<String>,
}

impl Checks {
    fn graph(&mut self, graph: &mut GraphProto) {
        let named_constants =
            graph.initializer.iter().filter_map(|tensor| Some((tensor.name.clone()?, Constant::of(tensor))));
        let mut constants: HashMap<String, Constant> = named_constants.collect();
        let mut known: HashMap<String, Follows> =
            constants.keys().map(|name| (name.clone(), Follows::Constants)).collect();
        for mut node in std::mem::take(&mut graph.node) {
            node.attribute.iter_mut().filter_map(|attribute| attribute.g.as_mut()).for_each(|inner| self.graph(inner));
            // An unknown value is an input of the model.
            let of = |name: &String| match name.as_str() {
                "" => Follows::Constants,
                name => known.get(name).copied().unwrap_or(Follows::Contents),
            };
            let follows = match operator(&node) {
                "Shape" | "Size" => Follows::Dims,
                "Constant" => Follows::Constants,
                _ => node.input.iter().map(of).max().unwrap_or(Follows::Contents),
            };
            if operator(&node) == "Constant" {
                let value = node.attribute.iter().find_map(|attribute| attribute.t.as_ref()).map(Constant::of);
                constants.extend(node.output.first().cloned().zip(value));
            }
            if is_limit(&node) {
                self.limit(&node, &mut graph.node);
                continue;
            }
            let constant = |at: usize| constants.get(node.input.get(at)?);
            let decided = lengths(&node).and_then(constant).and_then(|lengths| lengths.product);
            if decided.is_some_and(|elements| elements > self.most) {
                self.too_large = Some(named(&node));
            }
            // What is spread or repeated is larger by as much as it has elements itself.
            let spread = if is_spread(&node) { constant(0).map(|spread| spread.count) } else { Some(1.0) };
            let fits = decided.zip(spread).is_some_and(|(decided, spread)| decided.abs() * spread <= self.most);
            // What follows from constants alone is calculated when the file is loaded, and the check with it.
            let folded = follows == Follows::Constants && !fits;
            let deciding = |at: &usize| folded || node.input.get(*at).map(of) == Some(Follows::Contents);
            if let Some(control) = control(&node).filter(deciding) {
                self.before(&mut node, control, &mut graph.node);
            }
            known.extend(node.output.iter().map(|name| (name.clone(), follows)));
            graph.node.push(node);
        }
    }

    /// Puts a check in the place of a [`LIMIT`].
    fn limit(&mut self, node: &NodeProto, nodes: &mut Vec<NodeProto>) {
        self.count += 1;
        let name = named(node);
        let mut steps = Steps { name: name.clone(), prefix: format!("{MARK}.{}", self.count), number: 0, nodes };
        let input = |index: usize| node.input.get(index).map(String::as_str).unwrap_or_default();
        let checked = steps.checked(name, input(0), input(1), self.most);
        steps.then("Identity", &[&checked]);
        if let Some(last) = nodes.last_mut() {
            last.output.clone_from(&node.output);
        }
    }

    /// Counts the elements of the node's output, and lets the input that decides them through if they are not too many.
    fn before(&mut self, node: &mut NodeProto, control: usize, nodes: &mut Vec<NodeProto>) {
        self.count += 1;
        let name = named(node);
        let mut steps = Steps { name: name.clone(), prefix: format!("{MARK}.{}", self.count), number: 0, nodes };
        let input = |index: usize| node.input.get(index).map(String::as_str).unwrap_or_default();
        let decides = input(control).to_owned();
        let elements = match operator(node) {
            "ConstantOfShape" => steps.product(&decides),
            "Expand" => {
                let (wanted, given) = (steps.float(&decides), steps.shape(input(0)));
                // Aligned at their ends, whatever their lengths are.
                let axes = [wanted, given].map(|dims| steps.last_axes(&dims));
                let larger = steps.then("Max", &[&axes[0], &axes[1]]);
                steps.product(&larger)
            }
            "Tile" | "OneHot" | "Upsample" => steps.times(&decides, input(0)),
            "Resize" if control == 2 => steps.times(&decides, input(0)),
            "Resize" => steps.product(&decides),
            "Pad" => {
                let pads = steps.float(&decides);
                let halves = steps.ints(&[2, -1]);
                let ends = steps.then("Reshape", &[&pads, &halves]);
                let axis = steps.ints(&[0]);
                let both = steps.with("ReduceSum", &[&ends, &axis], "keepdims", 0);
                let given = steps.shape(input(0));
                let dims = steps.then("Add", &[&given, &both]);
                steps.product(&dims)
            }
            _ => {
                let [start, limit, delta] = [0, 1, 2].map(|index| steps.float(input(index)));
                let length = steps.then("Sub", &[&limit, &start]);
                steps.then("Div", &[&length, &delta])
            }
        };
        let checked = steps.checked(name, &decides, &elements, self.most);
        if let Some(place) = node.input.get_mut(control) {
            *place = checked;
        }
    }
}

/// The input by whose contents the node decides how large its output is.
fn control(node: &NodeProto) -> Option<usize> {
    let given = |index: usize| node.input.get(index).is_some_and(|name| !name.is_empty());
    let index = match operator(node) {
        "ConstantOfShape" => 0,
        "Expand" | "Tile" | "OneHot" | "Upsample" => 1,
        // With a list of axes the lengths are others.
        "Pad" if !given(3) => 1,
        "Resize" if given(3) => 3,
        "Resize" => 2,
        "Range" => 1,
        _ => return None,
    };
    given(index).then_some(index)
}

/// The input that has lengths of the node's output, or how often something is repeated in it.
fn lengths(node: &NodeProto) -> Option<usize> {
    let control = control(node)?;
    let decides = match operator(node) {
        "Resize" => control == 3,
        "ConstantOfShape" | "Expand" | "Tile" | "OneHot" => true,
        _ => false,
    };
    decides.then_some(control)
}

/// Whether the node's output has the elements of its first input, too.
fn is_spread(node: &NodeProto) -> bool {
    matches!(operator(node), "Expand" | "Tile" | "OneHot")
}

/// The known facts about a constant.
struct Constant {
    /// The product of its elements, if they are whole numbers. A value that has them for lengths has as many elements, or
    /// more.
    product: Option<f32>,
    /// How many elements it has itself.
    count: f32,
}

impl Constant {
    fn of(tensor: &TensorProto) -> Self {
        let count = tensor.dims.iter().map(|&dim| dim as f32).product();
        if tensor.data_type != Some(DataType::INT64) {
            return Self { product: None, count };
        }
        let raw = tensor.raw_data.as_ref().map(RefCell::borrow);
        let raw = raw.iter().flat_map(|bytes| bytes.chunks_exact(8)).filter_map(|bytes| bytes.try_into().ok());
        let all = raw.map(i64::from_le_bytes).chain(tensor.int64_data.iter().copied());
        Self { product: Some(all.map(|length| length as f32).product()), count }
    }
}

fn is_limit(node: &NodeProto) -> bool {
    node.domain.as_deref() == Some(LIMIT.1) && operator(node) == LIMIT.0
}

fn operator(node: &NodeProto) -> &str {
    node.op_type.as_deref().unwrap_or_default()
}

/// A node's name, which ends with its operator once the file was rewritten.
fn named(node: &NodeProto) -> String {
    node.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(operator(node)).to_owned()
}
