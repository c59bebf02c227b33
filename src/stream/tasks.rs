//! What all streams have in common.

use crate::brand::{Brand, Mark, Scoped, StreamOfOneThread};
use crate::ffi::Queue;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// The work that every stream takes, and the waits for it.
///
/// [`Stream`](crate::Stream) and [`DefaultStream`](crate::DefaultStream) give their `Tasks` by dereferencing, and so do a [`Turn`](crate::Turn) and a
/// [`Lane`](crate::Lane): all of them have these methods, and a function that takes `&Tasks` works with each. Executing
/// models and operators is not among them; that takes a stream whose allocator is decided.
///
/// ```
/// use ascendcl::{Brand, Current, DeviceBuffer, Error, Library, Tasks};
///
/// fn ones<C: Brand>(current: &Current<C>, tasks: &Tasks<C>) -> Result<DeviceBuffer<C, u8>, Error> {
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
pub struct Tasks<C: Brand> {
    pub(super) queue: Arc<Queue>,
    _brand: Mark<C>,
    _not_shared: StreamOfOneThread,
}

assert_impl_all!(Tasks<Scoped<'static>>: Send);
assert_not_impl_any!(Tasks<Scoped<'static>>: Sync, Clone);

impl<C: Brand> Tasks<C> {
    pub(super) fn new(queue: Arc<Queue>) -> Self {
        Self { queue, _brand: Mark::NEW, _not_shared: StreamOfOneThread::NEW }
    }

    #[inline]
    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }
}

impl<C: Brand> fmt::Debug for Tasks<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("queue", &self.queue).finish_non_exhaustive()
    }
}
