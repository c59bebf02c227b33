//! Work of several streams and threads: what one wait, one finding or one event has to do with other work.

use super::allocators::lender;
use super::graphs::replay;
use super::support::*;
use super::virtual_memory::{map, physical, reserve};
use ascendcl_rules::*;

fn part(block: Object, index: u64) -> Object {
    Object::memory(block.number + 64 * index)
}

#[test]
fn a_finding_about_one_stream_says_nothing_about_another() {
    // The host reads what one stream writes, and then writes what the other reads.
    let parts = broken(|p| {
        let (a, h, streams) = (p.malloc(128), p.malloc_host(256), [0; 2].map(|_| p.stream()));
        p.copy(a, h, streams[0]);
        p.copy(part(h, 1), part(a, 1), streams[1]);
        p.copy(part(h, 2), a, None);
        p.copy(part(a, 1), part(h, 3), None);
    });
    assert_eq!(parts, [COPY_07, COPY_04]);
    // Two streams without an order; nobody has waited for either.
    let host = findings(|p| {
        let (a, h, streams) = (p.malloc(64), p.malloc_host(128), [0; 2].map(|_| p.stream()));
        p.copy(a, h, streams[0]);
        p.copy(a, part(h, 1), streams[1]);
        p.copy(a, part(h, 1), streams[0]);
        p.free(a);
    });
    assert_eq!(host.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [STREAM_04, MEM_02]);
    assert_eq!(host[1].objects.len(), 3, "{}", host[1]);
    let both = findings(|p| {
        let (a, h, streams) = (p.malloc(64), p.malloc_host(128), [0; 2].map(|_| p.stream()));
        p.copy(a, h, streams[0]);
        p.copy(a, part(h, 1), streams[1]);
        p.free(a);
    });
    assert_eq!(both[1].objects.len(), 3, "{}", both[1]);
    // One that uses two parts of the block is named once.
    let once = findings(|p| {
        let (a, h) = (p.malloc(128), p.malloc_host(256));
        let streams = [0; 2].map(|_| p.stream());
        p.copy(h, a, streams[0]);
        p.copy(part(h, 1), a, streams[1]);
        p.copy(part(h, 2), part(a, 1), streams[1]);
        let fill = p.event("aclrtMemset", a, Op::Fill);
        p.see(&fill.using(memory(a, 128, Access::Write, Role::Target, None)), Outcome::Success);
    });
    assert_eq!(once[0].objects.len(), 3, "{}", once[0]);
    // A third stream takes the block over in order, and later work of the first one is apart from it.
    let third = broken(|p| {
        let (a, b, h) = (p.malloc(64), p.malloc(64), p.malloc_host(256));
        let streams = [0; 3].map(|_| p.stream());
        p.copy(a, h, streams[0]);
        p.copy(a, part(h, 1), streams[1]);
        p.sync_device();
        p.copy(b, h, streams[0]);
        p.copy(a, part(h, 2), streams[2]);
        p.copy(b, part(h, 3), streams[2]);
    });
    assert_eq!(third, [STREAM_04, STREAM_04]);
}

#[test]
fn a_mistake_with_a_model_or_an_allocator_is_no_wait_for_other_work() {
    // A model that runs twice is no wait for a copy.
    let run = broken(|p| {
        let (a, b, h, stream, model) = (p.malloc(64), p.malloc(64), p.malloc_host(128), p.stream(), p.load(None, None));
        let (dataset, _) = p.dataset(a);
        p.copy(b, h, stream);
        p.run(model, dataset, dataset, stream);
        p.run(model, dataset, dataset, None);
        p.copy(part(h, 1), b, None);
    });
    assert_eq!(run, [MODEL_15, COPY_07]);
    // Nor is memory that an allocator returns by mistake.
    let taken = broken(|p| {
        let (block, stream, allocator) = lender(p);
        let h = p.malloc_host(64);
        p.copy(block, h, stream);
        let take = p.event("aclopExecuteV2", allocator, Op::Take).using(Use::With(stream));
        let take = take.using(memory(part(block, 63), 128, Access::Write, Role::Workspace, None));
        p.see(&take, Outcome::Refused);
        p.free(block);
    });
    assert_eq!(taken, [ALLOC_19, MEM_02]);
}

