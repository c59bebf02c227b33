//! Memory and copies.

use super::support::*;
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::mpsc;
use std::time::Duration;

const H2D: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
const D2H: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
const D2D: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE;
const H2H: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST;
const POLICY: aclrtMemMallocPolicy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;

fn at(block: *mut c_void, offset: usize) -> *mut c_void {
    block.wrapping_byte_add(offset)
}

#[proves(MEM_01, MEM_03, MEM_05)]
#[test]
fn blocks_are_freed_once_and_by_their_own_call() {
    let _machine = device();
    let (block, host) = (malloc(100), malloc_host(100));
    assert_eq!(block.addr() % 64, 0);
    assert_eq!(acl!(aclrtFreeHost(block)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtFree(at(block, 8))), ACL_ERROR_RT_PARAM_INVALID);
    ok!(aclrtFree(block));
    assert_eq!(acl!(aclrtFree(block)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtFree(std::ptr::without_provenance_mut(0x1234))), ACL_ERROR_RT_PARAM_INVALID);
    ok!(aclrtFreeHost(host));
    assert_eq!(acl!(aclrtFreeHost(host)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtFree(null_mut())), ACL_ERROR_INVALID_PARAM);
    assert!(control::live().is_empty());
}

#[proves(MEM_04)]
#[test]
fn sizes_and_budgets_are_checked() {
    let _machine = device();
    let mut address = null_mut();
    for bad in [0, usize::MAX, usize::MAX - 40] {
        assert_eq!(acl!(aclrtMalloc(&mut address, bad, POLICY)), ACL_ERROR_INVALID_PARAM);
        assert_eq!(acl!(aclrtMallocHost(&mut address, bad)), ACL_ERROR_INVALID_PARAM);
    }
    assert_eq!(acl!(aclrtMalloc(null_mut(), 64, POLICY)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtMalloc(&mut address, 1 << 60, POLICY)), ACL_ERROR_RT_MEMORY_ALLOCATION);
    assert!(address.is_null());
    let (mut before, mut total, mut after) = (0, 0, 0);
    ok!(aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &mut before, &mut total));
    assert_eq!((before, total), (8 << 30, 8 << 30));
    let block = malloc(1 << 32);
    ok!(aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &mut after, &mut total));
    assert!(after < 1 << 32);
    assert_eq!(acl!(aclrtMalloc(&mut address, 1 << 32, POLICY)), ACL_ERROR_RT_MEMORY_ALLOCATION);
    ok!(aclrtFree(block));
    ok!(aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &mut after, &mut total));
    assert_eq!(after, before);
    let bad = acl!(aclrtGetMemInfo(aclrtMemAttr(99), &mut after, &mut total));
    assert_eq!(bad, ACL_ERROR_RT_INVALID_MEMORY_TYPE);
}

