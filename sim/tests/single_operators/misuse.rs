//! Blocks that cannot be used are refused, and every broken rule is found.

use crate::pool::*;
use crate::support::*;
use crate::tensors::*;
use ascendcl_rules as rules;
use ascendcl_sim::{Checks, Config, control};
use std::ptr::without_provenance_mut;

/// A stream with a pool whose next block is at this address.
fn gives(pool: &'static Pool, address: usize) -> aclrtStream {
    let stream = stream();
    pool.register(stream);
    pool.gives(Gives::This(address));
    stream
}

fn run(stream: aclrtStream) -> aclError {
    let [a, y] = [input(&[1], &[-7_i32]), output::<i32>(&[1], 1)];
    execute("Relu", &[a], y, NO_ATTRIBUTES, stream)
}

#[test]
fn a_block_that_is_not_aligned_is_refused_and_given_back() {
    let _machine = watched_device();
    let pool = Pool::new(4096);
    let at = pool.region() + 32;
    fails!(ACL_ERROR_RT_ADDR_UNALIGNED, "a multiple of 64", run(gives(pool, at)));
    let found = control::findings();
    let unaligned = found.iter().find(|finding| finding.rule == rules::MEM_08).unwrap();
    let told = format!("allocator object {:#x} returns a block at {at:#x}", pool.number());
    assert!(unaligned.found.contains(&told), "{unaligned}");
    assert_eq!(findings(), [rules::MEM_08]);
    assert_eq!(pool.calls(), [Call::Allocate(160), Call::Free(at)]);
}

#[test]
fn a_block_that_is_not_device_memory_is_refused_and_given_back() {
    let _machine = watched_device();
    let pool = Pool::new(4096);
    let pinned = malloc_host(4096).addr().next_multiple_of(64);
    fails!(ACL_ERROR_RT_PARAM_INVALID, "one live block of device 0", run(gives(pool, pinned)));
    let near_end = pool.region() + 4096;
    fails!(ACL_ERROR_RT_PARAM_INVALID, "160 bytes of one live block", run(gives(pool, near_end)));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "one live block", run(gives(pool, 64)));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "at 0x0", run(gives(pool, 0)));
    assert_eq!(findings(), [rules::ALLOC_19], "the same again is told once");
    assert_eq!(pool.out(), 0);
}

#[test]
fn a_block_of_another_device_is_refused() {
    let _machine = watched_device();
    ok!(aclrtSetDevice(1));
    let pool = Pool::new(4096);
    ok!(aclrtSetDevice(0));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "device 0", run(gives(pool, pool.region())));
    assert_eq!(findings(), [rules::ALLOC_19]);
}

#[test]
fn a_block_over_another_in_use_is_refused() {
    let _machine = watched_device();
    let pool = Pool::new(1 << 16);
    let stream = gives(pool, pool.region() + 64);
    let open = hold_up(stream);
    assert_eq!(run(stream), ACL_SUCCESS);
    for start in [0, 64 + 128] {
        pool.gives(Gives::This(pool.region() + start));
        fails!(ACL_ERROR_RT_PARAM_INVALID, "overlap the 160 bytes", run(stream));
    }
    // Right before it and right behind it there is room.
    pool.gives(Gives::This(pool.region() + 64 + 192));
    assert_eq!(run(stream), ACL_SUCCESS);
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    let found = control::findings();
    let told = format!("bytes at {:#x} that the library still uses", pool.region() + 64);
    assert!(found.iter().any(|finding| finding.found.contains(&told)), "{found:?}");
    assert_eq!(findings(), [rules::ALLOC_19], "the same again is told once");
    assert_eq!((pool.out(), pool.calls().len()), (0, 8), "four times taken, four times given back");
}

#[test]
fn a_block_that_is_given_twice_is_freed_once() {
    let _machine = watched_device();
    let pool = Pool::new(1 << 16);
    let stream = gives(pool, pool.region());
    let open = hold_up(stream);
    assert_eq!(run(stream), ACL_SUCCESS);
    fails!(ACL_ERROR_RT_PARAM_INVALID, "overlap", run(stream));
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.calls(), [Call::Allocate(160), Call::Allocate(160), Call::Free(pool.region())]);
    assert_eq!(run(stream), ACL_SUCCESS, "it is free again");
    ok!(aclrtSynchronizeStream(stream));
}

