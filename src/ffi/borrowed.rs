//! Copies from and to borrowed memory, in a scope that waits for them.

use super::bytes::{bytes_of, bytes_of_mut};
use super::home::Side;
use super::stream::aligned;
use super::work::queue_alone;
use super::{Api, BlockPosition, Here, Owner, RawContext, RawStream};
use crate::element::Pod;
use crate::error::{Error, ObjectKind};
use crate::panics::{Panic, catch};
use core::cell::RefCell;
use core::marker::PhantomData;
use std::io::Write;
use std::sync::Arc;

/// The streams that use borrowed memory. The owner of this value waits for all of them before `'env` ends.
pub(crate) struct Borrowed<'env> {
    /// The context that waits.
    waits: Owner,
    streams: RefCell<Vec<Uses>>,
    /// Invariant: with a shorter lifetime, memory that ends before the wait would be accepted.
    _memory: PhantomData<fn(&'env ()) -> &'env ()>,
}

/// A stream, and the first of its submissions that may use borrowed memory.
struct Uses {
    stream: Arc<RawStream>,
    since: u64,
}

/// Runs `program`, which may queue copies that use memory borrowed for `'env`, and waits in `context` for these copies,
/// also if `program` panics. Returns the failures of the work, one for each stream, and a change of the
/// current context that the waits found.
///
/// The caller chooses `'env`, so it ends after this call. If the wait itself fails, the process is aborted: the caller
/// can use the memory again as soon as this returns or unwinds, and a copy may still be using it.
pub(crate) fn copy_scope<'env, R>(
    api: Api,
    (waits, context): (Owner, RawContext),
    program: impl FnOnce(&Borrowed<'env>) -> R,
) -> (Result<R, Panic>, Vec<Error>) {
    let borrowed = Borrowed { waits, streams: RefCell::default(), _memory: PhantomData };
    let result = catch(|| program(&borrowed));
    let failures = match api.check_process() {
        Ok(()) => borrowed.wait(api, context),
        // The copies use the memory of the parent process. The child has its own copy of what was lent.
        Err(forked) => vec![forked],
    };
    (result, failures)
}

#[cold]
fn give_up(error: &Error) -> ! {
    // Stderr may be closed, so a failure to write is ignored.
    let _ = writeln!(
        std::io::stderr(),
        "ascendcl: aborting the process: memory that was lent to a copy may still be in use, and cannot be waited for: \
         {error}"
    );
    std::process::abort()
}

impl<'env> Borrowed<'env> {
    /// Queues a copy of all of `from` to a block of device memory.
    pub(crate) fn copy_in<E: Pod>(
        &self,
        here: Here<'_>,
        stream: &Arc<RawStream>,
        to: BlockPosition<'_>,
        from: &'env [E],
    ) -> Result<u64, Error> {
        let (from, api) = (bytes_of(from), here.api());
        self.check_can_wait_for(stream)?;
        to.block.check_range(here, to.start, from.len())?;
        let (room, kind) = (to.block.bytes() - to.start, api.direction(Side::Device, Side::Host));
        aligned(kind, from.len(), [to.block.at(to.start), from.as_ptr().cast()])?;
        stream.wait_for_uses(api, &[to.block.last_use()])?;
        self.uses(stream);
        let (from, bytes) = (from.as_ptr().cast(), from.len());
        // SAFETY: the function asks for a live stream, and for memory that stays until the copy is done (MEM-02). The
        // caller has the stream's handle. `check_range` has compared the block's length, and the block is freed only
        // when a synchronise has covered this submission (the stamps). The slice is borrowed until `'env` ends, and
        // `copy_scope` waits for this stream before that.
        let queued = unsafe {
            queue_alone!(&**stream, here, "queue a copy", [to.block.last_use()], |stream| {
                aclrtMemcpyAsync(to.block.at(to.start), room, from, bytes, kind, stream)
            })
        };
        queued.map_err(Error::from)
    }

    /// Queues a copy from a block of device memory that fills all of `to`.
    pub(crate) fn copy_out<E: Pod>(
        &self,
        here: Here<'_>,
        stream: &Arc<RawStream>,
        to: &'env mut [E],
        from: BlockPosition<'_>,
    ) -> Result<u64, Error> {
        let (to, api) = (bytes_of_mut(to), here.api());
        self.check_can_wait_for(stream)?;
        from.block.check_range(here, from.start, to.len())?;
        let kind = api.direction(Side::Host, Side::Device);
        aligned(kind, to.len(), [to.as_ptr().cast(), from.block.at(from.start)])?;
        stream.wait_for_uses(api, &[from.block.last_use()])?;
        self.uses(stream);
        let (to, bytes) = (to.as_mut_ptr().cast(), to.len());
        // SAFETY: the function asks for a live stream, and for memory that stays until the copy is done (MEM-02). The
        // caller has the stream's handle. `check_range` has compared the block's length, and the block is freed only
        // when a synchronise has covered this submission (the stamps). The slice is borrowed exclusively until `'env`
        // ends, and `copy_scope` waits for this stream before that.
        let queued = unsafe {
            queue_alone!(&**stream, here, "queue a copy", [from.block.last_use()], |stream| {
                aclrtMemcpyAsync(to, bytes, from.block.at(from.start), bytes, kind, stream)
            })
        };
        queued.map_err(Error::from)
    }

    /// Waits until nothing uses borrowed memory any more, and returns the failures of the work, also those that another
    /// wait was given. A synchronise that reports failed work consumes the report, so each stream is synchronised a
    /// second time before its wait counts as failed.
    fn wait(&self, api: Api, context: RawContext) -> Vec<Error> {
        let mut failures = Vec::new();
        for Uses { stream, since } in self.streams.borrow().iter() {
            // A stream that is being captured runs none of this work, because its capture waited for it.
            let wait = || match stream.synchronize(api, None) {
                Err(Error::Capturing) => Ok(()),
                waited => waited,
            };
            let mut waited = wait();
            // Foreign code changed the current context, so the library was not asked, and has told nothing yet. If this
            // call is refused, the next waits fail, too.
            if let Err(changed @ Error::CurrentChanged { .. }) = waited {
                let _ = context.make_current(api);
                failures.push(changed);
                waited = wait();
            }
            let failure = waited.err();
            if failure.is_some()
                && let Err(again) = wait()
            {
                give_up(&again);
            }
            failures.extend(failure.or_else(|| stream.failure_among(*since, stream.last_submitted())));
        }
        failures
    }

    /// Check this before the stream is recorded: a stream of another context could not be synchronised at the end. The
    /// program may have entered another context of the same brand inside the scope, with streams of its own.
    pub(super) fn check_can_wait_for(&self, stream: &RawStream) -> Result<(), Error> {
        stream.check_current()?;
        self.waits.check_current(ObjectKind::COPY_COUNTERPART)
    }

    /// How many streams use borrowed memory.
    pub(crate) fn streams(&self) -> usize {
        self.streams.borrow().len()
    }

    /// Records that the stream uses borrowed memory. This comes before the call, so the stream is waited for even if
    /// the call unwinds or fails halfway.
    pub(super) fn uses(&self, stream: &Arc<RawStream>) {
        stream.mark_borrowing();
        let mut streams = self.streams.borrow_mut();
        if !streams.iter().any(|known| Arc::ptr_eq(&known.stream, stream)) {
            streams.push(Uses { stream: Arc::clone(stream), since: stream.last_submitted() + 1 });
        }
    }
}
