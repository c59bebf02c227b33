//! Host memory that a device can reach: the program's own that is registered, and pinned memory with one address.

use crate::support::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const PAGE: usize = 4096;

/// The first whole page in memory of the program.
fn page_of(own: &[u8]) -> *mut c_void {
    own[own.as_ptr().align_offset(PAGE)..].as_ptr().cast_mut().cast()
}

#[test]
fn memory_that_was_registered_is_the_programs_again() {
    let run = || {
        let (block, own) = (malloc(64), vec![7_u8; 2 * PAGE]);
        let page = page_of(&own);
        ok!(aclrtHostRegisterV2(page, PAGE as u64, 2));
        ok!(aclrtHostUnregister(page));
        ok!(aclrtMemcpy(block, 64, page, 64, TO_DEVICE));
        ok!(aclrtFree(block));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn registered_memory_is_unregistered_by_the_call_for_it() {
    let run = || {
        let own = vec![7_u8; 2 * PAGE];
        let page = page_of(&own);
        ok!(aclrtHostRegisterV2(page, PAGE as u64, 2));
        assert_ne!(acl!(aclrtFreeHost(page)), ACL_SUCCESS);
        ok!(aclrtHostUnregister(page));
    };
    assert_eq!(broken(run), [rules::MEM_14]);
}

#[test]
fn registered_memory_is_copied_by_the_programs_own_address() {
    breaks_without(rules::MEM_15, |own_address| {
        let (block, own) = (malloc(64), vec![7_u8; 2 * PAGE]);
        let (page, mut mapped) = (page_of(&own), null_mut());
        ok!(aclrtHostRegister(page, PAGE as u64, aclrtHostRegisterType::ACL_HOST_REGISTER_MAPPED, &mut mapped));
        if own_address {
            ok!(aclrtMemcpy(block, 64, page, 64, TO_DEVICE));
        } else {
            ok!(aclrtMemcpy(block, 64, mapped, 64, ON_DEVICE));
        }
        ok!(aclrtHostUnregister(page));
        ok!(aclrtFree(block));
    });
}

#[test]
fn pinned_memory_with_one_address_is_memory_of_both_sides() {
    let run = || {
        let attr = aclrtMallocAttrType::ACL_RT_MEM_ATTR_VA_FLAG;
        let mut attribute = aclrtMallocAttribute { attr, value: aclrtMallocAttrValue { vaFlag: 1 } };
        let mut config = aclrtMallocConfig { attrs: &mut attribute, numAttrs: 1 };
        let (mut host, block, stream) = (null_mut(), malloc(64), stream());
        ok!(aclrtMallocHostWithCfg(&mut host, 64, &mut config));
        // SAFETY: the block has 64 bytes, and is host memory.
        unsafe { host.cast::<u8>().write_bytes(5, 64) };
        ok!(aclrtMemcpyAsync(block, 64, host, 64, ON_DEVICE, stream));
        ok!(aclrtMemcpyAsync(host, 64, block, 64, TO_HOST, stream));
        sync(stream);
        // SAFETY: the block has 64 bytes of host memory, and the stream was waited for, so nothing writes it.
        assert_eq!(unsafe { host.cast::<[u8; 64]>().read() }, [5; 64]);
        ok!(aclrtDestroyStream(stream));
        ok!(aclrtFreeHost(host));
        ok!(aclrtFree(block));
    };
    assert_eq!(broken(run), []);
}
