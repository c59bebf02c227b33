//! The commonest operators, with arguments whose types and shapes are checked here.

use super::{BoundOperator, DeviceTensor, Operator, OperatorInputs};
use crate::Element;
use crate::current::Current;
use crate::error::{Error, Undone};
use core::mem::MaybeUninit;

/// A tensor that an operator will have written.
type Output<'c, E, N> = DeviceTensor<'c, MaybeUninit<E>, N>;
/// An operator with one output, or its inputs as they were.
type Bound<'c, I, E, N> = Result<BoundOperator<'c, I, Output<'c, E, N>, N>, Undone<I>>;
/// Two tensors of one element type.
type Pair<'c, E, N> = (DeviceTensor<'c, E, N>, DeviceTensor<'c, E, N>);

/// `x + y`, element by element (`Add`); shapes are broadcast, as in all operators on two tensors.
///
/// # Errors
///
/// The tensors as they were: [`Error::OperatorShapes`] when the shapes cannot be broadcast, before anything is called;
/// else as for [`Operator::bind`].
pub fn add<'c, E: Element, N>(
    current: &Current<'c, N>,
    x: DeviceTensor<'c, E, N>,
    y: DeviceTensor<'c, E, N>,
) -> Bound<'c, Pair<'c, E, N>, E, N> {
    elementwise(current, "Add", x, y)
}

/// `x - y`, element by element (`Sub`).
///
/// # Errors
///
/// As for [`add`].
pub fn sub<'c, E: Element, N>(
    current: &Current<'c, N>,
    x: DeviceTensor<'c, E, N>,
    y: DeviceTensor<'c, E, N>,
) -> Bound<'c, Pair<'c, E, N>, E, N> {
    elementwise(current, "Sub", x, y)
}

/// `x · y`, element by element (`Mul`).
///
/// # Errors
///
/// As for [`add`].
pub fn mul<'c, E: Element, N>(
    current: &Current<'c, N>,
    x: DeviceTensor<'c, E, N>,
    y: DeviceTensor<'c, E, N>,
) -> Bound<'c, Pair<'c, E, N>, E, N> {
    elementwise(current, "Mul", x, y)
}

/// The matrix product of `x`, of the shape `[m, k]`, and `y`, of the shape `[k, n]` (`MatMul`).
///
/// # Errors
///
/// As for [`add`].
pub fn mat_mul<'c, E: Element, N>(
    current: &Current<'c, N>,
    x: DeviceTensor<'c, E, N>,
    y: DeviceTensor<'c, E, N>,
) -> Bound<'c, Pair<'c, E, N>, E, N> {
    let shape = match (x.shape(), y.shape()) {
        (&[m, k], &[of_y, n]) if k == of_y => Some([m, n]),
        _ => None,
    };
    let operator = Operator::new("MatMul").with("transpose_x1", false).with("transpose_x2", false);
    let shape = shape.ok_or_else(|| misfit("MatMul", "the shapes [m, k] and [k, n]", x.shape(), y.shape()));
    bind(current, operator, (x, y), shape.map(Vec::from))
}

/// The elements of `x` as another type (`Cast`).
///
/// # Errors
///
/// The tensor as it was; as for [`Operator::bind`].
pub fn cast<'c, To: Element, E: Element, N>(
    current: &Current<'c, N>,
    x: DeviceTensor<'c, E, N>,
) -> Bound<'c, DeviceTensor<'c, E, N>, To, N> {
    let shape = x.shape().to_vec();
    bind(current, Operator::new("Cast").with("dst_type", i64::from(To::TYPE.number())), x, Ok(shape))
}

/// The elements of `x`, and zero for those below zero (`Relu`).
///
/// # Errors
///
/// As for [`cast`].
pub fn relu<'c, E: Element, N>(
    current: &Current<'c, N>,
    x: DeviceTensor<'c, E, N>,
) -> Bound<'c, DeviceTensor<'c, E, N>, E, N> {
    let shape = x.shape().to_vec();
    bind(current, Operator::new("Relu"), x, Ok(shape))
}

/// The exponentials of `x`, scaled to the sum 1 along an axis (`SoftmaxV2`).
///
/// # Errors
///
/// The tensor as it was: [`Error::OperatorShapes`] when it has no such axis, before anything is called; else as for
/// [`Operator::bind`].
pub fn softmax<'c, E: Element, N>(
    current: &Current<'c, N>,
    x: DeviceTensor<'c, E, N>,
    axis: usize,
) -> Bound<'c, DeviceTensor<'c, E, N>, E, N> {
    let shape = x.shape().to_vec();
    let axes = vec![i64::try_from(axis).unwrap_or(i64::MAX)];
    let found = || Error::OperatorShapes {
        operator: "SoftmaxV2",
        expected: "a tensor that has the axis",
        found: format!("the shape {shape:?} and the axis {axis}"),
    };
    let checked = if axis < shape.len() { Ok(shape.clone()) } else { Err(found()) };
    bind(current, Operator::new("SoftmaxV2").with("axes", axes), x, checked)
}

fn elementwise<'c, E: Element, N>(
    current: &Current<'c, N>,
    name: &'static str,
    x: DeviceTensor<'c, E, N>,
    y: DeviceTensor<'c, E, N>,
) -> Bound<'c, Pair<'c, E, N>, E, N> {
    let expected = "shapes in which each pair of sizes, counted from the last, is equal or has a 1";
    let shape = broadcast(x.shape(), y.shape()).ok_or_else(|| misfit(name, expected, x.shape(), y.shape()));
    bind(current, Operator::new(name), (x, y), shape)
}

/// Binds an operator to a new output of this shape.
fn bind<'c, I: OperatorInputs<'c, N>, E: Element, N>(
    current: &Current<'c, N>,
    operator: Operator,
    inputs: I,
    shape: Result<Vec<usize>, Error>,
) -> Bound<'c, I, E, N> {
    match shape.and_then(|shape| current.tensor::<E>(&shape)) {
        Ok(output) => operator
            .bind(current, inputs, output)
            .map_err(|Undone { error, value: (inputs, _output) }| Undone { error, value: inputs }),
        Err(error) => Err(Undone { error, value: inputs }),
    }
}

fn broadcast(x: &[usize], y: &[usize]) -> Option<Vec<usize>> {
    let rank = x.len().max(y.len());
    let padded = |shape: &[usize]| [vec![1; rank - shape.len()], shape.to_vec()].concat();
    let pairs = padded(x).into_iter().zip(padded(y));
    pairs
        .map(|pair| if let (size, 1) | (1, size) = pair { Some(size) } else { (pair.0 == pair.1).then_some(pair.0) })
        .collect()
}

fn misfit(operator: &'static str, expected: &'static str, x: &[usize], y: &[usize]) -> Error {
    Error::OperatorShapes { operator, expected, found: format!("{x:?} and {y:?}") }
}
