//! What is used in a context or on a device that is not its own.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn what_is_used_while_one_wrong_context_is_current_is_one_mistake() {
    let run = |chosen_again: bool| {
        broken(|p| {
            let (stream, other) = (p.stream(), p.stream());
            p.set(1);
            p.work(stream);
            let mark = p.mark();
            p.record(mark, stream);
            if chosen_again {
                p.set(0);
                p.set(1);
            }
            let destroy = p.event("aclrtDestroyStream", stream, Op::Destroy);
            p.see(&destroy, Outcome::Refused);
            p.work(other);
        })
    };
    assert_eq!(run(false), [STREAM_10, STREAM_10], "one for each stream");
    assert_eq!(run(true), [STREAM_10, STREAM_06, STREAM_10]);
}

#[test]
fn runs_of_a_model_on_a_stream_of_another_context_are_one_mistake() {
    let found = broken(|p| {
        let (model, stream, block) = (p.load(None, None), p.stream(), p.malloc(64));
        let (data, _) = p.dataset(block);
        p.new_context(0);
        for _ in 0..3 {
            p.run(model, data, data, stream);
        }
    });
    assert_eq!(found, [STREAM_09]);
}

#[test]
fn memory_of_another_device_is_one_mistake_whatever_uses_it() {
    let found = broken(|p| {
        let (block, second, host) = (p.malloc(64), p.malloc(64), p.malloc_host(64));
        p.set(1);
        let stream = p.stream();
        p.copy(block, host, stream);
        p.copy(host, block, stream);
        let mark = p.event("aclrtMemsetAsync", stream, Op::Fill).using(Use::Queue(stream));
        p.see(&mark.using(memory(block, 64, Access::Write, Role::Target, None)), Outcome::Success);
        p.copy(second, host, stream);
        p.sync(stream);
    });
    assert_eq!(found, [MEM_11, MEM_11], "one for each block");
}

#[test]
fn a_finding_of_another_kind_tells_nothing_of_the_context() {
    let run = |elsewhere: bool| {
        broken(|p| {
            let event = p.event("aclrtCreateStreamWithConfig", Object::stream(0), Op::Create).flag(Flag::Persistent);
            let stream = p.create(&event);
            if elsewhere {
                p.new_context(0);
            }
            // A wait works in every context.
            p.sync(stream);
            p.work(stream);
        })
    };
    assert_eq!(run(true), [STREAM_13, STREAM_09]);
    assert_eq!(run(false), [STREAM_13]);
}

#[test]
fn what_was_told_of_an_end_in_a_wrong_context_is_not_told_of_work() {
    let found = broken(|p| {
        p.new_context(0);
        let streams = [0; 2].map(|_| p.stream());
        p.choose(Object::context(1000));
        p.destroy(streams[0]);
        p.work(streams[1]);
    });
    assert_eq!(found, [STREAM_06, STREAM_09]);
}

#[test]
fn a_stream_that_was_refused_to_end_may_end_in_another_context_and_not_work_there() {
    let run = |then: fn(&mut Program, Object)| {
        broken(|p| {
            p.new_context(0);
            let stream = p.stream();
            p.work(stream);
            p.refused("aclrtDestroyStream", stream, Op::Destroy);
            p.choose(Object::context(1000));
            then(p, stream);
        })
    };
    assert_eq!(run(Program::destroy), [STREAM_05]);
    assert_eq!(run(Program::work), [STREAM_05, STREAM_09]);
}

#[test]
fn memory_of_another_device_is_copied_at_once_from_every_context() {
    let run = |queued: bool| {
        move |p: &mut Program| {
            p.set(1);
            let (block, host) = (p.malloc(64), p.malloc_host(64));
            p.set(0);
            let stream = p.stream();
            p.copy(block, host, queued.then_some(stream));
        }
    };
    breaks(MEM_11, run(true), run(false));
}

#[test]
fn a_reset_that_leaves_a_context_leaves_its_memory_there() {
    let found = findings(|p| {
        let context = p.new_context(0);
        p.malloc(64);
        p.choose(Object::context(1000));
        p.reset(0);
        let objects: Vec<_> = p.findings[0].objects.iter().map(|about| about.object).collect();
        assert_eq!(objects, [context]);
    });
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [DEV_10]);
}
