//! Lists of tensors: a single tensor, tuples, arrays, vectors.

use super::tensor::{Absent, DeviceTensor, OperatorInput, OperatorOutput};
use super::{TensorArgument, sealed};
use crate::brand::{Brand, Inside};

/// The inputs of an operator, in order: a [`DeviceTensor`], or a tuple, an array or a `Vec` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the inputs of this operator",
    label = "expected written `DeviceTensor`s of the stream's own context: one, a tuple, an array or a `Vec`",
    note = "MEM-07: a tensor of `MaybeUninit` elements is written first, by a copy or as the output of another operator",
    note = "OP-03: an operator takes its tensors by value, and the wait gives them back; one that several operators read is shared: \
            `let y = y.into_shared();`, then `y.clone()` for each",
    note = "GE-19: inputs are in device memory: `current.upload_tensor(&[2, 3], &elements)?`, or `buffer.into_tensor(&[2, 3])?`",
    note = "see `ascendcl-explain MEM-07`"
)]
pub trait OperatorInputs<C>: sealed::Inputs {}

/// The outputs of an operator, in order: a [`DeviceTensor`], or a tuple, an array or a `Vec` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the outputs of this operator",
    label = "expected `DeviceTensor`s of the stream's own context: one, a tuple, an array or a `Vec`",
    note = "make one: `current.tensor::<f32>(&[2, 3])?`",
    note = "MEM-02: a `SharedTensor` is only read: an operator writes a tensor of its own, `current.tensor::<f32>(&shape)?`",
    note = "see `ascendcl-explain MEM-02`"
)]
pub trait OperatorOutputs<C>: sealed::Outputs {}

impl<C: Brand, E> OperatorInputs<C> for DeviceTensor<C, E> where Self: OperatorInput<C> {}
impl<C: Brand> OperatorInputs<C> for Absent {}
impl<C: Brand, E> OperatorOutputs<C> for DeviceTensor<C, E> where Self: OperatorOutput<C> {}
impl<C: Brand, T: OperatorInput<C>> OperatorInputs<C> for Vec<T> {}
impl<C: Brand, T: OperatorOutput<C>> OperatorOutputs<C> for Vec<T> {}
impl<C: Brand, T: OperatorInput<C>, const K: usize> OperatorInputs<C> for [T; K] {}
impl<C: Brand, T: OperatorOutput<C>, const K: usize> OperatorOutputs<C> for [T; K] {}

impl<C: Brand, E> sealed::Inputs for DeviceTensor<C, E>
where
    Self: sealed::Input,
{
    fn parts(&self, key: Inside) -> Vec<TensorArgument> {
        vec![sealed::Input::part(self, key)]
    }
}

impl sealed::Inputs for Absent {
    fn parts(&self, key: Inside) -> Vec<TensorArgument> {
        vec![sealed::Input::part(self, key)]
    }
}

impl<C: Brand, E> sealed::Outputs for DeviceTensor<C, E>
where
    Self: sealed::Output,
{
    type Written = <Self as sealed::Output>::Written;

    fn parts(&self, key: Inside) -> Vec<TensorArgument> {
        vec![sealed::Output::part(self, key)]
    }

    fn written(self, key: Inside) -> Self::Written {
        sealed::Output::written(self, key)
    }
}

impl<T: sealed::Input> sealed::Inputs for Vec<T> {
    fn parts(&self, key: Inside) -> Vec<TensorArgument> {
        self.iter().map(|tensor| tensor.part(key)).collect()
    }
}

impl<T: sealed::Output> sealed::Outputs for Vec<T> {
    type Written = Vec<T::Written>;

    fn parts(&self, key: Inside) -> Vec<TensorArgument> {
        self.iter().map(|tensor| tensor.part(key)).collect()
    }

    fn written(self, key: Inside) -> Self::Written {
        self.into_iter().map(|tensor| tensor.written(key)).collect()
    }
}

impl<T: sealed::Input, const K: usize> sealed::Inputs for [T; K] {
    fn parts(&self, key: Inside) -> Vec<TensorArgument> {
        self.iter().map(|tensor| tensor.part(key)).collect()
    }
}

impl<T: sealed::Output, const K: usize> sealed::Outputs for [T; K] {
    type Written = [T::Written; K];

    fn parts(&self, key: Inside) -> Vec<TensorArgument> {
        self.iter().map(|tensor| tensor.part(key)).collect()
    }

    fn written(self, key: Inside) -> Self::Written {
        self.map(|tensor| tensor.written(key))
    }
}

macro_rules! tuples {
    ($(($($tensor:ident),+);)*) => {
        $(
            impl<Z: Brand, $($tensor: OperatorInput<Z>,)+> OperatorInputs<Z> for ($($tensor,)+) {}
            impl<Z: Brand, $($tensor: OperatorOutput<Z>,)+> OperatorOutputs<Z> for ($($tensor,)+) {}

            #[allow(non_snake_case, reason = "a tensor has the name of its type")]
            impl<$($tensor: sealed::Input), +> sealed::Inputs for ($($tensor,)+) {
                fn parts(&self, key: Inside) -> Vec<TensorArgument> {
                    let ($($tensor,)+) = self;
                    vec![$($tensor.part(key)),+]
                }
            }

            #[allow(non_snake_case, reason = "a tensor has the name of its type")]
            impl<$($tensor: sealed::Output), +> sealed::Outputs for ($($tensor,)+) {
                type Written = ($($tensor::Written,)+);

                fn parts(&self, key: Inside) -> Vec<TensorArgument> {
                    let ($($tensor,)+) = self;
                    vec![$($tensor.part(key)),+]
                }

                fn written(self, key: Inside) -> Self::Written {
                    let ($($tensor,)+) = self;
                    ($($tensor.written(key),)+)
                }
            }
        )*
    };
}
tuples! {
    (A);
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
}
