//! What a mistake leads to in a program that goes on, with strict checks and without: it is told of once.

use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::model_instance::*;
use ascendcl_sim::{Checks, Config, control};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::Duration;

const BLOCK: aclrtCallbackBlockType = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// What a program breaks on a machine that gives waits up soon.
fn found_by(checks: Checks, program: impl FnOnce()) -> Vec<(RuleId, &'static str)> {
    let _machine = machine_of(Config::new().checks(checks).patience(Duration::from_millis(200)));
    program();
    control::take_findings().iter().map(|finding| (finding.rule, finding.call.name)).collect()
}

fn begin() {
    ok!(aclInit(null()));
    ok!(aclrtSetDevice(0));
}

fn finish() {
    ok!(aclrtResetDevice(0));
    ok!(aclFinalize());
}

/// The number of the reporting thread is wrong, the wait runs into its limit, and the program cleans up.
#[test]
fn a_stream_that_is_unsubscribed_without_its_wait_is_destroyed_as_the_same_mistake() {
    for checks in [Checks::Report, Checks::Strict] {
        let found = found_by(checks, || {
            begin();
            let (stream, memory) = (stream(), malloc(64));
            ok!(aclrtSubscribeReport(12345, stream));
            ok!(aclrtMemsetAsync(memory, 64, 0, 64, stream));
            ok!(aclrtLaunchCallback(Some(nothing), null_mut(), BLOCK, stream));
            assert_ne!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 50)), 0);
            acl!(aclrtUnSubscribeReport(12345, stream));
            acl!(aclrtFree(memory));
            acl!(aclrtDestroyStream(stream));
            finish();
        });
        assert_eq!(found, [(rules::CB_06, "aclrtUnSubscribeReport")], "{checks:?}");
    }
}

/// The stream gets another reporting thread, which does not run its callbacks either.
#[test]
fn a_stream_that_is_subscribed_anew_is_judged_anew() {
    let twice = found_by(Checks::Report, || {
        begin();
        let stream = stream();
        ok!(aclrtSubscribeReport(1, stream));
        ok!(aclrtLaunchCallback(Some(nothing), null_mut(), BLOCK, stream));
        acl!(aclrtUnSubscribeReport(1, stream));
        ok!(aclrtSubscribeReport(2, stream));
        ok!(aclrtLaunchCallback(Some(nothing), null_mut(), BLOCK, stream));
        assert_ne!(acl!(aclrtSynchronizeStream(stream)), 0);
    });
    assert_eq!(twice, [(rules::CB_06, "aclrtUnSubscribeReport"), (rules::CB_05, "aclrtSynchronizeStream")]);
}

