//! Addresses and memory apart.

use crate::files;
use crate::support::*;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

const UNIT: usize = 2 << 20;
const INVALID: i32 = ACL_ERROR_RT_PARAM_INVALID;

pub(crate) fn properties() -> aclrtPhysicalMemProp {
    let location = aclrtMemLocation { id: 0, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE };
    aclrtPhysicalMemProp {
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: aclrtMemAttr::ACL_HBM_MEM_HUGE,
        location,
        reserve: 0,
    }
}

fn reserve(size: usize) -> *mut c_void {
    let mut address = null_mut();
    ok!(memory::aclrtReserveMemAddress(&mut address, size, 0, null_mut(), 0));
    address
}

fn physical(size: usize) -> aclrtDrvMemHandle {
    let mut handle = aclrtDrvMemHandle::NULL;
    ok!(memory::aclrtMallocPhysical(&mut handle, size, &properties(), 0));
    handle
}

fn mapped(address: *mut c_void, size: usize) -> aclrtDrvMemHandle {
    let handle = physical(size);
    ok!(memory::aclrtMapMem(address, size, 0, handle, 0));
    handle
}

fn write(address: *mut c_void, value: &[u8]) -> i32 {
    call!(copy::aclrtMemcpy(address, value.len(), value.as_ptr().cast(), value.len(), TO_DEVICE))
}

#[test]
fn a_range_grows_piece_by_piece_and_holds_data_throughout() {
    let _world = world();
    let mut granularity = 0;
    let minimum = aclrtMemGranularityOptions::ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM;
    ok!(memory::aclrtMemGetAllocationGranularity(&mut properties(), minimum, &mut granularity));
    assert_eq!(granularity, UNIT);

    let free = free_bytes();
    let start = reserve(4 * UNIT);
    assert_eq!(free_bytes(), free, "addresses alone take no memory");
    let first = mapped(start, UNIT);
    assert_eq!(write(start, &[1; 100]), 0);
    let second = mapped(start.wrapping_byte_add(UNIT), 2 * UNIT);
    assert_eq!(free - free_bytes(), 3 * UNIT);
    assert_eq!(write(start.wrapping_byte_add(UNIT), &[2; 100]), 0);
    assert_eq!(from_device(start, 100), [1; 100]);
    assert_eq!(from_device(start.wrapping_byte_add(UNIT), 100), [2; 100]);

    let mut attributes = no_attributes();
    ok!(memory::aclrtPointerGetAttributes(start, &mut attributes));
    assert_eq!(attributes.location.kind, aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE);
    let (mut base, mut size) = (null_mut(), 0);
    ok!(memory::aclrtMemGetAddressRange(start.wrapping_byte_add(UNIT + 5), &mut base, &mut size));
    assert_eq!((base, size), (start.wrapping_byte_add(UNIT), 2 * UNIT));

    for (at, handle) in [(start, first), (start.wrapping_byte_add(UNIT), second)] {
        ok!(memory::aclrtUnmapMem(at));
        ok!(memory::aclrtFreePhysical(handle));
    }
    assert_eq!(free_bytes(), free);
    ok!(memory::aclrtReleaseMemAddress(start));
}

#[test]
fn memory_that_is_mapped_twice_shows_the_same_bytes_at_both_addresses() {
    let _world = world();
    let (one, other) = (reserve(UNIT), reserve(UNIT));
    let handle = mapped(one, UNIT);
    ok!(memory::aclrtMapMem(other, UNIT, 0, handle, 0));
    assert_eq!(write(one, b"written once"), 0);
    assert_eq!(from_device(other, 12), b"written once");
    ok!(copy::aclrtMemset(other.wrapping_byte_add(4), 3, 0x78, 3));
    assert_eq!(from_device(one, 12), b"writxxx once");

    ok!(memory::aclrtUnmapMem(one));
    ok!(memory::aclrtFreePhysical(handle));
    assert_eq!(from_device(other, 4), b"writ", "the memory lives as long as it is mapped");
    ok!(memory::aclrtMapMem(one, UNIT, 0, physical(UNIT), 0));
    assert_eq!(write(one, b"separate"), 0);
    assert_eq!(from_device(other, 4), b"writ");
}

