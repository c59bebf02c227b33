//! Memory that streams take from pools and give back in their order.

use crate::capture::{begin, end, replay};
use crate::support::*;
use crate::virtual_memory::no_attributes;
use crate::world::*;
use ascendcl_sim::Config;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

const MEGABYTE: usize = 1 << 20;
const INVALID: i32 = ACL_ERROR_RT_PARAM_INVALID;
const NONE_LEFT: i32 = ACL_ERROR_RT_INTERNAL_ERROR;
const THRESHOLD: aclrtMemPoolAttr = aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD;
const USED: aclrtMemPoolAttr = aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT;
const USED_HIGHEST: aclrtMemPoolAttr = aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH;
const RESERVED: aclrtMemPoolAttr = aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT;

fn pool_of(device: u32, limit: usize) -> aclrtMemPool {
    let properties = aclrtMemPoolProps {
        allocType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        location: aclrtMemLocation { id: device, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE },
        maxSize: limit,
        reserved: [0; 32],
    };
    let mut pool = aclrtMemPool::NULL;
    ok!(memory_pool::aclrtMemPoolCreate(&mut pool, &properties));
    pool
}

fn take(size: usize, pool: aclrtMemPool, stream: aclrtStream) -> *mut c_void {
    let mut address = null_mut();
    ok!(memory_pool::aclrtMemPoolMallocAsync(&mut address, size, pool, stream));
    address
}

fn give_back(address: *mut c_void, stream: aclrtStream) {
    ok!(memory_pool::aclrtMemPoolFreeAsync(address, stream));
}

fn attribute(pool: aclrtMemPool, attribute: aclrtMemPoolAttr) -> u64 {
    let mut value = 0_u64;
    ok!(memory_pool::aclrtMemPoolGetAttr(pool, attribute, (&raw mut value).cast()));
    value
}

fn set(pool: aclrtMemPool, attribute: aclrtMemPoolAttr, mut value: u64) -> i32 {
    call!(memory_pool::aclrtMemPoolSetAttr(pool, attribute, (&raw mut value).cast()))
}

#[test]
fn a_block_is_device_memory_and_goes_back_when_the_stream_comes_to_its_free() {
    let _world = world();
    let (pool, free, held) = (pool_of(0, 0), free_bytes(), Held::new());
    let block = take(MEGABYTE, pool, held.stream);
    assert!(free - free_bytes() >= MEGABYTE, "it counts as memory of the device");
    let mut attributes = no_attributes();
    ok!(memory::aclrtPointerGetAttributes(block, &mut attributes));
    assert_eq!(attributes.location.kind, aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE);

    let result = pinned(&[0; 64]);
    ok!(copy::aclrtMemsetAsync(block, 64, 7, 64, held.stream));
    ok!(copy::aclrtMemcpyAsync(result, 64, block, 64, TO_HOST, held.stream));
    give_back(block, held.stream);
    assert!(free - free_bytes() >= MEGABYTE, "the stream has not come there");
    fails!(INVALID, "in no block", copy::aclrtMemset(block, 64, 0, 64));
    held.open();
    assert_eq!(host(result, 64), [7; 64], "work that was queued before had the memory");
    assert_eq!(free_bytes(), free);
}

#[test]
fn a_pool_keeps_memory_up_to_its_threshold_and_gives_it_back_when_it_is_trimmed() {
    let _world = world();
    let (pool, stream, free) = (pool_of(0, 0), stream(), free_bytes());
    assert_eq!(set(pool, THRESHOLD, 3 * MEGABYTE as u64 / 2), 0);
    let blocks = [0; 2].map(|_| take(MEGABYTE, pool, stream));
    let both = attribute(pool, USED);
    blocks.iter().for_each(|block| give_back(*block, stream));
    synchronize(stream);
    assert_eq!((attribute(pool, USED), attribute(pool, RESERVED)), (0, 3 * MEGABYTE as u64 / 2));
    assert_eq!(free - free_bytes(), 3 * MEGABYTE / 2);
    assert_eq!(attribute(pool, USED_HIGHEST), both);
    assert_eq!(set(pool, USED_HIGHEST, 5), ACL_ERROR_INVALID_PARAM);
    assert_eq!(set(pool, USED_HIGHEST, 0), 0);
    assert_eq!(attribute(pool, USED_HIGHEST), 0);

    let again = take(MEGABYTE, pool, stream);
    assert_eq!(free - free_bytes(), 3 * MEGABYTE / 2, "it comes from what is reserved");
    ok!(memory_pool::aclrtMemPoolTrimTo(pool, 0));
    assert_eq!(attribute(pool, RESERVED), attribute(pool, USED), "what is used stays");
    give_back(again, stream);
    synchronize(stream);
    ok!(memory_pool::aclrtMemPoolTrimTo(pool, 0));
    assert_eq!(free_bytes(), free);
}

