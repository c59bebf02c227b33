//! Groups of tasks in a capture, and updates that replace them later.
//!
//! The operators are known before a group or an update begins, so no code of the program runs until it ends.

use super::RawGraph;
use crate::error::{Error, ObjectKind};
use crate::ffi::answer::written;
use crate::ffi::call::{Function, call, functions};
use crate::ffi::stamp::Unknown;
use crate::ffi::work::queue_work;
use crate::ffi::{Api, HeldBlocks, Here, RawOperator, RawStream};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_STREAM_TASK_GROUP_STATUS};
use ascendcl_sys::types::{aclError, aclrtTaskGrp};
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::mem;
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
    open: Mutex<Open>,
    /// The instance, after an update has failed half-way, or after a capture whose end was refused. It is not replayed, only
    /// destroyed.
    spoilt: AtomicPtr<c_void>,
}

/// Whether an update is open.
#[derive(Debug, Default)]
enum Open {
    #[default]
    No,
    /// On this stream, which takes only new operators. The thread that updates ends it.
    On(Arc<RawStream>),
    /// On this stream: the library refused to end it. Any thread ends it.
    Left(Arc<RawStream>),
    /// A thread is in the call that ends it.
    Ending,
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
        operators: &[Arc<RawOperator>],
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
        let handle = written(handle, functions::aclmdlRICaptureTaskGrpEnd::NAME)?;
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
        operators: &[Arc<RawOperator>],
    ) -> Result<u64, Error> {
        self.check_before_use(self.instance())?;
        if stream.allocator().is_some() {
            // The new operators get their memory from that allocator.
            self.check_stream(stream)?;
        }
        self.update.open_on(here.api(), stream, &self.held)?;
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
    pub(super) fn open_on(&self, api: Api, stream: &Arc<RawStream>, blocks: &Arc<HeldBlocks>) -> Result<(), Error> {
        stream.begin_capture(api, blocks)?;
        *self.open() = Open::On(Arc::clone(stream));
        Ok(())
    }

    /// Ends an update that has not ended successfully. The stream takes other work again, unless the library refuses.
    ///
    /// Only one thread at a time makes the call: the stream may be in the next update when a second one makes it, and
    /// the library would end that one. The second thread gets [`Error::Capturing`].
    pub(super) fn close(&self, api: Api) -> Result<WasOpen, Error> {
        let stream = {
            let mut open = self.open();
            match mem::replace(&mut *open, Open::Ending) {
                Open::On(stream) | Open::Left(stream) => stream,
                Open::Ending => return Err(Error::Capturing),
                Open::No => {
                    *open = Open::No;
                    return Ok(WasOpen(false));
                }
            }
        };
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
        let ended = end().or_else(|_| end().map(|_| true));
        // First the note: the stream can be in the next update as soon as it takes other work.
        *self.open() = if ended.is_ok() { Open::No } else { Open::Left(Arc::clone(&stream)) };
        if ended.is_ok() {
            stream.end_capture();
        }
        ended.map(WasOpen)
    }

    /// Lets the stream take other work again. If a thread is ending the update, that thread does so.
    pub(super) fn release(&self) {
        let stream = {
            let mut open = self.open();
            match mem::take(&mut *open) {
                Open::On(stream) | Open::Left(stream) => Some(stream),
                other => {
                    *open = other;
                    None
                }
            }
        };
        stream.iter().for_each(|stream| stream.end_capture());
    }

    /// Whether the library refused to end the update. The end of the scope, or of its stream, tries again.
    pub(super) fn is_left(&self) -> bool {
        matches!(*self.open(), Open::Left(_))
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

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn is_not_open(code: aclError) -> bool {
    matches!(code, ACL_ERROR_STREAM_TASK_GROUP_STATUS | ACL_ERROR_RT_INVALID_HANDLE)
}

#[cfg(test)]
mod tests {
    use super::{Arc, Error, Open, RawStream, Update, WasOpen};
    use crate::ffi::Api;
    use ascendcl_sys::types::{aclError, aclrtStream};
    use core::ffi::c_void;
    use core::ptr::NonNull;
    use core::sync::atomic::{AtomicU32, Ordering};
    use std::sync::OnceLock;

    static UPDATE: OnceLock<(Update, Api)> = OnceLock::new();
    static CALLS: AtomicU32 = AtomicU32::new(0);

    /// What a second thread gets that ends the update during this call. The first time the library refuses.
    extern "C" fn end(_: aclrtStream) -> aclError {
        let Some((update, api)) = UPDATE.get() else { return 0 };
        let call = CALLS.fetch_add(1, Ordering::SeqCst);
        // Otherwise a second thread does not stop.
        assert!(call < 3);
        assert!(!update.is_left());
        assert!(matches!(update.close(*api), Err(Error::Capturing)));
        update.release();
        if call < 2 { 507_899 } else { 0 }
    }

    fn resolve(name: &str) -> Option<NonNull<c_void>> {
        (name == "aclmdlRICaptureTaskUpdateEnd").then(|| NonNull::new(end as *mut c_void))?
    }

    /// To a second thread the library would end the next update of the stream.
    #[test]
    fn an_update_is_ended_by_one_thread_at_a_time_and_left_after_a_refusal_only() {
        // SAFETY: `Api::from_table` asks for addresses of functions with the table's signatures. The only one has it.
        let api = unsafe { Api::from_table("ends", resolve) };
        let (update, _) = UPDATE.get_or_init(|| (Update::default(), api));
        *update.open() = Open::On(Arc::new(RawStream::created(api, aclrtStream::NULL)));
        // Another thread of the context ends what was left, at any time.
        assert!(!update.is_left());
        assert!(update.close(api).is_err());
        assert_eq!(CALLS.load(Ordering::SeqCst), 2, "and once more, to see whether it has ended");
        assert!(update.is_left());
        assert!(matches!(update.close(api), Ok(WasOpen(true))));
        assert!(!update.is_left());
        assert!(matches!(update.close(api), Ok(WasOpen(false))));
    }
}
