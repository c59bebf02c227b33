//! Captured work: what is submitted to a stream between begin and end does not run, and becomes an instance that can be
//! run again and again.
//!
//! A capture begins on one stream and spreads along events: a stream that waits for an event which a capturing stream
//! recorded takes part from there on, and has to lead back to the first stream before the end (GRAPH-06). The nodes are
//! kept in the order of their submission. Every wait is for a record that was submitted before it, so that order keeps
//! every dependency, and a replay simply runs it.
//!
//! A call that may not happen during a capture fails, and the capture goes on. Two things break it, so that its end
//! answers 507903 (GRAPH-04): a wait for an event of another capture, and a task that its task group does not take.

mod groups;
mod instance;
mod modes;

pub(crate) use groups::{begin_group, begin_update, end_group, end_update};
pub(crate) use instance::{Instance, describe, find, register, remove};
pub(crate) use modes::{exchange_mode, refuse_blocking, refuse_synchronous};

use super::stream::Stream;
use super::streams;
use super::{handles, locks::lock};
use crate::abi::this_thread;
use crate::failure::{Answer, Failure};
use ascendcl_sys::constants::ACL_STREAM_CPU_SCHEDULE;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::{aclError, aclmdlRICaptureMode};
use groups::Update;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Work that can be run again, on the stream with the number that it is given.
pub(crate) type Work = Arc<dyn Fn(usize) -> Answer + Send + Sync>;

/// What a stream does with work instead of running it.
#[derive(Clone)]
pub(in super::super) enum Recorder {
    Capture(Arc<Capture>),
    /// The work takes the place of nodes that were captured before.
    Update(Arc<Update>),
}

pub(crate) struct Capture {
    /// Of the instance that it becomes.
    number: usize,
    context: usize,
    origin: usize,
    thread: u64,
    mode: aclmdlRICaptureMode,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    over: bool,
    /// What broke it.
    broken: Option<Cow<'static, str>>,
    /// A stream waited for an event of another capture. Synchronous copies are free again.
    in_conflict: bool,
    nodes: Vec<Arc<Node>>,
    /// What comes before the next work of each stream that takes part.
    clocks: BTreeMap<usize, Clock>,
    /// Nodes of the group that is open on a stream.
    groups: BTreeMap<usize, Vec<Arc<Node>>>,
    /// Streams whose open group was given what it does not take.
    spoilt: BTreeSet<usize>,
}

/// How much of each stream's work is known to come before.
type Clock = BTreeMap<usize, u64>;

struct Node {
    work: Mutex<Work>,
}

/// What an event stands for that was recorded during a capture.
#[derive(Clone)]
pub(in super::super) struct Mark {
    capture: Arc<Capture>,
    clock: Clock,
}

/// Starts to capture what is submitted to the stream.
pub(crate) fn begin(stream: &Arc<Stream>, mode: aclmdlRICaptureMode) -> Answer {
    if stream.flags() & ACL_STREAM_CPU_SCHEDULE != 0 {
        let text = "a stream that a processor of the device schedules cannot be captured";
        return Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text));
    }
    let capture = Arc::new(Capture {
        number: handles::fresh(),
        context: stream.context(),
        origin: stream.number(),
        thread: this_thread(),
        mode,
        state: Mutex::default(),
    });
    lock(&capture.state).clocks.insert(stream.number(), Clock::new());
    // Entered first: from the start of the recording on, another thread can end it.
    modes::enter(Arc::clone(&capture));
    if !stream.start_recording(Recorder::Capture(Arc::clone(&capture))) {
        modes::leave(&capture);
        return Err(captured("the stream is being captured already"));
    }
    Ok(())
}

