//! What conflicts between queued work and other uses say.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_conflict_says_who_reads_and_who_writes() {
    let said = |run: &dyn Fn(&mut Program, Object, Object, Object)| {
        let found = findings(|p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            run(p, a, h, stream);
        });
        assert_eq!(found.len(), 1, "{found:?}");
        (found[0].rule, found[0].found.to_string())
    };
    let (rule, text) = said(&|p, a, h, stream| {
        p.copy(h, a, stream);
        p.copy(Object::memory(0x10), h, None);
    });
    assert!(rule == COPY_03 && text.starts_with("this call reads") && text.contains(", which writes "), "{text}");
    let (rule, text) = said(&|p, a, h, stream| {
        p.copy(a, h, stream);
        p.copy(h, Object::memory(0x10), None);
    });
    assert!(rule == COPY_04 && text.starts_with("this call writes") && text.contains(", which reads "), "{text}");
    let (rule, text) = said(&|p, a, h, stream| {
        p.copy(h, a, stream);
        let event = p.event("an instruction", Object::PROCESS, Op::Touch);
        let event = event.using(memory(h, 64, Access::Read, Role::Instruction, None));
        p.see(&event, Outcome::Success);
    });
    assert!(rule == COPY_03 && text.starts_with("the program itself reads"), "{text}");
}

#[test]
fn a_default_stream_without_order_has_a_rule_of_its_own() {
    let run = |first: bool, second: bool| {
        broken(|p| {
            let (a, h, b) = (p.malloc(64), p.malloc_host(64), p.malloc(64));
            let own = Object::default_stream(1000);
            let streams = [first, second].map(|default| if default { own } else { p.stream() });
            p.copy(a, h, streams[0]);
            p.copy(b, a, streams[1]);
        })
    };
    assert_eq!(run(false, false), [STREAM_04]);
    assert_eq!(run(true, false), [STREAM_12]);
    assert_eq!(run(false, true), [STREAM_12]);
    assert_eq!(run(true, true), []);
}

#[test]
fn a_source_that_has_changed_is_found_where_a_queued_copy_reads_it() {
    let run = |at: fn(Object, Object) -> Object, from: u64, elsewhere: bool, waits: bool| {
        let found = findings(|p| {
            let (a, h, stream) = (p.malloc(128), p.malloc_host(128), p.stream());
            p.copy(a, h, stream);
            if waits {
                p.sync(stream);
            }
            let stream = if elsewhere { p.stream() } else { stream };
            let changed = Object::memory(at(a, h).number + from);
            let event = p.event("a check", stream, Op::Alter);
            p.see(&event.using(memory(changed, 64, Access::Read, Role::Source, None)), Outcome::Success);
        });
        found.iter().map(|found| (found.rule, found.found.contains("was given a copy of them"))).collect::<Vec<_>>()
    };
    assert_eq!(run(|_, h| h, 0, false, false), [(COPY_04, true)]);
    assert_eq!(run(|a, _| a, 0, false, false), [], "the copy writes it");
    assert_eq!(run(|_, h| h, 64, false, false), [], "the copy has 64 bytes");
    assert_eq!(run(|_, h| h, 0, true, false), [], "the copy is on another stream");
    assert_eq!(run(|_, h| h, 0, false, true), [], "the copy is over");
}

#[test]
fn a_source_of_a_replay_that_has_changed_names_the_graph() {
    let found = findings(|p| {
        let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
        let event = event.using(memory(a, 64, Access::Write, Role::Target, None));
        let graph = p.create(&event.using(memory(h, 64, Access::Read, Role::Source, None)));
        let replay = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream));
        p.see(&replay, Outcome::Success);
        let event = p.event("a check", stream, Op::Alter);
        p.see(&event.using(memory(h, 64, Access::Read, Role::Source, None)), Outcome::Success);
    });
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].found.contains("was given a replay of captured graph"), "{}", found[0]);
}

#[test]
fn memory_of_a_graph_that_was_freed_is_its_replays_mistake() {
    let run = |graph: bool| {
        let found = findings(|p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.free(a);
            let uses = [(a, Access::Write, Role::Target), (h, Access::Read, Role::Source)];
            let with = |event: Event| {
                uses.iter()
                    .fold(event, |event, (object, access, role)| event.using(memory(*object, 64, *access, *role, None)))
            };
            if graph {
                let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
                let graph = p.create(&with(event));
                let replay = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream));
                p.see(&replay, Outcome::Success);
            } else {
                let event = p.event("aclrtMemcpyAsync", stream, Op::Use).using(Use::Queue(stream));
                p.see(&with(event), Outcome::Success);
            }
        });
        found.iter().map(|found| (found.rule, found.found.contains(" by captured graph "))).collect::<Vec<_>>()
    };
    assert_eq!(run(true), [(GRAPH_05, true)]);
    assert_eq!(run(false), [(MEM_01, false)]);
}

