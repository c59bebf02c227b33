//! What old versions of operators ask for in other ways.

use crate::model::rewrite::attributes::{Attributes, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::NodeProto;

/// Before opset 7 a node said that its second input is spread over the first, and from which axis on.
pub(super) fn broadcast(scope: &mut Scope<'_>, node: NodeProto) -> Result<NodeProto, Refusal> {
    if scope.opset() >= 7 {
        return Ok(node);
    }
    let mut plain = without(&node, &["broadcast", "axis", "consumed_inputs"]);
    let Some(axis) = node.attribute("axis").and_then(|axis| axis.i).filter(|_| node.int("broadcast", 0) != 0) else {
        return Ok(plain);
    };
    let ranks = scope.rank(node.given(0)).zip(scope.rank(node.given(1)));
    let Some((a, b)) = ranks.and_then(|(a, b)| Some((i64::try_from(a).ok()?, i64::try_from(b).ok()?))) else {
        return refuse("axis", &axis.to_string(), "the number of axes of its inputs is not known");
    };
    let new: Vec<i64> = (b..a - super::axis(axis, a)?).collect();
    if !new.is_empty() {
        let axes = scope.list(&new);
        let spread = scope.make("Unsqueeze", &[node.given(1), &axes], &[]);
        if let Some(name) = plain.input.get_mut(1) {
            *name = spread;
        }
    }
    Ok(plain)
}

/// Before opset 7 a slope of one axis was one of channels.
pub(super) fn slope(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    let ranks = scope.rank(node.given(0)).zip(scope.dims(node.given(1)).map(<[_]>::to_vec));
    if let Some((rank, slope)) = ranks.filter(|_| scope.opset() < 7)
        && slope.len() == 1
        && slope != [Some(1)]
        && rank > 2
    {
        let axes: Vec<i64> = (1..i64::try_from(rank).unwrap_or(0) - 1).collect();
        let axes = scope.list(&axes);
        let spread = scope.make("Unsqueeze", &[node.given(1), &axes], &[]);
        if let Some(name) = node.input.get_mut(1) {
            *name = spread;
        }
    }
    keep(scope, without(&node, &["consumed_inputs"]))
}

pub(super) fn gemm(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    // It was spread by these rules before opset 7, too, where it was spread at all.
    let node = if scope.opset() < 7 { without(&node, &["broadcast"]) } else { node };
    keep(scope, node)
}

pub(super) fn batch_normalization(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    if node.output.len() > 1 {
        return Err(Refusal::because(
            "it has more outputs than `Y`, which only training has; the simulator does not train",
        ));
    }
    keep(scope, without(&node, &["is_test", "consumed_inputs", "momentum"]))
}
