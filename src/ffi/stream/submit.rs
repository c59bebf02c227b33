//! How work is queued on a stream, and how work that the library waits for is run.

use super::{RawStream, SETTLING};
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::call::{Current, FailedCall, Function, NoSuccess, Ready, functions};
use crate::ffi::stamp::{Next, Obstacles, Ticket, Unknown};
use crate::ffi::timeline::not_taken;
use crate::ffi::work::{begin_at_once, queue_alone, queue_work};
use crate::ffi::{Api, Here, LastUse, RawBuffer};
use ascendcl_macros::rule;
use ascendcl_sys::MissingSymbol;
use ascendcl_sys::types::aclrtMemcpyKind;
use core::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// A place in a block: the bytes from `start` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockPosition<'a> {
    pub(crate) block: &'a RawBuffer,
    pub(crate) start: usize,
}

impl BlockPosition<'_> {
    fn address(self) -> *mut c_void {
        self.block.at(self.start)
    }

    /// How many bytes there are from here on.
    fn room(self) -> usize {
        self.block.bytes() - self.start
    }
}

/// The direction of a copy, as far as the types of its buffers say it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CopyDirection {
    ToDevice,
    ToHost,
    OnDevice,
}

/// A copy that failed.
pub(crate) type NotCopied = FailedCall<functions::aclrtMemcpyAsync>;

/// A set that failed.
pub(crate) type NotSet = FailedCall<functions::aclrtMemsetAsync>;

/// A pointer to the stream, for the work in flight, and the number of the submission if the library has taken it. The
/// pointer is cloned before the call, so that during the call only the stream's address is kept, and not also the
/// address of the pointer to clone.
pub(crate) type Begun<E> = (Arc<RawStream>, Result<u64, E>);

const QUEUE_A_COPY: &str = "queue a copy";
const QUEUE_A_SET: &str = "queue a set";
const QUEUE_WORK: &str = "queue work";

/// The alignment, in bytes, at which copies on the device may begin.
const DEVICE_ALIGNMENT: usize = 64;

impl RawStream {
    /// Queues a copy. Both blocks are marked as in use until a synchronise covers the copy.
    pub(crate) fn copy(
        &self,
        here: Here<'_>,
        to: BlockPosition<'_>,
        from: BlockPosition<'_>,
        bytes: usize,
    ) -> Result<u64, Boxed> {
        to.block.check_range(here, to.start, bytes)?;
        from.block.check_range(here, from.start, bytes)?;
        let kind = self.kind_of_copy(here.api(), to, from, bytes)?;
        // SAFETY: the function asks for a live stream, and for memory that stays until the copy is done (MEM-02). The
        // caller has the stream's handle, so the stream lives. Each block holds `bytes` bytes from its place on, and is
        // freed only when a synchronise has covered this submission (the stamps).
        unsafe {
            queue_alone!(self, here, QUEUE_A_COPY, [to.block.last_use(), from.block.last_use()], |stream| {
                aclrtMemcpyAsync(to.address(), to.room(), from.address(), bytes, kind, stream)
            })
        }
    }

    /// Like [`copy`](Self::copy), of a whole block to a whole block, whose types say the direction. `None` when further checks
    /// are needed; then nothing has happened.
    #[inline(always)]
    pub(crate) fn copy_at_once(
        self: &Arc<Self>,
        here: Here<'_>,
        (to, from): (&RawBuffer, &RawBuffer),
        direction: CopyDirection,
    ) -> Option<Begun<NotCopied>> {
        // There is no pinned memory if the program runs on the device (`Home::Unified`).
        let (kind, obstacles) = match direction {
            CopyDirection::ToDevice => (
                aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE,
                to.unless_device_memory_at_hand(here).and(from.unless_pinned_memory_at_hand(here)),
            ),
            CopyDirection::ToHost => (
                aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST,
                to.unless_pinned_memory_at_hand(here).and(from.unless_device_memory_at_hand(here)),
            ),
            CopyDirection::OnDevice => return None,
        };
        let bytes = from.bytes();
        let obstacles = obstacles.and(Obstacles::unless_equal(to.bytes() as u64, bytes as u64));
        // SAFETY: the function asks for a live stream, and for memory that stays until the copy is done (MEM-02). The
        // caller has the stream's handle, so the stream lives. The blocks have one length, and are freed only when a
        // synchronise has covered this submission (the stamps).
        unsafe {
            begin_at_once!(
                self,
                here,
                obstacles,
                [to.last_use(), from.last_use()],
                [to.last_use()],
                |stream| aclrtMemcpyAsync(to.start(), to.bytes(), from.start(), bytes, kind, stream),
                Arc::clone(self),
            )
        }
    }

    /// The direction of a copy, after the checks and the wait that a copy in this direction needs.
    fn kind_of_copy(
        &self,
        api: Api,
        to: BlockPosition<'_>,
        from: BlockPosition<'_>,
        bytes: usize,
    ) -> Result<aclrtMemcpyKind, Boxed> {
        let kind = api.direction(to.block.home().side(), from.block.home().side());
        aligned(kind, bytes, [to.block.at(to.start), from.block.at(from.start)])?;
        if to.block.is_pageable() || from.block.is_pageable() {
            self.wait_for_uses(api, &[to.block.last_use(), from.block.last_use()])?;
        }
        Ok(kind)
    }

