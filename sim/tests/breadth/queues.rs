//! Queues of data, and the routes between them.

use crate::support::host;
use crate::world::*;
use ascendcl_sim::control;
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::{CStr, c_char, c_void};
use core::ptr::{null, null_mut};
use std::time::{Duration, Instant};

fn at<T>(value: &T) -> *const c_void {
    (&raw const *value).cast()
}

fn attributes(name: &CStr, depth: u32) -> *mut acltdtQueueAttr {
    let attributes = call!(tensor_queue::acltdtCreateQueueAttr());
    let name = name.as_ptr();
    let kinds = (acltdtQueueAttrType::ACL_TDT_QUEUE_NAME_PTR, acltdtQueueAttrType::ACL_TDT_QUEUE_DEPTH_UINT32);
    ok!(tensor_queue::acltdtSetQueueAttr(attributes, kinds.0, size_of_val(&name), at(&name)));
    ok!(tensor_queue::acltdtSetQueueAttr(attributes, kinds.1, size_of_val(&depth), at(&depth)));
    attributes
}

fn queue(name: &CStr, depth: u32) -> u32 {
    let attributes = attributes(name, depth);
    let mut queue = 99;
    ok!(tensor_queue::acltdtCreateQueue(attributes, &mut queue));
    ok!(tensor_queue::acltdtDestroyQueueAttr(attributes));
    queue
}

fn send(queue: u32, text: &[u8]) {
    let tag = 7_u32;
    ok!(tensor_queue::acltdtEnqueueData(queue, text.as_ptr().cast(), text.len(), at(&tag), 4, 0, 0));
}

/// What is next in the queue, and what went with it.
fn receive(queue: u32) -> (Vec<u8>, u32) {
    let (mut data, mut length, mut tag) = ([0_u8; 64], 0, 0_u32);
    let places = (data.as_mut_ptr().cast(), (&raw mut tag).cast());
    ok!(tensor_queue::acltdtDequeueData(queue, places.0, 64, &mut length, places.1, 4, 1000));
    (data[..length].to_vec(), tag)
}

#[test]
fn a_queue_hands_out_what_it_took_in_order_and_as_copies() {
    let _world = world();
    let queue = queue(c"numbers", 2);
    let mut text = *b"first";
    send(queue, &text);
    text.copy_from_slice(b"other");
    send(queue, &text);
    let full = || call!(tensor_queue::acltdtEnqueueData(queue, text.as_ptr().cast(), 5, null(), 0, 20, 0));
    let started = Instant::now();
    assert_eq!(full(), ACL_ERROR_RT_QUEUE_FULL);
    assert!(started.elapsed() >= Duration::from_millis(20));
    assert_eq!(receive(queue), (b"first".to_vec(), 7));
    assert_eq!(full(), 0);
    assert_eq!(receive(queue), (b"other".to_vec(), 7));
    assert_eq!(receive(queue), (b"other".to_vec(), 0), "nothing went with the third");
    let (mut data, mut length) = ([0_u8; 4], 0);
    let data = data.as_mut_ptr().cast::<c_void>();
    let empty = call!(tensor_queue::acltdtDequeueData(queue, data, 4, &mut length, null_mut(), 0, 20));
    assert_eq!(empty, ACL_ERROR_RT_QUEUE_EMPTY);
    ok!(tensor_queue::acltdtDestroyQueue(queue));
    assert!(control::live().is_empty());
}

#[test]
fn what_does_not_fit_stays_in_the_queue_and_device_memory_serves_as_well() {
    let _world = world();
    let queue = queue(c"", 2);
    send(queue, b"eight...");
    let (mut small, mut length) = ([0_u8; 4], 0);
    let place = small.as_mut_ptr().cast();
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "8 bytes are in the queue, and there is room for 4",
        tensor_queue::acltdtDequeueData(queue, place, 4, &mut length, null_mut(), 0, 0)
    );
    assert_eq!(length, 8);
    let mut memory = null_mut();
    ok!(memory::aclrtMalloc(&mut memory, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    ok!(tensor_queue::acltdtDequeueData(queue, memory, 64, &mut length, null_mut(), 0, 0));
    assert_eq!(host(memory, 8), b"eight...");
    ok!(tensor_queue::acltdtEnqueueData(queue, memory, 8, null(), 0, 0, 0));
    assert_eq!(receive(queue).0, b"eight...");
    // A block that was freed is refused, not read.
    ok!(memory::aclrtFree(memory));
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "in no block",
        tensor_queue::acltdtEnqueueData(queue, memory, 8, null(), 0, 0, 0)
    );
}

