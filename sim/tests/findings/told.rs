//! Refused calls whose rule is known: what the text says, what strict checks do, and that one call is one finding.

use crate::graphs::captured;
use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::{media::*, model_instance::*, profiling::*};
use ascendcl_sim::{Calls, Checks, Config, Fault, Plan, control};
use std::ptr::{null, null_mut};

const RELAXED: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

fn end_capture(stream: aclrtStream) -> aclError {
    let mut graph = aclmdlRI::NULL;
    acl!(aclmdlRICaptureEnd(stream, &mut graph))
}

#[test]
fn with_strict_checks_the_text_begins_with_the_rule_unless_it_is_suppressed() {
    let said = |config: Config| {
        let _machine = machine_of(config);
        ok!(aclInit(null()));
        ok!(aclrtSetDevice(0));
        assert_ne!(end_capture(stream()), 0);
        (message(), control::take_findings().len())
    };
    let strict = || Config::new().checks(Checks::Strict);
    let named = "aclmdlRICaptureEnd: GRAPH-01: the stream is not being captured; ";
    let plain = "aclmdlRICaptureEnd: the stream is not being captured [";
    let (text, found) = said(strict());
    assert!(text.starts_with(named) && found == 1, "{text} {found}");
    let others = [
        (Config::new().checks(Checks::Report), 1),
        (Config::new().checks(Checks::Off), 0),
        (strict().suppress(rules::GRAPH_01), 0),
        (Config::new().checks(Checks::Report).suppress(rules::GRAPH_01), 0),
    ];
    for (config, expected) in others {
        let (text, found) = said(config);
        assert!(text.starts_with(plain) && found == expected, "{text} {found}");
    }
}

/// A configuration that is destroyed while a session with it runs.
#[test]
fn strict_checks_refuse_what_the_library_takes() {
    for (checks, taken) in [(Checks::Off, true), (Checks::Report, true), (Checks::Strict, false)] {
        let _machine = machine(checks);
        ok!(aclInit(null()));
        ok!(aclrtSetDevice(0));
        let folder = std::env::temp_dir().join(format!("ascendcl-sim-told-{}", std::process::id()));
        let path = std::ffi::CString::new(folder.to_str().unwrap()).unwrap();
        let metrics = aclprofAicoreMetrics::ACL_AICORE_NONE;
        let config = acl!(aclprofCreateConfig([0].as_mut_ptr(), 1, metrics, null(), 3));
        ok!(aclprofInit(path.as_ptr(), path.as_bytes().len()));
        ok!(aclprofStart(config));
        assert_eq!(acl!(aclprofDestroyConfig(config)) == 0, taken, "{checks:?}");
        assert_eq!(message().contains("INIT-13"), !taken, "{checks:?}");
        assert_eq!(acl!(aclprofStop(config)) == 0, !taken, "{checks:?}: it is there still");
        acl!(aclprofFinalize());
        let _ = std::fs::remove_dir_all(folder);
        let found: Vec<_> = control::take_findings().iter().map(|finding| finding.rule).collect();
        assert_eq!(found, if checks == Checks::Off { vec![] } else { vec![rules::INIT_13] });
    }
}

/// A stream that is captured and has work in flight is not destroyed for one of both.
#[test]
fn what_the_checker_has_found_in_a_call_is_its_only_finding() {
    let run = |synced: bool| {
        broken_by(|| {
            let stream = stream();
            long_fill(stream);
            if synced {
                sync(stream);
            }
            ok!(aclmdlRICaptureBegin(stream, RELAXED));
            assert_ne!(acl!(aclrtDestroyStream(stream)), 0);
        })
    };
    assert_eq!(run(true), [(rules::STREAM_18, "aclrtDestroyStream")]);
    assert_eq!(run(false), [(rules::STREAM_05, "aclrtDestroyStream")]);
}

