//! Vendor events.

use super::gate::Gate;
use super::queue::milliseconds;
use super::{Api, Queue};
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::{aclrtEvent, aclrtEventRecordedStatus};
use core::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An event of the device whose context was current when it was created.
#[derive(Debug)]
pub(crate) struct RawEvent {
    raw: aclrtEvent,
    gate: Gate,
    /// The library and the device that it is of.
    api: Api,
    device: i32,
    record: Record,
}

/// Which point of which stream an event marks. Recording takes the event's handle, so nobody reads meanwhile. Event and
/// stream are of one context, in which no other stream has that id; 0, which none has, stands for a point that nobody
/// knows.
#[derive(Debug, Default)]
struct Record {
    stream: AtomicU64,
    /// The stream's submissions that were counted before the record began: it comes after each of them.
    number: AtomicU64,
}

impl Record {
    fn note(&self, stream: &Queue, number: u64) {
        self.stream.store(stream.id(), Ordering::Release);
        self.number.store(number, Ordering::Release);
    }

    fn forget(&self) {
        self.stream.store(0, Ordering::Release);
    }

    fn stream(&self) -> Option<u64> {
        Some(self.stream.load(Ordering::Acquire)).filter(|stream| *stream != 0)
    }
}

// SAFETY: the vendor's events belong to the process; any thread may use them. The handle is never written.
unsafe impl Send for RawEvent {}
// SAFETY: as above.
unsafe impl Sync for RawEvent {}

impl RawEvent {
    pub(crate) fn create(api: Api, device: i32) -> Result<Self, Error> {
        api.may_be_called()?;
        api.in_place()?;
        let mut raw = aclrtEvent(core::ptr::null_mut());
        // SAFETY: `raw` is a place for the handle.
        let code = unsafe { api.library().aclrtCreateEvent(&raw mut raw) };
        api.done("aclrtCreateEvent", code, || "create an event".into())?;
        Ok(Self { raw, gate: Gate::open(), api, device, record: Record::default() })
    }

    /// Puts the event behind what is queued on the stream so far.
    pub(crate) fn record(&self, api: Api, stream: &Queue) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "event" }) };
        // Before the call: what another thread queues on a default stream meanwhile may come after the record.
        let before = stream.mark();
        let recorded = stream.submit(api, "aclrtRecordEvent", "record an event", [], |stream| {
            // SAFETY: event and stream are alive: both gates are passed.
            unsafe { api.library().aclrtRecordEvent(self.raw, stream) }
        });
        match &recorded {
            Ok(()) => self.record.note(stream, before),
            // It may have moved all the same, away from the work that it came after.
            Err(error) if !error.rules_out_that_work_was_queued() => self.record.forget(),
            Err(_) => (),
        }
        recorded
    }

    /// Whether the record comes after the submission with this number on this stream.
    pub(crate) fn covers(&self, stream: &Queue, number: u64) -> bool {
        self.record.stream() == Some(stream.id()) && number <= self.record.number.load(Ordering::Acquire)
    }

    /// As [`hold_up`](Self::hold_up), for a stream of any context: of the same device it has to be (EVENT-07).
    pub(crate) fn hold_up_on(&self, api: Api, device: i32, stream: &Queue) -> Result<(), Error> {
        if !self.api.is_of_the_library_of(api) {
            return Err(Error::OtherLibrary { what: "event" });
        }
        if self.device != device {
            return Err(Error::OtherDevice { what: "event", expected: device, found: self.device });
        }
        self.hold_up(api, stream)
    }

    /// Lets what is queued on the stream from now on wait for the event.
    pub(crate) fn hold_up(&self, api: Api, stream: &Queue) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "event" }) };
        stream.submit(api, "aclrtStreamWaitEvent", "let a stream wait for an event", [], |stream| {
            // SAFETY: as in `record`.
            unsafe { api.library().aclrtStreamWaitEvent(stream, self.raw) }
        })
    }

    /// Waits on this thread until what was queued before the record is done.
    pub(crate) fn synchronize(&self, api: Api) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "event" }) };
        // SAFETY: the event is alive: the gate is passed.
        let code = unsafe { api.library().aclrtSynchronizeEvent(self.raw) };
        api.done("aclrtSynchronizeEvent", code, || "wait for an event".into())
    }

    /// As [`synchronize`](Self::synchronize), for at most `limit`.
    pub(crate) fn synchronize_within(&self, api: Api, limit: Duration) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "event" }) };
        let milliseconds = milliseconds(limit);
        // SAFETY: as in `synchronize`.
        let code = unsafe { api.library().aclrtSynchronizeEventWithTimeout(self.raw, milliseconds) };
        api.done("aclrtSynchronizeEventWithTimeout", code, || format!("wait for an event within {milliseconds} ms"))
    }

    /// Whether what was queued before the record is done.
    pub(crate) fn is_complete(&self, api: Api) -> Result<bool, Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "event" }) };
        let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        // SAFETY: the event is alive: the gate is passed; `status` is a place for the answer.
        let code = unsafe { api.library().aclrtQueryEventStatus(self.raw, &raw mut status) };
        api.done("aclrtQueryEventStatus", code, || "ask for the state of an event".into())?;
        Ok(status == aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE)
    }

    /// An error unless both events were recorded on one stream (EVENT-04).
    pub(crate) fn shares_its_stream_with(&self, other: &Self) -> Result<(), Error> {
        match (self.record.stream(), other.record.stream()) {
            (Some(own), Some(other)) if own == other => Ok(()),
            _ => Err(Error::EventsOfTwoStreams),
        }
    }

    /// Milliseconds from one record to another, on the device's clock. Both have to be complete.
    pub(crate) fn milliseconds_since(&self, api: Api, start: &Self) -> Result<f32, Error> {
        let (Some(_start), Some(_end)) = (start.gate.pass(), self.gate.pass()) else {
            return Err(Error::Gone { what: "event" });
        };
        let mut milliseconds = 0.0;
        // SAFETY: both events are alive: the gates are passed; there is a place for the answer.
        let code = unsafe { api.library().aclrtEventElapsedTime(&raw mut milliseconds, start.raw, self.raw) };
        api.done("aclrtEventElapsedTime", code, || "measure the time between two events".into()).map(|()| milliseconds)
    }

    /// Destroys the event; it need not be complete. When the library refuses, the event stays usable.
    #[rule(EVENT_06)]
    pub(crate) fn destroy(&self, api: Api) -> Result<(), Error> {
        if !self.gate.close() {
            return Ok(());
        }
        // SAFETY: the handle is alive: the gate was open; and nobody is using it: the gate is closed.
        let code = unsafe { api.library().aclrtDestroyEvent(self.raw) };
        api.done("aclrtDestroyEvent", code, || "destroy an event".into()).inspect_err(|_| self.gate.reopen())
    }
}
