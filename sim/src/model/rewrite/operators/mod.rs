//! What becomes of each operator.

mod activations;
mod bits;
mod blocks;
mod convolutions;
mod extents;
mod indices;
mod legacy;
mod losses;
mod matrices;
mod narrow;
mod normalizations;
pub(in crate::model) mod parts;
mod quantized;
mod recurrent;
mod reductions;
mod resize;
mod resize_at_run;
mod sampling;
mod scatter;
mod shapes;
mod shifts;
mod steps;
mod suppression;
mod volumes;
mod weights;

use super::attributes::{Attributes, Value, with};
use super::scope::{Known, Scope};
use super::{Refusal, Wrong, constants, inner, numbers, refuse, scan, standard};
use crate::model::ceiling::LIMIT;
use rten_onnx::onnx::{DataType, NodeProto};

/// Adds what the engine calculates for a node of the file.
#[expect(clippy::too_many_lines, reason = "a table: one arm per operator")]
pub(super) fn rewrite(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Wrong> {
    if !matches!(node.domain.as_deref(), None | Some("" | "ai.onnx")) {
        return Ok(contributed(scope, node)?);
    }
    standard::check(&node)?;
    let name = node.operator().to_string();
    // An output that nothing names is left out, unless the number of outputs is that of parts.
    while name != "Split" && node.output.len() > 1 && node.output.last().is_some_and(String::is_empty) {
        node.output.pop();
    }
    while node.input.last().is_some_and(String::is_empty) {
        node.input.pop();
    }
    // Those that are not asked here ask by themselves.
    if !matches!(name.as_str(), "Constant" | "Cast" | "NonMaxSuppression" | "If" | "Loop" | "Scan") {
        numbers::large_constants(scope, &node)?;
    }
    match name.as_str() {
        "If" => return inner::branches(scope, node),
        "Loop" => return inner::body(scope, node),
        "Scan" => return scan::scan(scope, node),
        _ => {}
    }
    Ok(match name.as_str() {
        "Constant" => constant(scope, node),
        "Cast" => cast(scope, &node),
        "CastLike" => cast_like(scope, &node),
        "BitCast" => bit_cast(scope, node),
        "ConstantOfShape" => filled(scope, node),
        "Dropout" => activations::dropout(scope, &node),
        "Softmax" | "LogSoftmax" => activations::softmax(scope, node),
        "Hardmax" => activations::hardmax(scope, &node),
        "Sign" => activations::sign(scope, &node),
        "Relu" => activations::rectified(scope, node),
        "Softplus" | "Asinh" | "Acosh" => activations::far(scope, node),
        "Clip" => activations::clip(scope, node),
        "Range" => reductions::range(scope, node),
        "Scatter" | "ScatterElements" => scatter::scatter(scope, node),
        "NegativeLogLikelihoodLoss" => losses::log_likelihood(scope, &node),
        "SoftmaxCrossEntropyLoss" => losses::cross_entropy(scope, &node),
        "Bernoulli" => indices::coins(scope, &node),
        "Selu" | "Celu" | "ThresholdedRelu" | "Shrink" | "Mish" => activations::curve(scope, &node),
        "ArgMax" | "ArgMin" => indices::extreme(scope, &node),
        "NonMaxSuppression" => suppression::suppress(scope, &node),
        "SequenceInsert" => indices::sequence_insert(scope, node),
        "Compress" => indices::compress(scope, &node),
        "MatMul" => matrices::product(scope, node),
        "MatMulInteger" => matrices::integer_product(scope, node),
        "Pow" => matrices::power(scope, node),
        "BitShift" => shifts::shift(scope, &node),
        "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" => bits::bitwise(scope, &node),
        "BitwiseNot" => matrices::complement(scope, &node),
        "Conv" | "ConvTranspose" | "ConvInteger" => convolutions::convolution(scope, node),
        "MaxPool" | "AveragePool" => convolutions::pool(scope, node),
        "LpPool" | "GlobalLpPool" => convolutions::norm_pool(scope, &node),
        "LRN" => normalizations::local_response(scope, &node),
        "GroupNormalization" => normalizations::groups(scope, &node),
        "MeanVarianceNormalization" => normalizations::mean_variance(scope, &node),
        "LayerNormalization" => normalizations::layer(scope, node),
        "BatchNormalization" => legacy::batch_normalization(scope, node),
        "QuantizeLinear" => quantized::quantize(scope, &node),
        "DequantizeLinear" => quantized::dequantize(scope, node),
        "DynamicQuantizeLinear" => quantized::quantize_by_range(scope, &node),
        "QLinearConv" => quantized::convolution(scope, &node),
        "QLinearMatMul" => quantized::product(scope, &node),
        "LSTM" | "GRU" | "RNN" => recurrent::recurrent(scope, node),
        "GridSample" => sampling::sample(scope, node),
        "Resize" => resize::resize(scope, node),
        "Upsample" => resize::upsample(scope, node),
        "SpaceToDepth" => shapes::space_to_depth(scope, &node),
        "Pad" => shapes::pad(scope, node),
        "Slice" => shapes::slice(scope, node),
        "OneHot" => shapes::one_hot(scope, node),
        "Split" => parts::split(scope, node),
        "Squeeze" | "Unsqueeze" => shapes::axes(scope, node),
        "IsInf" => shapes::infinite(scope, node),
        "Gemm" => legacy::gemm(scope, node),
        "Div" => matrices::divide(scope, node),
        "Where" => choose(scope, node),
        "PRelu" => legacy::slope(scope, node),
        "Add" | "Sub" | "Mul" | "And" | "Or" | "Xor" | "Less" | "Greater" | "Equal" => {
            let node = legacy::broadcast(scope, node)?;
            numbers::keep(scope, node)
        }
        "Attention" if node.output.len() > 3 => {
            Err(Refusal::because("its output `qk_matmul_output` is one that the simulator does not calculate"))
        }
        name if name.starts_with("Reduce") => reductions::reduce(scope, node),
        _ => numbers::keep(scope, node),
    }?)
}

/// Whether a number has an exact inverse: it is a power of two.
fn has_exact_inverse(value: f32) -> bool {
    value.is_normal() && value.to_bits().trailing_zeros() >= 23 && value.recip().is_normal()
}

/// If no value has axes, the engine infers a result with one axis.
fn choose(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    if (0..3).any(|index| scope.rank(node.given(index)) != Some(0)) {
        return numbers::keep(scope, node);
    }
    let (result, chosen, none) = (output(&node)?.to_string(), scope.fresh(), scope.list(&[]));
    node.output = vec![chosen.clone()];
    numbers::keep(scope, node)?;
    scope.make_as("Reshape", &[&chosen, &none], &[], &[&result]);
    Ok(())
}

/// Operators of onnxruntime, as far as the engine has them as they are there.
fn contributed(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    if node.domain.as_deref() == Some(LIMIT.1) {
        return Err(Refusal::because("its domain is one that the simulator uses itself"));
    }
    match node.operator() {
        "DynamicQuantizeLSTM" => Err(Refusal::because("the simulator does not calculate it with all its inputs")),
        "MultiHeadAttention" if node.attribute("mask_filter_value").is_some() => {
            refuse("mask_filter_value", "given", "the simulator masks with its default only")
        }
        "SkipLayerNormalization" | "SkipSimplifiedLayerNormalization" if node.attribute("epsilon").is_none() => {
            numbers::keep(scope, with(&node, "epsilon", Value::F(1e-12)))
        }
        "MultiHeadAttention" if node.int("unidirectional", 0) != 0 => {
            equal_lengths(scope, &node)?;
            numbers::keep(scope, node)
        }
        "MatMulNBits" => blocks::product(scope, node),
        _ => numbers::keep(scope, node),
    }
}

/// What a query may look at is counted from the first key in the standard's libraries, and from the last in the engine.
fn equal_lengths(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    if !node.has(1) {
        return Ok(());
    }
    let (query, key) = (node.given(0), node.given(1));
    // Where the axis of time is follows from the number of axes.
    let axis = |name: &str| match scope.rank(name) {
        Some(3 | 5) => Some(1),
        Some(4) => Some(2),
        _ => None,
    };
    let Some((ours, theirs)) = axis(query).zip(axis(key)) else {
        return refuse("unidirectional", "1", "the number of axes of its inputs is not known");
    };
    let (ours, theirs) = (size_of(scope, query, ours), size_of(scope, key, theirs));
    let same = scope.make("Equal", &[&ours, &theirs], &[]);
    let bad = scope.make("Not", &[&same], &[]);
    scope.check(bad, format!("attribute `unidirectional` is 1: `{query}` and `{key}` are of different lengths"));
    Ok(())
}

fn constant(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    let mut known = Known::default();
    for attribute in &mut node.attribute {
        if let Some(tensor) = &mut attribute.t {
            known = constants::prepare(tensor).map_err(Refusal::because)?;
        }
    }
    let as_integers = |values: Vec<i64>, dims: Vec<Option<i64>>| Known {
        element: Some(DataType::INT64),
        dims: Some(dims),
        too_large: values.iter().copied().find(|value| i32::try_from(*value).is_err()),
        integers: Some(values),
        floats: None,
    };
    if let Some(value) = node.attribute("value_int").and_then(|attribute| attribute.i) {
        known = as_integers(vec![value], Vec::new());
    } else if let Some(values) = node.ints("value_ints") {
        known = as_integers(values.to_vec(), vec![i64::try_from(values.len()).ok()]);
    } else if let Some(value) = node.attribute("value_float").and_then(|attribute| attribute.f) {
        let (element, dims) = (Some(DataType::FLOAT), Some(Vec::new()));
        known = Known { element, dims, floats: Some(vec![value]), ..Default::default() };
    } else if let Some(values) = node.attribute("value_floats").map(|attribute| attribute.floats.clone()) {
        let dims = Some(vec![i64::try_from(values.len()).ok()]);
        known = Known { element: Some(DataType::FLOAT), dims, floats: Some(values), ..Default::default() };
    }
    if let Some(name) = node.output.first() {
        scope.know(name, known);
    }
    scope.push(node);
    Ok(())
}

/// The one output of a node.
fn output(node: &NodeProto) -> Result<&str, Refusal> {
    match node.output.as_slice() {
        [name] => Ok(name),
        _ => Err(Refusal::because(format!("it has {} outputs, where the simulator has one", node.output.len()))),
    }
}

/// The element type of an input that has to be known.
fn element(scope: &Scope<'_>, name: &str) -> Result<DataType, Refusal> {
    let why = || Refusal::because(format!("the type of the elements of `{name}` is not known"));
    scope.element(name).ok_or_else(why)
}

fn cast(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let Some(to) = node.attribute("to").and_then(|to| i32::try_from(to.i?).ok()) else {
        return Err(Refusal::because("its attribute `to` is not the number of a type"));
    };
    if let Some(value) = scope.known(node.given(0)).and_then(|known| known.too_large) {
        return refuse("to", &DataType(to).to_string(), &format!("the constant {value} is not held by 32 bits"));
    }
    numbers::cast(scope, node.given(0), DataType(to), output(node)?)
}

fn cast_like(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let to = element(scope, node.given(1))?;
    numbers::cast(scope, node.given(0), to, output(node)?)
}

/// The bits of a value are those of the file only where the engine calculates in the file's types.
fn bit_cast(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let own =
        |element: DataType| matches!(element, DataType::FLOAT | DataType::INT32 | DataType::INT8 | DataType::UINT8);
    let from = element(scope, node.given(0))?;
    let to = DataType(i32::try_from(node.int("to", 0)).unwrap_or(0));
    if own(from) && own(to) {
        return numbers::keep(scope, node);
    }
    refuse("to", &to.to_string(), &format!("the simulator does not hold the bits of {from} and {to} as they are"))
}

fn filled(scope: &mut Scope<'_>, mut node: NodeProto) -> Result<(), Refusal> {
    let mut element = DataType::FLOAT;
    for tensor in node.attribute.iter_mut().filter_map(|attribute| attribute.t.as_mut()) {
        element = tensor.data_type.unwrap_or(element);
        let known = constants::prepare(tensor).map_err(Refusal::because)?;
        if let Some(value) = known.too_large {
            return refuse("value", &value.to_string(), "the 32 bits that the simulator has do not hold it");
        }
    }
    let name = output(&node)?.to_string();
    let dims = scope.integers(node.given(0)).map(|sizes| sizes.iter().map(|&size| Some(size)).collect());
    scope.push(node);
    scope.know(&name, Known { element: Some(element), dims, ..Default::default() });
    Ok(())
}

/// The axis that an attribute names, counted from the first.
fn axis(value: i64, rank: i64) -> Result<i64, Refusal> {
    match value {
        0.. if value < rank => Ok(value),
        ..0 if value >= -rank => Ok(value + rank),
        _ => refuse("axis", &value.to_string(), &format!("its input has {rank} axes")),
    }
}

/// Makes inputs of one element such without axes.
fn scalars(scope: &mut Scope<'_>, node: &mut NodeProto, inputs: &[usize]) {
    for &index in inputs {
        if scope.dims(node.given(index)) == Some(&[Some(1)]) {
            let scalar = scope.make("Squeeze", &[node.given(index)], &[]);
            if let Some(name) = node.input.get_mut(index) {
                *name = scalar;
            }
        }
    }
}

/// The sizes of a value at run.
fn shape(scope: &mut Scope<'_>, value: &str) -> String {
    scope.make("Shape", &[value], &[])
}

/// The size of one axis at run, as a list of one.
fn size_of(scope: &mut Scope<'_>, value: &str, axis: i64) -> String {
    let (sizes, index) = (shape(scope, value), scope.list(&[axis]));
    scope.make("Gather", &[&sizes, &index], &[("axis", Value::I(0))])
}