#[test]
fn attributes_are_answered_as_they_were_set() {
    let _world = world();
    let attributes = attributes(c"kept", 5);
    let (mut name, mut depth, mut length) = (null::<c_char>(), 0_u32, 0);
    let kinds = (acltdtQueueAttrType::ACL_TDT_QUEUE_NAME_PTR, acltdtQueueAttrType::ACL_TDT_QUEUE_DEPTH_UINT32);
    let place = (&raw mut name).cast();
    ok!(tensor_queue::acltdtGetQueueAttr(attributes, kinds.0, 8, &mut length, place));
    assert_eq!((string(name).as_str(), length), ("kept", 8));
    let place = (&raw mut depth).cast();
    ok!(tensor_queue::acltdtGetQueueAttr(attributes, kinds.1, 4, &mut length, place));
    assert_eq!((depth, length), (5, 4));
    fails!(
        ACL_ERROR_INVALID_PARAM,
        "room for 3",
        tensor_queue::acltdtGetQueueAttr(attributes, kinds.1, 3, &mut length, place)
    );
    fails!(
        ACL_ERROR_INVALID_PARAM,
        "said to have 19 bytes, expected at most 8",
        tensor_queue::acltdtSetQueueAttr(attributes, kinds.0, 19, place)
    );
    let long = c(&"n".repeat(128));
    let long = long.as_ptr();
    fails!(
        ACL_ERROR_INVALID_PARAM,
        "the name has 128 bytes",
        tensor_queue::acltdtSetQueueAttr(attributes, kinds.0, 8, at(&long))
    );
    let mut number = 0;
    ok!(tensor_queue::acltdtCreateQueue(attributes, &mut number));
    fails!(ACL_ERROR_INVALID_PARAM, "already", tensor_queue::acltdtCreateQueue(attributes, &mut number));
    ok!(tensor_queue::acltdtCreateQueue(null(), &mut number));
    for depth in [0, 1] {
        let small = self::attributes(c"small", depth);
        fails!(ACL_ERROR_RT_PARAM_INVALID, "at least 2", tensor_queue::acltdtCreateQueue(small, &mut number));
    }
}

fn list(routes: &[(u32, u32)]) -> *mut acltdtQueueRouteList {
    let list = call!(tensor_queue::acltdtCreateQueueRouteList());
    for (source, target) in routes {
        let route = call!(tensor_queue::acltdtCreateQueueRoute(*source, *target));
        ok!(tensor_queue::acltdtAddQueueRoute(list, route));
        ok!(tensor_queue::acltdtDestroyQueueRoute(route));
    }
    list
}

/// Source, target and status of each route.
fn routes(list: *mut acltdtQueueRouteList) -> Vec<[u32; 3]> {
    let route = call!(tensor_queue::acltdtCreateQueueRoute(0, 0));
    let of = |index| {
        ok!(tensor_queue::acltdtGetQueueRoute(list, index, route));
        [0, 1, 2].map(|kind| {
            let (mut value, mut length) = (99_u32, 0);
            let place = (&raw mut value).cast();
            let kind = acltdtQueueRouteParamType(kind);
            ok!(tensor_queue::acltdtGetQueueRouteParam(route, kind, 4, &mut length, place));
            value
        })
    };
    (0..call!(tensor_queue::acltdtGetQueueRouteNum(list))).map(of).collect()
}

#[test]
fn data_goes_along_the_routes_to_each_queue_and_waits_where_there_is_no_room() {
    let _world = world();
    let [a, b, c] = [c"a", c"b", c"c"].map(|name| queue(name, 2));
    let forward = list(&[(a, b), (a, c)]);
    ok!(tensor_queue::acltdtBindQueueRoutes(forward));
    assert_eq!(routes(forward), [[a, b, ACL_TDT_QUEUE_ROUTE_BIND], [a, c, ACL_TDT_QUEUE_ROUTE_BIND]]);
    for data in [b"one", b"two", b"six"] {
        send(a, data);
    }
    assert_eq!(receive(b).0, b"one");
    for data in [b"one", b"two", b"six"] {
        assert_eq!(receive(c).0, data);
    }
    assert_eq!([receive(b).0, receive(b).0], [b"two", b"six"]);
    // Back to the start would be a circle.
    let back = list(&[(c, a)]);
    fails!(ACL_ERROR_FAILURE, "a circle", tensor_queue::acltdtBindQueueRoutes(back));
    assert_eq!(routes(back), [[c, a, ACL_TDT_QUEUE_ROUTE_BIND_ABNORMAL]]);
    fails!(ACL_ERROR_FAILURE, "unbind them first", tensor_queue::acltdtDestroyQueue(b));
    ok!(tensor_queue::acltdtUnbindQueueRoutes(forward));
    assert_eq!(routes(forward)[0][2], ACL_TDT_QUEUE_ROUTE_UNBIND);
    send(a, b"three");
    assert_eq!(receive(a).0, b"three");
    ok!(tensor_queue::acltdtDestroyQueue(b));
}

