//! Objects that a call was to end, and that are there as before.

use super::Api;
use super::call::NoSuccess;
use super::gate::Gate;
use crate::error::Boxed;

/// Opens the gate of an object again, and makes the answer of the call an error. `None` if the function has to be looked
/// up before it can be called.
#[cold]
#[inline(never)]
pub(super) fn not_ended(
    gate: &Gate,
    api: Api,
    doing: &'static str,
    answer: Option<Result<(), NoSuccess>>,
) -> Option<Result<(), Boxed>> {
    gate.reopen();
    answer.map(|answer| answer.map_err(|refused| refused.into_error(api, doing)))
}