/// Ends the capture that began on the stream; answers the number of the instance.
pub(crate) fn end(stream: &Arc<Stream>) -> Answer<usize> {
    let capture = capture_of(stream)?;
    if capture.origin != stream.number() {
        let text = "the stream joined a capture that began on another one, where it has to end";
        return Err(Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, text));
    }
    if capture.mode != aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED && capture.thread != this_thread() {
        // It is over all the same, and comes to nothing.
        let _ = capture.finish();
        let text = "the capture began on another thread, and only a relaxed one may end here";
        return Err(Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, text));
    }
    let nodes = capture.finish()?;
    Ok(instance::add(capture.number, capture.context, nodes))
}

/// What is being captured on the stream: the number of the instance to come. Whether it can still become one is not known
/// before the end.
pub(crate) fn status(stream: &Stream) -> Option<usize> {
    match stream.recorder()? {
        Recorder::Capture(capture) => Some(capture.number),
        Recorder::Update(_) => None,
    }
}

/// Whether an instance with this number is still being captured.
pub(crate) fn is_capturing(number: usize) -> bool {
    modes::any(|capture| capture.number == number)
}

/// A stream that is captured can neither be waited for nor asked nor ended (107027).
pub(crate) fn refuse_on(stream: &Stream, what: &str) -> Answer {
    if !stream.is_recording() {
        return Ok(());
    }
    Err(captured(format!("the stream is being captured, so its work does not run and it cannot be {what}")))
}

/// A task group takes work on the device's cores alone. Anything else breaks the capture that the group is part of.
pub(in super::super) fn refuse_in_group(stream: &Stream, code: aclError) -> Answer {
    let refused = |text: &'static str| Err(Failure::new(code, text));
    match stream.recorder() {
        Some(Recorder::Update(_)) => refused("a task group is updated with work on the device's cores alone"),
        Some(Recorder::Capture(capture)) => {
            let mut state = lock(&capture.state);
            if !state.groups.contains_key(&stream.number()) {
                return Ok(());
            }
            let text = "a task group takes work on the device's cores alone";
            state.spoilt.insert(stream.number());
            state.broken.get_or_insert(Cow::Borrowed(text));
            refused(text)
        }
        None => Ok(()),
    }
}

/// The stream goes away; its capture comes to nothing.
pub(in super::super) fn forget_stream(stream: &Stream) {
    if let Some(Recorder::Capture(capture)) = stream.stop_recording()
        && capture.origin == stream.number()
    {
        // There is nobody left to be told what broke it.
        let _ = capture.finish();
    }
}

impl Recorder {
    pub(in super::super) fn record(&self, stream: usize, work: Work) -> Answer {
        match self {
            Self::Capture(capture) => capture.record(stream, work),
            Self::Update(update) => update.record(work),
        }
    }
}

impl Capture {
    fn record(&self, stream: usize, work: Work) -> Answer {
        let mut state = lock(&self.state);
        state.usable()?;
        let node = Arc::new(Node { work: Mutex::new(work) });
        *state.clocks.entry(stream).or_default().entry(stream).or_default() += 1;
        if let Some(group) = state.groups.get_mut(&stream) {
            group.push(Arc::clone(&node));
        }
        state.nodes.push(node);
        Ok(())
    }

    /// A stream waited for an event of another capture.
    fn conflict(&self, why: &'static str) {
        let mut state = lock(&self.state);
        state.in_conflict = true;
        state.broken.get_or_insert(Cow::Borrowed(why));
    }

    /// Lets every stream that took part run its work again; answers the nodes if they make a graph.
    fn finish(&self) -> Answer<Vec<Arc<Node>>> {
        modes::leave(self);
        let State { broken, nodes, clocks, groups, .. } = {
            let mut state = lock(&self.state);
            // Of two threads that end it one finds it over.
            state.usable()?;
            std::mem::replace(&mut *state, State { over: true, ..State::default() })
        };
        for number in clocks.keys() {
            if let Some(stream) = streams::numbered(*number) {
                stream.stop_recording();
            }
        }
        if let Some(why) = broken {
            let text = format!("the capture was broken off: {why}");
            return Err(Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, text));
        }
        if !groups.is_empty() {
            let text = "a task group is still open";
            return Err(Failure::new(ACL_ERROR_STREAM_TASK_GROUP_STATUS, text));
        }
        let issued = |stream: &usize| clocks.get(stream).and_then(|clock| clock.get(stream)).copied().unwrap_or(0);
        let joined = clocks.get(&self.origin);
        let known = |stream: &usize| joined.and_then(|clock| clock.get(stream)).copied().unwrap_or(0);
        if clocks.keys().any(|stream| issued(stream) > known(stream)) {
            let text = "a stream took part whose last work the first stream did not wait for";
            return Err(Failure::new(ACL_ERROR_RT_STREAM_UNJOINED, text));
        }
        Ok(nodes)
    }
}

