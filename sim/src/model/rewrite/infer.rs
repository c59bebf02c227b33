//! Infers facts about a node's outputs from facts about its inputs: element types, numbers of axes, and obvious sizes.
//! Unknown facts are left open, never guessed.

use super::attributes::Attributes;
use super::scope::{Known, Scope};
use rten_onnx::onnx::{DataType, NodeProto};

type Dims = Option<Vec<Option<i64>>>;

/// Enters what is known of a node's outputs.
pub(super) fn outputs(scope: &mut Scope<'_>, node: &NodeProto) {
    for (index, name) in node.output.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let known = Known {
            element: element(scope, node, index),
            dims: if index == 0 || matches!(node.operator(), "Split" | "TopK") { dims(scope, node) } else { None },
            integers: if index == 0 { integers(scope, node) } else { None },
            floats: None,
            too_large: None,
        };
        scope.learn(name, known);
    }
}

fn element(scope: &Scope<'_>, node: &NodeProto, index: usize) -> Option<DataType> {
    let of = |input: usize| scope.element(node.given(input));
    let named = |name: &str| node.attribute(name)?.i.and_then(|number| i32::try_from(number).ok()).map(DataType);
    match (node.operator(), index) {
        ("Shape" | "Size" | "NonZero" | "ArgMax" | "ArgMin" | "NonMaxSuppression" | "SequenceLength", _) => {
            Some(DataType::INT64)
        }
        ("TopK" | "MaxPool", 1) | ("Unique", 1..) => Some(DataType::INT64),
        ("Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "And" | "Or" | "Xor" | "Not", _)
        | ("IsNaN" | "IsInf" | "OptionalHasElement", _)
        | ("Dropout", 1) => Some(DataType::BOOL),
        ("Cast" | "BitCast", _) => named("to"),
        ("CastLike" | "Where" | "DequantizeLinear", _) => of(1),
        ("OneHot", _) => of(2),
        ("QuantizeLinear", _) => named("output_dtype").filter(|kind| kind.0 != 0).or(of(2)).or(Some(DataType::UINT8)),
        ("DynamicQuantizeLinear", 1) => Some(DataType::FLOAT),
        ("DynamicQuantizeLinear", _) => Some(DataType::UINT8),
        ("ConvInteger" | "MatMulInteger", _) => Some(DataType::INT32),
        ("EyeLike", _) => named("dtype").or(of(0)),
        ("RandomNormal" | "RandomUniform", _) => named("dtype").or(Some(DataType::FLOAT)),
        ("RandomNormalLike" | "RandomUniformLike", _) => named("dtype").or(of(0)),
        ("Multinomial", _) => named("dtype").or(Some(DataType::INT32)),
        ("SequenceEmpty", _) => named("dtype").or(Some(DataType::FLOAT)),
        ("ConstantOfShape", _) => node.tensor("value").map_or(Some(DataType::FLOAT), |value| value.data_type),
        ("If" | "Loop" | "Scan", _) => None,
        _ => of(0),
    }
}

/// Operators whose inputs are broadcast to the output.
const BROADCAST: [&str; 19] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Mod",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "And",
    "Or",
    "Xor",
    "Min",
    "Max",
    "Sum",
    "Mean",
    "Where",
];

/// Operators whose output has as many axes as the first input.
const SAME_RANK: [&str; 16] = [
    "Conv",
    "ConvTranspose",
    "ConvInteger",
    "MaxPool",
    "AveragePool",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "Resize",
    "Upsample",
    "Slice",
    "Pad",
    "Concat",
    "Tile",
    "DepthToSpace",
    "Split",
    "TopK",
];

/// Operators whose output has the sizes of the first input.
const SAME_DIMS: [&str; 44] = [
    "Cast",
    "CastLike",
    "Relu",
    "Sigmoid",
    "Tanh",
    "Exp",
    "Log",
    "Sqrt",
    "Neg",
    "Abs",
    "Softmax",
    "LogSoftmax",
    "Identity",
    "Dropout",
    "Clip",
    "BatchNormalization",
    "InstanceNormalization",
    "LayerNormalization",
    "Erf",
    "Gelu",
    "LeakyRelu",
    "PRelu",
    "Elu",
    "HardSigmoid",
    "HardSwish",
    "Softplus",
    "Softsign",
    "Floor",
    "Ceil",
    "Round",
    "Reciprocal",
    "Not",
    "IsNaN",
    "IsInf",
    "Sin",
    "Cos",
    "CumSum",
    "QuantizeLinear",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "Trilu",
    "ScatterElements",
    "ScatterND",
    "Sign",
];