#[test]
fn models_read_and_write_mapped_memory() {
    let _world = world();
    let (x, y) = (reserve(UNIT), reserve(UNIT));
    mapped(x, UNIT);
    mapped(y, UNIT);
    let id = load(&files::sum("rows", None));
    assert_eq!(write(x, &bytes(&[1.0; 8])), 0);
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    attach(input, 0, &[2, 4]);
    ok!(model::aclmdlExecute(id, input, output));
    assert_eq!(floats(&from_device(y, 32)), [11.0; 8]);
}

#[test]
fn operators_read_and_write_mapped_memory() {
    let _world = world();
    let place = reserve(UNIT);
    mapped(place, UNIT);
    assert_eq!(write(place, &bytes(&[-1.0, 2.0])), 0);
    let dims = [2_i64];
    let desc =
        || call!(tensor_desc::aclCreateTensorDesc(aclDataType::ACL_FLOAT, 1, dims.as_ptr(), aclFormat::ACL_FORMAT_ND));
    let (mut from, mut to) = (desc(), desc());
    let mut x = call!(base::aclCreateDataBuffer(place, 8));
    let mut y = call!(base::aclCreateDataBuffer(place.wrapping_byte_add(64), 8));
    let attr = call!(operator::aclopCreateAttr());
    ok!(op_compiler::aclopCompileAndExecuteV2(
        c("Relu").as_ptr(),
        1,
        &mut from,
        &mut x,
        1,
        &mut to,
        &mut y,
        attr,
        aclopEngineType::ACL_ENGINE_SYS,
        aclopCompileType::ACL_COMPILE_SYS,
        core::ptr::null(),
        aclrtStream::NULL,
    ));
    synchronize(aclrtStream::NULL);
    assert_eq!(floats(&from_device(place.wrapping_byte_add(64), 8)), [0.0, 2.0]);
}

#[test]
fn using_addresses_without_memory_is_an_error_and_no_crash() {
    let _world = world();
    let start = reserve(2 * UNIT);
    let handle = mapped(start, UNIT);
    assert_eq!(write(start.wrapping_byte_add(UNIT), &[1]), INVALID, "nothing is mapped there");
    assert_eq!(write(start.wrapping_byte_add(UNIT - 1), &[1, 2]), INVALID, "the second byte is behind the mapping");
    ok!(memory::aclrtUnmapMem(start));
    assert_eq!(write(start, &[1]), INVALID, "it was unmapped");
    ok!(memory::aclrtReleaseMemAddress(start));
    assert_eq!(write(start, &[1]), INVALID, "the addresses were released");
    ok!(memory::aclrtFreePhysical(handle));
}

#[test]
fn work_that_is_queued_keeps_the_mapping_that_it_works_on() {
    let _world = world();
    let (stream, start) = (stream(), reserve(UNIT));
    let handle = mapped(start, UNIT);
    assert_eq!(write(start, b"early"), 0);
    let to = pinned(&[0; 5]);
    let (open, opened) = std::sync::mpsc::channel::<()>();
    launch(stream, move || {
        let _ = opened.recv();
    });
    ok!(copy::aclrtMemcpyAsync(to, 5, start, 5, TO_HOST, stream));
    ok!(memory::aclrtUnmapMem(start));
    ok!(memory::aclrtFreePhysical(handle));
    ok!(memory::aclrtReleaseMemAddress(start));
    drop(open);
    synchronize(stream);
    assert_eq!(host(to, 5), b"early");
}

#[test]
fn what_queued_work_still_uses_is_replaced_as_a_whole_or_not_at_all() {
    let _world = world();
    let (stream, start) = (stream(), reserve(2 * UNIT));
    mapped(start, UNIT);
    let (open, opened) = std::sync::mpsc::channel::<()>();
    launch(stream, move || {
        let _ = opened.recv();
    });
    for round in 0..500 {
        let value = round % 100;
        ok!(copy::aclrtMemsetAsync(start, UNIT, value, 4096, stream));
    }
    ok!(memory::aclrtUnmapMem(start));
    mapped(start, UNIT);
    ok!(memory::aclrtUnmapMem(start));
    let large = physical(2 * UNIT);
    fails!(INVALID, "synchronise its stream", memory::aclrtMapMem(start, 2 * UNIT, 0, large, 0));
    drop(open);
    mapped(start, UNIT);
    synchronize(stream);
    ok!(memory::aclrtUnmapMem(start));
    ok!(memory::aclrtMapMem(start, 2 * UNIT, 0, large, 0));
    assert_eq!(write(start, &[1; 8]), 0);
}

