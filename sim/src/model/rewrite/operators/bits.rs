//! Operators on the bits of integers, which the engine does not have: each bit becomes a number of an axis of its own.

use super::{element, output};
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::numbers;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

/// `BitwiseAnd`, `BitwiseOr`, `BitwiseXor`. A number of fewer bits than 32 has the same bits as that of 32.
pub(super) fn bitwise(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (a, b, result) = (node.given(0), node.given(1), output(node)?);
    let kind = element(scope, a)?;
    let known = [
        DataType::INT8,
        DataType::UINT8,
        DataType::INT16,
        DataType::UINT16,
        DataType::INT32,
        DataType::UINT32,
        DataType::INT64,
        DataType::UINT64,
    ];
    if !known.contains(&kind) {
        return refuse("T", &kind.to_string(), "it is a type of integers");
    }
    let [(bits_a, sign_a), (bits_b, sign_b)] = [a, b].map(|value| taken_apart(scope, value));
    let name = node.operator().to_string();
    let (bits, sign) = (joined(scope, &name, &bits_a, &bits_b), joined(scope, &name, &sign_a, &sign_b));
    let worth = powers(scope);
    let parts = scope.make("Mul", &[&bits, &worth], &[]);
    let last = scope.list(&[-1]);
    let below = scope.make("ReduceSum", &[&parts, &last], &[("keepdims", Value::I(0))]);
    let lowest = scope.integer(i32::MIN, DataType::INT32);
    let above = scope.make("Mul", &[&sign, &lowest], &[]);
    let all = scope.make("Add", &[&below, &above], &[]);
    numbers::cast(scope, &all, kind, result)
}

/// The 31 lower bits along a new last axis, and the highest one, which is that of negative numbers.
fn taken_apart(scope: &mut Scope<'_>, value: &str) -> (String, String) {
    let value = scope.cast(value, DataType::INT32);
    let zero = scope.integer(0, DataType::INT32);
    let negative = scope.make("Less", &[&value, &zero], &[]);
    let sign = scope.cast(&negative, DataType::INT32);
    let last = scope.list(&[-1]);
    let column = scope.make("Unsqueeze", &[&value, &last], &[]);
    let worth = powers(scope);
    // Rounded down: what is left over is taken away before, and is never negative.
    let over = scope.make("Mod", &[&column, &worth], &[]);
    let even = scope.make("Sub", &[&column, &over], &[]);
    let shifted = scope.make("Div", &[&even, &worth], &[]);
    let two = scope.integer(2, DataType::INT32);
    (scope.make("Mod", &[&shifted, &two], &[]), sign)
}

/// Of numbers that are zero or one.
fn joined(scope: &mut Scope<'_>, name: &str, a: &str, b: &str) -> String {
    match name {
        "BitwiseAnd" => scope.make("Mul", &[a, b], &[]),
        "BitwiseOr" => scope.make("Max", &[a, b], &[]),
        _ => {
            let difference = scope.make("Sub", &[a, b], &[]);
            scope.make("Mul", &[&difference, &difference], &[])
        }
    }
}

fn powers(scope: &mut Scope<'_>) -> String {
    let powers: Vec<i64> = (0..31).map(|place| 1 << place).collect();
    let list = scope.list(&powers);
    scope.cast(&list, DataType::INT32)
}
