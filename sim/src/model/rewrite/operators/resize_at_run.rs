//! Resizing by sizes that only the run knows: along each axis, each element of the output is a sum of a few elements, whose
//! numbers and parts are calculated then. `weights` does the same when a model is loaded.

use super::matrices::quotient;
use super::{output, sampling, shape};
use crate::model::ceiling::LIMIT;
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

/// One axis, with what the run knows of it, each without axes and as `f32`.
struct Axis {
    place: i64,
    input: String,
    output: String,
    scale: String,
    /// The size times the scale, not rounded down.
    resized: String,
    /// Where the part that is resized starts and ends, as parts of the axis.
    region: Option<[String; 2]>,
}

/// Elements of the input that have a part in those of the output.
struct Tap {
    place: String,
    part: Option<String>,
}

pub(super) fn resize(scope: &mut Scope<'_>, node: &NodeProto, rank: usize) -> Result<(), Refusal> {
    super::normalizations::plain_floats(scope, node.given(0))?;
    let rank = i64::try_from(rank).unwrap_or(0);
    let all: Vec<i64> = (0..rank).collect();
    let places = node.ints("axes").map_or(all, <[i64]>::to_vec);
    let mut value = node.given(0).to_string();
    let nearest = matches!(node.text("mode"), "" | "nearest");
    if !nearest {
        let (size, most) = (scope.make("Abs", &[&value], &[]), scope.float(f32::MAX));
        let finite = scope.make("LessOrEqual", &[&size, &most], &[]);
        let bad = scope.make("Not", &[&finite], &[]);
        scope.check(bad, format!("Resize: `{value}` has an element that is not finite"));
    }
    let count = places.len();
    for (index, place) in places.into_iter().enumerate() {
        let place = super::axis(place, rank)?;
        let scale = scope.floats(node.given(2)).filter(|_| !node.has(3)).and_then(|all| all.get(index));
        if scale == Some(&1.0) && node.text("coordinate_transformation_mode") != "tf_crop_and_resize" {
            continue;
        }
        let axis = axis(scope, node, &value, (place, index, count));
        value = along(scope, node, &value, &axis, rank)?;
    }
    scope.make_as("Identity", &[&value], &[], &[output(node)?]);
    Ok(())
}

/// One of a list's elements.
fn element(scope: &mut Scope<'_>, list: &str, index: usize) -> String {
    let index = scope.integer(i32::try_from(index).unwrap_or(0), DataType::INT64);
    scope.make("Gather", &[list, &index], &[("axis", Value::I(0))])
}

fn axis(scope: &mut Scope<'_>, node: &NodeProto, value: &str, (place, index, count): (i64, usize, usize)) -> Axis {
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let sizes = shape(scope, value);
    let size = element(scope, &sizes, usize::try_from(place).unwrap_or(0));
    let input = scope.cast(&size, DataType::FLOAT);
    let (output, scale, resized) = if node.has(3) {
        let wanted = element(scope, node.given(3), index);
        let wanted = scope.cast(&wanted, DataType::FLOAT);
        let scale = quotient(scope, &wanted, &input);
        let resized = two(scope, "Mul", &input, &scale);
        (wanted, scale, resized)
    } else {
        let scale = element(scope, node.given(2), index);
        let resized = two(scope, "Mul", &input, &scale);
        (scope.make("Floor", &[&resized], &[]), scale, resized)
    };
    let output = limited(scope, value, &input, &output);
    let region = node.has(1).then(|| [index, count + index].map(|index| element(scope, node.given(1), index)));
    Axis { place, input, output, scale, resized, region }
}

