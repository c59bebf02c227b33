//! A finding keeps back what follows from its mistake, and nothing else.

use super::graphs::{capture, capture_with, replay};
use super::support::*;
use super::virtual_memory::{map, map_as, physical, release, reserve};
use ascendcl_rules::*;

const UNKNOWN: Object = Object::event(0x5);

#[test]
fn an_object_that_does_not_exist_is_told_at_each_call_unless_it_is_a_model() {
    let stream = broken(|p| (0..2).for_each(|_| p.sync(Object::stream(0x5))));
    assert_eq!(stream, [STREAM_08, STREAM_08]);
    let model = broken(|p| (0..2).for_each(|_| p.call("aclmdlGetDesc", Object::model(5), Op::Ask)));
    assert_eq!(model, [MODEL_12]);
}

#[test]
fn a_library_that_is_not_there_hides_only_what_it_makes_impossible() {
    let elapsed = |p: &mut Program| p.call("aclrtEventElapsedTime", UNKNOWN, Op::Elapsed);
    // No finding has told that nothing initialises the library.
    assert_eq!(without_library(|p| p.sync(Object::stream(0x5))), [DEV_01]);
    let other = without_library(|p| {
        p.sync(Object::stream(0x5));
        elapsed(p);
    });
    assert_eq!(other, [DEV_01, EVENT_06]);
    // A library that does not refuse has made a context, so the program goes on.
    let lenient = without_library(|p| {
        p.set(0);
        p.destroy(UNKNOWN);
        elapsed(p);
    });
    assert_eq!(lenient, [INIT_01, INIT_01, EVENT_06, EVENT_06]);
    // It is initialised later, and finalised.
    let late = |finalised: bool| {
        without_library(|p| {
            let event = p.event("aclrtSetDevice", Object::device(0), Op::Set);
            p.see(&event, Outcome::Refused);
            p.init();
            if finalised {
                p.finalise();
            }
            elapsed(p);
        })
    };
    assert_eq!(late(false), [INIT_01, EVENT_06]);
    assert_eq!(late(true), [INIT_01, EVENT_06]);
    let failed = without_library(|p| {
        p.refused("aclInit", Object::PROCESS, Op::Initialise);
        elapsed(p);
    });
    assert_eq!(failed, []);
    // After the end of the library, a call breaks the rules of its object as well.
    let after = without_library(|p| {
        p.init();
        p.finalise();
        p.free(Object::memory(0x40));
    });
    assert_eq!(after, [INIT_02, MEM_03]);
}

#[test]
fn a_handle_that_is_looked_for_in_vain_is_no_mistake_of_its_own_without_the_library() {
    let mut p = Program::new();
    p.set(0);
    let reset = p.event("aclrtResetDevice", Object::device(0), Op::Reset);
    p.see(&reset, Outcome::Success);
    let lost = p.event("aclrtDestroyEvent", UNKNOWN, Op::Destroy);
    assert_eq!(p.checker.look_for(&lost), []);
    p.init();
    assert_eq!(p.checker.look_for(&lost).len(), 1);
}

#[test]
fn a_library_that_is_initialised_again_begins_anew() {
    let run = broken(|p| {
        p.reset(0);
        p.finalise();
        p.init();
        p.set(0);
        let model = p.load(None, None);
        let (graph, stream) = (capture_with(p, model), p.stream());
        p.unload(model);
        replay(p, graph, stream);
    });
    assert_eq!(run, [GRAPH_05, GRAPH_05]);
    let exit = |p: &mut Program| {
        let event = p.event("the exit", Object::PROCESS, Op::Ask);
        p.checker.exit(&event).len()
    };
    let mut p = Program::new();
    p.refused("aclFinalize", Object::PROCESS, Op::Finalise);
    p.init();
    assert_eq!(exit(&mut p), 1, "the refused end came before the initialisation");
}

#[test]
fn an_object_that_gets_the_number_of_one_that_was_told_is_told_of() {
    let event = broken(|p| {
        p.destroy(Object::event(0x7_0000));
        let creates = p.event("aclrtCreateEventWithFlag", Object::event(0), Op::Create);
        p.see(&creates, Outcome::Created(0x7_0000));
        p.reset(0);
    });
    assert_eq!(event, [EVENT_06, DEV_10]);
    let mut p = Program::new();
    p.init();
    p.reset(0);
    p.set(0);
    p.finalise();
    assert_eq!(p.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [DEV_07, INIT_02]);
    // What was left over ended later, and is ended once more.
    let twice = broken(|p| {
        let context = p.new_context(0);
        let stream = p.stream();
        p.refused("aclrtDestroyContext", context, Op::Destroy);
        p.destroy(stream);
        p.destroy(stream);
    });
    assert_eq!(twice, [CTX_10, STREAM_08]);
}

