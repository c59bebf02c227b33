//! Memory: physical memory, pools, configurations, batches, registration, and keys for other processes.

use super::*;
use crate::virtual_memory::properties;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

const PARAMETER: i32 = ACL_ERROR_INVALID_PARAM;
const UNIT: usize = 2 << 20;
const NUMA: aclrtMemLocationType = aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST_NUMA;
const ON_DEVICE: aclrtMemLocationType = aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE;
const ON_HOST: aclrtMemLocationType = aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST;
const LEAST: aclrtMemGranularityOptions = aclrtMemGranularityOptions::ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM;

#[test]
fn physical_memory_has_the_kinds_that_there_are_at_its_location() {
    let _world = world();
    let of = |kind: u32, place| {
        let location = aclrtMemLocation { id: 0, kind: place };
        aclrtPhysicalMemProp { memAttr: aclrtMemAttr(kind), location, ..properties() }
    };
    let allocate = |properties: aclrtPhysicalMemProp| {
        let mut handle = aclrtDrvMemHandle::NULL;
        let code = call!(memory::aclrtMallocPhysical(&mut handle, UNIT, &properties, 0));
        if code == 0 {
            ok!(memory::aclrtFreePhysical(handle));
        }
        code
    };
    let granularity = |mut properties: aclrtPhysicalMemProp| {
        let mut found = 0;
        call!(memory::aclrtMemGetAllocationGranularity(&mut properties, LEAST, &mut found))
    };
    for (place, taken) in [(ON_DEVICE, [4, 5, 10, 12, 13, 14, 15, 16, 17].as_slice()), (ON_HOST, &[2, 3, 6, 7, 13])] {
        for kind in 0..19 {
            let known = taken.contains(&kind) || place == ON_HOST && [4, 5, 10, 12, 14, 15, 16, 17].contains(&kind);
            let expected = if known { 0 } else { PARAMETER };
            assert_eq!((allocate(of(kind, place)), granularity(of(kind, place))), (expected, expected), "{kind}");
        }
    }
    for place in [2, 3] {
        assert_eq!(allocate(of(4, aclrtMemLocationType(place))), PARAMETER);
    }
    assert_eq!((allocate(of(2, NUMA)), allocate(of(4, aclrtMemLocationType(9)))), (0, 0));
    let posix = aclrtPhysicalMemProp { handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_POSIX, ..properties() };
    assert_eq!((allocate(posix), granularity(posix)), (PARAMETER, 0), "the granularity has no handle");
    let other = aclrtPhysicalMemProp { allocationType: aclrtMemAllocationType(9), ..properties() };
    assert_eq!((allocate(other), granularity(other)), (PARAMETER, 0));
    let place = aclrtMemLocation { id: 9, kind: ON_DEVICE };
    let far = aclrtPhysicalMemProp { location: place, memAttr: aclrtMemAttr(0), ..properties() };
    assert_eq!(allocate(far), PARAMETER, "the kind comes before the device");
    let far = aclrtPhysicalMemProp { location: place, ..properties() };
    assert_eq!(allocate(far), ACL_ERROR_RT_INVALID_DEVICEID);
}

#[test]
fn the_type_of_memory_is_asked_with_a_place_for_the_answer_that_is_written() {
    let _world = world();
    let mut list = [device_memory(64)];
    let list = list.as_mut_ptr();
    for (count, types, reserve, expected) in
        [(1, 2, 1, REFUSED), (0, 2, 0, REFUSED), (1, 0x40, 0, REFUSED), (1, 0, 0, 0), (1, 2, 0, 0)]
    {
        let mut answer = 7;
        let code = call!(memory::aclrtCheckMemType(list, count, types, &mut answer, reserve));
        let found = u32::from(types == 2 && expected == 0);
        assert_eq!((code, answer), (expected, found), "{count} {types:#x} {reserve}");
    }
    let mut answer = 7;
    assert_eq!(call!(memory::aclrtCheckMemType(null_mut(), 1, 2, &mut answer, 0)), PARAMETER);
    assert_eq!(answer, 7);
    // SAFETY: `list` has one address.
    let block = unsafe { *list };
    let mut size = 0;
    check([
        row!(Own, memory::aclrtMemGetAddressRange(block, null_mut(), null_mut()) => REFUSED),
        row!(Own, memory::aclrtMemGetAddressRange(null_mut(), null_mut(), null_mut()) => PARAMETER),
    ]);
    ok!(memory::aclrtMemGetAddressRange(block, null_mut(), &mut size));
    assert!(size >= 64);
}

