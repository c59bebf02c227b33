//! Inputs of several kinds in one list.

use super::super::tensor::{Absent, OperatorInput};
use super::super::{IdleInputs, OperatorInputs, TensorArgument, sealed};
use super::SharedAnyTensor;
use crate::brand::{Brand, Inside, Scoped};
use crate::error::Error;
use crate::ffi::RawStream;
use crate::stream::{Past, Pending};
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// An input of an operator, in a `Vec` of which each may be idle, in flight, or left out. After the launch, and a wait,
/// the list is one of `Option`s: `None` was left out.
///
/// ```
/// use ascendcl::operator::{AnyInput, Operator};
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let stream = current.stream()?.without_allocator();
/// let weights = current.upload_tensor(&[2], &[10_i32, 20])?.into_shared().into_any();
/// let x = current.upload_tensor(&[2], &[-1_i32, 2])?.into_any();
/// let y = current.any_tensor(x.shape(), x.element())?;
/// let hidden = stream.launch(current, Operator::new("Relu").bind(current, x, y)?)?.into_outputs().into_shared();
/// // One was written long ago, and one is being computed.
/// let y = current.any_tensor(hidden.shape(), hidden.element())?;
/// let inputs = vec![AnyInput::from(weights), AnyInput::from(hidden)];
/// let sum = stream.launch(current, Operator::new("Add").bind(current, inputs, y)?)?.into_outputs();
/// assert_eq!(sum.wait(current)?.to_vec::<i32>(current)?, [10, 22]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[non_exhaustive]
pub enum AnyInput<
    C: Brand, // CTX-02: the context comes first: `AnyInput<C>` with `C: Brand`; of a runtime: `AnyInput<Vision>`
> {
    /// A tensor that no work writes.
    Shared(SharedAnyTensor<C>),
    /// A tensor in flight on the stream that the operator is launched on.
    InFlight(Pending<C, SharedAnyTensor<C>>),
    /// An optional input that is left out.
    Absent,
}

assert_impl_all!(AnyInput<Scoped<'static>>: Send);
assert_not_impl_any!(AnyInput<Scoped<'static>>: Clone);

impl<C: Brand> From<SharedAnyTensor<C>> for AnyInput<C> {
    fn from(tensor: SharedAnyTensor<C>) -> Self {
        Self::Shared(tensor)
    }
}

impl<C: Brand> From<Pending<C, SharedAnyTensor<C>>> for AnyInput<C> {
    fn from(tensor: Pending<C, SharedAnyTensor<C>>) -> Self {
        Self::InFlight(tensor)
    }
}

impl<C: Brand> From<Absent> for AnyInput<C> {
    fn from(_: Absent) -> Self {
        Self::Absent
    }
}

impl<C: Brand> OperatorInput<C> for AnyInput<C> {}
impl<C: Brand> OperatorInputs<C> for AnyInput<C> {}
list_of_one!([C: Brand] AnyInput<C>);

impl<C: Brand> sealed::Input for AnyInput<C> {
    type Idle = Option<SharedAnyTensor<C>>;

    fn tensor_argument(&self, key: Inside) -> TensorArgument {
        match self {
            Self::Shared(tensor) => sealed::Input::tensor_argument(tensor, key),
            Self::InFlight(tensor) => sealed::Input::tensor_argument(tensor, key),
            Self::Absent => sealed::Input::tensor_argument(&Absent, key),
        }
    }

    fn into_idle_input(self, _: Inside) -> Self::Idle {
        match self {
            Self::Shared(tensor) => Some(tensor),
            Self::InFlight(tensor) => Some(tensor.into_payload()),
            Self::Absent => None,
        }
    }

    fn usable_on(&self, queue: &Arc<RawStream>, _: Inside) -> Result<(), Error> {
        match self {
            Self::InFlight(tensor) => tensor.check_same_stream(queue),
            Self::Shared(_) | Self::Absent => Ok(()),
        }
    }

    fn past_of_operand(&self, _: Inside) -> Past {
        match self {
            Self::InFlight(tensor) => tensor.past(),
            Self::Shared(_) | Self::Absent => Past::none(),
        }
    }
}

impl<C: Brand> OperatorInput<C> for Option<SharedAnyTensor<C>> {}
impl<C: Brand> OperatorInputs<C> for Option<SharedAnyTensor<C>> {}
impl<C: Brand> IdleInputs for Option<SharedAnyTensor<C>> {}
list_of_one!([C: Brand] Option<SharedAnyTensor<C>>);

/// `None` is an optional input that is left out.
impl<C: Brand> sealed::Input for Option<SharedAnyTensor<C>> {
    type Idle = Self;

    fn tensor_argument(&self, key: Inside) -> TensorArgument {
        match self {
            Some(tensor) => sealed::Input::tensor_argument(tensor, key),
            None => sealed::Input::tensor_argument(&Absent, key),
        }
    }

    fn into_idle_input(self, _: Inside) -> Self {
        self
    }
}

/// Not derived, which would ask the context for `Debug` in code for any context.
impl<C: Brand> fmt::Debug for AnyInput<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared(tensor) => f.debug_tuple("Shared").field(tensor).finish(),
            Self::InFlight(tensor) => f.debug_tuple("InFlight").field(tensor).finish(),
            Self::Absent => f.write_str("Absent"),
        }
    }
}
