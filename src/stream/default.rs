//! The default stream.

use super::StreamOps;
use crate::brand::{Brand, OfTheDefaultStream, Scoped};
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::Error;
use crate::ffi::RawStream;
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use static_assertions::assert_not_impl_any;
use std::sync::Arc;

/// A view of the context's default stream. This stream exists as long as its context: nobody creates or destroys it. It
/// takes the [`StreamOps`] of all streams, and executes neither models nor operators.
///
/// It has no `destroy`, and cannot have an allocator (ALLOC-01). It stays on its thread: work that several threads
/// queue on the default stream has no order that a program could rely on. An explicit [`Stream`](crate::Stream) is
/// better for all but the simplest programs.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let stream = current.default_stream();
/// let bytes = stream.set_bytes(current, current.device_buffer::<u8>(2)?, 7)?.wait(current)?;
/// assert_eq!(bytes.to_vec(current)?, [7, 7]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[rule(DEV_04, THREAD_02, STREAM_02, STREAM_03, STREAM_12)]
pub struct DefaultStream<C: Brand> {
    pub(super) tasks: StreamOps<C>,
    _here: OfTheDefaultStream,
}

assert_not_impl_any!(DefaultStream<Scoped<'static>>: Send, Sync, Clone);

/// Streams that an allocator can be registered on.
#[diagnostic::on_unimplemented(
    message = "an allocator cannot be registered on the default stream",
    label = "expected an explicit stream, as `current.stream()` makes it",
    note = "ALLOC-01: the library refuses a null stream, which is what the default stream is to it",
    note = "register on a stream of your own: `current.stream()?.register(current, allocator)?`",
    note = "see `ascendcl-explain ALLOC-01`"
)]
#[rule(ALLOC_01)]
pub trait TakesAllocator: sealed::Sealed {}

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "the default stream is not destroyed by hand",
    label = "it goes with its context",
    note = "DEV-04, STREAM-02: to wait for its work: `stream.synchronize(current)?`; a stream that can be destroyed is made \
            by `current.stream()?`",
    note = "see `ascendcl-explain DEV-04`"
)]
pub trait DestroyedByHand {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(self) -> R;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

impl<C: Brand> Current<C> {
    /// The context's default stream, which exists as long as the context (DEV-03, DEV-04).
    #[rule(DEV_03, STREAM_03)]
    pub fn default_stream(&self) -> DefaultStream<C> {
        DefaultStream::new(self.ledger().default_stream())
    }
}

impl<C: Brand> DefaultStream<C> {
    pub(crate) fn new(queue: Arc<RawStream>) -> Self {
        Self { tasks: StreamOps::new(queue), _here: OfTheDefaultStream::NEW }
    }

    /// Not available: this function is here to say so in the compiler's message. It needs a stream that takes an
    /// allocator, and the default stream does not (ALLOC-01).
    #[doc(hidden)]
    pub fn register<A: DeviceAllocator>(self, current: &Current<C>, allocator: A) -> PhantomData<A>
    where
        Self: TakesAllocator,
    {
        let _ = (current, allocator);
        PhantomData
    }

    /// Not available: this function is here to say so in the compiler's message (DEV-04, STREAM-02).
    #[doc(hidden)]
    pub fn destroy(self, _: &Current<C>) -> Result<(), Error>
    where
        Self: DestroyedByHand,
    {
        self.never()
    }
}

impl<C: Brand> Deref for DefaultStream<C> {
    type Target = StreamOps<C>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.tasks
    }
}

impl<C: Brand> fmt::Debug for DefaultStream<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.queue().shown_as("DefaultStream", f)
    }
}
