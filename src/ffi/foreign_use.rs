//! Work of other code that uses objects of other code, and the stamps that show when that work is over.

use super::shelf::Shelf;
use super::stamp::Awaited;
use super::work::queue_work;
use super::{Here, LastUse, Owner, RawBuffer, RawStream};
use crate::device_allocator::ContextId;
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_FAILURE, ACL_SUCCESS};
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

/// When queued work last used an object of other code in this context.
///
/// Several values can name the same object, so several threads can queue work that uses it at once, and a wait for one
/// piece of work does not cover the others. So each piece of work has its own stamp, with one writer, and this keeps
/// the stamps of work that may not be over.
pub(crate) struct ForeignUse {
    /// While this is locked, neither the library nor code of the program runs.
    works: Mutex<Vec<Arc<LastUse>>>,
    in_doubt: AtomicBool,
    owner: Owner,
}

impl ForeignUse {
    pub(crate) fn of(context: ContextId) -> Self {
        Self { works: Mutex::default(), in_doubt: AtomicBool::new(false), owner: Owner::of(context) }
    }

    /// Records that the work of stream `from`, up to submission `last`, comes before everything that is queued on
    /// `queue` from now on.
    pub(crate) fn follow(&self, (from, last): (u64, u64), queue: &RawStream) {
        let mut works = self.works();
        let before = works.len();
        works.retain(|work| work.is_in_doubt() || !is_among(work, from, last));
        if works.len() < before {
            let after = LastUse::of(0);
            queue.stamp_latest(&after);
            works.push(Arc::new(after));
        }
    }

    /// Whether all work that used the object is done. `streams` are those of the object's own context. Work that a
    /// failed call may have queued counts as done when a later wait has covered it.
    pub(crate) fn is_over(&self, streams: &Shelf<RawStream>) -> bool {
        let mut works = self.works();
        works.retain(|work| !streams.has_done(work));
        works.is_empty()
    }

    /// Whether the object is in doubt: a failed call may have queued work with it, and no wait could cover that work.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.in_doubt.load(Ordering::Acquire)
    }

    /// Like [`is_here`](Self::is_here), for callers without a [`Here`].
    pub(crate) fn is_entered(&self) -> bool {
        self.owner.check_current(ObjectKind::ATTACHED).is_ok()
    }

    /// Whether the object belongs to the context that this thread has entered.
    pub(crate) fn is_here(&self, here: Here<'_>) -> bool {
        self.owner.check_here(here, ObjectKind::ATTACHED).is_ok()
    }

    /// Adds work that is about to be queued. Its stamp is set already.
    fn add_work(&self, work: &Arc<LastUse>) {
        self.works().push(Arc::clone(work));
    }

    /// Called when the work has its number (`taken`), or its call has failed. Removes earlier work of the stream: what
    /// is done, and what comes before the new work, because a wait for the new work covers it.
    fn settle_work(&self, queue: &RawStream, taken: Option<u64>, in_doubt: bool) {
        let over = taken.map_or(0, |number| number - 1).max(queue.timeline().clock().done());
        self.works().retain(|work| !is_among(work, queue.id(), over));
        if in_doubt {
            self.in_doubt.store(true, Ordering::Release);
        }
    }

    fn works(&self) -> MutexGuard<'_, Vec<Arc<LastUse>>> {
        self.works.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Whether the work is among the submissions of the stream with this id, up to the last one.
fn is_among(work: &LastUse, stream: u64, last: u64) -> bool {
    matches!(work.awaited(), Some(Awaited::Submission { stream: at, number }) if at == stream && number <= last)
}

impl RawBuffer {
    /// As [`follow`](Self::follow), if the stamp shows that the last work with the block is that of stream `from`, up to
    /// submission `last`. Several objects of other code can name one block, so other work may come after that.
    pub(crate) fn follow_work(&self, (from, last): (u64, u64), queue: &RawStream) {
        if !self.is_in_doubt() && is_among(self.last_use(), from, last) {
            self.follow(queue);
        }
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
        streams: &Shelf<RawStream>,
        call: &'static str,
        uses: &[&ForeignUse],
        memory: &[Arc<RawBuffer>],
        queue: impl FnOnce(*mut c_void) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        uses.iter().try_for_each(|used| used.owner.check_here(here, ObjectKind::ATTACHED))?;
        memory.iter().try_for_each(|block| block.check_bytes(here, block.bytes()))?;
        // The call runs code of the program, so the number is not known before it (`Unknown`).
        let (ready, ticket) = self.check_before_work(here)?;
        let handle = self.handed_out();
        // Forget work that is done. Otherwise a stamp would stand for two streams, and await all of them. A part has no
        // stamp of its own yet, and the memory of others has one user.
        let over = |block: &&Arc<RawBuffer>| !block.is_part() && streams.has_done(block.last_use());
        memory.iter().filter(over).for_each(|block| block.mark_idle());
        // Other work may use the memory of a part at the same time. So this work gets a stamp of its own, which leaves
        // its stamp when it is dropped.
        let (work, parts) = (Arc::new(LastUse::of(0)), memory.iter().filter(|block| block.is_part()));
        let parts: Vec<RawBuffer> = parts.map(|block| block.clone_part()).collect();
        let alone = memory.iter().filter(|block| !block.is_part()).map(|block| block.last_use());
        let marks = alone.chain(parts.iter().map(RawBuffer::last_use)).chain([&*work]);
        let marks: Vec<&LastUse> = marks.collect();
        let mut failed = None;
        let queued = queue_work!(self, ready, ticket, "queue work", marks.as_slice(), |ready, _stream| {
            uses.iter().for_each(|used| used.add_work(&work));
            match catch_unwind(AssertUnwindSafe(|| queue(handle.0))) {
                Ok(Ok(())) => ready.answered(call, ACL_SUCCESS),
                other => {
                    failed = Some(other);
                    ready.answered(call, ACL_ERROR_FAILURE)
                }
            }
        });
        let in_doubt = work.is_in_doubt();
        uses.iter().for_each(|used| used.settle_work(self, queued.as_ref().ok().copied(), in_doubt));
        if in_doubt {
            memory.iter().for_each(|block| block.last_use().mark_in_doubt());
        }
        match failed {
            Some(Err(panic)) => resume_unwind(panic),
            Some(Ok(Err(error))) => Err(error),
            _ => queued.map_err(Error::from),
        }
    }
}
