//! Blocks that the library takes from the caller's allocator and gives back, and work of its pools and of channels.

use super::allocators::{give_back, lender};
use super::support::*;
use ascendcl_rules::*;

fn part(block: Object, index: u64) -> Object {
    Object::memory(block.number + 64 * index)
}

fn work(p: &mut Program, stream: Object) -> Event {
    let event = p.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream)).flag(Flag::Allocates);
    p.begin(&event);
    event
}

fn take(p: &mut Program, stream: Object, start: Object) {
    let take = p.event("aclopExecuteV2", Object::allocator(1), Op::Take).using(Use::With(stream));
    p.see(&take.using(memory(start, 64, Access::Write, Role::Workspace, None)), Outcome::Success);
}

#[test]
fn a_block_that_an_allocator_got_back_is_free() {
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
}

#[test]
fn memory_is_freed_in_the_free_function_of_its_thread_or_elsewhere() {
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
    // The block is back from where the free function begins, so no other use of it is under way.
    assert_eq!(freed(3, Op::GiveBack), [ALLOC_11]);
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
}

#[test]
fn a_block_is_device_memory_of_its_stream() {
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

#[test]
fn refused_work_of_a_pool_or_a_channel_is_not_waited_for() {
    let pool = |outcome: Option<Outcome>| {
        broken(|p| {
            let (pool, stream) = (p.event("aclrtMemPoolCreate", Object::pool(0), Op::Create), p.stream());
            let pool = p.create(&pool.using(Use::With(Object::device(0))));
            let takes = p.event("aclrtMemPoolMallocAsync", Object::memory(0), Op::Allocate).flag(Flag::Pooled);
            p.begin(&takes.clone().using(Use::Queue(stream)).using(Use::With(pool)));
            outcome.into_iter().for_each(|outcome| p.checker.commit(&takes, outcome));
            p.call("aclrtMemPoolSetAttr", pool, Op::Change);
            p.call("aclrtMemPoolDestroy", pool, Op::Destroy);
        })
    };
    assert_eq!(pool(Some(Outcome::Refused)), []);
    assert_eq!(pool(None), [MEM_18]);
    let changed = broken(|p| {
        let pool = p.event("aclrtMemPoolCreate", Object::pool(0), Op::Create);
        let (pool, stream) = (p.create(&pool.using(Use::With(Object::device(0)))), p.stream());
        let takes = p.event("aclrtMemPoolMallocAsync", Object::memory(0), Op::Allocate).flag(Flag::Pooled);
        p.create(&takes.using(Use::Queue(stream)).using(Use::With(pool)));
        p.call("aclrtMemPoolSetAttr", pool, Op::Change);
    });
    assert_eq!(changed, []);
    // Two streams without an order, which was told, and a free on the first of them.
    let freed = broken(|p| {
        let pool = p.event("aclrtMemPoolCreate", Object::pool(0), Op::Create);
        let pool = p.create(&pool.using(Use::With(Object::device(0))));
        let (h, streams) = (p.malloc_host(128), [0; 2].map(|_| p.stream()));
        let takes = p.event("aclrtMemPoolMallocAsync", Object::memory(0), Op::Allocate).flag(Flag::Pooled);
        let takes = takes.using(Use::Queue(streams[0])).using(Use::With(pool));
        let block = p.create(&takes.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE)));
        p.copy(block, h, streams[0]);
        p.copy(block, part(h, 1), streams[1]);
        let frees = p.event("aclrtMemPoolFreeAsync", block, Op::Free).flag(Flag::Pooled);
        p.see(&frees.using(Use::Queue(streams[0])), Outcome::Success);
    });
    assert_eq!(freed, [STREAM_04]);
    let channel = |outcome: Outcome, memory_too: bool| {
        broken(|p| {
            let creates = p.event("acldvppCreateChannel", Object::channel(0), Op::Create);
            let (channel, a, streams) = (p.create(&creates), p.malloc(64), [0; 2].map(|_| p.stream()));
            for (stream, outcome) in streams.into_iter().zip([outcome, Outcome::Success]) {
                let work = p.event("acldvppVpcResizeAsync", stream, Op::Use).using(Use::Queue(stream));
                let mut work = work.using(Use::With(channel));
                work.uses.extend(memory_too.then_some(memory(a, 64, Access::Write, Role::Output, None)));
                p.see(&work, outcome);
            }
        })
    };
    assert_eq!(channel(Outcome::Refused, false), []);
    assert_eq!(channel(Outcome::Success, false), [DVPP_01]);
    assert_eq!(channel(Outcome::Success, true), [STREAM_04]);
}

#[test]
fn an_allocator_may_have_no_block() {
    let run = |says_so: bool| {
        move |p: &mut Program| {
            let (_, stream, allocator) = lender(p);
            let first = work(p, stream);
            let take = p.event("aclopExecuteV2", allocator, Op::Take).using(Use::With(stream));
            let take = take.using(memory(Object::memory(0), 64, Access::Write, Role::Workspace, None));
            p.see(&if says_so { take.flag(Flag::NoBlock) } else { take }, Outcome::Success);
            p.checker.commit(&first, Outcome::Success);
        }
    };
    breaks(ALLOC_19, run(false), run(true));
}
