//! How events are created and destroyed.

use super::{RawEvent, Record};
use crate::error::{Boxed, Error};
use crate::ffi::admission::Admission;
use crate::ffi::call::{call, call_cached};
use crate::ffi::flagged_event::event_with;
use crate::ffi::gate::Gate;
use crate::ffi::not_ended::{created_at_once, not_ended};
use crate::ffi::shelf::{Seed, ShelfPlace};
use crate::ffi::{Api, Enterable, Here, Owner};
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtEvent;
use core::sync::atomic::{AtomicBool, AtomicU64};

const CREATING: &str = "create an event";
const DESTROYING: &str = "destroy an event";

/// An event that was created, for a row.
pub(crate) struct NewEvent<'a> {
    pub(crate) raw: aclrtEvent,
    pub(crate) place: ShelfPlace,
    pub(crate) of: &'a Enterable,
}

impl Seed<RawEvent> for NewEvent<'_> {
    #[inline]
    fn row(self) -> RawEvent {
        let Self { raw, place, of } = self;
        RawEvent::row(raw, place, of.api(), of.id().device(), of.owner())
    }

    /// The rows of a shelf are of one library and one device.
    #[inline]
    fn renew(self, row: &mut RawEvent) {
        let RawEvent { place, raw, gate, admission, api: _, device: _, owner, record } = row;
        (*place, *raw, *gate, *owner) = (self.place, self.raw, Gate::open(), self.of.owner());
        *admission = Admission::of(owner.number());
        let Record { stream, number, since, in_doubt } = record;
        [stream, number, since].into_iter().for_each(|count| *count = AtomicU64::new(0));
        *in_doubt = AtomicBool::new(false);
    }
}

impl RawEvent {
    pub(super) fn row(raw: aclrtEvent, place: ShelfPlace, api: Api, device: i32, owner: Owner) -> Self {
        let (gate, admission) = (Gate::open(), Admission::of(owner.number()));
        Self { place, raw, gate, admission, api, device, owner, record: Record::default() }
    }

    /// Creates an event, like [`create`](Self::create). `None` when further checks are needed; then nothing has
    /// happened.
    #[inline(always)]
    pub(crate) fn create_at_once(here: Here<'_>) -> Option<Result<aclrtEvent, Boxed>> {
        let mut raw = aclrtEvent(core::ptr::null_mut());
        // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let created = unsafe { call_cached!(here.aclrtCreateEvent(&raw mut raw)) }?;
        Some(created_at_once(created, raw, here.api(), CREATING))
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
        answer.wrote(raw, || CREATING.into())
    }

    /// Destroys the event, like [`destroy`](Self::destroy). `None` when further checks are needed; then nothing has
    /// happened. The caller has the event's handle.
    #[inline(always)]
    pub(crate) fn destroy_at_once(&self, here: Here<'_>) -> Option<Result<(), Boxed>> {
        if !here.is_in(self.owner) || !self.admission.close_at_once(&self.gate) {
            return None;
        }
        // SAFETY: the function asks for a live event that nobody uses (EVENT-06). The gate was open, so the event was
        // not destroyed before, and nobody was inside; it is closed now.
        let destroyed = unsafe { call_cached!(here.aclrtDestroyEvent(self.raw)) };
        match destroyed {
            Some(Ok(())) => Some(Ok(())),
            refused => not_ended(|| self.reopen(), here.api(), DESTROYING, refused),
        }
    }

    /// Destroys the event, which need not be complete. If the library refuses, the event stays usable.
    #[rule(EVENT_06)]
    pub(crate) fn destroy(&self, api: Api) -> Result<(), Error> {
        self.check_current()?;
        // Check before the gate closes: in a forked child, a thread that no longer exists may count as inside forever.
        let ready = api.ready()?;
        if !self.close() {
            return Ok(());
        }
        // SAFETY: the function asks for a live event that nobody uses (EVENT-06). The gate was open, so the event was
        // not destroyed before; it is closed now, so nobody is inside.
        let answer = unsafe { call!(ready.aclrtDestroyEvent(self.raw)) };
        answer.done(|| DESTROYING.into()).inspect_err(|_| self.reopen())
    }
}
