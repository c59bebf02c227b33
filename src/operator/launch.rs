//! Operators on streams.

use super::{OperatorOutputs, sealed};
use crate::brand::{Brand, INSIDE, Inside, Mark, OperatorOfOneThread, Scoped};
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::{Error, Failed};
use crate::ffi::{RawOperator, RawStream};
use crate::stream::{CanExecute, DefaultStream, GroupTurn, Operand, Pending, Stream, StreamState, sealed_payload};
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// An operator with its tensors. A stream can launch it any number of times.
///
/// While it is in flight ([`Pending`]) its tensors are inaccessible. [`into_tensors`](Self::into_tensors) returns them
/// after a wait. [`Pending::into_outputs`] passes them on to the next operator without one.
/// An operator that is dropped or forgotten leaves its memory to the scope.
///
/// ```
/// use ascendcl::operator;
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let stream = current.stream()?.without_allocator();
/// let (x, y) = (current.upload_tensor(&[2], &[1_i32, 2])?, current.upload_tensor(&[2], &[10_i32, 20])?);
/// let mut sum = stream.launch(current, operator::add(current, x, y)?)?.wait(current)?;
/// // Launched again, it computes the same outputs from the inputs as they are now.
/// sum = stream.launch(current, sum)?.wait(current)?;
/// let (_terms, sum) = sum.into_tensors(current)?;
/// assert_eq!(sum.to_vec(current)?, [11, 22]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[must_use = "launch it (`stream.launch(current, operator)?`), or take its tensors: `operator.into_tensors(current)?`"]
#[rule(OP_02, OP_03)]
pub struct BoundOperator<
    C: Brand, // CTX-02: the context comes first, then inputs and outputs: `BoundOperator<Vision, I, O>`
    I,
    O,
> {
    raw: Arc<RawOperator>,
    pub(super) inputs: I,
    pub(super) outputs: O,
    _brand: Mark<C>,
    _not_shared: OperatorOfOneThread,
}

