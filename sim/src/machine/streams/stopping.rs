//! Contexts whose streams stop at the first failure (STREAM-15). The mode is the context's: each of its streams has it,
//! also those that are created later.

use super::stream::Stream;
use super::table;
use crate::failure::Answer;
use crate::locks::lock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// Whether any context of this process ever had the mode. Until then nobody looks for the streams of a context.
static ANY: AtomicBool = AtomicBool::new(false);

/// From now on a failure on any stream of this one's context stops all of them.
pub(crate) fn begin(stream: &Stream) -> Answer {
    ANY.store(true, SeqCst);
    table::of_context(stream.context()).iter().try_for_each(|stream| stream.settings.stop_at_failure(true))
}

/// Gives a new stream the mode of its context, and stops it if the others have stopped. It is in the table, so one of
/// this and of [`begin`] sees the other.
pub(super) fn join(stream: &Stream) {
    if !ANY.load(SeqCst) {
        return;
    }
    let others = table::of_context(stream.context());
    let mut stops = others.iter().filter(|other| other.settings.stops_at_failure()).peekable();
    if stops.peek().is_some() {
        // A mode is refused only when it is taken back.
        let _ = stream.settings.stop_at_failure(true);
    }
    if let Some(failure) = stops.find_map(|other| lock(&other.queue).stopped.clone()) {
        stream.stop(&failure);
    }
}
