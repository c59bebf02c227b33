//! The end of streams: destroyed one by one, or with their context.

use crate::config;
use crate::failure::{Answer, Failure};
use crate::machine::callbacks::{notices, reports};
use crate::machine::capture;
use crate::machine::contexts::context::current_context;
use crate::machine::streams::refusals::{assembly_of, refuse_bound, refuse_on};
use crate::machine::streams::stream::Stream;
use crate::machine::streams::table::{self, STREAMS, find};
use crate::machine::thread::current;
use ascendcl_rules::{GRAPH_05, Object, STREAM_18};
use ascendcl_sys::types::aclrtStream;
use std::sync::Arc;

/// The treatment of tasks that have not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    Finish,
    Discard,
}

/// The result of a task that runs while the tasks behind it are discarded. Discarded tasks are not failures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Running {
    IsAwaited,
    GoesOn,
}

/// Destroys a stream of the current context; its default stream too, which it then has no more.
pub(crate) fn destroy_stream(handle: aclrtStream, rest: Rest) -> Answer {
    if handle.is_null() {
        return Err(Failure::invalid("the stream is null; the default stream cannot be destroyed"));
    }
    let stream = find(handle)?;
    refuse_on(&stream, "destroyed").map_err(|failure| failure.instead(STREAM_18))?;
    if stream.context() != current::current_number() {
        current_context()?;
        return Err(Failure::other_context("stream"));
    }
    if stream.is_default() {
        config::if_documented(|| Failure::invalid("a default stream ends with its context; it cannot be destroyed"))?;
    }
    refuse_bound(&stream, "destroyed").map_err(|failure| part_of_an_instance(failure, &stream))?;
    stream.refuse_self_wait()?;
    notices::stream_ends(&stream);
    // When two threads destroy the same stream, one of them finds it destroyed.
    let stream = STREAMS.remove(stream.number()).ok_or_else(|| Failure::unknown("stream"))?;
    end(&[stream], rest, Running::IsAwaited)
}

fn part_of_an_instance(failure: Failure, stream: &Stream) -> Failure {
    let failure = failure.breaks(
        GRAPH_05,
        "the model instance is destroyed first",
        "destroy the instance (aclmdlRIDestroy), or unbind the stream (aclmdlRIUnbindStream), then destroy the stream",
    );
    let instance = assembly_of(stream).ok().map(|assembly| Object::graph(assembly.number as u64));
    instance.into_iter().fold(failure.about(Object::stream(stream.number() as u64)), Failure::about)
}

/// Removes a stream whose handle no caller has seen.
pub(crate) fn discard_stream(stream: &Stream) {
    if let Some(stream) = STREAMS.remove(stream.number()) {
        let _ = end(&[stream], Rest::Discard, Running::GoesOn);
    }
}

/// Ends every stream of a context whose streams no caller can use any more.
pub(in crate::machine) fn end_streams(context: usize, rest: Rest) {
    let told = |stream: &&Arc<Stream>| !stream.is_of_model();
    table::of_context(context).iter().filter(told).for_each(|stream| notices::stream_ends(stream));
    let streams = STREAMS.remove_all(|stream| stream.context() == context);
    streams.iter().for_each(|stream| stream.loses_its_context());
    // No call is left that could report a failure of their work.
    let _ = end(&streams, rest, Running::GoesOn);
}

/// Ends streams that were taken out of their table. Answers the first failure, after all of them.
fn end(streams: &[Arc<Stream>], rest: Rest, running: Running) -> Answer {
    // A wait that comes by any of them has to find its way on, so all are known until the last has ended.
    let ending: Vec<_> = streams.iter().map(table::Ending::of).collect();
    // The streams may wait for each other's events, so this closes all of them before it waits for one.
    for stream in streams {
        stream.close();
        capture::forget_stream(stream);
    }
    // These never run, so a wait for their events would never end.
    streams.iter().filter(|stream| stream.is_persistent()).for_each(|stream| stream.abort());
    let mut answer = Ok(());
    for stream in streams {
        let end = run_out(stream, rest);
        if end.is_err() {
            // No handle leads to what is left, and others may wait for it.
            stream.abort();
        }
        answer = answer.and(end);
        reports::forget_stream(stream.number());
        stream.device().give_stream_back();
        if rest == Rest::Discard && running == Running::IsAwaited {
            stream.come_to_rest();
        }
    }
    drop(ending);
    streams.iter().for_each(|stream| table::give_back(stream.number()));
    answer
}

fn run_out(stream: &Stream, rest: Rest) -> Answer {
    if rest == Rest::Discard || stream.is_persistent() {
        stream.abort();
        return Ok(());
    }
    stream.run_out()
}
