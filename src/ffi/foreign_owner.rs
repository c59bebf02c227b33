//! Other owners in a context.

use super::allocator::KeptAllocator;
use super::shelf::Shelf;
use super::{Api, RawStream};
use crate::error::Error;
use core::fmt;

/// Another owner in a context that works with its streams and memory: a session of the graph engine.
pub(crate) trait ForeignOwner: fmt::Debug + Send + Sync {
    /// Releases it, when every stream is synchronised and before any other object of the context ends. May be called
    /// again after a failure. The allocators of registrations go to `kept`, because dropping them runs code of the
    /// user.
    fn take_down(&self, api: Api, streams: &Shelf<RawStream>, kept: &mut Vec<KeptAllocator>) -> Vec<Error>;

    /// How many sessions are left.
    fn left(&self) -> usize;
}
