//! Creates streams and events when the device has no more of them, and waits for finished work that no wait has
//! covered.

use super::Ledger;
use crate::code::{Code, CodeKind};
use crate::error::{Boxed, Error};
use crate::ffi::{Here, NewEvent, NewStream, RawEvent, RawStream, cold_path};
use crate::panics::after_dropping;
use ascendcl_macros::rule;
use ascendcl_sys::types::{aclrtEvent, aclrtStream};
use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a creation on a full device waits for dropped streams with unfinished work.
const BRIEFLY: Duration = Duration::from_millis(50);

impl Ledger {
    /// Creates a stream. If the device has no more, destroys dropped streams and tries once more.
    #[rule(STREAM_11)]
    #[inline(always)]
    pub(crate) fn create_stream(&self, here: Here<'_>) -> Result<Arc<RawStream>, Error> {
        let refused = match RawStream::create_at_once(here) {
            Some(Ok(raw)) => return Ok(self.put_stream(raw)),
            refused => refused.and_then(Result::err),
        };
        cold_path(move || self.make_stream(refused, || RawStream::create(self.api)))
    }

    /// Like [`create_stream`](Self::create_stream), with a priority and flags.
    pub(crate) fn create_stream_with(&self, priority: u32, flags: u32) -> Result<Arc<RawStream>, Error> {
        self.make_stream(None, || RawStream::create_with(self.api, priority, flags))
    }

    /// Creates a stream. `refused` is the error if the library has already refused once.
    fn make_stream(
        &self,
        refused: Option<Boxed>,
        create: impl Fn() -> Result<aclrtStream, Error>,
    ) -> Result<Arc<RawStream>, Error> {
        let raw = match refused.map_or_else(&create, |error| Err(error.into())) {
            Ok(raw) => raw,
            Err(error) => self.make_room_for_stream(error, create)?,
        };
        Ok(self.put_stream(raw))
    }

    #[inline(always)]
    fn put_stream(&self, raw: aclrtStream) -> Arc<RawStream> {
        self.streams.put_by(move |place| NewStream { raw, place, of: &self.at })
    }

    fn make_room_for_stream(
        &self,
        error: Error,
        create: impl Fn() -> Result<aclrtStream, Error>,
    ) -> Result<aclrtStream, Error> {
        let created = match is_used_up(&error) && self.destroy_dropped_streams() > 0 {
            true => create(),
            false => Err(error),
        };
        created.map_err(|error| advise(error, "stream(s) still work", || self.streams.unreferenced().len()))
    }

    /// Adds a stream of other code to the ledger. The other code destroys it.
    pub(crate) fn adopt_stream(&self, raw: NonNull<c_void>) -> Arc<RawStream> {
        self.streams.put(RawStream::adopted(self.api, raw))
    }

    /// Creates an event. If the device has no more, destroys dropped events and tries once more.
    #[rule(EVENT_08)]
    #[inline(always)]
    pub(crate) fn create_event(&self, here: Here<'_>) -> Result<Arc<RawEvent>, Error> {
        let refused = match RawEvent::create_at_once(here) {
            Some(Ok(raw)) => return Ok(self.put_event(raw)),
            refused => refused.and_then(Result::err),
        };
        cold_path(move || self.make_event(refused, None))
    }

    /// Like [`create_event`](Self::create_event), with optional flags.
    pub(crate) fn create_event_with(&self, flags: Option<u32>) -> Result<Arc<RawEvent>, Error> {
        self.make_event(None, flags)
    }

    /// Creates an event. `refused` is the error if the library has already refused once.
    fn make_event(&self, refused: Option<Boxed>, flags: Option<u32>) -> Result<Arc<RawEvent>, Error> {
        let create = || RawEvent::create(self.api, flags);
        let raw = match refused.map_or_else(create, |error| Err(error.into())) {
            Ok(raw) => raw,
            Err(error) => self.make_room_for_event(error, flags)?,
        };
        Ok(self.put_event(raw))
    }

