//! Executions of a binding: queued on a stream, or run while the caller waits.

use super::super::super::call::{
    Current, FailedCall, NoSuccess, Ready, cached, cached_only, call, functions, success_of,
};
use super::super::super::stamp::Obstacles;
use super::super::super::work::{begin_at_once, queue_alone};
use super::super::super::{Begun, Here, RawStream};
use super::super::LoadedModel;
use super::{RawBinding, gone};
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::shelf::Shelf;
use crate::life_cycle::leads;
use std::sync::Arc;

/// A run that failed.
pub(crate) type NotRun = FailedCall<functions::aclmdlExecute>;

/// A queued execution that failed.
pub(crate) type NotExecuted = FailedCall<functions::aclmdlExecuteAsync>;

const QUEUE_A_MODEL: &str = "queue a model";

/// Guards an execution that was queued while the program keeps the handle of the binding. If the guard is dropped
/// before it is [disarmed](Self::disarm), the execution may still be running: the binding is then in doubt, and refuses
/// access to its memory until the execution is over.
#[must_use]
pub(crate) struct DoubtOnDrop<'b> {
    binding: &'b RawBinding,
}

impl<'b> DoubtOnDrop<'b> {
    pub(crate) fn of(binding: &'b RawBinding) -> Self {
        Self { binding }
    }

    /// Call this when the execution is known to be over.
    pub(crate) fn disarm(self) {
        core::mem::forget(self);
    }
}

impl Drop for DoubtOnDrop<'_> {
    fn drop(&mut self) {
        self.binding.last_use.mark_in_doubt();
    }
}

impl RawBinding {
    /// Queues one execution. The stream's context must be current and that of the model (MODEL-01). Open outputs must
    /// be [emptied](Self::empty) before.
    pub(crate) fn execute(
        &self,
        here: Here<'_>,
        streams: &Shelf<RawStream>,
        stream: &RawStream,
        model: &LoadedModel,
    ) -> Result<u64, Boxed> {
        self.owner.check_here(here, ObjectKind::MODEL_TENSORS)?;
        if self.last_use.is_in_doubt() || model.is_in_doubt() {
            self.check_order(streams, stream, model)?;
        }
        if !self.gate.is_open() {
            return Err(gone());
        }
        leads!(dataset: Idle --> InUse : Execute, dataset: InUse --> InUse : Execute);
        if !self.open_outputs.is_empty() {
            *self.last_allocator() = stream.keeps();
        }
        // SAFETY: the function asks for a loaded model, live datasets and a live stream, and for memory that is as
        // large as the execution reads and writes, and stays until it is done (MODEL-14, DATA-02, DATA-08, DATA-10).
        // The caller has the handles of the stream and of the bound model, and is in their context, so nothing ends
        // during the call. Datasets and model end only when a synchronise has covered this submission (the stamps), and
        // this binding keeps the memory. Each input has what its shape and its description need: who calls `create`
        // ensures that, `InputTensor::check_shape` compares new shapes, and `exchange` keeps the sizes. `create` and
        // `reshape` have compared the outputs with what the library itself does not compare.
        let queued = unsafe {
            queue_alone!(stream, here, QUEUE_A_MODEL, [model.last_use(), &self.last_use], |stream| {
                aclmdlExecuteAsync(model.id(), self.inputs.raw(), self.outputs.raw(), stream)
            })
        };
        queued.inspect_err(|error| {
            // A refused execution adds nothing to the doubt of an earlier one.
            if !error.as_error().rules_out_that_work_was_queued() {
                self.spread_doubt(stream, model);
            }
        })
    }

