//! A system that starts no more threads: work is refused with the reason or waits, and nothing is lost.
#![cfg(target_os = "linux")]

use crate::support::*;
use ascendcl_sim::exports::model_instance::*;
use ascendcl_sim::{Checks, Config};
use std::ffi::c_void;
use std::process::Command;
use std::time::{Duration, Instant};

/// Runs a test of this file in a process of its own, where the stack of a thread is large.
fn alone(name: &str) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("threads::{name}"), "--ignored", "--nocapture", "--test-threads=1"]);
    let output = command.env("RUST_MIN_STACK", (256_usize << 20).to_string()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// While this exists, there is no room for the stack of a thread.
struct NoThreads(libc::rlimit);

impl NoThreads {
    fn begin() -> Self {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        let used = pages.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096;
        let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the system writes the limits to where the pointer leads, which is a variable of their type.
        assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut before) }, 0);
        let limits = Self(before);
        limits.set(used + (128 << 20));
        assert!(std::thread::Builder::new().spawn(|| {}).is_err());
        limits
    }

    fn set(&self, space: u64) {
        let limits = libc::rlimit { rlim_cur: space, ..self.0 };
        // SAFETY: the system reads the limits that the pointer leads to, which is a variable of their type.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limits) }, 0);
    }
}

impl Drop for NoThreads {
    fn drop(&mut self) {
        self.set(self.0.rlim_cur);
    }
}

/// A machine whose waits for what nobody does are given up early.
fn impatient() -> Machine {
    let machine = machine_of(Config::new().checks(Checks::Off).patience(Duration::from_millis(1_500)));
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    machine
}

fn bytes_of(memory: *mut c_void) -> [u8; 64] {
    let mut bytes = [0; 64];
    ok!(aclrtMemcpy(bytes.as_mut_ptr().cast(), 64, memory, 64, TO_HOST));
    bytes
}

fn is_refused(code: aclError) {
    let said = message();
    assert_eq!(code, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "{said}");
    assert!(said.contains("the system starts no thread for"), "{said}");
}

fn notify() -> aclrtNotify {
    let mut notify = aclrtNotify::NULL;
    ok!(aclrtCreateNotify(&mut notify, 0));
    notify
}

#[test]
fn work_is_refused_while_no_thread_can_run_it() {
    alone("no_worker");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn no_worker() {
    let _machine = impatient();
    let (stream, event, memory) = (stream(), event(), malloc(64));
    let limits = NoThreads::begin();
    is_refused(acl!(aclrtMemsetAsync(memory, 64, 7, 64, stream)));
    is_refused(acl!(aclrtRecordEvent(event, stream)));
    ok!(aclrtSynchronizeStream(stream));
    drop(limits);
    ok!(aclrtMemsetAsync(memory, 64, 7, 64, stream));
    ok!(aclrtRecordEvent(event, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(bytes_of(memory), [7; 64]);
}

/// A captured wait for a notify, and the stream to replay it on.
fn replay() -> (aclrtStream, aclmdlRI, aclrtNotify) {
    let (stream, notify, mut instance) = (stream(), notify(), aclmdlRI::NULL);
    ok!(aclmdlRICaptureBegin(stream, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    ok!(aclrtWaitAndResetNotify(notify, stream, 0));
    ok!(aclmdlRICaptureEnd(stream, &mut instance));
    (stream, instance, notify)
}

#[test]
fn a_wait_is_given_up_whose_work_no_thread_runs_and_the_work_is_kept() {
    alone("no_further_worker");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn no_further_worker() {
    let _machine = impatient();
    let (records, memory) = (stream(), malloc(64));
    ok!(aclrtMemsetAsync(memory, 64, 1, 64, records));
    ok!(aclrtSynchronizeStream(records));
    // One for each worker that there may be.
    let workers = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 16);
    let replays: Vec<_> = (0..workers).map(|_| replay()).collect();
    let limits = NoThreads::begin();
    for (stream, instance, _) in &replays {
        ok!(aclmdlRIExecuteAsync(*instance, *stream));
    }
    std::thread::sleep(Duration::from_millis(200));
    ok!(aclrtMemsetAsync(memory, 64, 7, 64, records));
    for (_, _, notify) in &replays {
        ok!(aclrtRecordNotify(*notify, records));
    }
    let begun = Instant::now();
    let mut codes = vec![acl!(aclrtSynchronizeStream(records))];
    let said = message();
    assert!(begun.elapsed() > Duration::from_millis(150), "the system may start a thread yet");
    drop(limits);
    // Those whose waits are over first get the error: this thread, or replays.
    codes.extend(replays.iter().map(|(stream, ..)| acl!(aclrtSynchronizeStream(*stream))));
    assert!(codes.contains(&ACL_ERROR_RT_RESOURCE_ALLOC_FAIL), "{codes:?} {said}");
    assert!(codes.iter().all(|code| [ACL_SUCCESS, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL].contains(code)), "{codes:?}");
    ok!(aclrtSynchronizeStream(records));
    assert_eq!(bytes_of(memory), [7; 64]);
    for (_, instance, _) in replays {
        ok!(aclmdlRIDestroy(instance));
    }
}

#[test]
fn a_wait_that_a_thread_has_to_look_after_is_refused_where_there_is_none() {
    alone("no_other_thread");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn no_other_thread() {
    let _machine = impatient();
    let (stream, notify, memory) = (stream(), notify(), malloc(64));
    ok!(aclrtMemsetAsync(memory, 64, 0, 64, stream));
    ok!(aclrtSynchronizeStream(stream));
    let limits = NoThreads::begin();
    is_refused(acl!(aclrtWaitAndResetNotify(notify, stream, 1)));
    is_refused(acl!(aclrtValueWait(memory, 0, ACL_STREAM_WAIT_VALUE_EQ, stream)));
    ok!(aclrtSynchronizeStream(stream));
    drop(limits);
    ok!(aclrtWaitAndResetNotify(notify, stream, 1));
    assert_ne!(acl!(aclrtSynchronizeStream(stream)), ACL_SUCCESS, "its time is over");
    ok!(aclrtValueWait(memory, 0, ACL_STREAM_WAIT_VALUE_EQ, stream));
    ok!(aclrtSynchronizeStream(stream));
}
