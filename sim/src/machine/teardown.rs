//! The end of streams: destroyed one by one, or with their context.

use super::stream::Stream;
use super::streams::{STREAMS, find};
use super::{capture, config, context, reports, streams};
use crate::failure::{Answer, Failure};
use ascendcl_sys::types::aclrtStream;
use std::sync::Arc;

/// What becomes of the tasks that have not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    Finish,
    Discard,
}

/// Destroys a stream of the current context. A default stream lives as long as its context: it is only waited for.
pub(crate) fn destroy_stream(handle: aclrtStream, rest: Rest) -> Answer {
    if handle.is_null() {
        return Err(Failure::invalid("the stream is null; the default stream cannot be destroyed"));
    }
    let stream = find(handle)?;
    if stream.context() != context::current_number() {
        context::current_context()?;
        return Err(Failure::other_context("stream"));
    }
    if stream.is_default() {
        config::if_documented(|| Failure::invalid("a default stream ends with its context; it cannot be destroyed"))?;
        return run_out(&stream, rest);
    }
    capture::refuse_on(&stream, "destroyed")?;
    stream.refuse_self_wait()?;
    // Of two threads that destroy the same stream one finds it gone.
    let stream = STREAMS.remove(stream.number()).ok_or_else(|| Failure::unknown("stream"))?;
    end(&stream, rest)
}

/// Takes back a stream that nobody has seen.
pub(crate) fn discard_stream(stream: &Stream) {
    if let Some(stream) = STREAMS.remove(stream.number()) {
        let _ = end(&stream, Rest::Discard);
    }
}

/// Ends every stream of a context that nobody can reach any more.
pub(super) fn end_streams(context: usize, rest: Rest) {
    let streams = STREAMS.remove_all(|stream| stream.context() == context);
    // Streams may wait for each other's events, so all of them are closed before any is waited for.
    streams.iter().for_each(|stream| stream.close());
    for stream in streams {
        // A failure of its work has nobody left to be told.
        let _ = end(&stream, rest);
    }
}

fn end(stream: &Arc<Stream>, rest: Rest) -> Answer {
    stream.close();
    let ending = streams::Ending::of(stream);
    capture::forget_stream(stream);
    let answer = run_out(stream, rest);
    drop(ending);
    reports::forget_stream(stream.number());
    stream.device().give_stream_back();
    answer
}

fn run_out(stream: &Stream, rest: Rest) -> Answer {
    if rest == Rest::Discard || stream.is_persistent() {
        stream.abort();
        return Ok(());
    }
    stream.finished(stream.last_position(), None)
}
