//! Captures and builds, and the instances that result from them (`aclmdlRI`).

mod build;
mod names;
mod switch;
mod update;

use self::build::Build;
use self::switch::Labels;
pub(crate) use self::update::RawTaskGroup;
use self::update::Update;
use super::answer::lacks;
use super::call::{Function, call, functions};
use super::work::queue_alone;
use super::{Api, Here, LastUse, Owner, RawStream};
use crate::capture_mode::CaptureMode;
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::shelf::{Row, Shelf, ShelfPlace};
use ascendcl_macros::rule;
use ascendcl_sys::MissingSymbol;
use ascendcl_sys::error_codes::{
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CAPTURED,
    ACL_ERROR_RT_STREAM_NOT_CAPTURED,
};
use ascendcl_sys::types::{aclmdlRI, aclmdlRICaptureMode, aclmdlRICaptureStatus, aclrtStream};
use core::ffi::c_void;
use core::fmt;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::any::Any;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};

/// The functions that are required to capture, replay and destroy a graph.
const NEEDED: [&str; 6] = [
    functions::aclmdlRICaptureBegin::NAME,
    functions::aclmdlRICaptureEnd::NAME,
    functions::aclmdlRICaptureGetInfo::NAME,
    functions::aclmdlRIDestroy::NAME,
    functions::aclmdlRIExecuteAsync::NAME,
    functions::aclrtCreateEventExWithFlag::NAME,
];

/// A capture, and the instance that results from it. Its row exists before the capture begins. It has no `Drop`: an
/// object that is not destroyed stays allocated.
#[rule(GRAPH_05, GRAPH_07)]
pub(crate) struct RawGraph {
    place: ShelfPlace,
    /// Null until the capture has ended successfully or the build has begun, and after the instance is destroyed.
    instance: AtomicPtr<c_void>,
    capture: Mutex<Capture>,
    update: Update,
    build: Build,
    labels: Labels,
    last_use: LastUse,
    needs: Mutex<Needs>,
    /// The operands came back to the program, although the library has refused to end the capture or to destroy the
    /// instance.
    is_given_up: AtomicBool,
    /// A thread is ending the capture.
    is_ending: AtomicBool,
    owner: Owner,
}

/// The capture, while it is open.
#[derive(Debug, Default)]
struct Capture {
    /// The streams of the capture, beginning with the one on which it began. They accept no other work.
    streams: Vec<Arc<RawStream>>,
    /// Whether the library refused to end the capture, or may have refused.
    is_left: bool,
}

