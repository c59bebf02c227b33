//! Calls that a stream refuses while its work is recorded instead of run.

use crate::abi::this_thread;
use crate::failure::{Answer, Failure};
use crate::machine::recording::Recorder;
use crate::machine::recording::assembly::{Assembly, in_no_model};
use crate::machine::streams::stream::Stream;
use ascendcl_rules::{GRAPH_04, Object, STREAM_20};
use ascendcl_sys::error_codes::ACL_ERROR_RT_STREAM_CAPTURED;
use ascendcl_sys::types::aclError;
use std::borrow::Cow;
use std::sync::Arc;

/// A stream that is captured can neither be waited for nor asked nor ended (107027). One that updates a task group can.
pub(crate) fn refuse_on(stream: &Stream, what: &str) -> Answer {
    if !stream.is_captured() {
        return Ok(());
    }
    Err(being_captured(stream, what))
}

/// Work that runs only once becomes part of no capture, and of no task group either.
pub(in crate::machine) fn refuse_once_on(stream: &Stream) -> Answer {
    if !stream.is_recording() {
        return Ok(());
    }
    Err(being_captured(stream, "given work of this kind"))
}

fn being_captured(stream: &Stream, what: &str) -> Failure {
    let text = format!("the stream is being captured, so its work does not run and it cannot be {what}");
    // A thread that did not begin the capture cannot know of it.
    let own = matches!(stream.recorder(), Some(Recorder::Capture(capture)) if capture.thread == this_thread());
    let failure = if own { while_captured(captured(text)) } else { captured(text) };
    failure.about(Object::stream(stream.number() as u64))
}

/// The call is not one for the time of a capture (GRAPH-04).
pub(in crate::machine) fn while_captured(failure: Failure) -> Failure {
    failure.breaks(
        GRAPH_04,
        "calls that give work to the streams of the capture, until it ends",
        "end the capture first (aclmdlRICaptureEnd); copy asynchronously, or begin a relaxed capture",
    )
}

/// What the stream is being given work for. 107005 for a stream that is part of no instance that is built.
pub(crate) fn assembly_of(stream: &Stream) -> Answer<Arc<Assembly>> {
    match stream.recorder() {
        Some(Recorder::Built(assembly)) => Ok(assembly),
        _ => Err(unbound(in_no_model(
            "the stream is part of no model that is being built; aclmdlRIBindStream makes it one",
        ))),
    }
}

/// A label, a switch or a start of another stream is for streams of a model instance (STREAM-20).
pub(crate) fn unbound(failure: Failure) -> Failure {
    let fix = "create the streams as persistent ones, and bind them first (aclmdlRIBindStream)";
    failure.breaks(STREAM_20, "streams that are bound to one model instance, which is being built", fix)
}

/// A stream of an instance stays as long as it is one (107005).
pub(crate) fn refuse_bound(stream: &Stream, what: &str) -> Answer {
    if !stream.is_bound() {
        return Ok(());
    }
    Err(in_no_model(format!("the stream is part of a model instance, so it cannot be {what}")))
}

/// A task group takes work on the device's cores alone. Anything else breaks the capture that the group is part of.
pub(in crate::machine) fn refuse_in_group(stream: &Stream, code: aclError) -> Answer {
    stream.recorder().map_or(Ok(()), |recorder| recorder.refuse_in_group(stream.number(), code))
}

pub(in crate::machine) fn captured(text: impl Into<Cow<'static, str>>) -> Failure {
    Failure::new(ACL_ERROR_RT_STREAM_CAPTURED, text)
}
