//! Memory with attributes, and streams that are created by a list of settings.

use super::support::*;
use ascendcl_sim::control;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const POLICY: aclrtMemMallocPolicy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;

/// An attribute whose number is `number`.
fn attribute(attr: aclrtMallocAttrType, number: u32) -> aclrtMallocAttribute {
    aclrtMallocAttribute { attr, value: aclrtMallocAttrValue { vaFlag: number } }
}

/// Allocates with these attributes, on the device and on the host. Answers the two codes.
fn allocates(attributes: &mut [aclrtMallocAttribute]) -> [aclError; 2] {
    let mut config = aclrtMallocConfig { attrs: attributes.as_mut_ptr(), numAttrs: attributes.len() };
    let (mut device, mut host) = (null_mut(), null_mut());
    let codes = [
        acl!(aclrtMallocWithCfg(&mut device, 64, POLICY, &mut config)),
        acl!(aclrtMallocHostWithCfg(&mut host, 64, &mut config)),
    ];
    assert_eq!(codes.map(|code| code == 0), [!device.is_null(), !host.is_null()]);
    if codes == [0, 0] {
        ok!(aclrtMemcpy(device, 64, host, 64, aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE));
    }
    if codes[0] == 0 {
        ok!(aclrtFree(device));
    }
    if codes[1] == 0 {
        ok!(aclrtFreeHost(host));
    }
    codes
}

#[test]
fn memory_is_allocated_with_the_attributes_that_mean_something_here() {
    use aclrtMallocAttrType as A;
    let _machine = device();
    let module = attribute(A::ACL_RT_MEM_ATTR_MODULE_ID, 33);
    assert_eq!(allocates(&mut []), [0, 0]);
    assert_eq!(allocates(&mut [module, module]), [0, 0]);
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    // Host memory has one address on both sides; device memory cannot have that. Host memory is of no device.
    assert_eq!(allocates(&mut [module, attribute(A::ACL_RT_MEM_ATTR_VA_FLAG, 1)]), [refused, 0]);
    assert_eq!(allocates(&mut [attribute(A::ACL_RT_MEM_ATTR_DEVICE_ID, 0)]), [0, refused]);
    assert_eq!(allocates(&mut [attribute(A::ACL_RT_MEM_ATTR_DEVICE_ID, 1)]), [refused; 2]);
    let mut block = null_mut();
    ok!(aclrtMallocWithCfg(&mut block, 64, POLICY, null_mut()));
    ok!(aclrtFree(block));
    ok!(aclrtMallocHostWithCfg(&mut block, 64, null_mut()));
    ok!(aclrtFreeHost(block));
    assert_eq!(acl!(aclrtMallocWithCfg(&mut block, 0, POLICY, null_mut())), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtMallocWithCfg(null_mut(), 64, POLICY, null_mut())), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtMallocHostWithCfg(&mut block, u64::MAX, null_mut())), ACL_ERROR_INVALID_PARAM);
    assert!(control::live().is_empty(), "{:?}", control::live());
}

#[test]
fn the_types_of_device_memory_are_told_apart() {
    const DEVICE: u32 = 0x2;
    const MEDIA: u32 = 0x8;
    const RESERVED: u32 = 0x10;
    let _machine = device();
    let (first, second, host) = (malloc(64), malloc(64), malloc_host(64));
    let mut reserved = null_mut();
    ok!(aclrtReserveMemAddress(&mut reserved, 2 << 20, 0, null_mut(), 0));
    let all_are = |addresses: &mut [*mut c_void], types: u32| {
        let mut answer = 7;
        ok!(aclrtCheckMemType(addresses.as_mut_ptr(), addresses.len() as u32, types, &mut answer, 0));
        answer
    };
    assert_eq!(all_are(&mut [first, second, first.wrapping_byte_add(63)], DEVICE), 1);
    assert_eq!(all_are(&mut [first, host], DEVICE), 0);
    assert_eq!(all_are(&mut [host], DEVICE | MEDIA | RESERVED), 0);
    assert_eq!(all_are(&mut [first], MEDIA), 0);
    assert_eq!(all_are(&mut [reserved], RESERVED), 1);
    assert_eq!(all_are(&mut [reserved], DEVICE), 0);
    assert_eq!(all_are(&mut [reserved, second], DEVICE | RESERVED), 1);
    let mut one = [first];
    assert_eq!(acl!(aclrtCheckMemType(one.as_mut_ptr(), 1, DEVICE, null_mut(), 0)), ACL_ERROR_INVALID_PARAM);
    ok!(aclrtFree(first));
    assert_eq!(all_are(&mut [first], DEVICE), 0, "it was freed");
}

