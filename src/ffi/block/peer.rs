//! Memory of another device, for work of this one.

use super::RawBuffer;
use crate::device_allocator::ContextId;
use crate::error::Error;

impl RawBuffer {
    /// An error unless the block is of this context, holds so many bytes, and is not in doubt. The context need not be
    /// current.
    pub(in crate::ffi) fn is_held_in(&self, context: ContextId, bytes: usize) -> Result<(), Error> {
        let what = self.home.kind();
        self.owner.is_of(context, what)?;
        if self.last_use.is_in_doubt() {
            return Err(Error::InDoubt { what });
        }
        if bytes <= self.bytes {
            return Ok(());
        }
        Err(Error::TooShort { what, need: bytes, have: self.bytes })
    }
}