#[test]
fn routes_are_found_by_their_ends() {
    let _world = world();
    let [a, b, c] = [c"a", c"b", c"c"].map(|name| queue(name, 2));
    ok!(tensor_queue::acltdtBindQueueRoutes(list(&[(a, b), (a, c), (b, c)])));
    let query = call!(tensor_queue::acltdtCreateQueueRouteQueryInfo());
    let found = list(&[(c, c)]);
    let set = |kind, value: u32| {
        let kind = acltdtQueueRouteQueryInfoParamType(kind);
        ok!(tensor_queue::acltdtSetQueueRouteQueryInfo(query, kind, 4, at(&value)));
    };
    fails!(ACL_ERROR_INVALID_PARAM, "no mode", tensor_queue::acltdtQueryQueueRoutes(query, found));
    assert_eq!(routes(found), [[0; 3]; 0], "the vendor's library clears the list first");
    set(0, acltdtQueueRouteQueryMode::ACL_TDT_QUEUE_ROUTE_QUERY_SRC.0);
    fails!(ACL_ERROR_INVALID_PARAM, "the source", tensor_queue::acltdtQueryQueueRoutes(query, found));
    set(1, a);
    ok!(tensor_queue::acltdtQueryQueueRoutes(query, found));
    assert_eq!(routes(found), [[a, b, 1], [a, c, 1]]);
    set(2, c);
    set(0, acltdtQueueRouteQueryMode::ACL_TDT_QUEUE_ROUTE_QUERY_DST.0);
    ok!(tensor_queue::acltdtQueryQueueRoutes(query, found));
    assert_eq!(routes(found), [[a, c, 1], [b, c, 1]]);
    set(0, acltdtQueueRouteQueryMode::ACL_TDT_QUEUE_ROUTE_QUERY_SRC_AND_DST.0);
    ok!(tensor_queue::acltdtQueryQueueRoutes(query, found));
    assert_eq!(routes(found), [[a, c, 1]]);
    set(0, acltdtQueueRouteQueryMode::ACL_TDT_QUEUE_ROUTE_QUERY_ABNORMAL.0);
    ok!(tensor_queue::acltdtQueryQueueRoutes(query, found));
    assert_eq!(routes(found), [[0; 3]; 0]);
}

/// A thread that waits for data gets what another one sends.
#[test]
fn a_wait_without_a_limit_ends_when_something_comes() {
    let _world = world();
    let queue = queue(c"late", 2);
    let sender = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        ok!(device::aclrtSetDevice(0));
        send(queue, b"late");
    });
    let (mut data, mut length) = ([0_u8; 8], 0);
    let place = data.as_mut_ptr().cast();
    ok!(tensor_queue::acltdtDequeueData(queue, place, 8, &mut length, null_mut(), 0, -1));
    assert_eq!(&data[..length], b"late");
    sender.join().unwrap();
}

#[test]
fn shared_buffers_are_refused_as_on_a_host() {
    let _world = world();
    let mut buffer = acltdtBuf::NULL;
    assert_eq!(call!(tensor_queue::acltdtAllocBuf(64, 0, &mut buffer)), ACL_ERROR_FEATURE_UNSUPPORTED);
    assert!(text().contains("acltdtEnqueueData"), "{}", text());
    assert_eq!(call!(tensor_queue::acltdtAllocBuf(64, 2, &mut buffer)), ACL_ERROR_INVALID_PARAM);
    assert_eq!(call!(tensor_queue::acltdtAllocBuf(64, 0, null_mut())), ACL_ERROR_INVALID_PARAM);
    assert_eq!(call!(tensor_queue::acltdtEnqueue(0, buffer, 0)), ACL_ERROR_FEATURE_UNSUPPORTED);
}

#[test]
fn data_that_waited_for_a_route_goes_on_when_that_is_unbound() {
    let _world = world();
    let [a, b, c] = [c"a", c"b", c"c"].map(|name| queue(name, 2));
    ok!(tensor_queue::acltdtBindQueueRoutes(list(&[(a, b), (a, c)])));
    for data in [b"one", b"two"] {
        send(a, data);
        assert_eq!(receive(c).0, data);
    }
    send(a, b"six");
    ok!(tensor_queue::acltdtUnbindQueueRoutes(list(&[(a, b)])));
    assert_eq!(receive(c).0, b"six");
    assert_eq!([receive(b).0, receive(b).0], [b"one", b"two"]);
}