fn pool_properties() -> aclrtMemPoolProps {
    aclrtMemPoolProps {
        allocType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        location: aclrtMemLocation { id: 0, kind: ON_DEVICE },
        maxSize: 0,
        reserved: [0; 32],
    }
}

#[test]
fn calls_of_memory_pools_look_at_nulls_then_at_sizes_then_at_handles() {
    let _world = world();
    let create = |properties: aclrtMemPoolProps| {
        let mut pool = aclrtMemPool::NULL;
        (call!(memory_pool::aclrtMemPoolCreate(&mut pool, &properties)), pool)
    };
    let (_, pool) = create(pool_properties());
    let (_, gone) = create(pool_properties());
    ok!(memory_pool::aclrtMemPoolDestroy(gone));
    let other = aclrtMemPoolProps { allocType: aclrtMemAllocationType(1), ..pool_properties() };
    assert_eq!(create(other).0, PARAMETER);
    let mut reserved = pool_properties();
    reserved.reserved[31] = 1;
    assert_eq!(create(reserved).0, PARAMETER);

    let mut value = 0_u64;
    let value: *mut c_void = (&raw mut value).cast();
    let threshold = aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD;
    let (used, kept) = (
        aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT,
        aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT,
    );
    check([
        row!(Own, memory_pool::aclrtMemPoolSetAttr(aclrtMemPool::NULL, threshold, null_mut()) => PARAMETER),
        row!(Own, memory_pool::aclrtMemPoolSetAttr(pool, threshold, null_mut()) => REFUSED),
        row!(Own, memory_pool::aclrtMemPoolGetAttr(pool, threshold, null_mut()) => REFUSED),
        row!(Own, memory_pool::aclrtMemPoolSetAttr(gone, threshold, value) => REFUSED),
        row!(Own, memory_pool::aclrtMemPoolGetAttr(gone, threshold, value) => REFUSED),
        row!(Own, memory_pool::aclrtMemPoolSetAttr(pool, used, value) => REFUSED),
        row!(Own, memory_pool::aclrtMemPoolSetAttr(pool, kept, value) => REFUSED),
        row!(Own, memory_pool::aclrtMemPoolSetAttr(pool, threshold, value) => 0),
    ]);

    let (stream, dead, none) = (stream(), dead(), aclrtStream::NULL);
    let mut place = null_mut();
    let place: *mut *mut c_void = &mut place;
    for on in ANYWHERE {
        check([
            row!(on, memory_pool::aclrtMemPoolMallocAsync(place, 0, pool, none) => PARAMETER),
            row!(on, memory_pool::aclrtMemPoolMallocAsync(place, 0, aclrtMemPool::NULL, stream) => PARAMETER),
            row!(on, memory_pool::aclrtMemPoolMallocAsync(place, 0, pool, stream) => 0),
            row!(on, memory_pool::aclrtMemPoolMallocAsync(place, 0, gone, dead) => 0),
            row!(on, memory_pool::aclrtMemPoolFreeAsync(null_mut(), none) => PARAMETER),
            row!(on, memory_pool::aclrtMemPoolFreeAsync(bogus(), none) => INTERNAL),
        ]);
    }
    // SAFETY: `place` outlives the calls.
    assert!(unsafe { (*place).is_null() }, "there is no address for no bytes");
}

