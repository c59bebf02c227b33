//! Memory of the program that is registered in a context.

use super::Ledger;
use crate::error::Error;
use crate::ffi::{RawBuffer, RawPages};
use std::sync::Arc;

impl Ledger {
    /// Registers whole pages, of which the program uses the first `bytes` bytes.
    pub(crate) fn register(&self, pages: RawPages, bytes: usize) -> Result<Arc<RawBuffer>, (Error, RawPages)> {
        RawBuffer::register(self.api, pages, bytes).map(|block| self.keep(block))
    }

    /// Ends the registration of a block of this context. Returns the pages.
    pub(crate) fn unregister(&self, block: &Arc<RawBuffer>) -> Result<RawPages, Error> {
        self.api.check_process()?;
        block.check_current()?;
        if !self.blocks.has(block) {
            return Err(Error::Gone { what: block.home().kind() });
        }
        self.no_graph_has(block)?;
        let pages = RawBuffer::unregister(block, self.api, &self.streams)?;
        self.blocks.remove(block);
        Ok(pages)
    }
}
