//! Captures and builds, and the instances that result from them (`aclmdlRI`).

mod build;
mod capture;
mod condition;
#[cfg(test)]
mod ends_tests;
mod names;
mod open;
mod switch;
mod update;

use self::build::Build;
use self::open::Capture;
pub(crate) use self::open::{BodyId, ConditionKind};
use self::switch::Labels;
pub(crate) use self::update::RawTaskGroup;
use self::update::Update;
use super::call::{FailedCall, call, functions};
use super::work::{begin_at_once, queue_alone};
use super::{Api, Begun, HeldBlocks, Here, LastUse, Owner, RawStream};
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::shelf::{Row, Shelf, ShelfPlace};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::ACL_ERROR_RT_INVALID_HANDLE;
use ascendcl_sys::types::aclmdlRI;
use core::ffi::c_void;
use core::fmt;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::any::Any;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};

/// A replay that failed.
pub(crate) type NotReplayed = FailedCall<functions::aclmdlRIExecuteAsync>;

const QUEUE_A_REPLAY: &str = "replay a graph";

/// A capture, and the instance that results from it. Its row exists before the capture begins. It has no `Drop`: an
/// object that is not destroyed stays allocated.
#[rule(GRAPH_05, GRAPH_07)]
pub(crate) struct RawGraph {
    place: ShelfPlace,
    /// Null until the capture has ended successfully or the build has begun, and as soon as the instance is only to be
    /// destroyed (`spoilt`, `taken_apart`).
    instance: AtomicPtr<c_void>,
    capture: Mutex<Capture>,
    update: Update,
    build: Build,
    labels: Labels,
    /// While the graph has a handle, this has the number of the context only if there is an instance that each stream may
    /// replay.
    last_use: LastUse,
    /// The id of the only stream that replays it, or 0 when every stream may.
    own_stream: AtomicU64,
    needs: Mutex<Needs>,
    /// Blocks of the allocators of captured streams.
    held: Arc<HeldBlocks>,
    /// Whether the operands came back to the program although the library refused to end the capture or to destroy the
    /// instance.
    is_given_up: AtomicBool,
    /// The instance that the library has refused to destroy, or null.
    refused: AtomicPtr<c_void>,
    /// Whether a thread is ending the capture.
    is_ending: AtomicBool,
    owner: Owner,
}

/// Everything that replays use.
#[derive(Default)]
pub(crate) struct Needs {
    /// Rows of blocks, models and events. They are not released while this refers to them.
    pub(crate) rows: Vec<Arc<dyn Any + Send + Sync>>,
    /// The state of callbacks, and after the graph is destroyed also the blocks of allocators. Dropping them runs code
    /// of the user.
    pub(crate) states: Vec<super::KeptState>,
}

impl Row for RawGraph {
    #[inline]
    fn place(&self) -> &ShelfPlace {
        &self.place
    }
}

