//! Convolutions and pools: the standard's defaults, and its padding.

use super::super::attributes::{Attributes, Value, with, without};
use super::super::numbers::keep;
use super::super::scope::Scope;
use super::super::{Refusal, refuse};
use super::{number, output};
use rten_onnx::onnx::{DataType, NodeProto};

/// As many axes of space as the engine has convolutions over.
const MOST_AXES: usize = 2;

pub(super) fn convolution(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let filters = scope.dims(node.given(1)).and_then(|dims| dims.get(2..)).map(<[_]>::to_vec);
    let kernel = node.ints("kernel_shape").map(<[_]>::to_vec);
    let kernel = kernel.or_else(|| filters.as_ref()?.iter().copied().collect());
    let count = kernel.as_ref().map(Vec::len).or(filters.map(|filters| filters.len()));
    let count = count.or_else(|| scope.rank(node.given(0))?.checked_sub(2));
    let Some(count) = count else {
        return Err(Refusal::because("neither `kernel_shape` nor the number of its inputs' axes is known"));
    };
    few_axes(count)?;
    let mut node = complete(&node, count, true);
    if let Some(kernel) = &kernel {
        node = with(&node, "kernel_shape", Value::Is(kernel));
    } else {
        // The engine asks it for the number of axes only.
        node = with(&node, "kernel_shape", Value::Is(&vec![1; count]));
    }
    let operator = node.operator().to_string();
    if operator == "ConvTranspose" {
        let node = transposed(scope, node, kernel.as_deref())?;
        return keep(scope, node);
    }
    let point = if operator == "ConvInteger" { zero_point(scope, &mut node) } else { None };
    match (node.text("auto_pad"), point) {
        ("SAME_UPPER" | "SAME_LOWER", Some(point)) => {
            let Some(pads) = same(scope, &node, kernel.as_deref()) else {
                let why = "the sizes that its padding follows from are not known, and it pads with its zero point";
                return refuse("auto_pad", &format!("\"{}\"", node.text("auto_pad")), why);
            };
            padded(scope, with(&without(&node, &["auto_pad"]), "pads", Value::Is(&pads)), &point)
        }
        (_, Some(point)) if node.ints("pads").is_some_and(|pads| pads.iter().any(|&pad| pad != 0)) => {
            padded(scope, node, &point)
        }
        ("SAME_LOWER", _) => match same(scope, &node, kernel.as_deref()) {
            Some(pads) => keep(scope, with(&without(&node, &["auto_pad"]), "pads", Value::Is(&pads))),
            None => flipped(scope, node, count, true),
        },
        _ => keep(scope, node),
    }
}

pub(super) fn pool(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let kernel = node.ints("kernel_shape").unwrap_or_default().to_vec();
    few_axes(kernel.len())?;
    if node.output.len() > 1 {
        return Err(Refusal::because("its output `Indices` is one that the simulator does not calculate"));
    }
    let node = complete(&node, kernel.len(), false);
    if let Some(dilations) = node.ints("dilations").filter(|all| all.iter().any(|&step| step != 1)) {
        return refuse("dilations", &format!("{dilations:?}"), "the simulator has pools without gaps only");
    }
    if matches!(scope.element(node.given(0)), Some(DataType::INT8 | DataType::UINT8)) {
        return narrow_pool(scope, &node);
    }
    if node.text("auto_pad") != "SAME_LOWER" {
        return keep(scope, node);
    }
    match same(scope, &node, Some(&kernel)) {
        Some(pads) => keep(scope, with(&without(&node, &["auto_pad"]), "pads", Value::Is(&pads))),
        None => flipped(scope, node, kernel.len(), false),
    }
}

/// A pool of integers of 8 bits, which `f32` holds.
fn narrow_pool(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let element = super::element(scope, node.given(0))?;
    let mut inner = node.clone();
    let (input, result) = (scope.cast(node.given(0), DataType::FLOAT), scope.fresh());
    inner.input = vec![input];
    inner.output = vec![result.clone()];
    pool(scope, inner)?;
    scope.make_as("Cast", &[&result], &[("to", Value::I(element.0.into()))], &[output(node)?]);
    Ok(())
}

