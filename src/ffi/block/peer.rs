//! Memory of another device that work of this device uses.

use super::RawBuffer;
use crate::device_allocator::ContextId;
use crate::error::Error;

impl RawBuffer {
    /// An error unless the block belongs to this context, has at least `bytes` bytes, and is not in doubt. The context
    /// need not be current.
    pub(in crate::ffi) fn check_in_context(&self, context: ContextId, bytes: usize) -> Result<(), Error> {
        let what = self.home.kind();
        self.owner.check_context(context, what)?;
        if self.last_use.is_in_doubt() {
            return Err(Error::InDoubt { what });
        }
        if bytes <= self.bytes {
            return Ok(());
        }
        Err(Error::TooShort { what, need: bytes, have: self.bytes })
    }
}
