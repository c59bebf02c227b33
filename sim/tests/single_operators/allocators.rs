//! The caller's allocator gives the workspaces of operators: when it is called, with what, and how blocks go back.

use crate::pool::*;
use crate::support::*;
use crate::tensors::*;
use ascendcl_rules as rules;
use ascendcl_sim::control;
use ascendcl_sim::exports::model_instance::*;
use std::thread;

#[test]
fn an_operator_takes_one_block_and_gives_it_back() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    pool.register(stream);
    let y = add(stream);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(y.elements::<f32>(), [3.0]);
    // Three operands of 4 bytes, each in 64, and 32 bytes beyond.
    assert_eq!(pool.calls(), [Call::Allocate(3 * 64 + 32), Call::Free(pool.region())]);
    assert_eq!(pool.threads()[0], thread::current().id(), "the caller's thread asks");
    assert_ne!(pool.threads()[1], thread::current().id(), "the thread that ran it gives back");
    assert_eq!(pool.out(), 0);
    assert_eq!(findings(), []);
}

#[test]
fn the_workspace_is_really_used() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(4096));
    pool.register(stream);
    let [a, b, y] = [input(&[2], &[1_i32, 2]), input(&[2], &[30_i32, 40]), output::<i32>(&[2], 2)];
    assert_eq!(execute("Add", &[a, b], y, NO_ATTRIBUTES, stream), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(stream));
    let used = read(std::ptr::without_provenance_mut(pool.region()), 192);
    let at = |offset: usize| i32::from_le_bytes(used[offset..offset + 4].try_into().unwrap());
    assert_eq!([at(0), at(4), at(64), at(68), at(128), at(132)], [1, 2, 30, 40, 31, 42]);
}

#[test]
fn a_block_is_kept_until_its_operator_ran() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    pool.register(stream);
    let open = hold_up(stream);
    let outputs: Vec<_> = (0..3).map(|_| add(stream)).collect();
    thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!((pool.out(), pool.calls().len()), (3, 3), "all blocks at the same time, and none back");
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!((pool.out(), pool.calls().len()), (0, 6), "what was synchronised has given back");
    outputs.iter().for_each(|y| assert_eq!(y.elements::<f32>(), [3.0]));
    assert_eq!(findings(), []);
}

#[test]
fn every_block_comes_back_once_from_a_thousand_operators() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    pool.register(stream);
    let [a, b, y] = [input(&[1], &[1_i32]), input(&[1], &[2_i32]), output::<i32>(&[1], 1)];
    for _ in 0..1000 {
        assert_eq!(execute("Add", &[a, b], y, NO_ATTRIBUTES, stream), ACL_SUCCESS, "{}", message());
    }
    ok!(aclrtSynchronizeStream(stream));
    let freed = |calls: Vec<Call>| calls.iter().filter(|call| matches!(call, Call::Free(_))).count();
    assert_eq!((pool.out(), pool.calls().len(), freed(pool.calls())), (0, 2000, 1000));
    assert_eq!(findings(), []);
}

#[test]
fn two_threads_are_never_inside_one_allocator() {
    let _machine = watched_device();
    let pool = Pool::new(1 << 20);
    let mut current = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut current));
    thread::scope(|scope| {
        for _ in 0..4 {
            let current = Shared(current);
            scope.spawn(move || {
                ok!(aclrtSetCurrentContext(current.get()));
                let stream = stream();
                pool.register(stream);
                let [a, y] = [input(&[1], &[1_i32]), output::<i32>(&[1], 1)];
                for _ in 0..200 {
                    // The pool panics in a callback, and so ends the process, when two threads are in it.
                    assert_eq!(execute("Relu", &[a], y, NO_ATTRIBUTES, stream), ACL_SUCCESS, "{}", message());
                }
                ok!(aclrtSynchronizeStream(stream));
            });
        }
    });
    soon("the last block's return", || pool.out() == 0);
    assert_eq!(pool.calls().len(), 1600);
}

#[test]
fn the_last_registration_counts_and_blocks_go_back_to_where_they_came_from() {
    let _machine = watched_device();
    let (stream, [first, second]) = (stream(), [(); 2].map(|()| Pool::new(1 << 20)));
    first.register(stream);
    let open = hold_up(stream);
    add(stream);
    second.register(stream);
    add(stream);
    ok!(aclrtAllocatorUnregister(stream));
    assert_eq!((first.out(), second.out()), (1, 1));
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(first.calls(), [Call::Allocate(224), Call::Free(first.region())]);
    assert_eq!(second.calls(), [Call::Allocate(224), Call::Free(second.region())]);
    add(stream);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!((first.calls().len(), second.calls().len()), (2, 2), "it is registered no longer");
}

#[test]
fn a_registration_after_the_first_operator_is_ignored() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    add(stream);
    pool.register(stream);
    add(stream);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.calls(), []);
    assert_eq!(findings(), [rules::ALLOC_15]);
}