impl State {
    fn usable(&self) -> Answer {
        if self.over {
            return Err(Failure::new(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the capture has ended"));
        }
        Ok(())
    }
}

impl Mark {
    /// The event is recorded on a stream that takes part.
    pub(in super::super) fn of(capture: &Arc<Capture>, stream: &Stream) -> Answer<Self> {
        let state = lock(&capture.state);
        state.usable()?;
        let clock = state.clocks.get(&stream.number()).cloned().unwrap_or_default();
        Ok(Self { capture: Arc::clone(capture), clock })
    }

    /// Whether the capture has ended. Nobody waits for the event then.
    pub(in super::super) fn is_over(&self) -> bool {
        lock(&self.capture.state).over
    }

    /// A stream waits for the event: it takes part from now on.
    pub(in super::super) fn hold_up(&self, stream: &Arc<Stream>) -> Answer {
        if self.is_over() {
            return if stream.is_recording() { Err(refuse_dependency()) } else { Ok(()) };
        }
        refuse_default(stream)?;
        let joins = match stream.recorder() {
            Some(Recorder::Capture(other)) if Arc::ptr_eq(&other, &self.capture) => false,
            None => stream.start_recording(Recorder::Capture(Arc::clone(&self.capture))),
            other => {
                let text = "the stream and the event belong to two captures";
                self.capture.conflict(text);
                if let Some(Recorder::Capture(other)) = other {
                    other.conflict(text);
                }
                return Err(Failure::new(ACL_ERROR_STREAM_CAPTURE_CONFLICT, text));
            }
        };
        let mut state = lock(&self.capture.state);
        if let Err(failure) = state.usable() {
            drop(state);
            if joins {
                // The end of the capture does not know of this stream.
                stream.stop_recording();
            }
            return Err(failure);
        }
        let clock = state.clocks.entry(stream.number()).or_default();
        // The wait itself is something that the first stream has to wait for.
        *clock.entry(stream.number()).or_default() += 1;
        for (stream, known) in &self.clock {
            let entry = clock.entry(*stream).or_default();
            *entry = (*entry).max(*known);
        }
        Ok(())
    }
}

/// What was recorded during a capture does not happen before its end (107028).
pub(in super::super) fn refuse_event(what: &str) -> Failure {
    let text = format!("the event was recorded during a capture that is under way, so it cannot be {what}");
    Failure::new(ACL_ERROR_RT_EVENT_CAPTURED, text)
}

/// A capturing stream waits for something that happens outside of the capture.
pub(in super::super) fn refuse_dependency() -> Failure {
    let text = "a captured stream cannot wait for an event that was recorded outside of its capture";
    Failure::new(ACL_ERROR_RT_CAPTURE_DEPENDENCY, text)
}

fn refuse_default(stream: &Stream) -> Answer {
    if stream.is_default() {
        let text = "the default stream takes part in no capture";
        return Err(Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, text));
    }
    Ok(())
}

fn capture_of(stream: &Stream) -> Answer<Arc<Capture>> {
    match stream.recorder() {
        Some(Recorder::Capture(capture)) => Ok(capture),
        _ => Err(Failure::new(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not being captured")),
    }
}

fn captured(text: impl Into<Cow<'static, str>>) -> Failure {
    Failure::new(ACL_ERROR_RT_STREAM_CAPTURED, text)
}