    #[inline(always)]
    fn put_event(&self, raw: aclrtEvent) -> Arc<RawEvent> {
        self.events.put_by(move |place| NewEvent { raw, place, of: &self.at })
    }

    fn make_room_for_event(&self, error: Error, flags: Option<u32>) -> Result<aclrtEvent, Error> {
        let created = match is_used_up(&error) && self.destroy_dropped_events() > 0 {
            true => RawEvent::create(self.api, flags),
            false => Err(error),
        };
        created.map_err(|error| advise(error, "event(s) are left", || self.events.unreferenced().len()))
    }

    /// Destroys dropped streams whose work is over. If it could destroy none, waits briefly for the others and tries
    /// again. Returns the number of destroyed streams.
    fn destroy_dropped_streams(&self) -> usize {
        let dropped = self.streams.unreferenced();
        let mut kept = Vec::new();
        let mut destroy = |stream: &Arc<RawStream>| self.destroy_stream(stream, None, &mut kept).is_ok();
        let over = dropped.iter().filter(|stream| stream.is_complete(self.api).unwrap_or(false));
        let over = over.filter(|stream| self.has_ended(stream, None));
        let mut destroyed = over.filter(|stream| destroy(stream)).count();
        if destroyed == 0 {
            let until = Instant::now() + BRIEFLY;
            let left = || until.saturating_duration_since(Instant::now());
            let in_time = dropped.iter().take_while(|_| !left().is_zero());
            let over = in_time.filter(|stream| self.has_ended(stream, Some(left())));
            destroyed = over.filter(|stream| destroy(stream)).count();
        }
        after_dropping(kept, destroyed)
    }

    /// Waits for a dropped stream, and returns whether its work is over. If a second wait does not
    /// report a failure of the first one again, this keeps the failure for [`collect`](Self::collect).
    fn has_ended(&self, stream: &RawStream, limit: Option<Duration>) -> bool {
        let wait = || stream.synchronize(self.api, limit);
        match wait() {
            Err(failure) if is_of_work(&failure) => match wait() {
                Err(again) if is_of_work(&again) => false,
                second => {
                    self.undelivered.keep([failure]);
                    second.is_ok()
                }
            },
            first => first.is_ok(),
        }
    }

    fn destroy_dropped_events(&self) -> usize {
        self.events.unreferenced().iter().filter(|event| self.destroy_event(event, None).is_ok()).count()
    }

    /// Waits for work that a query has reported as over and that no wait has covered since. Returns the failures of
    /// that work. `left` is the rest of the time, if there is a limit.
    pub(super) fn wait_for_completed_work(&self, left: impl Fn() -> Option<Duration>) -> Vec<Error> {
        // Only a wait reports failures. It returns at once for work that is over.
        let over = self.streams.all().into_iter().filter(|stream| stream.is_over_unawaited());
        let briefly = || left().map_or(BRIEFLY, |left| left.min(BRIEFLY));
        let waits = over.filter_map(|stream| stream.synchronize(self.api, Some(briefly())).err());
        waits.filter(is_of_work).collect()
    }
}

/// Whether an error of a wait means that work failed. A timeout, a stream that is being captured and a refusal before
/// the library was called do not mean that.
pub(super) fn is_of_work(error: &Error) -> bool {
    error.code().is_some_and(Code::reports_work)
}

pub(super) fn is_used_up(error: &Error) -> bool {
    error.code().is_some_and(|code| code.kind() == CodeKind::Resource)
}

/// Adds advice to the error if dropped objects use up the resource. Counts them only in that case, because counting
/// looks at every row.
fn advise(mut error: Error, are_left: &str, dropped: impl FnOnce() -> usize) -> Error {
    if is_used_up(&error)
        && let Error::Vendor(vendor) = &mut error
        && let dropped @ 1.. = dropped()
    {
        vendor.doing.push_str(&format!(
            " ({dropped} dropped {are_left}: `current.collect()` waits for their work and destroys them)"
        ));
    }
    error
}
