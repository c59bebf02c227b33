//! What the vendor's manual says where its library does something else.

use crate::support::*;
use ascendcl_sim::{Checks, Config, control};

/// The codes of a program, as the library answers and as the manual says.
fn codes(program: fn() -> Vec<aclError>) -> [Vec<aclError>; 2] {
    [false, true].map(|documented| {
        let _machine = machine(Checks::Off);
        control::configure(Config::new().checks(Checks::Off).documented(documented)).unwrap();
        program()
    })
}

fn ready() {
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
}

#[test]
fn calls_need_an_initialisation() {
    let program = || vec![acl!(aclrtSetDevice(0)), acl!(aclInit(std::ptr::null())), acl!(aclrtSetDevice(0))];
    assert_eq!(codes(program), [vec![0, 0, 0], vec![ACL_ERROR_UNINITIALIZE, 0, 0]]);
}

#[test]
fn finalising_needs_an_initialisation() {
    let program = || vec![acl!(aclFinalize())];
    assert_eq!(codes(program), [vec![0], vec![ACL_ERROR_REPEAT_FINALIZE]]);
}

#[test]
fn a_copy_has_something_to_copy() {
    let program = || {
        ready();
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        let async_copy = acl!(aclrtMemcpyAsync(block, 64, pinned, 0, TO_DEVICE, stream));
        vec![acl!(aclrtMemcpy(block, 64, pinned, 0, TO_DEVICE)), async_copy]
    };
    assert_eq!(codes(program), [vec![0; 2], vec![ACL_ERROR_INVALID_PARAM; 2]]);
}

#[test]
fn each_family_of_memory_has_its_own_free() {
    let program = || {
        ready();
        vec![acl!(aclrtFree(malloc_host(64))), acl!(aclrtFree(malloc(64)))]
    };
    assert_eq!(codes(program), [vec![0, 0], vec![ACL_ERROR_RT_PARAM_INVALID, 0]]);
}

#[test]
fn a_default_stream_is_not_destroyed() {
    let program = || {
        ready();
        let mut default = aclrtStream::NULL;
        ok!(aclrtCtxGetCurrentDefaultStream(&mut default));
        vec![acl!(aclrtDestroyStream(default)), acl!(aclrtDestroyStream(stream()))]
    };
    assert_eq!(codes(program), [vec![0, 0], vec![ACL_ERROR_INVALID_PARAM, 0]]);
}

#[test]
fn an_allocator_has_a_free_function() {
    unsafe extern "C" fn allocate(_: aclrtAllocator, _: usize) -> *mut std::ffi::c_void {
        std::ptr::null_mut()
    }
    unsafe extern "C" fn address(_: aclrtAllocatorBlock) -> *mut std::ffi::c_void {
        std::ptr::null_mut()
    }
    let program = || {
        ready();
        let descriptor = acl!(aclrtAllocatorCreateDesc());
        ok!(aclrtAllocatorSetObjToDesc(descriptor, aclrtAllocator(std::ptr::without_provenance_mut(0x80))));
        ok!(aclrtAllocatorSetAllocFuncToDesc(descriptor, Some(allocate)));
        ok!(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(descriptor, Some(address)));
        vec![acl!(aclrtAllocatorRegister(stream(), descriptor))]
    };
    assert_eq!(codes(program), [vec![0], vec![ACL_ERROR_INVALID_PARAM]]);
}

/// In seconds: the manual said milliseconds up to 8.5, and has said what the library does since then.
#[test]
fn the_limit_of_a_wait_is_in_seconds_by_the_manual_too() {
    let program = || {
        ready();
        let (first, second, event) = (stream(), stream(), event());
        let gate = Gate::close(first);
        ok!(aclrtRecordEvent(event, first));
        ok!(aclrtStreamWaitEventWithTimeout(second, event, 20));
        let late = acl!(aclrtSynchronizeStreamWithTimeout(second, 200));
        gate.open();
        vec![late, acl!(aclrtSynchronizeStream(second))]
    };
    assert_eq!(codes(program), [vec![ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, 0], vec![ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, 0]]);
}
