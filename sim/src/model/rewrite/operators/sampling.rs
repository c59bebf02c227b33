//! Sampling at the places of a grid. The engine has zero around an image; here the places are moved into it before.

use super::shape;
use crate::model::rewrite::Refusal;
use crate::model::rewrite::attributes::{Attributes, Value, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use rten_onnx::onnx::{DataType, NodeProto};

pub(super) fn sample(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let reflects = match node.text("padding_mode") {
        "border" => false,
        "reflection" => true,
        _ => return keep(scope, node),
    };
    if !matches!(node.text("mode"), "" | "bilinear" | "linear") || scope.rank(node.given(1)) != Some(4) {
        return keep(scope, node);
    }
    super::normalizations::plain_floats(scope, node.given(0))?;
    super::normalizations::plain_floats(scope, node.given(1))?;
    let aligned = node.int("align_corners", 0) != 0;
    let moved = inside(scope, &node, aligned, reflects);
    let mut inner = without(&node, &["padding_mode"]);
    if let Some(grid) = inner.input.get_mut(1) {
        *grid = moved;
    }
    keep(scope, inner)
}

/// The grid with all its places moved to where the image is.
fn inside(scope: &mut Scope<'_>, node: &NodeProto, aligned: bool, reflects: bool) -> String {
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let [zero, half, one, double] = [0.0, 0.5, 1.0, 2.0].map(|value| scope.float(value));
    // Width and height, in the order of a place's coordinates.
    let (sizes, axes) = (shape(scope, node.given(0)), scope.list(&[3, 2]));
    let sizes = scope.make("Gather", &[&sizes, &axes], &[("axis", Value::I(0))]);
    let sizes = scope.cast(&sizes, DataType::FLOAT);
    let last = two(scope, "Sub", &sizes, &one);
    // From the middle of the first element to that of the last, or from edge to edge.
    let span = if aligned { two(scope, "Max", &last, &one) } else { sizes.clone() };
    let from_start = two(scope, "Add", node.given(1), &one);
    let from_start = two(scope, "Mul", &from_start, &half);
    let from_start = two(scope, "Mul", &from_start, if aligned { &last } else { &sizes });
    let mut distance = from_start;
    if reflects {
        let size = scope.make("Abs", &[&distance], &[]);
        let turns = two(scope, "Div", &size, &span);
        let turns = scope.make("Floor", &[&turns], &[]);
        let whole = two(scope, "Mul", &turns, &span);
        let rest = two(scope, "Sub", &size, &whole);
        let back = two(scope, "Sub", &span, &rest);
        let odd = scope.make("Mod", &[&turns, &double], &[("fmod", Value::I(1))]);
        let odd = two(scope, "Greater", &odd, &half);
        distance = scope.make("Where", &[&odd, &back, &rest], &[]);
    }
    // The middle of an element is half its size from its edge.
    let element = if aligned { distance } else { two(scope, "Sub", &distance, &half) };
    let element = two(scope, "Max", &element, &zero);
    let element = two(scope, "Min", &element, &last);
    let distance = if aligned { element } else { two(scope, "Add", &element, &half) };
    let part = two(scope, "Div", &distance, &span);
    let part = two(scope, "Mul", &part, &double);
    two(scope, "Sub", &part, &one)
}