#[test]
fn the_finding_names_the_call_that_ended_a_description() {
    let found = {
        let _machine = machine(Checks::Report);
        ok!(aclInit(null()));
        ok!(aclrtSetDevice(0));
        let picture = acl!(acldvppCreatePicDesc());
        ok!(acldvppDestroyPicDesc(picture));
        acl!(acldvppSetPicDescWidth(picture, 8));
        control::take_findings()
    };
    let ended = found[0].contradicts.as_ref().map(|(call, _)| call.name);
    assert_eq!((found.len(), found[0].rule, ended), (1, rules::DATA_05, Some("acldvppDestroyPicDesc")));
    assert_eq!(found[0].objects[0].made.map(|call| call.name), Some("acldvppCreatePicDesc"));
}

/// What a capture forbids to all threads is no mistake of one that captures nothing.
#[test]
fn a_thread_is_not_blamed_for_the_capture_of_another() {
    let run = |own: bool| {
        broken_by(|| {
            let (stream, block) = (stream(), Shared(malloc(64)));
            let context = Shared(current());
            ok!(aclmdlRICaptureBegin(stream, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
            let fill = move || {
                ok!(aclrtSetCurrentContext(context.get()));
                assert_ne!(acl!(aclrtMemset(block.get(), 64, 0, 64)), 0);
            };
            if own {
                fill()
            } else {
                on_a_thread(fill)
            }
            assert_eq!(end_capture(stream), 0);
        })
    };
    assert_eq!(run(false), []);
    assert_eq!(run(true), [(rules::GRAPH_04, "aclrtMemset")]);
}

/// What is found after this, when a capture is ended that did not begin.
fn then_ended(plan: Plan, before: impl FnOnce(aclrtStream)) -> Vec<(RuleId, &'static str)> {
    broken_by(|| {
        let stream = stream();
        control::fail(plan).unwrap();
        before(stream);
        assert_ne!(end_capture(stream), 0);
    })
}

#[test]
fn a_refusal_is_no_excuse_and_a_failure_is_one_until_the_same_call_succeeds() {
    let mistake = (rules::GRAPH_01, "aclmdlRICaptureEnd");
    // An argument is wrong.
    let refused = |stream| assert_ne!(acl!(aclrtMemsetAsync(null_mut(), 8, 0, 8, stream)), 0);
    assert_eq!(then_ended(Plan::new(), refused), [(rules::MEM_16, "aclrtMemsetAsync"), mistake]);
    let begun = |stream| acl!(aclmdlRICaptureBegin(stream, RELAXED));
    let fails =
        || Plan::new().at(Calls::of("aclmdlRICaptureBegin").nth(1), Fault::Fails(ACL_ERROR_RT_MEMORY_ALLOCATION));
    let another_call = |stream| {
        assert_ne!(begun(stream), 0);
        sync(stream);
    };
    assert_eq!(then_ended(fails(), another_call), []);
    let another_stream = |own| {
        assert_ne!(begun(own), 0);
        let _graph = captured(stream(), || ());
    };
    assert_eq!(then_ended(fails(), another_stream), []);
    let again = |stream| {
        assert_ne!(begun(stream), 0);
        let _graph = captured(stream, || ());
    };
    assert_eq!(then_ended(fails(), again), [mistake]);
    // Nothing of this is left when the machine starts afresh.
    let profiled = |plan| {
        broken_by(|| {
            control::fail(plan).unwrap();
            acl!(aclprofInit(c"nowhere".as_ptr(), 7));
            acl!(aclprofFinalize());
        })
    };
    let no_profiling = || Plan::new().at(Calls::of("aclprofInit"), Fault::Fails(ACL_ERROR_RT_MEMORY_ALLOCATION));
    assert_eq!(profiled(no_profiling()), []);
    assert_eq!(broken_by(|| assert_ne!(acl!(aclprofFinalize()), 0)), [(rules::INIT_13, "aclprofFinalize")]);
}
