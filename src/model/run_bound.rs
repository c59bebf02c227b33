//! Executions on a stream that the call itself waits for. The model is borrowed, so a struct can keep it in a field.

use super::BoundModel;
use crate::brand::Brand;
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::{Boxed, Error};
use crate::ffi::{DoubtOnDrop, RawStream, SETTLING};
use crate::stream::{CanExecute, GroupTurn, Stream, StreamState};
use ascendcl_macros::rule;
use std::sync::Arc;
use std::time::Duration;

impl<C: Brand, S: StreamState> Stream<C, S> {
    /// Executes a model on this stream, after the work that the stream has, and returns when the outputs are complete
    /// (`aclmdlExecuteAsync`, `aclrtSynchronizeStreamWithTimeout`). The model stays where it is, for example in a field of
    /// a struct. The stream's allocator serves the execution.
    ///
    /// ```
    /// use ascendcl::stream::DefaultAllocator;
    /// use ascendcl::{BoundModel, Error, Library, Runtime, Stream};
    ///
    /// ascendcl::names!(Vision);
    ///
    /// struct Classifier {
    ///     model: BoundModel<Vision>,
    ///     stream: Stream<Vision, DefaultAllocator>,
    ///     runtime: Runtime<Vision>,
    /// }
    ///
    /// impl Classifier {
    ///     fn open(file: &str) -> Result<Self, Error> {
    ///         let (runtime, (model, stream)) = Runtime::open_with(Library::Simulator, |current| {
    ///             let model = current.load_model(file)?.bind(current, &[&[1, 64]], &[&[1, 10]])?;
    ///             Ok((model, current.stream()?.without_allocator()))
    ///         })?;
    ///         Ok(Self { model, stream, runtime })
    ///     }
    ///
    ///     fn classify(&mut self, pixels: &[f32; 64]) -> Result<Vec<f32>, Error> {
    ///         self.runtime.with(|current| {
    ///             self.model.write(current, 0, pixels)?;
    ///             self.stream.run_bound(current, &mut self.model)?;
    ///             self.model.read(current, 0)
    ///         })?
    ///     }
    /// }
    ///
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
    /// let mut classifier = Classifier::open(file)?;
    /// assert_eq!(classifier.classify(&[0.0; 64])?.len(), 10);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the execution could not be queued, failed on the device, or could not be waited for, and
    /// [`Error::WorkFailed`] when another wait got the failure; [`Error::StillRunning`] while an earlier execution may
    /// run on another stream. The outputs are lost then. If it is not known that the execution is over, the model counts
    /// as [still running](Self::run_bound_within).
    #[rule(ALLOC_05, MODEL_15, MODEL_16)]
    #[rustfmt::skip] // The compiler's messages print the first lines.
    pub fn run_bound( // MODEL-15: in flight: `pending.wait(current)?` first; MODEL-05: of a lane: `lane.run_bound(...)`
        &self,
        current: &Current<C>,
        model: &mut BoundModel<C>,
    ) -> Result<(), Error>
    where
        S: CanExecute,
    {
        model.run_on(current, self.queue(), None)
    }

    /// Like [`run_bound`](Self::run_bound), and waits at most `limit`, rounded up to whole milliseconds (STREAM-16). The limit
    /// is for the wait: queueing the execution has no limit if the queue of the stream is full (STREAM-22).
    /// [`BoundModel::run`] has no limit, because the library has no such call.
    ///
    /// # When the limit has passed
    ///
    /// The error's code [`is_timeout`](crate::error::Code::is_timeout), and the model is still running. Until a wait has
    /// covered the execution ([`synchronize`](crate::stream::StreamOps::synchronize) of the stream or of the context), the
    /// model can only be executed again on the same stream. Everything else that would touch the model or its memory
    /// returns [`Error::StillRunning`].
    ///
    /// # Errors
    ///
    /// As for [`run_bound`](Self::run_bound).
    #[rule(ALLOC_05, MODEL_15, MODEL_16, STREAM_16)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run_bound_within( // MODEL-15: after `pending.wait(current)?`; MODEL-05: of a lane: `lane.run_bound_within(...)`
        &self,
        current: &Current<C>,
        model: &mut BoundModel<C>,
        limit: Duration,
    ) -> Result<(), Error>
    where
        S: CanExecute,
    {
        model.run_on(current, self.queue(), Some(limit))
    }
}

impl<C: Brand, A: DeviceAllocator> GroupTurn<'_, C, A> {
    /// Executes a model on the turn's stream and waits for it, as [`Stream::run_bound`].
    ///
    /// # Errors
    ///
    /// As for [`Stream::run_bound`].
    pub fn run_bound(&self, current: &Current<C>, model: &mut BoundModel<C>) -> Result<(), Error> {
        self.stream().run_bound(current, model)
    }
}

impl<C: Brand, P> BoundModel<C, P> {
    /// Executes the model on a stream and waits for it, for at most `limit` if there is one.
    #[rule(DATA_10, MEM_02)]
    pub(crate) fn run_on(
        &mut self,
        current: &Current<C>,
        stream: &Arc<RawStream>,
        limit: Option<Duration>,
    ) -> Result<(), Error> {
        let number = self.parts.start(current, stream)?;
        // The outputs are lost if the wait fails, or panics because it runs code of the program.
        self.parts.bound.executed = false;
        self.wait_for_run(current, stream, number, limit)?;
        self.parts.mark_written();
        Ok(())
    }

    fn wait_for_run(
        &self,
        current: &Current<C>,
        stream: &RawStream,
        number: u64,
        limit: Option<Duration>,
    ) -> Result<(), Error> {
        // The program has the handle of the model. Only this mark keeps the program away from the memory while the
        // execution may be running.
        let left = DoubtOnDrop::of(&self.parts.binding);
        let waited = wait(current, stream, number, limit);
        let is_over = match &waited {
            Ok(()) => true,
            Err(error) if error.as_error().code().is_some_and(|code| code.is_timeout()) => false,
            // This call returns the failure. Further failures on the stream are reported to its next waiter.
            Err(_) => stream.has_done(number) || stream.synchronize_here(current.here(), Some(SETTLING)).is_ok(),
        };
        if is_over {
            left.disarm();
            self.mark_idle();
            // The execution came after all earlier ones.
            self.parts.binding.end_doubt();
        }
        waited.map_err(Error::from)
    }
}

/// Waits for the submission with this number. Also returns a failure of it that another wait got.
fn wait<C: Brand>(current: &Current<C>, stream: &RawStream, number: u64, limit: Option<Duration>) -> Result<(), Boxed> {
    stream.synchronize_here(current.here(), limit)?;
    stream.failure_among(number, number).map_or(Ok(()), |failure| Err(failure.into()))
}
