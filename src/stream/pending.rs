//! Work in flight, and what it works on.

use crate::brand::{Brand, Unnamed};
use crate::current::Current;
use crate::error::Undone;
use crate::ffi::Queue;
use ascendcl_macros::rule;
use core::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Work that was queued on a stream, together with the buffers that it uses.
///
/// The buffers are out of reach until the stream was synchronised. Dropping or forgetting a `Pending` loses the names
/// of the buffers; their memory stays until the work is done.
#[must_use = "the buffers stay out of reach until `wait`"]
#[rule(STREAM_04, STREAM_12, COPY_03, COPY_04, COPY_07, ERR_02)]
pub struct Pending<'c, T, N = Unnamed> {
    payload: T,
    queue: Arc<Queue>,
    _brand: Brand<'c, N>,
}

impl<'c, T, N> Pending<'c, T, N> {
    #[inline]
    pub(crate) fn new(payload: T, queue: &Arc<Queue>) -> Self {
        Self { payload, queue: Arc::clone(queue), _brand: Brand::NEW }
    }

    /// Waits for the stream (`aclrtSynchronizeStream`) and gives the buffers back.
    ///
    /// # Errors
    ///
    /// The work as it was, when it failed on the device or could not be waited for: the buffers stay out of reach.
    #[inline]
    pub fn wait(self, current: &Current<'c, N>) -> Result<T, Undone<Self>> {
        self.wait_for(current, None)
    }

    /// As [`wait`](Self::wait), for at most `limit` (`aclrtSynchronizeStreamWithTimeout`; STREAM-16).
    ///
    /// # Errors
    ///
    /// As for [`wait`](Self::wait); when the time was up, the error's code [`is_timeout`](crate::Code::is_timeout).
    #[rule(STREAM_16)]
    pub fn wait_within(self, current: &Current<'c, N>, limit: Duration) -> Result<T, Undone<Self>> {
        self.wait_for(current, Some(limit))
    }

    #[inline]
    fn wait_for(self, current: &Current<'c, N>, limit: Option<Duration>) -> Result<T, Undone<Self>> {
        match current.ledger().synchronize(&self.queue, limit) {
            Ok(()) => Ok(self.payload),
            Err(error) => Err(Undone { error, value: self }),
        }
    }
}

impl<T, N> fmt::Debug for Pending<'_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("queue", &self.queue).finish_non_exhaustive()
    }
}
