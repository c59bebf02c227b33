//! Lists of tensors: a single tensor, tuples, arrays, vectors.

use super::tensor::{Absent, DeviceTensor, OperatorInput, OperatorOutput};
use super::{TensorArgument, sealed};
use crate::brand::{Brand, Inside};
use crate::element::Element;
use crate::error::Error;
use crate::ffi::RawStream;
use crate::stream::{Past, Pending};
use std::sync::Arc;

/// The inputs of an operator, in order: a [`DeviceTensor`], a [`SharedTensor`](super::SharedTensor), one of them in flight
/// as a [`Pending`](crate::Pending), or a tuple, an array or a `Vec` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the inputs of an operator or a graph",
    label = "expected written `DeviceTensor`s of the stream's own context: one, a tuple, an array or a `Vec`",
    note = "MEM-07: a tensor has elements if it is made with them, `current.upload_tensor(&shape, &elements)?` or \
            `current.zeros_tensor(&shape)?`, or if it is the output of another operator",
    note = "OP-03: an operator takes its tensors by value, and the wait gives them back; one that several operators read is shared: \
            `let y = y.into_shared();`, then `y.clone()` for each",
    note = "OP-03: the outputs of an operator in flight are inputs on the same stream: `pending.into_outputs()`",
    note = "GE-19: inputs are in device memory: `current.upload_tensor(&[2, 3], &elements)?`, or `buffer.into_tensor(&[2, 3])?`",
    note = "see `ascendcl-explain MEM-07`"
)]
pub trait OperatorInputs<C>: sealed::Inputs {}

/// The outputs of an operator, in order: a [`DeviceTensor`], or a tuple, an array or a `Vec` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the outputs of an operator or a graph",
    label = "expected `DeviceTensor`s of the stream's own context: one, a tuple, an array or a `Vec`",
    note = "make one: `current.tensor::<f32>(&[2, 3])?`",
    note = "MEM-02: a `SharedTensor` is only read: an operator writes a tensor of its own, `current.tensor::<f32>(&shape)?`",
    note = "see `ascendcl-explain MEM-02`"
)]
pub trait OperatorOutputs<C>: sealed::Outputs {}

/// Inputs that no work uses, alone or in a list.
#[diagnostic::on_unimplemented(
    message = "these inputs have to be tensors that no work uses: `{Self}`",
    label = "expected `DeviceTensor`s or `SharedTensor`s that were waited for",
    note = "OP-03: a stream launches the operator: `stream.launch(current, operator)?`; or its inputs are waited for before \
            it is bound: `let x = x.wait(current)?;`",
    note = "GRAPH-05: a graph owns what its tasks use, and nothing else uses it",
    note = "STREAM-04: a graph of the graph engine runs on a stream of its own: wait for its inputs before, `let x = x.wait(current)?;`",
    note = "see `ascendcl-explain OP-03`"
)]
pub trait IdleInputs: sealed::Inputs<Idle = Self> {}

/// Outputs of an operator none of which is in flight, as a task of a captured graph needs them.
#[diagnostic::on_unimplemented(
    message = "these outputs have to be tensors that no work uses: `{Self}`",
    label = "expected `DeviceTensor`s that were waited for",
    note = "OP-03: a stream launches the operator: `stream.launch(current, operator)?`; or its outputs are waited for before \
            it is bound: `let y = y.wait(current)?;`",
    note = "GRAPH-05: a graph owns what its tasks use, and nothing else uses it",
    note = "see `ascendcl-explain OP-03`"
)]
pub trait IdleOutputs: sealed::Outputs {}

impl<C: Brand, E> IdleOutputs for DeviceTensor<C, E> where Self: sealed::Output {}
impl<T: IdleOutputs + sealed::Output> IdleOutputs for Vec<T> {}
impl<T: IdleOutputs + sealed::Output, const K: usize> IdleOutputs for [T; K] {}

impl IdleInputs for Absent {}
impl<C: Brand, E: Element> IdleInputs for DeviceTensor<C, E> {}
impl<T: IdleInputs + sealed::Input<Idle = T>> IdleInputs for Vec<T> {}
impl<T: IdleInputs + sealed::Input<Idle = T>, const K: usize> IdleInputs for [T; K] {}

