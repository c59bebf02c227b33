//! The most common operators, with arguments whose types and shapes are checked here.

use super::{BoundOperator, DeviceTensor, Operator, OperatorInputs, TensorInput};
use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed, ShapesError};
use core::mem::MaybeUninit;

/// A tensor that an operator writes.
type Output<C, E> = DeviceTensor<C, MaybeUninit<E>>;
/// An operator with one output, or its inputs unchanged.
type BindResult<C, I, E> = Result<BoundOperator<C, I, Output<C, E>>, Failed<I>>;

/// `x + y`, element by element (`Add`); shapes are broadcast, as in all operators on two tensors.
///
/// # Errors
///
/// Returns the tensors unchanged, with [`Error::OperatorShapes`] when the shapes cannot be broadcast, before anything
/// is called; else as for [`Operator::bind`]. Whether an axis may have the size 0 is left to the library's compiler: if not,
/// it is an [`Error::Vendor`] of the call that compiles the operator.
#[rustfmt::skip] // The compiler's messages print the first line.
pub fn add<C: Brand, X: TensorInput<C>,
    Y: TensorInput<C, Element = X::Element>>( // OP-02: both of one element type: `operator::cast::<f32, _, _>(current, y)`
    current: &Current<C>,
    x: X,
    y: Y,
) -> BindResult<C, (X, Y), X::Element> {
    elementwise(current, "Add", x, y)
}

/// `x - y`, element by element (`Sub`).
///
/// # Errors
///
/// As for [`add`].
#[rustfmt::skip] // The compiler's messages print the first line.
pub fn sub<C: Brand, X: TensorInput<C>,
    Y: TensorInput<C, Element = X::Element>>( // OP-02: both of one element type: `operator::cast::<f32, _, _>(current, y)`
    current: &Current<C>,
    x: X,
    y: Y,
) -> BindResult<C, (X, Y), X::Element> {
    elementwise(current, "Sub", x, y)
}

/// `x · y`, element by element (`Mul`).
///
/// # Errors
///
/// As for [`add`].
#[rustfmt::skip] // The compiler's messages print the first line.
pub fn mul<C: Brand, X: TensorInput<C>,
    Y: TensorInput<C, Element = X::Element>>( // OP-02: both of one element type: `operator::cast::<f32, _, _>(current, y)`
    current: &Current<C>,
    x: X,
    y: Y,
) -> BindResult<C, (X, Y), X::Element> {
    elementwise(current, "Mul", x, y)
}

/// The matrix product of `x`, of the shape `[m, k]`, and `y`, of the shape `[k, n]` (`MatMul`).
///
/// # Errors
///
/// As for [`add`].
#[rustfmt::skip] // The compiler's messages print the first line.
pub fn mat_mul<C: Brand, X: TensorInput<C>,
    Y: TensorInput<C, Element = X::Element>>( // OP-02: both of one element type: `operator::cast::<f32, _, _>(current, y)`
    current: &Current<C>,
    x: X,
    y: Y,
) -> BindResult<C, (X, Y), X::Element> {
    let shape = match (x.sizes_of_tensor(INSIDE), y.sizes_of_tensor(INSIDE)) {
        (&[m, k], &[of_y, n]) if k == of_y => Some([m, n]),
        _ => None,
    };
    let operator = Operator::new("MatMul").with("transpose_x1", false).with("transpose_x2", false);
    let shape = shape.ok_or_else(|| shapes_error("MatMul", "the shapes [m, k] and [k, n]", x.sizes_of_tensor(INSIDE), y.sizes_of_tensor(INSIDE)));
    bind(current, operator, (x, y), shape.map(Vec::from))
}

/// The elements of `x` as another type (`Cast`).
///
/// # Errors
///
/// Returns the tensor unchanged, with the errors of [`Operator::bind`].
#[rustfmt::skip] // The compiler's messages print the first line.
pub fn cast<To: Element, C: Brand, X: TensorInput<C>>( // OP-02: the new type, then two that follow: `cast::<f32, _, _>(current, x)`
    current: &Current<C>,
    x: X,
) -> BindResult<C, X, To> {
    let shape = x.sizes_of_tensor(INSIDE).to_vec();
    bind(current, Operator::new("Cast").with("dst_type", i64::from(To::TYPE.number())), x, Ok(shape))
}

/// The elements of `x`, and zero for those below zero (`Relu`).
///
/// # Errors
///
/// As for [`cast`].
pub fn relu<C: Brand, X: TensorInput<C>>(current: &Current<C>, x: X) -> BindResult<C, X, X::Element> {
    let shape = x.sizes_of_tensor(INSIDE).to_vec();
    bind(current, Operator::new("Relu"), x, Ok(shape))
}

/// The exponentials of `x`, scaled to the sum 1 along an axis (`SoftmaxV2`).
///
/// # Errors
///
/// Returns the tensor unchanged, with [`Error::OperatorShapes`] when it has no such axis, before anything is called;
/// else as for [`Operator::bind`].
pub fn softmax<C: Brand, X: TensorInput<C>>(current: &Current<C>, x: X, axis: usize) -> BindResult<C, X, X::Element> {
    let shape = x.sizes_of_tensor(INSIDE).to_vec();
    let axes = vec![i64::try_from(axis).unwrap_or(i64::MAX)];
    let no_such_axis = || {
        let found = format!("the shape {shape:?} and the axis {axis}");
        ShapesError { operator: "SoftmaxV2", expected: "a tensor that has the axis", found }.into()
    };
    let checked = if axis < shape.len() { Ok(shape.clone()) } else { Err(no_such_axis()) };
    bind(current, Operator::new("SoftmaxV2").with("axes", axes), x, checked)
}

fn elementwise<C: Brand, X: TensorInput<C>, Y: TensorInput<C, Element = X::Element>>(
    current: &Current<C>,
    name: &'static str,
    x: X,
    y: Y,
) -> BindResult<C, (X, Y), X::Element> {
    let expected = "shapes in which each pair of sizes, counted from the last, is equal or has a 1";
    let shape = broadcast(x.sizes_of_tensor(INSIDE), y.sizes_of_tensor(INSIDE))
        .ok_or_else(|| shapes_error(name, expected, x.sizes_of_tensor(INSIDE), y.sizes_of_tensor(INSIDE)));
    bind(current, Operator::new(name), (x, y), shape)
}

/// Binds an operator to a new output of this shape.
fn bind<C: Brand, I: OperatorInputs<C>, E: Element>(
    current: &Current<C>,
    operator: Operator,
    inputs: I,
    shape: Result<Vec<usize>, Error>,
) -> BindResult<C, I, E> {
    match shape.and_then(|shape| current.tensor::<E>(&shape)) {
        Ok(output) => operator
            .bind(current, inputs, output)
            .map_err(|Failed { error, value: (inputs, _output) }| Failed { error, value: inputs }),
        Err(error) => Err(Failed { error, value: inputs }),
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

fn shapes_error(operator: &'static str, expected: &'static str, x: &[usize], y: &[usize]) -> Error {
    ShapesError { operator, expected, found: format!("{x:?} and {y:?}") }.into()
}
