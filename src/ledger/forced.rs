//! Release of objects whose work does not end.

use super::{Ledger, drop_each};
use crate::ends_before::EndsBefore;
use crate::error::Error;
use crate::ffi::{Entered, KeptAllocator, RawEvent, RawStream, Restore};
use ascendcl_macros::rule;
use core::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

impl Ledger {
    /// Discards the work of each stream, and destroys those that a wait tells to be over then. Those that are not over
    /// stay as they are; one that the library refuses to destroy has no allocator any more.
    #[rule(STREAM_17)]
    pub(crate) fn abort_streams(&self, limit: Duration) {
        let mut kept = Vec::new();
        {
            let _restore = Restore::around(self.api, self.context);
            if self.gone.load(Ordering::Acquire) || self.context.make_current(self.api).is_err() {
                return;
            }
            let _entered = Entered::into(self.context, self.api, self.id);
            for stream in self.streams.all() {
                // Where the library cannot, the next step of the recovery is taken.
                let _ = self.abort(&stream, limit, &mut kept);
            }
        }
        drop_each(kept);
    }

    fn abort(&self, stream: &Arc<RawStream>, limit: Duration, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        stream.abort(self.api)?;
        // The first wait tells that work was discarded.
        stream.synchronize(self.api, Some(limit)).or_else(|_| stream.synchronize(self.api, Some(limit)))?;
        // An attached object that ends before streams may use this one until then.
        match self.has_ended_attachments_before(EndsBefore::Streams) {
            true => self.destroy_by_force(stream, kept),
            false => Ok(()),
        }
    }

    /// Destroys a stream whose work is over. What its registrations kept goes to `kept`, also after a failure: code of
    /// the user runs when that is dropped.
    fn destroy_by_force(&self, stream: &Arc<RawStream>, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        kept.extend(stream.unregister(self.api)?);
        stream.destroy_by_force(self.api)?;
        // Ends the descriptors that are left.
        stream.destroy(self.api, kept)?;
        self.streams.remove(stream);
        Ok(())
    }

    /// Refuses calls on the events that a forced reset of the device ends: those of a default context. The thread that
    /// watches futures asks for events in no scope and in no context. Answers which are refused.
    pub(crate) fn hold_what_a_forced_reset_ends(&self) -> Vec<Arc<RawEvent>> {
        if self.context.is_made() {
            return Vec::new();
        }
        let mut events = self.events.all();
        events.retain(|event| event.hold());
        events
    }

    /// The device was reset by force: nothing runs on it any more. A default context has ended with everything in it; a
    /// context that was made has not. Answers whether anything was lost.
    pub(crate) fn loses_what_a_forced_reset_ends(&self) -> bool {
        self.streams.all().iter().for_each(|stream| stream.has_been_reset());
        self.graphs.all().iter().for_each(|graph| graph.has_been_reset());
        self.attachments.all().iter().for_each(|attached| attached.has_been_reset());
        if self.context.is_made() {
            return false;
        }
        self.gone.store(true, Ordering::Release);
        !self.is_empty()
    }

    /// Gives back what outlives a forced reset. Answers whether that was all.
    pub(crate) fn is_taken_down_after_a_forced_reset(&self, limit: Duration) -> bool {
        if self.gone.load(Ordering::Acquire) {
            return true;
        }
        let (left, mut kept) = (self.streams.all(), Vec::new());
        {
            let _restore = Restore::around(self.api, self.context);
            if self.context.make_current(self.api).is_err() {
                return false;
            }
            let _entered = Entered::into(self.context, self.api, self.id);
            for stream in left.iter().filter(|stream| stream.is_ours()) {
                if self.destroy_by_force(stream, &mut kept).is_err() {
                    // The library may know its allocator under the handle of a later stream.
                    core::mem::forget(Arc::clone(stream));
                }
            }
        }
        drop_each(kept);
        // The first wait tells that work was discarded.
        (0..2).any(|_| self.tear_down(Some(limit)).is_ok())
    }

    fn is_empty(&self) -> bool {
        let runs = usize::from(self.streams.get(self.runs.id()).is_some());
        let attached = self.attachments.all().iter().filter(|row| !row.is_ended()).count();
        let objects = self.streams.len().saturating_sub(runs) + self.events.len() + self.models.len();
        attached + objects + self.graphs.len() + self.blocks.len() + self.bindings.len() + self.invocations.len() == 0
    }
}
