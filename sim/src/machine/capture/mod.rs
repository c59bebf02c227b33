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

mod conditions;
mod groups;
mod modes;

pub(crate) use conditions::{add_condition, add_task, begin_body};
pub(crate) use groups::{begin_group, begin_update, end_group, end_update};
pub(crate) use modes::{exchange_mode, refuse_blocking, refuse_synchronous};

use crate::abi::this_thread;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles;
use crate::machine::recording::Recorder;
use crate::machine::recording::captures::{Capture, Captured, Clock, State};
use crate::machine::recording::conditions::Condition;
use crate::machine::recording::tasks::{Node, Sort};
use crate::machine::recording::update;
use crate::machine::streams::refusals::{captured, refuse_bound, while_captured};
use crate::machine::streams::stream::Stream;
use crate::machine::streams::table;
use crate::machine::watch;
use ascendcl_rules::{GRAPH_01, GRAPH_02, GRAPH_03, GRAPH_06, Object};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclmdlRICaptureMode;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

/// The meaning of an event that was recorded during a capture.
#[derive(Clone)]
pub(crate) struct Mark {
    capture: Arc<Capture>,
    clock: Clock,
}

/// Starts to capture what is submitted to the stream.
pub(crate) fn begin(stream: &Arc<Stream>, mode: aclmdlRICaptureMode) -> Answer {
    begin_as(handles::fresh(), stream, mode)
}

/// The same, of an instance with this number.
fn begin_as(number: usize, stream: &Arc<Stream>, mode: aclmdlRICaptureMode) -> Answer {
    refuse_bound(stream, "captured")?;
    let capture = Arc::new(Capture {
        number,
        context: stream.context(),
        device: Arc::clone(stream.device()),
        origin: stream.number(),
        thread: this_thread(),
        begun: watch::moment(),
        mode,
        state: Mutex::default(),
    });
    lock(&capture.state).clocks.insert(stream.number(), Clock::new());
    // Entered first: from the start of the recording on, another thread can end it.
    modes::enter(Arc::clone(&capture));
    if !stream.start_recording(Recorder::Capture(Arc::clone(&capture))) {
        modes::leave(&capture);
        return Err(unpaired(captured("the stream is being captured already"), stream));
    }
    Ok(())
}

/// Ends the capture that began on the stream; answers what becomes an instance.
pub(crate) fn end(stream: &Arc<Stream>) -> Answer<Captured> {
    let capture = capture_of(stream)?;
    if capture.origin != stream.number() {
        let text = "the stream joined a capture that began on another one, where it has to end";
        return Err(unpaired(Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, text), stream));
    }
    if capture.mode != aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED && capture.thread != this_thread() {
        // The capture ends anyway, without an instance.
        capture.give_up();
        let text = "the capture began on another thread, and only a relaxed one may end here";
        let failure = Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, text);
        let fix = "end the capture on the thread that began it, or begin a relaxed one";
        let failure = failure.breaks(GRAPH_02, "the thread that began the capture", fix);
        return Err(failure.about(named(stream)));
    }
    capture.has_its_bodies()?;
    capture.finish().inspect_err(|_| conditions::break_body(capture.number))
}

/// What is being captured on the stream: the number of the instance to come. Whether it can still become one is not known
/// before the end.
pub(crate) fn status(stream: &Stream) -> Option<usize> {
    match stream.recorder()? {
        Recorder::Capture(capture) => Some(capture.number),
        Recorder::Update(_) | Recorder::Built(_) | Recorder::Finished(_) => None,
    }
}

/// Whether an instance with this number is still being captured.
pub(crate) fn is_capturing(number: usize) -> bool {
    modes::any(|capture| capture.number == number)
}

/// The stream goes away; its capture comes to nothing.
pub(crate) fn forget_stream(stream: &Stream) {
    match stream.stop_recording() {
        // No call is left that could report what broke it.
        Some(Recorder::Capture(capture)) if capture.origin == stream.number() => capture.give_up(),
        Some(Recorder::Built(assembly)) => assembly.forget_stream(stream.number()),
        Some(Recorder::Update(update)) => update.group.end_update(),
        _ => {}
    }
}

impl Capture {
    /// The instance to come.
    fn named(&self) -> Object {
        Object::graph(self.number as u64)
    }

    /// It comes to nothing.
    fn give_up(&self) {
        drop(self.finish().map(|captured| drop(Left { number: self.number, conditions: captured.conditions })));
        conditions::break_body(self.number);
    }

