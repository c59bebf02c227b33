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
