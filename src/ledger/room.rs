//! Streams and events on a device that has no more of them, and work that is over though nobody waited for it.

use super::{Ledger, drop_each};
use crate::code::CodeKind;
use crate::error::Error;
use crate::ffi::{Queue, RawEvent};
use ascendcl_macros::rule;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a creation on a full device waits for dropped streams that still work.
const BRIEFLY: Duration = Duration::from_millis(50);

impl Ledger {
    /// Creates a stream; when the device has no more, destroys dropped ones and tries once again.
    #[rule(STREAM_11)]
    pub(crate) fn create_stream(&self) -> Result<Arc<Queue>, Error> {
        let create = || Queue::create(self.api, self.next_stream_id());
        let created = create().or_else(|error| match is_used_up(&error) && self.destroy_dropped_streams() > 0 {
            true => create(),
            false => Err(error),
        });
        let advised = created.map_err(|error| advise(error, "stream(s) still work", self.streams.unnamed().len()));
        Ok(self.streams.put(advised?))
    }

    /// Creates an event; when the device has no more, destroys dropped ones and tries once again.
    #[rule(EVENT_08)]
    pub(crate) fn create_event(&self) -> Result<Arc<RawEvent>, Error> {
        let create = || RawEvent::create(self.api, self.device());
        let created = create().or_else(|error| match is_used_up(&error) && self.destroy_dropped_events() > 0 {
            true => create(),
            false => Err(error),
        });
        let advised = created.map_err(|error| advise(error, "event(s) are left", self.events.unnamed().len()));
        Ok(self.events.put(advised?))
    }

    /// Destroys dropped streams whose work is over; if there is none, waits a little for those that still work. Answers
    /// how many it destroyed.
    fn destroy_dropped_streams(&self) -> usize {
        let dropped = self.streams.unnamed();
        let mut kept = Vec::new();
        let mut destroy = |stream: &Arc<Queue>| self.destroy_stream(stream, &mut kept).is_ok();
        let over = dropped.iter().filter(|stream| stream.is_complete(self.api).unwrap_or(false));
        let mut destroyed = over.filter(|stream| destroy(stream)).count();
        if destroyed == 0 {
            let until = Instant::now() + BRIEFLY;
            let left = || until.saturating_duration_since(Instant::now());
            let in_time = dropped.iter().take_while(|_| !left().is_zero());
            let over = in_time.filter(|stream| stream.synchronize(self.api, Some(left())).is_ok());
            destroyed = over.filter(|stream| destroy(stream)).count();
        }
        drop_each(kept);
        destroyed
    }

    fn destroy_dropped_events(&self) -> usize {
        self.events.unnamed().iter().filter(|event| self.destroy_event(event).is_ok()).count()
    }

    /// Waits for work that the library said to be over, where nobody has waited since. Answers what work failed with.
    pub(super) fn wait_for_what_is_over(&self) -> Vec<Error> {
        // Only a wait tells failures, and it returns at once for what is over.
        let over = self.streams.all().into_iter().filter(|stream| stream.is_over_unawaited());
        let waits = over.filter_map(|stream| stream.synchronize(self.api, Some(BRIEFLY)).err());
        waits.filter(|error| !error.code().is_some_and(crate::Code::is_timeout)).collect()
    }
}

fn is_used_up(error: &Error) -> bool {
    error.code().is_some_and(|code| code.kind() == CodeKind::Resource)
}

/// Says what the program can do about dropped objects that take the place.
fn advise(mut error: Error, are_left: &str, dropped: usize) -> Error {
    if let Error::Vendor(vendor) = &mut error
        && vendor.code.kind() == CodeKind::Resource
        && dropped > 0
    {
        vendor.doing.push_str(&format!(
            " ({dropped} dropped {are_left}: `current.collect()` waits for their work and destroys them)"
        ));
    }
    error
}
