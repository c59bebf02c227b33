//! Normalizations that the standard defines by simpler operators.

use super::{output, shape};
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::{Known, Scope};
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

/// Refuses numbers that the simulator does not calculate with.
pub(super) fn plain_floats(scope: &Scope<'_>, name: &str) -> Result<(), Refusal> {
    match scope.element(name) {
        None | Some(DataType::FLOAT | DataType::FLOAT16) => Ok(()),
        Some(other) => Err(Refusal::because(format!(
            "its input `{name}` is of type {other}, which the simulator does not calculate"
        ))),
    }
}

/// What the engine has on numbers with a fraction only.
pub(super) fn fractions(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    plain_floats(scope, node.given(0))?;
    keep(scope, node)
}

/// Each element over a power of the mean of squares in the channels around it.
pub(super) fn local_response(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (x, result) = (node.given(0), output(node)?);
    plain_floats(scope, x)?;
    let size = node.int("size", 1);
    if !(1..=i32::MAX.into()).contains(&size) {
        return refuse("size", &size.to_string(), "it is at least 1, and 32 bits hold it");
    }
    let [alpha, beta, bias] = [node.float("alpha", 0.0001), node.float("beta", 0.75), node.float("bias", 1.0)]
        .map(|value| scope.float(value));
    let squares = scope.make("Mul", &[x, x], &[]);
    // The channels become an axis of space, with the rest of the axes behind it as another.
    let second = scope.list(&[1]);
    let image = scope.make("Unsqueeze", &[&squares, &second], &[]);
    let flat = scope.list(&[0, 0, 0, -1]);
    let image = scope.make("Reshape", &[&image, &flat], &[]);
    let less = (size - 1) / 2;
    let pads = [less, 0, size - 1 - less, 0];
    let mean = scope.make(
        "AveragePool",
        &[&image],
        &[
            ("kernel_shape", Value::Is(&[size, 1])),
            ("strides", Value::Is(&[1, 1])),
            ("pads", Value::Is(&pads)),
            ("count_include_pad", Value::I(1)),
        ],
    );
    let sizes = shape(scope, x);
    let mean = scope.make("Reshape", &[&mean, &sizes], &[("allowzero", Value::I(1))]);
    let scaled = scope.make("Mul", &[&mean, &alpha], &[]);
    let raised = scope.make("Add", &[&scaled, &bias], &[]);
    let power = scope.make("Pow", &[&raised, &beta], &[]);
    scope.make_as("Div", &[x, &power], &[], &[result]);
    Ok(())
}

/// Less the mean, over the root of the variance; with the mean and the inverse of the root.
fn normalized(scope: &mut Scope<'_>, x: &str, axes: &[i64], epsilon: f32) -> (String, String, String) {
    let (axes, epsilon) = (scope.list(axes), scope.float(epsilon));
    let mean = scope.make("ReduceMean", &[x, &axes], &[("keepdims", Value::I(1))]);
    let less = scope.make("Sub", &[x, &mean], &[]);
    let squares = scope.make("Mul", &[&less, &less], &[]);
    let variance = scope.make("ReduceMean", &[&squares, &axes], &[("keepdims", Value::I(1))]);
    let raised = scope.make("Add", &[&variance, &epsilon], &[]);
    let root = scope.make("Sqrt", &[&raised], &[]);
    let inverse = scope.make("Reciprocal", &[&root], &[]);
    (scope.make("Mul", &[&less, &inverse], &[]), mean, inverse)
}

/// Scale and bias are one for each group before opset 21, and one for each channel since.
pub(super) fn groups(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (x, result) = (node.given(0), output(node)?);
    plain_floats(scope, x)?;
    let by_group = scope.opset() < 21;
    let split = scope.list(&[0, node.int("num_groups", 1), -1]);
    let parts = scope.make("Reshape", &[x, &split], &[]);
    let (mut done, _, _) = normalized(scope, &parts, &[-1], node.float("epsilon", 1e-5));
    let sizes = shape(scope, x);
    if !by_group {
        done = scope.make("Reshape", &[&done, &sizes], &[("allowzero", Value::I(1))]);
        let channels = scope.list(&[0, 0, -1]);
        done = scope.make("Reshape", &[&done, &channels], &[]);
    }
    let last = scope.list(&[-1]);
    let scale = scope.make("Unsqueeze", &[node.given(1), &last], &[]);
    let bias = scope.make("Unsqueeze", &[node.given(2), &last], &[]);
    let scaled = scope.make("Mul", &[&done, &scale], &[]);
    let moved = scope.make("Add", &[&scaled, &bias], &[]);
    scope.make_as("Reshape", &[&moved, &sizes], &[("allowzero", Value::I(1))], &[result]);
    Ok(())
}

pub(super) fn mean_variance(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (x, result) = (node.given(0), output(node)?);
    plain_floats(scope, x)?;
    let axes = node.ints("axes").unwrap_or(&[0, 2, 3]).to_vec();
    let (axes, epsilon) = (scope.list(&axes), scope.float(1e-9));
    let mean = scope.make("ReduceMean", &[x, &axes], &[("keepdims", Value::I(1))]);
    let less = scope.make("Sub", &[x, &mean], &[]);
    let squares = scope.make("Mul", &[&less, &less], &[]);
    let variance = scope.make("ReduceMean", &[&squares, &axes], &[("keepdims", Value::I(1))]);
    let root = scope.make("Sqrt", &[&variance], &[]);
    let divisor = scope.make("Add", &[&root, &epsilon], &[]);
    scope.make_as("Div", &[&less, &divisor], &[], &[result]);
    Ok(())
}

/// The engine has the first output only.
pub(super) fn layer(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    if node.output.len() < 2 {
        return keep(scope, node);
    }
    let x = node.given(0).to_string();
    plain_floats(scope, &x)?;
    let Some(rank) = scope.rank(&x).and_then(|rank| i64::try_from(rank).ok()) else {
        return Err(Refusal::because("it has more outputs than `Y`, and the number of its input's axes is not known"));
    };
    let axes: Vec<i64> = (super::axis(node.int("axis", -1), rank)?..rank).collect();
    let (mut done, mean, inverse) = normalized(scope, &x, &axes, node.float("epsilon", 1e-5));
    done = scope.make("Mul", &[&done, node.given(1)], &[]);
    if node.has(2) {
        done = scope.make("Add", &[&done, node.given(2)], &[]);
    }
    for (name, value) in node.output.iter().zip([done, mean, inverse]).filter(|(name, _)| !name.is_empty()) {
        scope.make_as("Identity", &[&value], &[], &[name]);
    }
    // Whatever the type of the input is, these are calculated in FLOAT (`stash_type`).
    for name in node.output.iter().skip(1).filter(|name| !name.is_empty()) {
        let known = scope.known(name).cloned().unwrap_or_default();
        scope.know(name, Known { element: Some(DataType::FLOAT), ..known });
    }
    Ok(())
}
