//! Groups of tasks in a capture, and updates that replace them later.
//!
//! The operators are known before a group or an update begins, so no code of the program runs until it ends.

use super::RawGraph;
use crate::error::{Error, ObjectKind};
use crate::ffi::call::call;
use crate::ffi::stamp::Unknown;
use crate::ffi::work::queue_work;
use crate::ffi::{Api, HeldBlocks, Here, RawInvocation, RawStream};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_STREAM_TASK_GROUP_STATUS};
use ascendcl_sys::types::{aclError, aclrtTaskGrp};
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// A group of a graph's tasks. The library destroys it with the graph.
#[derive(Debug)]
#[rule(GRAPH_09)]
pub(crate) struct RawTaskGroup {
    handle: AtomicPtr<c_void>,
    /// Identifies the graph: while this exists, no other graph gets its address.
    graph: Weak<RawGraph>,
}

/// The update of a graph that is under way or failed.
#[derive(Debug, Default)]
pub(super) struct Update {
    /// The stream of an open update. It takes only new operators.
    open: Mutex<Option<Arc<RawStream>>>,
    /// Whether the library refused to end it. Until then the thread that updates ends it.
    is_left: AtomicBool,
    /// The instance, after an update has failed half-way. It is not replayed any more, only destroyed.
    spoilt: AtomicPtr<c_void>,
}

impl RawTaskGroup {
    /// Captures these operators as a group on a stream that is being captured.
    ///
    /// # Errors
    ///
    /// The error of the library. The capture then yields no graph.
    pub(crate) fn capture(
        api: Api,
        graph: &Arc<RawGraph>,
        stream: &RawStream,
        operators: &[Arc<RawInvocation>],
    ) -> Result<Self, Error> {
        stream.capture_call(api, "begin a group of tasks", |ready, stream| {
            // SAFETY: the function asks for a live stream. `capture_call` has passed its gate, so the stream is not
            // destroyed meanwhile (STREAM-07).
            unsafe { call!(ready.aclmdlRICaptureTaskGrpBegin(stream)) }
        })?;
        let given = operators.iter().try_for_each(|operator| operator.capture(api, stream));
        let mut handle = aclrtTaskGrp(null_mut());
        let ended = stream.capture_call(api, "end a group of tasks", |ready, stream| {
            // SAFETY: the function asks for a live stream, and writes the handle to `handle` during the call.
            // `capture_call` has passed the stream's gate (STREAM-07); a pointer to a live local is valid for writes
            // (`core::ptr`, "Safety").
            unsafe { call!(ready.aclmdlRICaptureTaskGrpEnd(stream, &raw mut handle)) }
        });
        given.and(ended)?;
        Ok(Self { handle: AtomicPtr::new(handle.0), graph: Arc::downgrade(graph) })
    }

    /// Whether this is a group of the given graph.
    pub(crate) fn is_of(&self, graph: &Arc<RawGraph>) -> bool {
        core::ptr::eq(self.graph.as_ptr(), Arc::as_ptr(graph))
    }
}

impl RawGraph {
    /// Queues an update: these operators replace those of the group, in order. The caller has the handles of the stream
    /// and of the graph, no replay is in flight, and the graph keeps the operators' rows.
    ///
    /// # Errors
    ///
    /// If the library refused to begin the update, the graph is unchanged. Otherwise it cannot be replayed any more.
    #[rule(GRAPH_09)]
    pub(crate) fn update(
        &self,
        here: Here<'_>,
        stream: &Arc<RawStream>,
        group: &RawTaskGroup,
        operators: &[Arc<RawInvocation>],
    ) -> Result<u64, Error> {
        self.check_before_use(self.instance())?;
        if stream.allocator().is_some() {
            // The new operators get their memory from that allocator.
            self.check_stream(stream)?;
        }
        self.update.opens(here.api(), stream, &self.held)?;
        let (api, handle) = (here.api(), aclrtTaskGrp(group.handle.load(Ordering::Acquire)));
        // SAFETY: the function asks for a live stream, and for a group of a live instance (GRAPH-09). The caller has
        // borrowed the stream's only handle, and destroying takes that handle (STREAM-07). The caller has compared the
        // group with this graph, whose instance is not null, and destroying the instance takes the graph's handle.
        let answer = unsafe { call!(api.aclmdlRICaptureTaskUpdateBegin(stream.raw(), handle)) };
        let never_called = answer.is_missing();
        let begun = answer.done(|| "begin to update a graph".into());
        if let Err(error) = begun {
            if never_called {
                self.update.release();
            } else if !matches!(self.update.close(api), Ok(WasOpen(false))) {
                // The update may have begun although the call failed.
                self.spoil();
            }
            return Err(error);
        }
        let given = operators.iter().try_for_each(|operator| operator.capture(api, stream));
        let ended = here.ready().and_then(|ready| {
            queue_work!(stream, ready, Unknown, "end the update of a graph", [&self.last_use], |ready, stream| {
                // SAFETY: the function asks for a live stream on which an update is open, and for operators whose
                // memory stays until the last replay is done (GRAPH-05). The caller has borrowed the stream's only
                // handle, and destroying takes that handle (STREAM-07). The update began above, and the graph keeps the
                // operators.
                unsafe { call!(ready.aclmdlRICaptureTaskUpdateEnd(stream)) }
            })
        });
        let is_over = ended.is_ok();
        let updated = given.and_then(|()| ended.map_err(Error::from)).inspect_err(|_| self.spoil());
        match is_over {
            true => self.update.release(),
            false => drop(self.update.close(api)),
        }
        updated
    }

