//! Tensors of any element type as inputs and outputs of operators.

use super::super::tensor::{OperatorInput, OperatorOutput};
use super::super::{IdleInputs, IdleOutputs, OperatorInputs, OperatorOutputs, TensorArgument, TensorState, sealed};
use super::{AnyTensor, SharedAnyTensor};
use crate::brand::{Brand, Inside};
use crate::error::Error;
use crate::ffi::RawStream;
use crate::stream::{Past, Pending};
use core::mem::MaybeUninit;
use std::sync::Arc;

impl<C: Brand> OperatorInput<C> for AnyTensor<C> {}
impl<C: Brand> OperatorInputs<C> for AnyTensor<C> {}
impl<C: Brand> IdleInputs for AnyTensor<C> {}
list_of_one!([C: Brand] AnyTensor<C>);

impl<C: Brand> sealed::Input for AnyTensor<C> {
    type Idle = Self;

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        self.described(TensorState::Written)
    }

    fn into_idle_input(self, _: Inside) -> Self {
        self
    }
}

impl<C: Brand> OperatorInput<C> for SharedAnyTensor<C> {}
impl<C: Brand> OperatorInputs<C> for SharedAnyTensor<C> {}
impl<C: Brand> IdleInputs for SharedAnyTensor<C> {}
list_of_one!([C: Brand] SharedAnyTensor<C>);

impl<C: Brand> sealed::Input for SharedAnyTensor<C> {
    type Idle = Self;

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        self.described()
    }

    fn into_idle_input(self, _: Inside) -> Self {
        self
    }
}

inputs_in_flight! {
    [C: Brand] AnyTensor<C>;
    [C: Brand] SharedAnyTensor<C>;
}

impl<C: Brand, B> IdleOutputs for AnyTensor<C, B> where Self: sealed::Output {}
impl<C: Brand> OperatorOutput<C> for AnyTensor<C> {}
impl<C: Brand> OperatorOutput<C> for AnyTensor<C, MaybeUninit<u8>> {}
impl<C: Brand> OperatorOutput<C> for Pending<C, AnyTensor<C>> {}
impl<C: Brand, B> OperatorOutputs<C> for AnyTensor<C, B> where Self: OperatorOutput<C> {}
impl<C: Brand> OperatorOutputs<C> for Pending<C, AnyTensor<C>> {}
output! {
    [C: Brand, B] AnyTensor<C, B>;
    [C: Brand, B] Pending<C, AnyTensor<C, B>>;
}

impl<C: Brand> sealed::Output for AnyTensor<C> {
    type Written = Self;

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        self.described(TensorState::Written)
    }

    fn into_written_output(self, _: Inside) -> Self {
        self
    }
}

impl<C: Brand> sealed::Output for AnyTensor<C, MaybeUninit<u8>> {
    type Written = AnyTensor<C>;

    fn tensor_argument(&self, _: Inside) -> TensorArgument {
        self.described(TensorState::Unwritten)
    }

    fn into_written_output(self, _: Inside) -> AnyTensor<C> {
        self.into_written()
    }
}

/// A tensor in flight can be an output: the work that uses it comes before the operator, because it is on the same stream.
impl<C: Brand> sealed::Output for Pending<C, AnyTensor<C>> {
    type Written = AnyTensor<C>;

    fn tensor_argument(&self, key: Inside) -> TensorArgument {
        sealed::Output::tensor_argument(self.in_flight(), key)
    }

    fn into_written_output(self, _: Inside) -> AnyTensor<C> {
        self.into_payload()
    }

    fn usable_on(&self, queue: &Arc<RawStream>, _: Inside) -> Result<(), Error> {
        self.check_same_stream(queue)
    }

    fn past_of_operand(&self, _: Inside) -> Past {
        Self::past(self)
    }
}
