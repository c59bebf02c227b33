//! An operator has its turn in its stream, and its memory is kept until then.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::exports::base::*;
use std::ptr::null_mut;
use std::sync::mpsc;

#[test]
fn an_operator_runs_after_what_was_queued_before_it() {
    let _machine = device();
    let stream = stream();
    let [a, b] = [input(&[1], &[1_i32]), input(&[1], &[10_i32])];
    let [y, z] = [(); 2].map(|()| output::<i32>(&[1], 1));
    let open = hold_up(stream);
    let change = 5_i32.to_le_bytes();
    let pinned = malloc_host(4);
    // SAFETY: the block has 4 bytes.
    unsafe { std::ptr::copy_nonoverlapping(change.as_ptr(), pinned.cast(), 4) };
    ok!(aclrtMemcpyAsync(a.address, 4, pinned, 4, aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE, stream));
    assert_eq!(execute("Add", &[a, b], y, NO_ATTRIBUTES, stream), ACL_SUCCESS);
    assert_eq!(execute("Mul", &[y, b], z, NO_ATTRIBUTES, stream), ACL_SUCCESS);
    assert_ne!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 20)), ACL_SUCCESS);
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(y.elements::<i32>(), [15]);
    assert_eq!(z.elements::<i32>(), [150]);
}

#[test]
fn what_is_changed_or_freed_after_the_call_does_no_harm() {
    let _machine = device();
    let stream = stream();
    let [a, y] = [input(&[1], &[7_i32]), output::<i32>(&[1], 1)];
    let open = hold_up(stream);
    assert_eq!(execute("Relu", &[a], y, NO_ATTRIBUTES, stream), ACL_SUCCESS);
    ok!(aclUpdateDataBuffer(y.buffer, null_mut(), 0));
    ok!(aclrtFree(a.address));
    let elsewhere = malloc(4);
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(y.elements::<i32>(), [7]);
    ok!(aclrtFree(elsewhere));
}

#[test]
fn a_callback_cannot_wait_for_an_operator_behind_it() {
    let _machine = device();
    let stream = stream();
    let mut current = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut current));
    let [a, y] = [input(&[1], &[-1_i32]), input(&[1], &[5_i32])];
    let y = Tensor { desc: desc(i32::TYPE, &[-1]), ..y };
    let shared = Shared((current, a, y, stream));
    let (tell, told) = mpsc::channel();
    launch(stream, move || {
        let (current, a, y, stream) = shared.get();
        ok!(aclrtSetCurrentContext(current));
        tell.send(execute("Relu", &[a], y, NO_ATTRIBUTES, stream)).unwrap();
    });
    assert_eq!(told.recv().unwrap(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the open shape would make it wait");
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(y.elements::<i32>(), [5], "and nothing was queued");
}
