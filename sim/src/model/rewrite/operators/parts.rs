//! Values that are cut into parts. The engine says at the run that the parts do not fit; where that is known, it is said
//! when the model is loaded.

use super::size_of;
use crate::model::failure::LoadFailure;
use crate::model::names;
use crate::model::rewrite::attributes::{Attributes, without};
use crate::model::rewrite::constants;
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{GraphProto, NodeProto};

pub(super) fn split(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    // The engine counts the parts by their names.
    for part in node.output.iter_mut().filter(|part| part.is_empty()) {
        *part = scope.fresh();
    }
    // A branch may be one that is not taken because the parts do not fit. There the run says so.
    let size = if scope.is_inside() { None } else { size_of_axis(scope, &node)? };
    let count = node.output.len() as i64;
    let sizes = if node.has(1) { scope.integers(node.given(1)) } else { node.ints("split") };
    if let Some(parts) = node.attribute("num_outputs").and_then(|parts| parts.i).filter(|parts| *parts != count) {
        return refuse("num_outputs", &parts.to_string(), &format!("the node has {count} outputs"));
    }
    if sizes.is_some_and(|sizes| sizes.len() != node.output.len()) {
        let shown = format!("{:?}", sizes.unwrap_or_default());
        return refuse("split", &shown, &format!("the node has {count} outputs"));
    }
    if size == Some(0) && !node.has(1) && node.ints("split").is_none() && count > 0 {
        // The engine makes no parts of nothing.
        let sizes = scope.list(&vec![0; node.output.len()]);
        node = without(&node, &["num_outputs"]);
        node.input.truncate(1);
        node.input.push(sizes);
        return keep(scope, node);
    }
    if let Some(sizes) = sizes {
        fit(&node, sizes, size)?;
    } else if !node.has(1) && node.attribute("num_outputs").is_some() {
        near(&node, node.int("num_outputs", count), size)?;
    } else if !node.has(1) && scope.opset() < 18 {
        equal(scope, &node, count, size)?;
    }
    keep(scope, node)
}

/// Refuses parts that do not fit of values whose sizes only the engine has found. What stands in a branch may be not
/// taken.
pub(in crate::model) fn check(
    graph: &GraphProto,
    dims_of: impl Fn(&str) -> Option<Vec<Option<i64>>>,
) -> Result<(), LoadFailure> {
    for node in graph.node.iter().filter(|node| node.operator() == "Split") {
        let Some(dims) = dims_of(node.given(0)) else { continue };
        let tensor = graph.initializer.iter().find(|tensor| tensor.name.as_deref() == Some(node.given(1)));
        let given = tensor.filter(|_| node.has(1)).map(constants::integers);
        let fits = size_among(&dims, node).and_then(|size| match given.as_deref().or(node.ints("split")) {
            Some(sizes) => fit(node, sizes, size),
            None if node.has(1) || node.attribute("num_outputs").is_none() => Ok(()),
            None => near(node, node.int("num_outputs", node.output.len() as i64), size),
        });
        fits.map_err(|Refusal { attribute, why }| LoadFailure::Node {
            node: names::shown(node.name.as_deref().unwrap_or_default()),
            operator: "Split".to_string(),
            attribute,
            why,
        })?;
    }
    Ok(())
}

/// How long the axis is, as far as it is known.
fn size_of_axis(scope: &Scope<'_>, node: &NodeProto) -> Result<Option<i64>, Refusal> {
    scope.dims(node.given(0)).map_or(Ok(None), |dims| size_among(dims, node))
}

fn size_among(dims: &[Option<i64>], node: &NodeProto) -> Result<Option<i64>, Refusal> {
    let (axis, rank) = (node.int("axis", 0), dims.len() as i64);
    let from_front = if axis < 0 { axis + rank } else { axis };
    match usize::try_from(from_front).ok().and_then(|axis| dims.get(axis)) {
        Some(size) => Ok(*size),
        None => refuse("axis", &axis.to_string(), &format!("`{}` has {rank} axes", node.given(0))),
    }
}

/// The sizes of the parts are given.
fn fit(node: &NodeProto, sizes: &[i64], size: Option<i64>) -> Result<(), Refusal> {
    let shown = || format!("{sizes:?}");
    if sizes.iter().any(|size| *size < 0) {
        return refuse("split", &shown(), "no part has less than 0 elements");
    }
    let sum = sizes.iter().try_fold(0_i64, |sum, size| sum.checked_add(*size));
    match size {
        Some(size) if sum != Some(size) => {
            refuse("split", &shown(), &format!("the axis of `{}` has {size} elements", node.given(0)))
        }
        _ => Ok(()),
    }
}

/// All parts have the same size, but for the last one, which may be smaller.
fn near(node: &NodeProto, count: i64, size: Option<i64>) -> Result<(), Refusal> {
    if count < 1 {
        return refuse("num_outputs", &count.to_string(), "it is at least 1");
    }
    let Some(size) = size.filter(|size| *size > 0) else { return Ok(()) };
    let each = size / count + i64::from(size % count != 0);
    if each.saturating_mul(count - 1) >= size {
        let why = format!("{size} elements of `{}` do not make so many parts", node.given(0));
        return refuse("num_outputs", &count.to_string(), &why);
    }
    Ok(())
}

/// All parts have the same size.
fn equal(scope: &mut Scope<'_>, node: &NodeProto, count: i64, size: Option<i64>) -> Result<(), Refusal> {
    let text = format!("the axis of `{}` does not make {count} parts of the same size", node.given(0));
    match size {
        Some(size) if count > 0 && size % count != 0 => return Err(Refusal::because(text)),
        Some(_) => return Ok(()),
        None if count < 2 => return Ok(()),
        None => {}
    }
    let size = size_of(scope, node.given(0), node.int("axis", 0));
    let (count, zero) = (scope.list(&[count]), scope.list(&[0]));
    let rest = scope.make("Mod", &[&size, &count], &[]);
    let fits = scope.make("Equal", &[&rest, &zero], &[]);
    let bad = scope.make("Not", &[&fits], &[]);
    scope.check(bad, text);
    Ok(())
}