#[test]
fn a_free_that_waits_and_another_threads_copy_are_one_mistake() {
    let run = broken(|p| {
        p.on(1).set(0);
        let (a, h, stream) = (p.on(0).malloc(64), p.malloc_host(64), p.stream());
        let copy = p.on(1).event("aclrtMemcpyAsync", stream, Op::Use).using(Use::Queue(stream));
        let copy = copy.using(memory(a, 64, Access::Write, Role::Target, None));
        let copy = copy.using(memory(h, 64, Access::Read, Role::Source, None));
        p.begin(&copy);
        p.on(0);
        p.refused("aclrtFreeWithDevSync", a, Op::FreeSynced);
        p.checker.commit(&copy, Outcome::Success);
        p.free_host(h);
    });
    assert_eq!(run, [MEM_02]);
    // One that is refused as the wrong call has waited for nothing.
    let wrong = broken(|p| {
        let (a, h, pinned, stream) = (p.malloc(64), p.malloc_host(64), p.malloc_host(64), p.stream());
        p.copy(a, h, stream);
        p.refused("aclrtFreeWithDevSync", pinned, Op::FreeSynced);
        p.free(a);
    });
    assert_eq!(wrong, [MEM_03, MEM_02]);
}

#[test]
fn times_that_are_asked_for_too_early_hide_only_their_own_wait() {
    let run = |flags: [Flag; 2], reversed: bool, same: bool, then: &dyn Fn(&mut Program, Object, Object, Object)| {
        broken(|p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            let marks = [0; 2].map(|_| p.new_event(&flags));
            p.copy(a, h, stream);
            marks.iter().for_each(|mark| p.record(*mark, stream));
            let [first, last] = if reversed { [marks[1], marks[0]] } else { marks };
            let first = if same { last } else { first };
            p.elapsed(first, last);
            then(p, first, last, a);
        })
    };
    let free = |p: &mut Program, _: Object, _: Object, a: Object| p.free(a);
    let timed = [Flag::Waitable, Flag::Timed];
    assert_eq!(run(timed, false, false, &free), [EVENT_04]);
    assert_eq!(run(timed, true, false, &free), [EVENT_04, MEM_02], "no wait would have mended the order");
    assert_eq!(run([Flag::Waitable, Flag::Waitable], false, false, &free), [EVENT_04, MEM_02], "nor the time stamps");
    assert_eq!(run(timed, false, true, &|p, first, last, _| p.elapsed(first, last)), [EVENT_04]);
}

