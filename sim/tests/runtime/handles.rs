//! Handles of any value, and allocators, whose tables take any value.

use super::support::*;
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

/// Numbers that are no live handle of the right kind.
fn strange(kind_of_handle: &[*mut c_void]) -> Vec<*mut c_void> {
    let mut zeroed = [0_usize; 8];
    let mut numbers = vec![0x1234, 1, usize::MAX, usize::MAX - 63, 0x2000_0000_0000 - 64, zeroed.as_mut_ptr().addr()];
    numbers.extend(kind_of_handle.iter().flat_map(|handle| {
        let number = handle.addr();
        [number, number + 1, number + 64 * 1_000_000]
    }));
    numbers.into_iter().map(without_provenance_mut).collect()
}

#[test]
fn any_number_is_an_answer_and_never_a_crash() {
    let _machine = device();
    let (live, event) = (stream(), event());
    let dead = stream();
    ok!(aclrtDestroyStream(dead));
    let desc = acl!(aclrtAllocatorCreateDesc());
    for number in strange(&[event.0, dead.0, desc.0]) {
        let stream = aclrtStream(number);
        let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_RESERVED;
        let codes = [
            acl!(aclrtSynchronizeStream(stream)),
            acl!(aclrtSynchronizeStreamWithTimeout(stream, 10)),
            acl!(aclrtStreamQuery(stream, &mut status)),
            acl!(aclrtDestroyStream(stream)),
            acl!(aclrtDestroyStreamForce(stream)),
            acl!(aclrtStreamAbort(stream)),
            acl!(aclrtRecordEvent(event, stream)),
            acl!(aclrtStreamWaitEvent(stream, event)),
            acl!(aclrtSubscribeReport(1, stream)),
            acl!(aclrtLaunchCallback(Some(run_boxed), null_mut(), aclrtCallbackBlockType::ACL_CALLBACK_BLOCK, stream)),
            acl!(aclrtLaunchHostFunc(stream, Some(run_boxed), null_mut())),
        ];
        assert_eq!(codes, [ACL_ERROR_RT_INVALID_HANDLE; 11], "{number:?}");
    }
    for number in strange(&[live.0, dead.0, desc.0]) {
        let event = aclrtEvent(number);
        let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE;
        let codes = [
            acl!(aclrtRecordEvent(event, live)),
            acl!(aclrtResetEvent(event, live)),
            acl!(aclrtStreamWaitEvent(live, event)),
            acl!(aclrtSynchronizeEvent(event)),
            acl!(aclrtQueryEventStatus(event, &mut status)),
            acl!(aclrtDestroyEvent(event)),
        ];
        assert_eq!(codes, [ACL_ERROR_RT_INVALID_HANDLE; 6], "{number:?}");
    }
    for number in strange(&[live.0, event.0, desc.0]) {
        let context = aclrtContext(number);
        assert_eq!(acl!(aclrtSetCurrentContext(context)), ACL_ERROR_RT_PARAM_INVALID);
        assert_eq!(acl!(aclrtDestroyContext(context)), ACL_ERROR_RT_CONTEXT_NULL);
        assert_eq!(acl!(aclrtFree(number)), ACL_ERROR_RT_PARAM_INVALID);
        assert_eq!(acl!(aclrtFreeHost(number)), ACL_ERROR_RT_PARAM_INVALID);
    }
    for number in strange(&[live.0, event.0]) {
        assert_eq!(acl!(aclrtAllocatorDestroyDesc(aclrtAllocatorDesc(number))), ACL_ERROR_RT_INVALID_HANDLE);
        assert_eq!(acl!(aclrtAllocatorRegister(live, aclrtAllocatorDesc(number))), ACL_ERROR_RT_INVALID_HANDLE);
    }
}

#[test]
fn a_handle_is_never_given_out_twice() {
    let _machine = device();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..500 {
        let (stream, event) = (stream(), event());
        assert_eq!(stream.0.addr() % 64, 0);
        assert!(seen.insert(stream.0.addr()) && seen.insert(event.0.addr()));
        ok!(aclrtDestroyStream(stream));
        ok!(aclrtDestroyEvent(event));
    }
}

unsafe extern "C" fn allocate(_: aclrtAllocator, _: usize) -> *mut c_void {
    null_mut()
}

unsafe extern "C" fn free(_: aclrtAllocator, _: aclrtAllocatorBlock) {}

unsafe extern "C" fn address(block: aclrtAllocatorBlock) -> *mut c_void {
    block.0
}

fn descriptor(object: bool, alloc: bool, release: bool, get_address: bool) -> aclrtAllocatorDesc {
    let desc = acl!(aclrtAllocatorCreateDesc());
    if object {
        ok!(aclrtAllocatorSetObjToDesc(desc, aclrtAllocator(without_provenance_mut(0x40))));
    }
    if alloc {
        ok!(aclrtAllocatorSetAllocFuncToDesc(desc, Some(allocate)));
    }
    if release {
        ok!(aclrtAllocatorSetFreeFuncToDesc(desc, Some(free)));
    }
    if get_address {
        ok!(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, Some(address)));
    }
    desc
}

fn registered(stream: aclrtStream) -> Result<aclrtAllocatorDesc, aclError> {
    let (mut desc, mut object) = (aclrtAllocatorDesc::NULL, aclrtAllocator::NULL);
    let (mut alloc, mut release, mut advise, mut address) = (None, None, None, None);
    let code = acl!(aclrtAllocatorGetByStream(
        stream,
        &mut desc,
        &mut object,
        &mut alloc,
        &mut release,
        &mut advise,
        &mut address
    ));
    if code == ACL_SUCCESS { Ok(desc) } else { Err(code) }
}

#[test]
fn allocators_are_registered_by_the_streams_number() {
    let _machine = device();
    let stream = stream();
    let (a, b) = (descriptor(true, true, true, true), descriptor(true, true, true, true));
    assert_eq!(registered(stream), Err(ACL_ERROR_INVALID_PARAM));
    assert_eq!(acl!(aclrtAllocatorRegister(aclrtStream::NULL, a)), ACL_ERROR_INVALID_PARAM);
    ok!(aclrtAllocatorUnregister(stream));
    ok!(aclrtAllocatorRegister(stream, a));
    ok!(aclrtAllocatorRegister(stream, b));
    assert_eq!(registered(stream), Ok(b));
    ok!(aclrtAllocatorDestroyDesc(b));
    ok!(aclrtDestroyStream(stream));
    assert_eq!(registered(stream), Ok(b));
    ok!(aclrtAllocatorRegister(aclrtStream(without_provenance_mut(0x1234)), a));
    assert_eq!(acl!(aclrtAllocatorDestroyDesc(b)), ACL_ERROR_RT_INVALID_HANDLE);
    ok!(aclrtAllocatorDestroyDesc(a));
    assert!(control::live().is_empty());
}

#[proves(ALLOC_07)]
#[test]
fn an_incomplete_allocator_is_refused() {
    let _machine = device();
    let stream = stream();
    for (desc, code) in [
        (descriptor(false, true, true, true), ACL_ERROR_INVALID_PARAM),
        (descriptor(true, false, true, true), ACL_ERROR_INVALID_PARAM),
        (descriptor(true, true, false, true), ACL_SUCCESS),
        (descriptor(true, true, true, false), ACL_ERROR_INVALID_PARAM),
        (descriptor(false, false, false, false), ACL_ERROR_INVALID_PARAM),
    ] {
        assert_eq!(acl!(aclrtAllocatorRegister(stream, desc)), code);
    }
}
