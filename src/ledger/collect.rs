//! Ends the objects that no handle refers to, before the scope ends.

use super::Ledger;
use super::kinds::{Deadline, KINDS};
use crate::error::Error;
use crate::ffi::KeptAllocator;
use crate::panics::Panics;
use std::time::Duration;

impl Ledger {
    /// Destroys the objects that no handle refers to and that no work in flight uses. Waits for dropped streams, for at
    /// most `limit` if there is one; streams whose work goes on stay. Returns the errors.
    pub(crate) fn collect(&self, limit: Option<Duration>) -> Vec<Error> {
        if let Err(forked) = self.api.check_process() {
            return vec![forked];
        }
        let deadline = Deadline::after(limit);
        let (mut errors, mut kept) = (self.undelivered.take(), Vec::new());
        errors.extend(self.wait_for_completed_work(|| deadline.left()));
        // Streams come first, because ending a stream waits for work that uses the other objects.
        let (streams, others): (Vec<_>, Vec<_>) = KINDS.iter().partition(|kind| kind.waits);
        let kinds = streams.into_iter().chain(others);
        kinds.for_each(|kind| (kind.end_unreferenced)(self, deadline, &mut errors, &mut kept));
        kept.append(&mut self.states());
        self.after_dropping(kept, errors)
    }

    /// Keeps errors that a call could not return, because it returned another one, for [`collect`](Self::collect).
    pub(crate) fn keep_for_collect(&self, errors: Vec<Error>) {
        self.undelivered.keep(errors);
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
