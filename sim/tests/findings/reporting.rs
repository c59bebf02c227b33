//! How findings are told: one by one, where, which, and what the process exits with.

use crate::support::*;
use ascendcl_sim::{Checks, Config, Fault, Plan, Severity, control};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

/// Runs one of the programs below in a process of its own, and answers what it wrote to stderr.
fn child(program: &str, variables: &[(&str, &str)]) -> (ExitStatus, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("reporting::{program}"), "--ignored", "--nocapture"]);
    for name in ["ASCENDCL_SIM", "ASCENDCL_SIM_FINDINGS", "ASCENDCL_SIM_SUPPRESS", "ASCENDCL_SIM_EXIT"] {
        command.env_remove(name);
    }
    let output = command.env("ASCENDCL_SIM", "report").envs(variables.iter().copied()).output().unwrap();
    (output.status, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("ascendcl-sim-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn free_in_flight() {
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
    queue_copy(block, pinned, TO_DEVICE, stream);
    ok!(aclrtFree(block));
}

#[test]
#[ignore = "run by tests here, in a process of its own"]
fn a_program_that_aborts() {
    free_in_flight();
    std::process::abort();
}

#[test]
#[ignore = "run by tests here, in a process of its own"]
fn a_program_that_ends() {
    free_in_flight();
    let mut free = 0_usize;
    // Not simulated, and asked twice.
    for _ in 0..2 {
        acl!(aclrtGetDevicesTopo(0, 1, &mut 0));
    }
    acl!(aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &mut free, &mut 0));
}

#[test]
fn a_program_that_aborts_loses_no_finding_that_is_told_at_once() {
    const FOUND: &str = "MEM-02 is broken by aclrtFree";
    let (status, told) = child("a_program_that_aborts", &[("ASCENDCL_SIM_FINDINGS", "stderr")]);
    assert!(!status.success() && told.contains(FOUND), "{told}");
    let path = file("findings");
    let (status, told) = child("a_program_that_aborts", &[("ASCENDCL_SIM_FINDINGS", path.to_str().unwrap())]);
    assert!(!status.success() && !told.contains(FOUND), "{told}");
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(written.contains(FOUND), "{written}");
    let (_, told) = child("a_program_that_aborts", &[]);
    assert!(!told.contains(FOUND), "without a word findings are told at the end");
}

/// As by `program 2>&1 | head`.
#[test]
fn a_program_whose_stderr_is_closed_is_neither_ended_nor_refused_a_call() {
    for telling in ["", "stderr", "/no/such/folder/findings"] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "reporting::a_program_that_ends", "--ignored", "--nocapture"]);
        command.envs([("ASCENDCL_SIM", "report"), ("ASCENDCL_SIM_FINDINGS", telling), ("ASCENDCL_SIM_EXIT", "7")]);
        let (reads, writes) = std::io::pipe().unwrap();
        drop(reads);
        let status = command.stdout(std::process::Stdio::null()).stderr(writes).status().unwrap();
        assert_eq!(status.code(), Some(7), "{telling:?}: {status}");
    }
}

#[test]
fn each_finding_is_told_once_and_so_is_each_call_that_is_not_simulated() {
    for variables in [&[][..], &[("ASCENDCL_SIM_FINDINGS", "stderr")]] {
        let (status, told) = child("a_program_that_ends", variables);
        assert!(status.success());
        assert_eq!(told.matches("MEM-02 is broken by aclrtFree").count(), 1, "{told}");
        assert_eq!(told.matches("aclrtGetDevicesTopo is not simulated").count(), 1, "{told}");
    }
}

#[test]
fn rules_can_be_suppressed_and_findings_can_decide_the_exit_status() {
    let (status, told) = child("a_program_that_ends", &[("ASCENDCL_SIM_EXIT", "7")]);
    assert_eq!(status.code(), Some(7), "{told}");
    let suppress = ("ASCENDCL_SIM_SUPPRESS", "MEM-02, INIT_03");
    let (status, told) = child("a_program_that_ends", &[("ASCENDCL_SIM_EXIT", "7"), suppress]);
    assert_eq!(status.code(), Some(0), "{told}");
    assert!(!told.contains("is broken by"), "{told}");
}

#[test]
fn variables_that_cannot_be_read_are_told() {
    for variable in [("ASCENDCL_SIM_SUPPRESS", "MEM-9999"), ("ASCENDCL_SIM_EXIT", "many")] {
        let (_, told) = child("a_program_that_ends", &[variable]);
        assert!(told.contains(&format!("{}={}", variable.0, variable.1)), "{told}");
    }
}

#[test]
fn variables_that_expect_findings_are_told_where_nothing_is_checked() {
    let suppressed = ("ASCENDCL_SIM_SUPPRESS", "MEM-02");
    for variable in [("ASCENDCL_SIM_FINDINGS", "stderr"), ("ASCENDCL_SIM_EXIT", "7"), suppressed] {
        for words in ["", "documented"] {
            let (status, told) = child("a_program_that_ends", &[("ASCENDCL_SIM", words), variable]);
            let note = format!("{} has no effect: ASCENDCL_SIM has neither report nor strict", variable.0);
            assert_eq!((status.code(), told.matches(&note).count()), (Some(0), 1), "{told}");
        }
        for words in ["report", "strict"] {
            let (_, told) = child("a_program_that_ends", &[("ASCENDCL_SIM", words), variable]);
            assert!(!told.contains("has no effect"), "{told}");
        }
    }
    let (_, told) = child("a_program_that_ends", &[("ASCENDCL_SIM", "advice")]);
    assert_eq!(told.matches("`advice` of ASCENDCL_SIM has no effect").count(), 1, "{told}");
    let (_, told) = child("a_program_that_ends", &[("ASCENDCL_SIM", "report,advice")]);
    assert!(!told.contains("has no effect"), "{told}");
    let (_, told) = child("a_program_that_ends", &[("ASCENDCL_SIM", "")]);
    assert_eq!(told, "", "nothing is expected");
}