#[test]
fn two_streams_at_work_with_one_allocator_are_noticed() {
    let _machine = watched_device();
    let (pool, [first, second]) = (Pool::new(1 << 16), [(); 2].map(|()| stream()));
    pool.register(first);
    pool.register(second);
    assert_eq!(run(first), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(first));
    assert_eq!(run(second), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(second));
    assert_eq!(findings(), [], "one after the other they may");

    let open = hold_up(first);
    assert_eq!(run(first), ACL_SUCCESS);
    assert_eq!(run(first), ACL_SUCCESS, "the same stream may");
    assert_eq!(findings(), []);
    assert_eq!(run(second), ACL_SUCCESS, "it goes on, as in the vendor's library");
    let found = control::findings();
    let concurrent = found.iter().find(|finding| finding.rule == rules::ALLOC_10).unwrap();
    let objects: Vec<_> = concurrent.objects.iter().map(|concerned| concerned.object.number).collect();
    assert_eq!(objects[..2], [second, first].map(|stream| stream.0.addr() as u64));
    assert_eq!(findings(), [rules::ALLOC_10]);
    drop(open);
    ok!(aclrtSynchronizeDevice());
}

#[test]
fn memory_that_is_freed_under_queued_work_is_noticed() {
    let _machine = watched_device();
    let (pool, stream) = (Pool::new(1 << 16), stream());
    pool.register(stream);
    let [a, y] = [input(&[1], &[-7_i32]), input(&[1], &[5_i32])];
    let open = hold_up(stream);
    assert_eq!(execute("Relu", &[a], y, NO_ATTRIBUTES, stream), ACL_SUCCESS);
    assert_eq!(pool.release(), ACL_SUCCESS);
    assert_eq!(findings(), [rules::ALLOC_11]);
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(y.elements::<i32>(), [0], "and does no harm");
}

#[test]
fn memory_that_is_freed_elsewhere_is_not_noticed() {
    let _machine = watched_device();
    let (pool, stream) = (Pool::new(1 << 16), stream());
    let other = malloc(64);
    pool.register(stream);
    let open = hold_up(stream);
    assert_eq!(run(stream), ACL_SUCCESS);
    ok!(aclrtFree(other));
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.release(), ACL_SUCCESS, "after a synchronise it may");
    assert_eq!(findings(), []);
}

#[test]
fn a_free_function_that_frees_device_memory_is_noticed() {
    let _machine = watched_device();
    let (pool, stream) = (Pool::new(1 << 16), stream());
    pool.register(stream);
    pool.inside_free(|pool| assert_eq!(pool.release(), ACL_SUCCESS));
    assert_eq!(run(stream), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(findings(), [rules::ALLOC_14]);
}

#[test]
fn a_registration_that_a_stream_leaves_behind_is_noticed() {
    let _machine = watched_device();
    let (pool, stream) = (Pool::new(1 << 16), stream());
    pool.register(stream);
    ok!(aclrtDestroyStream(stream));
    assert_eq!(findings(), [rules::ALLOC_16]);
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "stream", run(stream));
    assert!(control::findings().iter().any(|finding| finding.rule == rules::STREAM_08));
    assert_eq!(pool.calls(), []);

    let never = aclrtStream(without_provenance_mut(0x1234));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "stream", run(never));
    assert_eq!(findings(), [], "nothing was registered for it");
}

#[test]
fn an_allocator_that_serves_nothing_is_told_to_those_who_ask_for_advice() {
    for (advice, told) in [(false, &[][..]), (true, &[rules::ALLOC_13])] {
        let _machine = fresh();
        control::configure(Config::new().checks(Checks::Report).advice(advice)).unwrap();
        control::take_findings();
        ok!(aclrtSetDevice(0));
        let (pool, one, other) = (Pool::new(1 << 16), stream(), stream());
        pool.register(one);
        assert_eq!(run(other), ACL_SUCCESS);
        ok!(aclrtSynchronizeStream(other));
        ok!(aclrtAllocatorUnregister(one));
        assert_eq!(findings(), told);
    }
}

#[test]
fn memory_that_was_freed_is_found_before_an_operator_uses_it() {
    let _machine = watched_device();
    let [a, y] = [input(&[1], &[-7_i32]), output::<i32>(&[1], 1)];
    ok!(aclrtFree(a.address));
    assert_ne!(execute("Relu", &[a], y, NO_ATTRIBUTES, stream()), ACL_SUCCESS);
    let found: Vec<_> = control::take_findings().iter().map(|finding| finding.rule).collect();
    assert_eq!(found, [rules::INIT_01, rules::DATA_02], "these tests initialise nothing");
}
