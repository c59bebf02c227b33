//! Methods that a model in flight does not have. They exist so that the compiler's message says why, as in
//! `src/stream/untouched.rs`.

use super::{BoundModel, IndexOrName, Outputs};
use crate::brand::Brand;
use crate::brand::owners::ModelOfTwo;
use crate::current::Current;
use crate::element::Element;
use crate::error::Error;
use crate::stream::{DefaultStream, Pending, Stream, StreamState, Waited};

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "models do not run on the default stream",
    label = "expected an explicit stream whose allocator is decided",
    note = "STREAM-12, ALLOC-13: make a stream and decide on its allocator: \
            `let stream = current.stream()?.without_allocator();`, then `stream.execute(current, model)?`",
    note = "see `ascendcl-explain STREAM-12`"
)]
pub trait RunsModels {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "a stream has no method `run`",
    label = "`run` is a method of the model; a stream runs bound models",
    note = "ALLOC-05: bind the model, so that its work runs on the stream and its allocator serves it: \
            `stream.run_bound(current, &mut model)?`",
    note = "without a stream: `model.run(current, &inputs)?`",
    note = "see `ascendcl-explain ALLOC-05`"
)]
pub trait RunsAndWaits {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

#[doc(hidden)]
impl<C: Brand> DefaultStream<C> {
    pub fn execute<M>(&self, _: &Current<C>, _: M) -> Result<Pending<C, M>, Error>
    where
        Self: RunsModels,
    {
        self.never()
    }

    pub fn run_bound<M>(&self, _: &Current<C>, _: M) -> Result<(), Error>
    where
        Self: RunsModels,
    {
        self.never()
    }
}

#[doc(hidden)]
impl<C: Brand, S: StreamState> Stream<C, S> {
    pub fn run<M, I>(&self, _: &mut Current<C>, _: M, _: I) -> Result<Outputs, Error>
    where
        Self: RunsAndWaits,
    {
        self.never()
    }
}

/// Methods of bound models.
#[doc(hidden)]
impl<C: Brand, T> Pending<C, T> {
    pub fn read<'n, E: Element>(&self, _: &Current<C>, _: impl Into<IndexOrName<'n>>) -> Result<Vec<E>, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn write<'n, E: Element>(&mut self, _: &Current<C>, _: impl Into<IndexOrName<'n>>, _: &[E]) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn read_bytes<'n>(&self, _: &Current<C>, _: impl Into<IndexOrName<'n>>) -> Result<Vec<u8>, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn write_bytes<'n>(&mut self, _: &Current<C>, _: impl Into<IndexOrName<'n>>, _: &[u8]) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn output_shape<'n>(&self, _: &Current<C>, _: impl Into<IndexOrName<'n>>) -> Result<Vec<usize>, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn run(&mut self, _: &mut Current<C>) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn exchange_input<'n, B, R>(&mut self, _: &Current<C>, _: impl Into<IndexOrName<'n>>, _: B) -> Result<R, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn exchange_output<'n, B, R>(&mut self, _: &Current<C>, _: impl Into<IndexOrName<'n>>, _: B) -> Result<R, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn replace_output<'n, B, R>(&mut self, _: &Current<C>, _: impl Into<IndexOrName<'n>>, _: B) -> Result<R, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn into_model<M>(self, _: &Current<C>) -> Result<M, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn unload(self, _: &Current<C>) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }
}

#[doc(hidden)]
impl<C: Brand, P> BoundModel<C, P> {
    #[allow(clippy::should_implement_trait, reason = "nothing meets its bound, which has the words of the message")]
    pub fn clone(&self) -> Self
    where
        Self: ModelOfTwo,
    {
        self.never()
    }
}