#[test]
fn a_finding_says_where_the_call_was_made() {
    let found = {
        let _machine = machine(Checks::Report);
        free_in_flight();
        control::take_findings()
    };
    let caller = found[0].caller.as_deref().unwrap_or_default();
    assert!(caller.starts_with("0x"), "{caller:?}");
    assert!(found[0].to_string().contains(&format!("  from:     {caller}\n")), "{}", found[0]);
}

/// Events for times only, each of which a stream waits for.
fn waits_for_events_without_the_flag(count: usize) {
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let stream = stream();
    for _ in 0..count {
        let mut event = aclrtEvent::NULL;
        ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_TIME_LINE));
        ok!(aclrtRecordEvent(event, stream));
        acl!(aclrtStreamWaitEvent(stream, event));
    }
}

#[test]
fn a_mistake_at_one_place_is_one_finding_however_many_objects_it_is_made_with() {
    let _machine = machine(Checks::Report);
    waits_for_events_without_the_flag(6);
    let found = control::take_findings();
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((finding.rule, finding.repeated), (rules::EVENT_02, 5));
    assert!(finding.to_string().ends_with("\n  repeated: 5 times more"), "{finding}");
    // The same mistake elsewhere is another one.
    let (first, second) = (malloc(64), malloc(64));
    for block in [first, second] {
        ok!(aclrtFree(block));
    }
    acl!(aclrtFree(first));
    acl!(aclrtFree(second));
    let found = control::take_findings();
    assert_eq!(found.iter().map(|finding| finding.repeated).collect::<Vec<_>>(), [0, 0], "{found:?}");
}

#[test]
#[ignore = "run by tests here, in a process of its own"]
fn a_program_that_repeats_a_mistake() {
    waits_for_events_without_the_flag(3);
    std::process::exit(0);
}

#[test]
fn repetitions_are_told_at_the_end_if_findings_are_told_at_once() {
    let (_, told) = child("a_program_that_repeats_a_mistake", &[("ASCENDCL_SIM_FINDINGS", "stderr")]);
    assert_eq!(told.matches("EVENT-02 is broken by aclrtStreamWaitEvent").count(), 1, "{told}");
    let again = told.lines().filter(|line| line.contains("EVENT-02 is broken as by aclrtStreamWaitEvent"));
    assert!(again.clone().all(|line| line.ends_with(" 2 times more")) && again.count() == 1, "{told}");
    let (_, told) = child("a_program_that_repeats_a_mistake", &[]);
    assert!(told.contains("  repeated: 2 times more"), "{told}");
}

/// The calls of a program that does not look at what they answer.
#[test]
fn an_initialisation_that_failed_is_one_finding() {
    let run = |checks: Checks, plan: Plan, file: &std::ffi::CStr| {
        let _machine = machine(checks);
        control::fail(plan).unwrap();
        assert_ne!(acl!(aclInit(file.as_ptr())), ACL_SUCCESS);
        let (mut block, mut stream) = (std::ptr::null_mut(), aclrtStream::NULL);
        let code = acl!(aclrtSetDevice(0));
        assert_eq!(code == ACL_SUCCESS, checks == Checks::Report, "{code}");
        acl!(aclrtMalloc(&mut block, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
        acl!(aclrtCreateStream(&mut stream));
        acl!(aclrtMemset(block, 64, 0, 64));
        acl!(aclrtSynchronizeStream(stream));
        acl!(aclrtDestroyStream(stream));
        acl!(aclrtFree(block));
        acl!(aclrtResetDevice(0));
        acl!(aclFinalize());
        control::take_findings()
    };
    let planned = || Plan::new().at(ascendcl_sim::Calls::of("aclInit"), Fault::Fails(ACL_ERROR_INTERNAL_ERROR));
    for checks in [Checks::Report, Checks::Strict] {
        for found in [run(checks, planned(), c""), run(checks, Plan::new(), c"/no/such/file")] {
            let [finding] = found.as_slice() else { panic!("{checks:?}: {found:?}") };
            assert_eq!(finding.rule, rules::INIT_01);
            assert!(finding.found.contains("aclInit failed"), "{finding}");
            assert_eq!(finding.contradicts.as_ref().map(|(call, _)| call.name), Some("aclInit"));
        }
    }
}

#[test]
fn what_is_only_advised_against_is_told_and_fails_no_call() {
    let _machine = machine(Checks::Strict);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let stream = stream();
    let (tell, told) = std::sync::mpsc::channel();
    let block = Shared::new(malloc(64));
    launch(stream, move || tell.send(acl!(aclrtFree(block.get()))).unwrap());
    assert_eq!(told.recv().unwrap(), ACL_SUCCESS);
    sync(stream);
    let found = control::take_findings();
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [rules::CB_01]);
    assert_eq!(found[0].rule.severity(), Severity::Warning);
    assert!(found[0].to_string().starts_with("warning: CB-01"), "{}", found[0]);
    // A rule that breaks things still fails the call.
    queue_copy(malloc(64), malloc_host(64), TO_DEVICE, stream);
    assert_ne!(acl!(aclFinalize()), ACL_SUCCESS);
}

#[test]
fn findings_can_be_suppressed_by_the_configuration() {
    let _machine = machine(Checks::Report);
    control::configure(Config::new().checks(Checks::Strict).suppress(rules::MEM_02)).unwrap();
    free_in_flight();
    assert_eq!(control::take_findings(), []);
}
