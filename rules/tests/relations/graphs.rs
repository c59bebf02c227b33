//! Captured graphs, and the memory that their replays use.

use super::support::*;
use ascendcl_rules::*;

/// A graph that copies from `from` to `to`.
pub(crate) fn capture(p: &mut Program, to: Object, from: Object) -> Object {
    let uses = [(to, Access::Write, Role::Target), (from, Access::Read, Role::Source)];
    let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
    let event = uses
        .into_iter()
        .fold(event, |event, (object, access, role)| event.using(memory(object, 64, access, role, None)));
    let number = p.fresh();
    p.see(&event, Outcome::Created(number));
    Object::graph(number)
}

pub(crate) fn replay(p: &mut Program, graph: Object, stream: Object) {
    let event = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream));
    p.see(&event, Outcome::Success);
}

fn destroy(p: &mut Program, graph: Object) {
    p.call("aclmdlRIDestroy", graph, Op::Destroy);
}

#[test]
fn memory_lives_until_the_graph_that_captured_it_is_destroyed() {
    let run = |p: &mut Program, destroyed: bool| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        let graph = capture(p, a, h);
        if destroyed {
            destroy(p, graph);
        }
        p.free(a);
    };
    assert_eq!(broken(|p| run(p, false)), [GRAPH_05]);
    assert_eq!(broken(|p| run(p, true)), []);
}

#[test]
fn a_replay_uses_the_memory_of_its_graph_until_a_wait() {
    let run = |p: &mut Program, synced: bool| {
        let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        let graph = capture(p, a, h);
        replay(p, graph, stream);
        if synced {
            p.sync(stream);
        }
        destroy(p, graph);
        p.free(a);
        p.free_host(h);
    };
    assert_eq!(broken(|p| run(p, false)), [GRAPH_07], "the wait is missing once");
    assert_eq!(broken(|p| run(p, true)), []);
    let found = findings(|p| {
        let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        let graph = capture(p, a, h);
        replay(p, graph, stream);
        p.free(a);
    });
    let [found] = found.as_slice() else { panic!("{found:?}") };
    let kinds: Vec<_> = found.objects.iter().map(|concerned| concerned.object.kind).collect();
    assert_eq!(
        (found.rule, kinds.as_slice()),
        (GRAPH_05, [Kind::Memory, Kind::Graph, Kind::Stream].as_slice()),
        "{found}"
    );
}

#[test]
fn a_replay_does_not_use_what_was_freed() {
    let run = |p: &mut Program, freed: bool| {
        let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        let graph = capture(p, a, h);
        if freed {
            p.free(a);
        }
        replay(p, graph, stream);
    };
    assert_eq!(broken(|p| run(p, true)), [GRAPH_05]);
    assert_eq!(broken(|p| run(p, false)), []);
}

#[test]
fn replays_on_two_streams_are_in_order_or_found() {
    let run = |p: &mut Program, ordered: bool| {
        let (a, h, first, second) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
        let graph = capture(p, a, h);
        replay(p, graph, first);
        if ordered {
            let mark = p.mark();
            p.record(mark, first);
            p.wait(second, mark);
        }
        replay(p, graph, second);
    };
    assert_eq!(broken(|p| run(p, false)), [STREAM_04]);
    assert_eq!(broken(|p| run(p, true)), []);
}

/// The tasks of the graph are replaced: they copy from `from` to `to` now.
fn update(p: &mut Program, graph: Object, to: Object, from: Object) {
    let event = p.event("aclmdlRICaptureTaskUpdateEnd", graph, Op::Change);
    let event = event.using(memory(to, 64, Access::Write, Role::Target, None));
    let event = event.using(memory(from, 64, Access::Read, Role::Source, None));
    p.see(&event, Outcome::Success);
}

