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

#[cfg(test)]
mod tests {
    use super::*;
    use ascendcl_sys::error_codes::ACL_SUCCESS;
    use core::ffi::c_void;
    use core::ptr::{NonNull, null};

    extern "C" fn says(_: *const aclmdlDesc, index: usize, dims: *mut aclmdlIODims) -> aclError {
        let said = [[4, 3], [0, 3], [-1, 3]].get(index).map_or(NO_DIMS, |own| {
            let mut dims = NO_DIMS;
            (dims.dimCount, dims.dims[0], dims.dims[1]) = (own.len(), own[0], own[1]);
            dims
        });
        // SAFETY: `write` asks for a pointer that is valid for writes: the caller gives one to a live local.
        unsafe { dims.write(said) };
        ACL_SUCCESS
    }

    #[test]
    fn an_output_whose_size_the_library_does_not_know_has_no_shape_in_the_gear() {
        let table = |name: &str| match name {
            "aclmdlGetCurOutputDims" => NonNull::new(says as *mut c_void),
            _ => None,
        };
        // SAFETY: `Api::from_table` asks that each address is of a function with the table's signature. `says` has it.
        let api = unsafe { Api::from_table("gear outputs", table) };
        assert_eq!(chosen_outputs(api, null(), 3), [Some(vec![4, 3]), Some(vec![0, 3]), None]);
    }
}