#[test]
fn the_default_stream_has_an_allocator_by_its_handle() {
    let _machine = watched_device();
    let (mut default, pool) = (aclrtStream::NULL, Pool::new(4096));
    ok!(aclrtCtxGetCurrentDefaultStream(&mut default));
    pool.register(default);
    add(aclrtStream::NULL);
    ok!(aclrtSynchronizeStream(aclrtStream::NULL));
    assert_eq!(pool.calls().len(), 2);
}

#[test]
fn without_a_block_the_call_fails_and_nothing_is_queued() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(4096));
    pool.register(stream);
    pool.gives(Gives::Nothing);
    let [a, y] = [input(&[1], &[-7_i32]), input(&[1], &[5_i32])];
    let blocks = control::live().device_blocks;
    let run = || execute("Relu", &[a], y, NO_ATTRIBUTES, stream);
    fails!(ACL_ERROR_RT_MEMORY_ALLOCATION, "no block of 160 bytes", run());
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(y.elements::<i32>(), [5]);
    assert_eq!(pool.calls(), [Call::Allocate(160)], "nothing to free");
    assert_eq!(control::live().device_blocks, blocks);
    assert_eq!(findings(), [], "an allocator may have no block");

    pool.gives(Gives::Blocks);
    assert_eq!(run(), ACL_SUCCESS, "the stream still has its allocator");
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(y.elements::<i32>(), [0]);
}

#[test]
fn a_pool_that_is_too_small_runs_out_while_work_is_queued() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(512));
    pool.register(stream);
    let open = hold_up(stream);
    let [a, y] = [input(&[1], &[-7_i32]), output::<i32>(&[1], 1)];
    let run = || execute("Relu", &[a], y, NO_ATTRIBUTES, stream);
    assert_eq!([run(), run()], [ACL_SUCCESS; 2]);
    fails!(ACL_ERROR_RT_MEMORY_ALLOCATION, "no block", run());
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(run(), ACL_SUCCESS, "the blocks are back");
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.out(), 0);
}

#[test]
fn blocks_of_discarded_work_come_back() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    pool.register(stream);
    let open = hold_up(stream);
    add(stream);
    add(stream);
    ok!(aclrtStreamAbort(stream));
    assert_eq!((pool.out(), pool.calls().len()), (0, 4));
    add(stream);
    drop(open);
    ok!(aclrtDestroyStream(stream));
    assert_eq!((pool.out(), pool.calls().len()), (0, 6), "destroying a stream finishes its work");
}

#[test]
fn an_allocator_without_a_free_function_keeps_its_blocks() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    pool.register(stream);
    let desc = acl!(aclrtAllocatorCreateDesc());
    let (mut object, mut allocate, mut free, mut advise, mut address) = (aclrtAllocator::NULL, None, None, None, None);
    let mut found = aclrtAllocatorDesc::NULL;
    ok!(aclrtAllocatorGetByStream(
        stream,
        &mut found,
        &mut object,
        &mut allocate,
        &mut free,
        &mut advise,
        &mut address
    ));
    ok!(aclrtAllocatorSetObjToDesc(desc, object));
    ok!(aclrtAllocatorSetAllocFuncToDesc(desc, allocate));
    ok!(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address));
    ok!(aclrtAllocatorRegister(stream, desc));
    add(stream);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.calls(), [Call::Allocate(224)]);
}

#[test]
fn a_captured_operator_keeps_its_block_for_every_replay_whatever_is_registered_meanwhile() {
    let _machine = watched_device();
    let (stream, pool, other) = (stream(), Pool::new(1 << 20), Pool::new(1 << 20));
    pool.register(stream);
    let mode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    ok!(aclmdlRICaptureBegin(stream, mode));
    let y = add(stream);
    ok!(aclrtAllocatorUnregister(stream));
    other.register(stream);
    let mut instance = aclmdlRI::NULL;
    ok!(aclmdlRICaptureEnd(stream, &mut instance));
    assert_eq!(pool.calls(), [Call::Allocate(3 * 64 + 32)]);
    for _ in 0..2 {
        ok!(aclmdlRIExecuteAsync(instance, stream));
        ok!(aclrtSynchronizeStream(stream));
        assert_eq!(y.elements::<f32>(), [3.0]);
        assert_eq!(pool.out(), 1);
    }
    ok!(aclmdlRIDestroy(instance));
    assert_eq!((pool.out(), other.calls().len()), (0, 0), "the block goes back with the instance");
}

#[test]
fn memory_of_an_allocator_is_freed_after_the_graph_whose_operators_have_it() {
    for destroyed in [false, true] {
        let _machine = watched_device();
        let (stream, pool) = (stream(), Pool::new(4096));
        pool.register(stream);
        let mut graph = aclmdlRI::NULL;
        ok!(aclmdlRICaptureBegin(stream, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        add(stream);
        ok!(aclmdlRICaptureEnd(stream, &mut graph));
        assert_eq!(pool.out(), 1, "the graph has it");
        if destroyed {
            ok!(aclmdlRIDestroy(graph));
        }
        ok!(aclrtFree(std::ptr::without_provenance_mut(pool.region())));
        let found = control::take_findings().iter().filter(|finding| finding.rule == rules::GRAPH_05).count();
        assert_eq!(found, usize::from(!destroyed));
    }
}
