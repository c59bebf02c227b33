//! The library gives an address or a handle out again as soon as its object has ended. Another thread may have it before the
//! call that ended the object has returned. Both threads keep the rules.

use crate::support::*;
use ascendcl_rules::*;

/// Which of the two calls is judged first; they overlap either way.
const ORDERS: [bool; 2] = [false, true];

/// The first thread's call `ending` ends its object. Before it has returned, `making` of the second thread returns with
/// what has the number `made`, and the second thread does `then`.
fn overlap(p: &mut Program, ending: &Event, making: &Event, made: u64, first: bool, then: impl FnOnce(&mut Program)) {
    if first {
        p.begin(ending);
        p.begin(making);
    } else {
        p.begin(making);
        p.begin(ending);
    }
    p.checker.commit(making, Outcome::Created(made));
    then(p.on(1));
    p.checker.commit(ending, Outcome::Success);
    p.on(1);
}

/// The same in both orders; afterwards the second thread does `last`.
fn overlapping(
    old: impl Fn(&mut Program) -> Object,
    ending: (&'static str, Op),
    making: impl Fn(&mut Program) -> Event,
    made: impl Fn(Object) -> u64,
    then: impl Fn(&mut Program, Object),
    last: impl Fn(&mut Program, Object),
) {
    for first in ORDERS {
        let found = findings(|p| {
            p.on(1).set(0);
            let old = old(p.on(0));
            let ending = p.on(0).event(ending.0, old, ending.1);
            let making = making(p.on(1));
            let new = Object { number: made(old), ..making.object };
            overlap(p, &ending, &making, new.number, first, |p| then(p, new));
            last(p, new);
        });
        assert_eq!(found, [], "the end judged first: {first}");
    }
}

fn same(object: Object) -> u64 {
    object.number
}

fn allocating(p: &mut Program, bytes: u64) -> Event {
    let event = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
    event.using(memory(Object::memory(0), bytes, Access::Write, Role::Contents, DEVICE))
}

fn uses(p: &mut Program, block: Object) {
    let source = p.malloc_host(64);
    p.copy_as((block, DEVICE), (source, HOST), None);
    p.free_host(source);
}

fn nothing(_: &mut Program, _: Object) {}

const FREE: (&str, Op) = ("aclrtFree", Op::Free);
const DESTROY_STREAM: (&str, Op) = ("aclrtDestroyStream", Op::Destroy);

#[test]
fn a_block_at_a_freed_address_is_used_and_freed() {
    let freed = |p: &mut Program, block| {
        uses(p, block);
        p.free(block);
    };
    let making = |p: &mut Program| allocating(p, 64);
    overlapping(|p| p.malloc(64), FREE, making, same, uses, freed);
    overlapping(|p| p.malloc(64), FREE, making, same, nothing, freed);
    overlapping(|p| p.malloc(64), FREE, making, same, freed, nothing);
}

#[test]
fn a_block_in_the_place_of_a_larger_one_is_used_and_freed() {
    let freed = |p: &mut Program, block| {
        uses(p, block);
        p.free(block);
    };
    let middle = |old: Object| old.number + 256;
    overlapping(|p| p.malloc(1024), FREE, |p| allocating(p, 64), middle, uses, freed);
    let around = |old: Object| old.number - 256;
    let whole = |p: &mut Program, block: Object| {
        uses(p, Object::memory(block.number + 256));
        uses(p, block);
    };
    let freed = |p: &mut Program, block| {
        whole(p, block);
        p.free(block);
    };
    overlapping(|p| p.malloc(64), FREE, |p| allocating(p, 1024), around, whole, freed);
}

#[test]
fn a_stream_with_the_handle_of_a_destroyed_one_is_used_and_destroyed() {
    let works = |p: &mut Program, stream| {
        p.work(stream);
        p.sync(stream);
    };
    let destroyed = |p: &mut Program, stream| {
        works(p, stream);
        p.destroy(stream);
    };
    let making = |p: &mut Program| p.event("aclrtCreateStream", Object::stream(0), Op::Create);
    overlapping(|p| p.stream(), DESTROY_STREAM, making, same, works, destroyed);
    overlapping(|p| p.stream(), DESTROY_STREAM, making, same, nothing, destroyed);
    overlapping(|p| p.stream(), DESTROY_STREAM, making, same, destroyed, nothing);
}

#[test]
fn an_event_with_the_handle_of_a_destroyed_one_is_used_and_destroyed() {
    let works = |p: &mut Program, event| {
        let stream = p.stream();
        p.record(event, stream);
        p.sync(stream);
        p.destroy(stream);
    };
    let destroyed = |p: &mut Program, event| {
        works(p, event);
        p.destroy(event);
    };
    let making = |p: &mut Program| {
        let event = p.event("aclrtCreateEventWithFlag", Object::event(0), Op::Create);
        event.flag(Flag::Waitable).flag(Flag::Timed)
    };
    overlapping(|p| p.mark(), ("aclrtDestroyEvent", Op::Destroy), making, same, works, destroyed);
    overlapping(|p| p.mark(), ("aclrtDestroyEvent", Op::Destroy), making, same, destroyed, nothing);
}

#[test]
fn a_context_with_the_handle_of_a_destroyed_one_is_used_and_destroyed() {
    let old = |p: &mut Program| {
        let context = p.new_context(0);
        p.choose(Object::context(1000));
        context
    };
    let works = |p: &mut Program, context: Object| {
        *p.context() = Some(context.number);
        let stream = p.stream();
        p.work(stream);
        p.work(Object::stream(0));
        p.sync_device();
        p.destroy(stream);
    };
    let destroyed = |p: &mut Program, context| {
        works(p, context);
        p.destroy_context(context);
    };
    let making = |p: &mut Program| {
        p.event("aclrtCreateContext", Object::context(0), Op::Create).using(Use::With(Object::device(0)))
    };
    overlapping(old, ("aclrtDestroyContext", Op::Destroy), making, same, works, destroyed);
    overlapping(old, ("aclrtDestroyContext", Op::Destroy), making, same, nothing, destroyed);
}

#[test]
fn a_stream_with_the_handle_of_a_default_stream_that_has_gone_is_a_stream_of_its_own() {
    for first in ORDERS {
        let found = findings(|p| {
            p.on(1).set(0);
            let context = p.on(0).new_context(0);
            let ask = p.event("aclrtCtxGetCurrentDefaultStream", Object::stream(0), Op::AskDefaultStream);
            p.see(&ask, Outcome::Created(77));
            let ending = p.event("aclrtDestroyContext", context, Op::Destroy);
            let making = p.on(1).event("aclrtCreateStream", Object::stream(0), Op::Create);
            let stream = Object::stream(77);
            overlap(p, &ending, &making, 77, first, |p| {
                p.work(stream);
                p.sync(stream);
            });
            p.work(stream);
            p.sync(stream);
            p.destroy(stream);
        });
        assert_eq!(found, [], "the end judged first: {first}");
    }
}

#[test]
fn a_refused_end_does_not_undo_the_end_that_another_thread_is_at() {
    let found = broken(|p| {
        p.on(1).set(0);
        let block = p.on(0).malloc(64);
        let ending = p.on(0).event("aclrtFree", block, Op::Free);
        let again = p.on(1).event("aclrtFree", block, Op::Free);
        p.begin(&ending);
        p.begin(&again);
        p.checker.commit(&again, Outcome::Refused);
        p.checker.commit(&ending, Outcome::Success);
        uses(p.on(0), block);
    });
    assert_eq!(found, [MEM_01]);
}

/// The place of the old block is in the middle of the new one. Work there uses the new one.
#[test]
fn work_in_the_place_of_a_freed_block_uses_the_block_that_is_there_now() {
    let run = |waits: bool| {
        findings(|p| {
            p.on(1).set(0);
            let (stream, host) = (p.stream(), p.malloc_host(64));
            let old = p.on(0).malloc(64);
            let (ending, making) = (p.on(0).event("aclrtFree", old, Op::Free), allocating(p.on(1), 1024));
            let new = Object::memory(old.number - 256);
            overlap(p, &ending, &making, new.number, true, |p| p.copy(old, host, stream));
            if waits {
                p.on(1).sync(stream);
            }
            p.free(new);
        })
    };
    assert_eq!(run(true), []);
    let rules: Vec<_> = run(false).iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, [MEM_02]);
}
