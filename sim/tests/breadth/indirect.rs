//! Copies whose addresses stand in device memory, and fills by values of 32 bits.

use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

const INSIDE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
const INVALID: i32 = ACL_ERROR_RT_PARAM_INVALID;

/// Device memory that holds an address.
fn place_of(address: *mut c_void) -> *mut c_void {
    on_device(&address.expose_provenance().to_ne_bytes())
}

fn descriptor() -> *mut c_void {
    let mut size = 0;
    ok!(copy::aclrtGetMemcpyDescSize(INSIDE, &mut size));
    assert!(size > 0);
    device_memory(size)
}

#[test]
fn a_descriptor_says_what_is_copied_whenever_it_is_used() {
    let _world = world();
    let (stream, first, second, to) = (stream(), on_device(&[1; 64]), on_device(&[2; 64]), on_device(&[0; 64]));
    let desc = descriptor();
    ok!(copy::aclrtSetMemcpyDesc(desc, INSIDE, first, to, 64, null_mut()));
    ok!(copy::aclrtMemcpyAsyncWithDesc(desc, INSIDE, stream));
    synchronize(stream);
    assert_eq!(from_device(to, 64), [1; 64]);
    // The stream looks at the descriptor when it comes to the copy.
    let held = Held::elsewhere();
    ok!(event::aclrtStreamWaitEvent(stream, held.event));
    ok!(copy::aclrtMemcpyAsyncWithDesc(desc, INSIDE, stream));
    ok!(copy::aclrtSetMemcpyDesc(desc, INSIDE, second, to, 32, null_mut()));
    held.open();
    synchronize(stream);
    assert_eq!(from_device(to, 64), [[2; 32], [1; 32]].concat());
}

#[test]
fn a_captured_copy_reads_its_descriptor_in_each_replay() {
    let _world = world();
    let (stream, first, second, to) = (stream(), on_device(&[1; 64]), on_device(&[2; 64]), on_device(&[0; 64]));
    let desc = descriptor();
    crate::capture::begin(stream);
    ok!(copy::aclrtMemcpyAsyncWithDesc(desc, INSIDE, stream));
    let instance = crate::capture::end(stream);
    for (source, value) in [(first, 1), (second, 2)] {
        ok!(copy::aclrtSetMemcpyDesc(desc, INSIDE, source, to, 64, null_mut()));
        crate::capture::replay(instance, stream);
        assert_eq!(from_device(to, 64), [value; 64]);
    }
}

#[test]
fn what_a_descriptor_cannot_say_is_refused_or_fails_the_stream() {
    let _world = world();
    let (named, from, to, desc) = (stream(), on_device(&[1; 64]), on_device(&[0; 64]), descriptor());
    let other = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
    let (mut size, null) = (0, null_mut());
    fails!(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "direction 1", copy::aclrtGetMemcpyDescSize(other, &mut size));
    fails!(ACL_ERROR_INVALID_PARAM, "null", copy::aclrtSetMemcpyDesc(desc, INSIDE, null, to, 64, null));
    fails!(ACL_ERROR_INVALID_PARAM, "reserved", copy::aclrtSetMemcpyDesc(desc, INSIDE, from, to, 64, to));
    let on_host = pinned(&[0; 64]);
    fails!(INVALID, "no memory of a device", copy::aclrtSetMemcpyDesc(on_host, INSIDE, from, to, 64, null));
    let code = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    // Nobody has set it.
    ok!(copy::aclrtMemcpyAsyncWithDesc(on_device(&[0; 64]), INSIDE, named));
    assert_eq!(call!(stream::aclrtSynchronizeStream(named)), code);
    // It leads behind the end of a block.
    ok!(copy::aclrtSetMemcpyDesc(desc, INSIDE, from, to, 1 << 20, null));
    ok!(copy::aclrtMemcpyAsyncWithDesc(desc, INSIDE, named));
    assert_eq!(call!(stream::aclrtSynchronizeStream(named)), code);
    // It leads to memory that was freed.
    let freed = on_device(&[1; 64]);
    ok!(copy::aclrtSetMemcpyDesc(desc, INSIDE, freed, to, 64, null));
    ok!(memory::aclrtFree(freed));
    ok!(copy::aclrtMemcpyAsyncWithDesc(desc, INSIDE, named));
    assert_eq!(call!(stream::aclrtSynchronizeStream(named)), code);
    assert_eq!(from_device(to, 64), [0; 64]);
}

#[test]
fn an_offset_is_from_the_address_that_stands_in_device_memory() {
    let _world = world();
    let table: Vec<u8> = (0..64).collect();
    let (stream, from, to) = (stream(), on_device(&table), on_device(&[9; 64]));
    let (from_at, to_at) = (place_of(from), place_of(to));
    ok!(copy::aclrtMemcpyAsyncWithOffset(to_at.cast(), 64, 20, from_at.cast(), 24, 12, INSIDE, stream));
    synchronize(stream);
    let expected: Vec<u8> = (0..64).map(|at| if (20..44).contains(&at) { at - 8 } else { 9 }).collect();
    assert_eq!(from_device(to, 64), expected);
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    let too_far = call!(copy::aclrtMemcpyAsyncWithOffset(to_at.cast(), 64, 41, from_at.cast(), 24, 0, INSIDE, stream));
    assert_eq!(too_far, refused, "24 bytes do not fit behind 41 of 64");
    // The place is in device memory, and holds no address.
    let wrong = on_device(&[0x11; 8]);
    ok!(copy::aclrtMemcpyAsyncWithOffset(wrong.cast(), 64, 0, from_at.cast(), 24, 0, INSIDE, stream));
    assert_eq!(call!(stream::aclrtSynchronizeStream(stream)), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
}

#[test]
fn a_fill_by_words_writes_whole_words_and_counts_them() {
    let _world = world();
    let (stream, device, host) = (stream(), on_device(&[7; 16]), pinned(&[7; 16]));
    let value = 0x0403_0201;
    ok!(copy::aclrtMemsetD32(host, 16, value, 3));
    assert_eq!(self::host(host, 16), [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 7, 7, 7, 7]);
    ok!(copy::aclrtMemsetD32Async(device, 16, value, 2, stream));
    synchronize(stream);
    assert_eq!(from_device(device, 16), [1, 2, 3, 4, 1, 2, 3, 4, 7, 7, 7, 7, 7, 7, 7, 7]);
    let invalid = ACL_ERROR_INVALID_PARAM;
    fails!(invalid, "do not fit", copy::aclrtMemsetD32(host, 15, value, 4));
    fails!(invalid, "do not fit", copy::aclrtMemsetD32Async(device, 16, value, usize::MAX, stream));
}

#[test]
fn a_copy_with_a_condition_is_an_ordinary_one() {
    let _world = world();
    let (stream, from, to) = (stream(), pinned(&[5; 64]), on_device(&[0; 64]));
    ok!(copy::aclrtMemcpyAsyncWithCondition(to, 64, from, 64, TO_DEVICE, stream));
    synchronize(stream);
    assert_eq!(from_device(to, 64), [5; 64]);
    let on_host = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST;
    let code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(code, "host to host", copy::aclrtMemcpyAsyncWithCondition(from, 64, from, 64, on_host, stream));
}
