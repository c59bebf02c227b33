//! Calls that fail without a mistake of the program: what is refused because of them is none either.

use crate::graphs::{captured, image};
use crate::models::{INPUT, OUTPUT, dataset, load};
use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::{model_instance::*, profiling::*};
use ascendcl_sim::{Calls, Checks, Config, Fault, Plan, control};
use std::ptr::{null, null_mut};
use std::time::Duration;

const RELAXED: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

/// What is found while this goes wrong.
fn found_with(plan: Plan, run: impl FnOnce()) -> Vec<(RuleId, &'static str)> {
    broken_by(|| {
        control::fail(plan).unwrap();
        run();
    })
}

fn first(call: &str, fault: Fault) -> Plan {
    Plan::new().at(Calls::of(call).nth(1), fault)
}

/// The call does nothing.
fn fails(call: &str) -> Plan {
    first(call, Fault::Fails(ACL_ERROR_RT_MEMORY_ALLOCATION))
}

/// Begins and ends a capture, whatever the calls answer.
fn capture(stream: aclrtStream) {
    let mut graph = aclmdlRI::NULL;
    acl!(aclmdlRICaptureBegin(stream, RELAXED));
    acl!(aclmdlRICaptureEnd(stream, &mut graph));
}

#[test]
fn what_never_began_may_be_ended() {
    assert_eq!(found_with(fails("aclmdlRICaptureBegin"), || capture(stream())), []);
    let unbound = |plan| {
        found_with(plan, || {
            let (mut model, mut part) = (aclmdlRI::NULL, aclrtStream::NULL);
            ok!(aclrtCreateStreamWithConfig(&mut part, 0, ACL_STREAM_PERSISTENT));
            ok!(aclmdlRIBuildBegin(&mut model, 0));
            acl!(aclmdlRIBindStream(model, part, ACL_MODEL_STREAM_FLAG_HEAD));
            acl!(aclmdlRIUnbindStream(model, part));
            acl!(aclmdlRIUnbindStream(model, part));
        })
    };
    assert_eq!(unbound(fails("aclmdlRIBindStream")), []);
    assert_eq!(unbound(Plan::new()), [(rules::GRAPH_08, "aclmdlRIUnbindStream")]);
    let profiled = || {
        acl!(aclprofInit(c"nowhere".as_ptr(), 7));
        acl!(aclprofFinalize());
    };
    assert_eq!(found_with(fails("aclprofInit"), profiled), []);
}

#[test]
fn what_has_ended_may_be_ended_again_when_the_call_said_that_it_failed() {
    let graph = |plan| {
        found_with(plan, || {
            let stream = stream();
            let graph = captured(stream, || ());
            acl!(aclmdlRIDestroy(graph));
            acl!(aclmdlRIDestroy(graph));
        })
    };
    assert_eq!(graph(first("aclmdlRIDestroy", Fault::FailsAfter(ACL_ERROR_RT_INTERNAL_ERROR))), []);
    assert_eq!(graph(Plan::new()), [(rules::MODEL_14, "aclmdlRIDestroy")]);
    let page = Box::leak(vec![0_u8; 3 * 4096].into_boxed_slice());
    let start = page.as_mut_ptr().wrapping_add(page.as_ptr().align_offset(4096));
    let registered = || {
        let register = || acl!(aclrtHostRegisterV2(start.cast(), 4096, ACL_HOST_REG_MAPPED as u32));
        assert_eq!(register(), 0);
        acl!(aclrtHostUnregister(start.cast()));
        register();
        acl!(aclrtHostUnregister(start.cast()));
    };
    assert_eq!(found_with(fails("aclrtHostUnregister"), registered), []);
}

