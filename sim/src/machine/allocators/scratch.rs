//! Device memory that the library takes for work: its own, or blocks of the caller's allocator.

use crate::abi::Address;
use crate::failure::Answer;
use crate::machine::allocators::calls::Lent;
use crate::machine::contexts::context::Context;
use crate::machine::memory::{Hold, allocate_device, free_device, hold};
use crate::machine::thread::visits::Lender;
use std::sync::Arc;

/// Where memory for one execution comes from.
pub(crate) enum Supply {
    Own(Arc<Context>),
    Caller(Lender),
}

/// Memory for one execution, given back when this is dropped. Not to be dropped with a lock held.
pub(crate) struct Scratch {
    address: Address,
    source: Source,
}

enum Source {
    Own {
        _hold: Hold,
    },
    Caller(Lent),
    /// The caller's from now on.
    HandedOver,
}

impl Supply {
    /// At least `bytes` bytes; `near`: an address that they are best close to.
    pub(crate) fn take(&self, bytes: usize, near: Option<Address>) -> Answer<Scratch> {
        let bytes = bytes.max(1);
        match self {
            Self::Own(context) => {
                let address = allocate_device(context.device(), bytes)?;
                let scratch = Scratch { address, source: Source::Own { _hold: hold(address, bytes)? } };
                Ok(scratch)
            }
            Self::Caller(lender) => {
                let lent = lender.take(bytes, near)?;
                Ok(Scratch { address: lent.address(), source: Source::Caller(lent) })
            }
        }
    }
}

impl Scratch {
    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// Leaves the memory to whom `enter` tells of it: a block of the library's is to be freed by its address from now
    /// on, a block of the caller's allocator goes along and is given back when it is dropped. Answers what `enter`
    /// answers; `false` means that it did not take the memory.
    pub(crate) fn hand_over(mut self, enter: impl FnOnce(Option<Lent>) -> bool) -> bool {
        match std::mem::replace(&mut self.source, Source::HandedOver) {
            Source::Caller(lent) => enter(Some(lent)),
            own => {
                let entered = enter(None);
                if !entered {
                    self.source = own;
                }
                entered
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if matches!(self.source, Source::Own { .. }) {
            // The block may have been freed with its device.
            let _ = free_device(self.address);
        }
    }
}
