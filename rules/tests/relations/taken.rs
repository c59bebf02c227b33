//! Blocks that the library takes from the caller's allocator and gives back.

use super::allocators::{give_back, lender};
use super::support::*;
use ascendcl_rules::*;

fn part(block: Object, index: u64) -> Object {
    Object::memory(block.number + 64 * index)
}

#[test]
fn a_block_that_an_allocator_got_back_is_free() {
    let work = |p: &mut Program, stream: Object| {
        let event = p.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream)).flag(Flag::Allocates);
        p.begin(&event);
        event
    };
    let take = |p: &mut Program, stream: Object, start: Object| {
        let take = p.event("aclopExecuteV2", Object::allocator(1), Op::Take).using(Use::With(stream));
        p.see(&take.using(memory(start, 64, Access::Write, Role::Workspace, None)), Outcome::Success);
    };
    let again = |back: bool| {
        broken(|p| {
            let (block, stream, _) = lender(p);
            let first = work(p, stream);
            take(p, stream, block);
            if back {
                give_back(p, block.number, 64);
            }
            take(p, stream, part(block, 1));
            take(p, stream, block);
            p.checker.commit(&first, Outcome::Success);
        })
    };
    assert_eq!(again(true), []);
    assert_eq!(again(false), [ALLOC_19]);
    // The block was taken for the thread's own work on its stream.
    let own = |thread: u64, other_stream: bool| {
        broken(|p| {
            p.on(thread).set(0);
            let (block, stream, _) = lender(p.on(0));
            let (other, mark) = (p.stream(), p.mark());
            let first = work(p, stream);
            p.on(2).set(0);
            p.record(mark, stream);
            (0..3).for_each(|_| p.work(other));
            let queue = if other_stream { other } else { stream };
            let second = p.on(thread).event("a kernel", queue, Op::Use).using(Use::Queue(queue));
            p.begin(&second);
            take(p.on(0), stream, block);
            p.checker.commit(&second, Outcome::Success);
            p.checker.commit(&first, Outcome::Success);
            give_back(p, block.number, 64);
            p.call("aclrtSynchronizeEvent", mark, Op::Synchronize);
            p.free(block);
        })
    };
    assert_eq!(own(1, false), [], "another thread's work on the stream");
    assert_eq!(own(0, true), [], "work on another stream");
    // The free function runs on another thread, or has not begun.
    let freed = |thread: u64, op: Op| {
        broken(|p| {
            let (block, stream, allocator) = lender(p);
            let first = work(p, stream);
            take(p, stream, block);
            p.checker.commit(&first, Outcome::Success);
            let inside = p.on(thread).event("", allocator, op).using(Use::With(stream));
            p.begin(&inside.using(memory(part(block, 2), 64, Access::Write, Role::Workspace, None)));
            p.on(0).free(block);
        })
    };
    assert_eq!(freed(0, Op::GiveBack), [ALLOC_14]);
    assert_eq!(freed(3, Op::GiveBack), [ALLOC_11, MODEL_02]);
    assert_eq!(freed(0, Op::Take), [ALLOC_11]);
    // The stream has gone, and another one has its handle.
    let gone = broken(|p| {
        let (block, stream, _) = lender(p);
        let first = work(p, stream);
        take(p, stream, block);
        p.checker.commit(&first, Outcome::Success);
        give_back(p, block.number, 64);
        p.sync(stream);
        p.unregister(stream);
        p.destroy(stream);
        let creates = p.event("aclrtCreateStream", Object::stream(0), Op::Create);
        p.see(&creates, Outcome::Created(stream.number));
        p.free(block);
    });
    assert_eq!(gone, []);
    // Memory of another device, and memory of the host for a stream that has gone.
    let foreign = |on_host: bool| {
        broken(|p| {
            let (_, stream, _) = lender(p);
            if on_host {
                let h = p.malloc_host(64);
                take(p, Object::stream(0x5), h);
            } else {
                p.set(1);
                let other = p.malloc(64);
                take(p, stream, other);
            }
        })
    };
    assert_eq!(foreign(true), [ALLOC_19]);
    assert_eq!(foreign(false), [ALLOC_19]);
}
