//! Convolutions over three axes, and pools over any number of axes and with gaps: of slices of their input.

use super::convolutions::padded_input;
use super::output;
use crate::model::rewrite::attributes::{Attributes, Value};
use crate::model::rewrite::scope::Scope;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::NodeProto;

/// As many slices as a node is made of at most.
const MOST_SLICES: i64 = 4096;

/// How windows lie along an axis.
struct Windows {
    axis: i64,
    size: i64,
    stride: i64,
    dilation: i64,
}

impl Windows {
    /// Along all axes of space of a node that is complete.
    fn of(node: &NodeProto, kernel: &[i64]) -> Vec<Self> {
        let along = |name: &str, axis: usize| node.ints(name).and_then(|all| all.get(axis)).copied().unwrap_or(1);
        let axes = (2_i64..).zip(kernel.iter().enumerate());
        let one = |(axis, (index, &size)): (i64, (usize, &i64))| Self {
            axis,
            size,
            stride: along("strides", index),
            dilation: along("dilations", index),
        };
        axes.map(one).collect()
    }

    /// How many elements a window reaches over.
    fn covered(&self) -> i64 {
        (self.size - 1) * self.dilation + 1
    }

    /// How many elements the last window lacks along an axis of this size, with so many before and behind it. It begins
    /// at an element or before them, not in the padding at the end.
    fn lacks(&self, size: i64, start: i64, end: i64) -> i64 {
        let all = size + start + end;
        let mut more = (all - self.covered() + self.stride - 1) / self.stride;
        if more * self.stride >= size + start {
            more -= 1;
        }
        (more * self.stride + self.covered() - all).max(0)
    }

    /// The elements that stand at this place of each window.
    fn slice(&self, scope: &mut Scope<'_>, x: &str, place: i64) -> String {
        let rest = (self.size - 1 - place) * self.dilation;
        let end = if rest == 0 { i32::MAX.into() } else { -rest };
        let [from, to, axes, step] =
            [place * self.dilation, end, self.axis, self.stride].map(|value| scope.list(&[value]));
        scope.make("Slice", &[x, &from, &to, &axes, &step], &[])
    }
}

/// Refuses a node that would be made of very many nodes.
pub(super) fn few(kernel: &[i64]) -> Result<(), Refusal> {
    let slices = kernel.iter().try_fold(0_i64, |sum, size| sum.checked_add(*size));
    match slices.is_some_and(|slices| slices <= MOST_SLICES) {
        true => Ok(()),
        false => refuse("kernel_shape", &format!("{kernel:?}"), "the simulator would make it of too many slices"),
    }
}

/// A pool whose node is complete.
pub(super) fn pool(scope: &mut Scope<'_>, node: &NodeProto, kernel: &[i64]) -> Result<(), Refusal> {
    few(kernel)?;
    let result = output(node)?;
    if node.operator() == "MaxPool" {
        let lowest = scope.float(f32::NEG_INFINITY);
        let input = whole_windows(scope, node, node.given(0), kernel, &lowest, &lowest)?;
        let most = slide(scope, node, kernel, "Max", &input);
        scope.make_as("Identity", &[&most], &[], &[result]);
        return Ok(());
    }
    let sum = sums(scope, node, kernel, node.given(0))?;
    let (zero, one) = (scope.float(0.0), scope.float(1.0));
    // As many elements as each window has, with or without the padding.
    let sizes = super::shape(scope, node.given(0));
    let ones = scope.make("Expand", &[&one, &sizes], &[]);
    let padding = if node.int("count_include_pad", 0) != 0 { &one } else { &zero };
    let ones = whole_windows(scope, node, &ones, kernel, padding, &zero)?;
    let count = slide(scope, node, kernel, "Sum", &ones);
    scope.make_as("Div", &[&sum, &count], &[], &[result]);
    Ok(())
}

