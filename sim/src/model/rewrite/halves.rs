//! Numbers of 16 bits with a fraction. The engine has them as `f32`, which holds all of them and many more: here the
//! result of each node is rounded to one that 16 bits hold. What is beyond them becomes infinite, as on a device.

use super::attributes::{Attributes, Value};
use super::numbers::hands_on;
use super::scope::Scope;
use rten_onnx::onnx::{DataType, NodeProto};

/// The first number that is rounded to infinity, once its last bits are gone.
const BEYOND: f32 = 65536.0;
/// The smallest number that has all eleven bits. Those below it are multiples of the same number.
const SMALLEST: f32 = 1.0 / 16384.0;
/// A number and this multiple of its power of two have a sum without the bits that are too many.
const SHIFT: f32 = 1.5 * 8192.0;
/// The power of two that makes `BEYOND`, and nothing below it, infinite.
const SCALE: i32 = 112;

/// Whether the results of a node may be numbers that its inputs do not have.
pub(super) fn are_calculated(scope: &Scope<'_>, node: &NodeProto) -> bool {
    match node.operator() {
        "Cast" | "CastLike" => scope.element(node.given(0)) != Some(DataType::FLOAT16),
        "Scatter" | "ScatterElements" | "ScatterND" => !matches!(node.text("reduction"), "" | "none"),
        "Constant" | "Dropout" | "Compress" | "SpaceToDepth" | "Scan" => false,
        name => !hands_on(name),
    }
}

/// Rounds those of a node's results that have 16 bits: the nodes from `first` on calculate them.
pub(super) fn round(scope: &mut Scope<'_>, first: usize, results: &[String]) {
    for name in results.iter().filter(|name| !name.is_empty()) {
        if scope.element(name) != Some(DataType::FLOAT16) {
            continue;
        }
        let exact = scope.fresh();
        for node in scope.nodes.iter_mut().skip(first) {
            node.input.iter_mut().chain(&mut node.output).filter(|other| *other == name).for_each(|other| {
                other.clone_from(&exact);
            });
        }
        let known = scope.known(name).cloned().unwrap_or_default();
        scope.know(&exact, known);
        rounded(scope, &exact, name);
    }
}

/// Rounds to the nearest, and to the even one of two.
fn rounded(scope: &mut Scope<'_>, value: &str, result: &str) {
    let bits = |scope: &mut Scope<'_>, value: &str| cast_bits(scope, value, DataType::INT32);
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let size = scope.make("Abs", &[value], &[]);
    let (all, without_sign) = (bits(scope, value), bits(scope, &size));
    let sign = two(scope, "Sub", &all, &without_sign);
    let constants = [BEYOND, SMALLEST, SHIFT, 2_f32.powi(SCALE), 2_f32.powi(-SCALE)];
    let [beyond, smallest, shift, up, down] = constants.map(|value| scope.float(value));
    let size = two(scope, "Min", &size, &beyond);
    // The power of two is what is left without the 23 bits behind it.
    let (all, behind) = (bits(scope, &size), scope.integer(1 << 23, DataType::INT32));
    let behind = two(scope, "Mod", &all, &behind);
    let power = two(scope, "Sub", &all, &behind);
    let power = cast_bits(scope, &power, DataType::FLOAT);
    let power = two(scope, "Max", &power, &smallest);
    let far = two(scope, "Mul", &power, &shift);
    let sum = two(scope, "Add", &size, &far);
    let near = two(scope, "Sub", &sum, &far);
    let large = two(scope, "Mul", &near, &up);
    let done = two(scope, "Mul", &large, &down);
    let done = bits(scope, &done);
    let signed = two(scope, "Add", &done, &sign);
    let to = [("to", Value::I(DataType::FLOAT.0.into()))];
    scope.make_as("BitCast", &[&signed], &to, &[result]);
}

fn cast_bits(scope: &mut Scope<'_>, value: &str, to: DataType) -> String {
    scope.make("BitCast", &[value], &[("to", Value::I(to.0.into()))])
}
