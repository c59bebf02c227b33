//! Work in flight whose buffers go through a function after the wait.

use super::Pending;
use super::payload::Payload;
use crate::brand::{Brand, Scoped};
use crate::current::Current;
use crate::error::{Error, Failed};
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::time::Duration;

/// Work in flight, and a function that gets its buffers after the wait. [`Pending::map`] makes it.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let stream = current.stream()?;
/// let work = stream.set_bytes(current, current.device_buffer::<u8>(4)?, 1)?;
/// let length = work.map(|buffer| buffer.len());
/// assert_eq!(length.wait(current)?, 4);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[must_use = "`wait` says whether the work failed, and gives back what it uses"]
pub struct Mapped<C: Brand, T, F> {
    pending: Pending<C, T>,
    finish: F,
}

assert_impl_all!(Mapped<Scoped<'static>, (), fn(())>: Send);
assert_not_impl_any!(Mapped<Scoped<'static>, (), fn(())>: Clone);

impl<C: Brand, T, F> Mapped<C, T, F> {
    pub(super) fn new(pending: Pending<C, T>, finish: F) -> Self {
        Self { pending, finish }
    }
}

impl<C: Brand, T: Payload, U, F: FnOnce(T) -> U> Mapped<C, T, F> {
    /// As [`Pending::wait`]; then calls the function.
    ///
    /// # Errors
    ///
    /// As for [`Pending::wait`]; the function was not called.
    pub fn wait(self, current: &Current<C>) -> Result<U, Failed<Self>> {
        self.wait_for(current, None)
    }

    /// As [`Pending::wait_within`]; then calls the function.
    ///
    /// # Errors
    ///
    /// As for [`Pending::wait_within`]; the function was not called.
    pub fn wait_within(self, current: &Current<C>, limit: Duration) -> Result<U, Failed<Self>> {
        self.wait_for(current, Some(limit))
    }

    /// As [`Pending::is_complete`].
    ///
    /// # Errors
    ///
    /// As for [`Pending::is_complete`].
    pub fn is_complete(&self, current: &Current<C>) -> Result<bool, Error> {
        self.pending.is_complete(current)
    }

    fn wait_for(self, current: &Current<C>, limit: Option<Duration>) -> Result<U, Failed<Self>> {
        let Self { pending, finish } = self;
        match pending.wait_for(current, limit) {
            Ok(payload) => Ok(finish(payload)),
            Err(Failed { error, value: pending }) => Err(Failed { error, value: Self { pending, finish } }),
        }
    }
}

impl<C: Brand, T, F> fmt::Debug for Mapped<C, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped").field("pending", &self.pending).finish_non_exhaustive()
    }
}
