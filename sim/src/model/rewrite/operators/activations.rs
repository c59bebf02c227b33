//! Functions of single elements, and the softmaxes.

use super::{indices, output, shape, size_of};
use crate::model::rewrite::attributes::{Attributes, Value, with};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::{Known, Scope, is_float};
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

/// Before opset 13 a softmax was one of two axes: those before `axis`, and those from it on.
pub(super) fn softmax(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    if scope.opset() >= 13 {
        return keep(scope, node);
    }
    let axis = node.int("axis", 1);
    let rank = scope.rank(node.given(0)).and_then(|rank| i64::try_from(rank).ok());
    if axis == -1 || rank.is_some_and(|rank| axis == rank - 1) {
        return keep(scope, with(&node, "axis", Value::I(-1)));
    }
    super::normalizations::plain_floats(scope, node.given(0))?;
    let (operator, result) = (node.operator().to_string(), output(&node)?.to_string());
    let (flat, sizes) = (flattened(scope, node.given(0), axis), shape(scope, node.given(0)));
    let done = scope.make(&operator, &[&flat], &[("axis", Value::I(-1))]);
    scope.make_as("Reshape", &[&done, &sizes], &[("allowzero", Value::I(1))], &[&result]);
    Ok(())
}

fn flattened(scope: &mut Scope<'_>, value: &str, axis: i64) -> String {
    scope.make("Flatten", &[value], &[("axis", Value::I(axis))])
}

/// One where the first greatest element is, and zero elsewhere.
pub(super) fn hardmax(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let result = output(node)?;
    let old = scope.opset() < 13;
    let axis = node.int("axis", if old { 1 } else { -1 });
    let input = if old { flattened(scope, node.given(0), axis) } else { node.given(0).to_string() };
    let axis = if old { -1 } else { axis };
    let first = indices::first(scope, "ArgMax", &input, axis, false, false);
    let depth = size_of(scope, &input, axis);
    let values = scope.floats_of(&[2], &[0.0, 1.0]);
    let hot = scope.make("OneHot", &[&first, &depth, &values], &[("axis", Value::I(axis))]);
    let sizes = shape(scope, node.given(0));
    scope.make_as("Reshape", &[&hot, &sizes], &[("allowzero", Value::I(1))], &[result]);
    Ok(())
}

/// The engine's sign of zero is one.
pub(super) fn sign(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (input, result) = (node.given(0), output(node)?);
    let element = super::element(scope, input)?;
    let narrow = matches!(element, DataType::INT8 | DataType::UINT8);
    let value = if narrow { scope.cast(input, DataType::INT32) } else { input.to_string() };
    let zero = scope.zero_like(&value);
    let one = |scope: &mut Scope<'_>, one: i16| match is_float(element) {
        true => scope.float(one.into()),
        false => scope.integer(one.into(), DataType::INT32),
    };
    let (plus, minus) = (one(scope, 1), one(scope, -1));
    let above = scope.make("Greater", &[&value, &zero], &[]);
    let below = scope.make("Less", &[&value, &zero], &[]);
    // Zero times itself is zero, and what is no number stays none.
    let rest = scope.make("Mul", &[&value, &zero], &[]);
    let negative = scope.make("Where", &[&below, &minus, &rest], &[]);
    let done = scope.make("Where", &[&above, &plus, &negative], &[]);
    match narrow {
        true => scope.make_as("Cast", &[&done], &[("to", Value::I(element.0.into()))], &[result]),
        false => scope.make_as("Identity", &[&done], &[], &[result]),
    }
    Ok(())
}

/// At inference a dropout hands its input on.
pub(super) fn dropout(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let training = match (scope.opset(), node.has(2)) {
        (12.., true) => scope.integers(node.given(2)).is_none_or(|mode| mode != [0]),
        _ => false,
    };
    let ratio = scope.floats(node.given(1)).map(<[_]>::to_vec);
    if training && ratio.is_none_or(|ratio| ratio != [0.0]) {
        return Err(Refusal::because(
            "its input `training_mode` is not known to be false; the simulator does not train",
        ));
    }
    let Some(result) = node.output.first() else { return Ok(()) };
    scope.make_as("Identity", &[node.given(0)], &[], &[result]);
    if let Some(mask) = node.output.get(1) {
        let sizes = shape(scope, node.given(0));
        // Before opset 10 the mask was of the input's type.
        let old = scope.opset() < 10;
        let kept = if old { scope.float(1.0) } else { scope.integer(1, DataType::BOOL) };
        scope.make_as("Expand", &[&kept, &sizes], &[], &[mask]);
        if old {
            let known = scope.known(mask).cloned().unwrap_or_default();
            let element = scope.element(node.given(0));
            scope.know(mask, Known { element, ..known });
        }
    }
    Ok(())
}

/// The engine makes zero of what is no number, and has it on numbers with a fraction only.
pub(super) fn rectified(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    let zero = scope.zero_like(node.given(0));
    node.op_type = Some("Max".to_string());
    node.attribute.clear();
    node.input.push(zero);
    keep(scope, node)
}

