//! The outputs of models with gears. Where the library does not say their shapes, each needs memory for the largest gear, and
//! is read only if the execution describes it.

use super::super::Api;
use super::super::call::call;
use super::description::{NO_DIMS, sizes};
use ascendcl_sys::types::*;

/// The shapes of a model's outputs in its gear; `None` where the library does not say it. Empty for a model without
/// gears.
pub(super) type ChosenOutputs = Vec<Option<Vec<i64>>>;

/// The shapes of a model's outputs in the gear that was chosen last. The model must be loaded, and its description alive
/// and filled in.
pub(super) fn chosen_outputs(api: Api, desc: *const aclmdlDesc, outputs: usize) -> ChosenOutputs {
    let shape = |index| {
        let mut dims = NO_DIMS;
        // SAFETY: the function asks for a description that is alive and filled in, which the caller guarantees, and
        // writes the answer to `dims` during the call; a pointer to a live local is valid for writes (`core::ptr`,
        // "Safety").
        let answer = unsafe { call!(api.aclmdlGetCurOutputDims(desc, index, &raw mut dims)) };
        let dims = answer.is_success().then(|| sizes(&dims))?;
        dims.iter().all(|size| *size >= 0).then_some(dims)
    };
    (0..outputs).map(shape).collect()
}