    /// Like [`execute`](Self::execute). `None` when further checks are needed; then nothing has happened. The caller settles
    /// a failed call at once ([`settle_execution`](Self::settle_execution)).
    #[inline(always)]
    pub(crate) fn execute_at_once(
        &self,
        here: Here<'_>,
        stream: &Arc<RawStream>,
        model: &LoadedModel,
    ) -> Option<Begun<NotExecuted>> {
        // A stamp in doubt does not have the number of the context.
        let obstacles = here.unless_has(self.last_use.context()).and(model.unless_at_hand(here));
        let obstacles = obstacles.and(Obstacles::unless_equal(self.open_outputs.len() as u64, 0));
        let obstacles = obstacles.and(self.gate.unless_open_and_empty());
        leads!(dataset: Idle --> InUse : Execute, dataset: InUse --> InUse : Execute);
        // SAFETY: the function asks for a loaded model, live datasets and a live stream, and for memory that is as
        // large as the execution reads and writes, and stays until it is done (MODEL-14, DATA-02, DATA-08, DATA-10).
        // The caller has the handles of the stream and of the bound model, and is in their context, so nothing ends
        // during the call. Datasets and model end only when a synchronise has covered this submission (the stamps), and
        // this binding keeps the memory. Each input has what its shape and its description need: who calls `create`
        // ensures that, `InputTensor::check_shape` compares new shapes, and `exchange` keeps the sizes. `create` and
        // `reshape` have compared the outputs with what the library itself does not compare.
        unsafe {
            begin_at_once!(
                stream,
                here,
                obstacles,
                [model.last_use(), &self.last_use],
                [],
                |stream| aclmdlExecuteAsync(model.id(), self.inputs.raw(), self.outputs.raw(), stream),
                Arc::clone(stream),
            )
        }
    }

    /// Settles an execution that failed.
    pub(crate) fn settle_execution(&self, stream: &RawStream, model: &LoadedModel, failed: NotExecuted) -> Boxed {
        let error = stream.settle(QUEUE_A_MODEL, failed, [model.last_use(), &self.last_use]);
        self.spread_doubt(stream, model);
        error
    }

    /// Runs the model once, and returns when it is done. Its context must be current (MODEL-01), and nothing else may
    /// run in its working memory at the same time (MODEL-06). Open outputs must be [emptied](Self::empty) before.
    ///
    /// `runs` stands for the work that the library does in this context without a stream. A failed run may continue
    /// there. `settle` waits for everything in the context, and says whether the run is over.
    pub(crate) fn run(
        &self,
        here: Here<'_>,
        streams: &Shelf<RawStream>,
        runs: &RawStream,
        model: &LoadedModel,
        settle: impl FnOnce() -> bool,
    ) -> Result<(), Boxed> {
        let ready = self.check_before_run(here, streams, model)?;
        // SAFETY: the function asks for a loaded model and live datasets that no other work uses, and for memory that
        // is as large as the execution reads and writes, and stays until it is done (MODEL-14, DATA-02, DATA-08,
        // DATA-10). The caller has borrowed the bound model exclusively. `check_before_run` has found that the caller
        // is in its context, that all work that used the datasets and the model is over, and that the gate is open.
        // This binding keeps the memory, also after a failure (the stamps). Each input has what its shape and its
        // description need: who calls `create` ensures that, `InputTensor::check_shape` compares new shapes, and `exchange`
        // keeps the sizes. `create` and `reshape` have compared the outputs with what the library itself does not
        // compare.
        let ran = unsafe {
            // Caches the function for the next run, in case it was not cached.
            let _ = cached!(here.aclmdlExecute);
            call!(ready.aclmdlExecute(model.id(), self.inputs.raw(), self.outputs.raw()))
        };
        ran.or_answer().map_err(|answer| self.after_failed_run(here, runs, model, answer, settle))
    }

    /// Like [`run`](Self::run). `None` when further checks are needed; then nothing has happened. The caller settles a
    /// failed run at once ([`settle_run`](Self::settle_run)).
    #[inline(always)]
    pub(crate) fn run_at_once(&self, here: Here<'_>, model: &LoadedModel) -> Option<Result<(), NotRun>> {
        // The outputs come first: the caller has just asked for them, and the compiler does not keep the answer across the
        // ordered loads of the stamps.
        if !self.open_outputs.is_empty() || model.has_working_memory() {
            return None;
        }
        let obstacles = here.unless_has(self.owner.number()).and(self.gate.unless_open_and_empty());
        let obstacles = obstacles.and(self.last_use.unless_marked_idle()).and(model.unless_marked_idle());
        if !obstacles.is_none() {
            return None;
        }
        // SAFETY: the function asks for a loaded model and live datasets that no other work uses, and for memory that
        // is as large as the execution reads and writes, and stays until it is done (MODEL-14, DATA-02, DATA-08,
        // DATA-10). The caller has borrowed the bound model exclusively and is in its context, so nothing ends during
        // the call. The stamps show that no queued work uses them, and this binding keeps the memory. Each input has
        // what its shape and its description need: who calls `create` ensures that, `InputTensor::check_shape` compares new
        // shapes, and `exchange` keeps the sizes. `create` and `reshape` have compared the outputs with what the
        // library itself does not compare. The call returns when the model is done. After a failure, datasets, model
        // and memory stay until a synchronise of the whole context has covered the run (the stamps).
        unsafe {
            let execute = cached_only!(here.aclmdlExecute)?;
            Some(success_of(execute(model.id(), self.inputs.raw(), self.outputs.raw())))
        }
    }