#[test]
#[proves(VMM_01)]
fn a_range_is_unmapped_before_it_is_released() {
    let _world = world();
    let start = reserve(UNIT);
    mapped(start, UNIT);
    fails!(INVALID, "unmap it before", memory::aclrtReleaseMemAddress(start));
    ok!(memory::aclrtUnmapMem(start));
    ok!(memory::aclrtReleaseMemAddress(start));
    fails!(INVALID, "not the start of a reserved range", memory::aclrtReleaseMemAddress(start));
    fails!(INVALID, "no virtual memory is mapped", memory::aclrtUnmapMem(start));
    let handle = physical(UNIT);
    fails!(INVALID, "not in a reserved range", memory::aclrtMapMem(start, UNIT, 0, handle, 0));
}

#[test]
#[proves(VMM_02)]
fn a_handle_is_mapped_as_a_whole_at_a_free_place() {
    let _world = world();
    let start = reserve(4 * UNIT);
    let handle = physical(2 * UNIT);
    fails!(INVALID, "as a whole", memory::aclrtMapMem(start, UNIT, 0, handle, 0));
    fails!(INVALID, "as a whole", memory::aclrtMapMem(start, UNIT, UNIT, handle, 0));
    fails!(INVALID, "no multiple", memory::aclrtMapMem(start.wrapping_byte_add(4096), 2 * UNIT, 0, handle, 0));
    fails!(
        INVALID,
        "not in a reserved range",
        memory::aclrtMapMem(start.wrapping_byte_add(3 * UNIT), 2 * UNIT, 0, handle, 0)
    );
    ok!(memory::aclrtMapMem(start, 2 * UNIT, 0, handle, 0));
    let place = start.wrapping_byte_add(UNIT);
    fails!(INVALID, "mapped at", memory::aclrtMapMem(place, 2 * UNIT, 0, handle, 0));

    let elsewhere = aclrtMemLocation { id: 1, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE };
    let mut other = aclrtDrvMemHandle::NULL;
    let properties = aclrtPhysicalMemProp { location: elsewhere, ..properties() };
    ok!(memory::aclrtMallocPhysical(&mut other, UNIT, &properties, 0));
    let place = start.wrapping_byte_add(2 * UNIT);
    fails!(INVALID, "another device", memory::aclrtMapMem(place, UNIT, 0, other, 0));
}

#[test]
#[proves(VMM_03)]
fn a_mapping_without_access_is_used_after_access_was_given() {
    let _world = world();
    let start = reserve(UNIT);
    let handle = physical(UNIT);
    ok!(memory::aclrtMemMapNoAccess(start, UNIT, 0, handle, 0));
    assert_eq!(write(start, &[1]), INVALID);
    assert!(text().contains("without access"));
    let location = properties().location;
    let mut desc =
        aclrtMemAccessDesc { flags: aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_READWRITE, location, rsv: [0; 12] };
    ok!(memory::aclrtMemSetAccess(start, UNIT, &mut desc, 1));
    assert_eq!(write(start, &[1]), 0);
    let (mut place, mut access) = (location, 0);
    ok!(memory::aclrtMemGetAccess(start, &mut place, &mut access));
    assert_eq!(access, 3);
    fails!(INVALID, "no virtual memory", memory::aclrtMemSetAccess(start, UNIT + 1, &mut desc, 1));

    let mut found = aclrtDrvMemHandle::NULL;
    ok!(memory::aclrtMemRetainAllocationHandle(start, &mut found));
    assert_eq!(found, handle);
    let mut back = properties();
    ok!(memory::aclrtMemGetAllocationPropertiesFromHandle(handle, &mut back));
    assert_eq!(back.memAttr, properties().memAttr);
}