/// The sum of each window of a value that has the sizes of the node's input.
pub(super) fn sums(scope: &mut Scope<'_>, node: &NodeProto, kernel: &[i64], value: &str) -> Result<String, Refusal> {
    let zero = scope.float(0.0);
    let input = whole_windows(scope, node, value, kernel, &zero, &zero)?;
    Ok(slide(scope, node, kernel, "Sum", &input))
}

/// A value with the padding of the node, and with what the last windows need behind it where they are not whole.
fn whole_windows(
    scope: &mut Scope<'_>,
    node: &NodeProto,
    value: &str,
    kernel: &[i64],
    padding: &str,
    behind: &str,
) -> Result<String, Refusal> {
    let padded = padded_input(scope, node, value, kernel, padding);
    // A padding that keeps the size is one of whole windows.
    if node.int("ceil_mode", 0) == 0 || node.text("auto_pad").starts_with("SAME") {
        return Ok(padded);
    }
    let windows = Windows::of(node, kernel);
    let given = node.ints("pads").unwrap_or_default();
    let pads = |index: usize| given.get(index).copied().unwrap_or(0);
    if windows.iter().zip(kernel.len()..).any(|(one, index)| pads(index) >= one.covered()) {
        return refuse("pads", &format!("{given:?}"), "a window of `ceil_mode` would lie in the padding alone");
    }
    let is_held = |size: &i64| (0..=i32::MAX.into()).contains(size);
    let sizes: Option<Vec<i64>> = scope.sizes(node.given(0)).and_then(|sizes| Some(sizes.get(2..)?.to_vec()));
    let sizes = sizes.filter(|sizes| sizes.iter().all(is_held));
    // Nothing before the axes, and nothing behind batches and channels.
    let front = vec![0; kernel.len() + 4];
    let pads = if let Some(sizes) = sizes {
        let mut all = front;
        for (index, (one, size)) in windows.iter().zip(sizes).enumerate() {
            scope.assume(node.given(0), one.axis, size);
            all.push(one.lacks(size, pads(index), pads(index + kernel.len())));
        }
        scope.list(&all)
    } else {
        let starts: Vec<i64> = (0..kernel.len()).map(pads).collect();
        let (front, lacks) = (scope.list(&front), lacking(scope, &windows, value, &padded, &starts));
        scope.make("Concat", &[&front, &lacks], &[("axis", Value::I(0))])
    };
    Ok(scope.make("Pad", &[&padded, &pads, behind], &[]))
}

/// How many elements the last windows lack, calculated when the sizes are known.
fn lacking(scope: &mut Scope<'_>, windows: &[Windows], value: &str, padded: &str, starts: &[i64]) -> String {
    let of = |one: fn(&Windows) -> i64| windows.iter().map(one).collect::<Vec<i64>>();
    let [axes, strides, covered, starts] =
        [of(|w| w.axis), of(|w| w.stride), of(Windows::covered), starts.to_vec()].map(|all| scope.list(&all));
    let sizes = |scope: &mut Scope<'_>, value: &str| {
        let sizes = super::shape(scope, value);
        scope.make("Gather", &[&sizes, &axes], &[("axis", Value::I(0))])
    };
    let two = |scope: &mut Scope<'_>, operator: &str, a: &str, b: &str| scope.make(operator, &[a, b], &[]);
    let [zero, one] = [0, 1].map(|value| scope.list(&[value]));
    let (all, inner) = (sizes(scope, padded), sizes(scope, value));
    let rest = two(scope, "Sub", &all, &covered);
    let rounding = two(scope, "Sub", &strides, &one);
    let more = two(scope, "Add", &rest, &rounding);
    let more = two(scope, "Div", &more, &strides);
    let (begin, end) = (two(scope, "Mul", &more, &strides), two(scope, "Add", &inner, &starts));
    let left_out = two(scope, "GreaterOrEqual", &begin, &end);
    let fewer = two(scope, "Sub", &more, &one);
    let more = scope.make("Where", &[&left_out, &fewer, &more], &[]);
    let begin = two(scope, "Mul", &more, &strides);
    let need = two(scope, "Add", &begin, &covered);
    let lacks = two(scope, "Sub", &need, &all);
    two(scope, "Max", &lacks, &zero)
}