/// Everything that replays use.
#[derive(Default)]
pub(crate) struct Needs {
    /// Rows of blocks, models and events. They are not released while this refers to them.
    pub(crate) rows: Vec<Arc<dyn Any + Send + Sync>>,
    /// The state of callbacks. It is the user's, so dropping it runs code of the user.
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
            needs: Mutex::default(),
            is_given_up: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
            owner: Owner::current(),
        }
    }

    /// An error unless this thread has entered the graph's context.
    #[inline]
    pub(crate) fn is_current(&self) -> Result<(), Error> {
        self.owner.is_current(ObjectKind::CAPTURED_GRAPH)
    }

    /// Begins to capture the stream. After an error nothing has changed, unless the capture [is left](Self::is_left)
    /// open.
    #[rule(GRAPH_01)]
    pub(crate) fn begin(&self, api: Api, stream: &Arc<RawStream>, mode: CaptureMode) -> Result<(), Error> {
        self.is_current()?;
        api.can_capture()?;
        self.takes_part(api, stream)?;
        let raw_mode = match mode {
            CaptureMode::Relaxed => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED,
            CaptureMode::ThreadLocal => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
            CaptureMode::Global => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
        };
        // SAFETY: the function asks for a live stream. The caller has borrowed the stream's only handle, and destroying
        // takes that handle (STREAM-07).
        let answer = unsafe { call!(api.aclmdlRICaptureBegin(stream.raw(), raw_mode)) };
        let code = answer.code();
        let begun = answer.done(|| "begin to capture a stream".into());
        begun.map_err(|error| {
            match code {
                // Other code is capturing the stream, and will end that capture.
                None | Some(ACL_ERROR_RT_FEATURE_NOT_SUPPORT | ACL_ERROR_RT_STREAM_CAPTURED) => self.release(),
                // The capture may have begun although the call failed.
                Some(_) => drop(self.end(api)),
            }
            match code {
                Some(ACL_ERROR_RT_FEATURE_NOT_SUPPORT) => Error::CaptureUnsupported(Box::new(error)),
                _ => error,
            }
        })
    }

    /// Adds another stream to the capture, until the capture ends. Until then the stream takes only work of the
    /// capture.
    ///
    /// # Errors
    ///
    /// [`Error::Capturing`] if the stream is part of another capture, or the error of the wait for work with borrowed
    /// memory.
    pub(crate) fn takes_part(&self, api: Api, stream: &Arc<RawStream>) -> Result<(), Error> {
        if self.capture().streams.iter().any(|known| Arc::ptr_eq(known, stream)) {
            return Ok(());
        }
        stream.begin_capture(api)?;
        self.capture().streams.push(Arc::clone(stream));
        Ok(())
    }

    /// Ends the capture. After an error there is no instance, or there is one that must be [destroyed](Self::destroy)
    /// without being run. The streams then take other work again, unless the capture [is left](Self::is_left) open.
    #[rule(GRAPH_01)]
    pub(crate) fn end(&self, api: Api) -> Result<(), Error> {
        // Who destroys one of the streams ends the capture, too. Of two threads that do so at a time, the second one
        // would find no instance while the first one has not noted it.
        if self.is_ending.swap(true, Ordering::AcqRel) {
            return Err(Error::Capturing);
        }
        let ended = self.end_now(api);
        self.is_ending.store(false, Ordering::Release);
        ended
    }

    fn end_now(&self, api: Api) -> Result<(), Error> {
        self.update.close(api)?;
        let Some(first) = self.capture().streams.first().cloned() else { return Ok(()) };
        let mut instance = aclmdlRI::NULL;
        let mut over = true;
        let ended = first.with_handle(|stream| {
            // SAFETY: the function asks for a live stream, and writes the handle to `instance` during the call.
            // `with_handle` passes the gate, so the stream is not destroyed meanwhile (STREAM-07); a pointer to a live
            // local is valid for writes (`core::ptr`, "Safety").
            let answer = unsafe { call!(api.aclmdlRICaptureEnd(stream, &raw mut instance)) };
            let code = answer.code();
            let ended = answer.done(|| "end a capture".into());
            over = ended.is_ok()
                || !instance.is_null()
                || matches!(code, Some(ACL_ERROR_RT_STREAM_NOT_CAPTURED | ACL_ERROR_RT_INVALID_HANDLE))
                || is_over(api, stream);
            ended
        });
        if !instance.is_null() {
            self.instance.store(instance.0, Ordering::Release);
        }
        match over {
            true => self.release(),
            false => self.capture().is_left = true,
        }
        ended
    }

    /// Ends the capture for all its streams, because it is over.
    fn release(&self) {
        let streams = mem::take(&mut *self.capture()).streams;
        streams.iter().for_each(|stream| stream.end_capture());
    }

    /// Whether the capture could not be ended. The end of the scope, or of its stream, tries again.
    pub(crate) fn is_left(&self) -> bool {
        self.capture().is_left || self.update.is_open()
    }

    /// Whether no object of the library is left of a capture.
    pub(crate) fn is_gone(&self) -> bool {
        self.instance.load(Ordering::Acquire).is_null() && self.capture().streams.is_empty() && self.update.is_gone()
    }

    /// Notes that the operands come back to the program before the instance is destroyed. Returns whether that is new.
    pub(crate) fn give_up(&self) -> bool {
        !self.is_given_up.swap(true, Ordering::AcqRel)
    }

    /// Notes that the instance of a graph that was given up is destroyed. Returns whether that is new.
    pub(crate) fn is_given_up_no_more(&self) -> bool {
        self.is_given_up.swap(false, Ordering::AcqRel)
    }

    /// Whether the graph was given up, and its instance or its open capture has the object of this row.
    pub(crate) fn still_holds(&self, row: *const ()) -> bool {
        let is = |kept: &Arc<dyn Any + Send + Sync>| core::ptr::addr_eq(Arc::as_ptr(kept), row);
        self.is_given_up.load(Ordering::Acquire) && self.needs().rows.iter().any(is)
    }

    /// Everything that replays use, for adding to it.
    pub(crate) fn needs(&self) -> MutexGuard<'_, Needs> {
        self.needs.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Queues one run. One stamp covers everything that the run uses.
    #[inline(always)]
    pub(crate) fn replay(&self, here: Here<'_>, stream: &RawStream) -> Result<u64, Boxed> {
        let instance = aclmdlRI(self.instance.load(Ordering::Acquire));
        // While the graph is in doubt, this number is not that of any context.
        if !here.has(self.last_use.context()) || instance.is_null() {
            self.look_before_replay(instance)?;
        }
        // SAFETY: the function asks for a live instance and a live stream, and for everything that was captured to stay
        // until the run is done (GRAPH-05). The caller has the handles of the stream and of the graph. Destroying the
        // instance takes the graph's handle, and waits for the stamps (GRAPH-07). Until then `needs` keeps what was
        // captured.
        unsafe {
            queue_alone!(stream, here, "replay a graph", [&self.last_use], |stream| {
                aclmdlRIExecuteAsync(instance, stream)
            })
        }
    }

    #[cold]
    #[inline(never)]
    fn look_before_replay(&self, instance: aclmdlRI) -> Result<(), Boxed> {
        self.is_current()?;
        match instance {
            aclmdlRI::NULL => Err(self.update.why_gone().into()),
            _ => Ok(self.is_usable()?),
        }
    }

    /// An error while a replay that could not be waited for may be running.
    pub(crate) fn is_usable(&self) -> Result<(), Error> {
        self.is_current()?;
        match self.last_use.is_in_doubt() {
            true => Err(Error::InDoubt { what: ObjectKind::CAPTURED_GRAPH }),
            false => Ok(()),
        }
    }

    /// The labels of its switches.
    pub(crate) fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Marks the graph idle: all replays are known to be done.
    #[inline]
    pub(crate) fn rest(&self) {
        self.last_use.rest();
    }

    /// Records that the work queued on this stream so far comes after all replays.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.lead(&self.last_use);
    }

    /// Destroys the instance, and ends the capture if it is still open. Refuses while a replay may be running. Returns
    /// what replays needed.
    #[rule(GRAPH_07)]
    pub(crate) fn destroy(&self, api: Api, streams: &Shelf<RawStream>) -> Result<Needs, Error> {
        self.is_current()?;
        // While an update is open, its stream cannot be synchronised.
        self.update.close(api)?;
        if !streams.has_done(&self.last_use) {
            return Err(Error::StillRunning { what: ObjectKind::CAPTURED_GRAPH });
        }
        let ended = self.end(api);
        // A failed call may still have ended the capture.
        if !self.capture().streams.is_empty() || self.update.is_open() {
            return ended.map(|()| Needs::default());
        }
        self.build.unbind(api, aclmdlRI(self.instance.load(Ordering::Acquire)))?;
        for place in [&self.instance, self.update.spoilt()] {
            let instance = place.swap(null_mut(), Ordering::AcqRel);
            if instance.is_null() {
                continue;
            }
            // SAFETY: the function asks for a live instance of the current context that is not running, once
            // (GRAPH-07). The owner was compared, the stamps show that every replay is done, and null was stored so
            // that no other call destroys the instance.
            let answer = unsafe { call!(api.aclmdlRIDestroy(aclmdlRI(instance))) };
            // A call that failed before may have destroyed it.
            let was_gone = answer.code() == Some(ACL_ERROR_RT_INVALID_HANDLE);
            let destroyed = answer.done(|| "destroy a captured graph".into());
            if !was_gone {
                destroyed.inspect_err(|_| place.store(instance, Ordering::Release))?;
            }
        }
        self.labels.destroy(api)?;
        self.build.end(api)?;
        Ok(mem::take(&mut *self.needs()))
    }

    /// Records that the device was reset by force, which ended its captures. A callback of a replay may still be
    /// running, so the state of callbacks is kept for the rest of the process.
    pub(crate) fn has_been_reset(&self) {
        self.release();
        self.update.release();
        mem::forget(self.needs().states.clone());
    }

    fn with_instance<R>(&self, call: impl FnOnce(aclmdlRI) -> Result<R, Error>) -> Result<R, Error> {
        self.is_current()?;
        match aclmdlRI(self.instance.load(Ordering::Acquire)) {
            aclmdlRI::NULL => Err(Error::Gone { what: ObjectKind::CAPTURED_GRAPH }),
            instance => call(instance),
        }
    }

    fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Whether the library reports that the stream is not being captured.
fn is_over(api: Api, stream: aclrtStream) -> bool {
    let (mut status, mut instance) = (aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, aclmdlRI::NULL);
    // SAFETY: the function asks for a live stream, and writes to `status` and `instance` during the call. The caller
    // has passed the stream's gate; pointers to live locals are valid for writes (`core::ptr`, "Safety").
    let answer = unsafe { call!(api.aclmdlRICaptureGetInfo(stream, &raw mut status, &raw mut instance)) };
    answer.is_success() && status == aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE
}

impl Api {
    /// An error if the library lacks a function that captures need.
    fn can_capture(self) -> Result<(), Error> {
        let Some(missing) = self.loading().library().lacks_one_of(&NEEDED) else { return Ok(()) };
        let error = lacks(
            self.loading(),
            MissingSymbol { symbol: missing.name, files: missing.files },
            "capture a stream".into(),
        );
        Err(Error::CaptureUnsupported(Box::new(error)))
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