#[test]
fn the_objects_of_a_finding_are_told_of_when_it_was_not_about_their_end() {
    // The block is free, and the finding was about the context alone.
    let freed = broken(|p| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        p.on(1).call("aclrtFreeWithDevSync", a, Op::FreeSynced);
        p.on(0).copy(a, h, None);
    });
    assert_eq!(freed, [THREAD_01, MEM_01]);
    // A thread that has no context names the one of another thread, which is left over.
    let asked = findings(|p| {
        let context = p.new_context(0);
        p.on(1).call("aclrtGetCurrentContext", Object::PROCESS, Op::Ask);
        p.on(0);
        let exit = p.event("the exit", Object::PROCESS, Op::Ask);
        let left = p.checker.exit(&exit);
        assert!(left[0].objects.iter().any(|about| about.object == context), "{}", left[0]);
    });
    assert_eq!(asked.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [MEM_06]);
    // A block is freed too early; its stream is left over as well.
    let left = broken(|p| {
        let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        p.copy(a, h, stream);
        p.free(a);
        p.reset(0);
    });
    assert_eq!(left, [MEM_02, DEV_02]);
    // A block whose address is the number of an event.
    let numbers = findings(|p| {
        let (a, graph_end) = (p.malloc(64), p.stream());
        let creates = p.event("aclrtCreateEventWithFlag", Object::event(0), Op::Create);
        p.see(&creates, Outcome::Created(a.number));
        let event = Object::event(a.number);
        capture_with(p, event);
        p.refused("aclrtDestroyEvent", event, Op::Destroy);
        p.destroy(graph_end);
        p.reset(0);
    });
    assert_eq!(numbers.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [GRAPH_05, MEM_12]);
    assert_eq!(numbers[1].objects.len(), 1);
    // The graph outlives its memory, which is told once: another call that uses the memory is the same mistake.
    let direct = broken(|p| {
        let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        p.free(a);
        let graph = capture(p, a, h);
        replay(p, graph, stream);
        p.copy(a, h, None);
    });
    assert_eq!(direct, [GRAPH_05]);
}

#[test]
fn a_run_after_a_warning_is_judged_by_itself() {
    let run = broken(|p| {
        let (a, stream, model) = (p.malloc(64), p.stream(), p.load(None, None));
        let (dataset, _) = p.dataset(a);
        p.run(model, dataset, dataset, stream);
        p.destroy(dataset);
        p.sync(stream);
        p.run(model, dataset, dataset, stream);
    });
    assert_eq!(run, [DATA_10, DATA_05]);
}

#[test]
fn a_context_that_was_left_over_is_told_once_when_its_thread_ends() {
    let run = broken(|p| {
        p.reset(0);
        p.new_context(0);
        p.finalise();
        p.end_thread();
    });
    assert_eq!(run, [INIT_02]);
}

#[test]
fn a_thread_whose_context_is_missing_is_told_once_and_only_then() {
    // A mistake that has nothing to do with it comes before.
    let destroyer = broken(|p| {
        let context = p.on(1).new_context(0);
        p.on(2).destroy_context(context);
        p.malloc(64);
    });
    assert_eq!(destroyer, [CTX_11, MEM_06]);
    let with_one = broken(|p| {
        p.on(2).set(0);
        let context = p.on(1).new_context(0);
        p.on(2).destroy_context(context);
        p.on(0).reset(0);
        p.reset(0);
        p.on(2).stream();
    });
    assert_eq!(with_one, [CTX_11, DEV_08]);
    let lost = broken(|p| {
        p.on(1).choose(Object::context(1000));
        p.on(0).reset(0);
        p.on(1).call("aclrtEventElapsedTime", UNKNOWN, Op::Elapsed);
        p.stream();
    });
    assert_eq!(lost, [EVENT_06, DEV_08]);
    // Null is what a thread without a context was given.
    let null = broken(|p| {
        p.on(1).malloc(64);
        p.free(Object::memory(0));
    });
    assert_eq!(null, [MEM_06]);
}

#[test]
fn what_is_ended_in_a_wrong_context_is_one_mistake_for_the_context_or_the_device() {
    let run = |devices: [u64; 2], then: &dyn Fn(&mut Program, [Object; 2])| {
        broken(|p| {
            let streams = devices.map(|device| {
                p.new_context(device);
                p.stream()
            });
            p.choose(Object::context(1000));
            then(p, streams);
        })
    };
    let both = |p: &mut Program, streams: [Object; 2]| streams.into_iter().for_each(|stream| p.destroy(stream));
    assert_eq!(run([1, 1], &both), [STREAM_06]);
    assert_eq!(run([0, 0], &both), [STREAM_06, STREAM_06], "two contexts of the current device");
    let one_context = broken(|p| {
        p.new_context(0);
        let streams = [0; 2].map(|_| p.stream());
        p.choose(Object::context(1000));
        both(p, streams);
    });
    assert_eq!(one_context, [STREAM_06]);
    // Work on one stream, and the end of another.
    let used = broken(|p| {
        p.new_context(0);
        let streams = [0; 2].map(|_| p.stream());
        p.choose(Object::context(1000));
        p.work(streams[0]);
        p.destroy(streams[1]);
    });
    assert_eq!(used, [STREAM_09, STREAM_06]);
    // What belongs to a context that could not be destroyed may end elsewhere: the refused destroy was the mistake.
    let kept = broken(|p| {
        let context = p.new_context(0);
        let stream = p.stream();
        p.choose(Object::context(1000));
        p.refused("aclrtDestroyContext", context, Op::Destroy);
        p.destroy(stream);
    });
    assert_eq!(kept, [CTX_10]);
}

