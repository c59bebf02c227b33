//! Memory that moves between host and device by itself: this device has none, and its calls look at their arguments
//! before they say so. The layer above the runtime looks for null first.

use super::*;
use aclrtMemManagedAdviseType as Advice;
use aclrtMemManagedLocationType as Place;
use aclrtMemManagedRangeAttribute as Attribute;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

const HERE: aclrtMemManagedLocation = aclrtMemManagedLocation { kind: Place::ACL_MEM_LOCATIONTYPE_DEVICE, id: 0 };
const FAR: aclrtMemManagedLocation = aclrtMemManagedLocation { kind: Place::ACL_MEM_LOCATIONTYPE_DEVICE, id: 99 };
const NOWHERE: aclrtMemManagedLocation = aclrtMemManagedLocation { kind: Place::ACL_MEM_LOCATIONTYPE_DEVICE, id: -1 };
const HOST: aclrtMemManagedLocation = aclrtMemManagedLocation { kind: Place::ACL_MEM_LOCATIONTYPE_HOST, id: 99 };
const NO_STREAM: aclrtStream = aclrtStream::NULL;

/// An address that nothing looks behind.
fn set() -> *const c_void {
    core::ptr::without_provenance(0x1000)
}

#[test]
fn an_allocation_looks_at_place_flag_size_and_context() {
    let _world = world();
    let mut found: *mut c_void = null_mut();
    let place: *mut *mut c_void = &mut found;
    check([
        row!(Nowhere, memory::aclrtMemAllocManaged(null_mut(), 0, 0) => NULL),
        row!(Nowhere, memory::aclrtMemAllocManaged(place, 0, 0) => NULL),
        row!(Nowhere, memory::aclrtMemAllocManaged(place, 0, 2) => NULL),
        row!(Nowhere, memory::aclrtMemAllocManaged(place, 0, 1) => REFUSED),
        row!(Nowhere, memory::aclrtMemAllocManaged(place, 1, 1) => NO_CONTEXT),
        row!(Own, memory::aclrtMemAllocManaged(place, 1, 1) => UNSUPPORTED),
    ]);
    assert!(found.is_null());
}

#[test]
fn advice_looks_at_address_size_advice_device_and_context() {
    let _world = world();
    check([
        row!(Nowhere, memory::aclrtMemManagedAdvise(null(), 1, Advice(9), FAR) => NULL),
        row!(Nowhere, memory::aclrtMemManagedAdvise(set(), 0, Advice(9), FAR) => NULL),
        row!(Nowhere, memory::aclrtMemManagedAdvise(set(), 1, Advice(6), HERE) => REFUSED),
        row!(Nowhere, memory::aclrtMemManagedAdvise(set(), 1, Advice(5), FAR) => REFUSED),
        row!(Nowhere, memory::aclrtMemManagedAdvise(set(), 1, Advice(5), NOWHERE) => REFUSED),
        row!(Nowhere, memory::aclrtMemManagedAdvise(set(), 1, Advice(5), HOST) => NO_CONTEXT),
        row!(Own, memory::aclrtMemManagedAdvise(set(), 1, Advice(5), HERE) => UNSUPPORTED),
    ]);
}

#[test]
fn questions_look_at_their_arguments_and_need_no_context() {
    let _world = world();
    let mut number = 0_u64;
    let data: *mut c_void = (&raw mut number).cast();
    let mut places = [data];
    let (places, mut sizes) = (places.as_mut_ptr(), [8_usize]);
    let sizes = sizes.as_mut_ptr();
    let attributes = |second: u32| Box::leak(Box::new([Attribute(1), Attribute(second)])).as_mut_ptr();
    let (good, wrong) = (attributes(8), attributes(9));
    check([
        row!(Own, memory::aclrtMemManagedGetAttr(Attribute(0), null(), 1, data, 8) => NULL),
        row!(Own, memory::aclrtMemManagedGetAttr(Attribute(0), set(), 1, null_mut(), 8) => NULL),
        row!(Own, memory::aclrtMemManagedGetAttr(Attribute(0), set(), 0, data, 8) => NULL),
        row!(Own, memory::aclrtMemManagedGetAttr(Attribute(0), set(), 1, data, 8) => REFUSED),
        row!(Own, memory::aclrtMemManagedGetAttr(Attribute(9), set(), 1, data, 8) => REFUSED),
        row!(Nowhere, memory::aclrtMemManagedGetAttr(Attribute(8), set(), 1, data, 8) => UNSUPPORTED),
        row!(Own, memory::aclrtMemManagedGetAttrs(good, 2, set(), 1, null_mut(), sizes) => REFUSED),
        row!(Own, memory::aclrtMemManagedGetAttrs(good, 2, set(), 1, places, null_mut()) => REFUSED),
        row!(Own, memory::aclrtMemManagedGetAttrs(null_mut(), 2, set(), 1, places, sizes) => REFUSED),
        row!(Own, memory::aclrtMemManagedGetAttrs(good, 2, null(), 1, places, sizes) => REFUSED),
        row!(Own, memory::aclrtMemManagedGetAttrs(good, 2, set(), 0, places, sizes) => REFUSED),
        row!(Own, memory::aclrtMemManagedGetAttrs(wrong, 2, set(), 1, places, sizes) => REFUSED),
        row!(Nowhere, memory::aclrtMemManagedGetAttrs(wrong, 1, set(), 1, places, sizes) => UNSUPPORTED),
        row!(Own, memory::aclrtMemManagedGetAttrs(good, 2, set(), 1, places, sizes) => UNSUPPORTED),
    ]);
    assert_eq!(number, 0);
}