#[test]
fn an_updated_graph_uses_its_new_memory_and_a_queued_replay_what_it_used_before() {
    let run = |p: &mut Program, queued: bool, freed: fn([Object; 2]) -> Object| {
        let (blocks, h, stream) = ([p.malloc(64), p.malloc(64)], p.malloc_host(64), p.stream());
        let graph = capture(p, blocks[0], h);
        if queued {
            replay(p, graph, stream);
        }
        update(p, graph, blocks[1], h);
        p.free(freed(blocks));
    };
    assert_eq!(broken(|p| run(p, false, |[_, new]| new)), [GRAPH_05]);
    assert_eq!(broken(|p| run(p, false, |[old, _]| old)), []);
    assert_eq!(broken(|p| run(p, true, |[old, _]| old)), [GRAPH_05]);
}

#[test]
fn a_graph_ends_with_its_context_and_nothing_is_known_of_one_that_was_not_captured() {
    let run = |p: &mut Program| {
        let (h, own) = (p.malloc_host(64), p.new_context(0));
        let a = p.malloc(64);
        let _graph = capture(p, a, h);
        p.destroy_context(own);
        p.set(0);
        p.free(a);
        p.free_host(h);
        let stream = p.stream();
        replay(p, Object::graph(77), stream);
        destroy(p, Object::graph(77));
    };
    assert_eq!(broken(run), [MODEL_14], "it is there when its context is destroyed");
}

/// A graph whose tasks use this model or event.
pub(crate) fn capture_with(p: &mut Program, object: Object) -> Object {
    let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create).using(Use::With(object));
    let number = p.fresh();
    p.see(&event, Outcome::Created(number));
    Object::graph(number)
}

#[test]
fn graphs_that_are_not_destroyed_before_what_they_use_are_one_mistake() {
    let found = findings(|p| {
        let (a, h, e) = (p.malloc(64), p.malloc(64), p.mark());
        for _ in 0..3 {
            capture(p, a, h);
        }
        p.free(a);
        p.free(h);
        for _ in 0..2 {
            capture_with(p, e);
        }
        p.destroy(e);
    });
    let graphs = |finding: &Finding| finding.objects.iter().filter(|it| it.object.kind == Kind::Graph).count();
    let found: Vec<_> = found.iter().map(|finding| (finding.rule, graphs(finding))).collect();
    assert_eq!(found, [(GRAPH_05, 3), (GRAPH_05, 2)]);
}

#[test]
fn models_and_events_live_until_the_graph_that_captured_them_is_destroyed() {
    let objects: [fn(&mut Program) -> Object; 2] = [|p| p.load(None, None), |p| p.mark()];
    for object in objects {
        let run = |p: &mut Program, destroyed: bool, replayed: bool| {
            let (used, stream) = (object(p), p.stream());
            let graph = capture_with(p, used);
            if destroyed {
                destroy(p, graph);
            }
            match used.kind {
                Kind::Model => p.unload(used),
                _ => p.destroy(used),
            }
            if replayed {
                replay(p, graph, stream);
            }
        };
        let found = findings(|p| run(p, false, false));
        assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [GRAPH_05]);
        let kinds: Vec<_> = found[0].objects.iter().map(|concerned| concerned.object.kind).collect();
        assert_eq!(kinds[1], Kind::Graph, "{}", found[0]);
        assert_eq!(broken(|p| run(p, false, true)), [GRAPH_05; 2]);
        assert_eq!(broken(|p| run(p, true, false)), []);
    }
}

#[test]
fn a_graph_that_is_updated_has_its_new_model_alone() {
    let run = |p: &mut Program, freed: fn([Object; 2]) -> Object| {
        let models = [p.load(None, None), p.load(None, None)];
        let graph = capture_with(p, models[0]);
        let event = p.event("aclmdlRICaptureTaskUpdateEnd", graph, Op::Change).using(Use::With(models[1]));
        p.see(&event, Outcome::Success);
        p.unload(freed(models));
    };
    assert_eq!(broken(|p| run(p, |[old, _]| old)), []);
    assert_eq!(broken(|p| run(p, |[_, new]| new)), [GRAPH_05]);
}

