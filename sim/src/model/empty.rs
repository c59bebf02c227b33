//! Runs on inputs without elements. Where an operator needs an element, the engine panics, or reads memory that nobody
//! wrote: such a run is refused before.

use super::failure::RunFailure;
use super::shapes::Shapes;
use super::sizes::Size;
use rten::Dimension;
use rten_onnx::onnx::NodeProto;

/// A node of the file that needs an element of a value.
#[derive(Clone, Debug)]
pub(super) struct Need {
    label: String,
    value: String,
    along: Along,
    /// In a graph inside a node nothing is known of the value.
    is_inside: bool,
}

/// The axes in which there has to be an element.
#[derive(Clone, Copy, Debug)]
enum Along {
    One(i64),
    /// All but the first two.
    Space,
    All,
}

impl Need {
    pub(super) fn value(&self) -> &str {
        &self.value
    }

    pub(super) fn of(node: &NodeProto, label: &str, is_inside: bool) -> Option<Self> {
        let axis = node.attribute.iter().find(|attribute| attribute.name.as_deref() == Some("axis"));
        let along = match node.op_type.as_deref()? {
            "ArgMax" | "ArgMin" => Along::One(axis.and_then(|attribute| attribute.i).unwrap_or(0)),
            "GlobalAveragePool" | "GlobalMaxPool" => Along::Space,
            "BatchNormalization" | "InstanceNormalization" | "Hardmax" => Along::All,
            _ => return None,
        };
        Some(Self { label: label.to_string(), value: node.input.first()?.clone(), along, is_inside })
    }
}

/// The needs of a model, with the sizes that may not be 0; `None` for one that does not follow from those of the inputs.
#[derive(Debug, Default)]
pub(super) struct Needs(Vec<(Need, Vec<Option<Size>>)>);

impl Needs {
    pub(super) fn find(needs: &[Need], shapes: &Shapes) -> Self {
        let inputs = shapes.dims_of_inputs();
        let sizes = |need: &Need| match shapes.shape_of(&need.value).filter(|_| !need.is_inside) {
            Some(shape) => need.along.of(&shape).iter().map(|dim| Size::of(dim, &inputs)).collect(),
            None => vec![None],
        };
        Self(needs.iter().map(|need| (need.clone(), sizes(need))).collect())
    }

    /// Refuses a run on inputs of these dims if a node has no element where it needs one.
    pub(super) fn check<D: AsRef<[i64]>>(&self, inputs: &[D]) -> Result<(), RunFailure> {
        if !inputs.iter().any(|dims| dims.as_ref().contains(&0)) {
            return Ok(());
        }
        for (Need { label, value, .. }, sizes) in &self.0 {
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

impl Along {
    fn of(self, shape: &[Dimension]) -> &[Dimension] {
        let range = match self {
            Self::All => Some(0..shape.len()),
            Self::Space => Some(2..shape.len()),
            Self::One(axis) => {
                let from_front = if axis < 0 { axis.checked_add_unsigned(shape.len() as u64) } else { Some(axis) };
                let axis = from_front.and_then(|axis| usize::try_from(axis).ok());
                axis.and_then(|axis| Some(axis..axis.checked_add(1)?))
            }
        };
        range.and_then(|range| shape.get(range)).unwrap_or_default()
    }
}
