//! Shifts of bits, written as products and quotients with powers of two.

use super::matrices::spread;
use super::{element, output};
use crate::model::rewrite::attributes::Attributes;
use crate::model::rewrite::numbers::cast;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

const I32: DataType = DataType::INT32;

pub(super) fn shift(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (value, count, result) = (node.given(0), node.given(1), output(node)?);
    let kind = element(scope, value)?;
    let bits = match kind {
        DataType::UINT8 => 8,
        DataType::UINT16 => 16,
        DataType::UINT32 => 32,
        DataType::UINT64 => 64,
        _ => return Err(Refusal::because(format!("the simulator does not shift integers of type {kind}"))),
    };
    let (value, count) = (scope.cast(value, I32), scope.cast(count, I32));
    let shifted = match node.text("direction") {
        "LEFT" if bits > 16 => far_left(scope, &value, &count, bits, &kind.to_string()),
        "LEFT" => left(scope, &value, &count, bits),
        "RIGHT" => right(scope, value, &count),
        other => return refuse("direction", other, "it is LEFT or RIGHT"),
    };
    cast(scope, &shifted, kind, result)
}

/// Two to the power of `count`, which is kept below `most`, and at 0 at least.
fn power(scope: &mut Scope<'_>, count: &str, most: i32) -> String {
    let [zero, most, two] = [0, most, 2].map(|value| scope.integer(value, I32));
    let count = scope.make("Min", &[count, &most], &[]);
    let count = scope.make("Max", &[&count, &zero], &[]);
    scope.make("Pow", &[&two, &count], &[])
}

fn right(scope: &mut Scope<'_>, value: String, count: &str) -> String {
    // A value has 31 bits at most: as many places leave nothing.
    let [zero, all] = [0, 31].map(|value| scope.integer(value, I32));
    let factor = power(scope, count, 30);
    let mut quotient = NodeProto { input: vec![value, factor], ..Default::default() };
    spread(scope, &mut quotient);
    let rest = scope.make("Div", &[quotient.given(0), quotient.given(1)], &[]);
    let some = scope.make("Less", &[count, &all], &[]);
    scope.make("Where", &[&some, &rest, &zero], &[])
}

fn left(scope: &mut Scope<'_>, value: &str, count: &str, bits: i32) -> String {
    let factor = power(scope, count, bits);
    let all = scope.integer(1 << bits, I32);
    // Within 32 bits: what would be shifted out is taken away before.
    let rest = scope.make("Div", &[&all, &factor], &[]);
    let kept = scope.make("Mod", &[value, &rest], &[]);
    scope.make("Mul", &[&kept, &factor], &[])
}

/// Of a type that has more bits than the 31 that are calculated with. A run in which another bit would be set fails.
fn far_left(scope: &mut Scope<'_>, value: &str, count: &str, bits: i32, kind: &str) -> String {
    let [zero, one, width, known] = [0, 1, bits, 31].map(|value| scope.integer(value, I32));
    // The bits of the value that are not shifted out of the type: all, or this many of the lowest.
    let staying = scope.make("Sub", &[&width, count], &[]);
    let some = scope.make("Less", &[&staying, &known], &[]);
    let bound = power(scope, &staying, 30);
    let lowest = scope.make("Mod", &[value, &bound], &[]);
    let staying = scope.make("Where", &[&some, &lowest, value], &[]);
    // Those of them that are not shifted behind the 31.
    let fitting = scope.make("Sub", &[&known, count], &[]);
    let whole = scope.make("Less", &[count, &one], &[]);
    let bound = power(scope, &fitting, 30);
    let fitting = scope.make("Mod", &[&staying, &bound], &[]);
    let fitting = scope.make("Where", &[&whole, &staying, &fitting], &[]);
    let same = scope.make("Equal", &[&staying, &fitting], &[]);
    let bad = scope.make("Not", &[&same], &[]);
    scope.check(bad, format!("the result has more than the 31 bits that the simulator has of {kind}"));
    let factor = power(scope, count, 30);
    let product = scope.make("Mul", &[&fitting, &factor], &[]);
    // From 31 places on nothing is left, or it was told.
    let near = scope.make("Less", &[count, &known], &[]);
    scope.make("Where", &[&near, &product, &zero], &[])
}
