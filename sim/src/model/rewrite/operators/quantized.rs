//! Quantization. The engine multiplies by the inverse of a scale, and rounds otherwise than the standard's quotient.

use super::output;
use crate::model::rewrite::attributes::{Attributes, Value, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::{Scope, is_carried, range};
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

pub(super) fn quantize(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    for name in ["block_size", "precision"] {
        if node.int(name, 0) != 0 {
            return refuse(name, &node.int(name, 0).to_string(), "the simulator quantizes without");
        }
    }
    let declared = DataType(i32::try_from(node.int("output_dtype", 0)).unwrap_or(0));
    let of_point = if node.has(2) { Some(super::element(scope, node.given(2))?) } else { None };
    let kind = of_point.unwrap_or(if declared.0 == 0 { DataType::UINT8 } else { declared });
    super::normalizations::plain_floats(scope, node.given(0))?;
    let axis = node.int("axis", 1);
    let scale = along(scope, node.given(0), node.given(1), axis)?;
    let point = match node.has(2) {
        true => Some(along(scope, node.given(0), node.given(2), axis)?),
        false => None,
    };
    rounded(scope, node.given(0), &scale, point.as_deref(), kind, output(node)?)
}

/// A list of values for an axis, with axes of size one behind it for those that follow.
fn along(scope: &mut Scope<'_>, x: &str, list: &str, axis: i64) -> Result<String, Refusal> {
    match scope.dims(list).map(<[_]>::to_vec) {
        Some(dims) if dims.is_empty() || dims == [Some(1)] => return Ok(list.to_string()),
        Some(dims) if dims.len() == 1 => {}
        _ => return Err(Refusal::because(format!("`{list}` is not known to have one axis or none"))),
    }
    let Some(rank) = scope.rank(x).and_then(|rank| i64::try_from(rank).ok()) else {
        return Err(Refusal::because(format!("the number of axes of `{x}` is not known")));
    };
    let behind = rank - 1 - super::axis(axis, rank)?;
    if behind == 0 {
        return Ok(list.to_string());
    }
    let axes: Vec<i64> = (1..=behind).collect();
    let axes = scope.list(&axes);
    Ok(scope.make("Unsqueeze", &[list, &axes], &[]))
}

/// The nearest integers to quotients, moved to the zero point, as far as the type has them.
fn rounded(
    scope: &mut Scope<'_>,
    x: &str,
    scale: &str,
    point: Option<&str>,
    kind: DataType,
    result: &str,
) -> Result<(), Refusal> {
    let quotient = super::matrices::quotient(scope, x, scale);
    nearest(scope, &quotient, point, kind, result)
}

fn nearest(
    scope: &mut Scope<'_>,
    quotient: &str,
    point: Option<&str>,
    kind: DataType,
    result: &str,
) -> Result<(), Refusal> {
    let Some((low, high)) = range(kind).filter(|_| !matches!(kind, DataType::UINT32 | DataType::UINT64)) else {
        return Err(Refusal::because(format!("the simulator does not quantize to {kind}")));
    };
    let mut value = scope.make("Round", &[quotient], &[]);
    if let Some(point) = point {
        let point = scope.make("Cast", &[point], &[("to", Value::I(DataType::FLOAT.0.into()))]);
        value = scope.make("Add", &[&value, &point], &[]);
    }
    let (low, high) = (scope.float(low as f32), scope.float(high as f32));
    let kept = scope.make("Clip", &[&value, &low, &high], &[]);
    let stored = if is_carried(kind) { DataType::INT32 } else { kind };
    scope.make_as("Cast", &[&kept], &[("to", Value::I(stored.0.into()))], &[result]);
    scope.know(result, super::Known { element: Some(kind), ..Default::default() });
    Ok(())
}

pub(super) fn dequantize(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    super::scalars(scope, &mut node, &[1, 2]);
    keep(scope, node)
}

pub(super) fn quantize_by_range(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let x = node.given(0);
    super::normalizations::plain_floats(scope, x)?;
    let [Some(y), scale, point] = [0, 1, 2].map(|index| node.output.get(index).filter(|name| !name.is_empty())) else {
        return Err(Refusal::because("it has no first output"));
    };
    let [zero, most] = [0.0, 255.0].map(|value| scope.float(value));
    let whole = [("keepdims", Value::I(0))];
    let (low, high) = (scope.make("ReduceMin", &[x], &whole), scope.make("ReduceMax", &[x], &whole));
    let (low, high) = (scope.make("Min", &[&low, &zero], &[]), scope.make("Max", &[&high, &zero], &[]));
    let width = scope.make("Sub", &[&high, &low], &[]);
    let ratio = super::matrices::quotient(scope, &width, &most);
    let start = super::matrices::quotient(scope, &low, &ratio);
    let start = scope.make("Sub", &[&zero, &start], &[]);
    let start = scope.make("Round", &[&start], &[]);
    let start = scope.make("Clip", &[&start, &zero, &most], &[]);
    let start = scope.make("Cast", &[&start], &[("to", Value::I(DataType::UINT8.0.into()))]);
    rounded(scope, x, &ratio, Some(&start), DataType::UINT8, y)?;
    for (name, value) in [(scale, &ratio), (point, &start)] {
        if let Some(name) = name {
            scope.make_as("Identity", &[value], &[], &[name]);
        }
    }
    Ok(())
}

/// A convolution of integers, scaled and rounded.
pub(super) fn convolution(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let result = output(node)?;
    let kind = super::element(scope, node.given(7))?;
    let Some(behind) = scope.rank(node.given(3)).and_then(|rank| i64::try_from(rank).ok()?.checked_sub(2)) else {
        return Err(Refusal::because("the number of its filters' axes is not known"));
    };
    let mut inner = without(node, &[]);
    let sums = scope.fresh();
    inner.op_type = Some("ConvInteger".to_string());
    inner.input = [0, 3, 2, 5].map(|index| node.given(index).to_string()).to_vec();
    inner.output = vec![sums.clone()];
    super::convolutions::convolution(scope, inner)?;
    let axes: Vec<i64> = (1..=behind).collect();
    let axes = scope.list(&axes);
    let spread = |scope: &mut Scope<'_>, name: &str| match scope.rank(name) {
        Some(0) => name.to_string(),
        _ => scope.make("Unsqueeze", &[name, &axes], &[]),
    };
    let mut sums = sums;
    if node.has(8) {
        let bias = spread(scope, node.given(8));
        sums = scope.make("Add", &[&sums, &bias], &[]);
    }
    let weights = spread(scope, node.given(4));
    scaled(scope, &sums, [node.given(1), &weights, node.given(6)], node.given(7), kind, result)
}

