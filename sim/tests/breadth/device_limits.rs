//! What kernels get of a device: limits that the process chooses before the device is set up.

use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;

const STACK: aclrtDeviceLimit = aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE;
const PRINTED: aclrtDeviceLimit = aclrtDeviceLimit::ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE;
const PARAMETER: i32 = ACL_ERROR_INVALID_PARAM;
const REFUSED: i32 = ACL_ERROR_RT_PARAM_INVALID;
const UNSUPPORTED: i32 = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

fn limit(of: aclrtDeviceLimit) -> usize {
    let mut bytes = 7;
    ok!(device::aclrtDeviceGetLimit(of, &mut bytes));
    bytes
}

/// What is kept when this was asked for.
fn chosen(of: aclrtDeviceLimit, bytes: usize) -> usize {
    ok!(device::aclrtDeviceSetLimit(of, bytes));
    limit(of)
}

#[test]
fn a_limit_is_rounded_up_and_kept_for_all_devices() {
    let _world = world();
    assert_eq!((limit(STACK), limit(PRINTED)), (32_768, 32_768));
    let stacks =
        [(65_536, 65_536), (40_000, 49_152), (16_384, 49_152), (32_768, 49_152), (32_769, 49_152), (0, 49_152)];
    stacks.into_iter().for_each(|(asked, kept)| assert_eq!(chosen(STACK, asked), kept, "{asked}"));
    let printed = [(1024, 1024), (1025, 1032), (64 << 20, 64 << 20)];
    printed.into_iter().for_each(|(asked, kept)| assert_eq!(chosen(PRINTED, asked), kept, "{asked}"));
    for asked in [0, 1023, (64 << 20) + 1] {
        fails!(REFUSED, "1024 to 67108864", device::aclrtDeviceSetLimit(PRINTED, asked));
    }
    ok!(device::aclrtResetDevice(0));
    ok!(device::aclrtSetDevice(1));
    assert_eq!((limit(STACK), limit(PRINTED)), (49_152, 64 << 20), "a reset keeps them, and devices share them");
    ok!(device::aclrtResetDevice(1));
    ok!(device::aclrtSetDevice(0));
}

#[test]
fn a_limit_is_one_of_those_that_the_device_has() {
    let _world = world();
    let mut bytes = 7;
    let place: *mut usize = &mut bytes;
    let unknown = aclrtDeviceLimit(5);
    fails!(PARAMETER, "null", device::aclrtDeviceGetLimit(unknown, null_mut()));
    fails!(PARAMETER, "no limit 5", device::aclrtDeviceGetLimit(unknown, place));
    fails!(PARAMETER, "no limit 5", device::aclrtDeviceSetLimit(unknown, usize::MAX));
    fails!(PARAMETER, "4 GiB", device::aclrtDeviceSetLimit(STACK, 1 << 32));
    for other in [0, 1, 4].map(aclrtDeviceLimit) {
        fails!(UNSUPPORTED, "does not have", device::aclrtDeviceGetLimit(other, place));
        fails!(UNSUPPORTED, "does not have", device::aclrtDeviceSetLimit(other, 1024));
    }
    assert_eq!(bytes, 7);
    let elsewhere = |of| std::thread::spawn(move || call!(device::aclrtDeviceSetLimit(of, 1024))).join().unwrap();
    let no_context = ACL_ERROR_RT_CONTEXT_NULL;
    let found = [0, 1, 2, 3, 4].map(|of| elsewhere(aclrtDeviceLimit(of)));
    assert_eq!(found, [no_context, no_context, 0, 0, UNSUPPORTED]);
}

/// A device that is set up keeps the stacks that it has.
#[test]
fn stacks_that_are_too_large_are_found_when_a_device_is_set_up() {
    let _world = world();
    assert_eq!(chosen(STACK, 192 << 10), 192 << 10);
    ok!(device::aclrtSetDevice(1));
    assert_eq!(chosen(STACK, (192 << 10) + 1), 208 << 10);
    ok!(device::aclrtSetDevice(1));
    ok!(device::aclrtResetDeviceForce(1));
    let code = ACL_ERROR_RT_DEV_SETUP_ERROR;
    fails!(code, "at most 196608", device::aclrtSetDevice(1));
    let mut context = aclrtContext::NULL;
    fails!(code, "at most 196608", device::aclrtCreateContext(&mut context, 1));
    assert_eq!(context, aclrtContext::NULL);
    ok!(device::aclrtDeviceSetLimit(STACK, 64 << 10));
    ok!(device::aclrtSetDevice(1));
    ok!(device::aclrtResetDevice(1));
    ok!(device::aclrtSetDevice(0));
}
