//! Convolutions and pools: the standard's defaults, and its padding.

use super::extents::{MOST, MOST_AXES, few_axes, lengths, windows};
use super::output;
use crate::model::rewrite::attributes::{Attributes, Value, with, without};
use crate::model::rewrite::numbers::keep;
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::{DataType, NodeProto};

/// As many axes of space as a `Conv` may have: one over all of them is a sum of others over two.
const IN_SPACE: usize = 3;

pub(super) fn convolution(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let filters = scope.dims(node.given(1)).and_then(|dims| dims.get(2..)).map(<[_]>::to_vec);
    let kernel = node.ints("kernel_shape").map(<[_]>::to_vec);
    if let Some((kernel, filters)) = kernel.as_ref().zip(filters.as_ref()) {
        let is = |(size, filter): (&i64, &Option<i64>)| filter.is_none_or(|filter| filter == *size);
        if kernel.len() != filters.len() || !kernel.iter().zip(filters).all(is) {
            let found = filters.iter().map(|size| size.map_or("?".to_string(), |size| size.to_string()));
            let found = found.collect::<Vec<_>>().join(", ");
            return refuse("kernel_shape", &format!("{kernel:?}"), &format!("the sizes of its filters are [{found}]"));
        }
    }
    let kernel = kernel.or_else(|| filters.as_ref()?.iter().copied().collect());
    let count = kernel.as_ref().map(Vec::len).or(filters.map(|filters| filters.len()));
    let count = count.or_else(|| scope.rank(node.given(0))?.checked_sub(2));
    let Some(count) = count else {
        return Err(Refusal::because("neither `kernel_shape` nor the number of its inputs' axes is known"));
    };
    few_axes(count, if node.operator() == "Conv" { IN_SPACE } else { MOST_AXES })?;
    let in_space = count == IN_SPACE;
    let mut node = complete(&node, count, true);
    lengths(&node, count)?;
    windows(&node, kernel.as_deref())?;
    if in_space {
        let unknown = || Refusal::because("it is over 3 axes of space, and the sizes of its filters are not known");
        return super::volumes::convolution(scope, &node, &kernel.ok_or_else(unknown)?);
    }
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
    let padding = Padding::of(&node, kernel.as_deref());
    match (operator.as_str(), padding) {
        ("ConvInteger", Padding::None) => {
            super::scalars(scope, &mut node, &[2, 3]);
            super::narrow::in_parts(scope, node, 1, 3)
        }
        ("ConvInteger", padding) => {
            super::scalars(scope, &mut node, &[2, 3]);
            let kind = super::element(scope, node.given(0))?;
            let point = if node.has(2) { node.given(2).to_string() } else { scope.integer(0, kind) };
            padded(scope, node, &padding, kernel.as_deref(), Some(&point))
        }
        (_, Padding::Start) => padded(scope, node, &Padding::Start, kernel.as_deref(), None),
        (_, Padding::Known(pads)) if node.text("auto_pad") == "SAME_LOWER" => keep(scope, explicit(&node, &pads)),
        _ => keep(scope, node),
    }
}

pub(super) fn pool(scope: &mut Scope<'_>, node: NodeProto) -> Result<(), Refusal> {
    let kernel = node.ints("kernel_shape").unwrap_or_default().to_vec();
    if kernel.is_empty() {
        return Err(Refusal::because("it has no `kernel_shape`"));
    }
    if node.output.len() > 1 {
        return Err(Refusal::because("its output `Indices` is one that the simulator does not calculate"));
    }
    let node = complete(&node, kernel.len(), false);
    lengths(&node, kernel.len())?;
    windows(&node, Some(&kernel))?;
    if matches!(scope.element(node.given(0)), Some(DataType::INT8 | DataType::UINT8)) {
        return narrow_pool(scope, &node);
    }
    if kernel.len() > MOST_AXES || node.ints("dilations").is_some_and(|all| all.iter().any(|&step| step != 1)) {
        super::normalizations::plain_floats(scope, node.given(0))?;
        return super::volumes::pool(scope, &node, &kernel);
    }
    match Padding::of(&node, Some(&kernel)) {
        Padding::Known(pads) if node.text("auto_pad") == "SAME_LOWER" => keep(scope, explicit(&node, &pads)),
        Padding::Start if node.operator() == "MaxPool" => {
            let lowest = scope.float(f32::NEG_INFINITY);
            padded(scope, node, &Padding::Start, Some(&kernel), Some(&lowest))
        }
        Padding::Start if node.int("count_include_pad", 0) != 0 => {
            padded(scope, node, &Padding::Start, Some(&kernel), None)
        }
        Padding::Start => mean_of_inside(scope, &node, &kernel),
        _ => keep(scope, node),
    }
}

