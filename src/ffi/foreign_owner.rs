//! What else lives in a context.

use super::allocator::KeptAllocator;
use super::shelf::Shelf;
use super::{Api, RawStream};
use crate::error::Error;
use core::fmt;

/// What else lives in a context and works with its streams and memory: a session of the graph engine.
pub(crate) trait ForeignOwner: fmt::Debug + Send + Sync {
    /// Takes it down, when every stream is synchronised and nothing of the context is gone yet. May be called again
    /// after a failure. What registrations kept goes to `kept`: code of the user runs when that is dropped.
    fn take_down(&self, api: Api, streams: &Shelf<RawStream>, kept: &mut Vec<KeptAllocator>) -> Vec<Error>;

    /// How many sessions are left.
    fn left(&self) -> usize;
}
