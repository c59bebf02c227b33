//! Products, powers and shifts.

use super::{element, output};
use crate::model::rewrite::Refusal;
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::{Scope, is_float};
use rten_onnx::onnx::{DataType, NodeProto};

/// The engine keeps an axis of size one when the second factor is a vector and the first has more than two axes.
pub(super) fn product(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let (a, b) = (node.given(0), node.given(1));
    if scope.element(a).is_some_and(|element| !is_float(element)) {
        return integers(scope, &node);
    }
    match (scope.rank(a), scope.rank(b)) {
        (_, Some(1)) => vector(scope, &node),
        (_, Some(_)) => keep(scope, node),
        (_, None) => {
            let (sizes, two) = (scope.make("Shape", &[b], &[]), scope.integer(2, DataType::INT32));
            let axes = scope.make("Size", &[&sizes], &[]);
            let bad = scope.make("Less", &[&axes, &two], &[]);
            scope.check(bad, format!("MatMul: `{b}` is a vector, and the file does not say so"));
            keep(scope, node)
        }
    }
}

/// A product with a vector, which is a matrix of one column meanwhile.
fn vector(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (first, last) = (scope.list(&[0]), scope.list(&[-1]));
    let column = scope.make("Unsqueeze", &[node.given(1), &last], &[]);
    let is_vector = scope.rank(node.given(0)) == Some(1);
    let a = if is_vector { scope.make("Unsqueeze", &[node.given(0), &first], &[]) } else { node.given(0).to_string() };
    let product = scope.fresh();
    let mut inner = node.clone();
    inner.input = vec![a, column];
    inner.output = vec![product.clone()];
    keep(scope, inner)?;
    let product = if is_vector { scope.make("Squeeze", &[&product, &first], &[]) } else { product };
    scope.make_as("Squeeze", &[&product, &last], &[], &[output(node)?]);
    Ok(())
}

/// Of integers: each row times each column, summed up.
fn integers(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (a, b) = (node.given(0), node.given(1));
    let Some((rows, columns)) = scope.rank(a).zip(scope.rank(b)).filter(|(a, b)| *a > 0 && *b > 0) else {
        return Err(Refusal::because("it multiplies integers, and the number of its inputs' axes is not known"));
    };
    // A vector is a matrix of one row or one column meanwhile.
    let (a, b) = (as_matrix(scope, a, rows, 0), as_matrix(scope, b, columns, -1));
    let gone: Vec<i64> =
        [(rows, -2), (columns, -1)].iter().filter(|(rank, _)| *rank == 1).map(|(_, axis)| *axis).collect();
    let result = if gone.is_empty() { output(node)?.to_string() } else { scope.fresh() };
    let [last, third, second] = [-1, -3, -2].map(|axis| scope.list(&[axis]));
    let rows = scope.make("Unsqueeze", &[&a, &last], &[]);
    let columns = scope.make("Unsqueeze", &[&b, &third], &[]);
    let products = scope.fresh();
    let binary = |operator: &str, inputs: [&str; 2], output: &str| NodeProto {
        op_type: Some(operator.to_string()),
        input: inputs.map(str::to_string).to_vec(),
        output: vec![output.to_string()],
        ..Default::default()
    };
    keep(scope, binary("Mul", [&rows, &columns], &products))?;
    let mut sum = binary("ReduceSum", [&products, &second], &result);
    sum.attribute.push(super::super::attributes::attribute("keepdims", &Value::I(0)));
    keep(scope, sum)?;
    if !gone.is_empty() {
        let gone = scope.list(&gone);
        scope.make_as("Squeeze", &[&result, &gone], &[], &[output(node)?]);
    }
    Ok(())
}

fn as_matrix(scope: &mut Scope<'_>, value: &str, rank: usize, axis: i64) -> String {
    if rank > 1 {
        return value.to_string();
    }
    let axis = scope.list(&[axis]);
    scope.make("Unsqueeze", &[value, &axis], &[])
}

/// A zero point of one element stands for all rows or columns.
pub(super) fn integer_product(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    super::scalars(scope, &mut node, &[2, 3]);
    super::narrow::in_parts(scope, node, 0, 2)
}

/// Up to here `f32` has every integer.
const EXACT: f32 = 16_777_216.0;

/// A quotient as `f32` has it: by a single number the engine multiplies by its inverse instead.
pub(super) fn quotient(scope: &mut Scope<'_>, a: &str, b: &str) -> String {
    let last = scope.list(&[-1]);
    let a = scope.make("Unsqueeze", &[a, &last], &[]);
    let b = scope.make("Unsqueeze", &[b, &last], &[]);
    let pair = scope.make("Concat", &[&b, &b], &[("axis", Value::I(-1))]);
    let both = scope.make("Div", &[&a, &pair], &[]);
    let first = scope.integer(0, DataType::INT64);
    scope.make("Gather", &[&both, &first], &[("axis", Value::I(-1))])
}