#[test]
fn each_use_of_memory_in_flight_has_the_rule_of_its_role() {
    let run = |then: &dyn Fn(&mut Program, Object, Object, Object)| {
        broken(|p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            then(p, a, h, stream);
        })
    };
    // The file of a model is read by the call, the memory that it is given by the runs.
    let image = run(&|p, _, h, stream| {
        let a = p.malloc(64);
        p.copy(h, a, stream);
        let load = p.event("aclmdlLoadFromMem", Object::model(0), Op::Load);
        p.create(&load.using(memory(h, 64, Access::Read, Role::Image, HOST)));
    });
    assert_eq!(image, [COPY_03]);
    let work = run(&|p, a, h, stream| {
        p.copy(a, h, stream);
        p.load(Some(a), None);
    });
    assert_eq!(work, []);
    let weights = run(&|p, a, h, stream| {
        p.copy(a, h, stream);
        let (model, out) = (p.load(None, Some(a)), p.malloc(64));
        let (dataset, _) = p.dataset(out);
        p.run(model, dataset, dataset, None);
    });
    assert_eq!(weights, [COPY_03]);
    let input = run(&|p, a, h, stream| {
        p.copy(a, h, stream);
        let (model, out) = (p.load(None, None), p.malloc(64));
        let (input, output) = (p.dataset(a).0, p.dataset(out).0);
        p.run(model, input, output, None);
    });
    assert_eq!(input, [COPY_03], "a model reads it, not a copy");
    let workspace = run(&|p, a, h, stream| {
        let (model, out) = (p.load(Some(a), None), p.malloc(64));
        let (dataset, _) = p.dataset(out);
        p.copy(h, a, stream);
        p.run(model, dataset, dataset, None);
    });
    assert_eq!(workspace, [COPY_04]);
    // Only replays of one graph run in turn.
    let graph = run(&|p, a, h, stream| {
        let other = p.stream();
        let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create).flag(Flag::InTurn);
        let graph = p.create(&event.using(memory(a, 64, Access::Write, Role::Target, None)));
        p.copy(a, h, other);
        replay(p, graph, stream);
    });
    assert_eq!(graph, [STREAM_04]);
    // Memory that is used, and is closed since, is one mistake.
    let closed = broken(|p| {
        let (range, handle) = (reserve(p, 64), physical(p, 0));
        let block = map(p, range.number, handle);
        let change = p.event("aclrtMemSetAccess", block, Op::Change);
        let change = change.using(memory(block, 64, Access::Write, Role::Contents, None));
        p.see(&change.clone().flag(Flag::Mapped).flag(Flag::NoAccess), Outcome::Success);
        let h = p.malloc_host(64);
        p.copy(block, h, None);
    });
    assert_eq!(closed, [VMM_03]);
}

#[test]
fn memory_that_was_allocated_since_has_not_changed_under_the_work() {
    let run = |again: bool| {
        let mut told = 0;
        let found = findings(|p| {
            let (h, stream) = (p.malloc_host(64), p.stream());
            let copy = p.event("aclrtMemcpyAsync", stream, Op::Use).using(Use::Queue(stream));
            let copy = copy.using(memory(h, 64, Access::Read, Role::Source, None));
            p.begin(&copy);
            let work = p.checker.queued_by(Thread(0)).unwrap();
            p.checker.commit(&copy, Outcome::Success);
            if again {
                // The synchronising call of another context, which the program has waited for in its own way.
                let makes = p.event("aclrtMallocHost", Object::memory(0), Op::Allocate);
                let makes = makes.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, HOST));
                p.see(&makes, Outcome::Created(h.number));
            }
            let check = p.event("a check", Object::stream(0), Op::Alter);
            let check = check.using(memory(h, 64, Access::Read, Role::Source, None));
            told = p.checker.altered(&check, &work).len();
        });
        assert_eq!(found, []);
        told
    };
    assert_eq!((run(false), run(true)), (1, 0));
}

#[test]
fn memory_that_a_call_allocates_for_its_own_work_has_not_changed_under_it() {
    let found = findings(|p| {
        let stream = p.stream();
        let takes = p.event("aclrtMemPoolMallocAsync", Object::memory(0), Op::Allocate).using(Use::Queue(stream));
        p.begin(&takes);
        let work = p.checker.queued_by(Thread(0)).unwrap();
        p.checker.commit(&takes, Outcome::Created(0x7_0000));
        let check = p.event("a check", Object::stream(0), Op::Alter);
        let check = check.using(memory(Object::memory(0x7_0000), 1, Access::Read, Role::Source, None));
        assert_eq!(p.checker.altered(&check, &work), []);
    });
    assert_eq!(found, []);
}

