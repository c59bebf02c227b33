//! Operators that answer positions, or take them.

use super::{output, size_of};
use crate::model::rewrite::Refusal;
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use rten_onnx::onnx::{DataType, NodeProto};

/// Of equal elements the first counts, or the last if the node says so.
pub(super) fn extreme(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (axis, keeps) = (node.int("axis", 0), node.int("keepdims", 1) != 0);
    let last = node.int("select_last_index", 0) != 0;
    let found = first(scope, node.operator(), node.given(0), axis, keeps, last);
    scope.make_as("Identity", &[&found], &[], &[output(node)?]);
    Ok(())
}

/// The position of the first greatest or least element along an axis. The engine's own answer is the last one, but its
/// order of the greatest is by value, then by position.
pub(super) fn first(scope: &mut Scope<'_>, operator: &str, input: &str, axis: i64, keeps: bool, last: bool) -> String {
    let narrow = matches!(scope.element(input), Some(DataType::INT8 | DataType::UINT8 | DataType::BOOL));
    let value = if narrow { scope.cast(input, DataType::INT32) } else { input.to_string() };
    let attributes = [("axis", Value::I(axis)), ("keepdims", Value::I(keeps.into()))];
    if last {
        return scope.make(operator, &[&value], &attributes);
    }
    let (from, to) = (scope.list(&[-1]), scope.list(&[i32::MIN.into()]));
    let (axes, step) = (scope.list(&[axis]), scope.list(&[-1]));
    let reversed = scope.make("Slice", &[&value, &from, &to, &axes, &step], &[]);
    let found = scope.make(operator, &[&reversed], &attributes);
    let (count, one) = (size_of(scope, &value, axis), scope.list(&[1]));
    let end = scope.make("Sub", &[&count, &one], &[]);
    // Of one element, whatever the axes of the result are.
    let end = scope.make("Squeeze", &[&end], &[]);
    scope.make("Sub", &[&end, &found], &[])
}

/// A position that counts from the end is one of the sequence as it is before.
pub(super) fn sequence_insert(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    if node.has(2) {
        let (position, zero) = (node.given(2).to_string(), scope.integer(0, DataType::INT32));
        let count = scope.make("SequenceLength", &[node.given(0)], &[]);
        let below = scope.make("Less", &[&position, &zero], &[]);
        let counted = scope.make("Add", &[&position, &count], &[]);
        let position = scope.make("Where", &[&below, &counted, &position], &[]);
        if let Some(name) = node.input.get_mut(2) {
            *name = position;
        }
    }
    keep(scope, node)
}

/// The elements where a list of truth values is true.
pub(super) fn compress(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let result = output(node)?;
    let found = scope.make("NonZero", &[node.given(1)], &[]);
    let all = scope.list(&[-1]);
    let list = scope.make("Reshape", &[&found, &all], &[]);
    match node.attribute("axis").and_then(|axis| axis.i) {
        Some(axis) => scope.make_as("Gather", &[node.given(0), &list], &[("axis", Value::I(axis))], &[result]),
        None => {
            let flat = scope.make("Reshape", &[node.given(0), &all], &[]);
            scope.make_as("Gather", &[&flat, &list], &[("axis", Value::I(0))], &[result]);
        }
    }
    Ok(())
}

/// One or zero by chance, as likely as the elements say.
pub(super) fn coins(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let x = node.given(0);
    super::normalizations::plain_floats(scope, x)?;
    let kind = match node.int("dtype", 0) {
        0 => super::element(scope, x)?,
        kind => DataType(i32::try_from(kind).unwrap_or(0)),
    };
    let mut drawn = NodeProto { op_type: Some("RandomUniformLike".to_string()), ..Default::default() };
    let name = scope.fresh();
    drawn.attribute.extend(node.attribute("seed").cloned());
    (drawn.input, drawn.output) = (vec![x.to_string()], vec![name.clone()]);
    scope.push(drawn);
    let hit = scope.make("Less", &[&name, x], &[]);
    super::super::numbers::cast(scope, &hit, kind, output(node)?)
}