fn dims(scope: &Scope<'_>, node: &NodeProto) -> Dims {
    let of = |input: usize| scope.dims(node.given(input));
    let rank = |count: usize| Some(vec![None; count]);
    match node.operator() {
        name if BROADCAST.contains(&name) => {
            let all: Option<Vec<_>> = (0..node.input.len()).map(of).collect();
            all.map(|all| all.into_iter().fold(Vec::new(), |a, b| broadcast(&a, b)))
        }
        name if SAME_RANK.contains(&name) => rank(of(0)?.len()),
        name if SAME_DIMS.contains(&name) => Some(of(0)?.to_vec()),
        "Transpose" => {
            let dims = of(0)?;
            let reversed: Vec<i64> = (0..i64::try_from(dims.len()).ok()?).rev().collect();
            let order = node.ints("perm").unwrap_or(&reversed);
            order.iter().map(|&axis| dims.get(usize::try_from(axis).ok()?).copied()).collect()
        }
        "Reshape" => match scope.integers(node.given(1)) {
            Some(sizes) => Some(sizes.iter().map(|&size| (size > 0).then_some(size)).collect()),
            None => rank(usize::try_from((*of(1)?.first()?)?).ok()?),
        },
        "Expand" => match scope.integers(node.given(1)) {
            Some(sizes) => Some(broadcast(of(0)?, &sizes.iter().map(|&size| Some(size)).collect::<Vec<_>>())),
            None => None,
        },
        "ConstantOfShape" => Some(scope.integers(node.given(0))?.iter().map(|&size| Some(size)).collect()),
        "Flatten" => rank(2),
        "Range" => rank(1),
        "GatherElements" => Some(of(1)?.to_vec()),
        "OneHot" => rank(of(0)?.len() + 1),
        "GatherND" => {
            let depth = usize::try_from((*of(1)?.last()?)?).ok()?;
            let batch = usize::try_from(node.int("batch_dims", 0)).ok()?;
            rank((of(0)?.len() + of(1)?.len()).checked_sub(depth + 1 + batch)?)
        }
        "Shape" => Some(vec![of(0).and_then(|dims| i64::try_from(dims.len()).ok())]),
        "Size" => Some(Vec::new()),
        "NonZero" => Some(vec![of(0).and_then(|dims| i64::try_from(dims.len()).ok()), None]),
        "Gather" => rank(of(0)?.len().checked_sub(1)?.checked_add(of(1)?.len())?),
        "MatMul" | "MatMulInteger" => match (of(0)?.len(), of(1)?.len()) {
            (1, 1) => Some(Vec::new()),
            // A value without axes has no product: the engine refuses it.
            (1, n) | (n, 1) => rank(n.checked_sub(1)?),
            (a, b) => rank(a.max(b)),
        },
        "Gemm" => rank(2),
        "Squeeze" => match (axes(scope, node), of(0)?) {
            (Some(axes), dims) => rank(dims.len().checked_sub(axes.len())?),
            (None, dims) if !node.has(1) => Some(dims.iter().copied().filter(|dim| *dim != Some(1)).collect()),
            _ => None,
        },
        "Unsqueeze" => unsqueezed(scope, node),
        name if name.starts_with("Reduce") || matches!(name, "ArgMax" | "ArgMin") => reduced(scope, node),
        "LSTM" | "GRU" | "RNN" => rank(4),
        _ => None,
    }
}

fn unsqueezed(scope: &Scope<'_>, node: &NodeProto) -> Dims {
    let dims = scope.dims(node.given(0))?;
    let axes = axes(scope, node)?;
    let count = i64::try_from(dims.len() + axes.len()).ok()?;
    let mut rest = dims.iter().copied();
    let is_new = |axis: i64| axes.iter().any(|&new| new == axis || new + count == axis);
    (0..count).map(|axis| if is_new(axis) { Some(Some(1)) } else { rest.next() }).collect()
}

fn reduced(scope: &Scope<'_>, node: &NodeProto) -> Dims {
    let rank = |count: usize| Some(vec![None; count]);
    let count = scope.dims(node.given(0))?.len();
    let single = node.operator().starts_with("Arg");
    match (node.int("keepdims", 1) != 0, axes(scope, node)) {
        (true, _) => rank(count),
        (false, _) if single => rank(count.checked_sub(1)?),
        (false, Some(axes)) if !axes.is_empty() => rank(count.checked_sub(axes.len())?),
        (false, None) if !node.has(1) && node.int("noop_with_empty_axes", 0) == 0 => rank(0),
        _ => None,
    }
}

/// The elements of a constant that is only handed on.
fn integers(scope: &Scope<'_>, node: &NodeProto) -> Option<Vec<i64>> {
    match node.operator() {
        "Identity" | "Unsqueeze" | "Squeeze" | "Reshape" => scope.integers(node.given(0)).map(<[_]>::to_vec),
        "Shape" if node.attribute.is_empty() => scope.sizes(node.given(0)),
        _ => None,
    }
}

/// The axes of a node, by its attribute or by its second input.
pub(super) fn axes(scope: &Scope<'_>, node: &NodeProto) -> Option<Vec<i64>> {
    node.ints("axes").or_else(|| scope.integers(node.given(1))).map(<[_]>::to_vec)
}

fn broadcast(a: &[Option<i64>], b: &[Option<i64>]) -> Vec<Option<i64>> {
    let count = a.len().max(b.len());
    let at = |dims: &[Option<i64>], axis: usize| {
        (axis + dims.len()).checked_sub(count).map_or(Some(1), |axis| dims.get(axis).copied().flatten())
    };
    let both = |axis: usize| match (at(a, axis), at(b, axis)) {
        (Some(1), size) | (size, Some(1)) => size,
        (Some(a), _) => Some(a),
        (None, size) => size,
    };
    (0..count).map(both).collect()
}