    /// Withdraws the instance from replays, because it is half old and half new.
    fn spoil(&self) {
        self.require_checks();
        let instance = self.instance.swap(null_mut(), Ordering::AcqRel);
        if !instance.is_null() {
            self.update.spoilt.store(instance, Ordering::Release);
        }
    }
}

/// Whether the library reported that an update was open.
pub(super) struct WasOpen(bool);

impl Update {
    /// Notes that an update is open: from now on the stream takes only work of the update.
    fn opens(&self, api: Api, stream: &Arc<RawStream>, blocks: &Arc<HeldBlocks>) -> Result<(), Error> {
        stream.begin_capture(api, blocks)?;
        *self.stream() = Some(Arc::clone(stream));
        Ok(())
    }

    /// Ends an update that has not ended successfully. The stream takes other work again, unless the library refuses.
    pub(super) fn close(&self, api: Api) -> Result<WasOpen, Error> {
        let Some(stream) = self.stream().clone() else { return Ok(WasOpen(false)) };
        let end = || {
            let mut was_open = true;
            let ended = stream.with_handle(|stream| {
                // SAFETY: the function asks for a live stream. `with_handle` passes the gate, so the stream is not
                // destroyed meanwhile (STREAM-07).
                let answer = unsafe { call!(api.aclmdlRICaptureTaskUpdateEnd(stream)) };
                was_open = !answer.code().is_some_and(is_not_open);
                if was_open { answer.done(|| "end the update of a graph".into()) } else { Ok(()) }
            });
            ended.map(|()| was_open)
        };
        // A call that refuses to end the update may still have ended it. A second call shows that.
        let was_open = match end() {
            Ok(was_open) => was_open,
            Err(_) => end().map(|_| true).inspect_err(|_| self.is_left.store(true, Ordering::Release))?,
        };
        self.release();
        Ok(WasOpen(was_open))
    }

    /// Lets the stream take other work again.
    pub(super) fn release(&self) {
        self.is_left.store(false, Ordering::Release);
        if let Some(stream) = self.stream().take() {
            stream.end_capture();
        }
    }

    /// Whether the library refused to end the update. The end of the scope, or of its stream, tries again.
    pub(super) fn is_left(&self) -> bool {
        self.is_left.load(Ordering::Acquire)
    }

    pub(super) fn spoilt(&self) -> &AtomicPtr<c_void> {
        &self.spoilt
    }

    /// The reason why there is no instance to replay.
    pub(super) fn why_gone(&self) -> Error {
        match self.spoilt.load(Ordering::Acquire).is_null() {
            true => Error::Gone { what: ObjectKind::CAPTURED_GRAPH },
            false => Error::HalfUpdated,
        }
    }

    fn stream(&self) -> MutexGuard<'_, Option<Arc<RawStream>>> {
        self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn is_not_open(code: aclError) -> bool {
    matches!(code, ACL_ERROR_STREAM_TASK_GROUP_STATUS | ACL_ERROR_RT_INVALID_HANDLE)
}

#[cfg(test)]
mod tests {
    use super::{Arc, RawStream, Update};
    use crate::ffi::Api;
    use crate::ffi::process::Loading;
    use ascendcl_sys::Library;
    use ascendcl_sys::types::aclrtStream;

    /// Another thread of the context ends what was left, at any time.
    #[test]
    fn an_update_that_is_under_way_is_not_left() {
        // SAFETY: `Library::from_table` asks for addresses of functions with the table's signatures. There are none.
        let library = unsafe { Library::from_table("none", |_| None) };
        let update = Update::default();
        *update.stream() = Some(Arc::new(RawStream::created(Api::new(Loading::new(library)), aclrtStream::NULL)));
        assert!(!update.is_left());
    }
}
