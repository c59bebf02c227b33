//! Functions of the program that choose kernels of its own.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::exports::{operator::*, tensor_desc::*};
use core::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::SeqCst};

static ANSWER: AtomicI32 = AtomicI32::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// The descriptions that the last call was given, and the attributes.
static GIVEN: std::sync::Mutex<Vec<usize>> = std::sync::Mutex::new(Vec::new());

unsafe extern "C" fn choose(
    num_inputs: c_int,
    inputs: *const *const aclTensorDesc,
    num_outputs: c_int,
    outputs: *const *const aclTensorDesc,
    attributes: *const aclopAttr,
    kernel: *mut aclopKernelDesc,
) -> aclError {
    assert_eq!((num_inputs, num_outputs), (2, 1));
    // SAFETY: the lists are those of the call, with two inputs and an output.
    let given = unsafe { [*inputs, *inputs.add(1), *outputs] };
    let given = given.map(|desc| desc.addr()).into_iter().chain([attributes.addr()]);
    *GIVEN.lock().unwrap() = given.collect();
    CALLS.fetch_add(1, SeqCst);
    CHOSEN.store(kernel.addr(), SeqCst);
    let (arguments, mut sizes) = ([0_u8; 4], [64_usize]);
    let arguments: *const c_void = arguments.as_ptr().cast();
    let id = c("of_mine");
    fails!(ACL_ERROR_INVALID_PARAM, "null", acl!(aclopSetKernelArgs(null_mut(), id.as_ptr(), 1, arguments, 4)));
    fails!(ACL_ERROR_INVALID_PARAM, "null", acl!(aclopSetKernelArgs(kernel, id.as_ptr(), 1, null(), 4)));
    fails!(ACL_ERROR_INVALID_PARAM, "null", acl!(aclopSetKernelArgs(kernel, null(), 1, arguments, 4)));
    ok!(aclopSetKernelArgs(kernel, id.as_ptr(), 1, arguments, 4));
    fails!(ACL_ERROR_INVALID_PARAM, "null", acl!(aclopSetKernelWorkspaceSizes(null_mut(), 1, sizes.as_mut_ptr())));
    fails!(ACL_ERROR_INVALID_PARAM, "-1", acl!(aclopSetKernelWorkspaceSizes(kernel, -1, sizes.as_mut_ptr())));
    fails!(ACL_ERROR_INVALID_PARAM, "null", acl!(aclopSetKernelWorkspaceSizes(kernel, 1, null_mut())));
    ok!(aclopSetKernelWorkspaceSizes(kernel, 0, null_mut()));
    ok!(aclopSetKernelWorkspaceSizes(kernel, 1, sizes.as_mut_ptr()));
    ANSWER.load(SeqCst)
}

#[test]
fn the_function_of_the_program_chooses_and_what_it_chooses_is_not_there() {
    let _machine = device();
    let name = c("Mine");
    let [a, b, y] = [(); 3].map(|()| desc(f32::TYPE, &[2]));
    let attributes = int("axis", 1);
    let (inputs, outputs) = ([a.cast_const(), b.cast_const()], [y.cast_const()]);
    let update = |inputs: &[*const aclTensorDesc], count: i32| {
        acl!(aclopUpdateParams(name.as_ptr(), count, inputs.as_ptr(), 1, outputs.as_ptr(), attributes))
    };
    fails!(ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, "no function", update(&inputs, 2));
    ok!(aclopUnregisterCompileFunc(name.as_ptr()));
    ok!(aclopRegisterCompileFunc(name.as_ptr(), Some(choose)));
    let again = acl!(aclopRegisterCompileFunc(name.as_ptr(), Some(choose)));
    fails!(ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, "already", again);
    fails!(ACL_ERROR_INVALID_PARAM, "-1", update(&inputs, -1));
    fails!(ACL_ERROR_INVALID_PARAM, "null", update(&[a.cast_const(), null()], 2));
    assert_eq!(CALLS.load(SeqCst), 0, "the arguments are looked at first");
    fails!(ACL_ERROR_KERNEL_NOT_FOUND, "`of_mine`", update(&inputs, 2));
    assert_eq!(CALLS.load(SeqCst), 1);
    assert_eq!(*GIVEN.lock().unwrap(), [a.addr(), b.addr(), y.addr(), attributes.addr()]);
    ANSWER.store(4711, SeqCst);
    fails!(4711, "answers 4711", update(&inputs, 2));
    let over = core::ptr::without_provenance_mut(CHOSEN.load(SeqCst));
    let code = acl!(aclopSetKernelWorkspaceSizes(over, 0, null_mut()));
    fails!(ACL_ERROR_INVALID_PARAM, "no kernel is being chosen", code);
    ok!(aclopUnregisterCompileFunc(name.as_ptr()));
    fails!(ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, "no function", update(&inputs, 2));
    assert_eq!(CALLS.load(SeqCst), 2);
    for desc in [a, b, y] {
        acl!(aclDestroyTensorDesc(desc));
    }
    acl!(aclopDestroyAttr(attributes));
}

#[test]
fn names_and_functions_have_to_be_there() {
    let _machine = device();
    let (name, mut code) = (c("Mine"), [0_u8; 4]);
    let code: *mut c_void = code.as_mut_ptr().cast();
    let wrong = ACL_ERROR_INVALID_PARAM;
    fails!(wrong, "null", acl!(aclopRegisterCompileFunc(null(), Some(choose))));
    fails!(wrong, "null", acl!(aclopRegisterCompileFunc(name.as_ptr(), None)));
    fails!(wrong, "null", acl!(aclopUnregisterCompileFunc(null())));
    fails!(wrong, "null", acl!(aclopUpdateParams(null(), 0, null(), 0, null(), null())));
    let create = |operator, id, kernel, code| {
        acl!(aclopCreateKernel(operator, id, kernel, code, 4, aclopEngineType::ACL_ENGINE_AICORE, None))
    };
    let name = name.as_ptr();
    fails!(wrong, "op_type", create(null(), name, name, code));
    fails!(wrong, "kernel_id", create(name, null(), name, code));
    fails!(wrong, "kernel_name", create(name, name, null(), code));
    fails!(wrong, "bin_data", create(name, name, name, null_mut()));
    fails!(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "does not have", create(name, name, name, code));
}
