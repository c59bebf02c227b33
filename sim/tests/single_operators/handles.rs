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
    fails!(ACL_ERROR_OP_NOT_FOUND, "found open dims, expected [2]", create("Relu", fixed, open).0);
    fails!(ACL_ERROR_OP_NOT_FOUND, "found dims [-1]", create("Relu", open, open).0);
    let (inputs, outputs) = (fixed.cast_const(), fixed.cast_const());
    let code = acl!(aclopCreateHandle(c("Relu").as_ptr(), 1, &inputs, 1, &outputs, NO_ATTRIBUTES, null_mut()));
    fails!(ACL_ERROR_INVALID_PARAM, "no place for the result", code);
}

#[test]
fn casts_have_handles_of_their_own() {
    let _machine = device();
    let [x, y] = [input(&[2], &[1.5_f32, -2.5]), output::<i32>(&[2], 2)];
    let mut handle = null_mut();
    let create = |truncate, handle| acl!(aclopCreateHandleForCast(x.desc, y.desc, truncate, handle));
    fails!(ACL_ERROR_OP_NOT_FOUND, "Cast: no model", create(0, &mut handle));
    fails!(ACL_ERROR_INVALID_PARAM, "description", acl!(aclopCreateHandleForCast(x.desc, null_mut(), 0, &mut handle)));
    assert_eq!(compile("Cast", &[x.desc], y.desc, int("dst_type", 3)), ACL_SUCCESS);
    // Whether to truncate is no question where no known operator has it as an attribute.
    for truncate in [0, 1] {
        assert_eq!(create(truncate, &mut handle), ACL_SUCCESS, "{}", message());
        assert_eq!(run(handle, x, y), ACL_SUCCESS, "{}", message());
        ok!(aclrtSynchronizeStream(aclrtStream::NULL));
        assert_eq!(y.elements::<i32>(), [1, -2]);
    }
    let with_both = int("dst_type", 3);
    ok!(aclopSetAttrBool(with_both, c("truncate").as_ptr(), 0));
    assert_eq!(compile("Cast", &[x.desc], y.desc, with_both), ACL_SUCCESS);
    assert_eq!(create(0, &mut handle), ACL_SUCCESS, "{}", message());
    fails!(ACL_ERROR_OP_NOT_FOUND, "rounds to nearest", create(1, &mut handle));
}

#[test]
fn a_handle_is_made_for_memory_of_the_device() {
    let _machine = device();
    let [x, y] = [desc(f32::TYPE, &[2]), desc(f32::TYPE, &[2])];
    assert_eq!(compile("Relu", &[x], y, NO_ATTRIBUTES), ACL_SUCCESS);
    ok!(aclSetTensorPlaceMent(x, aclMemType::ACL_MEMTYPE_HOST));
    fails!(ACL_ERROR_API_NOT_SUPPORT, "no operands in host memory", create("Relu", x, y).0);
    let mut handle = null_mut();
    let cast = acl!(aclopCreateHandleForCast(x, y, 0, &mut handle));
    fails!(ACL_ERROR_API_NOT_SUPPORT, "no operands in host memory", cast);
}

#[test]
fn a_handle_executes_nothing_if_all_outputs_are_empty() {
    let _machine = device();
    let [a, y] = [input(&[2], &[-1.0_f32, 1.0]), output::<f32>(&[2], 2)];
    assert_eq!(compile("Relu", &[a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    let handle = create("Relu", a.desc, y.desc).1;
    let empty = acl!(aclCreateDataBuffer(null_mut(), 0)).cast();
    // Before anybody counts the buffers.
    ok!(aclopExecWithHandle(handle, 0, null(), 1, &empty, aclrtStream::NULL));
    let none = acl!(aclopExecWithHandle(handle, 1, &a.buffer.cast_const(), 0, null(), aclrtStream::NULL));
    fails!(ACL_ERROR_OP_OUTPUT_NOT_MATCH, "found 0 output buffers, expected 1", none);
}
