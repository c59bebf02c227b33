//! Executions of bound models that are queued on a stream.

use super::BoundModel;
use super::bound::Parts;
use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::{Boxed, Error, Failed};
use crate::ffi::{Begun, NotExecuted, RawStream};
use crate::life_cycle::leads;
use crate::stream::{CanExecute, GroupTurn, Operand, Pending, Stream, StreamState};
use ascendcl_macros::rule;
use core::mem::ManuallyDrop;
use std::sync::Arc;

impl<C: Brand, P> BoundModel<C, P> {
    /// Queues one execution.
    #[inline]
    pub(crate) fn queue<M: Operand<C, Self>>(
        model: M,
        current: &Current<C>,
        stream: &Arc<RawStream>,
    ) -> Result<Pending<C, Self>, Failed<M>> {
        if let Err(error) = model.usable_on(stream) {
            return Err(Failed { error, value: model });
        }
        // As in `StreamOps::set_bytes`.
        let mut model = ManuallyDrop::new(model);
        let (queue, number) = match model.operand_value_mut(INSIDE).parts.start_at_once(current, stream) {
            Some((queue, Ok(number))) => (queue, number),
            Some((queue, Err(failed))) => {
                return Err(Self::not_executed(queue, failed, ManuallyDrop::into_inner(model)));
            }
            None => match model.operand_value_mut(INSIDE).parts.start(current, stream) {
                Ok(number) => (Arc::clone(stream), number),
                Err(error) => return Err(Failed::boxed(error, ManuallyDrop::into_inner(model))),
            },
        };
        Ok(Self::in_flight(ManuallyDrop::into_inner(model), queue, number))
    }

    /// Settles an execution that failed.
    #[cold]
    #[inline(never)]
    fn not_executed<M: Operand<C, Self>>(queue: Arc<RawStream>, failed: NotExecuted, mut model: M) -> Failed<M> {
        let own = model.operand_value_mut(INSIDE);
        let error = own.parts.binding.settle_execution(&queue, &own.parts.model.loaded, failed);
        own.parts.outputs_after(error.as_error());
        Failed::boxed(error, model)
    }

    #[inline(always)]
    fn in_flight<M: Operand<C, Self>>(model: M, queue: Arc<RawStream>, number: u64) -> Pending<C, Self> {
        if M::HAS_PAST {
            let past = model.past_of_operand(INSIDE);
            return Pending::with_queue(model.taken_by_work(INSIDE), queue, number).after(past);
        }
        Pending::with_queue(model.taken_by_work(INSIDE), queue, number)
    }
}

impl<C: Brand, P> Parts<C, P> {
    /// Like [`start`](Self::start). `None` when further checks are needed; then nothing has happened.
    #[inline(always)]
    fn start_at_once(&mut self, current: &Current<C>, stream: &Arc<RawStream>) -> Option<Begun<NotExecuted>> {
        let begun = self.binding.execute_at_once(current.here(), stream, &self.model.loaded);
        if let Some((_, Ok(_))) = begun {
            self.mark_written();
        }
        begun
    }

    /// Queues one execution, after all checks.
    #[cold]
    #[inline(never)]
    pub(super) fn start(&mut self, current: &Current<C>, stream: &RawStream) -> Result<u64, Boxed> {
        // A bound model is loaded; one in a `Pending` runs.
        leads!(model: Loaded --> Running : Execute, model: Running --> Running : Execute);
        self.make_room(current)?;
        let queued = current.ledger().execute(current.here(), &self.binding, &self.model.loaded, stream);
        match queued {
            Ok(number) => {
                self.mark_written();
                Ok(number)
            }
            Err(error) => {
                self.outputs_after(error.as_error());
                Err(error)
            }
        }
    }

    /// Called after an execution that failed. The outputs of earlier ones are lost, unless the call never reached the
    /// library.
    #[cold]
    #[inline(never)]
    fn outputs_after(&mut self, error: &Error) {
        self.bound.executed &= error.rules_out_that_work_was_queued();
    }
}

impl<C: Brand, S: StreamState> Stream<C, S> {
    /// Queues one execution of the model (`aclmdlExecuteAsync`), on a stream whose allocator is decided. The model may
    /// be in flight on this stream already, for example behind a copy to its input.
    ///
    /// # Errors
    ///
    /// Returns the bound model unchanged, with [`Error::OtherStream`] if it is in flight on another stream. Also returns it
    /// with [`Error::Vendor`]: the call may have had an effect then, so the outputs of earlier executions are lost
    /// ([`Error::NotExecuted`]).
    #[rule(ALLOC_05, ALLOC_13, MODEL_15)]
    #[inline]
    pub fn execute<M: Operand<C, BoundModel<C>>>(
        &self,
        current: &Current<C>,
        model: M,
    ) -> Result<Pending<C, BoundModel<C>>, Failed<M>>
    where
        S: CanExecute,
    {
        BoundModel::queue(model, current, self.queue())
    }
}

impl<C: Brand, A: DeviceAllocator> GroupTurn<'_, C, A> {
    /// Queues one execution of a model on the turn's stream (`aclmdlExecuteAsync`).
    ///
    /// # Errors
    ///
    /// As for [`Stream::execute`].
    pub fn execute<M: Operand<C, BoundModel<C>>>(
        &self,
        current: &Current<C>,
        model: M,
    ) -> Result<Pending<C, BoundModel<C>>, Failed<M>> {
        self.stream().execute(current, model)
    }
}