#[test]
fn a_pool_has_no_more_than_its_limit_and_its_device() {
    let _world = configured(Config::new().memory(8 * MEGABYTE));
    let (stream, free) = (stream(), free_bytes());
    let mut address = null_mut();
    let mut refused = |pool, size| {
        fails!(NONE_LEFT, "no block", memory_pool::aclrtMemPoolMallocAsync(&mut address, size, pool, stream));
        assert!(address.is_null());
    };
    refused(pool_of(0, 100), 3 * MEGABYTE);
    refused(pool_of(0, 0), 9 * MEGABYTE);
    refused(pool_of(0, 0), usize::MAX);
    refused(pool_of(5, 0), 64);
    assert_eq!(free_bytes(), free, "a call that was refused takes nothing");
    take(0, pool_of(0, 100), stream);
    take(64, pool_of(0, 100), stream);
}

#[test]
fn memory_outlives_its_pool_and_goes_back_to_the_device() {
    let _world = world();
    let (pool, stream, free) = (pool_of(0, 0), stream(), free_bytes());
    assert_eq!(set(pool, THRESHOLD, u64::MAX), 0);
    let (block, other) = (take(MEGABYTE, pool, stream), take(MEGABYTE, pool, stream));
    give_back(other, stream);
    synchronize(stream);
    ok!(memory_pool::aclrtMemPoolDestroy(pool));
    assert!(free - free_bytes() < 2 * MEGABYTE, "what nobody uses goes with the pool");
    ok!(copy::aclrtMemset(block, 64, 3, 64));
    assert_eq!(from_device(block, 64), [3; 64]);
    let mut address = null_mut();
    fails!(
        ACL_ERROR_INVALID_PARAM,
        "live memory pool",
        memory_pool::aclrtMemPoolMallocAsync(&mut address, 64, pool, stream)
    );
    give_back(block, stream);
    synchronize(stream);
    assert_eq!(free_bytes(), free);
}

#[test]
fn each_free_takes_the_memory_of_its_own_allocation() {
    let _world = world();
    let (pool, stream, free) = (pool_of(0, 0), stream(), free_bytes());
    let (block, plain) = (take(64, pool, stream), device_memory(64));
    fails!(INVALID, "aclrtFree takes", memory::aclrtFree(block));
    fails!(INVALID, "a block", memory_pool::aclrtMemPoolFreeAsync(plain.wrapping_byte_add(8), stream));
    fails!(INVALID, "a block", memory_pool::aclrtMemPoolFreeAsync(block.wrapping_byte_add(8), stream));
    give_back(block, stream);
    give_back(block, stream);
    synchronize(stream);
    assert_eq!(attribute(pool, USED), 0, "a second free changes nothing");
    ok!(memory::aclrtFree(plain));
    assert_eq!(free_bytes(), free);
}

#[test]
fn a_second_free_and_a_pool_with_memory_out_are_refused_where_the_documentation_counts() {
    let _world = configured(Config::new().documented(true));
    let (pool, stream) = (pool_of(0, 0), stream());
    let block = take(64, pool, stream);
    fails!(INVALID, "not freed", memory_pool::aclrtMemPoolDestroy(pool));
    give_back(block, stream);
    fails!(INVALID, "freed before", memory_pool::aclrtMemPoolFreeAsync(block, stream));
    synchronize(stream);
    ok!(memory_pool::aclrtMemPoolDestroy(pool));
}

#[test]
fn a_captured_free_leaves_the_memory_to_the_model() {
    let _world = world();
    let (pool, captured, runner, free) = (pool_of(0, 0), stream(), stream(), free_bytes());
    let result = pinned(&[0; 64]);
    begin(captured);
    let block = take(MEGABYTE, pool, captured);
    ok!(copy::aclrtMemsetAsync(block, 64, 7, 64, captured));
    ok!(copy::aclrtMemcpyAsync(result, 64, block, 64, TO_HOST, captured));
    give_back(block, captured);
    let model = end(captured);
    for _ in 0..2 {
        replay(model, runner);
        assert_eq!(host(result, 64), [7; 64]);
        assert!(free - free_bytes() >= MEGABYTE, "the next replay needs it");
    }
    ok!(model_instance::aclmdlRIDestroy(model));
    assert_eq!(free_bytes(), free);
}

#[test]
fn a_device_that_is_released_takes_its_pools_along() {
    let _world = world();
    let (free, pool, stream) = (free_bytes(), pool_of(0, 0), stream());
    assert_eq!(set(pool, THRESHOLD, u64::MAX), 0);
    take(MEGABYTE, pool, stream);
    give_back(take(MEGABYTE, pool, stream), stream);
    ok!(device::aclrtResetDevice(0));
    fails!(ACL_ERROR_INVALID_PARAM, "live memory pool", memory_pool::aclrtMemPoolDestroy(pool));
    ok!(device::aclrtSetDevice(0));
    assert_eq!(free_bytes(), free);
}
