//! Options of the operator compiler.

use crate::world::*;
use ascendcl_sys::error_codes::ACL_ERROR_INVALID_PARAM;
use ascendcl_sys::types::aclCompileOpt;
use core::ptr::{null, null_mut};

fn value(option: aclCompileOpt) -> String {
    let mut place = vec![0; call!(op_compiler::aclGetCompileoptSize(option))];
    ok!(op_compiler::aclGetCompileopt(option, place.as_mut_ptr(), place.len()));
    string(place.as_ptr())
}

#[test]
fn options_are_kept_and_answered_with_their_size() {
    let _world = world();
    let (jit, mode) = (aclCompileOpt::ACL_OP_JIT_COMPILE, aclCompileOpt::ACL_PRECISION_MODE);
    assert_eq!((value(jit).as_str(), value(mode).as_str()), ("disable", ""));
    ok!(op_compiler::aclSetCompileopt(jit, c("enable").as_ptr()));
    assert_eq!(value(jit), "enable");
    assert_eq!(call!(op_compiler::aclGetCompileoptSize(jit)), 7);
    ok!(op_compiler::aclSetCompileopt(jit, c("disable").as_ptr()));
    assert_eq!(value(jit), "disable");

    let wrong = ACL_ERROR_INVALID_PARAM;
    let none = aclCompileOpt(99);
    assert_eq!(call!(op_compiler::aclGetCompileoptSize(none)), 0);
    fails!(wrong, "option 99", op_compiler::aclSetCompileopt(none, c("x").as_ptr()));
    fails!(wrong, "null", op_compiler::aclSetCompileopt(jit, null()));
    fails!(wrong, "null", op_compiler::aclGetCompileopt(jit, null_mut(), 8));
    let mut small = [1; 7];
    fails!(wrong, "takes 8 bytes", op_compiler::aclGetCompileopt(jit, small.as_mut_ptr(), 7));
    assert_eq!(small, [1; 7]);
}
