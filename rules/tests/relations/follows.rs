//! One mistake is one finding: what follows from a call that has taken place, and was told, is not told.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn what_a_reset_has_left_over_may_be_ended_afterwards() {
    let left = |end: fn(&mut Program, Object)| {
        broken(move |p| {
            let block = p.malloc(64);
            p.reset(0);
            end(p, block);
            p.finalise();
        })
    };
    assert_eq!(left(|_, _| ()), [MEM_12]);
    assert_eq!(left(|p, block| p.free(block)), [MEM_12]);
    assert_eq!(left(|p, block| p.copy(Object::memory(1), block, None)), [MEM_12]);
    let stream = |end: fn(&mut Program, Object)| {
        broken(move |p| {
            let stream = p.stream();
            p.reset(0);
            end(p, stream);
            p.finalise();
        })
    };
    assert_eq!(stream(|p, stream| p.sync(stream)), [DEV_02]);
    assert_eq!(stream(|p, stream| p.destroy(stream)), [DEV_02]);
    // What was not left over is another matter.
    let found = broken(|p| {
        let block = p.malloc(64);
        p.malloc(64);
        p.free(block);
        p.reset(0);
        p.free(block);
    });
    assert_eq!(found, [MEM_12, MEM_01]);
}

#[test]
fn what_is_ended_after_the_library_was_finalised_is_told_once() {
    let found = broken(|p| {
        let (block, stream) = (p.malloc(64), p.stream());
        p.finalise();
        p.free(block);
        p.destroy(stream);
        p.reset(0);
    });
    assert_eq!(found, [INIT_02]);
    // The library is not set up again. A program that goes on nevertheless ends it, too.
    let found = broken(|p| {
        p.finalise();
        p.set(0);
        p.finalise();
    });
    assert_eq!(found, [INIT_02, INIT_02]);
    // Finalising twice is a mistake of its own.
    let found = broken(|p| {
        p.finalise();
        p.finalise();
    });
    assert_eq!(found, [INIT_02, INIT_08]);
}

#[test]
fn memory_whose_free_was_told_is_used_without_a_further_finding_and_freed_with_one() {
    let early = |then: fn(&mut Program, Object)| {
        broken(move |p| {
            let (block, x) = (p.malloc(64), p.malloc(64));
            let (model, (data, _)) = (p.load(Some(block), None), p.dataset(x));
            p.free(block);
            p.run(model, data, data, None);
            then(p, block);
        })
    };
    assert_eq!(early(|_, _| ()), [MODEL_02]);
    assert_eq!(early(|p, block| p.copy(Object::memory(1), block, None)), [MODEL_02]);
    assert_eq!(early(|p, block| p.free(block)), [MODEL_02, MEM_01]);
    // Memory that has the address by now was not told.
    let found = broken(|p| {
        let (block, x) = (p.malloc(64), p.malloc(64));
        let (model, other) = (p.load(Some(block), None), p.load(None, None));
        let ((data, _), (output, _)) = (p.dataset(block), p.dataset(x));
        p.free(block);
        let event = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
        let event = event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE));
        p.see(&event, Outcome::Created(block.number));
        p.unload(model);
        p.free(block);
        p.run(other, data, output, None);
    });
    assert_eq!(found, [MODEL_02, DATA_02]);
}

#[test]
fn a_wait_that_comes_too_early_is_one_finding() {
    let run = |waits: bool| {
        move |p: &mut Program| {
            let (first, second, mark, block) = (p.stream(), p.stream(), p.mark(), p.malloc(64));
            if waits {
                p.wait(second, mark);
            }
            p.copy(block, Object::memory(1), first);
            p.record(mark, first);
            p.copy(Object::memory(1), block, second);
        }
    };
    assert_eq!(broken(run(true)), [EVENT_05]);
    assert_eq!(broken(run(false)), [STREAM_04]);
}