#[test]
fn memory_that_came_from_no_pool_is_freed_when_the_stream_comes_to_its_free() {
    let _world = world();
    let free = free_bytes();
    let (block, held) = (device_memory(1 << 20), Held::new());
    ok!(memory_pool::aclrtMemPoolFreeAsync(block, held.stream));
    ok!(copy::aclrtMemset(block, 64, 7, 64));
    assert_eq!(from_device(block, 64), [7; 64], "the stream has not come there");
    held.open();
    assert_eq!(free_bytes(), free);
    fails!(REFUSED, "", memory::aclrtFree(block));
}

#[test]
fn configured_memory_has_a_list_of_attributes_that_it_can_have() {
    use aclrtMallocAttrType as A;
    const POLICY: aclrtMemMallocPolicy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
    let _world = world();
    let attribute = |attr, number| aclrtMallocAttribute { attr, value: aclrtMallocAttrValue { vaFlag: number } };
    let codes = |on: On, size: usize, list: Option<&mut [aclrtMallocAttribute]>, count: usize| {
        let attrs = list.map_or(null_mut(), <[_]>::as_mut_ptr);
        let mut config = aclrtMallocConfig { attrs, numAttrs: count };
        let config: *mut aclrtMallocConfig = &mut config;
        let (mut device, mut host) = (null_mut(), null_mut());
        let (device, host): (*mut *mut c_void, *mut *mut c_void) = (&mut device, &mut host);
        let for_device = code(on, &|| call!(memory::aclrtMallocWithCfg(device, size, POLICY, config)));
        let for_scheduler = code(on, &|| call!(memory::aclrtMallocForTaskScheduler(device, size, POLICY, config)));
        assert_eq!(for_scheduler, for_device);
        [for_device, code(on, &|| call!(memory::aclrtMallocHostWithCfg(host, size as u64, config)))]
    };
    for (number, expected) in [
        ((A::ACL_RT_MEM_ATTR_MODULE_ID, 33), [0, 0]),
        ((A::ACL_RT_MEM_ATTR_RSV, 0), [0, REFUSED]),
        ((A::ACL_RT_MEM_ATTR_DEVICE_ID, 0), [0, REFUSED]),
        ((A::ACL_RT_MEM_ATTR_DEVICE_ID, 1), [REFUSED; 2]),
        ((A::ACL_RT_MEM_ATTR_VA_FLAG, 0), [REFUSED, 0]),
        ((A::ACL_RT_MEM_ATTR_VA_FLAG, 1), [REFUSED, 0]),
        ((A(77), 0), [REFUSED; 2]),
    ] {
        let mut list = [attribute(number.0, number.1)];
        assert_eq!(codes(Own, 64, Some(&mut list), 1), expected, "{number:?}");
        let [_, host] = expected;
        let host = if host == 0 { NO_CONTEXT } else { REFUSED };
        assert_eq!(codes(Nowhere, 64, Some(&mut list), 1), [NO_CONTEXT, host], "{number:?}: the host's come first");
    }
    assert_eq!(codes(Own, 64, None, 0), [REFUSED; 2]);
    assert_eq!(codes(Nowhere, 64, None, 0), [REFUSED; 2]);
    assert_eq!(codes(Own, 64, None, 1), [PARAMETER, REFUSED]);
    assert_eq!(codes(Own, 0, None, 0), [PARAMETER; 2]);
    assert_eq!(codes(Own, 64, Some(&mut []), 0), [0; 2]);
}

/// The arrays of a batch of copies of eight bytes.
struct Batch {
    to: Vec<*mut c_void>,
    from: Vec<*mut c_void>,
    sizes: Vec<usize>,
    attribute: [aclrtMemcpyBatchAttr; 1],
    first: [usize; 1],
}

