//! Products with weights of a few bits, a block of which has a scale and a zero point.

use super::{output, shape};
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

/// The zero point of weights of four bits that have none.
const MIDDLE: f32 = 8.0;

/// The engine has it with the middle as zero point, and without a bias.
pub(super) fn product(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    if node.has(4) {
        return Err(Refusal::because("its input `g_idx` is one that the simulator does not calculate with"));
    }
    let (points, bias) = (node.given(3).to_string(), node.given(5).to_string());
    node.input.truncate(3);
    if points.is_empty() && bias.is_empty() {
        return keep(scope, node);
    }
    if node.int("bits", 4) != 4 {
        return refuse("bits", &node.int("bits", 4).to_string(), "the simulator has it of 4 bits");
    }
    let result = output(&node)?.to_string();
    let mut sum = scope.fresh();
    let more = if points.is_empty() { None } else { Some(shifted(scope, &node, &points)?) };
    node.output = vec![sum.clone()];
    keep(scope, node)?;
    if let Some(more) = more {
        sum = scope.make("Add", &[&sum, &more], &[]);
    }
    if !bias.is_empty() {
        sum = scope.make("Add", &[&sum, &bias], &[]);
    }
    scope.make_as("Identity", &[&sum], &[], &[&result]);
    Ok(())
}

/// What other zero points add: of each block, the sum of its elements times the scaled distance to the middle.
fn shifted(scope: &mut Scope<'_>, node: &NodeProto, points: &str) -> Result<String, Refusal> {
    let [rows, length, block] = ["N", "K", "block_size"].map(|name| node.int(name, 0));
    if rows < 1 || block < 1 || length % block != 0 || length < 1 {
        let shown = block.to_string();
        return refuse("block_size", &shown, "with zero points the simulator has it of whole blocks");
    }
    let (x, blocks) = (node.given(0), length / block);
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let points = match scope.element(points) {
        Some(DataType::UINT8) => unpacked(scope, points, rows, blocks),
        Some(DataType::FLOAT | DataType::FLOAT16) => points.to_string(),
        _ => return Err(Refusal::because("the type of its input `zero_points` is not known, or another than u8")),
    };
    let by_row = scope.list(&[rows, blocks]);
    let (points, scales) = (two(scope, "Reshape", &points, &by_row), two(scope, "Reshape", node.given(2), &by_row));
    let middle = scope.float(MIDDLE);
    let distance = two(scope, "Sub", &middle, &points);
    let weights = two(scope, "Mul", &distance, &scales);
    let weights = scope.make("Transpose", &[&weights], &[("perm", Value::Is(&[1, 0]))]);
    let (sizes, first, last) = (shape(scope, x), scope.list(&[0]), scope.list(&[-1]));
    let front = scope.make("Slice", &[&sizes, &first, &last], &[]);
    let split = scope.list(&[blocks, block]);
    let sizes = scope.make("Concat", &[&front, &split], &[("axis", Value::I(0))]);
    let by_block = scope.make("Reshape", &[x, &sizes], &[("allowzero", Value::I(1))]);
    let sums = scope.make("ReduceSum", &[&by_block, &last], &[("keepdims", Value::I(0))]);
    Ok(two(scope, "MatMul", &sums, &weights))
}

/// Two numbers of four bits from each of eight, the lower first. The last of a row may be one that nothing has.
fn unpacked(scope: &mut Scope<'_>, points: &str, rows: i64, blocks: i64) -> String {
    let (wide, sixteen) = (scope.cast(points, DataType::INT32), scope.integer(16, DataType::INT32));
    let pairs = scope.list(&[rows, -1, 1]);
    let wide = scope.make("Reshape", &[&wide, &pairs], &[]);
    let (low, high) = (scope.make("Mod", &[&wide, &sixteen], &[]), scope.make("Div", &[&wide, &sixteen], &[]));
    let both = scope.make("Concat", &[&low, &high], &[("axis", Value::I(2))]);
    let by_row = scope.list(&[rows, -1]);
    let all = scope.make("Reshape", &[&both, &by_row], &[]);
    let (first, end, axis) = (scope.list(&[0]), scope.list(&[blocks]), scope.list(&[1]));
    let own = scope.make("Slice", &[&all, &first, &end, &axis], &[]);
    scope.cast(&own, DataType::FLOAT)
}
