//! Operators that move elements.

use super::{output, shape};
use crate::model::rewrite::attributes::{Attributes, Value, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::{Known, Scope};
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

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
    // Batch, row, column, and then row and column in the block before the channel, or behind it.
    let order = match node.text("mode") {
        "" | "DCR" => [0, 4, 2, 5, 3, 1],
        "CRD" => [0, 4, 2, 1, 5, 3],
        other => return refuse("mode", &format!("\"{other}\""), "the standard has no such"),
    };
    let turned = scope.make("Transpose", &[&split], &[("perm", Value::Is(&order))]);
    let whole = scope.list(&[0, 0, 0, -1]);
    let joined = scope.make("Reshape", &[&turned, &whole], &[]);
    scope.make_as("Transpose", &[&joined], &[("perm", Value::Is(&[0, 3, 1, 2]))], &[result]);
    Ok(())
}

/// The engine takes whole numbers only, and one number for how many there are.
pub(super) fn one_hot(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    for index in [0, 1] {
        let name = node.given(index).to_string();
        let mut whole = name.clone();
        if scope.element(&name).is_some_and(|element| element != DataType::INT64) {
            whole = scope.fresh();
            super::super::numbers::cast(scope, &name, DataType::INT64, &whole)?;
        }
        if index == 1 && scope.rank(&name) == Some(1) {
            whole = scope.make("Squeeze", &[&whole], &[]);
        }
        if let Some(input) = node.input.get_mut(index) {
            *input = whole;
        }
    }
    keep(scope, node)
}

/// Axes in a list: the engine does not take a single number for one.
pub(super) fn axes(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    if node.has(1) && scope.rank(node.given(1)) == Some(0) {
        let all = scope.list(&[-1]);
        let list = scope.make("Reshape", &[node.given(1), &all], &[]);
        if let Some(known) = scope.integers(node.given(1)).map(<[_]>::to_vec) {
            scope.learn(&list, Known { integers: Some(known), ..Default::default() });
        }
        if let Some(input) = node.input.get_mut(1) {
            *input = list;
        }
    }
    keep(scope, node)
}

/// The engine looks for infinities of both signs.
pub(super) fn infinite(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let (result, x) = (output(&node)?, node.given(0));
    let sides = [("Greater", "detect_positive"), ("Less", "detect_negative")];
    let wanted: Vec<&str> = sides.iter().filter(|(_, name)| node.int(name, 1) != 0).map(|(side, _)| *side).collect();
    let side = match wanted.as_slice() {
        [] => "IsNaN",
        [side] => side,
        _ => return keep(scope, node),
    };
    let found = scope.make("IsInf", &[x], &[]);
    let zero = scope.float(0.0);
    // No infinite number is none.
    let there = if side == "IsNaN" { scope.make("IsNaN", &[x], &[]) } else { scope.make(side, &[x, &zero], &[]) };
    scope.make_as("And", &[&found, &there], &[], &[result]);
    Ok(())
}

/// Backwards, the engine fails where a slice starts before the first element, and on an axis of no elements.
pub(super) fn slice(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    let steps = scope.integers(node.given(4)).map(<[_]>::to_vec);
    if !node.has(4) || steps.as_ref().is_some_and(|steps| steps.iter().all(|step| *step > 0)) {
        return keep(scope, node);
    }
    if let Some(starts) = steps.and_then(|steps| clamped(scope, &node, &steps)) {
        let starts = scope.list(&starts);
        return keep(scope, with_input(node, 1, starts));
    }
    let mut sizes = shape(scope, node.given(0));
    if node.has(3) {
        sizes = scope.make("Gather", &[&sizes, node.given(3)], &[("axis", Value::I(0))]);
    }
    let first = scope.make("Neg", &[&sizes], &[]);
    let starts = scope.make("Max", &[node.given(1), &first], &[]);
    // Of no elements none is taken, in either direction.
    let (none, one) = (scope.list(&[0]), scope.list(&[1]));
    let empty = scope.make("Equal", &[&sizes, &none], &[]);
    let steps = scope.make("Where", &[&empty, &one, node.given(4)], &[]);
    node = with_input(with_input(node, 1, starts), 4, steps);
    keep(scope, node)
}

