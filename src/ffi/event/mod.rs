//! Vendor events.

mod life;

pub(crate) use life::NewEvent;

use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::admission::Admission;
use crate::ffi::call::{FailedCall, call, functions};
use crate::ffi::captured_event::event_for_captures;
use crate::ffi::failure::any_failed;
use crate::ffi::flagged_event::{event_with, reset};
use crate::ffi::gate::Gate;
use crate::ffi::shelf::{Row, ShelfPlace};
use crate::ffi::stamp::Obstacles;
use crate::ffi::wait::Wait;
use crate::ffi::work::{begin_at_once, queue_alone, queue_at_once, queue_work};
use crate::ffi::{Api, Here, LastUse, Owner, RawStream, Site};
use ascendcl_macros::rule;
use ascendcl_sys::constants::ACL_EVENT_SYNC;
use ascendcl_sys::types::{aclrtEvent, aclrtEventRecordedStatus};
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// The memory that a record of an event, or a wait for it, uses: none.
const NOTHING: [&LastUse; 0] = [];

const RECORD_AN_EVENT: &str = "record an event";

/// A record that failed.
pub(crate) type NotRecorded = FailedCall<functions::aclrtRecordEvent>;

/// An event of the device whose context was current when it was created.
pub(crate) struct RawEvent {
    place: ShelfPlace,
    raw: aclrtEvent,
    gate: Gate,
    /// Whether fast paths may use the event.
    admission: Admission,
    /// The library and the device to which the event belongs.
    api: Api,
    device: i32,
    owner: Owner,
    record: Record,
}

impl fmt::Debug for RawEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown_as("RawEvent", f)
    }
}

/// The point of a stream that an event marks. Recording takes the event's handle, so no other thread reads this during
/// a record. A stream's id is unique in the process. The id 0 stands for an unknown point.
#[derive(Debug, Default)]
struct Record {
    stream: AtomicU64,
    /// The last of the stream's submissions that were counted before the record began. The event comes after each of
    /// them.
    number: AtomicU64,
    /// The first submission whose failure was neither known at the record nor reported since.
    since: AtomicU64,
    /// Whether a later record failed, but may have moved the event.
    in_doubt: AtomicBool,
}

impl Record {
    #[inline]
    fn note(&self, stream: &RawStream, number: u64, since: u64) {
        self.stream.store(stream.id(), Ordering::Release);
        self.number.store(number, Ordering::Release);
        self.since.store(since, Ordering::Release);
        self.in_doubt.store(false, Ordering::Release);
    }

    fn mark_in_doubt(&self) {
        self.in_doubt.store(true, Ordering::Release);
    }

    #[cold]
    fn take_failure(&self, stream_of: impl FnOnce(u64) -> Option<Arc<RawStream>>) -> Result<(), Error> {
        let Some(stream) = self.stream().and_then(stream_of) else { return Ok(()) };
        let (since, number) = (self.since.load(Ordering::Acquire), self.number.load(Ordering::Acquire));
        let failure = stream.failure_among(since, number);
        if failure.is_some() {
            self.since.store(stream.after_failures(), Ordering::Release);
        }
        failure.map_or(Ok(()), Err)
    }

    fn forget(&self) {
        self.stream.store(0, Ordering::Release);
    }

    fn stream(&self) -> Option<u64> {
        Some(self.stream.load(Ordering::Acquire)).filter(|stream| *stream != 0)
    }
}

// SAFETY: sending the handle to another thread must not make a data race. The vendor's events belong to the process,
// any thread may use them (THREAD-03), and the handle is never written.
unsafe impl Send for RawEvent {}
// SAFETY: sharing the handle must not make a data race. It is never written, any thread may use the event (THREAD-03),
// and the notes beside it are atomics.
unsafe impl Sync for RawEvent {}

impl Row for RawEvent {
    #[inline]
    fn place(&self) -> &ShelfPlace {
        &self.place
    }

    #[inline]
    fn refers_to_nothing(&self) -> bool {
        true
    }
}