/// The mean over the elements that are no padding: that of all, over the part of them that is none.
fn mean_of_inside(scope: &mut Scope<'_>, node: &NodeProto, kernel: &[i64]) -> Result<(), Refusal> {
    let result = output(node)?;
    let (sizes, one) = (super::shape(scope, node.given(0)), scope.float(1.0));
    let ones = scope.make("Expand", &[&one, &sizes], &[]);
    let mut means = Vec::new();
    for input in [node.given(0).to_string(), ones] {
        let mut inner = with(node, "count_include_pad", Value::I(1));
        let name = scope.fresh();
        (inner.input, inner.output) = (vec![input], vec![name.clone()]);
        padded(scope, inner, &Padding::Start, Some(kernel), None)?;
        means.push(name);
    }
    let means: Vec<&str> = means.iter().map(String::as_str).collect();
    scope.make_as("Div", &means, &[], &[result]);
    Ok(())
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

/// The paddings that keep the size, where they do not depend on it.
fn same(node: &NodeProto, kernel: Option<&[i64]>) -> Option<Vec<i64>> {
    let (strides, kernel) = (node.ints("strides")?, kernel?);
    let dilations = node.ints("dilations").unwrap_or_default();
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for (axis, (&stride, &size)) in strides.iter().zip(kernel).enumerate() {
        let covered = (size - 1).checked_mul(dilations.get(axis).copied().unwrap_or(1))?.checked_add(1)?;
        let total = if stride == 1 { covered - 1 } else { return None };
        let less = total / 2;
        let (start, end) =
            if node.text("auto_pad") == "SAME_LOWER" { (total - less, less) } else { (less, total - less) };
        starts.push(start);
        ends.push(end);
    }
    starts.append(&mut ends);
    Some(starts)
}

/// What a node is padded by.
enum Padding {
    None,
    /// By so much at the start of each axis, and then by so much at its end.
    Known(Vec<i64>),
    /// So that the size is kept, more of it at the start: by how much follows from sizes that only the run knows.
    Start,
    /// The same, more of it at the end.
    End,
}

impl Padding {
    fn of(node: &NodeProto, kernel: Option<&[i64]>) -> Self {
        let (mode, given) = (node.text("auto_pad"), node.ints("pads").unwrap_or_default());
        // Where the stride is one the sizes do not matter; else they are asked when the model runs.
        match mode {
            "SAME_LOWER" => same(node, kernel).map_or(Self::Start, Self::Known),
            "SAME_UPPER" => same(node, kernel).map_or(Self::End, Self::Known),
            _ if given.iter().all(|&pad| pad == 0) => Self::None,
            _ => Self::Known(given.to_vec()),
        }
    }
}

fn explicit(node: &NodeProto, pads: &[i64]) -> NodeProto {
    with(&without(node, &["auto_pad"]), "pads", Value::Is(pads))
}

/// Pads before the node, with this value or with zero.
fn padded(
    scope: &mut Scope<'_>,
    node: NodeProto,
    padding: &Padding,
    kernel: Option<&[i64]>,
    value: Option<&str>,
) -> Result<(), Refusal> {
    let count = node.ints("strides").map_or(0, <[_]>::len);
    let all = match (padding, kernel) {
        (Padding::Start | Padding::End, None) => {
            let mode = format!("\"{}\"", node.text("auto_pad"));
            let why = "the sizes of the filters, which its padding follows from, are not known";
            return refuse("auto_pad", &mode, why);
        }
        _ => pads(scope, &node, padding, kernel.unwrap_or_default()),
    };
    let inputs: Vec<&str> = [node.given(0), &all].into_iter().chain(value).collect();
    let wide = scope.make("Pad", &inputs, &[]);
    let mut inner = explicit(&node, &vec![0; 2 * count]);
    if let Some(name) = inner.input.first_mut() {
        *name = wide;
    }
    match inner.operator() {
        "ConvInteger" => super::narrow::in_parts(scope, inner, 1, 3),
        _ => keep(scope, inner),
    }
}

/// What each axis is padded by, batch and channels among them.
fn pads(scope: &mut Scope<'_>, node: &NodeProto, padding: &Padding, kernel: &[i64]) -> String {
    match padding {
        Padding::Known(pads) => {
            let (starts, ends) = pads.split_at(pads.len() / 2);
            scope.list(&[&[0, 0], starts, &[0, 0], ends].concat())
        }
        Padding::None => scope.list(&vec![0; 2 * (node.ints("strides").map_or(0, <[_]>::len) + 2)]),
        Padding::Start | Padding::End => pads_at_run(scope, node, kernel, matches!(padding, Padding::Start)),
    }
}

/// A value of the size of the node's input, padded with another as the node says.
pub(super) fn padded_input(
    scope: &mut Scope<'_>,
    node: &NodeProto,
    input: &str,
    kernel: &[i64],
    value: &str,
) -> String {
    match Padding::of(node, Some(kernel)) {
        Padding::None => input.to_string(),
        padding => {
            let pads = pads(scope, node, &padding, kernel);
            scope.make("Pad", &[input, &pads, value], &[])
        }
    }
}

/// The paddings that keep the size, calculated when the size is known.
fn pads_at_run(scope: &mut Scope<'_>, node: &NodeProto, kernel: &[i64], start: bool) -> String {
    let strides = node.ints("strides").unwrap_or_default().to_vec();
    let dilations = node.ints("dilations").unwrap_or_default();
    let step = |axis: usize| dilations.get(axis).copied().unwrap_or(1);
    let covered: Vec<i64> = kernel.iter().enumerate().map(|(axis, size)| (size - 1) * step(axis) + 1).collect();
    let axes: Vec<i64> = (2..).take(strides.len()).collect();
    let sizes = super::shape(scope, node.given(0));
    let axes = scope.list(&axes);
    let sizes = scope.make("Gather", &[&sizes, &axes], &[("axis", Value::I(0))]);
    let (strides, covered) = (scope.list(&strides), scope.list(&covered));
    let [zero, one, two] = [0, 1, 2].map(|value| scope.list(&[value]));
    // The last window starts at the last multiple of the stride that is inside.
    let last = scope.make("Sub", &[&sizes, &one], &[]);
    let last = scope.make("Div", &[&last, &strides], &[]);
    let last = scope.make("Mul", &[&last, &strides], &[]);
    let end = scope.make("Add", &[&last, &covered], &[]);
    let total = scope.make("Sub", &[&end, &sizes], &[]);
    let total = scope.make("Max", &[&total, &zero], &[]);
    let less = scope.make("Div", &[&total, &two], &[]);
    let more = scope.make("Sub", &[&total, &less], &[]);
    let (first, second) = if start { (more, less) } else { (less, more) };
    let none = scope.list(&[0, 0]);
    scope.make("Concat", &[&none, &first, &none, &second], &[("axis", Value::I(0))])
}

/// A transposed convolution with its paddings written out.
fn transposed(scope: &mut Scope<'_>, node: NodeProto, kernel: Option<&[i64]>) -> Result<NodeProto, Refusal> {
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
    let inputs = scope.dims(node.given(0)).and_then(|dims| dims.get(2..)).unwrap_or_default().to_vec();
    let extra = node.ints("output_padding").unwrap_or_default();
    let (mut starts, mut ends, mut more) = (Vec::new(), Vec::new(), Vec::new());
    for (axis, ((&size, &stride), &dilation)) in kernel.iter().zip(strides).zip(dilations).enumerate() {
        let extra = extra.get(axis).copied().unwrap_or(0);
        let covered = (size - 1) * dilation + 1 + extra;
        let total = match &wanted {
            None => covered - stride,
            Some(wanted) => {
                match (inputs.get(axis).copied().flatten(), wanted.iter().rev().nth(kernel.len() - 1 - axis)) {
                    (Some(input), Some(wanted)) if input <= MOST => {
                        scope.assume(node.given(0), i64::try_from(axis).unwrap_or(0) + 2, input);
                        stride * (input - 1) + covered - wanted
                    }
                    _ => return refuse(attribute, &shown, "the sizes of its input are not known, or beyond 32 bits"),
                }
            }
        };
        if total < 0 && wanted.is_none() {
            return refuse(
                attribute,
                &shown,
                "its strides are more than its filters cover, and libraries differ there",
            );
        }
        if total > MOST {
            return refuse(attribute, &shown, "its padding would be beyond 32 bits");
        }
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
    let (power, root) = (scope.float(p), scope.float(1.0 / p));
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
    } else if node.int("ceil_mode", 0) != 0 {
        // Windows that are not whole are no mean of as many elements.
        let kernel = node.ints("kernel_shape").unwrap_or_default().to_vec();
        let node = complete(node, kernel.len(), false);
        windows(&node, Some(&kernel))?;
        super::volumes::few(&kernel)?;
        super::volumes::sums(scope, &node, &kernel, &powers)?
    } else {
        let kernel = node.ints("kernel_shape").unwrap_or_default().to_vec();
        let mut mean = without(node, &["p"]);
        mean.op_type = Some("AveragePool".to_string());
        mean = with(&mean, "count_include_pad", Value::I(1));
        mean.input = vec![powers];
        let name = scope.fresh();
        mean.output = vec![name.clone()];
        pool(scope, mean)?;
        let count = scope.float(kernel.iter().product::<i64>() as f32);
        scope.make("Mul", &[&name, &count], &[])
    };
    scope.make_as("Pow", &[&sum, &root], &[], &[result]);
    Ok(())
}
