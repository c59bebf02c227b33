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

/// Queues a copy; what comes back names it.
fn queue_copy(p: &mut Program, to: Object, from: Object, bytes: u64, stream: Object) -> Work {
    let copy = p.event("aclrtMemcpyAsync", stream, Op::Use).using(Use::Queue(stream));
    let copy = copy.using(memory(to, bytes, Access::Write, Role::Target, None));
    named(p, &copy.using(memory(from, bytes, Access::Read, Role::Source, None)))
}

fn named(p: &mut Program, call: &Event) -> Work {
    p.begin(call);
    let work = p.checker.queued_by(Thread(0)).unwrap();
    p.checker.commit(call, Outcome::Success);
    work
}

/// What a check of the bytes that the work reads finds, and the number of the call that it names.
fn altered(p: &mut Program, from: Object, bytes: u64, work: &Work) -> Vec<(RuleId, u64)> {
    let event = p.event("a check", Object::stream(0), Op::Alter);
    let event = event.using(memory(from, bytes, Access::Read, Role::Source, None));
    let found = p.checker.altered(&event, work);
    p.findings.extend(found.iter().cloned());
    found.iter().map(|finding| (finding.rule, finding.contradicts.as_ref().unwrap().0.number)).collect()
}

#[test]
fn a_source_that_has_changed_is_found_for_the_copy_that_reads_it() {
    let run = |then: &dyn Fn(&mut Program, Object, Object)| {
        let mut told = 0;
        findings(|p| {
            let (a, h, stream) = (p.malloc(128), p.malloc_host(128), p.stream());
            let work = queue_copy(p, a, h, 64, stream);
            then(p, h, stream);
            told = altered(p, h, 64, &work).len();
            assert_eq!(altered(p, h, 64, &work), [], "each copy is told once");
        });
        told
    };
    assert_eq!(run(&|_, _, _| ()), 1);
    assert_eq!(run(&|p, _, stream| p.sync(stream)), 0, "the copy is over");
    let other = |p: &mut Program, _: Object, _: Object| {
        let other = p.stream();
        p.sync(other);
    };
    assert_eq!(run(&other), 1);
    let callback = |p: &mut Program, _: Object, stream: Object| {
        let callback = p.launch(stream, Op::LaunchHostFunction);
        p.callback_begins(callback);
    };
    assert_eq!(run(&callback), 0, "the callback ran behind it");
    assert_eq!(run(&|p, _, stream| p.call("aclrtStreamAbort", stream, Op::Abort)), 0);
    let by_a_call = |p: &mut Program, h: Object, _: Object| {
        let fill = p.event("aclrtMemset", h, Op::Fill);
        p.see(&fill.using(memory(h, 64, Access::Write, Role::Target, None)), Outcome::Success);
    };
    assert_eq!(run(&by_a_call), 0, "the call was reported");
    let other_memory = |p: &mut Program, h: Object, _: Object| {
        p.free_host(h);
        let event = p.event("aclrtMallocHost", Object::memory(0), Op::Allocate);
        let event = event.using(memory(Object::memory(0), 128, Access::Write, Role::Contents, HOST));
        p.see(&event, Outcome::Created(h.number));
    };
    assert_eq!(run(&other_memory), 0, "the end of the first memory was reported");
}

#[test]
fn a_copy_whose_source_has_changed_is_found_whatever_was_queued_behind_it() {
    let mut told = Vec::new();
    findings(|p| {
        let (a, b, h, stream) = (p.malloc(128), p.malloc(128), p.malloc_host(128), p.stream());
        let first = queue_copy(p, a, h, 64, stream);
        let second = queue_copy(p, b, h, 128, stream);
        assert_ne!(first, second);
        told = altered(p, h, 64, &first);
        assert_eq!(altered(p, h, 128, &second).len(), 1);
        p.sync(stream);
        let third = queue_copy(p, b, h, 64, stream);
        assert!(p.checker.is_over(&second) && !p.checker.is_over(&third));
    });
    assert_eq!(told.len(), 1);
}

#[test]
fn a_source_of_a_replay_that_has_changed_names_the_graph() {
    let found = findings(|p| {
        let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
        let event = event.using(memory(a, 64, Access::Write, Role::Target, None));
        let graph = p.create(&event.using(memory(h, 64, Access::Read, Role::Source, None)));
        let replay = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream));
        let work = named(p, &replay);
        altered(p, h, 64, &work);
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

#[test]
fn a_wait_of_another_thread_for_another_context_excuses_nothing() {
    let run = |thread: u64| {
        broken(|p| {
            let (a, host, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.copy(a, host, stream);
            p.on(thread).new_context(0);
            p.sync_device();
            p.on(0).choose(Object::context(1000));
            p.free(a);
        })
    };
    assert_eq!(run(0), [DEV_17]);
    assert_eq!(run(1), [MEM_02]);
}

#[test]
fn waits_that_lack_for_two_blocks_of_one_call_are_one_finding() {
    for queued in [false, true] {
        let found = findings(|p| {
            let (from, to, hosts) = (p.malloc(64), p.malloc(64), [p.malloc_host(64), p.malloc_host(64)]);
            let streams = [p.stream(), p.stream()];
            p.copy(from, hosts[0], streams[0]);
            p.copy(hosts[1], to, streams[1]);
            let queue = queued.then(|| p.stream());
            p.copy(to, from, queue);
            p.copy(from, to, queue);
            p.copy(to, hosts[1], queue);
        });
        let [finding] = &found[..] else { panic!("{found:?}") };
        let named = |kind| finding.objects.iter().filter(|concerned| concerned.object.kind == kind).count();
        assert_eq!((named(Kind::Stream), named(Kind::Memory)), (2, 2), "{finding}");
    }
}

#[test]
fn memory_that_a_run_reads_and_memory_that_an_operator_reads_have_rules_of_their_own() {
    let run = |p: &mut Program, operator: bool, synced: bool| {
        let (block, host, stream, model) = (p.malloc(64), p.malloc_host(64), p.stream(), p.load(None, None));
        let (data, _) = p.dataset(block);
        if operator {
            let work = p.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream));
            p.see(&work.using(memory(block, 64, Access::Read, Role::Input, DEVICE)), Outcome::Success);
        } else {
            p.run(model, data, data, stream);
        }
        if synced {
            p.sync(stream);
        }
        p.copy(block, host, None);
    };
    breaks(COPY_04, |p| run(p, true, false), |p| run(p, true, true));
    breaks(MODEL_17, |p| run(p, false, false), |p| run(p, false, true));
}