    /// Waits for queued work of this stream that uses the same memory, if there is any. Called before a copy of
    /// pageable host memory: with newer drivers such a copy takes place inside the call and does not wait for the
    /// stream.
    ///
    /// # Errors
    ///
    /// The error of the wait. Nothing is queued then.
    #[rule(COPY_05, STREAM_04)]
    pub(in crate::ffi) fn wait_for_uses(&self, api: Api, uses: &[&LastUse]) -> Result<(), Error> {
        let is_over = |used: &&LastUse| used.is_over(|at, number| at == self.id() && self.has_done(number), || false);
        if uses.iter().all(is_over) { Ok(()) } else { self.synchronize(api, None) }
    }

    /// Queues a set of every byte, after all checks. The block is marked as in use until a synchronise covers it.
    #[cold]
    #[inline(never)]
    pub(crate) fn set(&self, here: Here<'_>, block: &RawBuffer, value: u8) -> Result<u64, Boxed> {
        block.check_bytes(here, block.bytes())?;
        // SAFETY: the function asks for a live stream, and for memory that stays until the set is done (MEM-02). The
        // caller has the stream's handle, so the stream lives. The bytes are the whole block, which is freed only when
        // a synchronise has covered this submission (the stamps).
        unsafe {
            queue_alone!(self, here, QUEUE_A_SET, [block.last_use()], |stream| {
                aclrtMemsetAsync(block.start(), block.bytes(), i32::from(value), block.bytes(), stream)
            })
        }
    }

    /// Like [`set`](Self::set). `None` when further checks are needed; then nothing has happened.
    #[inline(always)]
    pub(crate) fn set_at_once(self: &Arc<Self>, here: Here<'_>, block: &RawBuffer, value: u8) -> Option<Begun<NotSet>> {
        // SAFETY: the function asks for a live stream, and for memory that stays until the set is done (MEM-02). The
        // caller has the stream's handle, so the stream lives. The bytes are the whole block, which is freed only when
        // a synchronise has covered this submission (the stamps).
        unsafe {
            begin_at_once!(
                self,
                here,
                block.unless_device_memory_at_hand(here),
                [block.last_use()],
                [block.last_use()],
                |stream| aclrtMemsetAsync(block.start(), block.bytes(), i32::from(value), block.bytes(), stream),
                Arc::clone(self),
            )
        }
    }

    /// The next number, if work that uses this memory can be queued here without further checks of stream and memory, by
    /// a call that runs no code that could queue work. `obstacles` are the caller's own. Always `None` for a stream that
    /// several threads may use at once.
    #[inline(always)]
    pub(in crate::ffi) fn ready_for_work<const N: usize>(
        &self,
        here: Here<'_>,
        obstacles: Obstacles,
        uses: [&LastUse; N],
    ) -> Option<Next> {
        // The caller has the stream's handle, and destroying the stream takes the handle by value. So the stream is not
        // destroyed during the call.
        self.timeline.next_for(obstacles.and(here.unless_admitted(self.admission())), uses)
    }

    /// Makes the checks before work is queued. They come before the stamps, so a refusal leaves the stamps unchanged.
    #[rule(MEM_02)]
    pub(in crate::ffi) fn check_before_work(&self, here: Here<'_>) -> Result<(Ready<Current>, Unknown), Boxed> {
        if !self.gate.is_open() {
            return Err(self.why_refused().into());
        }
        if self.allocators.in_doubt() {
            return Err(Error::AllocatorInDoubt.into());
        }
        self.owner.check_here(here, ObjectKind::STREAM)?;
        here.ready().map(|ready| (ready, Unknown))
    }

    /// Queues work by a call of other code, which gets the stream's handle and returns the vendor's code. If that code
    /// unwinds, it may have queued work before. So a panic is treated as a failed call, and resumed afterwards. The same
    /// goes for a function that the library lacks: the code may have called others before.
    pub(crate) fn submit_raw<const N: usize>(
        &self,
        here: Here<'_>,
        call: &'static str,
        blocks: [&RawBuffer; N],
        queue: impl FnOnce(*mut c_void) -> Result<i32, MissingSymbol>,
    ) -> Result<u64, Error> {
        self.submit_stamped(here, call, &blocks, &blocks.map(RawBuffer::last_use), queue)
    }

    /// Like [`submit_raw`](Self::submit_raw), for any number of blocks.
    pub(crate) fn submit_raw_list(
        &self,
        here: Here<'_>,
        call: &'static str,
        blocks: &[&RawBuffer],
        queue: impl FnOnce(*mut c_void) -> Result<i32, MissingSymbol>,
    ) -> Result<u64, Error> {
        let uses: Vec<_> = blocks.iter().map(|block| block.last_use()).collect();
        self.submit_stamped(here, call, blocks, &uses, queue)
    }