/// A product of integers, scaled and rounded.
pub(super) fn product(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let result = output(node)?;
    let kind = super::element(scope, node.given(7))?;
    for index in [1, 4, 6] {
        let name = node.given(index);
        if !scope.dims(name).is_some_and(|dims| dims.is_empty() || dims == [Some(1)]) {
            return Err(Refusal::because(format!("the scale `{name}` is not known to be a single number")));
        }
    }
    let mut inner = NodeProto { op_type: Some("MatMulInteger".to_string()), ..Default::default() };
    let sums = scope.fresh();
    inner.input = [0, 3, 2, 5].map(|index| node.given(index).to_string()).to_vec();
    inner.output = vec![sums.clone()];
    super::matrices::integer_product(scope, inner)?;
    scaled(scope, &sums, [node.given(1), node.given(4), node.given(6)], node.given(7), kind, result)
}

fn scaled(
    scope: &mut Scope<'_>,
    sums: &str,
    [a, b, y]: [&str; 3],
    point: &str,
    kind: DataType,
    result: &str,
) -> Result<(), Refusal> {
    let sums = scope.make("Cast", &[sums], &[("to", Value::I(DataType::FLOAT.0.into()))]);
    let both = scope.make("Mul", &[a, b], &[]);
    let ratio = scope.make("Div", &[&both, y], &[]);
    let product = scope.make("Mul", &[&sums, &ratio], &[]);
    nearest(scope, &product, Some(point), kind, result)
}
