//! How events are created and destroyed.

use super::{RawEvent, Record};
use crate::error::{Boxed, Error};
use crate::ffi::call::{call, call_found};
use crate::ffi::flagged_event::event_with;
use crate::ffi::gate::Gate;
use crate::ffi::not_ended::not_ended;
use crate::ffi::shelf::{Seed, ShelfPlace};
use crate::ffi::{Api, Here, Owner};
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtEvent;

const CREATING: &str = "create an event";
const DESTROYING: &str = "destroy an event";

/// An event that was created, for a row.
pub(crate) struct NewEvent {
    pub(crate) raw: aclrtEvent,
    pub(crate) place: ShelfPlace,
    pub(crate) api: Api,
    pub(crate) device: i32,
    pub(crate) owner: Owner,
}

impl Seed<RawEvent> for NewEvent {
    #[inline]
    fn row(self) -> RawEvent {
        let Self { raw, place, api, device, owner } = self;
        let (gate, record) = (Gate::open(), Record::default());
        RawEvent { place, raw, gate, api, device, owner, record }
    }

    #[inline]
    fn renew(self, row: &mut RawEvent) {
        *row = self.row();
    }
}

impl RawEvent {
    /// Creates an event, like [`create`](Self::create), where that needs no further look; else `None`, and nothing has
    /// happened.
    #[inline(always)]
    pub(crate) fn create_at_once(here: Here<'_>) -> Option<Result<aclrtEvent, Boxed>> {
        let mut raw = aclrtEvent(core::ptr::null_mut());
        // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let created = unsafe { call_found!(here.aclrtCreateEvent(&raw mut raw)) }?;
        Some(created.map(|()| raw).map_err(|answer| answer.into_error(here.api(), CREATING)))
    }

    /// Creates an event in the current context. Returns the handle, for a [row](Self::created). With flags, the event
    /// serves only the purpose that they state.
    #[inline]
    pub(crate) fn create(api: Api, flags: Option<u32>) -> Result<aclrtEvent, Error> {
        if let Some(flags) = flags {
            return event_with(api, flags);
        }
        let mut raw = aclrtEvent(core::ptr::null_mut());
        // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclrtCreateEvent(&raw mut raw)) };
        answer.done(|| CREATING.into())?;
        Ok(raw)
    }

    /// Destroys the event, like [`destroy`](Self::destroy), where that needs no further look; else `None`, and nothing has
    /// happened. The caller has the event's handle.
    #[inline(always)]
    pub(crate) fn destroy_at_once(&self, here: Here<'_>) -> Option<Result<(), Boxed>> {
        if !here.is_in(self.owner) || !self.gate.close_at_once() {
            return None;
        }
        // SAFETY: the function asks for a live event that nobody uses (EVENT-06). The gate was open, so the event was
        // not destroyed before, and nobody was inside; it is closed now.
        let destroyed = unsafe { call_found!(here.aclrtDestroyEvent(self.raw)) };
        match destroyed {
            Some(Ok(())) => Some(Ok(())),
            refused => not_ended(|| self.gate.reopen(), here.api(), DESTROYING, refused),
        }
    }

    /// Destroys the event, which need not be complete. If the library refuses, the event stays usable.
    #[rule(EVENT_06)]
    pub(crate) fn destroy(&self, api: Api) -> Result<(), Error> {
        self.is_current()?;
        // Check before the gate closes: in a forked child, a thread that no longer exists may count as inside forever.
        let ready = api.ready()?;
        if !self.gate.close() {
            return Ok(());
        }
        // SAFETY: the function asks for a live event that nobody uses (EVENT-06). The gate was open, so the event was
        // not destroyed before; it is closed now, so nobody is inside.
        let answer = unsafe { call!(ready.aclrtDestroyEvent(self.raw)) };
        answer.done(|| DESTROYING.into()).inspect_err(|_| self.gate.reopen())
    }
}
