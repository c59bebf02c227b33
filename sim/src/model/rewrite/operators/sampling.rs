//! Sampling at the places of a grid. The engine has planes between elements and zero around an image. Here places are moved
//! into the image before, and elements are chosen by their numbers.

use super::{output, shape};
use crate::model::rewrite::Refusal;
use crate::model::rewrite::attributes::{Attributes, Value, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use rten_onnx::onnx::{DataType, NodeProto};

pub(super) fn sample(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let images = scope.rank(node.given(1)) == Some(4);
    match node.text("mode") {
        "nearest" if images => return by_elements(scope, &node, false),
        "cubic" | "bicubic" if images => return by_elements(scope, &node, true),
        _ => {}
    }
    let reflects = match node.text("padding_mode") {
        "border" => false,
        "reflection" => true,
        _ => return keep(scope, node),
    };
    if !matches!(node.text("mode"), "" | "bilinear" | "linear") || !images {
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

/// How sharp the cubic curves are.
const SHARPNESS: f32 = -0.75;

/// One of the two coordinates of all places.
struct Along {
    /// How many elements the image has in this direction, as `f32`.
    size: String,
    /// The first place of the image, and the last.
    ends: [String; 2],
    /// Where the places are, counted in elements.
    at: String,
}

/// Elements of the image that a coordinate names.
struct Named {
    index: String,
    /// Whether they are in the image, where what is not there is zero.
    inside: Option<String>,
    /// The part that each has in the sample.
    part: Option<String>,
}

/// The nearest element, or a cubic curve through four times four: each a choice of elements by their numbers.
fn by_elements(scope: &mut Scope<'_>, node: &NodeProto, cubic: bool) -> Result<(), Refusal> {
    let (x, grid, result) = (node.given(0), node.given(1), output(node)?);
    super::normalizations::plain_floats(scope, x)?;
    super::normalizations::plain_floats(scope, grid)?;
    let mut named = Vec::new();
    for (coordinate, axis) in [(1, 2), (0, 3)] {
        let along = along(scope, node, coordinate, axis, cubic);
        named.push(if cubic { four(scope, node, &along) } else { vec![element(scope, node, &along, &along.at, None)] });
    }
    let [ref rows, ref columns] = named[..] else { return Ok(()) };
    let (flat, width) = (scope.list(&[0, 0, -1]), super::size_of(scope, x, 3));
    let elements = scope.make("Reshape", &[x, &flat], &[]);
    let (one, channels, size) = (scope.list(&[1]), super::size_of(scope, x, 1), super::size_of(scope, grid, 0));
    let all = scope.list(&[-1]);
    let each = scope.make("Concat", &[&size, &one, &all], &[("axis", Value::I(0))]);
    let spread = scope.make("Concat", &[&one, &channels, &one], &[("axis", Value::I(0))]);
    let in_line = |scope: &mut Scope<'_>, value: &str| scope.make("Reshape", &[value, &each], &[]);
    let mut sum: Option<String> = None;
    for row in rows {
        let start = scope.make("Mul", &[&row.index, &width], &[]);
        let mut line: Option<String> = None;
        for column in columns {
            let index = scope.make("Add", &[&start, &column.index], &[]);
            let index = in_line(scope, &index);
            let index = scope.make("Expand", &[&index, &spread], &[]);
            let mut value = scope.make("GatherElements", &[&elements, &index], &[("axis", Value::I(2))]);
            if let (Some(above), Some(beside)) = (&row.inside, &column.inside) {
                let inside = scope.make("And", &[above, beside], &[]);
                let (inside, zero) = (in_line(scope, &inside), scope.float(0.0));
                value = scope.make("Where", &[&inside, &value, &zero], &[]);
            }
            line = Some(weighted(scope, line, &value, column.part.as_deref(), &in_line));
        }
        let line = line.unwrap_or_default();
        sum = Some(weighted(scope, sum, &line, row.part.as_deref(), &in_line));
    }
    let (of_x, of_grid) = (shape(scope, x), shape(scope, grid));
    let (front, back) = (scope.list(&[0, 1]), scope.list(&[1, 2]));
    let front = scope.make("Gather", &[&of_x, &front], &[("axis", Value::I(0))]);
    let back = scope.make("Gather", &[&of_grid, &back], &[("axis", Value::I(0))]);
    let sizes = scope.make("Concat", &[&front, &back], &[("axis", Value::I(0))]);
    let allows = [("allowzero", Value::I(1))];
    scope.make_as("Reshape", &[&sum.unwrap_or_default(), &sizes], &allows, &[result]);
    Ok(())
}

/// The sum with this value added, as much of it as its part says.
fn weighted(
    scope: &mut Scope<'_>,
    sum: Option<String>,
    value: &str,
    part: Option<&str>,
    in_line: &impl Fn(&mut Scope<'_>, &str) -> String,
) -> String {
    let value = match part {
        Some(part) => {
            let part = in_line(scope, part);
            scope.make("Mul", &[value, &part], &[])
        }
        None => value.to_string(),
    };
    match sum {
        Some(sum) => scope.make("Add", &[&sum, &value], &[]),
        None => value,
    }
}

fn along(scope: &mut Scope<'_>, node: &NodeProto, coordinate: i32, axis: i32, cubic: bool) -> Along {
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let [half, one, double] = [0.5, 1.0, 2.0].map(|value| scope.float(value));
    let (sizes, axis) = (shape(scope, node.given(0)), scope.integer(axis, DataType::INT64));
    let size = scope.make("Gather", &[&sizes, &axis], &[("axis", Value::I(0))]);
    let size = scope.cast(&size, DataType::FLOAT);
    let which = scope.integer(coordinate, DataType::INT64);
    let place = scope.make("Gather", &[node.given(1), &which], &[("axis", Value::I(3))]);
    let from_start = two(scope, "Add", &place, &one);
    let last = two(scope, "Sub", &size, &one);
    let (mut at, ends) = if node.int("align_corners", 0) != 0 {
        let part = two(scope, "Div", &from_start, &double);
        (two(scope, "Mul", &part, &last), [scope.float(0.0), last])
    } else {
        let whole = two(scope, "Mul", &from_start, &size);
        let whole = two(scope, "Sub", &whole, &one);
        (two(scope, "Div", &whole, &double), [scope.float(-0.5), two(scope, "Sub", &size, &half)])
    };
    if !cubic {
        at = scope.make("Round", &[&at], &[]);
    }
    let mut along = Along { size, ends, at };
    if matches!(node.text("padding_mode"), "border" | "reflection") {
        along.at = moved(scope, node, &along, &along.at);
    }
    along
}

/// Places with those that are outside of the image moved into it.
fn moved(scope: &mut Scope<'_>, node: &NodeProto, along: &Along, at: &str) -> String {
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let [first, last] = &along.ends;
    let (before, behind) = (two(scope, "Less", at, first), two(scope, "Greater", at, last));
    let outside = two(scope, "Or", &before, &behind);
    let inside = if node.text("padding_mode") == "border" {
        clamped(scope, along, at)
    } else {
        let one = scope.float(1.0);
        let span = two(scope, "Sub", last, first);
        // An image of one element has all its places there.
        let span = two(scope, "Max", &span, &one);
        let (less, more) = (two(scope, "Sub", first, at), two(scope, "Sub", at, last));
        let distance = two(scope, "Max", &less, &more);
        let turns = two(scope, "Div", &distance, &span);
        let turns = scope.make("Floor", &[&turns], &[]);
        let whole = two(scope, "Mul", &turns, &span);
        let rest = two(scope, "Sub", &distance, &whole);
        let (from_first, from_last) = (two(scope, "Add", first, &rest), two(scope, "Sub", last, &rest));
        let double = scope.float(2.0);
        let odd = scope.make("Mod", &[&turns, &double], &[("fmod", Value::I(1))]);
        let odd = two(scope, "Equal", &odd, &one);
        // After an odd number of turns it comes from the other side.
        let at_first = two(scope, "Xor", &before, &odd);
        scope.make("Where", &[&at_first, &from_first, &from_last], &[])
    };
    scope.make("Where", &[&outside, &inside, at], &[])
}

fn clamped(scope: &mut Scope<'_>, along: &Along, at: &str) -> String {
    let (zero, one) = (scope.float(0.0), scope.float(1.0));
    let last = scope.make("Sub", &[&along.size, &one], &[]);
    let above = scope.make("Max", &[at, &zero], &[]);
    scope.make("Min", &[&above, &last], &[])
}

fn element(scope: &mut Scope<'_>, node: &NodeProto, along: &Along, at: &str, part: Option<String>) -> Named {
    let mut at = at.to_string();
    let mut inside = None;
    match node.text("padding_mode") {
        "border" => {}
        "reflection" => at = moved(scope, node, along, &at),
        _ => {
            let zero = scope.float(0.0);
            let behind_start = scope.make("GreaterOrEqual", &[&at, &zero], &[]);
            let before_end = scope.make("Less", &[&at, &along.size], &[]);
            inside = Some(scope.make("And", &[&behind_start, &before_end], &[]));
        }
    }
    let at = clamped(scope, along, &at);
    Named { index: scope.cast(&at, DataType::INT64), inside, part }
}

/// The four elements around each place, with the parts that they have in a cubic curve.
fn four(scope: &mut Scope<'_>, node: &NodeProto, along: &Along) -> Vec<Named> {
    let base = scope.make("Floor", &[&along.at], &[]);
    let rest = scope.make("Sub", &[&along.at, &base], &[]);
    let place = |scope: &mut Scope<'_>, offset: i16| {
        let by = scope.float(offset.into());
        let at = scope.make("Add", &[&base, &by], &[]);
        let distance = scope.make("Sub", &[&rest, &by], &[]);
        let part = cubic(scope, &distance, offset == 0 || offset == 1, SHARPNESS);
        element(scope, node, along, &at, Some(part))
    };
    [-1, 0, 1, 2].into_iter().map(|offset| place(scope, offset)).collect()
}

/// The part of an element at a distance below one, or from one to two.
pub(super) fn cubic(scope: &mut Scope<'_>, distance: &str, near: bool, sharpness: f32) -> String {
    let size = scope.make("Abs", &[distance], &[]);
    let factors = match near {
        true => [sharpness + 2.0, -(sharpness + 3.0), 0.0, 1.0],
        false => [sharpness, -5.0 * sharpness, 8.0 * sharpness, -4.0 * sharpness],
    };
    let [first, rest @ ..] = factors.map(|factor| scope.float(factor));
    rest.into_iter().fold(first, |value, factor| {
        let product = scope.make("Mul", &[&value, &size], &[]);
        scope.make("Add", &[&product, &factor], &[])
    })
}
