//! Runtimes that were dropped without being closed.

use super::shared::Shared;
use crate::error::Error;
use crate::thread::Thread;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

struct Abandoned {
    runtimes: Vec<Arc<Shared>>,
    /// Errors from runtimes that `open` released, for the next sweep. There are at most [`MOST`].
    errors: Vec<Error>,
}

/// The largest number of errors that are kept for the next sweep.
const MOST: usize = 64;

static ABANDONED: Mutex<Abandoned> = Mutex::new(Abandoned { runtimes: Vec::new(), errors: Vec::new() });

/// Releases what dropped [`Runtime`](crate::Runtime)s held. Each stream is waited for at most `limit`, if there is one.
/// Returns the errors of what could not be released. That stays for the next sweep.
///
/// If it returns no error, nothing is left, unless another thread sweeps or opens a runtime at the same time.
///
/// ```
/// use ascendcl::{Library, Runtime, runtime};
///
/// ascendcl::names!(Worker);
///
/// drop(Runtime::<Worker>::open(Library::Simulator)?);
/// assert!(runtime::sweep(None).is_empty());
/// # Ok::<(), ascendcl::Error>(())
/// ```
///
/// # Errors
///
/// In the answer: [`Error::ThreadTaken`] where this thread has a [`Thread`] or is inside a context; else what the
/// library says.
pub fn sweep(limit: Option<Duration>) -> Vec<Error> {
    match Thread::new() {
        Ok(mut thread) => {
            let mut errors = take_down(&mut thread, limit);
            errors.splice(0..0, mem::take(&mut abandoned().errors));
            errors
        }
        Err(error) => vec![error],
    }
}

/// A runtime was dropped. Nothing of the library is called.
pub(super) fn keep(shared: &Arc<Shared>) {
    if shared.is_left() {
        abandoned().runtimes.push(Arc::clone(shared));
    }
}

/// Releases what is idle now. It does not wait for work in flight.
pub(super) fn take_down_idle(thread: &mut Thread) {
    let failed = take_down(thread, Some(Duration::ZERO));
    let told = failed.into_iter().filter(|error| error.code().is_none_or(|code| !code.is_timeout()));
    let errors = &mut abandoned().errors;
    let room = MOST.saturating_sub(errors.len());
    errors.extend(told.take(room));
}

fn take_down(thread: &mut Thread, teardown_timeout: Option<Duration>) -> Vec<Error> {
    let runtimes = abandoned().runtimes.clone();
    let mut errors = Vec::new();
    for runtime in runtimes {
        // Runs code of the user, which may panic: what is not known to be empty stays.
        match runtime.close(thread, Duration::ZERO, teardown_timeout) {
            Ok(()) => abandoned().runtimes.retain(|known| !Arc::ptr_eq(known, &runtime)),
            Err(error) => errors.extend(error.into_errors()),
        }
    }
    errors
}

fn abandoned() -> MutexGuard<'static, Abandoned> {
    ABANDONED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
