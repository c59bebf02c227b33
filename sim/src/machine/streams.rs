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
    Named::find(handle)?.for_work()
}

/// The stream of a call, which is alive if it was named. Its context is looked at later: calls look at other arguments
/// in between.
pub(crate) struct Named(Option<Arc<Stream>>);

impl Named {
    /// 107017 for what is neither null nor the handle of a live stream.
    pub(crate) fn find(handle: aclrtStream) -> Answer<Self> {
        if handle.is_null() { Ok(Self(None)) } else { find(handle).map(|stream| Self(Some(stream))) }
    }

    /// The stream that was named; `None` for the default one.
    pub(crate) fn stream(&self) -> Option<&Arc<Stream>> {
        self.0.as_ref()
    }

    /// Work is queued on it: its context has to be current. Null is the default stream, if that was not destroyed.
    pub(crate) fn for_work(self) -> Answer<Arc<Stream>> {
        match self.0 {
            Some(stream) if stream.context() == context::current_number() => Ok(stream),
            Some(_) => {
                context::current_context()?;
                Err(Failure::other_context("stream"))
            }
            None => {
                let stream = context::current_context()?.default_stream();
                if STREAMS.contains(stream.number()) { Ok(stream) } else { Err(Failure::other_context("stream")) }
            }
        }
    }

    /// It is asked or set up, for which no context is needed; null is the default stream of the current one.
    pub(crate) fn in_any_context(self) -> Answer<Arc<Stream>> {
        match self.0 {
            Some(stream) => Ok(stream),
            None => default_of_current(),
        }
    }
}

fn default_of_current() -> Answer<Arc<Stream>> {
    let stream = context::current_context()?.default_stream();
    if STREAMS.contains(stream.number()) { Ok(stream) } else { Err(Failure::unknown("stream")) }
}

/// The stream of a call that waits or asks: alive; its context need not be current, but some context has to be.
pub(crate) fn waiting_stream(handle: aclrtStream) -> Answer<Arc<Stream>> {
    if handle.is_null() {
        return default_of_current();
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
