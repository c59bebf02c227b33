//! Operators by a handle.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::control;
use ascendcl_sim::exports::{base::*, operator::*, tensor_desc::*};
use std::ptr::{null, null_mut};

fn create(name: &str, input: *mut aclTensorDesc, output: *mut aclTensorDesc) -> (aclError, *mut aclopHandle) {
    let (inputs, outputs, mut handle) = (input.cast_const(), output.cast_const(), null_mut());
    let code = acl!(aclopCreateHandle(c(name).as_ptr(), 1, &inputs, 1, &outputs, NO_ATTRIBUTES, &mut handle));
    (code, handle)
}

fn run(handle: *mut aclopHandle, input: Tensor, output: Tensor) -> aclError {
    let stream = aclrtStream::NULL;
    acl!(aclopExecWithHandle(handle, 1, &input.buffer.cast_const(), 1, &raw const output.buffer, stream))
}

#[test]
fn a_handle_runs_its_operator_on_any_buffers_until_it_is_destroyed() {
    let _machine = device();
    let [a, b] = [input(&[2], &[-1.0_f32, 1.0]), input(&[2], &[3.0_f32, -3.0])];
    let [y, z] = [(); 2].map(|()| output::<f32>(&[2], 2));
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", create("Relu", a.desc, y.desc).0);
    assert_eq!(compile("Relu", &[a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    let (code, handle) = create("Relu", a.desc, y.desc);
    assert_eq!(code, ACL_SUCCESS, "{}", message());
    assert_eq!(control::live().operator_handles, 1);
    // The handle has its own copy of the descriptions.
    acl!(aclDestroyTensorDesc(a.desc));
    assert_eq!(run(handle, a, y), ACL_SUCCESS, "{}", message());
    assert_eq!(run(handle, b, z), ACL_SUCCESS, "{}", message());
    ok!(aclrtSynchronizeStream(aclrtStream::NULL));
    assert_eq!(y.elements::<f32>(), [0.0, 1.0]);
    assert_eq!(z.elements::<f32>(), [3.0, 0.0]);

    let small = acl!(aclCreateDataBuffer(y.address, 4));
    fails!(ACL_ERROR_OP_OUTPUT_NOT_MATCH, "found 4 bytes", run(handle, b, Tensor { buffer: small, ..y }));
    let none = acl!(aclopExecWithHandle(handle, 0, null(), 1, &raw const y.buffer, aclrtStream::NULL));
    fails!(ACL_ERROR_OP_INPUT_NOT_MATCH, "found 0 input buffers, expected 1", none);
    acl!(aclopDestroyHandle(handle));
    fails!(ACL_ERROR_INVALID_PARAM, "destroyed", run(handle, b, z));
    fails!(ACL_ERROR_INVALID_PARAM, "null", run(null_mut(), b, z));
    assert_eq!(control::live().operator_handles, 0);
}

#[test]
fn a_handle_has_fixed_shapes() {
    let _machine = device();
    let (fixed, open) = (desc(f32::TYPE, &[2]), desc(f32::TYPE, &[-1]));
    assert_eq!(compile("Relu", &[fixed], open, NO_ATTRIBUTES), ACL_SUCCESS);
    fails!(ACL_ERROR_OP_UNSUPPORTED_DYNAMIC, "found open dims, expected [2]", create("Relu", fixed, open).0);
    fails!(ACL_ERROR_OP_INPUT_NOT_MATCH, "found dims [-1]", create("Relu", open, open).0);
    let (inputs, outputs) = (fixed.cast_const(), fixed.cast_const());
    let code = acl!(aclopCreateHandle(c("Relu").as_ptr(), 1, &inputs, 1, &outputs, NO_ATTRIBUTES, null_mut()));
    fails!(ACL_ERROR_INVALID_PARAM, "no place for the result", code);
}

#[test]
fn casts_have_handles_of_their_own() {
    let _machine = device();
    let [x, y] = [input(&[2], &[1.5_f32, -2.5]), output::<i32>(&[2], 2)];
    let mut handle = null_mut();
    ok!(aclopCreateHandleForCast(x.desc, y.desc, 0, &mut handle));
    assert_eq!(run(handle, x, y), ACL_SUCCESS, "{}", message());
    ok!(aclrtSynchronizeStream(aclrtStream::NULL));
    assert_eq!(y.elements::<i32>(), [1, -2]);
    let cut = acl!(aclopCreateHandleForCast(x.desc, y.desc, 1, &mut handle));
    fails!(ACL_ERROR_OP_ATTR_NOT_MATCH, "rounds to nearest", cut);
}