    /// Settles a failed run. Returns its error.
    pub(crate) fn settle_run(
        &self,
        here: Here<'_>,
        runs: &RawStream,
        model: &LoadedModel,
        failed: NotRun,
        settle: impl FnOnce() -> bool,
    ) -> Boxed {
        self.after_failed_run(here, runs, model, failed.into(), settle)
    }

    /// Called after a failed run, which may go on. Sets the stamps before it makes the error.
    #[cold]
    fn after_failed_run(
        &self,
        here: Here<'_>,
        runs: &RawStream,
        model: &LoadedModel,
        answer: NoSuccess,
        settle: impl FnOnce() -> bool,
    ) -> Boxed {
        let error =
            runs.after_failed_run(here.api(), "execute a model", [model.last_use(), &self.last_use], answer, settle);
        self.spread_doubt(runs, model);
        error
    }

    /// The checks of the slow path before a run. The process is checked before any lock is taken.
    #[cold]
    #[inline(never)]
    fn check_before_run(
        &self,
        here: Here<'_>,
        streams: &Shelf<RawStream>,
        model: &LoadedModel,
    ) -> Result<Ready<Current>, Boxed> {
        here.check_process()?;
        self.owner.check_here(here, ObjectKind::MODEL_TENSORS)?;
        self.idle(streams)?;
        model.idle(streams)?;
        if !self.gate.is_open() {
            return Err(gone());
        }
        if !self.open_outputs.is_empty() {
            *self.last_allocator() = None;
        }
        here.ready()
    }

    /// Marks everything that an execution uses as in doubt, if the binding is: the execution may be running although
    /// its call failed.
    #[cold]
    fn spread_doubt(&self, stream: &RawStream, model: &LoadedModel) {
        if self.last_use.is_in_doubt() {
            self.blocks().iter().for_each(|block| block.mark_in_doubt(stream));
            model.doubt_workspace(stream);
        }
    }

    /// Whether an execution may be running for which no wait is certain.
    #[inline]
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.last_use.is_in_doubt()
    }

    /// An error unless every execution is known to be done, or, for work on a stream, comes before that work.
    #[cold]
    #[inline(never)]
    pub(crate) fn check_over(&self, streams: &Shelf<RawStream>, stream: Option<&RawStream>) -> Result<(), Error> {
        // The shelf of another context does not have the stream, and would report the work as done.
        self.check_current()?;
        let is_over = match stream {
            Some(stream) => streams.comes_after(&self.last_use, stream),
            None => streams.has_done(&self.last_use),
        };
        if !is_over {
            return Err(Error::StillRunning { what: ObjectKind::MODEL_TENSORS });
        }
        if stream.is_none() {
            self.end_doubt();
        }
        Ok(())
    }

    /// An error unless a capture can use the binding and the model: a replay would not wait for an execution that may still
    /// be running.
    pub(crate) fn check_capturable(&self, streams: &Shelf<RawStream>, model: &LoadedModel) -> Result<(), Error> {
        self.check_current()?;
        if self.last_use.is_in_doubt() {
            self.check_over(streams, None)?;
        }
        // Another binding may have executed the model. The doubt about its working memory stays, also when it is over.
        if model.is_in_doubt() { model.idle(streams) } else { Ok(()) }
    }

    /// Called when every execution is known to be done.
    pub(crate) fn end_doubt(&self) {
        self.last_use.end_doubt(self.owner.number());
    }

    /// An error unless an execution on this stream comes after everything that may still be running with the model, its
    /// buffers and its working memory. For everything that is not in doubt, the caller guarantees this, because it has
    /// the handle or holds the lane's lock.
    #[cold]
    #[inline(never)]
    fn check_order(&self, streams: &Shelf<RawStream>, stream: &RawStream, model: &LoadedModel) -> Result<(), Error> {
        if !streams.comes_after(&self.last_use, stream) {
            return Err(Error::StillRunning { what: ObjectKind::MODEL_TENSORS });
        }
        model.idle_where(|used| streams.comes_after(used, stream))?;
        // Forget work that is done. Otherwise the stamps would stand for two streams, and await all of them.
        if streams.has_done(&self.last_use) {
            self.end_doubt();
        }
        model.forget_what_is_done(streams);
        Ok(())
    }
}
