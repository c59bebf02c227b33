//! Scattering. The engine pairs the rows of data and updates one by one, which is wrong where there are fewer updates.

use super::{output, shape, size_of};
use crate::model::rewrite::attributes::{Attributes, Value, attribute};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

pub(super) fn scatter(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let (data, places) = (node.given(0), node.given(1));
    let rank = scope.rank(data).or_else(|| scope.rank(places)).and_then(|rank| i64::try_from(rank).ok());
    let axis = node.int("axis", 0);
    let Some(rank) = rank else {
        return refuse("axis", &axis.to_string(), "the number of axes of its inputs is not known");
    };
    let axis = super::axis(axis, rank)?;
    let sizes = scope.dims(data).zip(scope.dims(places));
    let same = |(index, pair): (i64, (&Option<i64>, &Option<i64>))| {
        index == axis || matches!(pair, (Some(data), Some(places)) if data == places)
    };
    if rank == 1 || sizes.is_some_and(|(data, places)| (0..).zip(data.iter().zip(places)).all(same)) {
        return keep(scope, node);
    }
    let places = coordinates(scope, data, places, axis, rank);
    let input = vec![data.to_string(), places, node.given(2).to_string()];
    let reduction = Some(node.text("reduction")).filter(|text| !text.is_empty());
    keep(
        scope,
        NodeProto {
            op_type: Some("ScatterND".to_string()),
            input,
            output: vec![output(&node)?.to_string()],
            attribute: reduction.map(|text| attribute("reduction", &Value::S(text))).into_iter().collect(),
            ..Default::default()
        },
    )
}

/// Where each update goes, along all axes: along `axis` as `places` says, along the others where it is itself.
fn coordinates(scope: &mut Scope<'_>, data: &str, places: &str, axis: i64, rank: i64) -> String {
    let (last, sizes) = (scope.list(&[-1]), shape(scope, places));
    let mut columns = Vec::new();
    for other in 0..rank {
        let column = if other == axis {
            // Before the start counts from the end.
            let (zero, size) = (scope.integer(0, DataType::INT64), size_of(scope, data, axis));
            let below = scope.make("Less", &[places, &zero], &[]);
            let counted = scope.make("Add", &[places, &size], &[]);
            scope.make("Where", &[&below, &counted, places], &[])
        } else {
            let (zero, one) = (scope.integer(0, DataType::INT64), scope.integer(1, DataType::INT64));
            let count = size_of(scope, places, other);
            let count = scope.make("Squeeze", &[&count], &[]);
            let line = scope.make("Range", &[&zero, &count, &one], &[]);
            let mut turned = vec![1; usize::try_from(rank).unwrap_or(0)];
            if let Some(size) = usize::try_from(other).ok().and_then(|other| turned.get_mut(other)) {
                *size = -1;
            }
            let turned = scope.list(&turned);
            let line = scope.make("Reshape", &[&line, &turned], &[]);
            scope.make("Expand", &[&line, &sizes], &[])
        };
        columns.push(scope.make("Unsqueeze", &[&column, &last], &[]));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    scope.make("Concat", &columns, &[("axis", Value::I(-1))])
}