/// The node with the values that the standard gives to attributes that are left out.
fn complete(node: &NodeProto, count: usize, dilates: bool) -> NodeProto {
    let mut node = node.clone();
    let ones = vec![1; count];
    if node.ints("strides").is_none_or(<[_]>::is_empty) {
        node = with(&node, "strides", Value::Is(&ones));
    }
    if dilates && node.ints("dilations").is_none_or(<[_]>::is_empty) {
        node = with(&node, "dilations", Value::Is(&ones));
    }
    match node.text("auto_pad") {
        "" | "NOTSET" if node.ints("pads").is_none_or(<[_]>::is_empty) => {
            with(&without(&node, &["auto_pad"]), "pads", Value::Is(&vec![0; count * 2]))
        }
        "VALID" => with(&without(&node, &["auto_pad"]), "pads", Value::Is(&vec![0; count * 2])),
        _ => node,
    }
}

fn few_axes(count: usize) -> Result<(), Refusal> {
    if (1..=MOST_AXES).contains(&count) {
        return Ok(());
    }
    Err(Refusal::because(format!("it is over {count} axes of space, and the simulator has it over 1 or 2")))
}

/// The paddings that keep the size, where they follow from what is known.
fn same(scope: &Scope<'_>, node: &NodeProto, kernel: Option<&[i64]>) -> Option<Vec<i64>> {
    let (strides, kernel) = (node.ints("strides")?, kernel?);
    let dilations = node.ints("dilations").unwrap_or_default();
    let sizes = scope.dims(node.given(0)).and_then(|dims| dims.get(2..)).unwrap_or_default();
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for (axis, (&stride, &size)) in strides.iter().zip(kernel).enumerate() {
        let covered = (size - 1).checked_mul(dilations.get(axis).copied().unwrap_or(1))?.checked_add(1)?;
        let total = match (stride, sizes.get(axis).copied().flatten()) {
            (1, _) => covered - 1,
            (stride, Some(input)) if stride > 0 => ((input + stride - 1) / stride - 1) * stride + covered - input,
            _ => return None,
        };
        let total = total.max(0);
        let less = total / 2;
        let (start, end) =
            if node.text("auto_pad") == "SAME_LOWER" { (total - less, less) } else { (less, total - less) };
        starts.push(start);
        ends.push(end);
    }
    starts.append(&mut ends);
    Some(starts)
}

/// What pads the end when the axes run forwards pads the start when they run backwards.
fn flipped(scope: &mut Scope<'_>, node: NodeProto, count: usize, filters: bool) -> Result<(), Refusal> {
    let result = output(&node)?.to_string();
    let mut inner = with(&node, "auto_pad", Value::S("SAME_UPPER"));
    for (index, name) in inner.input.iter_mut().enumerate() {
        if index == 0 || (index == 1 && filters) {
            *name = flip(scope, name, count);
        }
    }
    let backwards = scope.fresh();
    inner.output = vec![backwards.clone()];
    keep(scope, inner)?;
    let forwards = flip(scope, &backwards, count);
    scope.make_as("Identity", &[&forwards], &[], &[&result]);
    Ok(())
}

fn flip(scope: &mut Scope<'_>, value: &str, count: usize) -> String {
    let axes: Vec<i64> = (2..).take(count).collect();
    let from = scope.list(&vec![-1; count]);
    let to = scope.list(&vec![i32::MIN.into(); count]);
    let (axes, steps) = (scope.list(&axes), scope.list(&vec![-1; count]));
    scope.make("Slice", &[value, &from, &to, &axes, &steps], &[])
}

/// The zero point of the first input as a value without axes, unless it is known to be zero.
fn zero_point(scope: &mut Scope<'_>, node: &mut NodeProto) -> Option<String> {
    for index in [2, 3] {
        if scope.dims(node.given(index)) == Some(&[Some(1)]) {
            let scalar = scope.make("Squeeze", &[node.given(index)], &[]);
            if let Some(name) = node.input.get_mut(index) {
                *name = scalar;
            }
        }
    }
    let is_zero = scope.integers(node.given(2)).is_some_and(|all| all.iter().all(|&value| value == 0));
    (node.has(2) && !is_zero).then(|| node.given(2).to_string())
}

/// Pads with the zero point before the node, where the engine would pad with the integer zero.
fn padded(scope: &mut Scope<'_>, node: NodeProto, point: &str) -> Result<(), Refusal> {
    let pads = node.ints("pads").unwrap_or_default().to_vec();
    let (starts, ends) = pads.split_at(pads.len() / 2);
    let all: Vec<i64> = [&[0, 0], starts, &[0, 0], ends].concat();
    let all = scope.list(&all);
    let wide = scope.make("Pad", &[node.given(0), &all, point], &[]);
    let mut inner = with(&node, "pads", Value::Is(&vec![0; pads.len()]));
    if let Some(name) = inner.input.first_mut() {
        *name = wide;
    }
    keep(scope, inner)
}

