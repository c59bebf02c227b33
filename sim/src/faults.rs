//! Going wrong on purpose: a [`Plan`] says which calls fail, and when the devices are in [`trouble`].
//!
//! Without a plan a call pays one relaxed load for it. The same load tells a process that was forked from one in which the
//! simulator has threads: it has none of them, and locks that they had stay locked in it, so it is refused every call.

use crate::abi::{has_threads, in_children};
use crate::config::{self, Fault, Plan};
use crate::failure::Failure;
use crate::locks::lock;
use crate::machine::callbacks::reports;
use crate::machine::workers::pool;
use crate::machine::{device, trouble, watch};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, Once};

/// A fault that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Injected {
    /// The C function.
    pub call: &'static str,
    /// The how-manyth call it was since the plan began to hold, of all functions together.
    pub number: u64,
    /// A fault that happened.
    pub fault: Fault,
}

/// The effect of the plan on a call.
pub(crate) enum Verdict {
    Goes,
    Fails(Failure),
    /// The call takes effect, but returns an error.
    FailsAfter(Failure),
    /// The call does nothing, not even for those who watch: they have locks, too.
    Refused(Failure),
}

static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;
const FORKED: u8 = 3;
/// In a process that was forked and has made no call yet.
const CHILD: u8 = 4;
/// The mode before the fork.
static BEFORE: AtomicU8 = AtomicU8::new(UNKNOWN);

struct Active {
    plan: Plan,
    calls: u64,
    by_name: HashMap<&'static str, u64>,
    injected: Vec<Injected>,
}

static ACTIVE: Mutex<Option<Active>> = Mutex::new(None);

/// A call comes in. `can_fail`: it has a way to say so.
pub(crate) fn verdict(name: &'static str, can_fail: bool) -> Verdict {
    /// What a data buffer says is there to be read, and null is one of its answers.
    const READS: &str = "aclGetDataBufferAddr";
    match MODE.load(Relaxed) {
        OFF => Verdict::Goes,
        ON => consult(name, can_fail && name != READS),
        FORKED => {
            watch::first_call_of_child();
            Verdict::Refused(forked())
        }
        CHILD => {
            let refused = watch::first_call_of_child();
            MODE.store(if refused { FORKED } else { BEFORE.load(Relaxed) }, Relaxed);
            verdict(name, can_fail)
        }
        _ => {
            begin_as_configured();
            verdict(name, can_fail)
        }
    }
}

#[cold]
fn consult(name: &'static str, can_fail: bool) -> Verdict {
    let planned = lock(&ACTIVE).as_mut().and_then(|active| active.next(name, can_fail));
    match planned.map(|injected| (injected.fault, injected.number)) {
        Some((Fault::Fails(code), number)) => return Verdict::Fails(asked_for(code, number)),
        Some((Fault::FailsAfter(code), number)) => return Verdict::FailsAfter(asked_for(code, number)),
        Some((Fault::Lost, _)) => {
            trouble::lose();
            reports::lose_all();
        }
        Some((Fault::Hangs, _)) => trouble::hang(),
        Some((Fault::Slows(time), _)) => trouble::slow_down(time),
        Some((Fault::Full, _)) => device::all().iter().for_each(|device| device.fill()),
        None => {}
    }
    match trouble::lost() {
        Some(lost) if can_fail && trouble::needs_device(name) => Verdict::Fails(lost),
        _ => Verdict::Goes,
    }
}

#[cold]
fn forked() -> Failure {
    Failure::unsupported(
        "this process was forked from one in which the simulator had threads or was initialised, and does not have what \
         that one has; start a new program instead, or fork before aclInit",
    )
}

extern "C" fn child_begins() {
    match MODE.load(Relaxed) {
        FORKED | CHILD => {}
        _ if has_threads() => MODE.store(FORKED, Relaxed),
        before => {
            BEFORE.store(before, Relaxed);
            MODE.store(CHILD, Relaxed);
        }
    }
}

fn asked_for(code: i32, number: u64) -> Failure {
    Failure::new(code, format!("the plan of the simulator wants this failure (call {number})"))
}

/// This plan holds from now on, and calls are counted anew. The devices are well again.
pub(crate) fn begin(plan: Plan) {
    hold(&mut lock(&ACTIVE), plan);
    recover();
}

/// The same for the plan of the configuration, at the first call. Of several threads that make it, one begins the plan.
#[cold]
fn begin_as_configured() {
    static CHILDREN: Once = Once::new();
    CHILDREN.call_once(|| in_children(child_begins));
    let plan = config::current().planned();
    let mut active = lock(&ACTIVE);
    if MODE.load(Relaxed) == UNKNOWN {
        hold(&mut active, plan);
        drop(active);
        recover();
    }
}

fn hold(active: &mut Option<Active>, plan: Plan) {
    let mode = if plan.is_empty() { OFF } else { ON };
    *active = Some(Active { plan, calls: 0, by_name: HashMap::new(), injected: Vec::new() });
    trouble::expect(mode == ON);
    MODE.store(mode, Relaxed);
}

/// The machine starts afresh, and so does the plan that it was configured with.
pub(crate) fn reset() {
    recover();
    MODE.store(UNKNOWN, Relaxed);
    trouble::expect(false);
}

/// The devices are well again, and streams that stood still go on.
fn recover() {
    trouble::end();
    pool::wake_stalled();
}

/// The faults that came since the plan began to hold.
pub(crate) fn injected() -> Vec<Injected> {
    lock(&ACTIVE).as_ref().map(|active| active.injected.clone()).unwrap_or_default()
}

/// The calls since the plan began to hold.
pub(crate) fn calls() -> u64 {
    lock(&ACTIVE).as_ref().map_or(0, |active| active.calls)
}

impl Active {
    /// Counts a call, and finds what goes wrong at it.
    fn next(&mut self, name: &'static str, can_fail: bool) -> Option<Injected> {
        /// A plan may make every call fail.
        const KEPT: usize = 10_000;
        self.calls += 1;
        let of_name = self.by_name.entry(name).or_default();
        *of_name += 1;
        let (of_name, number) = (*of_name, self.calls);
        let fits = |fault: &Fault| can_fail || !matches!(fault, Fault::Fails(_) | Fault::FailsAfter(_));
        let found = self.plan.faults.iter().find(|(calls, fault)| fits(fault) && calls.means(name, of_name, number));
        let injected = Injected { call: name, number, fault: found?.1 };
        if self.injected.len() < KEPT {
            self.injected.push(injected);
        }
        Some(injected)
    }
}