assert_impl_all!(BoundOperator<Scoped<'static>, (), ()>: Send);
assert_not_impl_any!(BoundOperator<Scoped<'static>, (), ()>: Sync, Clone);

/// An operator in flight, or the operator unchanged. Its outputs are written after a wait.
type Launched<C, I, O, B> =
    Result<Pending<C, BoundOperator<C, <I as sealed::Inputs>::Idle, <O as sealed::Outputs>::Written>>, Failed<B>>;

impl<C: Brand, I, O> BoundOperator<C, I, O> {
    pub(super) fn new(raw: Arc<RawOperator>, inputs: I, outputs: O) -> Self {
        Self { raw, inputs, outputs, _brand: Mark::NEW, _not_shared: OperatorOfOneThread::NEW }
    }

    /// The tensors. The operator owns them until [`into_tensors`](Self::into_tensors).
    pub fn tensors(&self) -> (&I, &O) {
        (&self.inputs, &self.outputs)
    }

    /// Takes the operator apart and returns the tensors (`aclDestroyDataBuffer`, `aclDestroyTensorDesc`).
    ///
    /// # Errors
    ///
    /// Returns the operator unchanged, with [`Error::StillRunning`] while work may use it, or [`Error::WrongContext`]. Also
    /// returns it if the library refuses. Only this method can still use it then, because the library may have destroyed a
    /// part; a launch returns [`Error::Gone`].
    pub fn into_tensors(self, current: &Current<C>) -> Result<(I, O), Failed<Self>> {
        match current.ledger().destroy_operator(&self.raw) {
            Ok(()) => Ok((self.inputs, self.outputs)),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    pub(crate) fn raw(&self) -> &RawOperator {
        &self.raw
    }

    /// The operator's row.
    pub(crate) fn row(&self) -> &Arc<RawOperator> {
        &self.raw
    }

    fn queue<B: Operand<C, Self>>(operator: B, current: &Current<C>, stream: &Arc<RawStream>) -> Launched<C, I, O, B>
    where
        I: sealed::Inputs,
        O: OperatorOutputs<C>,
    {
        match Self::submit(&operator, current, stream) {
            Ok(number) => {
                let past = operator.past_of_operand(INSIDE);
                let Self { raw, inputs, outputs, .. } = operator.taken_by_work(INSIDE);
                let past = past.and(inputs.past_of_operand(INSIDE)).and(outputs.past_of_operand(INSIDE));
                let operator =
                    BoundOperator::new(raw, inputs.into_idle_input(INSIDE), outputs.into_written_output(INSIDE));
                Ok(Pending::new(operator, stream, number).after(past))
            }
            Err(error) => Err(Failed { error, value: operator }),
        }
    }

    /// Queues one execution, unless the operator or one of its tensors is in flight on another stream.
    fn submit(operator: &impl Operand<C, Self>, current: &Current<C>, stream: &Arc<RawStream>) -> Result<u64, Error>
    where
        I: sealed::Inputs,
        O: sealed::Outputs,
    {
        operator.usable_on(stream)?;
        let Self { raw, inputs, outputs, .. } = operator.operand_value(INSIDE);
        inputs.usable_on(stream, INSIDE)?;
        outputs.usable_on(stream, INSIDE)?;
        current.ledger().launch(current.here(), raw, stream)
    }
}

impl<C: Brand, S: StreamState> Stream<C, S> {
    /// Queues one execution of an operator (`aclopExecuteV2`), on a stream whose allocator is decided (ALLOC-04): the
    /// operator's working memory comes from that allocator. The operator, or its tensors, may be in flight on this stream
    /// already.
    ///
    /// # Errors
    ///
    /// Returns the operator unchanged, with [`Error::OtherStream`] if it or one of its tensors is in flight on another
    /// stream, or with the library's error.
    #[rule(OP_01, OP_03, ALLOC_04)]
    pub fn launch<I, O, B: Operand<C, BoundOperator<C, I, O>>>(
        &self,
        current: &Current<C>,
        operator: B,
    ) -> Launched<C, I, O, B>
    where
        S: CanExecute,
        I: sealed::Inputs,
        O: OperatorOutputs<C>,
    {
        BoundOperator::queue(operator, current, self.queue())
    }
}

impl<C: Brand, A: DeviceAllocator> GroupTurn<'_, C, A> {
    /// Queues one execution of an operator on the turn's stream, as [`Stream::launch`].
    ///
    /// # Errors
    ///
    /// As for [`Stream::launch`].
    pub fn launch<I, O, B: Operand<C, BoundOperator<C, I, O>>>(
        &self,
        current: &Current<C>,
        operator: B,
    ) -> Launched<C, I, O, B>
    where
        I: sealed::Inputs,
        O: OperatorOutputs<C>,
    {
        self.stream().launch(current, operator)
    }
}

/// Streams that operators run on.
#[diagnostic::on_unimplemented(
    message = "operators do not run on the default stream",
    label = "expected an explicit stream whose allocator is decided",
    note = "OP-01: with several threads, operators on the default stream may fail or mix",
    note = "launch on a stream of your own: `current.stream()?.without_allocator()`",
    note = "see `ascendcl-explain OP-01`"
)]
#[rule(OP_01)]
pub trait RunsOperators: crate::stream::sealed_default::Sealed {}

impl<C: Brand> DefaultStream<C> {
    /// Not available: this function is here to say so in the compiler's message (OP-01).
    #[doc(hidden)]
    pub fn launch<I, O>(&self, current: &Current<C>, operator: BoundOperator<C, I, O>) -> PhantomData<(I, O)>
    where
        Self: RunsOperators,
    {
        let _ = (current, operator);
        PhantomData
    }
}

impl<C: Brand, I, O> fmt::Debug for BoundOperator<C, I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.shown_as("BoundOperator", f)
    }
}

/// The tensors of an operator in a `Pending` are never a `Pending` themselves: a launch makes them a part of the new work.
impl<C: Brand, I, O> sealed_payload::Payload for BoundOperator<C, I, O> {
    fn mark_work_done(&self, _: Inside) {
        self.raw().mark_idle();
    }

    fn follow(&self, _: (u64, u64), queue: &RawStream, _: Inside) {
        self.raw().follow(queue);
    }
}
