//! Products of integers of 8 bits. On processors without instructions for them the engine adds two products in 16 bits,
//! and a sum that does not fit is cut off without a word. Here one factor is made of two parts that are small enough.

use super::{element, output};
use crate::model::rewrite::Refusal;
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use rten_onnx::onnx::{DataType, NodeProto};

/// Twice as much, times -128, is what 16 bits have, and so is the rest of 255.
const HALF: i32 = 127;
/// From signed bytes to bytes.
const SHIFT: i32 = 128;

/// Adds a `MatMulInteger` or `ConvInteger` whose `factor`, with its zero point `point`, is the one that the engine takes
/// for bytes without a sign.
pub(super) fn in_parts(scope: &mut Scope<'_>, mut node: NodeProto, factor: usize, point: usize) -> Result<(), Refusal> {
    let signed = match element(scope, node.given(factor))? {
        DataType::UINT8 => false,
        DataType::INT8 => true,
        kind => return Err(Refusal::because(format!("`{}` has type {kind}", node.given(factor)))),
    };
    let result = output(&node)?.to_string();
    let wide = bytes(scope, node.given(factor), signed);
    let most = scope.integer(HALF, DataType::INT32);
    let low = scope.make("Min", &[&wide, &most], &[]);
    let high = scope.make("Sub", &[&wide, &low], &[]);
    let [low, high] = [low, high].map(|part| narrowed(scope, &part));
    let zero = match (node.has(point), signed) {
        (true, _) => {
            let zero = bytes(scope, node.given(point), signed);
            narrowed(scope, &zero)
        }
        (false, true) => scope.integer(SHIFT, DataType::UINT8),
        (false, false) => String::new(),
    };
    node.input.resize(4, String::new());
    let mut sums = Vec::new();
    // The zero point is taken away once.
    for (part, zero) in [(low, zero), (high, String::new())] {
        let mut one = node.clone();
        for (index, name) in [(factor, part), (point, zero)] {
            if let Some(input) = one.input.get_mut(index) {
                *input = name;
            }
        }
        let sum = scope.fresh();
        one.output = vec![sum.clone()];
        keep(scope, one)?;
        sums.push(sum);
    }
    let sums: Vec<&str> = sums.iter().map(String::as_str).collect();
    scope.make_as("Add", &sums, &[], &[&result]);
    Ok(())
}

/// In 32 bits, from 0 to 255.
fn bytes(scope: &mut Scope<'_>, value: &str, signed: bool) -> String {
    let wide = scope.cast(value, DataType::INT32);
    if !signed {
        return wide;
    }
    let shift = scope.integer(SHIFT, DataType::INT32);
    scope.make("Add", &[&wide, &shift], &[])
}

fn narrowed(scope: &mut Scope<'_>, value: &str) -> String {
    scope.make("Cast", &[value], &[("to", Value::I(DataType::UINT8.0.into()))])
}
