//! Memory of the program that is registered.

use crate::support::*;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;

const MAPPED: aclrtHostRegisterType = aclrtHostRegisterType::ACL_HOST_REGISTER_MAPPED;

#[test]
fn registered_memory_is_pinned_and_its_device_pointer_reaches_the_same_bytes() {
    let _world = world();
    let (stream, mut page) = (stream(), Page::new(7));
    let mut device = null_mut();
    ok!(memory::aclrtHostRegister(page.address(), PAGE as u64, MAPPED, &mut device));
    let mut again = null_mut();
    ok!(memory::aclrtHostGetDevicePointer(page.address(), &mut again, 0));
    assert_eq!(again, device);
    ok!(copy::aclrtMemsetAsync(device, PAGE, 9, 10, stream));
    synchronize(stream);
    assert_eq!(page.bytes()[..11], [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 7]);
    ok!(memory::aclrtHostUnregister(page.address()));
}

/// A copy of pageable memory waits for its turn in the call; one of pinned memory does not.
#[test]
fn an_asynchronous_copy_from_registered_memory_does_not_wait() {
    let _world = world();
    let mut page = Page::new(3);
    ok!(memory::aclrtHostRegisterV2(page.address(), PAGE as u64, 2));
    let to = device_memory(PAGE);
    let held = Held::new();
    ok!(copy::aclrtMemcpyAsync(to, PAGE, page.address(), PAGE, TO_DEVICE, held.stream));
    // SAFETY: the copy has not begun: its stream is held.
    unsafe { page.address().cast::<u8>().write(4) };
    held.open();
    assert_eq!(from_device(to, 2), [4, 3], "the copy came after the call that queued it");
    ok!(memory::aclrtHostUnregister(page.address()));
}

#[test]
#[proves(MEM_14)]
fn memory_is_registered_once_by_whole_pages_and_unregistered_once() {
    let _world = world();
    let mut page = Page::new(0);
    let address = page.address();
    let mut device = null_mut();
    let (null, invalid) = (ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID);
    let (twice, never) = (ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    fails!(null, "null", memory::aclrtHostRegister(null_mut(), 1, MAPPED, &mut device));
    fails!(null, "null", memory::aclrtHostRegister(address, 1, MAPPED, null_mut()));
    fails!(null, "at least one byte", memory::aclrtHostRegister(address, 0, MAPPED, &mut device));
    let unsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(unsupported, "type", memory::aclrtHostRegister(address, 1, aclrtHostRegisterType(3), &mut device));
    let inside = address.wrapping_byte_add(8);
    fails!(invalid, "a multiple of 4096", memory::aclrtHostRegister(inside, 8, MAPPED, &mut device));
    fails!(invalid, "flags", memory::aclrtHostRegisterV2(address, 8, 1));
    fails!(never, "not the start", memory::aclrtHostUnregister(address));
    ok!(memory::aclrtHostRegister(address, PAGE as u64, MAPPED, &mut device));
    fails!(twice, "registered already", memory::aclrtHostRegister(address, PAGE as u64, MAPPED, &mut device));
    fails!(never, "not the start", memory::aclrtHostUnregister(inside));
    fails!(invalid, "aclrtFreeHost takes", memory::aclrtFreeHost(address));
    ok!(memory::aclrtHostUnregister(address));
    fails!(never, "not the start", memory::aclrtHostUnregister(address));
    fails!(invalid, "neither registered nor pinned", memory::aclrtHostGetDevicePointer(address, &mut device, 0));
}

/// The vendor's example of memory that host and device share registers what `aclrtMallocHost` gave.
#[test]
fn pinned_memory_of_the_library_is_registered_once_too() {
    let _world = world();
    let mut pinned = null_mut();
    ok!(memory::aclrtMallocHost(&mut pinned, 100));
    let (twice, never) = (ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    let mapped = u32::try_from(ascendcl_sys::constants::ACL_HOST_REG_MAPPED).unwrap();
    fails!(never, "not the start", memory::aclrtHostUnregister(pinned));
    ok!(memory::aclrtHostRegisterV2(pinned, 100, mapped));
    fails!(twice, "registered already", memory::aclrtHostRegisterV2(pinned, 100, mapped));
    let mut device = null_mut();
    ok!(memory::aclrtHostGetDevicePointer(pinned, &mut device, 0));
    assert_eq!(device, pinned);
    ok!(memory::aclrtHostUnregister(pinned));
    fails!(never, "not the start", memory::aclrtHostUnregister(pinned));
    ok!(memory::aclrtHostRegisterV2(pinned, 100, mapped));
    ok!(memory::aclrtFreeHost(pinned));
    fails!(never, "not the start", memory::aclrtHostUnregister(pinned));
}
