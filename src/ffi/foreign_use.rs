//! Work of other code that uses objects of other code, and the stamps that show when that work is over.

use super::shelf::Shelf;
use super::work::queue_work;
use super::{Here, LastUse, Owner, RawBuffer, RawStream};
use crate::device_allocator::ContextId;
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_FAILURE, ACL_SUCCESS};
use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// The last use of an object of other code by queued work in this context.
#[derive(Debug)]
pub(crate) struct ForeignUse {
    last_use: LastUse,
    owner: Owner,
}

impl ForeignUse {
    pub(crate) fn of(context: ContextId) -> Self {
        let owner = Owner::of(context);
        Self { last_use: LastUse::of(owner.number()), owner }
    }

    /// Marks the object idle: all work that used it is known to be done.
    pub(crate) fn rest(&self) {
        self.last_use.rest();
    }

    /// Records that the work queued on this stream so far comes after all work that used the object.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.lead(&self.last_use);
    }

    /// Whether all work that used the object is done. `streams` are those of the object's own context. Work that a
    /// failed call may have queued is over when a later wait has covered it.
    pub(crate) fn is_over(&self, streams: &Shelf<RawStream>) -> bool {
        streams.has_done(&self.last_use)
    }

    /// Whether the object is in doubt: a failed call may have queued work with it, and no wait could cover that work.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.last_use.is_in_doubt()
    }

    /// Whether the object belongs to the context that this thread has entered.
    pub(crate) fn is_here(&self, here: Here<'_>) -> bool {
        self.owner.is_here(here, ObjectKind::ATTACHED).is_ok()
    }
}

impl RawStream {
    /// Queues work by a call of other code, which gets the stream's handle and returns a result. The objects and the
    /// memory that the work uses are marked as in use until a synchronise covers the work.
    ///
    /// After an error the stream is synchronised, because the call may have queued work. If the code unwinds, it may
    /// have done so too. So a panic is treated as an error, and resumed afterwards.
    #[rule(MEM_02)]
    pub(crate) fn submit_foreign(
        &self,
        here: Here<'_>,
        call: &'static str,
        uses: &[&ForeignUse],
        memory: &[Arc<RawBuffer>],
        queue: impl FnOnce(*mut c_void) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        uses.iter().try_for_each(|used| used.owner.is_here(here, ObjectKind::ATTACHED))?;
        memory.iter().try_for_each(|block| block.holds(here, block.bytes()))?;
        let marks = uses.iter().map(|used| &used.last_use).chain(memory.iter().map(|block| block.last_use()));
        let marks: Vec<&LastUse> = marks.collect();
        // The call runs code of the program, so the number is not known before it (`Unknown`).
        let (ready, ticket) = self.look_before_work(here)?;
        let mut failed = None;
        let queued = queue_work!(self, here, ready, ticket, "queue work", marks.as_slice(), |ready, stream| {
            match catch_unwind(AssertUnwindSafe(|| queue(stream.0))) {
                Ok(Ok(())) => ready.answered(call, ACL_SUCCESS),
                other => {
                    failed = Some(other);
                    ready.answered(call, ACL_ERROR_FAILURE)
                }
            }
        });
        match failed {
            Some(Err(panic)) => resume_unwind(panic),
            Some(Ok(Err(error))) => Err(error),
            _ => queued.map_err(Error::from),
        }
    }
}