/// The new size of an axis, if there is memory for the value that has it.
fn limited(scope: &mut Scope<'_>, value: &str, input: &str, output: &str) -> String {
    let (all, one) = (scope.make("Size", &[value], &[]), scope.float(1.0));
    let all = scope.cast(&all, DataType::FLOAT);
    let (more, size) = (scope.make("Mul", &[&all, output], &[]), scope.make("Max", &[input, &one], &[]));
    let elements = scope.make("Div", &[&more, &size], &[]);
    let name = scope.fresh();
    scope.push(NodeProto {
        op_type: Some(LIMIT.0.to_string()),
        domain: Some(LIMIT.1.to_string()),
        input: vec![output.to_string(), elements],
        output: vec![name.clone()],
        ..Default::default()
    });
    name
}

/// Where the elements of the output lie in the input.
fn source(scope: &mut Scope<'_>, node: &NodeProto, axis: &Axis) -> Result<String, Refusal> {
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let [zero, half, one, double] = [0.0, 0.5, 1.0, 2.0].map(|value| scope.float(value));
    let count = scope.cast(&axis.output, DataType::INT64);
    let [first, step] = [0, 1].map(|value| scope.integer(value, DataType::INT64));
    let x = scope.make("Range", &[&first, &count, &step], &[]);
    let x = scope.cast(&x, DataType::FLOAT);
    let last = two(scope, "Sub", &axis.input, &one);
    let from_middle = |scope: &mut Scope<'_>| {
        let middle = two(scope, "Add", &x, &half);
        let middle = quotient(scope, &middle, &axis.scale);
        two(scope, "Sub", &middle, &half)
    };
    Ok(match node.text("coordinate_transformation_mode") {
        "" | "half_pixel" => from_middle(scope),
        "half_pixel_symmetric" => {
            let part = quotient(scope, &axis.output, &axis.resized);
            let rest = two(scope, "Sub", &one, &part);
            let middle = two(scope, "Mul", &axis.input, &half);
            let moved = two(scope, "Mul", &middle, &rest);
            let at = from_middle(scope);
            two(scope, "Add", &at, &moved)
        }
        "pytorch_half_pixel" => {
            let at = from_middle(scope);
            let single = two(scope, "Equal", &axis.output, &one);
            scope.make("Where", &[&single, &zero, &at], &[])
        }
        "align_corners" => {
            let (span, reach) = (two(scope, "Sub", &axis.resized, &one), two(scope, "Mul", &x, &last));
            let at = quotient(scope, &reach, &span);
            let single = two(scope, "Equal", &axis.resized, &one);
            scope.make("Where", &[&single, &zero, &at], &[])
        }
        "asymmetric" => quotient(scope, &x, &axis.scale),
        "tf_crop_and_resize" => {
            let Some([start, end]) = &axis.region else {
                return Err(Refusal::because("its input `roi`, the region, is left out"));
            };
            let span = two(scope, "Sub", &axis.resized, &one);
            let (begin, width) = (two(scope, "Mul", start, &last), two(scope, "Sub", end, start));
            let reach = two(scope, "Mul", &x, &width);
            let reach = two(scope, "Mul", &reach, &last);
            let at = quotient(scope, &reach, &span);
            let at = two(scope, "Add", &begin, &at);
            let both = two(scope, "Add", start, end);
            let middle = two(scope, "Mul", &both, &last);
            let middle = quotient(scope, &middle, &double);
            let several = two(scope, "Greater", &axis.resized, &one);
            scope.make("Where", &[&several, &at, &middle], &[])
        }
        other => return refuse("coordinate_transformation_mode", &format!("\"{other}\""), "the standard has no such"),
    })
}

