//! Captured graphs: memory and instances that their replays use.

use crate::models::{INPUT, OUTPUT, dataset, load, shape};
use crate::support::*;
use ascendcl_rules::{Finding, Kind, RuleId};
use ascendcl_sim::exports::model_instance::*;
use ascendcl_sim::{Checks, Config, control};
use std::ffi::c_void;

const RELAXED: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

/// What the program captures on the stream.
pub(crate) fn captured(stream: aclrtStream, program: impl FnOnce()) -> aclmdlRI {
    let mut graph = aclmdlRI::NULL;
    ok!(aclmdlRICaptureBegin(stream, RELAXED));
    program();
    ok!(aclmdlRICaptureEnd(stream, &mut graph));
    graph
}

/// A graph that copies to the device.
fn upload(stream: aclrtStream) -> (aclmdlRI, *mut c_void, *mut c_void) {
    let (block, pinned) = (malloc(64), malloc_host(64));
    (captured(stream, || queue_copy(block, pinned, TO_DEVICE, stream)), block, pinned)
}

/// What is found in a program, on a machine for it alone.
fn findings(run: impl FnOnce()) -> Vec<Finding> {
    let _machine = machine_of(Config::new().checks(Checks::Report));
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    run();
    control::take_findings()
}

fn kinds(finding: &Finding) -> Vec<Kind> {
    finding.objects.iter().map(|concerned| concerned.object.kind).collect()
}

#[test]
fn memory_freed_under_a_replay_is_found_with_the_graph_that_uses_it() {
    let run = |synced: bool| {
        findings(|| {
            let (captures, stream) = (stream(), stream());
            let (graph, block, pinned) = upload(captures);
            let gate = Gate::close(stream);
            ok!(aclmdlRIExecuteAsync(graph, stream));
            if synced {
                gate.open();
                sync(stream);
                ok!(aclmdlRIDestroy(graph));
            }
            ok!(aclrtFree(block));
            ok!(aclrtFreeHost(pinned));
            gate.open();
        })
    };
    let found = run(false);
    // The program frees one thing after the other, and has made one mistake.
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [rules::GRAPH_05], "{found:?}");
    assert_eq!(kinds(&found[0]), [Kind::Memory, Kind::Graph, Kind::Stream], "{}", found[0]);
    let (call, _) = found[0].contradicts.as_ref().unwrap();
    assert_eq!((found[0].call.name, call.name), ("aclrtFree", "aclmdlRIExecuteAsync"));
    assert!(found[0].found.contains("may still use it as the destination of a copy"), "{}", found[0]);
    assert_eq!(run(true), []);
}

#[test]
fn memory_that_a_graph_was_captured_with_is_freed_after_the_graph() {
    let run = |destroyed: bool| {
        findings(|| {
            let stream = stream();
            let (graph, block, _) = upload(stream);
            if destroyed {
                ok!(aclmdlRIDestroy(graph));
            }
            ok!(aclrtFree(block));
        })
    };
    let found = run(false);
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [rules::GRAPH_05], "{found:?}");
    assert_eq!(kinds(&found[0]), [Kind::Memory, Kind::Graph]);
    assert_eq!(found[0].contradicts.as_ref().unwrap().0.name, "aclmdlRICaptureEnd");
    assert_eq!(run(true), []);
}

#[test]
fn a_replay_of_memory_that_was_freed_under_its_graph_is_no_second_mistake() {
    let found = findings(|| {
        let stream = stream();
        let (graph, block, _) = upload(stream);
        ok!(aclrtFree(block));
        ok!(aclmdlRIExecuteAsync(graph, stream));
        sync(stream);
    });
    let found: Vec<_> = found.iter().map(|finding| (finding.rule, finding.call.name)).collect();
    assert_eq!(found, [(rules::GRAPH_05, "aclrtFree")]);
}

