//! Virtual memory, and host memory that a device reaches, as allocators of frameworks use them.

use crate::support::*;
use std::ffi::c_void;
use std::ptr::null_mut;

pub(crate) const UNIT: usize = 2 << 20;
pub(crate) const DEVICE: aclrtMemLocationType = aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE;
const HOST: aclrtMemLocationType = aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST;

pub(crate) fn reserve(units: usize) -> *mut c_void {
    let mut start = null_mut();
    ok!(aclrtReserveMemAddress(&mut start, units * UNIT, 0, null_mut(), 1));
    start
}

/// What is asked of physical memory on this device or host.
pub(crate) fn properties(kind: aclrtMemLocationType, id: u32) -> aclrtPhysicalMemProp {
    aclrtPhysicalMemProp {
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: aclrtMemAttr::ACL_HBM_MEM_HUGE,
        location: aclrtMemLocation { id, kind },
        reserve: 0,
    }
}

/// Physical memory of one unit.
pub(crate) fn physical(kind: aclrtMemLocationType, id: u32) -> aclrtDrvMemHandle {
    let mut properties = properties(kind, id);
    let mut handle = aclrtDrvMemHandle::NULL;
    ok!(aclrtMallocPhysical(&mut handle, UNIT, &mut properties, 0));
    handle
}

/// Maps some.
fn map(at: *mut c_void, kind: aclrtMemLocationType, id: u32) {
    ok!(aclrtMapMem(at, UNIT, 0, physical(kind, id), 0));
}

fn fill(start: *mut c_void, bytes: usize, stream: aclrtStream) {
    ok!(aclrtMemsetAsync(start, bytes, 1, bytes, stream));
}

#[test]
fn a_use_of_two_mappings_is_one_of_both() {
    for unmapped in [0, 1] {
        breaks_without(rules::MEM_02, |synced| {
            let (start, stream) = (reserve(2), stream());
            let at = |unit: usize| start.wrapping_byte_add(unit * UNIT);
            map(at(0), DEVICE, 0);
            map(at(1), DEVICE, 0);
            let gate = Gate::close(stream);
            fill(at(1).wrapping_byte_sub(64), 128, stream);
            if synced {
                gate.open();
                sync(stream);
            }
            ok!(aclrtUnmapMem(at(unmapped)));
            gate.open();
        });
    }
}

#[test]
fn streams_that_meet_in_the_second_of_two_mappings_are_found() {
    breaks_without(rules::STREAM_04, |ordered| {
        let (start, streams) = (reserve(2), [stream(), stream()]);
        map(start, DEVICE, 0);
        map(start.wrapping_byte_add(UNIT), DEVICE, 0);
        fill(start, 2 * UNIT, streams[0]);
        if ordered {
            sync(streams[0]);
        }
        fill(start.wrapping_byte_add(UNIT + 4096), 64, streams[1]);
    });
}

#[test]
fn mapped_host_memory_is_host_memory_and_pinned() {
    let run = || {
        let (start, block, stream) = (reserve(2), malloc(64), stream());
        map(start, HOST, 0);
        map(start.wrapping_byte_add(UNIT), HOST, 0);
        let border = start.wrapping_byte_add(UNIT - 32);
        ok!(aclrtMemset(border, 64, 7, 64));
        queue_copy(block, border, TO_DEVICE, stream);
        queue_copy(border, block, TO_HOST, stream);
        sync(stream);
        ok!(aclrtUnmapMem(start));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn mapped_memory_is_of_the_device_that_it_was_allocated_on() {
    breaks_without(rules::MEM_11, |there| {
        let start = reserve(1);
        map(start, DEVICE, 1);
        ok!(aclrtSetDevice(i32::from(there)));
        let stream = stream();
        fill(start, UNIT, stream);
        sync(stream);
        ok!(aclrtSetDevice(0));
        // Which device is current makes no difference to the end of a mapping.
        ok!(aclrtUnmapMem(start));
    });
}

#[test]
fn a_mapping_is_not_freed_and_a_block_not_unmapped() {
    breaks(
        rules::MEM_03,
        || {
            let start = reserve(1);
            map(start, DEVICE, 0);
            assert_ne!(acl!(aclrtFree(start)), 0);
        },
        || {
            let start = reserve(1);
            map(start, DEVICE, 0);
            ok!(aclrtUnmapMem(start));
        },
    );
    assert_eq!(broken(|| assert_ne!(acl!(aclrtUnmapMem(malloc(64))), 0)), [rules::MEM_03]);
}

/// A copy on the device, from the address by which the device reaches host memory.
fn copies_from(host: *mut c_void, stream: aclrtStream) {
    queue_copy(malloc(64), host, ON_DEVICE, stream);
    sync(stream);
}

#[test]
fn host_memory_is_the_devices_when_its_address_there_was_asked_for() {
    breaks_without(rules::COPY_02, |asked| {
        let (host, stream) = (malloc_host(64), stream());
        let mut there = null_mut();
        if asked {
            ok!(aclrtHostGetDevicePointer(host, &mut there, 0));
        }
        copies_from(host, stream);
    });
    #[repr(align(4096))]
    struct Page([u8; 4096]);
    let registered = || {
        let (mut page, mut there, stream) = (Box::new(Page([1; 4096])), null_mut(), stream());
        let start = page.0.as_mut_ptr().cast();
        ok!(aclrtHostRegister(start, 4096, aclrtHostRegisterType::ACL_HOST_REGISTER_MAPPED, &mut there));
        copies_from(there, stream);
        ok!(aclrtHostUnregister(start));
    };
    // The manual excludes that for memory of the program.
    assert_eq!(broken(registered), [rules::MEM_15]);
}
