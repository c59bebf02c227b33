//! Vendor streams, and the work that is queued on them.

mod captured;
mod life;
mod options;
mod submit;
mod wait;

pub(crate) use captured::{FirstPanic, KeptState};
pub(crate) use life::NewStream;
pub(crate) use options::stream_flags;
pub(super) use submit::aligned;
pub(crate) use submit::{Begun, BlockPosition, CopyDirection, NotCopied, NotSet};

use super::admission::{Admission, CheckReason};
use super::allocator::{Keeps, KeptAllocator};
use super::call::call;
use super::gate::Gate;
use super::members::Members;
use super::registration::Registrations;
use super::thread_notes::entered_in_this_process;
use super::timeline::Timeline;
use super::{Api, Here, LastUse, Owner, RawEvent};
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::shelf::{Row, Shelf, ShelfPlace};
use ascendcl_macros::rule;
use ascendcl_sys::types::{aclrtStream, aclrtStreamStatus};
use core::ffi::c_void;
use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

/// How long a failed call waits for its stream, to find out whether it has queued work.
pub(crate) const SETTLING: Duration = Duration::from_secs(1);

/// The row referred to something: to spare events, or to the descriptor of an allocator.
const REFERS: u8 = 1;
/// Other code has the handle, so that it may queue work that the timeline does not count; or work failed, and waiters for
/// it may ask when the stream is gone.
const ENDS_SLOWLY: u8 = 2;

const WAITING: &str = "synchronise a stream";

/// A stream of the context that was current when it was created. Fields that are zero at first are side by side.
#[repr(C)]
pub struct RawStream {
    pub(super) timeline: Timeline,
    /// How many waits ended while other waits were under way.
    ended: AtomicU64,
    /// The last submission that a query has reported as over. Only a wait reports whether work failed.
    seen_over: AtomicU64,
    gate: Gate,
    /// Whether work of this stream may use borrowed memory. A capture waits for it before it begins.
    borrows: AtomicBool,
    /// Whether other code created the stream, and destroys it.
    is_of_others: bool,
    /// Why destroying the stream takes the slow path: [`REFERS`] and [`ENDS_SLOWLY`]. Read where no lock may be taken.
    ends_slowly: AtomicU8,
    raw: aclrtStream,
    place: ShelfPlace,
    pub(super) allocators: Registrations,
    /// Events that were created for futures of this stream, and that no future uses now.
    spares: Mutex<Vec<Arc<RawEvent>>>,
    /// Is there if this value is not a stream, but stands for the work that the library does without a stream. It has
    /// the streams of the context, and a wait for it waits for the whole context.
    whole_context: Option<Weak<Shelf<RawStream>>>,
    /// The library of the stream, and the context.
    api: Api,
    owner: Owner,
}

impl fmt::Debug for RawStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown_as("RawStream", f)
    }
}

// SAFETY: sending the handle to another thread must not make a data race. The vendor's streams belong to the process.
// Several threads may call on one stream; the caller is responsible for the order of their calls (THREAD-03). The
// handle is never written.
unsafe impl Send for RawStream {}
// SAFETY: sharing the handle must not make a data race. Several threads may call on one stream (THREAD-03), and the
// handle is never written. The other fields that are written are atomics or are behind a mutex.
unsafe impl Sync for RawStream {}

impl Row for RawStream {
    #[inline]
    fn place(&self) -> &ShelfPlace {
        &self.place
    }

    #[inline]
    fn refers_to_nothing(&self) -> bool {
        self.ends_slowly.load(Ordering::Acquire) & REFERS == 0
    }
}

impl RawStream {
    #[inline(always)]
    fn row(raw: aclrtStream, place: ShelfPlace, (api, owner): (Api, Owner)) -> Self {
        Self {
            timeline: Timeline::new(place.number()),
            place,
            raw,
            gate: Gate::open(),
            ended: AtomicU64::new(0),
            allocators: Registrations::none(owner),
            spares: Mutex::new(Vec::new()),
            whole_context: None,
            is_of_others: false,
            ends_slowly: AtomicU8::new(0),
            api,
            owner,
            seen_over: AtomicU64::new(0),
            borrows: AtomicBool::new(false),
        }
    }

    /// Makes this a stream of several threads: none of them knows the number of its next submission.
    fn of_several_threads(self) -> Self {
        self.admission().set(CheckReason::ManyThreads, true);
        self
    }

    /// The word by which fast paths decide whether to use the stream.
    #[inline(always)]
    fn admission(&self) -> &Admission {
        self.allocators.admission()
    }

    /// Closes the gate. Returns `false` if it was closed already.
    fn close(&self) -> bool {
        self.admission().close(&self.gate)
    }

    /// Opens the gate again, because the library refused to destroy the stream.
    fn reopen(&self) {
        self.admission().reopen(&self.gate);
    }

    /// The row of a stream that was [created](Self::create) in the current context.
    #[inline(always)]
    pub(crate) fn created(api: Api, raw: aclrtStream) -> Self {
        Self::row(raw, ShelfPlace::new(), (api, Owner::current()))
    }