#[test]
fn what_a_second_stream_was_given_is_part_of_the_graph() {
    let run = |synced: bool| {
        broken(|| {
            let (main, side) = (stream(), stream());
            let (block, pinned) = (malloc(64), malloc_host(64));
            let [fork, join] = [(), ()].map(|()| {
                let mut event = aclrtEvent::NULL;
                ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC));
                event
            });
            let graph = captured(main, || {
                ok!(aclrtRecordEvent(fork, main));
                ok!(aclrtStreamWaitEvent(side, fork));
                queue_copy(block, pinned, TO_DEVICE, side);
                ok!(aclrtRecordEvent(join, side));
                ok!(aclrtStreamWaitEvent(main, join));
            });
            ok!(aclmdlRIExecuteAsync(graph, main));
            sync(main);
            if synced {
                ok!(aclmdlRIDestroy(graph));
            }
            ok!(aclrtFree(block));
        })
    };
    assert_eq!(run(false), [rules::GRAPH_05]);
    assert_eq!(run(true), []);
}

#[test]
fn a_replay_is_work_of_its_stream() {
    // Written or read by the program, by another stream, and destroyed.
    let cases: [(RuleId, fn(aclmdlRI, *mut c_void, *mut c_void)); 3] = [
        (rules::COPY_07, |_, block, _| {
            let mut own = [0_u8; 64];
            ok!(aclrtMemcpy(own.as_mut_ptr().cast(), 64, block, 64, TO_HOST));
        }),
        (rules::STREAM_04, |graph, _, _| ok!(aclmdlRIExecuteAsync(graph, stream()))),
        (rules::GRAPH_07, |graph, _, _| ok!(aclmdlRIDestroy(graph))),
    ];
    for (rule, then) in cases {
        breaks_without(rule, |synced| {
            let stream = stream();
            let (graph, block, pinned) = upload(stream);
            ok!(aclmdlRIExecuteAsync(graph, stream));
            if synced {
                sync(stream);
            }
            then(graph, block, pinned);
        });
    }
}

#[test]
fn a_capture_that_came_to_nothing_and_a_context_that_ended_use_nothing() {
    let run = || {
        let (main, side, block, pinned) = (stream(), stream(), malloc(64), malloc_host(64));
        let (mut graph, mut fork) = (aclmdlRI::NULL, aclrtEvent::NULL);
        ok!(aclrtCreateEventExWithFlag(&mut fork, ACL_EVENT_SYNC));
        ok!(aclmdlRICaptureBegin(main, RELAXED));
        ok!(aclrtRecordEvent(fork, main));
        ok!(aclrtStreamWaitEvent(side, fork));
        queue_copy(block, pinned, TO_DEVICE, side);
        // The second stream did not come back, so there is no graph.
        assert_eq!(acl!(aclmdlRICaptureEnd(main, &mut graph)), ACL_ERROR_RT_STREAM_UNJOINED);
        ok!(aclrtFree(block));
        let own = context(0);
        let inner = crate::support::stream();
        let (_, block, pinned_too) = upload(inner);
        ok!(aclrtDestroyStream(inner));
        ok!(aclrtDestroyContext(own));
        ok!(aclrtSetDevice(0));
        ok!(aclrtFree(block));
        ok!(aclrtFreeHost(pinned));
        ok!(aclrtFreeHost(pinned_too));
    };
    assert_eq!(broken(run), [rules::GRAPH_06, rules::MODEL_14], "the second graph ends with its context");
}

/// A dataset for one image in this block.
pub(crate) fn image(block: *mut c_void) -> *mut aclmdlDataset {
    let images = dataset(block, INPUT);
    shape(images);
    images
}

