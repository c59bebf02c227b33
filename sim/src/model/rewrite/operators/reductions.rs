//! Reductions over no axes, and ranges.

use super::output;
use crate::model::rewrite::attributes::{Attributes, Value, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::{Scope, is_float};
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

/// Whether the engine, which adds the step until the sum is at the end or beyond it, comes there within 32 bits.
fn ends_in_time(scope: &Scope<'_>, start: &str, end: &str, step: &str) -> bool {
    let one = |name: &str| match scope.integers(name) {
        Some(&[value]) => Some(value),
        _ => None,
    };
    // Integers of fewer bits have room for one step more.
    let is_whole = |kind| matches!(kind, DataType::INT32 | DataType::INT64 | DataType::UINT32 | DataType::UINT64);
    match (one(end), one(step)) {
        _ if !scope.element(start).is_none_or(is_whole) => true,
        (_, Some(-1 | 1)) => true,
        (Some(end), Some(step)) => i32::try_from(end.saturating_add(step)).is_ok(),
        _ => false,
    }
}

/// A range of integers, each calculated from its place.
fn counted(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let result = output(node)?;
    let kind = scope.element(node.given(0)).unwrap_or(DataType::INT32);
    let [zero, one] = [0, 1].map(|value| scope.integer(value, kind));
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let (start, end, step) = (node.given(0), node.given(1), node.given(2));
    let none = two(scope, "Equal", step, &zero);
    scope.check(none.clone(), format!("Range: its step `{step}` is 0"));
    let step = scope.make("Where", &[&none, &one, step], &[]);
    let length = two(scope, "Sub", end, start);
    let [backwards, negative] = [(end, start), (length.as_str(), zero.as_str())].map(|(a, b)| two(scope, "Less", a, b));
    // A difference that 32 bits do not hold has the other sign.
    let bad = two(scope, "Xor", &backwards, &negative);
    scope.check(bad, format!("Range: from `{start}` to `{end}` is further than 32 bits hold"));
    let whole = two(scope, "Div", &length, &step);
    let covered = two(scope, "Mul", &whole, &step);
    let rest = two(scope, "Sub", &length, &covered);
    // A rest in the direction of the step holds one element more.
    let [rest, direction] = [&rest, &step].map(|value| scope.make("Sign", &[value], &[]));
    let more = two(scope, "Equal", &rest, &direction);
    let more = scope.make("Where", &[&more, &one, &zero], &[]);
    let count = two(scope, "Add", &whole, &more);
    let places = scope.make("Range", &[&zero, &count, &one], &[]);
    let steps = two(scope, "Mul", &places, &step);
    scope.make_as("Add", &[&steps, start], &[], &[result]);
    Ok(())
}

/// Over no axes nothing is added up, but absolute values, squares and logarithms are still taken.
pub(super) fn reduce(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    if node.int("noop_with_empty_axes", 0) == 0 {
        let mut node = without(&node, &["noop_with_empty_axes"]);
        // A list without axes stands for all of them. The engine calculates so, but takes it for none in the shapes.
        if node.has(1) && scope.dims(node.given(1)) == Some(&[Some(0)]) {
            node.input.truncate(1);
        }
        return over_axes(scope, node);
    }
    let by_attribute = node.ints("axes").is_some_and(|axes| !axes.is_empty());
    let count = if node.has(1) { scope.dims(node.given(1)).map(<[_]>::to_vec) } else { Some(vec![Some(0)]) };
    match count.as_deref() {
        _ if by_attribute => over_axes(scope, node),
        Some([Some(0)]) => over_none(scope, &node),
        Some([Some(_)] | []) => over_axes(scope, without(&node, &["noop_with_empty_axes"])),
        _ => refuse("noop_with_empty_axes", "1", "it is not known whether its input `axes` is empty"),
    }
}

fn over_axes(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let is_whole = |kind| matches!(kind, DataType::INT32 | DataType::INT64 | DataType::UINT32 | DataType::UINT64);
    match node.operator() {
        "ReduceMean" if scope.element(node.given(0)).is_some_and(is_whole) => whole_mean(scope, node),
        "ReduceMean" | "ReduceL2" | "ReduceLogSum" | "ReduceLogSumExp" => super::normalizations::fractions(scope, node),
        _ => keep(scope, node),
    }
}

/// A sum over how many there are, cut off towards zero. The engine has a mean of numbers with a fraction only.
fn whole_mean(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let (x, result) = (node.given(0).to_string(), output(&node)?.to_string());
    let mut sum = without(&node, &["axes"]);
    sum.op_type = Some("ReduceSum".to_string());
    if let Some(axes) = node.ints("axes").filter(|axes| !axes.is_empty()) {
        let axes = scope.list(axes);
        sum.input = vec![x.clone(), axes];
    }
    let total = scope.fresh();
    sum.output = vec![total.clone()];
    keep(scope, sum)?;
    let (all, left) = (scope.make("Size", &[&x], &[]), scope.make("Size", &[&total], &[]));
    let bad = scope.make("Less", &[&all, &left], &[]);
    scope.check(bad, "ReduceMean: there is no mean of no integers".to_string());
    let one = scope.integer(1, DataType::INT64);
    let left = scope.make("Max", &[&left, &one], &[]);
    let each = scope.make("Div", &[&all, &left], &[]);
    let each = scope.make("Max", &[&each, &one], &[]);
    scope.make_as("Div", &[&total, &each], &[], &[&result]);
    Ok(())
}

fn over_none(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let x = node.given(0).to_string();
    let (operator, inputs) = match node.operator() {
        "ReduceL1" | "ReduceL2" => ("Abs", vec![x]),
        "ReduceSumSquare" => ("Mul", vec![x.clone(), x]),
        "ReduceLogSum" => ("Log", vec![x]),
        _ => ("Identity", vec![x]),
    };
    let (operator, output) = (Some(operator.to_string()), vec![output(node)?.to_string()]);
    keep(scope, NodeProto { op_type: operator, input: inputs, output, ..Default::default() })
}

/// The engine adds steps up while the sum is below the end: rounding can make one step too many. The standard divides.
pub(super) fn range(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let [start, end, step] = [0, 1, 2].map(|index| node.given(index).to_string());
    if scope.element(&start).is_none_or(|element| !is_float(element)) {
        return if ends_in_time(scope, &start, &end, &step) { keep(scope, node) } else { counted(scope, &node) };
    }
    super::normalizations::plain_floats(scope, &start)?;
    let first = scope.list(&[0]);
    let steps = count_steps(scope, &start, &end, &step);
    let (nothing, most) = (scope.float(0.0), scope.float(2_147_483_520.0));
    let steps = scope.make("Max", &[&steps, &nothing], &[]);
    let few = scope.make("LessOrEqual", &[&steps, &most], &[]);
    let bad = scope.make("Not", &[&few], &[]);
    scope.check(bad, format!("Range: from `{start}` to `{end}` by `{step}` are more elements than 32 bits count"));
    let steps = scope.make("Cast", &[&steps], &[("to", Value::I(DataType::INT64.0.into()))]);
    let count = scope.make("Unsqueeze", &[&steps, &first], &[]);
    // The first element and all steps, added up; there is one more of them than the range has elements.
    let steps = scope.make("Expand", &[&step, &count], &[]);
    let start = scope.make("Unsqueeze", &[&start, &first], &[]);
    let all = scope.make("Concat", &[&start, &steps], &[("axis", Value::I(0))]);
    let axis = scope.integer(0, DataType::INT32);
    let sums = scope.make("CumSum", &[&all, &axis], &[]);
    scope.make_as("Slice", &[&sums, &first, &count], &[], &[output(&node)?]);
    Ok(())
}

/// How many steps lead from the start to the end. The standard divides with more digits than the engine has, and the last
/// of them decide where the end is a step: of the numbers around the quotient, those count whose step is before the end.
fn count_steps(scope: &mut Scope<'_>, start: &str, end: &str, step: &str) -> String {
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let length = two(scope, "Sub", end, start);
    let ratio = super::matrices::quotient(scope, &length, step);
    let near = scope.make("Floor", &[&ratio], &[]);
    let around = scope.floats_of(&[3], &[-1.0, 0.0, 1.0]);
    let numbers = two(scope, "Add", &around, &near);
    // What the length was rounded by.
    let back = two(scope, "Sub", &length, end);
    let first = two(scope, "Sub", &length, &back);
    let (first, back) = (two(scope, "Sub", end, &first), two(scope, "Add", &back, start));
    let lost_of_length = two(scope, "Sub", &first, &back);
    // What the products were rounded by: their halves have products without rounding.
    let product = two(scope, "Mul", &numbers, step);
    let ([n_high, n_low], [s_high, s_low]) = (halves(scope, &numbers), halves(scope, step));
    let parts = [(&n_high, &s_high), (&n_high, &s_low), (&n_low, &s_high), (&n_low, &s_low)];
    let [first, rest @ ..] = parts.map(|(a, b)| two(scope, "Mul", a, b));
    let lost = two(scope, "Sub", &first, &product);
    let lost = rest.into_iter().fold(lost, |lost, part| two(scope, "Add", &lost, &part));
    let left = two(scope, "Sub", &length, &product);
    let rounding = two(scope, "Sub", &lost_of_length, &lost);
    let left = two(scope, "Add", &left, &rounding);
    let (zero, one) = (scope.float(0.0), scope.float(1.0));
    let forward = two(scope, "Greater", step, &zero);
    let (before, behind) = (two(scope, "Greater", &left, &zero), two(scope, "Less", &left, &zero));
    let counts = scope.make("Where", &[&forward, &before, &behind], &[]);
    let counts = scope.cast(&counts, DataType::FLOAT);
    let counts = scope.make("ReduceSum", &[&counts], &[("keepdims", Value::I(0))]);
    let lowest = two(scope, "Sub", &near, &one);
    let found = two(scope, "Add", &lowest, &counts);
    // Far from zero the numbers have no neighbours, and what is not finite has none at all.
    let (most, size) = (scope.float(1_048_576.0), scope.make("Abs", &[&ratio], &[]));
    let is_small = two(scope, "Less", &size, &most);
    let far = scope.make("Ceil", &[&ratio], &[]);
    scope.make("Where", &[&is_small, &found, &far], &[])
}

/// Two numbers of half the digits whose sum this is.
fn halves(scope: &mut Scope<'_>, value: &str) -> [String; 2] {
    let factor = scope.float(4097.0);
    let far = scope.make("Mul", &[value, &factor], &[]);
    let near = scope.make("Sub", &[&far, value], &[]);
    let high = scope.make("Sub", &[&far, &near], &[]);
    let low = scope.make("Sub", &[value, &high], &[]);
    [high, low]
}
