//! Release of objects whose work does not complete.

use super::Ledger;
use crate::ends_before::EndsBefore;
use crate::error::Error;
use crate::ffi::{Entered, KeptAllocator, RawEvent, RawStream, Restore};
use crate::panics::Panics;
use ascendcl_macros::rule;
use core::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

impl Ledger {
    /// Keeps what callbacks of graphs in flight use, before their work is discarded or the device is reset by force.
    pub(crate) fn keep_callback_state(&self) {
        self.graphs.all().iter().for_each(|graph| graph.keep_callback_state(&self.streams));
    }

    /// Discards the work of each stream. Then destroys the streams for which a wait confirms that their work is over.
    /// The other streams stay as they are. A stream that the library refuses to destroy has lost its allocator.
    #[rule(STREAM_17)]
    pub(crate) fn abort_streams(&self, limit: Duration, panics: &mut Panics) {
        let mut kept = Vec::new();
        {
            let _restore = Restore::around(self.api, self.context());
            if self.gone.load(Ordering::Acquire) || self.context().make_current(self.api).is_err() {
                return;
            }
            let _entered = Entered::into(self.context(), self.api, self.id());
            for stream in self.streams.all() {
                // If the library cannot abort the stream, the recovery continues with its next step.
                let _ = self.abort(&stream, limit, &mut kept);
            }
        }
        panics.drop_each(kept);
    }

    fn abort(&self, stream: &Arc<RawStream>, limit: Duration, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        stream.abort(self.api)?;
        // The first wait returns an error because work was discarded. The second one shows whether the work is over.
        stream.synchronize(self.api, Some(limit)).or_else(|_| stream.synchronize(self.api, Some(limit)))?;
        // An attached object that has to end before streams may still use this stream.
        match self.has_ended_attachments_before(EndsBefore::Streams) {
            true => self.destroy_by_force(stream, kept),
            false => Ok(()),
        }
    }

    /// Destroys a stream whose work is over. Adds to `kept` what its registrations kept, also after a failure. Dropping
    /// `kept` runs code of the user.
    fn destroy_by_force(&self, stream: &Arc<RawStream>, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        kept.extend(stream.unregister(self.api)?);
        stream.destroy_by_force(self.api)?;
        // This ends the remaining descriptors.
        stream.destroy(self.api, kept)?;
        self.remove_stream(stream);
        Ok(())
    }

    /// Called before the device is reset by force. Refuses calls on the [events](Self::hold_events). A default context ends
    /// with its streams then, and the library gets no further memory from their allocators.
    pub(crate) fn prepare_forced_reset(&self) {
        self.hold_events();
        if !self.context().is_created() {
            self.streams.all().iter().for_each(|stream| stream.shut_allocators());
        }
    }

    /// Reverts [`prepare_forced_reset`](Self::prepare_forced_reset), because the library has refused the reset.
    pub(crate) fn cancel_forced_reset(&self) {
        self.streams.all().iter().for_each(|stream| stream.reopen_allocators());
        self.release_events();
    }

    /// Refuses calls on the events until the context is taken down, or [they are released](Self::release_events). The
    /// thread that watches futures queries events outside of any scope and context, but a forced reset of the device
    /// ends the events of a default context. And the rows of events that are lost may outlive the library.
    pub(crate) fn hold_events(&self) {
        let mut events = self.events.all();
        events.retain(|event| event.close());
        self.held_events().append(&mut events);
    }

    /// Allows calls on the held events again.
    pub(crate) fn release_events(&self) {
        self.held_events().drain(..).for_each(|event| event.reopen());
    }

    fn held_events(&self) -> MutexGuard<'_, Vec<Arc<RawEvent>>> {
        self.held.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Records that the device was reset by force, so no work runs on it any more. A default context has ended with all
    /// its objects; a created context still exists, and so do the captures in it. Returns whether objects were lost.
    pub(crate) fn record_forced_reset(&self) -> bool {
        self.streams.all().iter().for_each(|stream| stream.after_forced_reset());
        self.attachments.all().iter().for_each(|attached| attached.after_forced_reset());
        if self.context().is_created() {
            return false;
        }
        self.graphs.all().iter().for_each(|graph| graph.after_forced_reset());
        self.gone.store(true, Ordering::Release);
        !self.is_empty()
    }

    /// Ends the registrations of the streams that a forced reset has ended. The library keeps a registration under the
    /// handle of its stream, and a new stream may get this handle.
    #[rule(ALLOC_16)]
    pub(crate) fn end_lost_registrations(&self) {
        self.streams.all().iter().for_each(|stream| stream.forget_allocators(self.api));
    }

    /// Releases what a forced reset leaves. Returns whether everything was released.
    ///
    /// What is not released here is lost, so refused calls are made again, a few times. The first wait of a stream
    /// returns an error because work was discarded.
    pub(crate) fn tear_down_after_forced_reset(&self, limit: Duration, panics: &mut Panics) -> bool {
        const TRIES: usize = 3;
        let is_taken_down = (0..TRIES).any(|_| {
            self.destroy_streams_by_force(panics);
            self.tear_down_quietly(Some(limit), panics)
        });
        if !is_taken_down {
            // The library may use a registered allocator for a later stream with the same handle, so these rows are never
            // dropped.
            self.streams.all().into_iter().filter(|stream| stream.is_ours()).for_each(core::mem::forget);
        }
        is_taken_down
    }

    fn destroy_streams_by_force(&self, panics: &mut Panics) {
        let mut kept = Vec::new();
        {
            let _restore = Restore::around(self.api, self.context());
            if self.gone.load(Ordering::Acquire) || self.context().make_current(self.api).is_err() {
                return;
            }
            let _entered = Entered::into(self.context(), self.api, self.id());
            for stream in self.streams.all().iter().filter(|stream| stream.is_ours()) {
                // If this fails, the caller takes the stream down as usual, and then tries this again.
                let _ = self.destroy_by_force(stream, &mut kept);
            }
        }
        panics.drop_each(kept);
    }

    /// Whether the context has ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Acquire)
    }

    fn is_empty(&self) -> bool {
        let runs = usize::from(self.streams.get(self.runs.id()).is_some());
        let attached = self.attachments.all().iter().filter(|row| !row.is_ended()).count();
        let objects = self.streams.len().saturating_sub(runs) + self.events.len() + self.models.len();
        attached + objects + self.graphs.len() + self.blocks.len() + self.bindings.len() + self.operators.len() == 0
    }
}