    /// Lets every stream that took part run its work again; answers the nodes if they make a graph.
    fn finish(&self) -> Answer<Captured> {
        modes::leave(self);
        let State { broken, nodes, clocks, groups, conditions, .. } = {
            let mut state = lock(&self.state);
            // When two threads end it, one of them finds it already ended.
            state.usable()?;
            std::mem::replace(&mut *state, State { over: true, ..State::default() })
        };
        let mut uses = Vec::new();
        for number in clocks.keys() {
            if let Some(stream) = table::numbered(*number) {
                uses.extend(stream.stop_keeping().1);
            }
        }
        // What fails below leaves nothing.
        let left = Left { number: self.number, conditions };
        if left.conditions.iter().any(|condition| condition.is_ready() != Some(true)) {
            let text = "a body of a condition was not captured, or its capture was broken off";
            return Err(Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, text));
        }
        if let Some(why) = broken {
            let text = format!("the capture was broken off: {why}");
            return Err(Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, text));
        }
        if !groups.is_empty() {
            let text = "a task group is still open";
            return Err(groups::unpaired(Failure::new(ACL_ERROR_STREAM_TASK_GROUP_STATUS, text))
                .about(self.named())
                .about(Object::stream(self.origin as u64))
                .since(self.begun));
        }
        let issued = |stream: &usize| clocks.get(stream).and_then(|clock| clock.get(stream)).copied().unwrap_or(0);
        let joined = clocks.get(&self.origin);
        let known = |stream: &usize| joined.and_then(|clock| clock.get(stream)).copied().unwrap_or(0);
        if clocks.keys().any(|stream| issued(stream) > known(stream)) {
            let text = "a stream took part whose last work the first stream did not wait for";
            let failure = not_joined(Failure::new(ACL_ERROR_RT_STREAM_UNJOINED, text));
            // That the stream is not captured any more is no second mistake.
            return Err(failure.about(self.named()).about(Object::stream(self.origin as u64)).since(self.begun));
        }
        let others = clocks.keys().copied().filter(|stream| *stream != self.origin);
        let streams = std::iter::once(self.origin).chain(others).collect();
        let (number, context, device) = (self.number, self.context, Arc::clone(&self.device));
        let conditions = left.keep();
        uses.extend(conditions.iter().flat_map(|condition| condition.uses()));
        Ok(Captured { number, context, device, nodes, streams, uses, conditions })
    }
}

/// The conditions and task groups of a capture that comes to nothing, unless they are kept.
struct Left {
    number: usize,
    conditions: Vec<Arc<Condition>>,
}

impl Left {
    fn keep(self) -> Vec<Arc<Condition>> {
        let mut left = ManuallyDrop::new(self);
        std::mem::take(&mut left.conditions)
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        self.conditions.iter().for_each(|condition| condition.forget());
        update::forget(self.number);
    }
}

impl Mark {
    /// The event is recorded on a stream that takes part.
    pub(crate) fn of(capture: &Arc<Capture>, stream: &Stream) -> Answer<Self> {
        let state = lock(&capture.state);
        state.usable()?;
        let clock = state.clocks.get(&stream.number()).cloned().unwrap_or_default();
        drop(state);
        capture.note(stream.number(), Sort::ACL_MODEL_RI_TASK_EVENT_RECORD);
        Ok(Self { capture: Arc::clone(capture), clock })
    }

    /// Whether the capture has ended. Then no stream waits for the event.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.capture.state).over
    }

    /// What was recorded during a capture does not happen before its end (107028).
    pub(crate) fn refuse(&self, what: &str) -> Failure {
        let text = format!("the event was recorded during a capture that is under way, so it cannot be {what}");
        let failure = Failure::new(ACL_ERROR_RT_EVENT_CAPTURED, text);
        // A thread that did not begin the capture cannot know of it.
        let own = self.capture.thread == this_thread();
        if own { while_captured(failure).about(Object::stream(self.capture.origin as u64)) } else { failure }
    }

    /// A stream waits for the event: it takes part from now on.
    pub(crate) fn hold_up(&self, stream: &Arc<Stream>) -> Answer {
        if self.is_over() {
            return if stream.is_recording() { Err(refuse_dependency(stream)) } else { Ok(()) };
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
                let failure = not_joined(Failure::new(ACL_ERROR_STREAM_CAPTURE_CONFLICT, text));
                return Err(failure.about(named(stream)).about(self.capture.named()));
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
        state.nodes.push(Node::empty(stream.number(), Sort::ACL_MODEL_RI_TASK_EVENT_WAIT));
        let clock = state.clocks.entry(stream.number()).or_default();
        for (stream, known) in &self.clock {
            let entry = clock.entry(*stream).or_default();
            *entry = (*entry).max(*known);
        }
        Ok(())
    }
}

/// A capturing stream waits for something that happens outside of the capture.
pub(crate) fn refuse_dependency(stream: &Stream) -> Failure {
    let text = "a captured stream cannot wait for an event that was recorded outside of its capture";
    not_joined(Failure::new(ACL_ERROR_RT_CAPTURE_DEPENDENCY, text)).about(named(stream))
}

/// Begin and end of a capture do not belong together (GRAPH-01).
fn unpaired(failure: Failure, stream: &Stream) -> Failure {
    let fix = "begin each capture once, and end it once on the same stream";
    failure.breaks(GRAPH_01, "a begin and an end on one stream", fix).about(named(stream))
}

/// A stream takes part, and not as it is to (GRAPH-06).
pub(crate) fn not_joined(failure: Failure) -> Failure {
    failure.breaks(
        GRAPH_06,
        "streams that wait for an event of the capture, and an event of each for which the first stream waits at the end",
        "record an event on the first stream and let the other wait for it; at the end the other way round",
    )
}

pub(crate) fn named(stream: &Stream) -> Object {
    Object::stream(stream.number() as u64)
}

fn refuse_default(stream: &Stream) -> Answer {
    if stream.is_default() {
        let text = "the default stream takes part in no capture";
        return Err(of_the_default_stream(Failure::new(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, text)));
    }
    Ok(())
}

/// A default stream takes part in no capture (GRAPH-03). That the program captures there is one mistake, in whichever calls
/// it shows.
pub(crate) fn of_the_default_stream(failure: Failure) -> Failure {
    failure.breaks(GRAPH_03, "a stream that was created", "create a stream for the capture").about(Object::PROCESS)
}

fn capture_of(stream: &Stream) -> Answer<Arc<Capture>> {
    match stream.recorder() {
        Some(Recorder::Capture(capture)) => Ok(capture),
        _ => {
            let failure = Failure::new(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not being captured");
            Err(unpaired(failure, stream))
        }
    }
}
