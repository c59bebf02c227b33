//! The streams there are, and how a call finds the one that it was given.

use super::context;
use super::handles::Table;
use super::stream::Stream;
use crate::failure::{Answer, Failure};
use ascendcl_sys::types::aclrtStream;
use std::sync::Arc;

pub(super) static STREAMS: Table<Stream> = Table::new();

/// The stream of a call that queues work: alive, and of the current context. Null is the default stream.
pub(crate) fn submission_stream(handle: aclrtStream) -> Answer<Arc<Stream>> {
    if handle.is_null() {
        return Ok(context::current_context()?.default_stream());
    }
    let stream = find(handle)?;
    if stream.context() == context::current_number() {
        return Ok(stream);
    }
    context::current_context()?;
    Err(Failure::other_context("stream"))
}

/// The stream of a call that waits or asks: alive; its context need not be current, but some context has to be.
pub(crate) fn waiting_stream(handle: aclrtStream) -> Answer<Arc<Stream>> {
    if handle.is_null() {
        return Ok(context::current_context()?.default_stream());
    }
    let stream = find(handle)?;
    if stream.context() != context::current_number() {
        context::current_context()?;
    }
    Ok(stream)
}

/// Streams that nobody can name any more, and whose work is not over.
static ENDING: Table<Stream> = Table::new();

/// As long as it lives, a thread waits for the last work of the stream.
pub(super) struct Ending(usize);

impl Ending {
    pub(super) fn of(stream: &Arc<Stream>) -> Self {
        ENDING.insert(stream.number(), Arc::clone(stream));
        Self(stream.number())
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        ENDING.remove(self.0);
    }
}

/// The stream with this number, also one that is about to end.
pub(super) fn with_number(number: usize) -> Option<Arc<Stream>> {
    STREAMS.get(number).or_else(|| ENDING.get(number))
}

/// The live stream with this number.
pub(crate) fn numbered(number: usize) -> Option<Arc<Stream>> {
    STREAMS.get(number)
}

pub(super) fn find(handle: aclrtStream) -> Answer<Arc<Stream>> {
    STREAMS.get(handle.0.addr()).ok_or_else(|| Failure::unknown("stream"))
}

/// The live streams of a context.
pub(crate) fn of_context(context: usize) -> Vec<Arc<Stream>> {
    STREAMS.select(|stream| stream.context() == context)
}

/// How many streams of callers there are.
pub(crate) fn count() -> usize {
    STREAMS.select(|stream| !stream.is_default()).len()
}