impl RawGraph {
    /// What `{:?}` prints of a graph, as a value of the type with this name.
    pub(crate) fn shown_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_there = !self.instance.load(Ordering::Acquire).is_null();
        f.debug_struct(name).field("number", &self.number()).field("is_there", &is_there).finish_non_exhaustive()
    }

    /// The row for a graph. This calls nothing of the library.
    pub(crate) fn new() -> Self {
        Self {
            place: ShelfPlace::new(),
            instance: AtomicPtr::new(null_mut()),
            capture: Mutex::default(),
            update: Update::default(),
            build: Build::default(),
            labels: Labels::default(),
            last_use: LastUse::of(Owner::current().number()),
            own_stream: AtomicU64::new(0),
            needs: Mutex::default(),
            held: Arc::default(),
            is_given_up: AtomicBool::new(false),
            refused: AtomicPtr::new(null_mut()),
            is_ending: AtomicBool::new(false),
            owner: Owner::current(),
        }
    }

    /// An error unless this thread has entered the graph's context.
    #[inline]
    pub(crate) fn check_current(&self) -> Result<(), Error> {
        self.owner.check_current(ObjectKind::CAPTURED_GRAPH)
    }

    /// The instance; null while there is none.
    #[inline(always)]
    fn instance(&self) -> aclmdlRI {
        aclmdlRI(self.instance.load(Ordering::Acquire))
    }

    /// From now on each replay checks whether there is an instance, and on which streams it may be replayed.
    fn require_checks(&self) {
        // What is in doubt stays so.
        if !self.last_use.is_in_doubt() {
            self.last_use.require_checks();
        }
    }

    /// Whether no object of the library is left of a capture that failed to begin.
    pub(crate) fn is_gone(&self) -> bool {
        let has_none = |place: &AtomicPtr<c_void>| place.load(Ordering::Acquire).is_null();
        has_none(&self.instance) && has_none(self.update.spoilt()) && self.capture().streams.is_empty()
    }

    /// Notes that the operands come back to the program before the instance is destroyed. Returns whether this is the
    /// first note.
    pub(crate) fn give_up(&self) -> bool {
        !self.is_given_up.swap(true, Ordering::AcqRel)
    }

    /// Notes that the instance is destroyed. Returns whether the graph was [given up](Self::give_up).
    pub(crate) fn clear_given_up(&self) -> bool {
        self.is_given_up.swap(false, Ordering::AcqRel)
    }

    /// Whether the graph was given up, and its instance or its open capture may use the object of this row.
    pub(crate) fn still_holds(&self, row: *const ()) -> bool {
        let is = |kept: &Arc<dyn Any + Send + Sync>| core::ptr::addr_eq(Arc::as_ptr(kept), row);
        self.is_given_up.load(Ordering::Acquire) && self.needs().rows.iter().any(is)
    }

    /// Everything that replays use, for adding to it.
    pub(crate) fn needs(&self) -> MutexGuard<'_, Needs> {
        self.needs.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Queues one run, after all checks. One stamp covers everything that the run uses.
    #[cold]
    #[inline(never)]
    pub(crate) fn replay(&self, here: Here<'_>, stream: &RawStream) -> Result<u64, Boxed> {
        self.check_before_replay(stream)?;
        let instance = self.instance();
        // SAFETY: the function asks for a live instance and a live stream, and for everything that was captured to stay
        // until the run is done (GRAPH-05). The instance was compared with null, and the caller has the handles of the
        // stream and of the graph. Destroying the instance takes the graph's handle, and waits for the stamps (GRAPH-07).
        // Until then `needs` keeps what was captured.
        unsafe {
            queue_alone!(stream, here, QUEUE_A_REPLAY, [&self.last_use], |stream| {
                aclmdlRIExecuteAsync(instance, stream)
            })
        }
    }

    /// Like [`replay`](Self::replay). `None` when further checks are needed; then nothing has happened.
    #[inline(always)]
    pub(crate) fn replay_at_once(&self, here: Here<'_>, stream: &Arc<RawStream>) -> Option<Begun<NotReplayed>> {
        let instance = self.instance();
        let obstacles = here.unless_has(self.last_use.context());
        // SAFETY: the function asks for a live instance and a live stream, and for everything that was captured to stay
        // until the run is done (GRAPH-05). There is an instance: a graph gets a handle only when it has one, and what
        // takes the instance away asks for checks before, so that the stamps lack the context. The caller has the handles
        // of the stream and of the graph. Destroying the instance takes the graph's handle, and waits for the stamps
        // (GRAPH-07). Until then `needs` keeps what was captured.
        unsafe {
            begin_at_once!(
                stream,
                here,
                obstacles,
                [&self.last_use],
                [],
                |stream| aclmdlRIExecuteAsync(instance, stream),
                Arc::clone(stream),
            )
        }
    }

    /// Settles a replay that failed.
    pub(crate) fn settle_replay(&self, stream: &RawStream, failed: NotReplayed) -> Boxed {
        stream.settle(QUEUE_A_REPLAY, failed, [&self.last_use])
    }

    #[cold]
    #[inline(never)]
    fn check_before_replay(&self, stream: &RawStream) -> Result<(), Boxed> {
        self.check_before_use(self.instance())?;
        match self.own_stream.load(Ordering::Acquire) {
            0 => Ok(()),
            _ => Ok(self.check_stream(stream)?),
        }
    }

    /// An error unless this is the only stream that may replay the graph.
    #[rule(ALLOC_10)]
    fn check_stream(&self, stream: &RawStream) -> Result<(), Error> {
        match self.own_stream.load(Ordering::Acquire) == stream.id() {
            true => Ok(()),
            false => Err(Error::NotItsStream { what: ObjectKind::CAPTURED_GRAPH }),
        }
    }

    fn check_before_use(&self, instance: aclmdlRI) -> Result<(), Error> {
        self.check_current()?;
        match instance {
            aclmdlRI::NULL => Err(self.update.why_gone()),
            _ => self.check_usable(),
        }
    }

    /// From now on only this stream may replay the graph: replays use memory of its allocator, which serves no other
    /// stream at the same time (ALLOC-10).
    fn restrict_replays_to(&self, stream: &RawStream) {
        self.own_stream.store(stream.id(), Ordering::Release);
        self.require_checks();
    }

    /// An error while a replay that could not be waited for may be running.
    pub(crate) fn check_usable(&self) -> Result<(), Error> {
        self.check_current()?;
        match self.last_use.is_in_doubt() {
            true => Err(Error::InDoubt { what: ObjectKind::CAPTURED_GRAPH }),
            false => Ok(()),
        }
    }

    /// The labels of the graph's switches.
    pub(crate) fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Marks the graph idle: all replays are known to be done.
    #[inline]
    pub(crate) fn mark_idle(&self) {
        self.last_use.mark_idle();
    }

    /// Records that the work queued on this stream so far comes after all replays.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.stamp_latest(&self.last_use);
    }

    /// Destroys the instance, and ends the capture if it is still open. Refuses while a replay may be running. Returns
    /// what replays needed.
    #[rule(GRAPH_07)]
    pub(crate) fn destroy(&self, api: Api, streams: &Shelf<RawStream>) -> Result<Needs, Error> {
        self.check_current()?;
        // While an update is open, its stream cannot be synchronised.
        self.update.close(api)?;
        if !streams.has_done(&self.last_use) {
            return Err(Error::StillRunning { what: ObjectKind::CAPTURED_GRAPH });
        }
        let ended = self.end(api);
        // A failed call may still have ended the capture.
        if !self.capture().streams.is_empty() {
            return ended.map(|()| Needs::default());
        }
        self.take_apart(api)?;
        self.require_checks();
        for place in [&self.instance, self.update.spoilt(), self.build.taken_apart()] {
            let instance = place.swap(null_mut(), Ordering::AcqRel);
            if instance.is_null() {
                continue;
            }
            // SAFETY: the function asks for a live instance of the current context that is not running, once
            // (GRAPH-07). The owner was compared, the stamps show that every replay is done, and null was stored so
            // that no other call destroys the instance.
            let answer = unsafe { call!(api.aclmdlRIDestroy(aclmdlRI(instance))) };
            // A call for it that failed before may have destroyed it.
            let was_refused = self.refused.load(Ordering::Acquire) == instance;
            let was_gone = was_refused && answer.code() == Some(ACL_ERROR_RT_INVALID_HANDLE);
            let was_called = answer.code().is_some();
            let destroyed = answer.done(|| "destroy a captured graph".into());
            if !was_gone {
                destroyed.inspect_err(|_| {
                    if was_called {
                        self.refused.store(instance, Ordering::Release);
                    }
                    place.store(instance, Ordering::Release);
                })?;
            }
        }
        self.labels.destroy(api)?;
        self.build.end(api)?;
        let mut needs = mem::take(&mut *self.needs());
        needs.states.append(&mut self.held.end());
        Ok(needs)
    }

    /// Keeps the state of callbacks for the rest of the process if a replay may be running. The caller is about to
    /// discard its work, which then counts as over, but a callback that the library is running goes on.
    #[rule(GRAPH_05)]
    pub(crate) fn keep_callback_state(&self, streams: &Shelf<RawStream>) {
        if !streams.has_done(&self.last_use) {
            mem::forget(self.needs().states.clone());
        }
    }

    /// Records that a reset of the device by force has ended the context, and with it the capture.
    pub(crate) fn after_forced_reset(&self) {
        self.release();
        self.update.release();
    }

    fn with_instance<R>(&self, call: impl FnOnce(aclmdlRI) -> Result<R, Error>) -> Result<R, Error> {
        self.check_current()?;
        match self.instance() {
            aclmdlRI::NULL => Err(Error::Gone { what: ObjectKind::CAPTURED_GRAPH }),
            instance => call(instance),
        }
    }
}

impl fmt::Debug for RawGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown_as("RawGraph", f)
    }
}

impl fmt::Debug for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Needs").field("rows", &self.rows.len()).field("states", &self.states.len()).finish()
    }
}