#[test]
fn a_range_with_a_mapping_that_was_refused_to_end_is_left_over_with_it() {
    let left = |wrong: bool, of_other: bool| {
        findings(|p| {
            let (ranges, handle) = ([0; 2].map(|_| reserve(p, 64)), physical(p, 0));
            let mapped = map(p, ranges[0].number, handle);
            if wrong {
                p.refused("aclrtFree", mapped, Op::Free);
            }
            p.refused("aclrtReleaseMemAddress", ranges[usize::from(of_other)], Op::Free);
            p.reset(0);
            p.finalise();
        })
    };
    let ranges = |found: Vec<Finding>| {
        let last = found.last().unwrap();
        assert_eq!(last.rule, INIT_02, "{found:?}");
        last.objects.iter().filter(|about| about.object.kind == Kind::Range).count()
    };
    assert_eq!(ranges(left(true, false)), 1, "the other one");
    assert_eq!(ranges(left(true, true)), 2, "the mapping is in another range");
    // Another thread is ending the mapping, and both calls are refused without a finding.
    let meanwhile = findings(|p| {
        p.on(1).set(0);
        let (range, handle) = (reserve(p.on(0), 64), physical(p, 0));
        let mapped = map(p, range.number, handle);
        let ends = p.on(1).event("aclrtUnmapMem", mapped, Op::Free).flag(Flag::Mapped);
        p.begin(&ends);
        p.on(0);
        p.refused("aclrtReleaseMemAddress", range, Op::Free);
        p.checker.commit(&ends, Outcome::Refused);
        p.finalise();
    });
    assert_eq!(ranges(meanwhile), 1);
}

#[test]
fn addresses_without_memory_are_told_unless_that_was_a_mistake_before() {
    let host = |p: &mut Program| p.malloc_host(64);
    // A part of the memory was mapped, and beside it is none.
    let after = broken(|p| {
        let (range, handle, h) = (reserve(p, 128), physical(p, 0), host(p));
        map_as(p, range.number, handle, &[Flag::Inside]);
        p.copy(Object::memory(range.number + 64), h, None);
    });
    assert_eq!(after, [VMM_02, VMM_01]);
    // A finding that names the range for another reason.
    let mixed = broken(|p| {
        let (range, own, h) = (reserve(p, 192), physical(p, 0), host(p));
        map(p, range.number, own);
        let imports = p.event("aclrtMemImportFromShareableHandle", Object::physical(0), Op::Allocate);
        let imports = imports.flag(Flag::Imported).using(Use::With(Object::device(0)));
        let other = p.create(&imports.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE)));
        map(p, range.number + 64, other);
        p.copy(Object::memory(range.number + 128), h, None);
    });
    assert_eq!(mixed, [VMM_02, VMM_01]);
    // The library has refused a correct mapping, which the program did not notice.
    let refused_mapping = broken(|p| {
        let (range, handle, h) = (reserve(p, 64), physical(p, 0), host(p));
        let maps = p.event("aclrtMapMem", Object::memory(0), Op::Allocate).flag(Flag::Mapped).using(Use::With(handle));
        let maps = maps.using(memory(Object::memory(range.number), 64, Access::Write, Role::Contents, DEVICE));
        p.see(&maps, Outcome::Refused);
        p.copy(Object::memory(range.number), h, None);
    });
    assert_eq!(refused_mapping, [VMM_01]);
    let room = broken(|p| {
        let (range, h) = (reserve(p, 64), host(p));
        p.checker.was_not_mapped(range.number);
        let said = Span::new(range.number, 64);
        let copy = p.event("aclrtMemcpy", h, Op::Use).using(Use::Room { said, known: Some(0) });
        p.see(&copy.using(memory(Object::memory(said.start), 64, Access::Write, Role::Target, None)), Outcome::Success);
        // Something else is wrong there.
        p.free(Object::memory(range.number + 32));
    });
    assert_eq!(room, [MEM_03]);
    // What was to be mapped outside of all ranges is left over.
    let outside = findings(|p| {
        let handle = physical(p, 0);
        let maps = p.event("aclrtMapMem", Object::memory(0), Op::Allocate).flag(Flag::Mapped).using(Use::With(handle));
        let maps = maps.using(memory(Object::memory(0x40), 64, Access::Write, Role::Contents, DEVICE));
        p.see(&maps, Outcome::Refused);
        p.reset(0);
    });
    assert_eq!(outside.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [VMM_01, MEM_12]);
    let ended = broken(|p| {
        let (range, h) = (reserve(p, 64), host(p));
        p.copy(Object::memory(range.number + 64), h, None);
        release(p, range);
    });
    assert_eq!(ended, [], "the byte after a range is not in it");
}