#[test]
fn a_stream_is_created_by_a_list_of_settings() {
    use aclrtStreamConfigAttr as A;
    let _machine = device();
    let handle = acl!(aclrtCreateStreamConfigHandle());
    assert!(!handle.is_null());
    let set =
        |attr: A, value: u64, size: usize| acl!(aclrtSetStreamConfigOpt(handle, attr, (&raw const value).cast(), size));
    let created = || {
        let (mut stream, mut flags, mut priority) = (aclrtStream::NULL, 0, 0);
        ok!(aclrtCreateStreamV2(&mut stream, handle));
        ok!(aclrtStreamGetFlags(stream, &mut flags));
        ok!(aclrtStreamGetPriority(stream, &mut priority));
        ok!(aclrtSynchronizeStream(stream));
        ok!(aclrtDestroyStream(stream));
        (flags, priority)
    };
    assert_eq!(created(), (0, 0), "nothing is set");
    assert_eq!(set(A::ACL_RT_STREAM_PRIORITY, 3, 4), 0);
    assert_eq!(set(A::ACL_RT_STREAM_FLAG, ACL_STREAM_FAST_SYNC.into(), 8), 0);
    assert_eq!(created(), (ACL_STREAM_FAST_SYNC, 3));
    assert_eq!(set(A::ACL_RT_STREAM_PRIORITY, 99, 4), 0);
    assert_eq!(created(), (ACL_STREAM_FAST_SYNC, 7), "the lowest there is, as with aclrtCreateStreamWithConfig");
    assert_eq!(set(A::ACL_RT_STREAM_PRIORITY, 3, 2), ACL_ERROR_INVALID_PARAM);
    assert_eq!(set(A::ACL_RT_STREAM_FLAG, 1 << 32, 8), ACL_ERROR_INVALID_PARAM);
    assert_eq!(set(A::ACL_RT_STREAM_WORK_SIZE, 64, 8), 0);
    assert_eq!(set(A::ACL_RT_STREAM_WORK_ADDR_PTR, 0, 8), 0);
    assert_eq!(created(), (ACL_STREAM_FAST_SYNC, 7));
    assert_eq!(set(A::ACL_RT_STREAM_WORK_SIZE, 64, 4), ACL_ERROR_INVALID_PARAM);
    assert_eq!(set(A(9), 64, 8), ACL_ERROR_INVALID_PARAM);
    let null_value = acl!(aclrtSetStreamConfigOpt(handle, A::ACL_RT_STREAM_FLAG, null(), 4));
    assert_eq!(null_value, ACL_ERROR_INVALID_PARAM);
    let mut stream = aclrtStream::NULL;
    assert_eq!(acl!(aclrtCreateStreamV2(&mut stream, null())), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtCreateStreamV2(null_mut(), handle)), ACL_ERROR_INVALID_PARAM);
    ok!(aclrtDestroyStreamConfigHandle(handle));
    assert_eq!(acl!(aclrtDestroyStreamConfigHandle(handle)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtCreateStreamV2(&mut stream, handle)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(set(A::ACL_RT_STREAM_PRIORITY, 3, 4), ACL_ERROR_INVALID_PARAM);
    assert!(control::live().is_empty(), "{:?}", control::live());
}
