//! What follows when the library refuses to destroy an object on a fast path.

use super::Api;
use super::call::{FailedCall, Function};
use crate::error::Boxed;

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