#[test]
fn a_wait_or_a_record_that_is_refused_is_one_finding() {
    let run = |told: bool, op: Op| {
        broken(move |p| {
            let (first, second, block) = (p.stream(), p.stream(), p.malloc(64));
            let mark = if told { p.new_event(&[Flag::Timed]) } else { p.mark() };
            p.copy(block, Object::memory(1), first);
            if op == Op::Await {
                p.record(mark, first);
            }
            let refused = if op == Op::Await { second } else { first };
            let event = p.event("the call", mark, op).using(Use::Queue(refused));
            p.see(&event, Outcome::Refused);
            p.copy(Object::memory(1), block, second);
        })
    };
    assert_eq!(run(true, Op::Await), [EVENT_02]);
    // A call that failed for no mistake has no effect.
    assert_eq!(run(false, Op::Await), [STREAM_04]);
    let elsewhere = broken(|p| {
        let (stream, mark, own) = (p.stream(), p.mark(), Object::context(1000));
        p.new_context(0);
        let event = p.event("aclrtRecordEvent", mark, Op::Record).using(Use::Queue(stream));
        p.see(&event, Outcome::Refused);
        p.choose(own);
        p.wait(stream, mark);
    });
    assert_eq!(elsewhere, [STREAM_09]);
}

#[test]
fn a_thread_without_a_context_and_a_process_without_the_library_are_told_once() {
    let found = broken(|p| {
        p.on(1).malloc(64);
        p.stream();
        p.sync_device();
        *p.context() = Some(1000);
        p.choose(Object::context(1000));
        p.malloc(64);
        *p.on(2).context() = None;
        p.stream();
    });
    assert_eq!(found, [MEM_06, THREAD_01]);
    let mut program = Program::new();
    let event = program.event("aclrtCreateStream", Object::stream(0), Op::Create);
    program.see(&event, Outcome::Refused);
    program.sync_device();
    assert_eq!(program.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [INIT_01]);
}

#[test]
fn what_is_finalised_under_another_part_of_the_program_is_told_once() {
    let found = broken(|p| {
        let stream = p.stream();
        p.init();
        p.finalise();
        p.sync(stream);
        p.destroy(stream);
        p.reset(0);
    });
    assert_eq!(found, [INIT_07]);
}

#[test]
fn what_a_wait_for_an_event_without_a_record_does_not_order_is_the_same_mistake() {
    let run = |recorded: bool, later: bool| {
        move |p: &mut Program| {
            let (block, [a, b]) = (p.malloc(64), [p.stream(), p.stream()]);
            let mark = p.mark();
            p.copy(block, Object::memory(1), a);
            if recorded {
                p.record(mark, a);
            }
            p.wait(b, mark);
            p.copy(block, Object::memory(1), b);
            if later {
                p.copy(block, Object::memory(1), a);
            }
        }
    };
    assert_eq!(broken(run(true, false)), []);
    assert_eq!(broken(run(false, false)), [EVENT_05]);
    // No wait was meant to order this.
    assert_eq!(broken(run(true, true)), [STREAM_04]);
    assert_eq!(broken(run(false, true)), [EVENT_05, STREAM_04]);
}

#[test]
fn a_description_is_destroyed_before_the_library_is_finalised() {
    let run = |leaves: bool, late: bool| {
        broken(|p| {
            let event = p.event("aclmdlCreateDesc", Object::description(0), Op::Create);
            let (description, block) = (p.create(&event), p.malloc(64));
            let destroy = |p: &mut Program| p.call("aclmdlDestroyDesc", description, Op::Destroy);
            if !late {
                destroy(p);
            }
            if !leaves {
                p.free(block);
            }
            p.reset(0);
            p.finalise();
            if late {
                destroy(p);
            }
        })
    };
    assert_eq!(run(false, false), []);
    assert_eq!(run(false, true), [INIT_02]);
    // The reset has left the block over.
    assert_eq!(run(true, true), [MEM_12, INIT_02]);
    // The finalisation leaves the dataset over: the same mistake.
    let found = broken(|p| {
        let event = p.event("aclmdlCreateDesc", Object::description(0), Op::Create);
        let (description, block) = (p.create(&event), p.malloc(64));
        p.dataset(block);
        p.free(block);
        p.reset(0);
        p.finalise();
        p.call("aclmdlDestroyDesc", description, Op::Destroy);
    });
    assert_eq!(found, [INIT_02]);
}