/// A graph with one task group, which runs a model with the first of two images, and is updated to the second one; what
/// follows gets the images and the graph.
fn grouped(updated: bool, then: impl FnOnce([*mut c_void; 2], aclmdlRI, aclrtStream)) -> Vec<RuleId> {
    broken(|| {
        let (id, stream, updater, images) = (load(), stream(), stream(), [malloc(INPUT), malloc(INPUT)]);
        let (first, second, output) = (image(images[0]), image(images[1]), dataset(malloc(OUTPUT), OUTPUT));
        let mut group = aclrtTaskGrp::NULL;
        let graph = captured(stream, || {
            ok!(aclmdlRICaptureTaskGrpBegin(stream));
            ok!(aclmdlExecuteAsync(id, first, output, stream));
            ok!(aclmdlRICaptureTaskGrpEnd(stream, &mut group));
        });
        if updated {
            ok!(aclmdlRICaptureTaskUpdateBegin(updater, group));
            ok!(aclmdlExecuteAsync(id, second, output, updater));
            ok!(aclmdlRICaptureTaskUpdateEnd(updater));
            sync(updater);
        }
        then(images, graph, stream);
    })
}

#[test]
fn a_task_group_uses_its_memory_until_it_is_updated_and_then_its_new_memory() {
    for updated in [false, true] {
        let (used, unused) = if updated { (1, 0) } else { (0, 1) };
        assert_eq!(grouped(updated, |images, _, _| ok!(aclrtFree(images[used]))), [rules::GRAPH_05], "{updated}");
        assert_eq!(grouped(updated, |images, _, _| ok!(aclrtFree(images[unused]))), [], "{updated}");
        let in_flight = grouped(updated, |images, graph, stream| {
            let gate = Gate::close(stream);
            ok!(aclmdlRIExecuteAsync(graph, stream));
            ok!(aclrtFree(images[used]));
            gate.open();
            sync(stream);
        });
        assert_eq!(in_flight, [rules::GRAPH_05], "{updated}");
        let destroyed = grouped(updated, |images, graph, _| {
            ok!(aclmdlRIDestroy(graph));
            images.iter().for_each(|image| ok!(aclrtFree(*image)));
        });
        assert_eq!(destroyed, [], "{updated}");
    }
}

#[test]
fn an_update_that_failed_leaves_what_the_graph_uses() {
    let found = grouped(false, |images, graph, stream| {
        let mut group = aclrtTaskGrp::NULL;
        let _other = captured(stream, || {
            ok!(aclmdlRICaptureTaskGrpBegin(stream));
            ok!(aclmdlRICaptureTaskGrpEnd(stream, &mut group));
        });
        ok!(aclmdlRICaptureTaskUpdateBegin(stream, group));
        ok!(aclmdlExecuteAsync(load(), image(images[1]), dataset(malloc(OUTPUT), OUTPUT), stream));
        assert_eq!(acl!(aclmdlRICaptureTaskUpdateEnd(stream)), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
        ok!(aclrtFree(images[1]));
        ok!(aclmdlRIExecuteAsync(graph, stream));
        sync(stream);
        ok!(aclrtFree(images[0]));
    });
    assert_eq!(found, [rules::GRAPH_09, rules::GRAPH_05]);
}

/// What is found when this ends with the graph that has it still there, and after the graph was destroyed.
fn ends_after_its_graph<T: Copy>(made: fn() -> T, captures: fn(T, aclrtStream), ends: fn(T)) {
    let run = |destroyed: bool| {
        findings(|| {
            let (main, used) = (stream(), made());
            let graph = captured(main, || captures(used, main));
            if destroyed {
                ok!(aclmdlRIDestroy(graph));
            }
            ends(used);
        })
    };
    let found = run(false);
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [rules::GRAPH_05], "{found:?}");
    assert!(kinds(&found[0]).contains(&Kind::Graph), "{}", found[0]);
    assert_eq!(run(true), []);
}

#[test]
fn a_model_is_unloaded_after_the_graph_that_executes_it() {
    ends_after_its_graph(
        load,
        |id, stream| ok!(aclmdlExecuteAsync(id, image(malloc(INPUT)), dataset(malloc(OUTPUT), OUTPUT), stream)),
        |id| ok!(aclmdlUnload(id)),
    );
}