#[test]
fn runs_that_two_threads_queue_at_once_are_told_as_queued_ones() {
    let run = broken(|p| {
        p.on(1).set(0);
        let (a, b) = (p.on(0).malloc(64), p.malloc(256));
        let (models, streams) = ([0; 2].map(|_| p.load(Some(a), None)), [0; 2].map(|_| p.stream()));
        let datasets = [0, 1, 2, 3].map(|index| p.dataset(part(b, index)).0);
        let other = p.on(1).running(models[1], datasets[2], datasets[3], Some(streams[1]));
        p.begin(&other);
        p.on(0).run(models[0], datasets[0], datasets[1], streams[0]);
    });
    assert_eq!(run, [MODEL_05]);
}

#[test]
fn a_thread_has_its_own_work() {
    let run = findings(|p| {
        p.on(1).set(0);
        let streams = [p.on(0).stream(), p.on(0).stream()];
        let work = [0, 1].map(|thread| {
            let stream = streams[thread as usize];
            let event = p.on(thread).event("a kernel", stream, Op::Use).using(Use::Queue(stream));
            p.begin(&event);
            event
        });
        let queued = [0, 1].map(|thread| p.checker.queued_by(Thread(thread)).unwrap());
        work.iter().for_each(|event| p.checker.commit(event, Outcome::Success));
        p.on(0).sync(streams[0]);
        assert!(p.checker.is_over(&queued[0]) && !p.checker.is_over(&queued[1]));
    });
    assert_eq!(run, []);
}

#[test]
fn a_stream_is_idle_whatever_other_streams_are_given_meanwhile() {
    let run = |own: bool| {
        broken(|p| {
            p.on(1).set(0);
            let streams = [p.on(0).stream(), p.on(0).stream()];
            let stream = streams[usize::from(!own)];
            p.work(streams[1]);
            let work = p.on(u64::from(!own)).event("a kernel", stream, Op::Use).using(Use::Queue(stream));
            p.begin(&work);
            p.on(0).destroy(streams[0]);
        })
    };
    assert_eq!(run(false), []);
    assert_eq!(run(true), [STREAM_05]);
}

#[test]
fn a_stream_that_two_threads_end_is_being_ended_by_the_first() {
    let run = broken(|p| {
        p.on(1).set(0);
        let stream = p.on(0).stream();
        let ends = p.on(1).event("aclrtDestroyStream", stream, Op::Destroy);
        p.begin(&ends);
        p.on(0);
        p.refused("aclrtDestroyStream", stream, Op::Destroy);
        p.work(stream);
    });
    assert_eq!(run, [STREAM_07, STREAM_07, STREAM_07]);
}

#[test]
fn a_run_of_another_thread_has_its_own_datasets() {
    let run = |own: [usize; 2], buffer: bool| {
        broken(|p| {
            p.on(1).set(0);
            let (a, model) = (p.on(0).malloc(64), p.load(None, None));
            let datasets = [0; 3].map(|_| p.dataset(a));
            let more = p.data_buffer(a, 64);
            let other = p.on(1).running(model, datasets[own[0]].0, datasets[own[1]].0, None);
            p.begin(&other);
            p.on(0);
            if buffer {
                let change = p.event("aclUpdateDataBuffer", datasets[0].1, Op::Change);
                p.see(&change.using(memory(a, 32, Access::Read, Role::Contents, None)), Outcome::Success);
            } else {
                p.add(datasets[0].0, more);
            }
        })
    };
    for buffer in [false, true] {
        assert_eq!(run([0, 1], buffer), [MODEL_17]);
        assert_eq!(run([1, 0], buffer), [MODEL_17]);
        assert_eq!(run([1, 2], buffer), []);
    }
}

#[test]
fn a_stream_of_a_wrong_context_is_told_before_the_runs_of_the_model() {
    let run = broken(|p| {
        let (a, stream, model) = (p.malloc(64), p.stream(), p.load(None, None));
        let (dataset, _) = p.dataset(a);
        p.run(model, dataset, dataset, stream);
        p.new_context(0);
        p.unload(model);
        p.free(a);
    });
    // The library has waited for the runs.
    assert_eq!(run, [MODEL_01]);
}