#[test]
fn memory_of_a_loaded_model_and_of_a_graph_is_one_finding() {
    let found = broken(|p| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        p.load(Some(a), None);
        capture(p, a, h);
        p.free(a);
    });
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn what_a_graph_has_ends_while_another_thread_destroys_the_graph() {
    let found = broken(|p| {
        p.on(1).set(0);
        let (a, h) = (p.on(0).malloc(64), p.malloc_host(64));
        let event = p.mark();
        let graph = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create).using(Use::With(event));
        let graph = graph.using(memory(a, 64, Access::Write, Role::Target, None));
        let graph = p.create(&graph.using(memory(h, 64, Access::Read, Role::Source, None)));
        let ends = p.on(1).event("aclmdlRIDestroy", graph, Op::Destroy);
        p.begin(&ends);
        p.on(0).free(a);
        p.destroy(event);
        p.checker.commit(&ends, Outcome::Success);
        p.free_host(h);
    });
    assert_eq!(found, []);
}

#[test]
fn memory_is_freed_while_another_thread_only_describes_it() {
    let found = broken(|p| {
        p.on(1).set(0);
        let a = p.on(0).malloc(64);
        let create = p.on(1).event("aclCreateDataBuffer", Object::data_buffer(0), Op::Create);
        let create = create.using(memory(a, 64, Access::Read, Role::Contents, None));
        p.begin(&create);
        p.on(0).free(a);
        p.checker.commit(&create, Outcome::Created(0x77));
    });
    assert_eq!(found, []);
}

#[test]
fn the_checker_says_what_queued_work_may_still_use() {
    let (mut p, span) = (Program::new(), |block: Object, from| Span::new(block.number + from, 64));
    p.init();
    p.set(0);
    let (a, h, stream, other) = (p.malloc(128), p.malloc_host(128), p.stream(), p.stream());
    assert!(!p.checker.was_written(a.number));
    p.copy(a, h, stream);
    assert!(p.checker.was_written(a.number) && !p.checker.was_written(h.number));
    let said = |p: &Program, span, stream| {
        let checker = &p.checker;
        [checker.may_be_written(span), checker.is_being_written(span, stream)]
    };
    assert_eq!(said(&p, span(a, 0), stream), [true, true]);
    assert_eq!(said(&p, span(a, 0), other), [true, false]);
    assert_eq!(said(&p, span(a, 64), stream), [false; 2], "the copy has 64 bytes");
    assert_eq!(said(&p, span(h, 0), stream), [false; 2], "the copy reads it");
    p.sync(stream);
    assert_eq!(said(&p, span(a, 0), stream), [false; 2]);
}

/// The program's own instructions, on memory that nobody knows.
fn own_code(event: Event) -> Event {
    event.using(memory(Object::memory(0x10), 64, Access::Write, Role::Instruction, None))
}

#[test]
fn a_replay_reads_what_it_does_not_write_unless_it_runs_functions_of_the_program() {
    let mut p = Program::new();
    p.init();
    p.set(0);
    let (a, h, b) = (p.malloc(64), p.malloc_host(64), p.malloc(64));
    let source = Span::new(h.number, 64);
    let plain = capture(&mut p, a, h);
    assert_eq!(p.checker.read_by_replay(plain), [source]);
    let in_place = capture(&mut p, b, b);
    assert_eq!(p.checker.read_by_replay(in_place), []);
    let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
    let event = own_code(event.using(memory(h, 64, Access::Read, Role::Source, None)));
    let own = p.create(&event);
    assert_eq!(p.checker.read_by_replay(own), []);
    // Behind whose work the functions of a replay run.
    let [queue, other, before] = [0; 3].map(|_| p.stream());
    let streams = [queue, other, before];
    let replay = |p: &mut Program, graph| p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(queue));
    let replays = [replay(&mut p, own), replay(&mut p, plain)];
    assert_eq!(p.checker.queues_own_code_behind(&replays[0], &streams), [queue]);
    let mark = p.mark();
    p.work(other);
    p.record(mark, before);
    p.wait(queue, mark);
    assert_eq!(p.checker.queues_own_code_behind(&replays[0], &streams), [queue, before]);
    assert_eq!(p.checker.queues_own_code_behind(&replays[1], &streams), []);
    let launch = p.event("aclrtLaunchHostFunc", own, Op::LaunchHostFunction).using(Use::Queue(queue));
    assert_eq!(p.checker.queues_own_code_behind(&launch, &streams), [], "it has an event when it begins");
    assert_eq!(p.findings, []);
}