/// The engine spreads a second operand of one element over the first, whatever its axes are.
pub(super) fn spread(scope: &mut Scope<'_>, node: &mut NodeProto) {
    let (a, b) = (node.given(0).to_string(), node.given(1).to_string());
    let ranks = (scope.rank(&a), scope.rank(&b));
    if matches!(ranks, (_, Some(0))) || matches!(ranks, (Some(a), Some(b)) if a >= b) {
        return;
    }
    if scope.dims(&b).is_some_and(|dims| dims.iter().any(|dim| dim.is_some_and(|size| size > 1))) {
        return;
    }
    let sizes = super::shape(scope, &b);
    let spread = scope.make("Expand", &[&a, &sizes], &[]);
    if let Some(name) = node.input.get_mut(0) {
        *name = spread;
    }
}

/// By a single number the engine multiplies by its inverse, which is another number, unless it is a power of two.
pub(super) fn divide(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let mut node = super::legacy::broadcast(scope, node)?;
    spread(scope, &mut node);
    let (a, b) = (node.given(0).to_string(), node.given(1).to_string());
    let is_float = scope.element(&a).or(scope.element(&b)).is_none_or(is_float);
    let is_many = scope.dims(&b).is_some_and(|dims| dims.iter().any(|dim| dim.is_some_and(|size| size > 1)));
    let are_exact = |all: &[f32]| all.iter().copied().all(super::has_exact_inverse);
    if !is_float || is_many || scope.floats(&b).is_some_and(are_exact) {
        return keep(scope, node);
    }
    super::super::numbers::doubles(scope, &node)?;
    // The last axis of which it is known that it has several elements: along it the divisor is several, too.
    let dims = scope.dims(&a).unwrap_or_default();
    let rank = i64::try_from(dims.len()).unwrap_or(0);
    let long = dims.iter().rev().zip(0..).find_map(|(dim, behind)| Some((dim.filter(|size| *size > 1)?, behind)));
    let few = long.filter(|(size, _)| *size <= 1 << 16);
    let Some((size, behind)) =
        few.filter(|_| scope.dims(&b).is_some_and(|dims| dims.iter().all(|dim| *dim == Some(1))))
    else {
        let done = quotient(scope, &a, &b);
        scope.make_as("Identity", &[&done], &[], &[output(&node)?]);
        return Ok(());
    };
    scope.assume(&a, rank - 1 - behind, size);
    let mut sizes = vec![size];
    sizes.resize(1 + usize::try_from(behind).unwrap_or(0), 1);
    let sizes = scope.list(&sizes);
    let many = scope.make("Expand", &[&b, &sizes], &[]);
    if let Some(name) = node.input.get_mut(1) {
        *name = many;
    }
    keep(scope, node)
}

/// The engine has powers of a type to the same type, and of integers to `f32`.
pub(super) fn power(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let mut node = super::legacy::broadcast(scope, node)?;
    spread(scope, &mut node);
    let (base, exponent) = (scope.element(node.given(0)), scope.element(node.given(1)));
    match (base.map(is_float), exponent.map(is_float)) {
        (Some(true), Some(false)) => {
            let cast = scope.cast(node.given(1), DataType::FLOAT);
            if let Some(name) = node.input.get_mut(1) {
                *name = cast;
            }
        }
        (Some(false), Some(true)) => {
            let (base, most) = (scope.cast(node.given(0), DataType::FLOAT), scope.float(EXACT));
            let power = scope.make("Pow", &[&base, node.given(1)], &[]);
            let size = scope.make("Abs", &[&power], &[]);
            let held = scope.make("LessOrEqual", &[&size, &most], &[]);
            let bad = scope.make("Not", &[&held], &[]);
            scope.check(bad, "Pow: a power of an integer is one that f32 does not hold".to_string());
        }
        (Some(false), Some(false)) => {
            let zero = scope.integer(0, DataType::INT32);
            let exponent = scope.cast(node.given(1), DataType::INT32);
            let bad = scope.make("Less", &[&exponent, &zero], &[]);
            scope.check(bad, "Pow: an exponent of an integer is below 0".to_string());
        }
        _ => {}
    }
    keep(scope, node)
}

/// Shifts are products and quotients by powers of two.
pub(super) fn complement(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let kind = element(scope, node.given(0))?;
    let top = match kind {
        DataType::INT8 | DataType::INT16 | DataType::INT32 | DataType::INT64 => -1,
        DataType::UINT8 => 255,
        DataType::UINT16 => 65535,
        _ => return Err(Refusal::because(format!("the simulator does not hold all bits of type {kind}"))),
    };
    let (value, top) = (scope.cast(node.given(0), DataType::INT32), scope.integer(top, DataType::INT32));
    let done = scope.make("Sub", &[&top, &value], &[]);
    match kind {
        DataType::INT8 | DataType::UINT8 => {
            scope.make_as("Cast", &[&done], &[("to", Value::I(kind.0.into()))], &[output(node)?]);
        }
        _ => scope.make_as("Identity", &[&done], &[], &[output(node)?]),
    }
    Ok(())
}