#[test]
fn work_of_one_device_does_not_use_the_memory_of_another() {
    let run = |op: Op, both: bool| {
        broken(|p| {
            let here = p.malloc(64);
            p.set(1);
            let there = p.malloc(64);
            p.choose(Object::context(1000));
            let stream = p.stream();
            let from = if both { here } else { Object::memory(0x10) };
            let event = p.event("a call", stream, op).using(Use::Queue(stream));
            let event = event.using(memory(there, 64, Access::Write, Role::Target, None));
            p.see(&event.using(memory(from, 64, Access::Read, Role::Source, None)), Outcome::Success);
        })
    };
    assert_eq!(run(Op::Use, false), [MEM_11]);
    assert_eq!(run(Op::Use, true), [COPY_08]);
    assert_eq!(run(Op::Fill, true), [MEM_11]);
}

#[test]
fn a_null_pointer_is_freed_by_mistake_and_filled_by_nobody() {
    let null = Object::memory(0);
    assert_eq!(broken(|p| p.free(null)), [MEM_05]);
    let filled = broken(|p| {
        let event = p.event("aclrtMemset", null, Op::Fill);
        p.see(&event.using(memory(null, 64, Access::Write, Role::Target, None)), Outcome::Success);
    });
    assert_eq!(filled, [], "the library refuses it, and nothing is touched");
}

#[test]
fn a_wait_excuses_only_what_was_queued_before_it() {
    let run = |then: &dyn Fn(&mut Program, Object, Object, Object)| {
        broken(|p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            then(p, a, h, stream);
            p.free(a);
        })
    };
    let time_out = |p: &mut Program, stream: Object| {
        let wait = p.event("aclrtSynchronizeStreamWithTimeout", stream, Op::Synchronize);
        p.see(&wait, Outcome::TimedOut);
    };
    let before = |p: &mut Program, a: Object, h: Object, stream: Object| {
        p.copy(a, h, stream);
        time_out(p, stream);
    };
    assert_eq!(run(&before), [STREAM_16]);
    let after = |p: &mut Program, a: Object, h: Object, stream: Object| {
        p.work(stream);
        time_out(p, stream);
        p.copy(a, h, stream);
    };
    assert_eq!(run(&after), [MEM_02]);
    let elsewhere = |p: &mut Program| {
        p.new_context(0);
        p.sync_device();
        p.choose(Object::context(1000));
    };
    let before = |p: &mut Program, a: Object, h: Object, stream: Object| {
        p.copy(a, h, stream);
        elsewhere(p);
    };
    assert_eq!(run(&before), [DEV_17]);
    let after = |p: &mut Program, a: Object, h: Object, stream: Object| {
        elsewhere(p);
        p.copy(a, h, stream);
    };
    assert_eq!(run(&after), [MEM_02]);
    let here = |p: &mut Program, a: Object, h: Object, stream: Object| {
        p.sync_device();
        p.copy(a, h, stream);
    };
    assert_eq!(run(&here), [MEM_02]);
}

#[test]
fn an_early_question_for_the_time_is_one_finding_with_what_relies_on_its_wait() {
    // The events are recorded on these streams, of which the first one uses the block; the question is for these two.
    let run = |streams: [usize; 2], asked: [usize; 2]| {
        broken(|p| {
            let (a, h) = (p.malloc(64), p.malloc_host(64));
            let of = [0; 2].map(|_| p.stream());
            let events = [0; 2].map(|_| p.mark());
            p.record(events[0], of[streams[0]]);
            p.copy(a, h, of[0]);
            p.record(events[1], of[streams[1]]);
            p.elapsed(events[asked[0]], events[asked[1]]);
            p.free(a);
        })
    };
    assert_eq!(run([0, 0], [0, 1]), [EVENT_04]);
    assert!(run([0, 0], [1, 0]).contains(&MEM_02), "in the wrong order");
    assert!(run([1, 0], [0, 1]).contains(&MEM_02), "of two streams");
}
