//! Vendor events.

use super::gate::Gate;
use super::{Api, Queue};
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::{aclrtEvent, aclrtEventRecordedStatus};

/// An event of the device whose context was current when it was created.
#[derive(Debug)]
pub(crate) struct RawEvent {
    raw: aclrtEvent,
    gate: Gate,
}

// SAFETY: the vendor's events belong to the process; any thread may use them. The handle is never written.
unsafe impl Send for RawEvent {}
// SAFETY: as above.
unsafe impl Sync for RawEvent {}

impl RawEvent {
    pub(crate) fn create(api: Api) -> Result<Self, Error> {
        api.may_be_called()?;
        api.in_place()?;
        let mut raw = aclrtEvent(core::ptr::null_mut());
        // SAFETY: `raw` is a place for the handle.
        let code = unsafe { api.library().aclrtCreateEvent(&raw mut raw) };
        api.done("aclrtCreateEvent", code, || "create an event".into())?;
        Ok(Self { raw, gate: Gate::open() })
    }

    /// Puts the event behind what is queued on the stream so far.
    pub(crate) fn record(&self, api: Api, stream: &Queue) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "event" }) };
        stream.submit(api, "aclrtRecordEvent", "record an event", [], |stream| {
            // SAFETY: event and stream are alive: both gates are passed.
            unsafe { api.library().aclrtRecordEvent(self.raw, stream) }
        })
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

    /// Whether what was queued before the record is done.
    pub(crate) fn is_complete(&self, api: Api) -> Result<bool, Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "event" }) };
        let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        // SAFETY: the event is alive: the gate is passed; `status` is a place for the answer.
        let code = unsafe { api.library().aclrtQueryEventStatus(self.raw, &raw mut status) };
        api.done("aclrtQueryEventStatus", code, || "ask for the state of an event".into())?;
        Ok(status == aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE)
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
