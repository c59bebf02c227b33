//! The methods of all streams.

use crate::brand::{Brand, Mark, Scoped, StreamOfOneThread};
use crate::ffi::RawStream;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// The work that every stream takes, and the waits for it.
///
/// [`Stream`](crate::Stream) and [`DefaultStream`](crate::stream::DefaultStream) give their `StreamOps` by
/// dereferencing, and so do a [`GroupTurn`](crate::stream::GroupTurn) and a
/// [`WorkspaceLane`](crate::lane::WorkspaceLane): all of them have these methods, and a function that takes
/// `&StreamOps` works with each. Executing models and operators is not among them; that takes a stream whose allocator
/// is decided.
///
/// ```
/// use ascendcl::{Brand, Current, DeviceBuffer, Error, Library, stream::StreamOps};
///
/// fn ones<C: Brand>(current: &Current<C>, stream: &StreamOps<C>) -> Result<DeviceBuffer<C, u8>, Error> {
///     Ok(stream.set_bytes(current, current.device_buffer(4)?, 1)?.wait(current)?)
/// }
///
/// # ascendcl::run(Library::Simulator, |current| {
/// let (stream, default) = (current.stream()?, current.default_stream());
/// assert_eq!(ones(current, &stream)?.to_vec(current)?, ones(current, &default)?.to_vec(current)?);
/// # Ok::<_, Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<Error>>(())
/// ```
pub struct StreamOps<C: Brand> {
    pub(super) queue: Arc<RawStream>,
    _brand: Mark<C>,
    _not_shared: StreamOfOneThread,
}

assert_impl_all!(StreamOps<Scoped<'static>>: Send);
assert_not_impl_any!(StreamOps<Scoped<'static>>: Sync, Clone);

impl<C: Brand> StreamOps<C> {
    pub(crate) fn new(queue: Arc<RawStream>) -> Self {
        Self { queue, _brand: Mark::NEW, _not_shared: StreamOfOneThread::NEW }
    }

    #[inline]
    pub(crate) fn queue(&self) -> &Arc<RawStream> {
        &self.queue
    }
}

impl<C: Brand> fmt::Debug for StreamOps<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.queue.shown_as("StreamOps", f)
    }
}
