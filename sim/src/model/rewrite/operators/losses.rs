//! Losses, which are calculated at inference, too.

use super::normalizations::plain_floats;
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::NodeProto;

pub(super) fn log_likelihood(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    plain_floats(scope, node.given(0))?;
    let result = super::output(node)?.to_string();
    negative(scope, node, node.given(0), &result)
}

pub(super) fn cross_entropy(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    plain_floats(scope, node.given(0))?;
    let logarithms = scope.make("LogSoftmax", &[node.given(0)], &[("axis", Value::I(1))]);
    if let Some(result) = node.output.first().filter(|name| !name.is_empty()) {
        negative(scope, node, &logarithms, result)?;
    }
    if let Some(second) = node.output.get(1).filter(|name| !name.is_empty()) {
        scope.make_as("Identity", &[&logarithms], &[], &[second]);
    }
    Ok(())
}

/// The negative of what is given to each label, weighted, and added up if the node says so.
fn negative(scope: &mut Scope<'_>, node: &NodeProto, input: &str, result: &str) -> Result<(), Refusal> {
    let labels = node.given(1).to_string();
    let (axis, zero) = (scope.list(&[1]), scope.float(0.0));
    // A label that is ignored may be none that there is.
    let ignored = node.attribute("ignore_index").and_then(|index| index.i);
    let (mask, places) = match ignored.map(i32::try_from) {
        None => (None, labels),
        Some(Err(_)) => return refuse("ignore_index", &format!("{ignored:?}"), "32 bits do not hold it"),
        Some(Ok(index)) => {
            let kind = super::element(scope, &labels)?;
            let (index, first) = (scope.integer(index, kind), scope.integer(0, kind));
            let mask = scope.make("Equal", &[&labels, &index], &[]);
            let places = scope.make("Where", &[&mask, &first, &labels], &[]);
            (Some(mask), places)
        }
    };
    let column = scope.make("Unsqueeze", &[&places, &axis], &[]);
    let chosen = scope.make("GatherElements", &[input, &column], &[("axis", Value::I(1))]);
    let chosen = scope.make("Squeeze", &[&chosen, &axis], &[]);
    let mut loss = scope.make("Neg", &[&chosen], &[]);
    let mut weights = None;
    if node.has(2) {
        weights = Some(scope.make("Gather", &[node.given(2), &places], &[("axis", Value::I(0))]));
    } else if mask.is_some() {
        let (sizes, one) = (super::shape(scope, &loss), scope.float(1.0));
        weights = Some(scope.make("Expand", &[&one, &sizes], &[]));
    }
    if let Some(mask) = &mask {
        weights = weights.map(|weights| scope.make("Where", &[mask, &zero, &weights], &[]));
        loss = scope.make("Where", &[mask, &zero, &loss], &[]);
    }
    if let Some(weights) = &weights {
        loss = scope.make("Mul", &[&loss, weights], &[]);
    }
    let all = [("keepdims", Value::I(0))];
    match (node.text("reduction"), weights) {
        ("none", _) => scope.make_as("Identity", &[&loss], &[], &[result]),
        ("sum", _) => scope.make_as("ReduceSum", &[&loss], &all, &[result]),
        ("" | "mean", None) => scope.make_as("ReduceMean", &[&loss], &all, &[result]),
        ("" | "mean", Some(weights)) => {
            let (sum, share) = (scope.make("ReduceSum", &[&loss], &all), scope.make("ReduceSum", &[&weights], &all));
            scope.make_as("Div", &[&sum, &share], &[], &[result]);
        }
        (other, _) => return refuse("reduction", &format!("\"{other}\""), "the standard has no such"),
    }
    Ok(())
}