#[test]
fn a_prefetch_looks_at_its_stream_before_its_place() {
    let _world = world();
    let dead = dead();
    check([
        row!(Own, memory::aclrtMemManagedPrefetchAsync(null(), 1, FAR, 0, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchAsync(set(), 0, FAR, 0, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchAsync(set(), 1, FAR, 1, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchAsync(set(), 1, FAR, 0, dead) => DEAD),
        row!(Nowhere, memory::aclrtMemManagedPrefetchAsync(set(), 1, FAR, 0, NO_STREAM) => INTERNAL),
        row!(Own, memory::aclrtMemManagedPrefetchAsync(set(), 1, FAR, 0, NO_STREAM) => REFUSED),
        row!(Own, memory::aclrtMemManagedPrefetchAsync(set(), 1, HERE, 0, NO_STREAM) => UNSUPPORTED),
        row!(Own, memory::aclrtMemManagedPrefetchAsync(set(), 1, HOST, 0, NO_STREAM) => UNSUPPORTED),
    ]);
}

#[test]
fn a_batch_of_prefetches_looks_at_the_numbers_of_its_places() {
    let _world = world();
    let dead = dead();
    let call = |addresses: [*const c_void; 2], at: &[usize], locations: [aclrtMemManagedLocation; 3], stream| {
        let (mut addresses, mut sizes, mut at, mut locations) = (addresses, [8_usize; 2], at.to_vec(), locations);
        let (addresses, sizes) = (addresses.as_mut_ptr(), sizes.as_mut_ptr());
        let (locations, count) = (locations.as_mut_ptr(), at.len());
        let at = at.as_mut_ptr();
        call!(memory::aclrtMemManagedPrefetchBatchAsync(addresses, sizes, 2, locations, at, count, 0, stream))
    };
    let (both, here) = ([set(), set()], [HERE; 3]);
    assert_eq!(call(both, &[1], here, dead), DEAD, "the stream comes before the numbers");
    assert_eq!(call(both, &[0, 1, 1], here, NO_STREAM), REFUSED, "more places than memory");
    assert_eq!(call(both, &[1], here, NO_STREAM), REFUSED);
    assert_eq!(call([set(), null()], &[0], here, NO_STREAM), REFUSED);
    assert_eq!(call(both, &[0, 2], here, NO_STREAM), REFUSED);
    assert_eq!(call(both, &[0, 0], here, NO_STREAM), REFUSED);
    assert_eq!(call(both, &[0, 1], [HERE, FAR, HERE], NO_STREAM), REFUSED);
    assert_eq!(call(both, &[0], [HERE, FAR, HERE], NO_STREAM), UNSUPPORTED, "what is not counted is not looked at");
    assert_eq!(call(both, &[0, 1], here, NO_STREAM), UNSUPPORTED);
    let mut indices = [0_usize];
    let (mut addresses, mut sizes, mut locations) = (both, [8_usize; 2], here);
    let (addresses, sizes) = (addresses.as_mut_ptr(), sizes.as_mut_ptr());
    let (locations, at) = (locations.as_mut_ptr(), indices.as_mut_ptr());
    check([
        row!(Own, memory::aclrtMemManagedPrefetchBatchAsync(null_mut(), sizes, 2, locations, at, 1, 0, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchBatchAsync(addresses, null_mut(), 2, locations, at, 1, 0, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchBatchAsync(addresses, sizes, 2, null_mut(), at, 1, 0, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchBatchAsync(addresses, sizes, 2, locations, null_mut(), 1, 0, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchBatchAsync(addresses, sizes, 0, locations, at, 1, 0, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchBatchAsync(addresses, sizes, 2, locations, at, 0, 0, dead) => NULL),
        row!(Own, memory::aclrtMemManagedPrefetchBatchAsync(addresses, sizes, 2, locations, at, 1, 1, dead) => NULL),
        row!(Nowhere, memory::aclrtMemManagedPrefetchBatchAsync(addresses, sizes, 2, locations, at, 1, 0, NO_STREAM) => INTERNAL),
    ]);
}