impl<C: Brand, E: Element> OperatorInputs<C> for DeviceTensor<C, E> {}
impl<C: Brand> OperatorInputs<C> for Absent {}
impl<C: Brand, E> OperatorOutputs<C> for DeviceTensor<C, E> where Self: OperatorOutput<C> {}
impl<C: Brand, T: OperatorInput<C>> OperatorInputs<C> for Vec<T> {}
impl<C: Brand, T: OperatorOutput<C>> OperatorOutputs<C> for Vec<T> {}
impl<C: Brand, T: OperatorInput<C>, const K: usize> OperatorInputs<C> for [T; K] {}
impl<C: Brand, T: OperatorOutput<C>, const K: usize> OperatorOutputs<C> for [T; K] {}

output! {
    [C: Brand, E] DeviceTensor<C, E>;
    [C: Brand, E] Pending<C, DeviceTensor<C, E>>;
}

/// Several inputs, or outputs, of one type.
macro_rules! lists {
    ($($list:ident of $one:ident: $result:ident by $into:ident;)+) => { $(
        impl<T: sealed::$one> sealed::$list for Vec<T> {
            type $result = Vec<T::$result>;

            fn $into(self, key: Inside) -> Self::$result {
                self.into_iter().map(|tensor| tensor.$into(key)).collect()
            }

            lists!(each);
        }

        impl<T: sealed::$one, const K: usize> sealed::$list for [T; K] {
            type $result = [T::$result; K];

            fn $into(self, key: Inside) -> Self::$result {
                self.map(|tensor| tensor.$into(key))
            }

            lists!(each);
        }
    )+ };
    (each) => {
        fn tensor_arguments(&self, key: Inside) -> Vec<TensorArgument> {
            self.iter().map(|tensor| tensor.tensor_argument(key)).collect()
        }

        fn usable_on(&self, queue: &Arc<RawStream>, key: Inside) -> Result<(), Error> {
            self.iter().try_for_each(|tensor| tensor.usable_on(queue, key))
        }

        fn past_of_operand(&self, key: Inside) -> Past {
            self.iter().fold(Past::none(), |past, tensor| past.and(tensor.past_of_operand(key)))
        }
    };
}
lists! {
    Inputs of Input: Idle by into_idle_input;
    Outputs of Output: Written by into_written_output;
}

/// A tuple of inputs, or of outputs.
macro_rules! tuple {
    ($list:ident of $one:ident: $result:ident by $into:ident; $($tensor:ident)+) => {
        #[allow(non_snake_case, reason = "a tensor has the name of its type")]
        impl<$($tensor: sealed::$one),+> sealed::$list for ($($tensor,)+) {
            type $result = ($($tensor::$result,)+);

            fn tensor_arguments(&self, key: Inside) -> Vec<TensorArgument> {
                let ($($tensor,)+) = self;
                vec![$($tensor.tensor_argument(key)),+]
            }

            fn $into(self, key: Inside) -> Self::$result {
                let ($($tensor,)+) = self;
                ($($tensor.$into(key),)+)
            }

            fn usable_on(&self, queue: &Arc<RawStream>, key: Inside) -> Result<(), Error> {
                let ($($tensor,)+) = self;
                $($tensor.usable_on(queue, key)?;)+
                Ok(())
            }

            fn past_of_operand(&self, key: Inside) -> Past {
                let ($($tensor,)+) = self;
                let past = Past::none();
                $(let past = past.and($tensor.past_of_operand(key));)+
                past
            }
        }
    };
}

macro_rules! tuples {
    ($(($($tensor:ident),+);)*) => {
        $(
            impl<Z: Brand, $($tensor: OperatorInput<Z>,)+> OperatorInputs<Z> for ($($tensor,)+) {}
            impl<$($tensor: IdleInputs + sealed::Input<Idle = $tensor>,)+> IdleInputs for ($($tensor,)+) {}
            impl<Z: Brand, $($tensor: OperatorOutput<Z>,)+> OperatorOutputs<Z> for ($($tensor,)+) {}
            impl<$($tensor: IdleOutputs + sealed::Output,)+> IdleOutputs for ($($tensor,)+) {}
            tuple!(Inputs of Input: Idle by into_idle_input; $($tensor)+);
            tuple!(Outputs of Output: Written by into_written_output; $($tensor)+);
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