    /// The default stream of the current context, which the library identifies by null (STREAM-03). It is created and
    /// destroyed with its context, never on its own (STREAM-02). Every thread that enters the context can use it.
    pub(crate) fn default_of_current(api: Api) -> Self {
        Self::created(api, aclrtStream::NULL).of_several_threads()
    }

    /// The row of a stream of the current context that other code created, and destroys.
    pub(crate) fn adopted(api: Api, raw: NonNull<c_void>) -> Self {
        let ends_slowly = AtomicU8::new(ENDS_SLOWLY);
        Self { is_of_others: true, ends_slowly, ..Self::created(api, aclrtStream(raw.as_ptr())) }
    }

    /// A row that stands for the work that the library does without a stream in the context of these streams. Nothing is
    /// queued on it, but a failed call may leave work running.
    pub(crate) fn of_the_library(api: Api, owner: Owner, streams: &Arc<Shelf<Self>>) -> Self {
        let row = Self::row(aclrtStream::NULL, ShelfPlace::new(), (api, owner));
        Self { whole_context: Some(Arc::downgrade(streams)), ..row }.of_several_threads()
    }

    /// An error unless this thread has entered the stream's context.
    #[inline]
    #[rule(STREAM_06, STREAM_09)]
    pub(crate) fn check_current(&self) -> Result<(), Error> {
        self.owner.check_current(ObjectKind::STREAM)
    }