#[proves(COPY_01, COPY_06)]
#[test]
fn copies_check_their_arguments_and_copy() {
    let _machine = device();
    let (device, other, stream) = (malloc(100), malloc(100), stream());
    let mut host: Vec<u8> = (0..100).collect();
    let from = host.as_mut_ptr().cast();
    assert_eq!(acl!(aclrtMemcpy(device, 50, from, 100, H2D)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtMemcpy(null_mut(), 100, from, 100, H2D)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtMemcpy(device, 100, null_mut(), 100, H2D)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtMemcpy(device, 100, from, 100, aclrtMemcpyKind(99))), ACL_ERROR_INVALID_PARAM);
    ok!(aclrtMemcpy(device, 0, from, 0, H2D));
    ok!(aclrtMemcpy(device, 100, from, 100, D2H));
    assert_eq!(read(device, 100), host);
    assert_eq!(acl!(aclrtMemcpyAsync(from, 100, from, 100, H2H, stream)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    ok!(aclrtMemcpyAsync(device, 100, from, 100, H2H, stream));
    ok!(aclrtMemset(device, 100, 0x1_07, 100));
    ok!(aclrtMemcpyAsync(other, 100, device, 100, D2D, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(read(other, 100), [7; 100]);
    assert_eq!(acl!(aclrtMemset(device, 50, 0, 100)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtMemsetAsync(device, 50, 0, 100, stream)), ACL_ERROR_RT_PARAM_INVALID);
}

#[test]
fn what_would_run_over_the_end_of_a_block_is_refused() {
    let _machine = device();
    let (block, other, stream) = (malloc(64), malloc(64), stream());
    assert_eq!(acl!(aclrtMemset(block, 4096, 0, 4096)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtMemsetAsync(at(block, 60), 4096, 0, 4096, stream)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtMemcpy(block, 1 << 20, other, 1 << 20, D2D)), ACL_ERROR_RT_PARAM_INVALID);
}

#[test]
fn work_on_memory_that_was_freed_is_refused() {
    let _machine = device();
    let (block, host, stream) = (malloc(64), malloc_host(64), stream());
    ok!(aclrtFree(block));
    ok!(aclrtFreeHost(host));
    assert_eq!(acl!(aclrtMemset(block, 64, 0, 64)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtMemsetAsync(block, 64, 0, 64, stream)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtMemcpy(host, 64, block, 64, D2H)), ACL_ERROR_RT_PARAM_INVALID);
    assert!(message().contains("in no block of it"));
}

#[proves(COPY_03, COPY_05)]
#[test]
fn a_copy_with_pinned_memory_happens_later_and_one_with_pageable_memory_before_the_call_returns() {
    let _machine = device();
    let (device, pinned, stream) = (malloc(64), malloc_host(64), stream());
    ok!(aclrtMemset(device, 64, 1, 64));
    ok!(aclrtMemset(pinned, 64, 2, 64));
    let (release, released) = mpsc::channel::<()>();
    launch(stream, move || released.recv().unwrap());
    ok!(aclrtMemcpyAsync(device, 64, pinned, 64, H2D, stream));
    assert_eq!(read(device, 64), [1; 64]);
    let mut pageable = vec![0_u8; 64];
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        release.send(()).unwrap();
    });
    ok!(aclrtMemcpyAsync(pageable.as_mut_ptr().cast(), 64, device, 64, D2H, stream));
    assert_eq!(pageable, [2; 64]);
}

#[test]
fn memory_that_is_freed_too_early_stays_until_its_task_has_run() {
    let _machine = device();
    let (block, stream) = (malloc(1 << 20), stream());
    let (release, released) = mpsc::channel::<()>();
    launch(stream, move || released.recv().unwrap());
    ok!(aclrtMemsetAsync(block, 1 << 20, 1, 1 << 20, stream));
    ok!(aclrtFree(block));
    release.send(()).unwrap();
    ok!(aclrtSynchronizeStream(stream));
}

#[test]
fn planes_are_copied_row_by_row() {
    let _machine = device();
    let (device, stream) = (malloc(64), stream());
    ok!(aclrtMemset(device, 64, 9, 64));
    let mut host: Vec<u8> = (0..24).collect();
    let from = host.as_mut_ptr().cast();
    ok!(aclrtMemcpy2d(device, 8, from, 6, 4, 4, H2D));
    let expected = [[0, 1, 2, 3, 9, 9, 9, 9], [6, 7, 8, 9, 9, 9, 9, 9], [12, 13, 14, 15, 9, 9, 9, 9]];
    assert_eq!(read(device, 24), expected.concat());
    ok!(aclrtMemcpy2dAsync(device, 4, from, 6, 4, 4, H2D, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(read(device, 8), [0, 1, 2, 3, 6, 7, 8, 9]);
    for (dpitch, spitch, width, height) in
        [(3, 6, 4, 4), (6, 3, 4, 4), (1 << 40, 1 << 40, 5_000_001, 1), (8, 6, 4, 5 * 1024 * 1024 + 1)]
    {
        let code = acl!(aclrtMemcpy2d(device, dpitch, from, spitch, width, height, H2D));
        let too_large = width > 5_000_000 || height > 5 * 1024 * 1024;
        assert_eq!(code, if too_large { ACL_ERROR_RT_PARAM_INVALID } else { ACL_ERROR_INVALID_PARAM });
    }
    assert_eq!(acl!(aclrtMemcpy2d(device, usize::MAX, from, 6, 4, 4, H2D)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtMemcpy2d(device, 8, from, 6, 4, 4, H2H)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(acl!(aclrtMemcpy2d(device, 8, device, 8, 4, 4, D2D)), ACL_ERROR_INVALID_PARAM);
    ok!(aclrtMemcpy2dAsync(device, 8, device, 8, 4, 1, D2D, stream));
    ok!(aclrtMemcpy2d(null_mut(), 0, null_mut(), 0, 0, 4, H2H));
}

#[test]
fn an_address_says_where_it_is() {
    let _machine = fresh();
    ok!(aclrtSetDevice(1));
    let (device, host) = (malloc(64), malloc_host(64));
    let mut local = 0_u64;
    let kind = |address| {
        let none = aclrtMemLocation { id: 9, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_MANAGED };
        let mut found = aclrtPtrAttributes { location: none, pageSize: 0, rsv: [1; 4] };
        ok!(aclrtPointerGetAttributes(address, &mut found));
        (found.location.kind, found.location.id)
    };
    assert_eq!(kind(at(device, 63)), (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE, 1));
    assert_eq!(kind(host), (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST, 0));
    let unknown = kind((&raw mut local).cast());
    assert_eq!(unknown, (aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0));
}
