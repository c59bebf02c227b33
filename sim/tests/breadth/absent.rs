//! Functions that the simulator does not have.

use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::{null, null_mut};

#[test]
fn a_function_that_is_not_simulated_says_so_under_its_name() {
    let _world = world();
    let unsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    let mut handle = aclrtBinHandle::NULL;
    fails!(
        unsupported,
        "aclrtBinaryLoadFromFile: the simulator does not have this function",
        kernel::aclrtBinaryLoadFromFile(c("/proc/self/exe").as_ptr(), null_mut(), &mut handle)
    );
    assert_eq!(handle, aclrtBinHandle::NULL);
    let level = aclrtLastErrLevel::ACL_RT_THREAD_LEVEL;
    assert_eq!(call!(process::aclrtGetLastError(level)), unsupported);
}

#[test]
fn one_that_returns_no_code_answers_with_nothing_and_leaves_the_text() {
    let _world = world();
    assert!(call!(model_aipp::aclmdlBundleCreateQueryInfo()).is_null());
    assert!(text().contains("aclmdlBundleCreateQueryInfo: the simulator does not have this function"));
    assert_eq!(call!(media_tasks::acldvppGetLutMapDims(null())), 0);
    assert!(text().contains("acldvppGetLutMapDims"));
}

#[test]
fn a_program_that_looks_functions_up_learns_which_are_simulated() {
    for function in ascendcl_sys::table() {
        assert_eq!(ascendcl_sim::resolve(function.name).is_some(), function.simulated, "{}", function.name);
    }
}