    /// Whether a synchronise has covered everything that was queued.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.timeline.clock().is_idle()
    }

    /// The number that identifies the stream in stamps: that of its row.
    pub(crate) fn id(&self) -> u64 {
        self.timeline.id()
    }

    /// What `{:?}` prints of a stream, as a value of the type with this name.
    pub(crate) fn shown_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (done, queued) = (self.timeline.clock().done(), self.timeline.clock().last_submitted());
        let mut shown = f.debug_struct(name);
        shown.field("id", &self.id()).field("queued", &queued).field("done", &done).finish_non_exhaustive()
    }

    /// An unused event that a future of this stream had, if there is one.
    pub(crate) fn take_spare(&self) -> Option<Arc<RawEvent>> {
        self.spares().pop()
    }

    /// Keeps an event for the next future, until the stream is destroyed.
    pub(crate) fn spare(&self, event: Arc<RawEvent>) {
        self.ends_slowly.fetch_or(REFERS, Ordering::Release);
        let mut spares = self.spares();
        if !self.is_gone() {
            spares.push(event);
        }
    }

    /// The stream was destroyed: it keeps no events any more.
    pub(crate) fn take_spares(&self) -> Vec<Arc<RawEvent>> {
        core::mem::take(&mut *self.spares())
    }

    fn spares(&self) -> MutexGuard<'_, Vec<Arc<RawEvent>>> {
        self.spares.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The number up to which everything is done once a synchronise that starts now has returned.
    #[inline]
    pub(crate) fn last_submitted(&self) -> u64 {
        self.timeline.clock().last_submitted()
    }

    /// Whether a synchronise has covered this submission. A stream is synchronised before it is destroyed.
    #[inline]
    pub(crate) fn has_done(&self, number: u64) -> bool {
        self.timeline.clock().has_done(number)
    }

    /// Stamps `used` with the last submission of this stream, which comes after all earlier uses.
    pub(in crate::ffi) fn stamp_latest(&self, used: &LastUse) {
        used.follow(self.id(), self.last_submitted());
    }

    /// Whether all queued work is over, successful or not. The library reports failures only to a synchronise.
    pub(crate) fn is_complete(&self, api: Api) -> Result<bool, Error> {
        let Some(_inside) = self.gate.pass() else { return Ok(true) };
        self.check_current()?;
        self.check_not_captured()?;
        let mark = self.last_submitted();
        let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY;
        // SAFETY: the function asks for a live stream, and writes the answer to `status` during the call. The gate is
        // passed, so the stream is not destroyed meanwhile (STREAM-07); a pointer to a live local is valid for writes
        // (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclrtStreamQuery(self.raw, &raw mut status)) };
        answer.done(|| "ask whether a stream's work is done".into())?;
        let complete = status == aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE;
        if complete {
            self.seen_over.fetch_max(mark, Ordering::AcqRel);
        }
        Ok(complete)
    }

    /// Whether a query has reported work as over that no wait has covered.
    pub(crate) fn is_over_unawaited(&self) -> bool {
        !self.has_done(self.seen_over.load(Ordering::Acquire))
    }

    /// Registers an allocator (ALLOC-04), or replaces the registered one (ALLOC-09). The stream must be synchronised
    /// before.
    ///
    /// The stream keeps `keeps`, and with it the object of `members`, while the library may call it. Returns what is no
    /// longer needed.
    pub(crate) fn register(
        &self,
        api: Api,
        members: Members,
        keeps: KeptAllocator,
    ) -> Result<Vec<KeptAllocator>, Error> {
        api.check_process()?;
        self.check_current()?;
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::STREAM }) };
        if !self.timeline.clock().is_idle() {
            return Err(Error::StillRunning { what: ObjectKind::STREAM });
        }
        self.ends_slowly.fetch_or(REFERS, Ordering::Release);
        self.allocators.register(api, self.raw, members, keeps)
    }

    /// Ends the registration, if there is one. The stream must be synchronised before (ALLOC-11).
    pub(crate) fn unregister(&self, api: Api) -> Result<Vec<KeptAllocator>, Error> {
        api.check_process()?;
        self.check_current()?;
        let Some(_inside) = self.gate.pass() else { return Ok(Vec::new()) };
        if !self.timeline.clock().is_idle() {
            return Err(Error::StillRunning { what: ObjectKind::STREAM });
        }
        self.allocators.unregister(api, self.raw)
    }

    /// Whether the library has destroyed the stream.
    pub(crate) fn is_gone(&self) -> bool {
        self.gate.is_closed()
    }

    /// Whether the stream is being captured: its work is recorded instead of run.
    pub(crate) fn is_capturing(&self) -> bool {
        self.gate.is_capturing()
    }

    /// Makes a call that takes the stream and queues nothing on it.
    pub(crate) fn with_raw<R>(&self, call: impl FnOnce(*mut c_void) -> R) -> Result<R, Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::STREAM }) };
        self.check_current()?;
        entered_in_this_process()?;
        self.check_not_captured()?;
        Ok(call(self.handed_out().0))
    }

    /// The handle, for other code.
    pub(crate) fn handed_out(&self) -> aclrtStream {
        self.end_slowly();
        self.raw
    }

    pub(super) fn end_slowly(&self) {
        self.ends_slowly.fetch_or(ENDS_SLOWLY, Ordering::Release);
    }

    /// An error unless the caller's context is that of the stream.
    pub(crate) fn check_context(&self, here: Here<'_>) -> Result<(), Boxed> {
        self.owner.check_here(here, ObjectKind::STREAM)
    }

    /// Whether this crate created the stream, and destroys it.
    #[inline]
    pub(crate) fn is_ours(&self) -> bool {
        !self.raw.is_null() && !self.is_of_others
    }

    pub(crate) fn raw(&self) -> aclrtStream {
        self.raw
    }

    /// Whether this is not a stream, but stands for the work that the library does without one.
    pub(super) fn is_of_the_library(&self) -> bool {
        self.whole_context.is_some()
    }

    /// Whether this is the default stream of its context, which all [views](crate::ffi::views) of that share.
    fn is_default(&self) -> bool {
        self.raw.is_null() && !self.is_of_the_library()
    }

    #[inline]
    pub(super) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The handle, for calls by the owner of the stream's handle in the program.
    #[inline]
    pub(super) fn handle(&self) -> aclrtStream {
        self.raw
    }

    /// Makes a call with the handle while the gate is passed. Does nothing if the stream is destroyed.
    pub(super) fn with_handle(&self, call: impl FnOnce(aclrtStream) -> Result<(), Error>) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Ok(()) };
        call(self.raw)
    }

    /// Ends the stream by this call. Its registration stays with the row.
    pub(super) fn end_with(&self, call: impl FnOnce(aclrtStream) -> Result<(), Error>) -> Result<(), Error> {
        if !self.close() {
            return Ok(());
        }
        call(self.raw).inspect_err(|_| self.reopen())
    }

    /// Records that the device was reset by force, so nothing that was queued runs any more.
    pub(crate) fn after_forced_reset(&self) {
        self.timeline.succeeded(self.timeline.covers());
    }

    /// The keeper of the registered allocator, if there is one.
    pub(super) fn keeps(&self) -> Option<Weak<dyn Keeps>> {
        self.allocators.keeps()
    }
}

impl Shelf<RawStream> {
    /// Whether the work that `use_of` awaits is done. A stream that is no longer on the shelf was synchronised before
    /// it was destroyed.
    pub(crate) fn has_done(&self, use_of: &LastUse) -> bool {
        use_of.is_over(|stream, number| self.has_passed(stream, number), || self.are_idle())
    }

    /// Whether a stream, by its id, has done this submission.
    pub(in crate::ffi) fn has_passed(&self, stream: u64, number: u64) -> bool {
        self.get(stream).is_none_or(|queue| queue.has_done(number))
    }

    /// Whether synchronises have covered everything that was queued on all streams.
    pub(in crate::ffi) fn are_idle(&self) -> bool {
        self.all().iter().all(|queue| queue.timeline.clock().is_idle())
    }

    /// Whether work that is queued on this stream from now on comes after the work that `use_of` awaits.
    pub(crate) fn comes_after(&self, use_of: &LastUse, stream: &RawStream) -> bool {
        use_of.is_over(|at, number| at == stream.id() || self.has_passed(at, number), || self.are_idle())
    }
}