/// The starts, none before the first element, if they follow from what is known; the run checks that.
fn clamped(scope: &mut Scope<'_>, node: &NodeProto, steps: &[i64]) -> Option<Vec<i64>> {
    let mut starts = scope.integers(node.given(1))?.to_vec();
    let sizes = scope.dims(node.given(0))?.to_vec();
    let rank = i64::try_from(sizes.len()).ok()?;
    let axes: Vec<i64> = if node.has(3) { scope.integers(node.given(3))?.to_vec() } else { (0..rank).collect() };
    let mut assumed = Vec::new();
    for ((start, step), axis) in starts.iter_mut().zip(steps).zip(axes) {
        *start = (*start).clamp(i32::MIN.into(), i32::MAX.into());
        if *step < 0 {
            let axis = if axis < 0 { axis + rank } else { axis };
            let size = sizes.get(usize::try_from(axis).ok()?).copied().flatten().filter(|size| *size > 0)?;
            *start = (*start).max(-size);
            assumed.push((axis, size));
        }
    }
    for (axis, size) in assumed {
        scope.assume(node.given(0), axis, size);
    }
    Some(starts)
}

fn with_input(mut node: NodeProto, index: usize, name: String) -> NodeProto {
    if let Some(input) = node.input.get_mut(index) {
        *input = name;
    }
    node
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
    if !matches!(node.text("mode"), "" | "constant") {
        return repeated(scope, node);
    }
    keep(scope, node)
}

/// The engine repeats elements along the last two axes only: each of the others becomes the last one meanwhile.
fn repeated(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let known = node.ints("pads").or_else(|| scope.integers(node.given(1))).map(<[_]>::to_vec);
    let Some(rank) = scope.rank(node.given(0)).filter(|rank| *rank > 2) else { return keep(scope, node) };
    let is_padded = |axis: usize| {
        let pads = known.as_ref().map(|known| [axis, axis + rank].map(|place| known.get(place).copied().unwrap_or(0)));
        pads != Some([0, 0])
    };
    if !(0..rank - 2).any(is_padded) {
        return keep(scope, node);
    }
    let pads = known.as_ref().map_or_else(|| node.given(1).to_string(), |known| scope.list(known));
    let none = vec![0; rank - 1];
    let mut value = node.given(0).to_string();
    for axis in (0..rank).filter(|axis| is_padded(*axis)) {
        let [place, end] = [axis, axis + rank].map(|place| i64::try_from(place).unwrap_or(0));
        let mut order: Vec<i64> = (0..i64::try_from(rank).unwrap_or(0)).filter(|other| *other != place).collect();
        let mut back = order.clone();
        order.push(place);
        // The last axis goes back to where it was, and those behind it move on.
        back.iter_mut().enumerate().for_each(|(index, from)| *from = i64::try_from(index).unwrap_or(0));
        back.insert(axis, i64::try_from(rank - 1).unwrap_or(0));
        let [first, last] = [place, end].map(|place| scope.list(&[place]));
        let first = scope.make("Gather", &[&pads, &first], &[("axis", Value::I(0))]);
        let last = scope.make("Gather", &[&pads, &last], &[("axis", Value::I(0))]);
        let zeros = scope.list(&none);
        let only = scope.make("Concat", &[&zeros, &first, &zeros, &last], &[("axis", Value::I(0))]);
        let turned = scope.make("Transpose", &[&value], &[("perm", Value::Is(&order))]);
        let padded = scope.fresh();
        let mut inner = without(&node, &["pads", "value"]);
        inner.input = vec![turned, only];
        inner.output = vec![padded.clone()];
        keep(scope, inner)?;
        value = scope.make("Transpose", &[&padded], &[("perm", Value::Is(&back))]);
    }
    scope.make_as("Identity", &[&value], &[], &[output(&node)?]);
    Ok(())
}