/// A capture that could not be ended goes on. What it forbids is no mistake of the program, which has tried to end it.
#[test]
fn a_capture_that_could_not_be_ended_forbids_nothing() {
    let copies = |plan| {
        found_with(plan, || {
            let stream = stream();
            let (mut graph, from) = (aclmdlRI::NULL, [0_u8; 8]);
            let to = malloc(8);
            let global = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
            ok!(aclmdlRICaptureBegin(stream, global));
            let ended = acl!(aclmdlRICaptureEnd(stream, &mut graph));
            let copied = acl!(aclrtMemcpy(to, 8, from.as_ptr().cast(), 8, TO_DEVICE));
            assert_eq!(copied == 0, ended == 0, "the capture forbids copies, if it goes on");
            acl!(aclmdlRICaptureEnd(stream, &mut graph));
        })
    };
    assert_eq!(copies(fails("aclmdlRICaptureEnd")), []);
    // The end of the other capture is not the one that failed.
    let other = || {
        let (first, second) = (stream(), stream());
        capture(first);
        let (mut graph, from) = (aclmdlRI::NULL, [0_u8; 8]);
        let to = malloc(8);
        ok!(aclmdlRICaptureEnd(first, &mut graph));
        ok!(aclmdlRICaptureBegin(second, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        acl!(aclrtMemcpy(to, 8, from.as_ptr().cast(), 8, TO_DEVICE));
        acl!(aclmdlRICaptureEnd(second, &mut graph));
    };
    assert_eq!(found_with(fails("aclmdlRICaptureEnd"), other), [(rules::GRAPH_04, "aclrtMemcpy")]);
}

/// The update of a task group in which the program finds no memory for what is new. Nothing else ends an update.
#[test]
fn what_lacks_something_because_of_a_call_that_failed_may_be_ended() {
    let update = |bytes: usize| {
        broken_by(|| {
            let (id, stream, images) = (load(), stream(), [malloc(INPUT), malloc(INPUT)]);
            let output = dataset(malloc(OUTPUT), OUTPUT);
            let mut group = aclrtTaskGrp::NULL;
            let _graph = captured(stream, || {
                ok!(aclmdlRICaptureTaskGrpBegin(stream));
                ok!(aclmdlExecuteAsync(id, image(images[0]), output, stream));
                ok!(aclmdlRICaptureTaskGrpEnd(stream, &mut group));
            });
            ok!(aclmdlRICaptureTaskUpdateBegin(stream, group));
            let (mut more, policy) = (null_mut(), aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST);
            acl!(aclrtMalloc(&mut more, bytes, policy));
            assert_ne!(acl!(aclmdlRICaptureTaskUpdateEnd(stream)), 0);
        })
    };
    assert_eq!(update(1 << 50), []);
    assert_eq!(update(64), [(rules::GRAPH_09, "aclmdlRICaptureTaskUpdateEnd")]);
    let joined = |plan| {
        found_with(plan, || {
            let ([origin, side], mut graph) = ([stream(), stream()], aclmdlRI::NULL);
            let [to, mut from] = [aclrtEvent::NULL; 2];
            let mut to = to;
            ok!(aclrtCreateEventExWithFlag(&mut to, ACL_EVENT_SYNC));
            ok!(aclmdlRICaptureBegin(origin, RELAXED));
            ok!(aclrtRecordEvent(to, origin));
            ok!(aclrtStreamWaitEvent(side, to));
            acl!(aclrtCreateEventExWithFlag(&mut from, ACL_EVENT_SYNC));
            assert_ne!(acl!(aclmdlRICaptureEnd(origin, &mut graph)), 0);
        })
    };
    let second = Calls::of("aclrtCreateEventExWithFlag").nth(2);
    assert_eq!(joined(Plan::new().at(second, Fault::Fails(ACL_ERROR_RT_MEMORY_ALLOCATION))), []);
    assert_eq!(joined(Plan::new()), [(rules::GRAPH_06, "aclmdlRICaptureEnd")]);
}

#[test]
fn a_mistake_beside_a_call_that_failed_is_found() {
    let ended = || {
        let (stream, mut graph) = (stream(), aclmdlRI::NULL);
        acl!(aclrtSynchronizeStream(stream));
        acl!(aclmdlRICaptureEnd(stream, &mut graph));
    };
    let mistake = [(rules::GRAPH_01, "aclmdlRICaptureEnd")];
    let slow = Plan::new().at(Calls::any(), Fault::Slows(Duration::from_micros(1)));
    assert_eq!(found_with(slow, ended), mistake);
    assert_eq!(
        found_with(fails("aclrtGetDeviceCount"), || {
            acl!(aclrtGetDeviceCount(&mut 0));
            ended();
        }),
        mistake
    );
    // Another stream.
    assert_eq!(
        found_with(fails("aclmdlRICaptureBegin"), || {
            capture(stream());
            ended();
        }),
        mistake
    );
    // The call was made again.
    assert_eq!(
        found_with(fails("aclmdlRICaptureBegin"), || {
            let (stream, mut graph) = (stream(), aclmdlRI::NULL);
            capture(stream);
            capture(stream);
            acl!(aclmdlRICaptureEnd(stream, &mut graph));
        }),
        mistake
    );
}

/// Whether the simulator reports or refuses, and whoever wants the failure.
#[test]
fn devices_that_hang_or_are_full_are_no_mistake_of_the_program() {
    for checks in [Checks::Report, Checks::Strict] {
        for fault in [Fault::Full, Fault::Hangs] {
            let _machine = machine_of(Config::new().checks(checks));
            ok!(aclInit(null()));
            ok!(aclrtSetDevice(0));
            let (stream, block, mut more) = (stream(), malloc(64), null_mut());
            let mut graph = aclmdlRI::NULL;
            ok!(aclmdlRICaptureBegin(stream, RELAXED));
            ok!(aclmdlRICaptureTaskGrpBegin(stream));
            control::fail(Plan::new().at(Calls::any(), fault)).unwrap();
            let code = match fault {
                Fault::Full => acl!(aclrtMalloc(&mut more, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST)),
                _ => acl!(aclrtMemset(block, 64, 0, 64)),
            };
            assert_ne!(code, 0, "{fault:?}");
            acl!(aclmdlRICaptureEnd(stream, &mut graph));
            assert_eq!(control::take_findings(), [], "{fault:?}");
        }
    }
}