/// A transposed convolution with its paddings written out.
fn transposed(scope: &Scope<'_>, node: NodeProto, kernel: Option<&[i64]>) -> Result<NodeProto, Refusal> {
    let wanted = node.ints("output_shape").filter(|sizes| !sizes.is_empty()).map(<[_]>::to_vec);
    let mode = node.text("auto_pad").to_string();
    if wanted.is_none() && !mode.starts_with("SAME") {
        return Ok(node);
    }
    let shown = wanted.as_ref().map_or_else(|| format!("\"{mode}\""), |sizes| format!("{sizes:?}"));
    let attribute = if wanted.is_some() { "output_shape" } else { "auto_pad" };
    let (Some(kernel), Some(strides), Some(dilations)) = (kernel, node.ints("strides"), node.ints("dilations")) else {
        return refuse(attribute, &shown, "the sizes of its filters are not known");
    };
    let inputs = scope.dims(node.given(0)).and_then(|dims| dims.get(2..)).unwrap_or_default();
    let extra = node.ints("output_padding").unwrap_or_default();
    let (mut starts, mut ends, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for (axis, ((&size, &stride), &dilation)) in kernel.iter().zip(strides).zip(dilations).enumerate() {
        let extra = extra.get(axis).copied().unwrap_or(0);
        let covered = (size - 1) * dilation + 1 + extra;
        let total = match &wanted {
            None => covered - stride,
            Some(wanted) => {
                match (inputs.get(axis).copied().flatten(), wanted.iter().rev().nth(kernel.len() - 1 - axis)) {
                    (Some(input), Some(wanted)) => stride * (input - 1) + covered - wanted,
                    _ => return refuse(attribute, &shown, "the sizes of its input are not known"),
                }
            }
        };
        // A shape beyond what the filters cover is reached by padding the output.
        let (total, added) = if total < 0 { (0, -total) } else { (total, 0) };
        let less = total / 2;
        let (start, end) = if mode == "SAME_UPPER" { (less, total - less) } else { (total - less, less) };
        starts.push(start);
        ends.push(end);
        more.push(extra + added);
    }
    starts.append(&mut ends);
    let node = with(&without(&node, &["auto_pad", "output_shape"]), "pads", Value::Is(&starts));
    Ok(with(&node, "output_padding", Value::Is(&more)))
}

/// The root of a sum of powers, which is the mean of as many.
pub(super) fn norm_pool(scope: &mut Scope<'_>, node: &NodeProto) -> Result<(), Refusal> {
    let (x, result) = (node.given(0), output(node)?);
    super::normalizations::plain_floats(scope, x)?;
    let p = node.attribute("p").map_or(2.0, |p| p.f.unwrap_or(p.i.unwrap_or(2) as f32));
    let (power, root) = (number(scope, p), number(scope, 1.0 / p));
    let sizes = scope.make("Abs", &[x], &[]);
    let powers = scope.make("Pow", &[&sizes, &power], &[]);
    let sum = if node.operator() == "GlobalLpPool" {
        let Some(rank) = scope.rank(x) else {
            return Err(Refusal::because("the number of its input's axes is not known"));
        };
        let axes: Vec<i64> = (2..i64::try_from(rank).unwrap_or(2)).collect();
        {
            let axes = scope.list(&axes);
            scope.make("ReduceSum", &[&powers, &axes], &[])
        }
    } else {
        if node.int("ceil_mode", 0) != 0 {
            return refuse("ceil_mode", "1", "the simulator has this pool over whole windows only");
        }
        let kernel = node.ints("kernel_shape").unwrap_or_default().to_vec();
        let mut mean = without(node, &["p"]);
        mean.op_type = Some("AveragePool".to_string());
        mean = with(&mean, "count_include_pad", Value::I(1));
        mean.input = vec![powers];
        let name = scope.fresh();
        mean.output = vec![name.clone()];
        pool(scope, mean)?;
        let count = number(scope, kernel.iter().product::<i64>() as f32);
        scope.make("Mul", &[&name, &count], &[])
    };
    scope.make_as("Pow", &[&sum, &root], &[], &[result]);
    Ok(())
}