fn along(scope: &mut Scope<'_>, node: &NodeProto, value: &str, axis: &Axis, rank: i64) -> Result<String, Refusal> {
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let at = source(scope, node, axis)?;
    let (zero, one) = (scope.float(0.0), scope.float(1.0));
    let last = two(scope, "Sub", &axis.input, &one);
    let taps = taps(scope, node, &at, (&zero, &last))?;
    // A list along this axis, for each place on the others.
    let mut sizes = vec![-1];
    sizes.resize(usize::try_from(rank - axis.place).unwrap_or(1), 1);
    let sizes = scope.list(&sizes);
    let spread = |scope: &mut Scope<'_>, list: &str| scope.make("Reshape", &[list, &sizes], &[]);
    let mut sum: Option<String> = None;
    for Tap { place, part } in taps {
        let near = two(scope, "Max", &place, &zero);
        let near = two(scope, "Min", &near, &last);
        let index = scope.cast(&near, DataType::INT64);
        let mut found = scope.make("Gather", &[value, &index], &[("axis", Value::I(axis.place))]);
        if let Some(part) = part {
            let part = spread(scope, &part);
            found = two(scope, "Mul", &found, &part);
        }
        sum = Some(match sum {
            Some(sum) => two(scope, "Add", &sum, &found),
            None => found,
        });
    }
    let mut sum = sum.unwrap_or_default();
    if node.text("coordinate_transformation_mode") == "tf_crop_and_resize" {
        let (before, behind) = (two(scope, "Less", &at, &zero), two(scope, "Greater", &at, &last));
        let outside = two(scope, "Or", &before, &behind);
        let (outside, other) = (spread(scope, &outside), scope.float(node.float("extrapolation_value", 0.0)));
        sum = scope.make("Where", &[&outside, &other, &sum], &[]);
    }
    Ok(sum)
}

fn taps(scope: &mut Scope<'_>, node: &NodeProto, at: &str, (first, last): (&str, &str)) -> Result<Vec<Tap>, Refusal> {
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let offsets: &[i16] = match node.text("mode") {
        "" | "nearest" => return nearest(scope, node, at).map(|place| vec![Tap { place, part: None }]),
        "linear" => &[0, 1],
        "cubic" => &[-1, 0, 1, 2],
        other => return refuse("mode", &format!("\"{other}\""), "the standard has no such"),
    };
    let base = scope.make("Floor", &[at], &[]);
    let rest = two(scope, "Sub", at, &base);
    let mut taps = Vec::new();
    let mut total: Option<String> = None;
    for &offset in offsets {
        let by = scope.float(offset.into());
        let (place, distance) = (two(scope, "Add", &base, &by), two(scope, "Sub", &rest, &by));
        let mut part = if offsets.len() == 2 {
            let (size, one) = (scope.make("Abs", &[&distance], &[]), scope.float(1.0));
            two(scope, "Sub", &one, &size)
        } else {
            let sharpness = node.float("cubic_coeff_a", -0.75);
            sampling::cubic(scope, &distance, (0..2).contains(&offset), sharpness)
        };
        if node.int("exclude_outside", 0) != 0 {
            let (before, behind) = (two(scope, "Less", &place, first), two(scope, "Greater", &place, last));
            let (outside, nothing) = (two(scope, "Or", &before, &behind), scope.float(0.0));
            part = scope.make("Where", &[&outside, &nothing, &part], &[]);
            total = Some(match total {
                Some(total) => two(scope, "Add", &total, &part),
                None => part.clone(),
            });
        }
        taps.push(Tap { place, part: Some(part) });
    }
    if let Some(total) = total {
        for part in taps.iter_mut().filter_map(|tap| tap.part.as_mut()) {
            *part = two(scope, "Div", part, &total);
        }
    }
    Ok(taps)
}

fn nearest(scope: &mut Scope<'_>, node: &NodeProto, at: &str) -> Result<String, Refusal> {
    let half = scope.float(0.5);
    let (moved, rounding) = match node.text("nearest_mode") {
        "" | "round_prefer_floor" => (scope.make("Sub", &[at, &half], &[]), "Ceil"),
        "round_prefer_ceil" => (scope.make("Add", &[at, &half], &[]), "Floor"),
        "floor" => (at.to_string(), "Floor"),
        "ceil" => (at.to_string(), "Ceil"),
        other => return refuse("nearest_mode", &format!("\"{other}\""), "the standard has no such"),
    };
    Ok(scope.make(rounding, &[&moved], &[]))
}
