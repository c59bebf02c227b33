//! Ends the objects that no handle refers to, before the scope ends.

use super::Ledger;
use super::kinds::KINDS;
use crate::code::Code;
use crate::error::Error;
use crate::ffi::KeptAllocator;
use crate::panics::Panics;
use std::time::{Duration, Instant};

/// The limit of all waits of a collection together.
#[derive(Clone, Copy)]
struct Limit(Option<(Instant, Duration)>);

impl Limit {
    /// The rest of the time, or `None` if there is no limit.
    fn left(self) -> Option<Duration> {
        self.0.map(|(start, limit)| limit.saturating_sub(start.elapsed()))
    }
}

impl Ledger {
    /// Destroys the objects that no handle refers to and that no work in flight uses. Waits for dropped streams, for at
    /// most `limit` if there is one; streams whose work goes on stay. Returns the errors.
    pub(crate) fn collect(&self, limit: Option<Duration>) -> Vec<Error> {
        if let Err(forked) = self.api.check_process() {
            return vec![forked];
        }
        let limit = Limit(limit.map(|limit| (Instant::now(), limit)));
        let (mut errors, mut kept) = (self.undelivered.take(), Vec::new());
        errors.extend(self.wait_for_what_is_over(|| limit.left()));
        // Streams come first, because ending a stream waits for work that uses the other objects.
        self.end_dropped_streams(limit, &mut errors, &mut kept);
        let others = KINDS.iter().filter(|kind| !kind.waits);
        others.for_each(|kind| (kind.end_unreferenced)(self, &mut errors, &mut kept));
        kept.append(&mut self.states());
        self.after_dropping(kept, errors)
    }

    /// Ends the streams without a handle. When the limit has passed, each further stream is still asked once, because
    /// its work may be over.
    fn end_dropped_streams(&self, limit: Limit, errors: &mut Vec<Error>, kept: &mut Vec<KeptAllocator>) {
        for stream in self.streams.unnamed() {
            match self.destroy_stream(&stream, limit.left(), kept) {
                Ok(()) | Err(Error::StillRunning { .. }) => {}
                Err(error) if limit.left().is_some() && error.code().is_some_and(Code::is_timeout) => {}
                Err(error) => errors.push(error),
            }
        }
    }

    /// Drops values of the user, and returns the errors. If a drop panics, the next collection returns them.
    pub(super) fn after_dropping(&self, kept: Vec<KeptAllocator>, errors: Vec<Error>) -> Vec<Error> {
        let mut panics = Panics::default();
        panics.drop_each(kept);
        if let Some(panic) = panics.first() {
            self.undelivered.keep(errors);
            panic.resume();
        }
        errors
    }
}
