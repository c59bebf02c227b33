//! Runtimes that were dropped without being closed.

use super::shared::Shared;
use crate::acl::Acl;
use crate::error::{Error, Failed};
use crate::panics::{Panics, drop_each_quietly};
use crate::thread::Thread;
use crate::undelivered;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

static ABANDONED: Mutex<Vec<Arc<Shared>>> = Mutex::new(Vec::new());

/// The initialisations and devices of runtimes that could not be opened, and that could not be closed then.
static NEVER_OPENED: Mutex<Vec<Acl>> = Mutex::new(Vec::new());

/// Releases what dropped [`Runtime`](crate::Runtime)s held, and what is left of runtimes that could not be opened.
/// Waits for each stream for at most `limit`, if there is a limit; for an event on which a thread of another context is
/// inside a call, a quarter of a second if `limit` is shorter. Returns the errors. What could not be released stays for the
/// next sweep.
///
/// Also returns the errors that scopes, [`run`](crate::run), devices and runtimes could not return since the last
/// sweep, because a panic of the program continued instead. [`Acl::close`](crate::Acl::close) tries again to release
/// the objects of these errors.
///
/// If it returns no error, nothing is left, unless another thread sweeps, opens a runtime or recovers a device at the same
/// time. While a thread waits to recover a device for all that have given it up ([`Runtime::close_by_force`],
/// [`Device::recover`]), a sweep leaves to it what was given up there.
///
/// [`Runtime::close_by_force`]: crate::Runtime::close_by_force
/// [`Device::recover`]: crate::Device::recover
///
/// Do not call it in a forked child: it would wait forever if another thread of the parent was sweeping or dropping a
/// runtime at the moment of the fork.
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
/// The returned errors: [`Error::ThreadTaken`] if this thread has a [`Thread`] or is inside a context; otherwise those
/// of the library.
#[must_use = "these are the errors that dropped runtimes could not report"]
pub fn sweep(limit: Option<Duration>) -> Vec<Error> {
    match Thread::new() {
        Ok(mut thread) => {
            let mut panics = Panics::default();
            let mut errors = take_down(&mut thread, limit, &mut panics);
            errors.extend(close_what_was_never_opened(&mut panics));
            if let Some(panic) = panics.first() {
                undelivered::keep(errors);
                panic.resume();
            }
            let mut all = undelivered::take();
            all.extend(errors);
            all
        }
        Err(error) => {
            let mut all = vec![error];
            all.extend(undelivered::take());
            all
        }
    }
}

/// Keeps what a dropped runtime held for the next sweep. Does not call the library.
pub(super) fn keep(shared: &Arc<Shared>) {
    if shared.shut_unless_released() {
        abandoned().push(Arc::clone(shared));
    }
}

/// Keeps the initialisation of a runtime that could not be opened, because closing it has failed.
pub(super) fn keep_never_opened(acl: Acl) {
    // A forked child takes no lock, and closes nothing.
    if acl.api().check_process().is_ok() {
        // There is no runtime whose calls would be verified.
        never_opened().push(acl.without_verification());
    }
}

fn close_what_was_never_opened(panics: &mut Panics) -> Vec<Error> {
    let left = mem::take(&mut *never_opened());
    let closed = left.into_iter().filter_map(|acl| panics.catch(|| acl.close().err()).flatten());
    let failed: Vec<_> = closed.collect();
    failed
        .into_iter()
        .map(|Failed { error, value }| {
            keep_never_opened(value);
            error
        })
        .collect()
}

/// Whether runtimes were dropped that nobody has released.
pub(super) fn are_left() -> bool {
    !abandoned().is_empty()
}

/// Releases what is idle now, without waiting for work in flight.
pub(super) fn take_down_idle(thread: &mut Thread) {
    let mut panics = Panics::default();
    let failed = take_down(thread, Some(Duration::ZERO), &mut panics);
    let is_busy = |error: &Error| {
        matches!(error, Error::StillRunning { .. }) || error.code().is_some_and(|code| code.is_timeout())
    };
    let (quiet, told): (Vec<_>, Vec<_>) = failed.into_iter().partition(is_busy);
    drop_each_quietly(quiet);
    undelivered::keep(told);
    panics.resume();
}

/// Tries to release each dropped runtime, also if an earlier one panicked.
fn take_down(thread: &mut Thread, teardown_timeout: Option<Duration>, panics: &mut Panics) -> Vec<Error> {
    let runtimes = abandoned().clone();
    let mut errors = Vec::new();
    for runtime in runtimes {
        // Runs code of the user. If it panics, the runtime stays for the next sweep.
        match panics.catch(|| runtime.close_or_give_up(thread, teardown_timeout)) {
            Some(Ok(())) => abandoned().retain(|known| !Arc::ptr_eq(known, &runtime)),
            Some(Err(error)) => errors.extend(error.into_errors()),
            None => {}
        }
    }
    errors
}

fn never_opened() -> MutexGuard<'static, Vec<Acl>> {
    NEVER_OPENED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn abandoned() -> MutexGuard<'static, Vec<Arc<Shared>>> {
    ABANDONED.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
