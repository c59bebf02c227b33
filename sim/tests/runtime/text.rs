//! What a thread can ask about its failures.

use super::support::*;
use std::ptr::null_mut;
use std::thread;

const THREAD: aclrtLastErrLevel = aclrtLastErrLevel::ACL_RT_THREAD_LEVEL;

#[test]
fn a_text_names_its_call_and_is_given_once() {
    let _machine = device();
    assert_eq!(message(), "");
    assert_eq!(acl!(aclrtFree(null_mut())), ACL_ERROR_INVALID_PARAM);
    assert_eq!(message(), "aclrtFree: the address is null [ACL_ERROR_INVALID_PARAM]");
    assert_eq!(message(), "");
    thread::spawn(|| {
        for _ in 0..2 {
            assert!(message().contains("no current context"));
        }
    })
    .join()
    .unwrap();
}

#[test]
fn the_last_error_is_the_runtimes() {
    let _machine = device();
    let mut address = null_mut();
    let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
    assert_eq!(acl!(aclrtMalloc(&mut address, 0, policy)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtPeekAtLastError(THREAD)), ACL_SUCCESS);
    assert_eq!(acl!(aclrtSetDevice(99)), ACL_ERROR_RT_INVALID_DEVICEID);
    ok!(aclrtSynchronizeDevice());
    assert_eq!(acl!(aclrtPeekAtLastError(THREAD)), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_eq!(acl!(aclrtGetLastError(THREAD)), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_eq!(acl!(aclrtGetLastError(THREAD)), ACL_SUCCESS);
    assert_eq!(acl!(aclrtGetLastError(aclrtLastErrLevel(9))), ACL_ERROR_INVALID_PARAM);
}
