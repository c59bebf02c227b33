//! How events are created and destroyed.

use super::{RawEvent, Record};
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::admission::Admission;
use crate::ffi::call::{call, call_cached};
use crate::ffi::flagged_event::event_with;
use crate::ffi::gate::Gate;
use crate::ffi::not_ended::{created_at_once, not_ended};
use crate::ffi::shelf::{Seed, Shelf, ShelfPlace};
use crate::ffi::{Api, Enterable, Here, Owner};
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtEvent;
use core::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::sleep;
use std::time::{Duration, Instant};

const CREATING: &str = "create an event";
const DESTROYING: &str = "destroy an event";

/// How long a destruction with a shorter limit waits for calls on the event. The value is a choice: a short call takes
/// microseconds.
const SHORT_CALL: Duration = Duration::from_millis(250);

/// The time between two checks whether a call has ended.
const POLL_INTERVAL: Duration = Duration::from_micros(500);

/// So many checks come first without a pause, because most calls are short.
const CHECKS_WITHOUT_PAUSE: u32 = 100;

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

    /// The rows of a shelf are of one library and one context.
    #[inline]
    fn renew(self, row: &mut RawEvent) {
        let RawEvent { place, raw, gate, admission, api: _, device: _, owner: _, record } = row;
        (*place, *raw, *gate) = (self.place, self.raw, Gate::open());
        *admission = Admission::of(self.of.id().number());
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

    /// Destroys the event, like [`destroy`](Self::destroy), and takes its row off the shelf. `None` when further checks
    /// are needed; then nothing has happened. The caller has the event's handle.
    #[inline(always)]
    pub(crate) fn destroy_at_once(&self, here: Here<'_>, shelf: &Shelf<Self>) -> Option<Result<(), Boxed>> {
        if !here.is_in(self.owner) || !self.admission.close_at_once(&self.gate) {
            return None;
        }
        // SAFETY: the function asks for a live event that nobody uses (EVENT-06). The gate was open, so the event was
        // not destroyed before, and nobody was inside; it is closed now.
        match unsafe { call_cached!(here.aclrtDestroyEvent(self.raw)) } {
            Some(Ok(())) => {
                shelf.take_out(self, true);
                Some(Ok(()))
            }
            refused => not_ended(move || self.reopen(), here.api(), DESTROYING, refused),
        }
    }

    /// Destroys the event, which need not be complete. If the library refuses, the event stays usable.
    ///
    /// A thread of another context may be inside a call on the event: it makes a stream of its own wait for the event, and
    /// the queue of that stream is full (STREAM-22). This waits for such calls for at most `limit`, if there is one, but
    /// not less than a quarter of a second.
    ///
    /// # Errors
    ///
    /// [`Error::StillRunning`] if a call is inside after that time. The event stays usable.
    #[rule(EVENT_06)]
    pub(crate) fn destroy(&self, api: Api, limit: Option<Duration>) -> Result<(), Error> {
        self.check_current()?;
        // Check before the gate closes: in a forked child, a thread that no longer exists may count as inside forever.
        let ready = api.ready()?;
        if !self.shut() {
            return Ok(());
        }
        self.calls_end_within(limit).inspect_err(|_| self.reopen())?;
        // SAFETY: the function asks for a live event that nobody uses (EVENT-06). The gate was open, so the event was
        // not destroyed before; it is closed now, and `calls_end_within` has found nobody inside.
        let answer = unsafe { call!(ready.aclrtDestroyEvent(self.raw)) };
        answer.done(|| DESTROYING.into()).inspect_err(|_| self.reopen())
    }

    /// Refuses all calls from now on. Calls that are inside stay. Returns `false` if the event is destroyed.
    pub(crate) fn shut(&self) -> bool {
        self.admission.shut(&self.gate)
    }

    /// Waits until no call is inside, for at most a quarter of a second. Calls are refused, so none comes.
    pub(crate) fn short_calls_end(&self) -> Result<(), Error> {
        self.calls_end_within(Some(SHORT_CALL))
    }

    fn calls_end_within(&self, limit: Option<Duration>) -> Result<(), Error> {
        let until = limit.and_then(|limit| Instant::now().checked_add(limit.max(SHORT_CALL)));
        let mut checks = 0_u32;
        let goes_on = || {
            checks = checks.saturating_add(1);
            if checks > CHECKS_WITHOUT_PAUSE {
                sleep(POLL_INTERVAL);
            }
            until.is_none_or(|until| Instant::now() < until)
        };
        match self.gate.becomes_empty(goes_on) {
            true => Ok(()),
            false => Err(Error::StillRunning { what: ObjectKind::EVENT }),
        }
    }

    /// Allows calls again.
    pub(crate) fn reopen(&self) {
        self.admission.reopen(&self.gate);
    }
}
