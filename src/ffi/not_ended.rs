//! What follows when the library creates no object, or refuses to destroy one, on a fast path.

use super::Api;
use super::answer::Written;
use super::call::{FailedCall, Function};
use crate::error::{Boxed, Error};

/// The handle that a call has [written](super::answer::written), if it succeeded.
#[inline(always)]
pub(super) fn created_at_once<F: Function, H: Written>(
    answer: Result<(), FailedCall<F>>,
    handle: H,
    api: Api,
    doing: &'static str,
) -> Result<H, Boxed> {
    match answer {
        Ok(()) if !handle.is_nothing() => Ok(handle),
        answer => Err(not_created(answer, api, doing)),
    }
}

#[cold]
#[inline(never)]
fn not_created<F: Function>(answer: Result<(), FailedCall<F>>, api: Api, doing: &'static str) -> Boxed {
    match answer {
        Ok(()) => Error::NullAnswer { call: F::NAME }.into(),
        Err(failed) => failed.into_error(api, doing),
    }
}

/// Opens the object's gate again by `reopen`, and makes the answer of the call an error. `None` if the function was not
/// cached, so that nothing was called.
#[cold]
#[inline(never)]
pub(super) fn not_ended<F: Function>(
    reopen: impl FnOnce(),
    api: Api,
    doing: &'static str,
    answer: Option<Result<(), FailedCall<F>>>,
) -> Option<Result<(), Boxed>> {
    reopen();
    answer.map(|answer| answer.map_err(|failed| failed.into_error(api, doing)))
}
