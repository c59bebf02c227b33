//! Ends streams and events.

use super::Ledger;
use crate::error::Error;
use crate::ffi::{KeptAllocator, RawEvent, RawStream};
use std::sync::Arc;
use std::time::Duration;

impl Ledger {
    /// Synchronises a stream, for at most `limit` if there is one, and destroys it. Removes its row when the library has
    /// agreed to that, and to the end of the descriptors of the stream's allocators. Adds to `kept` what the
    /// registrations kept. The caller drops `kept` after all bookkeeping is done, because that runs code of the user.
    pub(crate) fn destroy_stream(
        &self,
        stream: &Arc<RawStream>,
        limit: Option<Duration>,
        kept: &mut Vec<KeptAllocator>,
    ) -> Result<(), Error> {
        self.api.check_process()?;
        if stream.is_capturing() {
            self.end_left_captures();
        }
        // Nothing is destroyed of the default stream and of the row for the library's own runs. A wait for them would also
        // cover the work that other views of a default context queue meanwhile.
        if !stream.raw().is_null() || !stream.is_idle() {
            stream.synchronize(self.api, limit)?;
        }
        stream.destroy(self.api, kept)?;
        self.remove_stream(stream);
        Ok(())
    }

    /// Destroys an event. Waits for calls of other contexts on it for at most `limit`, if there is one.
    pub(crate) fn destroy_event(&self, event: &Arc<RawEvent>, limit: Option<Duration>) -> Result<(), Error> {
        self.api.check_process()?;
        event.destroy(self.api, limit)?;
        self.events.remove(event);
        Ok(())
    }
}
