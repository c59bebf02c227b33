//! Resizing. The engine has two modes, and takes some settings for others; where the sizes of the input are known, any
//! setting is a choice of elements (`nearest`), or a product with a matrix of weights for each axis.

use super::output;
use super::resize_at_run;
use super::weights::{Line, positions, weights};
use crate::model::rewrite::attributes::{Attributes, Value, attribute, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

pub(super) fn resize(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    if scope.opset() < 11 {
        // The region was inserted later; the way to count was another, and how to round is not said.
        let nearest = matches!(node.text("mode"), "" | "nearest");
        if nearest && !scope.floats(node.given(1)).is_some_and(|all| all.iter().all(|scale| *scale >= 1.0)) {
            let why = "before opset 11 the standard does not say which element of a smaller output is the nearest";
            return refuse("mode", "\"nearest\"", why);
        }
        node.input.insert(1, String::new());
        node.attribute.push(attribute("coordinate_transformation_mode", &Value::S("asymmetric")));
        node.attribute.push(attribute("nearest_mode", &Value::S("floor")));
    }
    if let Some(lines) = lines(scope, &node)? {
        if needs_more(&node, &lines) {
            return by_axis(scope, &node, &lines);
        }
        return keep(scope, plain(&node));
    }
    let unknown = |name: &str, value: &str| {
        refuse(name, value, "the simulator has it where the sizes of the input and of the output are known")
    };
    let counting = node.text("coordinate_transformation_mode");
    if node.int("antialias", 0) != 0 {
        return unknown("antialias", &node.int("antialias", 0).to_string());
    }
    if !matches!(node.text("keep_aspect_ratio_policy"), "" | "stretch") {
        return unknown("keep_aspect_ratio_policy", &format!("\"{}\"", node.text("keep_aspect_ratio_policy")));
    }
    let is_engines = matches!(counting, "" | "half_pixel" | "asymmetric" | "pytorch_half_pixel" | "align_corners");
    let more = node.text("mode") == "cubic" || node.int("exclude_outside", 0) != 0 || node.attribute("axes").is_some();
    if more || !is_engines || is_inexact(scope, &node) {
        return at_run(scope, &node);
    }
    let by_scales = node.has(2) && !node.has(3);
    let whole = scope.floats(node.given(2)).is_some_and(|all| all.iter().all(|scale| scale.fract() == 0.0));
    if counting == "align_corners" && by_scales && !whole {
        let sizes = super::shape(scope, node.given(0));
        let sizes = scope.cast(&sizes, DataType::FLOAT);
        let exact = scope.make("Mul", &[&sizes, node.given(2)], &[]);
        let lower = scope.make("Floor", &[&exact], &[]);
        let same = scope.make("Equal", &[&exact, &lower], &[]);
        let bad = scope.make("Not", &[&same], &[]);
        scope.check(bad, "Resize: with `align_corners` a size times its scale has to be a whole number".to_string());
    }
    if by_scales {
        resized(scope, &node);
    }
    keep(scope, plain(&node))
}

fn at_run(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let Some(rank) = scope.rank(node.given(0)) else {
        return Err(Refusal::because("the number of its input's axes is not known"));
    };
    if !node.has(3) || node.attribute("axes").is_some() {
        return resize_at_run::resize(scope, node, rank);
    }
    // The sizes are told once more, for they are all that is known of the result.
    let mut inner = node.clone();
    inner.output = vec![scope.fresh()];
    resize_at_run::resize(scope, &inner, rank)?;
    scope.make_as("Reshape", &[output(&inner)?, node.given(3)], &[("allowzero", Value::I(1))], &[output(node)?]);
    Ok(())
}

/// Whether the engine may take a neighbour for the nearest element: it multiplies by the inverse of a scale.
fn is_inexact(scope: &Scope<'_>, node: &NodeProto) -> bool {
    let are_exact = |all: &[f32]| all.iter().copied().all(super::has_exact_inverse);
    matches!(node.text("mode"), "" | "nearest") && (node.has(3) || !scope.floats(node.given(2)).is_some_and(are_exact))
}

/// Makes the run fail where an axis keeps its size and is resized all the same: the engine leaves it as it is.
fn resized(scope: &mut Scope<'_>, node: &NodeProto) {
    let name = node.given(2);
    if scope.floats(name).is_some_and(|all| all.iter().all(|scale| *scale <= 1.0 || *scale >= 2.0)) {
        return;
    }
    let (sizes, one) = (super::shape(scope, node.given(0)), scope.float(1.0));
    let sizes = scope.cast(&sizes, DataType::FLOAT);
    let exact = scope.make("Mul", &[&sizes, name], &[]);
    let lower = scope.make("Floor", &[&exact], &[]);
    let (same, larger) = (scope.make("Equal", &[&lower, &sizes], &[]), scope.make("Greater", &[name, &one], &[]));
    let bad = scope.make("And", &[&same, &larger], &[]);
    scope.check(bad, format!("Resize: an axis of `{}` keeps its size with a scale above 1", node.given(0)));
}

/// The node without what only some settings use.
fn plain(node: &NodeProto) -> NodeProto {
    let mut node = without(node, &["cubic_coeff_a", "extrapolation_value", "keep_aspect_ratio_policy", "antialias"]);
    if let Some(region) = node.input.get_mut(1) {
        region.clear();
    }
    node
}

/// What happens along each axis; `None` if sizes are not known.
fn lines(scope: &Scope<'_>, node: &NodeProto) -> Result<Option<Vec<Line>>, Refusal> {
    let Some(sizes) = scope.dims(node.given(0)).map(<[_]>::to_vec) else { return Ok(None) };
    let rank = i64::try_from(sizes.len()).unwrap_or(0);
    let all: Vec<i64> = (0..rank).collect();
    let axes = node.ints("axes").unwrap_or(&all);
    let place = |axis: &i64| usize::try_from(if *axis < 0 { axis + rank } else { *axis }).unwrap_or(usize::MAX);
    let (wanted, scales) = match (scope.integers(node.given(3)), scope.floats(node.given(2))) {
        (Some(wanted), _) if node.has(3) => (Some(wanted.to_vec()), None),
        (_, Some(scales)) if node.has(2) && !node.has(3) => (None, Some(scales.to_vec())),
        _ => return Ok(None),
    };
    let region = match (node.text("coordinate_transformation_mode"), scope.floats(node.given(1))) {
        ("tf_crop_and_resize", None) => return Ok(None),
        (_, region) => region.unwrap_or_default(),
    };
    let mut lines: Vec<Line> = sizes.iter().map(|size| Line::kept(size.unwrap_or(-1))).collect();
    for (index, axis) in axes.iter().enumerate() {
        let Some(line) = lines.get_mut(place(axis)) else {
            return refuse("axes", &format!("{axes:?}"), "the input has no such axis");
        };
        // An axis of any size stays as it is, or what happens to it is not known.
        if line.input < 0 {
            match scales.as_ref().and_then(|scales| scales.get(index)) {
                Some(1.0) => continue,
                _ => return Ok(None),
            }
        }
        if let Some(scale) = scales.as_ref().and_then(|scales| scales.get(index)) {
            line.scale = f64::from(*scale);
            line.output = (line.input as f64 * line.scale).floor() as i64;
        } else if let Some(&wanted) = wanted.as_ref().and_then(|wanted| wanted.get(index)) {
            line.output = wanted;
            line.scale = wanted as f64 / line.input as f64;
        } else {
            return Err(Refusal::because("it has fewer sizes or scales than axes"));
        }
        line.region = (
            region.get(index).copied().map_or(0.0, f64::from),
            region.get(axes.len() + index).copied().map_or(1.0, f64::from),
        );
    }
    let policy = node.text("keep_aspect_ratio_policy");
    if wanted.is_some() && !matches!(policy, "" | "stretch") {
        let chosen = axes.iter().filter_map(|axis| lines.get(place(axis))).map(|line| line.scale);
        let scale = match policy {
            "not_larger" => chosen.fold(f64::INFINITY, f64::min),
            "not_smaller" => chosen.fold(0.0, f64::max),
            other => return refuse("keep_aspect_ratio_policy", &format!("\"{other}\""), "the standard has no such"),
        };
        for axis in axes {
            if let Some(line) = lines.get_mut(place(axis)) {
                line.scale = scale;
                line.output = (scale * line.input as f64 + 0.5).floor() as i64;
            }
        }
    }
    Ok(Some(lines))
}

/// Whether the engine would not do what the node says.
fn needs_more(node: &NodeProto, lines: &[Line]) -> bool {
    let counting = node.text("coordinate_transformation_mode");
    let resized = || lines.iter().filter(|line| line.output != line.input || line.scale != 1.0);
    let trailing =
        lines.len() <= 4 && lines.iter().rev().skip(2).all(|line| line.output == line.input && line.scale == 1.0);
    let whole = resized().all(|line| (line.input as f64 * line.scale).fract() == 0.0);
    !matches!(node.text("mode"), "linear")
        || !trailing
        || resized().any(|line| line.output == line.input)
        || !matches!(counting, "" | "half_pixel" | "asymmetric" | "pytorch_half_pixel" | "align_corners")
        || (counting == "align_corners" && !whole)
        || node.int("antialias", 0) != 0
        || node.int("exclude_outside", 0) != 0
        || node.attribute("axes").is_some()
        || !matches!(node.text("keep_aspect_ratio_policy"), "" | "stretch")
}

/// One axis after the other.
fn by_axis(scope: &mut Scope<'_>, node: &NodeProto, lines: &[Line]) -> Result<(), Refusal> {
    let mut value = node.given(0).to_string();
    let rank = i64::try_from(lines.len()).unwrap_or(0);
    let nearest = matches!(node.text("mode"), "" | "nearest");
    let chooses = nearest && node.text("coordinate_transformation_mode") != "tf_crop_and_resize";
    if !chooses {
        super::normalizations::plain_floats(scope, &value)?;
        // A product with a matrix spreads what is not finite to all elements, since nothing times infinity is no number.
        let (size, most) = (scope.make("Abs", &[&value], &[]), scope.float(f32::MAX));
        let finite = scope.make("LessOrEqual", &[&size, &most], &[]);
        let bad = scope.make("Not", &[&finite], &[]);
        scope.check(bad, format!("Resize: `{value}` has an element that is not finite"));
    }
    for (axis, line) in (0..).zip(lines).filter(|(_, line)| line.output != line.input || line.scale != 1.0) {
        if line.output < 1 || line.input < 1 || line.output.saturating_mul(line.input) > 1 << 26 {
            return Err(Refusal::because(format!("axis {axis} would have {} elements of {}", line.output, line.input)));
        }
        scope.assume(node.given(0), axis, line.input);
        if chooses {
            let list =
                scope.list(&positions(node.text("coordinate_transformation_mode"), node.text("nearest_mode"), line)?);
            value = scope.make("Gather", &[&value, &list], &[("axis", Value::I(axis))]);
            continue;
        }
        let Some((matrix, outside)) = weights(node, line)? else {
            return refuse("mode", &format!("\"{}\"", node.text("mode")), "the standard has no such");
        };
        let sizes = [line.input, line.output].map(|size| usize::try_from(size).unwrap_or(0));
        let matrix = scope.floats_of(&sizes, &matrix);
        let mut order: Vec<i64> = (0..rank).filter(|other| *other != axis).collect();
        order.push(axis);
        let turned = scope.make("Transpose", &[&value], &[("perm", Value::Is(&order))]);
        let mut product = scope.make("MatMul", &[&turned, &matrix], &[]);
        if outside.iter().any(|&outside| outside) {
            let mask: Vec<f32> = outside.iter().map(|&outside| f32::from(u8::from(outside))).collect();
            let (mask, zero) = (scope.floats_of(&[mask.len()], &mask), scope.float(0.5));
            let mask = scope.make("Greater", &[&mask, &zero], &[]);
            let other = scope.float(node.float("extrapolation_value", 0.0));
            product = scope.make("Where", &[&mask, &other, &product], &[]);
        }
        let mut back: Vec<i64> = (0..rank - 1).collect();
        back.insert(usize::try_from(axis).unwrap_or(0), rank - 1);
        value = scope.make("Transpose", &[&product], &[("perm", Value::Is(&back))]);
    }
    scope.make_as("Identity", &[&value], &[], &[output(node)?]);
    Ok(())
}

/// An old name of it.
pub(super) fn upsample(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    if scope.opset() < 7 {
        return Err(Refusal::because("the simulator has it from opset 7 on"));
    }
    let known = scope.floats(node.given(1)).map(<[_]>::to_vec);
    let scales = node.attribute("scales").map(|scales| scales.floats.clone()).filter(|scales| !scales.is_empty());
    let Some(scales) = scales.or(known) else { return keep(scope, node) };
    let list = scope.floats_of(&[scales.len()], &scales);
    scope.learn(&list, super::Known { floats: Some(scales), ..Default::default() });
    let mut newer = without(&node, &["scales"]);
    newer.op_type = Some("Resize".to_string());
    newer.input = vec![node.given(0).to_string(), String::new(), list];
    newer.attribute.push(attribute("coordinate_transformation_mode", &Value::S("asymmetric")));
    newer.attribute.push(attribute("nearest_mode", &Value::S("floor")));
    let Some(lines) = lines(scope, &newer)? else {
        return if is_inexact(scope, &newer) { at_run(scope, &newer) } else { keep(scope, plain(&newer)) };
    };
    if needs_more(&newer, &lines) { by_axis(scope, &newer, &lines) } else { keep(scope, plain(&newer)) }
}
