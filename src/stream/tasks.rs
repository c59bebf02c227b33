//! What all streams have in common.

use super::{DefaultStream, Stream, StreamState, Turn};
use crate::allocator::DeviceAllocator;
use crate::brand::{Brand, NotShared, Unnamed};
use crate::ffi::Queue;
use core::fmt;
use core::ops::Deref;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// The work that every stream takes, and the waits for it.
///
/// [`Stream`] and [`DefaultStream`] give their `Tasks` by dereferencing, and so do a [`Turn`] and a
/// [`Lane`](crate::Lane): all of them have these methods, and a function that takes `&Tasks` works with each. Executing
/// models and operators is not among them; that takes a stream whose allocator is decided.
///
/// ```
/// use ascendcl::{Current, DeviceBuffer, Error, Library, Tasks};
///
/// fn ones<'c>(current: &Current<'c>, tasks: &Tasks<'c>) -> Result<DeviceBuffer<'c, u8>, Error> {
///     Ok(tasks.set_bytes(current, current.device_buffer(4)?, 1)?.wait(current)?)
/// }
///
/// # ascendcl::run(Library::Simulator, |current| {
/// let (stream, default) = (current.stream()?, current.default_stream());
/// assert_eq!(ones(current, &stream)?.to_vec(current)?, ones(current, &default)?.to_vec(current)?);
/// # Ok::<_, Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<Error>>(())
/// ```
pub struct Tasks<'c, N = Unnamed> {
    pub(super) queue: Arc<Queue>,
    _brand: Brand<'c, N>,
    _not_shared: NotShared,
}

assert_impl_all!(Tasks<'static>: Send);
assert_not_impl_any!(Tasks<'static>: Sync, Clone);

impl<N> Tasks<'_, N> {
    pub(super) fn new(queue: Arc<Queue>) -> Self {
        Self { queue, _brand: Brand::NEW, _not_shared: NotShared::NEW }
    }

    #[inline]
    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }
}

impl<'c, S: StreamState, N> Deref for Stream<'c, S, N> {
    type Target = Tasks<'c, N>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.tasks
    }
}

impl<'c, N> Deref for DefaultStream<'c, N> {
    type Target = Tasks<'c, N>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.tasks
    }
}

/// What is queued is part of the turn: [`Turn::finish`] waits for it.
impl<'c, A: DeviceAllocator, N> Deref for Turn<'c, '_, A, N> {
    type Target = Tasks<'c, N>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self.stream()
    }
}

impl<N> fmt::Debug for Tasks<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("queue", &self.queue).finish_non_exhaustive()
    }
}