impl Batch {
    fn new(copies: &[(*mut c_void, *mut c_void)], from: aclrtMemLocationType, to: aclrtMemLocationType) -> Self {
        let place = |kind| aclrtMemLocation { id: 0, kind };
        Self {
            to: copies.iter().map(|copy| copy.0).collect(),
            from: copies.iter().map(|copy| copy.1).collect(),
            sizes: vec![8; copies.len()],
            attribute: [aclrtMemcpyBatchAttr { dstLoc: place(to), srcLoc: place(from), rsv: [0; 16] }],
            first: [0],
        }
    }

    /// The codes and the indexes of both calls; 7 is an index that was not written.
    fn codes(&mut self, on: On, stream: aclrtStream) -> [(i32, usize); 2] {
        let (to, from, sizes) = (self.to.as_mut_ptr(), self.from.as_mut_ptr(), self.sizes.as_mut_ptr());
        let (attributes, first, count) = (self.attribute.as_mut_ptr(), self.first.as_mut_ptr(), self.to.len());
        let mut indexes = [7; 2];
        let [one, other] = &mut indexes;
        let (one, other): (*mut usize, *mut usize) = (one, other);
        let codes = [
            code(on, &|| call!(copy::aclrtMemcpyBatch(to, sizes, from, sizes, count, attributes, first, 1, one))),
            code(on, &|| {
                call!(copy::aclrtMemcpyBatchAsync(to, sizes, from, sizes, count, attributes, first, 1, other, stream))
            }),
        ];
        [(codes[0], indexes[0]), (codes[1], indexes[1])]
    }
}

#[test]
fn a_batch_goes_between_host_and_device_and_a_synchronous_one_needs_no_context() {
    const NONE: usize = usize::MAX;
    let _world = world();
    let (device, host, stream, dead) = (device_memory(8), pinned(&[1; 8]), stream(), dead());
    let mut up = Batch::new(&[(device, host); 2], ON_HOST, ON_DEVICE);
    assert_eq!(up.codes(Own, stream), [(0, NONE); 2]);
    assert_eq!(up.codes(Nowhere, stream), [(0, NONE), (NO_CONTEXT, NONE)]);
    assert_eq!(up.codes(Other, stream), [(0, NONE), (OTHER_CONTEXT, NONE)]);
    assert_eq!(up.codes(Nowhere, dead), [(0, NONE), (DEAD, 7)]);
    assert_eq!(Batch::new(&[(device, host)], NUMA, ON_DEVICE).codes(Own, stream), [(0, NONE); 2]);
    let capturing = self::stream();
    begin(capturing);
    assert_eq!(up.codes(Own, stream)[0], (0, NONE), "no capture refuses it");
    end(capturing);
    for (sides, copies) in [
        ((ON_DEVICE, ON_DEVICE), [(device, device), (device, device)]),
        ((ON_HOST, ON_HOST), [(host, host), (host, host)]),
    ] {
        assert_eq!(Batch::new(&copies, sides.0, sides.1).codes(Own, stream), [(REFUSED, 0); 2]);
    }
    let mut second = Batch::new(&[(device, host), (null_mut(), host)], ON_HOST, ON_DEVICE);
    assert_eq!(second.codes(Own, stream), [(REFUSED, 1); 2]);
    assert_eq!(second.codes(Other, stream)[1], (REFUSED, 1), "each copy comes before the context of the stream");
    up.sizes[1] = 0;
    assert_eq!(up.codes(Own, stream), [(0, NONE), (REFUSED, 1)]);
    up.sizes[1] = 8;
    up.first = [1];
    assert_eq!(up.codes(Nowhere, stream), [(REFUSED, NONE); 2], "the indexes come before the context");
    assert_eq!(up.codes(Nowhere, dead)[1], (DEAD, 7), "and after the stream");
    up.attribute[0].rsv[0] = 1;
    assert_eq!(up.codes(Own, dead), [(PARAMETER, 7); 2], "this layer writes no index");
    for (count, expected) in [(4096, 0), (4097, REFUSED)] {
        let mut many = Batch::new(&vec![(device, host); count], ON_HOST, ON_DEVICE);
        assert_eq!(many.codes(Own, stream), [(expected, NONE); 2], "{count}");
    }
    synchronize(stream);
}