impl RawEvent {
    /// What `{:?}` prints of an event, as a value of the type with this name.
    pub(crate) fn shown_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, device) = (&self.number(), &self.device);
        f.debug_struct(name).field("number", number).field("device", device).finish_non_exhaustive()
    }

    /// The row of an event that was [created](Self::create) in the current context.
    pub(crate) fn created(raw: aclrtEvent, api: Api, device: i32) -> Self {
        Self::row(raw, ShelfPlace::new(), api, device, Owner::current())
    }

    /// Creates an event that can order streams of a capture. The events of [`create`](Self::create) cannot.
    #[rule(EVENT_03)]
    pub(crate) fn create_for_captures(api: Api, device: i32) -> Result<Self, Error> {
        let raw = event_for_captures(api)?;
        Ok(Self::created(raw, api, device))
    }

    /// Creates an event that can order streams of a build, where it is reset in each run.
    #[rule(EVENT_03)]
    pub(crate) fn create_for_builds(api: Api, device: i32) -> Result<Self, Error> {
        let raw = event_with(api, ACL_EVENT_SYNC)?;
        Ok(Self::created(raw, api, device))
    }

    /// Orders later captured work on `after` behind the work that was captured on `before` so far (GRAPH-06).
    pub(crate) fn order_streams(&self, api: Api, before: &RawStream, after: &RawStream) -> Result<(), Error> {
        self.check_current()?;
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::EVENT }) };
        before.capture_call(api, "capture an event", |ready, stream| {
            // SAFETY: the function asks for a live event and a live stream. The gates of both are passed, so neither is
            // destroyed meanwhile (EVENT-06, STREAM-07).
            unsafe { call!(ready.aclrtRecordEvent(self.raw, stream)) }
        })?;
        after.capture_call(api, "capture a wait for an event", |ready, stream| {
            // SAFETY: the function asks for a live event and a live stream. The gates of both are passed, so neither is
            // destroyed meanwhile (EVENT-06, STREAM-07).
            unsafe { call!(ready.aclrtStreamWaitEvent(stream, self.raw)) }
        })
    }

    /// Orders two streams of a build in each run: after the wait the event is reset, for the next run. The event comes
    /// from [`create_for_builds`](Self::create_for_builds), and no other stream waits for it.
    #[rule(EVENT_10)]
    pub(crate) fn order_streams_each_run(&self, api: Api, before: &RawStream, after: &RawStream) -> Result<(), Error> {
        self.order_streams(api, before, after)?;
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::EVENT }) };
        after.capture_call(api, "add the reset of an event", |ready, stream| {
            // SAFETY: `reset` asks for a live stream, and for a live event that was created for waits. The gates of both
            // are passed, so neither is destroyed meanwhile (EVENT-06, STREAM-07); the caller has the event from
            // `create_for_builds`.
            unsafe { reset(ready, self.raw, stream) }
        })
    }

    /// An error unless this thread has entered the event's context.
    #[inline]
    #[rule(STREAM_09)]
    pub(crate) fn check_current(&self) -> Result<(), Error> {
        self.owner.check_current(ObjectKind::EVENT)
    }

    /// Records the event behind everything that is queued on the stream so far, after all checks.
    pub(crate) fn record(&self, here: Here<'_>, stream: &RawStream) -> Result<(), Boxed> {
        self.check_ready(here)?;
        // Take the mark before the call: work that another thread queues on a default stream during the call may come
        // after the record.
        let (before, since) = (stream.last_submitted(), stream.after_failures());
        // SAFETY: the function asks for a live event and a live stream (EVENT-06, STREAM-07). The caller has the handles of
        // both, is in their context, and has seen that they are not destroyed (`check_ready`).
        let recorded = unsafe {
            queue_alone!(stream, here, RECORD_AN_EVENT, NOTHING, |stream| aclrtRecordEvent(self.raw, stream))
        };
        match recorded {
            Ok(_) => {
                self.record.note(stream, before, since);
                Ok(())
            }
            Err(error) => Err(self.after_failed_record(error)),
        }
    }

    /// Like [`record`](Self::record). `None` when further checks are needed; then nothing has happened.
    #[inline(always)]
    pub(crate) fn record_at_once(&self, here: Here<'_>, stream: &RawStream) -> Option<Result<(), NotRecorded>> {
        if !self.is_at_hand(here) {
            return None;
        }
        let (since, none) = (stream.after_failures(), Obstacles::NONE);
        // SAFETY: the function asks for a live event and a live stream (EVENT-06, STREAM-07). The caller has the handles of
        // both, is in their context, and has seen that they are not destroyed (`is_at_hand`).
        let begun = unsafe {
            begin_at_once!(stream, here, none, NOTHING, NOTHING, |stream| aclrtRecordEvent(self.raw, stream), ())
        };
        match begun? {
            // The record has a number of its own, and comes after all lower numbers: no other thread queues work here.
            ((), Ok(number)) => {
                self.record.note(stream, number - 1, since);
                Some(Ok(()))
            }
            ((), Err(failed)) => Some(Err(failed)),
        }
    }

    /// Settles a failed record on this stream. Returns its error.
    #[cold]
    pub(crate) fn settle_record(&self, stream: &RawStream, failed: NotRecorded) -> Boxed {
        self.after_failed_record(stream.settle(RECORD_AN_EVENT, failed, NOTHING))
    }

    /// Called after a failed record. The event may now mark another point than before.
    #[cold]
    fn after_failed_record(&self, boxed: Boxed) -> Boxed {
        let error = boxed.as_error();
        if !error.rules_out_that_work_was_queued() {
            if error.is_a_refusal() { self.record.mark_in_doubt() } else { self.record.forget() }
        }
        boxed
    }

    /// Whether the record comes after the submission with this number on this stream.
    pub(crate) fn covers(&self, stream: &RawStream, number: u64) -> bool {
        self.record.stream() == Some(stream.id()) && number <= self.record.number.load(Ordering::Acquire)
    }

    /// Whether nothing was queued on this stream after the record. `false` also if that is not certain. Only the holder of
    /// a handle of the stream may ask.
    pub(crate) fn is_last_on(&self, stream: &RawStream) -> bool {
        // The record is a submission, too.
        let last = self.record.number.load(Ordering::Acquire) + 1;
        self.record.stream() == Some(stream.id()) && last == stream.last_submitted() && stream.counts_all_work()
    }

    /// Whether the event may mark another point than its record states.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.record.in_doubt.load(Ordering::Acquire)
    }

    /// Like [`make_wait`](Self::make_wait), for a stream of any context on the same device (EVENT-07).
    pub(crate) fn make_wait_on(&self, api: Api, device: i32, stream: &RawStream) -> Result<u64, Error> {
        if !self.api.is_same_library(api) {
            return Err(Error::OtherLibrary { what: ObjectKind::EVENT });
        }
        if self.device != device {
            return Err(Error::OtherDevice { what: ObjectKind::EVENT, expected: device, found: self.device });
        }
        // The caller need not be in the event's context, whose end may destroy the event.
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::EVENT }) };
        self.queue_wait(Site::unproven(api).here(), stream).map_err(Error::from)
    }

    /// Makes work that is queued on the stream from now on wait for the event, after all checks.
    pub(crate) fn make_wait(&self, here: Here<'_>, stream: &RawStream) -> Result<u64, Boxed> {
        self.check_ready(here)?;
        self.queue_wait(here, stream)
    }

    /// Like [`make_wait`](Self::make_wait). `None` when further checks are needed; then nothing has happened.
    #[inline(always)]
    pub(crate) fn make_wait_at_once(&self, here: Here<'_>, stream: &RawStream) -> Option<Result<u64, Boxed>> {
        if !self.is_at_hand(here) {
            return None;
        }
        // SAFETY: the function asks for a live event and a live stream (EVENT-06, STREAM-07). The caller has the handles of
        // both, is in their context, and has seen that they are not destroyed (`is_at_hand`).
        unsafe {
            queue_at_once!(stream, here, "let a stream wait for an event", NOTHING, |stream| {
                aclrtStreamWaitEvent(stream, self.raw)
            })
        }
    }

    /// Whether it is certain that this thread has entered the event's context and that the event is not destroyed. As
    /// after [`check_ready`](Self::check_ready), the event then stays as long as the caller has its handle.
    #[inline(always)]
    fn is_at_hand(&self, here: Here<'_>) -> bool {
        here.admits(&self.admission)
    }

    /// An error when this thread has not entered the event's context, or when the event is destroyed.
    ///
    /// After this check the event stays as long as the caller has its handle. Destroying an event takes the handle by
    /// value, and a context does not end while a thread is in it. So the gate need not be passed.
    fn check_ready(&self, here: Here<'_>) -> Result<(), Boxed> {
        self.owner.check_here(here, ObjectKind::EVENT)?;
        if self.gate.is_open() { Ok(()) } else { Err(gone()) }
    }

    fn queue_wait(&self, here: Here<'_>, stream: &RawStream) -> Result<u64, Boxed> {
        let (ready, ticket) = stream.check_before_work(here)?;
        // SAFETY: the function asks for a live event and a live stream. The caller has the stream's handle (STREAM-07). The
        // event's gate is passed, or the caller has its handle and has seen that it is not destroyed (`check_ready`,
        // EVENT-06).
        unsafe {
            queue_work!(stream, ready, ticket, "let a stream wait for an event", NOTHING, |ready, stream| {
                call!(ready.aclrtStreamWaitEvent(stream, self.raw))
            })
        }
    }

    /// Blocks this thread until the work before the record is done, for at most `limit` if there is a limit.
    pub(crate) fn synchronize(&self, api: Api, limit: Option<Duration>) -> Result<(), Error> {
        self.check_current()?;
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::EVENT }) };
        let (ready, raw) = (api.ready()?, self.raw);
        let wait = Wait {
            doing: "wait for an event",
            // SAFETY: the function asks for a live event. The gate is passed, so the event is not destroyed meanwhile
            // (EVENT-06).
            within: |milliseconds| unsafe { call!(ready.aclrtSynchronizeEventWithTimeout(raw, milliseconds)) },
            // SAFETY: the function asks for a live event. The gate is passed, so the event is not destroyed meanwhile
            // (EVENT-06).
            unlimited: || unsafe { call!(ready.aclrtSynchronizeEvent(raw)) },
            is_over: || self.is_complete_in_any_context(api).unwrap_or(false),
        };
        wait.run(api, limit)
    }

    /// An error if a wait was given the report that work before the record failed, and no waiter for this record was
    /// given it yet. `stream_of` finds a stream of the event's context by its id.
    #[inline]
    pub(crate) fn take_failure(&self, stream_of: impl FnOnce(u64) -> Option<Arc<RawStream>>) -> Result<(), Error> {
        if any_failed() { self.record.take_failure(stream_of) } else { Ok(()) }
    }

    /// Whether all work that was queued before the record is done.
    pub(crate) fn is_complete(&self, api: Api) -> Result<bool, Error> {
        self.check_current()?;
        self.is_complete_in_any_context(api)
    }

    /// Like [`is_complete`](Self::is_complete), for the thread that polls for futures: the query needs no context.
    pub(crate) fn is_complete_in_any_context(&self, api: Api) -> Result<bool, Error> {
        let Some(inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::EVENT }) };
        let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        // SAFETY: the function asks for a live event, and writes the answer to `status` during the call. The gate is
        // passed, so the event is not destroyed meanwhile (EVENT-06); a pointer to a live local is valid for writes
        // (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclrtQueryEventStatus(self.raw, &raw mut status)) };
        // The program's subscriber of `tracing` hears of an error, and may end the event's context.
        drop(inside);
        answer.done(|| "ask for the state of an event".into())?;
        Ok(status == aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE)
    }

    /// An error unless both events were recorded on one stream (EVENT-04), and neither is in doubt.
    pub(crate) fn check_same_stream_as(&self, other: &Self) -> Result<(), Error> {
        match (self.record.stream(), other.record.stream()) {
            (Some(own), Some(their)) if own == their && !self.is_in_doubt() && !other.is_in_doubt() => Ok(()),
            _ => Err(Error::EventsOfTwoStreams),
        }
    }

    /// The milliseconds from `start` to this event, on the device's clock. Both must be complete.
    pub(crate) fn milliseconds_since(&self, api: Api, start: &Self) -> Result<f32, Error> {
        self.check_current().and(start.check_current())?;
        let (Some(before), Some(after)) = (start.gate.pass(), self.gate.pass()) else {
            return Err(Error::Gone { what: ObjectKind::EVENT });
        };
        let mut milliseconds = 0.0;
        // SAFETY: the function asks for two live events, and writes the answer to `milliseconds` during the call. The
        // gates are passed, so the events are not destroyed meanwhile (EVENT-06); a pointer to a live local is valid
        // for writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclrtEventElapsedTime(&raw mut milliseconds, start.raw, self.raw)) };
        drop((before, after));
        answer.done(|| "measure the time between two events".into()).map(|()| milliseconds)
    }

    pub(crate) fn raw(&self) -> *mut core::ffi::c_void {
        self.raw.0
    }
}

#[cold]
fn gone() -> Boxed {
    Error::Gone { what: ObjectKind::EVENT }.into()
}