/// The wait of one captured stream for another is part of the graph, and needs no event of the program at a replay.
#[test]
fn an_event_that_only_orders_the_streams_of_a_capture_may_be_destroyed() {
    let run = || {
        let (main, side) = (stream(), stream());
        let graph = captured(main, || {
            for (recorded, held_up) in [(main, side), (side, main)] {
                let mut event = aclrtEvent::NULL;
                ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC));
                ok!(aclrtRecordEvent(event, recorded));
                ok!(aclrtStreamWaitEvent(held_up, event));
                ok!(aclrtDestroyEvent(event));
            }
        });
        ok!(aclmdlRIExecuteAsync(graph, main));
        sync(main);
        ok!(aclmdlRIDestroy(graph));
    };
    assert_eq!(broken(run), []);
}

/// A captured wait for an external event is for one of a stream outside: what frameworks replace task groups with.
#[test]
fn an_external_event_is_waited_for_and_reset_and_lives_as_long_as_its_graph() {
    let made = || {
        let mut event = aclrtEvent::NULL;
        ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_EXTERNAL));
        event
    };
    let captures = |event, stream| {
        ok!(aclrtStreamWaitEvent(stream, event));
        ok!(aclrtResetEvent(event, stream));
    };
    ends_after_its_graph(made, captures, |event| ok!(aclrtDestroyEvent(event)));
    let run = || {
        let (main, other, event) = (stream(), stream(), made());
        let (block, pinned) = (malloc(64), malloc_host(64));
        let graph = captured(main, || {
            captures(event, main);
            queue_copy(pinned, block, TO_HOST, main);
        });
        ok!(aclmdlRIExecuteAsync(graph, main));
        ok!(aclrtMemsetAsync(block, 64, 1, 64, other));
        ok!(aclrtRecordEvent(event, other));
        sync(main);
        ok!(aclmdlRIDestroy(graph));
        // Without a capture it orders streams like another event.
        ok!(aclrtRecordEvent(event, main));
        captures(event, other);
        sync(other);
        ok!(aclrtDestroyEvent(event));
    };
    assert_eq!(broken(run), []);
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

#[test]
fn the_state_of_a_captured_callback_is_freed_after_its_graph() {
    ends_after_its_graph(
        || malloc_host(64),
        |state, stream| ok!(aclrtLaunchHostFunc(stream, Some(nothing), state.wrapping_byte_add(8))),
        |state| ok!(aclrtFreeHost(state)),
    );
}

/// The number of a condition is memory of the library's own. It may be where the program had memory before, and where the
/// library has other memory afterwards.
#[test]
fn the_number_of_a_condition_is_there_from_its_condition_to_the_end_of_its_graph() {
    let made = std::cell::Cell::new(false);
    let run = |destroyed: bool| {
        broken_on(Config::new().documented(true), || {
            let (stream, pinned) = (stream(), malloc_host(64));
            let before: Vec<_> = (0..64).map(|_| malloc(8)).collect();
            before.iter().for_each(|block| ok!(aclrtFree(*block)));
            let (mut status, mut instance) = (aclmdlRICaptureStatus(0), aclmdlRI::NULL);
            let (mut handle, mut number) = (aclmdlRICondHandle::NULL, std::ptr::null_mut());
            let graph = captured(stream, || {
                ok!(aclmdlRICaptureGetInfo(stream, &mut status, &mut instance));
                ok!(aclmdlRICondHandleCreate(instance, 0, aclmdlRICondHandleFlag(0), &mut handle));
                ok!(aclmdlRICondHandleGetCondPtr(handle, &mut number));
                ok!(aclrtMemcpyAsync(number.cast(), 8, pinned, 8, TO_DEVICE, stream));
            });
            made.set(before.contains(&number.cast()));
            ok!(aclmdlRIExecuteAsync(graph, stream));
            ok!(aclrtMemcpyAsync(number.cast(), 8, pinned, 8, TO_DEVICE, stream));
            sync(stream);
            ok!(aclmdlRIDestroy(graph));
            if destroyed {
                let _ = acl!(aclrtMemcpyAsync(number.cast(), 8, pinned, 8, TO_DEVICE, stream));
            }
        })
    };
    assert_eq!(run(false), []);
    assert!(made.get(), "no memory of the program was there before");
    assert_eq!(run(true), [rules::MEM_01]);
}
