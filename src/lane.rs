//! Workspace lanes: several models on one working memory, one after the other.

use crate::brand::{Brand, Unnamed};
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::{Block, Home, Onto};
use crate::model::{Input, Model, ModelSource, Outputs, Prepared, Weights};
use crate::stream::{CanExecute, Operand, Pending, Stream, StreamState};
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;
use std::time::Duration;

/// One working memory and one stream, for models that run strictly one after the other.
///
/// A model of a lane runs through its lane only, and the lane queues everything on its own stream; running and waiting
/// takes `&mut` of the lane. To run from several threads in turn, put the lane into a [`Mutex`](std::sync::Mutex).
///
/// `'l` is the lane's brand and `L` its name: a model of another lane is refused.
#[rule(MODEL_02, MODEL_04, MODEL_05, MODEL_06)]
pub struct Lane<'c, 'l, S: StreamState + CanExecute, N = Unnamed, L = Unnamed> {
    stream: Stream<'c, S, N>,
    work: Arc<Block>,
    /// What the models that were loaded so far need together.
    need: usize,
    _brand: Brand<'l, L>,
}

assert_impl_all!(Lane<'static, 'static, crate::stream::Plain>: Send);
assert_not_impl_any!(Lane<'static, 'static, crate::stream::Plain>: Sync, Clone);

/// The model works in the memory of a [`Lane`], and runs there only.
#[derive(Debug)]
pub struct InLane<'l, L = Unnamed> {
    _brand: PhantomData<Brand<'l, L>>,
}

impl<'c, N> Current<'c, N> {
    /// Makes a lane out of a stream and `bytes` bytes of working memory, for the length of `program`.
    ///
    /// The working memory is freed when the lane's last model is unloaded, whatever becomes of the lane (MODEL-02).
    ///
    /// # Errors
    ///
    /// The stream as it was, when there is no room for the working memory.
    pub fn lane<S: StreamState + CanExecute, R>(
        &mut self,
        stream: Stream<'c, S, N>,
        bytes: usize,
        program: impl for<'l> FnOnce(&mut Self, Lane<'c, 'l, S, N>) -> R,
    ) -> Result<R, Undone<Stream<'c, S, N>>> {
        self.named_lane::<Unnamed, S, R>(stream, bytes, program)
    }

    /// As [`lane`](Self::lane), for a lane that a type gives its name to.
    ///
    /// # Errors
    ///
    /// As for [`lane`](Self::lane).
    pub fn named_lane<L, S: StreamState + CanExecute, R>(
        &mut self,
        stream: Stream<'c, S, N>,
        bytes: usize,
        program: impl for<'l> FnOnce(&mut Self, Lane<'c, 'l, S, N, L>) -> R,
    ) -> Result<R, Undone<Stream<'c, S, N>>> {
        match self.ledger().allocate(Home::Device, bytes) {
            Ok(work) => Ok(program(self, Lane { stream, work, need: 0, _brand: Brand::NEW })),
            Err(error) => Err(Undone { error, value: stream }),
        }
    }
}

impl<'c, 'l, S: StreamState + CanExecute, N, L> Lane<'c, 'l, S, N, L> {
    /// Loads a model onto the lane's working memory, and onto shared weights if some are given
    /// (`aclmdlLoadFromFileWithMem`, `aclmdlLoadFromMemWithMem`).
    ///
    /// # Errors
    ///
    /// [`Error::TooShort`] when the working memory does not hold what all of the lane's models need together, before
    /// the model is loaded; [`Error::OtherModel`] for weights of another source; else as for [`Current::load_model`].
    #[rule(MODEL_07, MODEL_19)]
    pub fn load(
        &mut self,
        current: &Current<'c, N>,
        source: ModelSource<'_>,
        weights: Option<&Weights<'c, N>>,
    ) -> Result<Model<'c, N, InLane<'l, L>>, Error> {
        let need = self.need.saturating_add(current.model_size(source)?.work);
        if need > self.work.bytes() {
            return Err(Error::TooShort { what: "working memory of the lane", need, have: self.work.bytes() });
        }
        let weights = weights.map(|weights| weights.block_for(current.ledger(), source)).transpose()?;
        let onto = Onto { work: Some(Arc::clone(&self.work)), weights };
        let model = Model::load(current.ledger(), source.image(), onto)?;
        self.need = need;
        Ok(model)
    }

    /// Queues one execution of a model on the lane's stream (`aclmdlExecuteAsync`): after everything that the lane has
    /// queued before.
    ///
    /// # Errors
    ///
    /// As for [`Stream::execute`].
    pub fn execute<M: Operand<'c, Prepared<'c, N, InLane<'l, L>>, N>>(
        &mut self,
        current: &Current<'c, N>,
        model: M,
    ) -> Result<Pending<'c, Prepared<'c, N, InLane<'l, L>>, N>, Undone<M>> {
        Prepared::queue(model, current, self.stream.queue())
    }

    /// Waits for the lane's stream, then runs a model and waits for it ([`Model::run`]).
    ///
    /// # Errors
    ///
    /// As for [`Model::run`].
    #[rule(MODEL_06)]
    pub fn run(
        &mut self,
        current: &mut Current<'c, N>,
        model: &mut Model<'c, N, InLane<'l, L>>,
        inputs: &[Input<'_>],
    ) -> Result<Outputs, Error> {
        self.stream.synchronize(current)?;
        model.run_alone(current, inputs)
    }

    /// Waits until everything that was queued so far is done (`aclrtSynchronizeStream`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] with the code of work that failed on the device.
    pub fn synchronize(&mut self, current: &Current<'c, N>) -> Result<(), Error> {
        self.stream.synchronize(current)
    }

    /// As [`synchronize`](Self::synchronize), for at most `limit` (STREAM-16).
    ///
    /// # Errors
    ///
    /// As for [`Stream::synchronize_within`].
    pub fn synchronize_within(&mut self, current: &Current<'c, N>, limit: Duration) -> Result<(), Error> {
        self.stream.synchronize_within(current, limit)
    }

    /// Bytes of the working memory.
    pub fn bytes(&self) -> usize {
        self.work.bytes()
    }

    /// Takes the lane apart and gives the stream back. Its models can be unloaded, and not run any more.
    pub fn into_stream(self) -> Stream<'c, S, N> {
        self.stream
    }
}

impl<S: StreamState + CanExecute, N, L> fmt::Debug for Lane<'_, '_, S, N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").field("bytes", &self.work.bytes()).field("need", &self.need).finish_non_exhaustive()
    }
}
