//! Captures under way, and the calls that they forbid on each thread.

use crate::abi::this_thread;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::recording::captures::Capture;
use crate::machine::streams::refusals::while_captured;
use crate::machine::streams::stream::Stream;
use crate::machine::thread::current;
use ascendcl_rules::{GRAPH_05, Object};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT};
use ascendcl_sys::types::aclmdlRICaptureMode;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

static ACTIVE: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());
/// How many there are, to look at without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

const RELAXED: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
const THREAD_LOCAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
const GLOBAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

thread_local! {
    /// Whose captures this thread respects.
    static MODE: Cell<aclmdlRICaptureMode> = const { Cell::new(GLOBAL) };
}

/// Sets whose captures this thread respects; answers what held before.
pub(crate) fn exchange_mode(mode: aclmdlRICaptureMode) -> aclmdlRICaptureMode {
    MODE.replace(mode)
}

/// A synchronous copy does not become part of a capture, and would run before what was captured before it. Its thread
/// must not make one during a capture of its own in this context that is not relaxed, or during a global one of any thread
/// (107030).
pub(crate) fn refuse_synchronous() -> Answer {
    if !forbidden() {
        return Ok(());
    }
    let text =
        "a synchronous copy while a stream is being captured; a relaxed capture, or an asynchronous copy, allows it";
    Err(of_this_thread(Failure::new(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, text)))
}

/// The call would block until its work has run: not on a stream that is captured or part of an instance, whose work does
/// not run (107000), nor
/// where a synchronous copy is forbidden (107041).
pub(crate) fn refuse_blocking(stream: &Stream, why: &str) -> Answer {
    if stream.is_recording() {
        let failure = Failure::refused(format!("{why}, which a capture cannot do"));
        let failure = failure.breaks(GRAPH_05, "pinned host memory", "allocate the memory by aclrtMallocHost");
        return Err(failure.about(Object::stream(stream.number() as u64)));
    }
    if stream.is_bound() {
        return Err(Failure::refused(format!("{why}, and a stream of a model instance runs with the instance alone")));
    }
    if !forbidden() {
        return Ok(());
    }
    let text = format!("{why}, and a stream is being captured meanwhile");
    Err(of_this_thread(Failure::new(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, text)))
}

/// A thread that captures nothing itself cannot know of the captures of others.
fn of_this_thread(failure: Failure) -> Failure {
    let own = this_thread();
    match find(|capture| capture.thread == own) {
        Some(capture) => while_captured(failure).about(Object::stream(capture.origin as u64)),
        None => failure,
    }
}

fn forbidden() -> bool {
    if COUNT.load(SeqCst) == 0 || MODE.get() == RELAXED {
        return false;
    }
    let (own, context) = (this_thread(), current::current_number());
    any(|capture| match capture.mode {
        _ if capture.context != context || lock(&capture.state).in_conflict => false,
        GLOBAL => MODE.get() == GLOBAL || capture.thread == own,
        THREAD_LOCAL => capture.thread == own,
        _ => false,
    })
}

pub(super) fn enter(capture: Arc<Capture>) {
    lock(&ACTIVE).push(capture);
    COUNT.fetch_add(1, SeqCst);
}

pub(super) fn leave(capture: &Capture) {
    let left: Vec<Arc<Capture>> =
        lock(&ACTIVE).extract_if(.., |other| std::ptr::eq(Arc::as_ptr(other), capture)).collect();
    COUNT.fetch_sub(left.len(), SeqCst);
}

/// The capture that is wanted.
pub(super) fn find(wanted: impl Fn(&Capture) -> bool) -> Option<Arc<Capture>> {
    lock(&ACTIVE).iter().find(|capture| wanted(capture)).cloned()
}

pub(super) fn any(wanted: impl Fn(&Capture) -> bool) -> bool {
    COUNT.load(SeqCst) > 0 && lock(&ACTIVE).iter().any(|capture| wanted(capture))
}
