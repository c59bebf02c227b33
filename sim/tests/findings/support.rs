//! Programs under watch, and C calls without ceremony.

use ascendcl_rules::{Finding, RuleId};
use ascendcl_sim::{Checks, Config, control};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) use crate::common::{Shared, acl, context, current, event, malloc, malloc_host, message, ok, stream};
pub(crate) use ascendcl_rules as rules;
pub(crate) use ascendcl_sim::exports::{allocator::*, base::*, callback::*, copy::*, device::*, event::*, memory::*};
pub(crate) use ascendcl_sim::exports::{memory_pool::*, model::*, process::*, stream::*};
pub(crate) use ascendcl_sys::{constants::*, error_codes::*, types::*};

pub(crate) const TO_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
pub(crate) const TO_HOST: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
pub(crate) const ON_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE;

/// The machine, for one test alone.
pub(crate) struct Machine(#[expect(dead_code)] MutexGuard<'static, ()>);

pub(crate) fn machine(checks: Checks) -> Machine {
    machine_of(Config::new().checks(checks))
}

pub(crate) fn machine_of(config: Config) -> Machine {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    control::reset();
    control::configure(config).unwrap();
    control::take_findings();
    Machine(alone)
}

impl Drop for Machine {
    fn drop(&mut self) {
        control::reset();
        control::take_findings();
    }
}

/// The rules that a program breaks, in order. The library is initialised, and device 0 is set.
pub(crate) fn broken(run: impl FnOnce()) -> Vec<RuleId> {
    broken_on(Config::new(), run)
}

/// The same on a machine with this configuration.
pub(crate) fn broken_on(config: Config, run: impl FnOnce()) -> Vec<RuleId> {
    found_on(config, run).iter().map(|finding| finding.rule).collect()
}

/// The rules, with the functions that break them.
pub(crate) fn broken_by(run: impl FnOnce()) -> Vec<(RuleId, &'static str)> {
    found_on(Config::new(), run).iter().map(|finding| (finding.rule, finding.call.name)).collect()
}

/// The same with these checks.
pub(crate) fn found_with(checks: Checks, run: impl FnOnce()) -> Vec<(RuleId, &'static str)> {
    let _machine = machine(checks);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    run();
    control::take_findings().iter().map(|finding| (finding.rule, finding.call.name)).collect()
}

fn found_on(config: Config, run: impl FnOnce()) -> Vec<Finding> {
    let _machine = machine_of(config.checks(Checks::Report));
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    run();
    control::take_findings()
}

/// A program that breaks exactly this rule, and one that differs in what mends it.
pub(crate) fn breaks(rule: RuleId, misuse: impl FnOnce(), repaired: impl FnOnce()) {
    assert_eq!(broken(misuse), [rule]);
    assert_eq!(broken(repaired), []);
}

/// The two programs are one, with or without what mends it.
pub(crate) fn breaks_without(rule: RuleId, run: impl Fn(bool)) {
    breaks(rule, || run(false), || run(true));
}

/// Queues a copy of 64 bytes.
pub(crate) fn queue_copy(to: *mut c_void, from: *mut c_void, kind: aclrtMemcpyKind, stream: aclrtStream) {
    ok!(aclrtMemcpyAsync(to, 64, from, 64, kind, stream));
}

pub(crate) fn sync(stream: aclrtStream) {
    ok!(aclrtSynchronizeStream(stream));
}

/// Queues work that takes a while and uses nothing else. Unlike a gate it runs no code of the program, which could write
/// anything.
pub(crate) fn long_fill(stream: aclrtStream) {
    const LONG: usize = 64 << 20;
    ok!(aclrtMemsetAsync(malloc(LONG), LONG, 1, LONG, stream));
}

/// Queues a host function that runs `code`.
pub(crate) fn launch(stream: aclrtStream, code: impl FnOnce() + Send + 'static) {
    unsafe extern "C" fn run(code: *mut c_void) {
        // SAFETY: the argument was made below, and is used once.
        let code = unsafe { Box::from_raw(code.cast::<Box<dyn FnOnce() + Send>>()) };
        code();
    }
    let code: Box<dyn FnOnce() + Send> = Box::new(code);
    ok!(aclrtLaunchHostFunc(stream, Some(run), Box::into_raw(Box::new(code)).cast()));
}

/// Runs code on a thread of its own, and waits for its end.
pub(crate) fn on_a_thread(code: impl FnOnce() + Send + 'static) {
    std::thread::spawn(code).join().unwrap();
}

/// Holds a stream up until it is opened.
pub(crate) struct Gate(&'static AtomicBool);

impl Gate {
    pub(crate) fn close(stream: aclrtStream) -> Self {
        unsafe extern "C" fn pass(gate: *mut c_void) {
            // SAFETY: the argument below: it is never freed.
            let gate = unsafe { &*gate.cast::<AtomicBool>() };
            while !gate.load(SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let gate: &'static AtomicBool = Box::leak(Box::default());
        ok!(aclrtLaunchHostFunc(stream, Some(pass), std::ptr::from_ref(gate).cast_mut().cast()));
        Self(gate)
    }

    pub(crate) fn open(&self) {
        self.0.store(true, SeqCst);
    }
}
