//! Taking down what does not end by itself.

use super::{Ledger, drop_each};
use crate::error::Error;
use crate::ffi::{Entered, Kept, Queue, Restore};
use ascendcl_macros::rule;
use core::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

impl Ledger {
    /// Discards the work of each stream, and destroys those that a wait tells to be over then. Others stay as they are.
    #[rule(STREAM_17)]
    pub(crate) fn abort_streams(&self, limit: Duration) {
        let mut kept = Vec::new();
        {
            let _restore = Restore::around(self.api, self.context);
            if self.gone.load(Ordering::Acquire) || self.context.make_current(self.api).is_err() {
                return;
            }
            let _entered = Entered::into(self.context, self.api);
            for stream in self.streams.all() {
                // Where the library cannot, the next step of the recovery is taken.
                kept.extend(self.abort(&stream, limit).unwrap_or_default());
            }
        }
        drop_each(kept);
    }

    fn abort(&self, stream: &Arc<Queue>, limit: Duration) -> Result<Vec<Kept>, Error> {
        stream.abort(self.api)?;
        // The first wait tells that work was discarded.
        stream.synchronize(self.api, Some(limit)).or_else(|_| stream.synchronize(self.api, Some(limit)))?;
        self.destroy_by_force(stream)
    }

    /// Destroys a stream whose work is over. Gives back what its registrations kept.
    fn destroy_by_force(&self, stream: &Arc<Queue>) -> Result<Vec<Kept>, Error> {
        let mut kept = stream.unregister(self.api)?;
        // The second step ends the descriptors that are left.
        let destroyed = stream.destroy_by_force(self.api).and_then(|()| stream.destroy(self.api, &mut kept));
        if let Err(error) = destroyed {
            drop_each(kept);
            return Err(error);
        }
        self.streams.remove(stream);
        Ok(kept)
    }

    /// The device was reset by force: nothing runs on it any more. A default context has ended with everything in it; a
    /// context that was made has not. Answers whether anything was lost.
    pub(crate) fn loses_what_a_forced_reset_ends(&self) -> bool {
        self.streams.all().iter().for_each(|stream| stream.has_been_reset());
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
            let _entered = Entered::into(self.context, self.api);
            for stream in left.iter().filter(|stream| !stream.is_default()) {
                match self.destroy_by_force(stream) {
                    Ok(allocator) => kept.extend(allocator),
                    // The library may know its allocator under the handle of a later stream.
                    Err(_) => core::mem::forget(Arc::clone(stream)),
                }
            }
        }
        drop_each(kept);
        // The first wait tells that work was discarded.
        (0..2).any(|_| self.tear_down(Some(limit)).is_ok())
    }

    fn is_empty(&self) -> bool {
        let runs = usize::from(self.streams.get(self.runs.id()).is_some());
        let objects = self.streams.len().saturating_sub(runs) + self.events.len() + self.models.len();
        objects + self.blocks.len() + self.bindings.len() + self.invocations.len() == 0
    }
}