#[test]
fn wrong_arguments_are_refused() {
    let _world = world();
    let null = ACL_ERROR_INVALID_PARAM;
    let (mut address, mut handle) = (null_mut(), aclrtDrvMemHandle::NULL);
    fails!(null, "null", memory::aclrtReserveMemAddress(null_mut(), UNIT, 0, null_mut(), 0));
    fails!(null, "the size is 0", memory::aclrtReserveMemAddress(&mut address, 0, 0, null_mut(), 0));
    fails!(INVALID, "power of two", memory::aclrtReserveMemAddress(&mut address, UNIT, 3 * UNIT, null_mut(), 0));
    fails!(null, "null", memory::aclrtMallocPhysical(null_mut(), UNIT, &properties(), 0));
    fails!(null, "null", memory::aclrtMallocPhysical(&mut handle, UNIT, core::ptr::null(), 0));
    fails!(INVALID, "multiples", memory::aclrtMallocPhysical(&mut handle, UNIT - 1, &properties(), 0));
    fails!(null, "flags", memory::aclrtMallocPhysical(&mut handle, UNIT, &properties(), 1));
    let much = 1 << 40;
    let full = ACL_ERROR_RT_MEMORY_ALLOCATION;
    fails!(full, "bytes left", memory::aclrtMallocPhysical(&mut handle, much, &properties(), 0));
    fails!(null, "null", memory::aclrtFreePhysical(aclrtDrvMemHandle::NULL));
    let stale = physical(UNIT);
    ok!(memory::aclrtFreePhysical(stale));
    fails!(INVALID, "handle of physical memory", memory::aclrtFreePhysical(stale));
    let start = reserve(UNIT);
    fails!(INVALID, "handle of physical memory", memory::aclrtMapMem(start, UNIT, 0, stale, 0));
    mapped(start, UNIT);
    fails!(INVALID, "aclrtFree takes", memory::aclrtFree(start));
    ok!(memory::aclrtUnmapMem(start));
}

#[test]
fn mappings_that_lie_next_to_each_other_are_used_as_one() {
    let _world = world();
    let start = reserve(4 * UNIT);
    let at = |units: usize| start.wrapping_byte_add(units * UNIT);
    let first = mapped(at(0), UNIT);
    let second = mapped(at(1), 2 * UNIT);
    let border = at(1).wrapping_byte_sub(3);
    assert_eq!(write(border, b"across"), 0);
    assert_eq!((from_device(border, 3), from_device(at(1), 3)), (b"acr".to_vec(), b"oss".to_vec()));
    let stream = stream();
    ok!(copy::aclrtMemsetAsync(at(0), 3 * UNIT, 7, 3 * UNIT, stream));
    ok!(stream::aclrtSynchronizeStream(stream));
    assert_eq!(from_device(at(3).wrapping_byte_sub(2), 2), [7, 7]);

    assert_eq!(call!(copy::aclrtMemset(at(0), 3 * UNIT + 1, 0, 3 * UNIT + 1)), INVALID, "nothing is mapped there");
    ok!(memory::aclrtUnmapMem(at(0)));
    assert_eq!(write(border, b"across"), INVALID);
    let again = physical(UNIT);
    ok!(memory::aclrtMemMapNoAccess(at(0), UNIT, 0, again, 0));
    assert_eq!(write(border, b"across"), INVALID, "the first piece may not be used");
    ok!(memory::aclrtUnmapMem(at(0)));
    ok!(memory::aclrtUnmapMem(at(1)));
    for handle in [first, second, again] {
        ok!(memory::aclrtFreePhysical(handle));
    }
    ok!(memory::aclrtReleaseMemAddress(start));
}

#[test]
fn the_end_of_the_device_takes_the_memory_and_not_the_process() {
    let _world = world();
    let start = reserve(UNIT);
    mapped(start, UNIT);
    ok!(device::aclrtResetDevice(0));
    ok!(device::aclrtSetDevice(0));
    assert_eq!(write(start, &[1]), INVALID);
    ok!(memory::aclrtUnmapMem(start));
    let free = free_bytes();
    mapped(start, UNIT);
    assert_eq!((write(start, &[1]), free - free_bytes()), (0, UNIT));
}

pub(crate) fn no_attributes() -> aclrtPtrAttributes {
    aclrtPtrAttributes { location: properties().location, pageSize: 0, rsv: [0; 4] }
}
