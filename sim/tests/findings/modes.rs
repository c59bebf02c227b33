//! Off, report, strict.

use crate::memory::store;
use crate::support::*;
use ascendcl_sim::exports::profiling::*;
use ascendcl_sim::{Checks, control};
use std::process::Command;

/// Frees memory in flight; says what the call answered.
fn free_in_flight() -> aclError {
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
    queue_copy(block, pinned, TO_DEVICE, stream);
    let code = acl!(aclrtFree(block));
    let text = message();
    sync(stream);
    if code != ACL_SUCCESS {
        assert!(text.contains("aclrtFree: MEM-02: "), "{text}");
        ok!(aclrtFree(block));
    }
    code
}

#[test]
fn nobody_looks_when_checks_are_off() {
    let _machine = machine(Checks::Off);
    assert_eq!(free_in_flight(), ACL_SUCCESS);
    assert_eq!(control::findings(), []);
}

#[test]
fn a_report_leaves_the_answers_as_they_are() {
    let _machine = machine(Checks::Report);
    assert_eq!(free_in_flight(), ACL_SUCCESS);
    let findings = control::take_findings();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].contradicts.as_ref().unwrap().0.name, "aclrtMemcpyAsync");
    assert_eq!(control::findings(), []);
}

#[test]
fn strict_checks_refuse_the_call_and_name_the_rule() {
    let _machine = machine(Checks::Strict);
    assert_eq!(free_in_flight(), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(control::take_findings().len(), 1, "what was refused can be done right");
    assert_eq!(acl!(aclFinalize()), ACL_ERROR_UNINITIALIZE);
    assert!(message().contains("INIT-02"));
    assert_ne!(control::live(), control::Live::default());
}

/// If the wait did not take place, all that relies on it would be found, too.
#[test]
fn a_wait_that_shows_a_mistake_answers_with_it_in_strict_mode_and_takes_place() {
    let _machine = machine(Checks::Strict);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
    store(pinned, 1);
    queue_copy(block, pinned, TO_DEVICE, stream);
    store(pinned, 2);
    assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_PARAM_INVALID);
    let text = message();
    assert!(text.contains("aclrtSynchronizeStream: COPY-04: "), "{text}");
    ok!(aclrtFree(block));
    ok!(aclrtFreeHost(pinned));
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtResetDevice(0));
    ok!(aclFinalize());
    assert_eq!(control::take_findings().iter().map(|finding| finding.rule).collect::<Vec<_>>(), [rules::COPY_04]);
}

#[test]
fn the_environment_asks_for_a_report_and_gets_it_on_stderr() {
    let child = |value: Option<&str>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "modes::a_program_that_breaks_rules", "--ignored", "--nocapture"]);
        command.env_remove("ASCENDCL_SIM").envs(value.map(|value| ("ASCENDCL_SIM", value)));
        let output = command.output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let report = child(Some("report"));
    assert!(report.contains("MEM-02 is broken by aclrtFree (call "), "{report}");
    assert!(report.contains("INIT-03 is broken by exit"), "{report}");
    assert!(!child(None).contains("broken"));
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn a_program_that_breaks_rules() {
    assert_eq!(free_in_flight(), ACL_SUCCESS);
}

#[test]
fn a_program_that_goes_on_after_a_refused_call_has_made_one_mistake() {
    let _machine = machine(Checks::Strict);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
    queue_copy(block, pinned, TO_DEVICE, stream);
    assert_ne!(acl!(aclrtFree(block)), ACL_SUCCESS);
    sync(stream);
    ok!(aclrtDestroyStream(stream));
    ok!(aclrtFreeHost(pinned));
    ok!(aclrtResetDevice(0));
    ok!(aclFinalize());
    let found: Vec<_> = control::take_findings().iter().map(|finding| finding.rule).collect();
    assert_eq!(found, [rules::MEM_02]);
}

/// The configuration is destroyed, or profiling is finalised, while a session runs. With strict checks these calls are
/// refused, and what the program does then is the same mistake.
#[test]
fn a_session_of_profiling_that_goes_on_after_a_refused_call_is_one_mistake() {
    let path = std::ffi::CString::new(std::env::temp_dir().to_str().unwrap()).unwrap();
    let run = |steps: &str, checks: Checks| {
        found_with(checks, || {
            ok!(aclprofInit(path.as_ptr(), path.as_bytes().len()));
            let metrics = aclprofAicoreMetrics::ACL_AICORE_NONE;
            let config = acl!(aclprofCreateConfig([0].as_mut_ptr(), 1, metrics, std::ptr::null(), 3));
            for step in steps.chars() {
                match step {
                    's' => acl!(aclprofStart(config)),
                    'e' => acl!(aclprofStop(config)),
                    'f' => acl!(aclprofFinalize()),
                    _ => acl!(aclprofDestroyConfig(config)),
                };
            }
            ok!(aclrtResetDevice(0));
            acl!(aclFinalize());
        })
    };
    for checks in [Checks::Strict, Checks::Report] {
        assert_eq!(run("sdf", checks), [(rules::INIT_13, "aclprofDestroyConfig")], "{checks:?}");
        assert_eq!(run("sfed", checks), [(rules::INIT_13, "aclprofFinalize")], "{checks:?}");
        assert_eq!(run("sefd", checks), [], "{checks:?}");
    }
}
