//! Operators that move elements.

use super::super::attributes::{Attributes, Value};
use super::super::numbers::keep;
use super::super::scope::Scope;
use super::super::{Refusal, refuse};
use super::output;
use rten_onnx::onnx::NodeProto;

/// Blocks of an image become channels.
pub(super) fn space_to_depth(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let block = node.int("blocksize", 0);
    if block < 1 {
        return refuse("blocksize", &block.to_string(), "it is at least 1");
    }
    let result = output(node)?;
    let columns = scope.list(&[0, 0, 0, -1, block]);
    let split = scope.make("Reshape", &[node.given(0), &columns], &[]);
    // Batch, channel, column, column in its block, row.
    let turned = scope.make("Transpose", &[&split], &[("perm", Value::Is(&[0, 1, 3, 4, 2]))]);
    let rows = scope.list(&[0, 0, 0, 0, -1, block]);
    let split = scope.make("Reshape", &[&turned, &rows], &[]);
    // Batch, row, column, row in its block, column in its block, channel.
    let turned = scope.make("Transpose", &[&split], &[("perm", Value::Is(&[0, 4, 2, 5, 3, 1]))]);
    let whole = scope.list(&[0, 0, 0, -1]);
    let joined = scope.make("Reshape", &[&turned, &whole], &[]);
    scope.make_as("Transpose", &[&joined], &[("perm", Value::Is(&[0, 3, 1, 2]))], &[result]);
    Ok(())
}

/// The engine pads all axes; those that are left out are padded by nothing.
pub(super) fn pad(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    if node.has(3) {
        let known = scope.integers(node.given(3)).map(<[_]>::to_vec).zip(scope.rank(node.given(0)));
        let Some((axes, rank)) = known else {
            return Err(Refusal::because("its input `axes`, or the number of axes of its data, is not known"));
        };
        let rank = i64::try_from(rank).unwrap_or(0);
        let start = |axis: &i64| if *axis < 0 { axis + rank } else { *axis };
        let places: Vec<i64> = axes.iter().map(start).chain(axes.iter().map(|axis| start(axis) + rank)).collect();
        let none = vec![0; usize::try_from(2 * rank).unwrap_or(0)];
        let (none, places) = (scope.list(&none), scope.list(&places));
        let all = scope.make("ScatterElements", &[&none, &places, node.given(1)], &[("axis", Value::I(0))]);
        if let Some(name) = node.input.get_mut(1) {
            *name = all;
        }
        node.input.truncate(3);
    }
    keep(scope, node)
}
