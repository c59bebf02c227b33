//! Runs on inputs without elements. Where an operator needs an element, the engine panics, or reads memory that nobody
//! wrote: such a run is refused before.

use super::engine::Engine;
use super::failure::RunFailure;
use super::names;
use super::sizes::Size;
use rten::Dimension;
use rten_onnx::onnx::{GraphProto, NodeProto};

/// More axes than a value has, where their number is not known.
const MANY: usize = 1 << 16;

/// The nodes that need elements.
#[derive(Debug, Default)]
pub(super) struct Needs(Vec<Need>);

#[derive(Debug)]
struct Need {
    label: String,
    value: String,
    /// The sizes that may not be 0; `None` for one that does not follow from those of the inputs.
    sizes: Vec<Option<Size>>,
}

impl Needs {
    pub(super) fn of(graph: Option<&GraphProto>, engine: &Engine) -> Self {
        let inputs: Vec<_> = engine.inputs().map(|(_, shape)| shape.unwrap_or_default()).collect();
        let mut found = Vec::new();
        for node in graph.iter().flat_map(|graph| &graph.node) {
            found.extend(need(node, engine, &inputs));
            inside(node, &mut found);
        }
        Self(found)
    }

    /// Refuses a run on inputs of these dims if a node has no element where it needs one.
    pub(super) fn check<D: AsRef<[i64]>>(&self, inputs: &[D]) -> Result<(), RunFailure> {
        if !inputs.iter().any(|dims| dims.as_ref().contains(&0)) {
            return Ok(());
        }
        for Need { label, value, sizes } in &self.0 {
            let size = |size: &Option<Size>| size.as_ref().and_then(|size| size.for_inputs(inputs));
            let why = match sizes.iter().map(size).find(|size| size.is_none_or(|size| size <= 0)) {
                None => continue,
                Some(Some(_)) => format!("{label}: `{value}` has no elements then, and the simulator needs one"),
                Some(None) => format!("{label}: it needs an element of `{value}`, whose size is not known"),
            };
            return Err(RunFailure::Unfit(format!("an axis of an input has no elements; {why}")));
        }
        Ok(())
    }
}

/// The axes of its first input in which a node needs an element, given how many axes there are.
fn axes(node: &NodeProto, rank: usize) -> Option<std::ops::Range<usize>> {
    match node.op_type.as_deref()? {
        "ArgMax" | "ArgMin" => {
            let given = node.attribute.iter().find(|attribute| attribute.name.as_deref() == Some("axis"));
            let axis = given.and_then(|attribute| attribute.i).unwrap_or(0);
            let axis = if axis < 0 { axis.checked_add_unsigned(rank as u64)? } else { axis };
            let axis = usize::try_from(axis).ok().filter(|axis| *axis < rank)?;
            Some(axis..axis + 1)
        }
        "GlobalAveragePool" | "GlobalMaxPool" => Some(2..rank),
        "BatchNormalization" | "InstanceNormalization" => Some(0..rank),
        _ => None,
    }
}

fn need(node: &NodeProto, engine: &Engine, inputs: &[Vec<Dimension>]) -> Option<Need> {
    let value = node.input.first()?;
    // The engine makes one node of several: what it calculates no more needs nothing.
    let shape = engine.shape_if_calculated(value)?;
    let size = |dim: &Dimension| Size::of(dim, inputs);
    let sizes = match shape {
        Some(shape) => shape.get(axes(node, shape.len())?)?.iter().map(size).collect(),
        None => axes(node, MANY).map(|_| vec![None])?,
    };
    Some(named(node, value, sizes))
}

/// Nothing is known of the values in the graphs inside a node.
fn inside(node: &NodeProto, found: &mut Vec<Need>) {
    for inner in node.attribute.iter().filter_map(|attribute| attribute.g.as_ref()).flat_map(|graph| &graph.node) {
        if let Some(value) = inner.input.first().filter(|_| axes(inner, MANY).is_some()) {
            found.push(named(inner, value, vec![None]));
        }
        inside(inner, found);
    }
}

fn named(node: &NodeProto, value: &str, sizes: Vec<Option<Size>>) -> Need {
    let label = names::shown(node.name.as_deref().unwrap_or_default());
    Need { label, value: value.to_string(), sizes }
}