/// The engine makes a bound of what is no number.
pub(super) fn clip(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    let Some(element) = scope.element(node.given(0)).filter(|element| is_float(*element)) else {
        return keep(scope, node);
    };
    super::scalars(scope, &mut node, &[1, 2]);
    let most = if element == DataType::FLOAT16 { 65504.0 } else { f32::MAX };
    let bounds = [("Max", "min", 1, -most), ("Min", "max", 2, most)];
    let mut value = node.given(0).to_string();
    for (operator, name, index, otherwise) in bounds {
        let bound = match (node.has(index), node.attribute(name).and_then(|bound| bound.f)) {
            (true, _) => node.given(index).to_string(),
            (false, given) => scope.float(given.unwrap_or(otherwise)),
        };
        let (input, kept) = (vec![value, bound], scope.fresh());
        let operator = Some(operator.to_string());
        keep(scope, NodeProto { op_type: operator, input, output: vec![kept.clone()], ..Default::default() })?;
        value = kept;
    }
    scope.make_as("Identity", &[&value], &[], &[output(&node)?]);
    Ok(())
}

/// Functions that are near to simpler ones where the engine's way to calculate them overflows.
pub(super) fn far(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let (x, result) = (node.given(0).to_string(), output(&node)?.to_string());
    super::normalizations::plain_floats(scope, &x)?;
    if node.operator() == "Softplus" {
        let [above, rest] = softplus(scope, &x);
        scope.make_as("Add", &[&above, &rest], &[], &[&result]);
        return Ok(());
    }
    let size = scope.make("Abs", &[&x], &[]);
    let (far, two) = (scope.float(1e9), scope.float(std::f32::consts::LN_2));
    let operator = node.operator().to_string();
    let near = scope.make(&operator, &[&x], &[]);
    let log = scope.make("Log", &[&size], &[]);
    let log = scope.make("Add", &[&log, &two], &[]);
    let log = match operator.as_str() {
        "Asinh" => {
            let (zero, minus) = (scope.float(0.0), scope.make("Neg", &[&log], &[]));
            let below = scope.make("Less", &[&x, &zero], &[]);
            scope.make("Where", &[&below, &minus, &log], &[])
        }
        _ => log,
    };
    let measure = if operator == "Asinh" { &size } else { &x };
    let beyond = scope.make("Greater", &[measure, &far], &[]);
    scope.make_as("Where", &[&beyond, &log, &near], &[], &[&result]);
    Ok(())
}

/// Two values whose sum is the softplus of `x`. The engine has infinity for what is above 88.
pub(super) fn softplus(scope: &mut Scope<'_>, x: &str) -> [String; 2] {
    let (zero, one) = (scope.float(0.0), scope.float(1.0));
    let size = scope.make("Abs", &[x], &[]);
    let less = scope.make("Neg", &[&size], &[]);
    let power = scope.make("Exp", &[&less], &[]);
    let sum = scope.make("Add", &[&power, &one], &[]);
    let rest = scope.make("Log", &[&sum], &[]);
    [scope.make("Max", &[x, &zero], &[]), rest]
}

pub(super) fn curve(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (x, result, operator) = (node.given(0), output(node)?, node.operator());
    if scope.element(x).is_some_and(|element| !is_float(element)) {
        return Err(Refusal::because("the simulator has it on numbers with a fraction only"));
    }
    if scope.element(x) == Some(DataType::DOUBLE) {
        return Err(Refusal::because(format!(
            "its input `{x}` is of type DOUBLE, and the simulator would calculate it in f32"
        )));
    }
    match operator {
        "Selu" => {
            let gamma = scope.float(node.float("gamma", 1.050_701));
            let inner = scope.make("Elu", &[x], &[("alpha", Value::F(node.float("alpha", 1.673_263_2)))]);
            scope.make_as("Mul", &[&inner, &gamma], &[], &[result]);
        }
        "Celu" => {
            let alpha = node.float("alpha", 1.0);
            if alpha.is_nan() || alpha <= 0.0 {
                return refuse("alpha", &alpha.to_string(), "the curve is one for numbers above 0");
            }
            let alpha = scope.float(alpha);
            let small = scope.make("Div", &[x, &alpha], &[]);
            let inner = scope.make("Elu", &[&small], &[("alpha", Value::F(1.0))]);
            scope.make_as("Mul", &[&inner, &alpha], &[], &[result]);
        }
        "ThresholdedRelu" => {
            let (alpha, zero) = (scope.float(node.float("alpha", 1.0)), scope.float(0.0));
            let above = scope.make("Greater", &[x, &alpha], &[]);
            scope.make_as("Where", &[&above, x, &zero], &[], &[result]);
        }
        "Shrink" => {
            let (bias, most) = (node.float("bias", 0.0), node.float("lambd", 0.5));
            let [bias, low, high, zero] = [bias, -most, most, 0.0].map(|value| scope.float(value));
            let (below, above) = (scope.make("Less", &[x, &low], &[]), scope.make("Greater", &[x, &high], &[]));
            let (plus, minus) = (scope.make("Add", &[x, &bias], &[]), scope.make("Sub", &[x, &bias], &[]));
            let rest = scope.make("Where", &[&above, &minus, &zero], &[]);
            scope.make_as("Where", &[&below, &plus, &rest], &[], &[result]);
        }
        _ => {
            let soft = scope.make("Softplus", &[x], &[]);
            let bent = scope.make("Tanh", &[&soft], &[]);
            scope.make_as("Mul", &[x, &bent], &[], &[result]);
        }
    }
    Ok(())
}
