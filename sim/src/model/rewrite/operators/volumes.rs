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

    /// The elements that stand at this place of each window.
    fn slice(&self, scope: &mut Scope<'_>, x: &str, place: i64) -> String {
        let rest = (self.size - 1 - place) * self.dilation;
        let end = if rest == 0 { i32::MAX.into() } else { -rest };
        let [from, to, axes, step] =
            [place * self.dilation, end, self.axis, self.stride].map(|value| scope.list(&[value]));
        scope.make("Slice", &[x, &from, &to, &axes, &step], &[])
    }
}

fn few(kernel: &[i64]) -> Result<(), Refusal> {
    let slices = kernel.iter().try_fold(0_i64, |sum, size| sum.checked_add(*size));
    match slices.is_some_and(|slices| slices <= MOST_SLICES) {
        true => Ok(()),
        false => refuse("kernel_shape", &format!("{kernel:?}"), "the simulator would make it of too many slices"),
    }
}

/// A pool whose node is complete.
pub(super) fn pool(scope: &mut Scope<'_>, node: &NodeProto, kernel: &[i64]) -> Result<(), Refusal> {
    few(kernel)?;
    if node.int("ceil_mode", 0) != 0 {
        return refuse(
            "ceil_mode",
            "1",
            "the simulator has it over more than two axes or with gaps over whole windows only",
        );
    }
    let result = output(node)?;
    if node.operator() == "MaxPool" {
        let lowest = scope.float(f32::NEG_INFINITY);
        let input = padded_input(scope, node, node.given(0), kernel, &lowest);
        let most = slide(scope, node, kernel, "Max", &input);
        scope.make_as("Identity", &[&most], &[], &[result]);
        return Ok(());
    }
    let (zero, one) = (scope.float(0.0), scope.float(1.0));
    let input = padded_input(scope, node, node.given(0), kernel, &zero);
    let sum = slide(scope, node, kernel, "Sum", &input);
    // As many elements as each window has, with or without the padding.
    let sizes = super::shape(scope, node.given(0));
    let ones = scope.make("Expand", &[&one, &sizes], &[]);
    let padding = if node.int("count_include_pad", 0) != 0 { &one } else { &zero };
    let ones = padded_input(scope, node, &ones, kernel, padding);
    let count = slide(scope, node, kernel, "Sum", &ones);
    scope.make_as("Div", &[&sum, &count], &[], &[result]);
    Ok(())
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