/// The greatest or the sum of each window, along one axis after the other.
fn slide(scope: &mut Scope<'_>, node: &NodeProto, kernel: &[i64], operator: &str, input: &str) -> String {
    let mut value = input.to_string();
    for windows in Windows::of(node, kernel) {
        let slices: Vec<String> = (0..windows.size).map(|place| windows.slice(scope, &value, place)).collect();
        let slices: Vec<&str> = slices.iter().map(String::as_str).collect();
        value = scope.make(operator, &slices, &[]);
    }
    value
}

/// A convolution over three axes whose node is complete: a sum of such over two axes, one for each place along the first.
pub(super) fn convolution(scope: &mut Scope<'_>, node: &NodeProto, kernel: &[i64]) -> Result<(), Refusal> {
    few(kernel)?;
    super::normalizations::plain_floats(scope, node.given(0))?;
    let result = output(node)?;
    let zero = scope.float(0.0);
    let input = padded_input(scope, node, node.given(0), kernel, &zero);
    let Some((depth, [rows, columns])) = split(Windows::of(node, kernel)) else {
        return Err(Refusal::because("it is over more than three axes of space"));
    };
    let (mut sum, mut before) = (None::<String>, None);
    for place in 0..depth.size {
        let slice = depth.slice(scope, &input, place);
        // Each place along the first axis is an image of a batch.
        let turned = scope.make("Transpose", &[&slice], &[("perm", Value::Is(&[0, 2, 1, 3, 4]))]);
        let sizes = super::shape(scope, &turned);
        let (front, image) = (part(scope, &sizes, 0, 2), part(scope, &sizes, 2, 5));
        let all = scope.list(&[-1]);
        let flat = scope.make("Concat", &[&all, &image], &[("axis", Value::I(0))]);
        let images = scope.make("Reshape", &[&turned, &flat], &[]);
        let index = scope.integer(i32::try_from(place).unwrap_or(0), rten_onnx::onnx::DataType::INT64);
        let filters = scope.make("Gather", &[node.given(1), &index], &[("axis", Value::I(2))]);
        let bias = Some(node.given(2)).filter(|name| place == 0 && !name.is_empty());
        let inputs: Vec<&str> = [images.as_str(), &filters].into_iter().chain(bias).collect();
        let found = scope.make(
            "Conv",
            &inputs,
            &[
                ("kernel_shape", Value::Is(&[rows.size, columns.size])),
                ("strides", Value::Is(&[rows.stride, columns.stride])),
                ("dilations", Value::Is(&[rows.dilation, columns.dilation])),
                ("pads", Value::Is(&[0; 4])),
                ("group", Value::I(node.int("group", 1))),
            ],
        );
        sum = Some(match sum {
            Some(sum) => scope.make("Add", &[&sum, &found], &[]),
            None => found,
        });
        before = Some(front);
    }
    let (sum, front) = (sum.unwrap_or_default(), before.unwrap_or_default());
    let sizes = super::shape(scope, &sum);
    let image = part(scope, &sizes, 1, 4);
    let sizes = scope.make("Concat", &[&front, &image], &[("axis", Value::I(0))]);
    let whole = scope.make("Reshape", &[&sum, &sizes], &[("allowzero", Value::I(1))]);
    scope.make_as("Transpose", &[&whole], &[("perm", Value::Is(&[0, 2, 1, 3, 4]))], &[result]);
    Ok(())
}

fn split(windows: Vec<Windows>) -> Option<(Windows, [Windows; 2])> {
    let [depth, rows, columns] = <[Windows; 3]>::try_from(windows).ok()?;
    Some((depth, [rows, columns]))
}

fn part(scope: &mut Scope<'_>, list: &str, from: i64, to: i64) -> String {
    let (from, to) = (scope.list(&[from]), scope.list(&[to]));
    scope.make("Slice", &[list, &from, &to], &[])
}