/// The event leads no stream into a capture. So what the program takes for captured work waits in vain.
#[test]
fn work_that_the_program_takes_for_captured_is_no_second_mistake() {
    let run = |checks: Checks, create: fn(&mut aclrtEvent) -> aclError| {
        found_by(checks, || {
            begin();
            let (first, second, memory) = (stream(), stream(), malloc(64));
            let (mut fork, mut join, mut graph) = (aclrtEvent::NULL, aclrtEvent::NULL, aclmdlRI::NULL);
            assert_eq!([create(&mut fork), create(&mut join)], [0, 0]);
            ok!(aclmdlRICaptureBegin(first, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
            acl!(aclrtRecordEvent(fork, first));
            acl!(aclrtStreamWaitEvent(second, fork));
            acl!(aclrtMemsetAsync(memory, 64, 1, 64, second));
            acl!(aclrtRecordEvent(join, second));
            acl!(aclrtStreamWaitEvent(first, join));
            if acl!(aclmdlRICaptureEnd(first, &mut graph)) == 0 {
                ok!(aclmdlRIDestroy(graph));
            }
            for event in [fork, join] {
                acl!(aclrtDestroyEvent(event));
            }
            acl!(aclrtFree(memory));
            for stream in [first, second] {
                acl!(aclrtDestroyStream(stream));
            }
            finish();
        })
    };
    for checks in [Checks::Report, Checks::Strict] {
        let plain = run(checks, |event| acl!(aclrtCreateEventWithFlag(event, ACL_EVENT_SYNC)));
        assert_eq!(plain, [(rules::GRAPH_06, "aclrtRecordEvent")], "{checks:?}");
        assert_eq!(run(checks, |event| acl!(aclrtCreateEventExWithFlag(event, ACL_EVENT_SYNC))), []);
    }
}

/// With strict checks the first set does not take place, and the program resets the device for it.
#[test]
fn a_set_that_was_refused_is_reset_as_the_same_mistake() {
    let run = |checks: Checks, early: bool| {
        found_by(checks, || {
            if early {
                acl!(aclrtSetDevice(0));
            }
            begin();
            ok!(aclrtResetDevice(0));
            if early {
                acl!(aclrtResetDevice(0));
            }
            ok!(aclFinalize());
        })
    };
    for checks in [Checks::Report, Checks::Strict] {
        assert_eq!(run(checks, true), [(rules::INIT_01, "aclrtSetDevice")], "{checks:?}");
        assert_eq!(run(checks, false), []);
    }
    let more = found_by(Checks::Report, || {
        begin();
        finish();
        ok!(aclInit(null()));
        assert_ne!(acl!(aclrtResetDevice(0)), 0);
    });
    assert_eq!(more, [(rules::DEV_07, "aclrtResetDevice")]);
}

/// The second stream was not led into the capture. What it does is taken for a part of it.
#[test]
fn work_of_a_stream_that_was_not_led_into_a_capture_is_no_second_mistake() {
    let run = |checks: Checks, leads: bool, third: bool| {
        found_by(checks, || {
            begin();
            let (first, second, other) = (stream(), stream(), stream());
            let (from, to, mut graph) = (malloc(64), malloc(64), aclmdlRI::NULL);
            let [fork, join] = [0; 2].map(|_| {
                let mut event = aclrtEvent::NULL;
                ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC));
                event
            });
            ok!(aclrtMemset(from, 64, 0, 64));
            ok!(aclmdlRICaptureBegin(first, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
            ok!(aclrtMemsetAsync(from, 64, 1, 64, first));
            if leads {
                ok!(aclrtRecordEvent(fork, first));
                ok!(aclrtStreamWaitEvent(second, fork));
            }
            ok!(aclrtMemcpyAsync(to, 64, from, 64, ON_DEVICE, second));
            ok!(aclrtRecordEvent(join, second));
            acl!(aclrtStreamWaitEvent(first, join));
            ok!(aclmdlRICaptureEnd(first, &mut graph));
            if third {
                // The program does not take this for captured.
                ok!(aclrtMemcpyAsync(to, 64, from, 64, ON_DEVICE, other));
            }
            acl!(aclmdlRIExecuteAsync(graph, first));
            for stream in [first, second, other] {
                sync(stream);
            }
            ok!(aclmdlRIDestroy(graph));
            [fork, join].into_iter().for_each(|event| ok!(aclrtDestroyEvent(event)));
            [from, to].into_iter().for_each(|block| ok!(aclrtFree(block)));
            [first, second, other].into_iter().for_each(|stream| ok!(aclrtDestroyStream(stream)));
            finish();
        })
    };
    for checks in [Checks::Report, Checks::Strict] {
        assert_eq!(run(checks, false, false), [(rules::GRAPH_06, "aclrtStreamWaitEvent")], "{checks:?}");
        assert_eq!(run(checks, true, false), [], "{checks:?}");
        assert_eq!(run(checks, true, true), [(rules::STREAM_04, "aclmdlRIExecuteAsync")], "{checks:?}");
    }
    let both = run(Checks::Report, false, true);
    assert_eq!(both[0], (rules::GRAPH_06, "aclrtStreamWaitEvent"));
    assert_eq!(both[1].0, rules::STREAM_04, "{both:?}");
}
