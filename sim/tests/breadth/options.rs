//! Options of the operator compiler.

use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclCompileOpt;
use core::ptr::{null, null_mut};

#[test]
fn options_are_set_and_few_of_them_are_told() {
    let _world = world();
    let set = |option, value: &str| ok!(op_compiler::aclSetCompileopt(option, c(value).as_ptr()));
    let size = |option| call!(op_compiler::aclGetCompileoptSize(option));
    let mut place = [1; 256];
    let (jit, debug) = (aclCompileOpt::ACL_OP_JIT_COMPILE, aclCompileOpt::ACL_OP_DEBUG_OPTION);
    // Of the product, whatever the program has set.
    for value in ["enable", "disable"] {
        assert_eq!(size(jit), 256);
        ok!(op_compiler::aclGetCompileopt(jit, place.as_mut_ptr(), 8));
        assert_eq!(string(place.as_ptr()), "disable");
        set(jit, value);
    }
    let mode = aclCompileOpt::ACL_PRECISION_MODE;
    assert_eq!((size(mode), size(debug)), (0, 0));
    let told = |option, place: &mut [core::ffi::c_char]| {
        call!(op_compiler::aclGetCompileopt(option, place.as_mut_ptr(), place.len()))
    };
    assert_eq!(told(debug, &mut place), ACL_ERROR_API_NOT_SUPPORT, "it is not set yet");
    set(mode, "must_keep_origin_dtype");
    set(debug, "oom");
    assert_eq!((size(mode), size(debug)), (23, 4));
    assert_eq!(told(mode, &mut place), ACL_ERROR_API_NOT_SUPPORT);
    assert_eq!(told(debug, &mut place), 0);
    assert_eq!(string(place.as_ptr()), "oom");
    let mut small = [1; 3];
    assert_eq!(told(debug, &mut small), ACL_ERROR_FAILURE);
    assert_eq!(small, [1; 3]);
    set(mode, "");
    assert_eq!(size(mode), 0);
}

#[test]
fn options_that_there_are_not_are_refused() {
    let _world = world();
    let (jit, tuning, none) = (aclCompileOpt::ACL_OP_JIT_COMPILE, aclCompileOpt::ACL_AUTO_TUNE_MODE, aclCompileOpt(17));
    assert_eq!([tuning, none].map(|option| call!(op_compiler::aclGetCompileoptSize(option))), [0, 0]);
    fails!(ACL_ERROR_INTERNAL_ERROR, "option 17", op_compiler::aclSetCompileopt(none, c("x").as_ptr()));
    fails!(ACL_ERROR_FEATURE_UNSUPPORTED, "tunes", op_compiler::aclSetCompileopt(tuning, c("x").as_ptr()));
    // What is null comes first.
    fails!(ACL_ERROR_INVALID_PARAM, "null", op_compiler::aclSetCompileopt(none, null()));
    fails!(ACL_ERROR_INVALID_PARAM, "null", op_compiler::aclGetCompileopt(none, null_mut(), 8));
    let mut place = [1; 8];
    for option in [tuning, none] {
        fails!(ACL_ERROR_API_NOT_SUPPORT, "not told", op_compiler::aclGetCompileopt(option, place.as_mut_ptr(), 8));
    }
    fails!(ACL_ERROR_FAILURE, "takes 8 bytes", op_compiler::aclGetCompileopt(jit, place.as_mut_ptr(), 7));
    assert_eq!(place, [1; 8]);
}