#[test]
fn work_follows_functions_of_the_program_until_they_are_over() {
    let mut p = Program::new();
    p.init();
    p.set(0);
    let [a, b] = [0; 2].map(|_| p.stream());
    let follows = |p: &Program| [a, b].map(|stream| p.checker.follows_own_code(stream));
    p.work(a);
    assert_eq!(follows(&p), [false, false]);
    p.launch(a, Op::LaunchHostFunction);
    assert_eq!(follows(&p), [true, false]);
    let mark = p.mark();
    p.record(mark, a);
    p.wait(b, mark);
    assert_eq!(follows(&p), [true, true]);
    p.sync(a);
    assert_eq!(follows(&p), [false, false]);
    p.launch(b, Op::LaunchHostFunction);
    p.work(b);
    assert_eq!(follows(&p), [false, true]);
    p.launch(a, Op::LaunchHostFunction);
    assert_eq!(follows(&p), [true, true], "a second one ends no first one");
}

#[test]
fn a_captured_call_uses_events_that_link_the_graph_with_other_work() {
    let mut p = Program::new();
    p.init();
    p.set(0);
    let stream = p.stream();
    let [inner, outer] = [&[Flag::Waitable][..], &[Flag::Waitable, Flag::External]].map(|flags| p.new_event(flags));
    let used = |p: &mut Program, event, op| {
        let event = p.event("a captured call", event, op).using(Use::Queue(stream));
        p.checker.used_by(&event)
    };
    assert_eq!(used(&mut p, inner, Op::Record), []);
    assert_eq!(used(&mut p, outer, Op::Record), [Use::With(outer)]);
    assert_eq!(used(&mut p, inner, Op::Await), [Use::With(inner)]);
}

#[test]
fn captured_work_that_writes_memory_which_its_call_does_not_name_writes_in_replays() {
    let run = |op: Op, flag: Option<Flag>| {
        broken(|p| {
            let (block, host, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            let captured = p.event("a captured call", stream, op).using(Use::Queue(stream));
            let used = p.checker.used_by(&flag.into_iter().fold(captured, Event::flag));
            let graph = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
            let graph = p.create(&used.into_iter().fold(graph, Event::using));
            let replay = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream));
            p.see(&replay, Outcome::Success);
            let copy = p.event("aclrtMemcpyAsync", stream, Op::Use).flag(Flag::Untouched).using(Use::Queue(stream));
            let copy = copy.using(memory(host, 64, Access::Write, Role::Target, HOST));
            p.see(&copy.using(memory(block, 64, Access::Read, Role::Source, DEVICE)), Outcome::Success);
        })
    };
    assert_eq!(run(Op::Use, None), [MEM_07]);
    assert_eq!(run(Op::Use, Some(Flag::Elsewhere)), []);
    assert_eq!(run(Op::LaunchHostFunction, None), []);
    assert_eq!(run(Op::LaunchCallback, None), []);
}

#[test]
fn a_graph_that_ended_with_its_device_has_no_memory() {
    let run = |ends: bool| {
        move |p: &mut Program| {
            let (to, from) = (p.malloc_host(64), p.malloc_host(64));
            capture(p, to, from);
            if ends {
                p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
            }
            p.free_host(from);
        }
    };
    breaks(GRAPH_05, run(false), run(true));
}