#[test]
fn registered_memory_may_have_two_of_the_properties() {
    let _world = world();
    let mut page = Page::new(1);
    let (page, mut there) = (page.address(), null_mut());
    let there: *mut *mut c_void = &mut there;
    for (kind, expected) in [(0, 0), (4, 0), (8, 0), (12, 0), (1, UNSUPPORTED), (13, UNSUPPORTED)] {
        let kind = aclrtHostRegisterType(kind);
        check([row!(Own, memory::aclrtHostRegister(page, PAGE as u64, kind, there) => expected)]);
        if expected == 0 {
            ok!(memory::aclrtHostUnregister(page));
        }
    }
}

#[test]
fn a_key_for_other_processes_has_a_size_then_flags_then_a_context() {
    let _world = world();
    let (block, mut text, mut process) = (device_memory(64), [0; 128], [1]);
    let (key, pid) = (text.as_mut_ptr(), process.as_mut_ptr());
    let mut shared = 0_u64;
    let shared: *mut u64 = &mut shared;
    let mut handle = aclrtDrvMemHandle::NULL;
    ok!(memory::aclrtMallocPhysical(&mut handle, UNIT, &properties(), 0));
    let none = aclrtDrvMemHandle::NULL;
    let [plain, posix] = [aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE, aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_POSIX];
    let by_number = aclrtMemSharedHandleType::ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT;
    let unknown = aclrtMemSharedHandleType(9);
    let attribute = aclrtIpcMemAttrType::ACL_RT_IPC_MEM_ATTR_ACCESS_LINK;
    for on in ANYWHERE {
        check([
            row!(on, memory::aclrtIpcMemGetExportKey(block, 0, key, 65, 9) => REFUSED),
            row!(on, memory::aclrtIpcMemGetExportKey(block, 64, key, 0, 0) => REFUSED),
            row!(on, memory::aclrtIpcMemGetExportKey(block, 64, key, 65, 9) => REFUSED),
            row!(on, memory::aclrtIpcMemSetImportPid(key, pid, 0) => REFUSED),
            row!(on, memory::aclrtIpcMemSetAttr(null(), attribute, 0) => REFUSED),
            row!(on, memory::aclrtIpcMemSetAttr(key, aclrtIpcMemAttrType(9), 0) => REFUSED),
            row!(on, memory::aclrtIpcMemSetAttr(key, attribute, 99) => REFUSED),
            row!(on, memory::aclrtMemExportToShareableHandle(none, posix, 0, null_mut()) => PARAMETER),
            row!(on, memory::aclrtMemExportToShareableHandle(handle, posix, 0, shared) => PARAMETER),
            row!(on, memory::aclrtMemExportToShareableHandle(handle, plain, 9, shared) => REFUSED),
            row!(on, memory::aclrtMemExportToShareableHandleV2(handle, 0, unknown, shared.cast()) => REFUSED),
            row!(on, memory::aclrtMemSetPidToShareableHandleV2(shared.cast(), unknown, pid, 0) => PARAMETER),
            row!(on, memory::aclrtMemSetPidToShareableHandleV2(shared.cast(), unknown, pid, 1) => REFUSED),
        ]);
    }
    let mut found = aclrtDrvMemHandle::NULL;
    let found: *mut aclrtDrvMemHandle = &mut found;
    check([
        row!(Nowhere, memory::aclrtMemImportFromShareableHandleV2(shared.cast(), unknown, 1, found) => PARAMETER),
        row!(Nowhere, memory::aclrtMemImportFromShareableHandleV2(shared.cast(), unknown, 0, found) => NO_CONTEXT),
        row!(Own, memory::aclrtMemImportFromShareableHandleV2(shared.cast(), unknown, 0, found) => REFUSED),
        row!(Own, memory::aclrtMemExportToShareableHandleV2(handle, 0, by_number, shared.cast()) => 0),
    ]);
    ok!(memory::aclrtFreePhysical(handle));
}
