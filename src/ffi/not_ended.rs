//! Objects that a call was to end, and that are there as before.

use super::Api;
use super::call::NoSuccess;
use crate::error::Boxed;

/// Opens an object again by `reopen`, and makes the answer of the call an error. `None` if the function has to be looked up
/// before it can be called.
#[cold]
#[inline(never)]
pub(super) fn not_ended(
    reopen: impl FnOnce(),
    api: Api,
    doing: &'static str,
    answer: Option<Result<(), NoSuccess>>,
) -> Option<Result<(), Boxed>> {
    reopen();
    answer.map(|answer| answer.map_err(|refused| refused.into_error(api, doing)))
}
