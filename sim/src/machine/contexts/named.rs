//! How a call finds the stream that it was given.

use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::streams::stream::Stream;
use crate::machine::streams::table;
use crate::machine::thread::current;
use crate::machine::watch;
use ascendcl_sys::types::aclrtStream;
use std::sync::Arc;

/// The stream of a call that queues work: alive, and of the current context. Null is the default stream.
pub(crate) fn submission_stream(handle: aclrtStream) -> Answer<Arc<Stream>> {
    Named::find(handle)?.for_work()
}

/// The stream of a call, which is alive if the call names one. Its context is checked later, because calls check other
/// arguments first.
pub(crate) struct Named(Option<Arc<Stream>>);

impl Named {
    /// 107017 for what is neither null nor the handle of a live stream.
    pub(crate) fn find(handle: aclrtStream) -> Answer<Self> {
        if handle.is_null() { Ok(Self(None)) } else { table::find(handle).map(|stream| Self(Some(stream))) }
    }

    /// The stream that was named; `None` for the default one.
    pub(crate) fn stream(&self) -> Option<&Arc<Stream>> {
        self.0.as_ref()
    }

    /// Work is queued on it: its context has to be current. Null is the default stream, if that was not destroyed.
    pub(crate) fn for_work(self) -> Answer<Arc<Stream>> {
        match self.0 {
            Some(stream) if stream.context() == current::current_number() => Ok(stream),
            Some(stream) => {
                current_context()?;
                watch::elsewhere(stream.named());
                Err(Failure::other_context("stream"))
            }
            None => living_default()?.ok_or_else(|| Failure::other_context("stream")),
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
    living_default()?.ok_or_else(|| Failure::unknown("stream"))
}

/// The default stream of the current context, if it was not destroyed. Another one may have its number then.
fn living_default() -> Answer<Option<Arc<Stream>>> {
    let stream = current_context()?.default_stream();
    Ok(table::numbered(stream.number()).filter(|found| Arc::ptr_eq(found, &stream)))
}

/// The stream of a call that waits or asks: alive; its context need not be current, but some context has to be.
pub(crate) fn waiting_stream(handle: aclrtStream) -> Answer<Arc<Stream>> {
    if handle.is_null() {
        return default_of_current();
    }
    let stream = table::find(handle)?;
    if stream.context() != current::current_number() {
        current_context()?;
    }
    Ok(stream)
}