    /// `uses` are the stamps of the blocks. The call may itself queue work, also on this stream.
    fn submit_stamped(
        &self,
        here: Here<'_>,
        call: &'static str,
        blocks: &[&RawBuffer],
        uses: &[&LastUse],
        queue: impl FnOnce(*mut c_void) -> Result<i32, MissingSymbol>,
    ) -> Result<u64, Error> {
        /// A code that the library never returns.
        const NO_CODE: i32 = -1;
        blocks.iter().try_for_each(|block| block.check_bytes(here, block.bytes()))?;
        if blocks.iter().any(|block| block.is_pageable()) {
            self.wait_for_uses(here.api(), uses)?;
        }
        let (ready, ticket) = self.check_before_work(here)?;
        let mut no_code = None;
        let handle = self.handed_out();
        let queued = queue_work!(self, ready, ticket, QUEUE_WORK, uses, |ready, _stream| {
            match catch_unwind(AssertUnwindSafe(|| queue(handle.0))) {
                Ok(Ok(code)) => ready.answered(call, code),
                other => {
                    no_code = Some(other);
                    ready.answered(call, NO_CODE)
                }
            }
        });
        match no_code {
            Some(Err(panic)) => resume_unwind(panic),
            Some(Ok(missing)) => self.api.result_of(call, missing, QUEUE_WORK).and(queued.map_err(Error::from)),
            None => queued.map_err(Error::from),
        }
    }

    /// Called after a failed call of a function that returns when its work is done. The caller has the only handle of what
    /// the work uses, and is in its context. So nothing that the work uses ends during the call, and a call that succeeds
    /// needs no stamps. All earlier uses are known to be done.
    ///
    /// After a failure the work may still run: `settle` waits for everything in the context and returns whether the
    /// work is over. If it is not, the memory that the call was to use is in doubt until a later wait for the context
    /// has succeeded. The stamps are set before the error is made, because that may run code of the program.
    #[cold]
    #[inline(never)]
    pub(in crate::ffi) fn after_failed_run<const N: usize>(
        &self,
        api: Api,
        doing: &'static str,
        uses: [&LastUse; N],
        answer: NoSuccess,
        settle: impl FnOnce() -> bool,
    ) -> Boxed {
        for used in uses {
            used.mark_idle();
            Unknown.begin(used, self.id());
        }
        let error = answer.into_error(api, doing);
        let is_over = error.as_error().rules_out_that_work_was_queued() || settle();
        // The number 0 is always done.
        let number = if is_over { 0 } else { self.timeline.clock().count_submission() };
        uses.iter().for_each(|used| used.end(number));
        uses.iter().for_each(|used| if is_over { used.mark_idle() } else { used.mark_in_doubt() });
        error
    }

    /// Settles a failed call. `uses` are those of the call. Returns its error.
    #[cold]
    #[inline(never)]
    pub(in crate::ffi) fn settle<F: Function, const N: usize>(
        &self,
        doing: &'static str,
        failed: FailedCall<F>,
        uses: [&LastUse; N],
    ) -> Boxed {
        let settle = |answer, number| self.settle_call(doing, answer, number);
        not_taken(&self.timeline, Next::OF_STAMPED, uses, failed.into(), settle)
    }

    /// Settles a copy that failed.
    pub(crate) fn settle_copy(&self, failed: NotCopied, blocks: [&RawBuffer; 2]) -> Boxed {
        self.settle(QUEUE_A_COPY, failed, blocks.map(RawBuffer::last_use))
    }

    /// Settles a set that failed.
    pub(crate) fn settle_set(&self, failed: NotSet, block: &RawBuffer) -> Boxed {
        self.settle(QUEUE_A_SET, failed, [block.last_use()])
    }

    /// Settles a failed call. Returns its error, and whether it is certain that no work of the call is still queued.
    #[cold]
    #[inline(never)]
    pub(in crate::ffi) fn settle_call(&self, doing: &'static str, answer: NoSuccess, number: u64) -> (Boxed, bool) {
        let api = self.api;
        let error = answer.into_error(api, doing);
        let wait = || self.wait_elsewhere(api, Some(SETTLING), Some(number));
        let is_over = error.as_error().rules_out_that_work_was_queued() || wait().is_ok();
        (error, is_over)
    }
}

/// An error unless a queued copy of so many bytes may begin at these addresses. A copy on the device begins at
/// multiples of 64 bytes. Memory that the program lends, or that another allocator returned, can be at any address.
#[rule(COPY_09)]
#[inline]
pub(in crate::ffi) fn aligned(kind: aclrtMemcpyKind, bytes: usize, ends: [*const c_void; 2]) -> Result<(), Error> {
    if kind != aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE || bytes == 0 {
        return Ok(());
    }
    match ends.map(|end| end.addr() % DEVICE_ALIGNMENT) {
        [0, 0] => Ok(()),
        [0, past] | [past, _] => Err(Error::Misaligned { past, alignment: DEVICE_ALIGNMENT }),
    }
}
