//! Operators on streams.

use super::{OperatorOutputs, sealed::Outputs};
use crate::allocator::DeviceAllocator;
use crate::brand::{Brand, INSIDE, NotShared, Unnamed};
use crate::current::Current;
use crate::error::Undone;
use crate::ffi::{Invocation, Queue};
use crate::stream::{CanExecute, DefaultStream, Operand, Pending, Stream, StreamState, Turn};
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// An operator with its tensors: what a stream launches, any number of times.
///
/// While it is in flight ([`Pending`]) its tensors cannot be reached. [`into_tensors`](Self::into_tensors) gives them
/// back. One that is dropped or forgotten leaves its memory to the scope.
#[must_use = "a bound operator does nothing until a stream launches it"]
#[rule(OP_02, OP_03)]
pub struct BoundOperator<'c, I, O, N = Unnamed> {
    invocation: Arc<Invocation>,
    inputs: I,
    outputs: O,
    _brand: Brand<'c, N>,
    _not_shared: NotShared,
}

assert_impl_all!(BoundOperator<'static, (), ()>: Send);
assert_not_impl_any!(BoundOperator<'static, (), ()>: Sync, Clone);

/// An operator in flight, or the operator as it was. Its outputs are written once it is waited for.
type Launched<'c, I, O, N, B> = Result<Pending<'c, BoundOperator<'c, I, <O as Outputs>::Written, N>, N>, Undone<B>>;

impl<'c, I, O, N> BoundOperator<'c, I, O, N> {
    pub(super) fn new(invocation: Arc<Invocation>, inputs: I, outputs: O) -> Self {
        Self { invocation, inputs, outputs, _brand: Brand::NEW, _not_shared: NotShared::NEW }
    }

    /// The tensors. They are the operator's until [`into_tensors`](Self::into_tensors).
    pub fn tensors(&self) -> (&I, &O) {
        (&self.inputs, &self.outputs)
    }

    /// Takes the operator apart and gives the tensors back.
    ///
    /// # Errors
    ///
    /// The operator as it was, when the library refuses.
    pub fn into_tensors(self, current: &Current<'c, N>) -> Result<(I, O), Undone<Self>> {
        match current.ledger().revoke(&self.invocation) {
            Ok(()) => Ok((self.inputs, self.outputs)),
            Err(error) => Err(Undone { error, value: self }),
        }
    }

    pub(crate) fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    fn queue<B: Operand<'c, Self, N>>(
        operator: B,
        current: &Current<'c, N>,
        stream: &Arc<Queue>,
    ) -> Launched<'c, I, O, N, B>
    where
        O: OperatorOutputs<'c, N>,
    {
        let ready = operator.usable_on(stream);
        match ready.and_then(|()| current.ledger().launch(&operator.look(INSIDE).invocation, stream)) {
            Ok(()) => {
                let past = operator.past(INSIDE);
                let Self { invocation, inputs, outputs, _brand, _not_shared } = operator.into_value(INSIDE);
                let outputs = outputs.written(INSIDE);
                let operator = BoundOperator { invocation, inputs, outputs, _brand, _not_shared };
                Ok(Pending::new(operator, stream).after(past))
            }
            Err(error) => Err(Undone { error, value: operator }),
        }
    }
}

impl<'c, S: StreamState, N> Stream<'c, S, N> {
    /// Queues one execution of an operator (`aclopExecuteV2`), on a stream whose allocator is decided (ALLOC-04): memory
    /// that the operator needs besides its tensors comes from there. The operator may be in flight on this stream already.
    ///
    /// # Errors
    ///
    /// The operator as it was: [`Error::OtherStream`](crate::Error::OtherStream) when it is in flight elsewhere, or what
    /// the library says.
    #[rule(OP_01, OP_03, ALLOC_04)]
    pub fn launch<I, O, B: Operand<'c, BoundOperator<'c, I, O, N>, N>>(
        &self,
        current: &Current<'c, N>,
        operator: B,
    ) -> Launched<'c, I, O, N, B>
    where
        S: CanExecute,
        O: OperatorOutputs<'c, N>,
    {
        BoundOperator::queue(operator, current, self.queue())
    }
}

impl<'c, A: DeviceAllocator, N> Turn<'c, '_, A, N> {
    /// Queues one execution of an operator on the turn's stream, as [`Stream::launch`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn launch<I, O, B: Operand<'c, BoundOperator<'c, I, O, N>, N>>(
        &self,
        current: &Current<'c, N>,
        operator: B,
    ) -> Launched<'c, I, O, N, B>
    where
        O: OperatorOutputs<'c, N>,
    {
        self.stream().launch(current, operator)
    }
}

/// Streams that operators run on.
#[diagnostic::on_unimplemented(
    message = "operators do not run on the default stream",
    label = "expected an explicit stream whose allocator is decided",
    note = "OP-01: with several threads, operators on the default stream may fail or mix",
    note = "launch on a stream of your own: `current.stream()?.without_allocator()`"
)]
#[rule(OP_01)]
pub trait RunsOperators: crate::stream::sealed_default::Sealed {}

impl<'c, N> DefaultStream<'c, N> {
    /// Not available: this function is here to say so in the compiler's message (OP-01).
    pub fn launch<I, O>(&self, current: &Current<'c, N>, operator: BoundOperator<'c, I, O, N>) -> PhantomData<(I, O)>
    where
        Self: RunsOperators,
    {
        let _ = (current, operator);
        PhantomData
    }
}

impl<I, O, N> fmt::Debug for BoundOperator<'_, I, O, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundOperator").field("invocation", &self.invocation).finish_non_exhaustive()
    }
}
