//! Vendor streams, and the work that is queued on them.

use super::allocator::{Keeps, Kept, Members};
use super::failure::failure_of_work;
use super::gate::Gate;
use super::registration::Registration;
use super::timeline::Timeline;
use super::wait::Wait;
use super::{Api, Block, LastUse, RawEvent};
use crate::error::Error;
use crate::ledger::Shelf;
use ascendcl_macros::rule;
use ascendcl_sys::MissingSymbol;
use ascendcl_sys::types::{aclError, aclrtMemcpyKind, aclrtStream, aclrtStreamStatus};
use core::cell::Cell;
use core::mem;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

/// How long a call that failed waits to know whether it queued something all the same.
const SETTLING: Duration = Duration::from_secs(1);

/// How long a wait that succeeded lets others end that are under way, before it takes for granted that they have nothing to
/// tell. Between an answer of the library and its note are a few instructions; who waits for work that was queued later
/// stays for as long as that takes, and is not waited for.
const MOMENT: Duration = Duration::from_millis(10);

thread_local! {
    /// The number of this thread's last submission.
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// A place in a block: the bytes from `start` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) block: &'a Block,
    pub(crate) start: usize,
}

/// Where copies on the device may begin, in bytes.
const DEVICE_ALIGNMENT: usize = 64;

/// A stream of the context that was current when it was created.
#[derive(Debug)]
pub struct Queue {
    raw: aclrtStream,
    pub(super) timeline: Timeline,
    gate: Gate,
    /// How many waits ended while others were under way.
    ended: AtomicU64,
    registration: Mutex<Option<Registration>>,
    /// Events for futures of this stream that no future uses.
    spares: Mutex<Vec<Arc<RawEvent>>>,
    /// A registration failed, and could not be undone: work could make the library call an allocator that is gone.
    calls_the_dead: AtomicBool,
}

// SAFETY: the vendor's streams belong to the process; calls on one stream from several threads are allowed, their order
// is the caller's business (THREAD-03). The handle is never written.
unsafe impl Send for Queue {}
// SAFETY: as above; the counters are atomics.
unsafe impl Sync for Queue {}

impl Queue {
    pub(crate) fn create(api: Api, id: u64) -> Result<Self, Error> {
        api.may_be_called()?;
        api.in_place()?;
        let mut raw = aclrtStream::NULL;
        // SAFETY: `raw` is a place for the handle.
        let code = unsafe { api.library().aclrtCreateStream(&raw mut raw) };
        api.done("aclrtCreateStream", code, || "create a stream".into())?;
        Ok(Self {
            raw,
            timeline: Timeline::new(id),
            gate: Gate::open(),
            ended: AtomicU64::new(0),
            registration: Mutex::default(),
            spares: Mutex::default(),
            calls_the_dead: AtomicBool::new(false),
        })
    }

    /// The default stream of the context that is current: null to the library (STREAM-03). It comes and goes with its
    /// context, and is never destroyed by itself (STREAM-02).
    pub(crate) fn default_of_current(id: u64) -> Self {
        Self {
            raw: aclrtStream::NULL,
            timeline: Timeline::new(id),
            gate: Gate::open(),
            ended: AtomicU64::new(0),
            registration: Mutex::default(),
            spares: Mutex::default(),
            calls_the_dead: AtomicBool::new(false),
        }
    }

    pub(crate) fn id(&self) -> u64 {
        self.timeline.id()
    }

    /// Queues a copy. Both blocks are marked as in use until a synchronise covers the copy.
    #[inline]
    pub(crate) fn copy(&self, api: Api, to: Place<'_>, from: Place<'_>, bytes: usize) -> Result<(), Error> {
        to.block.holds_at(to.start, bytes)?;
        from.block.holds_at(from.start, bytes)?;
        let kind = api.direction(to.block.home().side(), from.block.home().side());
        let room = to.block.bytes() - to.start;
        if kind == aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE {
            aligned(to.start).and_then(|()| aligned(from.start))?;
        }
        let uses = [to.block.last_use(), from.block.last_use()];
        self.submit(api, "aclrtMemcpyAsync", "queue a copy", uses, |stream| {
            let (to, from) = (to.block.at(to.start), from.block.at(from.start));
            // SAFETY: both blocks hold `bytes` bytes there and are freed only when a synchronise has covered this
            // submission (the stamps); the stream is alive (the gate).
            unsafe { api.library().aclrtMemcpyAsync(to, room, from, bytes, kind, stream) }
        })
    }

    /// Queues a set of every byte. The block is marked as in use until a synchronise covers it.
    #[inline]
    pub(crate) fn set(&self, api: Api, block: &Block, value: u8) -> Result<(), Error> {
        let bytes = block.bytes();
        block.holds(bytes)?;
        self.submit(api, "aclrtMemsetAsync", "queue a set", [block.last_use()], |stream| {
            // SAFETY: as in `copy`.
            unsafe { api.library().aclrtMemsetAsync(block.start(), bytes, i32::from(value), bytes, stream) }
        })
    }

    /// An event that a future of this stream had, if one is free.
    pub(crate) fn take_spare(&self) -> Option<Arc<RawEvent>> {
        self.spares().pop()
    }

    /// Keeps an event for the next future. It lives as long as the stream.
    pub(crate) fn spare(&self, event: Arc<RawEvent>) {
        self.spares().push(event);
    }

    fn spares(&self) -> MutexGuard<'_, Vec<Arc<RawEvent>>> {
        self.spares.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The number up to which everything is done when a synchronise that starts now has returned.
    #[inline]
    pub(crate) fn mark(&self) -> u64 {
        self.timeline.clock().mark()
    }

    /// Whether a synchronise has covered the submission with this number. A destroyed stream was synchronised before.
    #[inline]
    pub(crate) fn has_done(&self, number: u64) -> bool {
        self.timeline.clock().has_done(number)
    }

    /// The number of the submission that this thread made last, on whichever stream: to be asked right after it. The count
    /// of a default stream says less, because other threads queue there, too.
    #[inline]
    pub(crate) fn last_submission() -> u64 {
        LAST.get()
    }

    /// What is queued here by now comes after all uses so far.
    pub(in crate::ffi) fn lead(&self, used: &LastUse) {
        used.follow(self.id(), self.mark());
    }

    /// Whether everything that was queued is over, well or not; the library tells failures to a synchronise only.
    pub(crate) fn is_complete(&self, api: Api) -> Result<bool, Error> {
        let Some(_inside) = self.gate.pass() else { return Ok(true) };
        api.in_place()?;
        let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY;
        // SAFETY: the stream is alive while the gate is passed; `status` is a place for the answer.
        let code = unsafe { api.library().aclrtStreamQuery(self.raw, &raw mut status) };
        api.done("aclrtStreamQuery", code, || "ask whether a stream's work is done".into())?;
        Ok(status == aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE)
    }

    /// Waits until everything that was queued before this call is done; for at most `limit`, if there is one.
    ///
    /// A destroyed stream has nothing left to wait for: it was synchronised before. A failure that another wait was told of
    /// is not repeated here: that is the business of who waits ([`failure_among`](Self::failure_among), [`tell`](Self::tell)).
    #[inline]
    pub(crate) fn synchronize(&self, api: Api, limit: Option<Duration>) -> Result<(), Error> {
        self.wait(api, limit, None)
    }

    #[inline]
    fn wait(&self, api: Api, limit: Option<Duration>, failed_call: Option<u64>) -> Result<(), Error> {
        let Some(inside) = self.gate.pass() else { return Ok(()) };
        api.in_place()?;
        let (library, raw) = (api.library(), self.raw);
        let wait = Wait {
            calls: ("aclrtSynchronizeStreamWithTimeout", "aclrtSynchronizeStream"),
            doing: "synchronise a stream",
            // SAFETY: the stream is alive while the gate is passed, which lasts until the wait is over.
            within: |milliseconds| unsafe { library.aclrtSynchronizeStreamWithTimeout(raw, milliseconds) },
            // SAFETY: the stream is alive while the gate is passed, which lasts until the wait is over.
            unlimited: || unsafe { library.aclrtSynchronizeStream(raw) },
            is_over: || self.is_complete(api).unwrap_or(false),
        };
        let end = || {
            let others = inside.leave() > 0;
            if others {
                // Whoever waits for this does not see it by the count if another one came meanwhile.
                self.ended.fetch_add(1, Ordering::Release);
            }
            others
        };
        let mut patience = None;
        let under_way = || {
            let (inside, ended) = (self.gate.inside(), self.ended.load(Ordering::Acquire));
            let until = || (ended + u64::from(inside), Instant::now().checked_add(MOMENT));
            let (all, time) = *patience.get_or_insert_with(until);
            inside > 0 && ended < all && time.is_some_and(|time| Instant::now() < time)
        };
        self.timeline.wait(failed_call, || wait.run(api, limit), failure_of_work, end, under_way)
    }

    /// Registers an allocator (ALLOC-04), or one in the place of another (ALLOC-09). The stream has to be synchronised.
    ///
    /// The stream keeps `keeps`, and with it the members' object, until the registration ends. Gives back what the
    /// replaced registration kept.
    pub(crate) fn register(&self, api: Api, members: Members, keeps: Kept) -> Result<Option<Kept>, Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "stream" }) };
        if !self.timeline.clock().is_idle() {
            return Err(Error::StillRunning { what: "stream" });
        }
        let before = self.registration().take();
        match Registration::make(api, self.raw, members, keeps, before.as_ref()) {
            Ok(made) => {
                *self.registration() = Some(made);
                self.calls_the_dead.store(false, Ordering::Release);
                Ok(before.map(|before| before.forgotten(api)))
            }
            Err((error, None)) => {
                *self.registration() = before;
                Err(error)
            }
            Err((error, Some(perhaps))) => {
                *self.registration() = Some(perhaps);
                self.calls_the_dead.store(true, Ordering::Release);
                // The library may go on calling this one: it stays for ever.
                mem::forget(before);
                Err(error)
            }
        }
    }

    /// Ends the registration, if there is one. The stream has to be synchronised (ALLOC-11).
    pub(crate) fn unregister(&self, api: Api) -> Result<Option<Kept>, Error> {
        let Some(_inside) = self.gate.pass() else { return Ok(None) };
        if !self.timeline.clock().is_idle() {
            return Err(Error::StillRunning { what: "stream" });
        }
        let Some(registration) = self.registration().take() else { return Ok(None) };
        match registration.end(api, self.raw) {
            Ok(()) => Ok(Some(registration.forgotten(api))),
            Err(error) => {
                *self.registration() = Some(registration);
                Err(error)
            }
        }
    }

    /// Destroys the stream. Its work has to be done: call [`synchronize`](Self::synchronize) before.
    ///
    /// Its context has to be current (STREAM-06). The library's table of allocators outlives streams, so a registration
    /// ends first. When the library refuses, the stream stays usable. Gives back what the registration kept: code of
    /// the user runs when that is dropped.
    #[rule(STREAM_05, STREAM_07, ALLOC_16)]
    pub(crate) fn destroy(&self, api: Api) -> Result<Option<Kept>, Error> {
        if !self.timeline.clock().is_idle() {
            return Err(Error::StillRunning { what: "stream" });
        }
        api.in_place()?;
        if !self.gate.close() || self.raw.is_null() {
            return Ok(None);
        }
        let registration = self.registration().take();
        let destroyed =
            registration.as_ref().map_or(Ok(()), |own| own.end(api, self.raw)).and_then(|()| self.take_down(api));
        match destroyed {
            Ok(()) => Ok(registration.map(|own| own.forgotten(api))),
            Err(error) => {
                // The stream is as it was, and so is its allocator. Should the library refuse that, too, it allocates by
                // itself from now on, which is what it does without a registration; the first error is the one to report.
                let _ = registration.as_ref().map(|own| own.tell(api, self.raw));
                *self.registration() = registration;
                self.gate.reopen();
                Err(error)
            }
        }
    }

    /// Calls something that takes the stream and queues nothing on it.
    #[cfg(feature = "ge")]
    pub(super) fn with_raw<R>(&self, call: impl FnOnce(aclrtStream) -> R) -> Result<R, Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "stream" }) };
        Ok(call(self.raw))
    }

    fn take_down(&self, api: Api) -> Result<(), Error> {
        // SAFETY: the handle is alive: the gate was open; and nobody is using it: the gate is closed.
        let code = unsafe { api.library().aclrtDestroyStream(self.raw) };
        api.done("aclrtDestroyStream", code, || "destroy a stream".into())
    }

    /// What keeps the registered allocator, if there is one.
    pub(super) fn keeps(&self) -> Option<Weak<dyn Keeps>> {
        self.registration().as_ref().map(|own| Arc::downgrade(own.keeps()))
    }

    fn registration(&self) -> MutexGuard<'_, Option<Registration>> {
        self.registration.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The one way to queue work: stamps what it uses before and after the vendor call.
    ///
    /// After a call that failed the stream is synchronised, whatever the code: the library may have taken the work all the
    /// same. That takes a second at most, since a device that hangs is one way to fail. If it fails, too, what the call was
    /// to use is in doubt for good. Only what never reached the library leaves no doubt by itself.
    #[inline]
    #[rule(MEM_02)]
    pub(super) fn submit<const N: usize>(
        &self,
        api: Api,
        call: &'static str,
        doing: &'static str,
        uses: [&LastUse; N],
        queue: impl FnOnce(aclrtStream) -> Result<aclError, MissingSymbol>,
    ) -> Result<(), Error> {
        // Whoever queues has the stream's handle, and destroying takes it away: nobody closes the gate meanwhile.
        if !self.gate.is_open() {
            return Err(Error::Gone { what: "stream" });
        }
        if self.calls_the_dead.load(Ordering::Relaxed) {
            return Err(Error::Gone { what: "allocator" });
        }
        api.in_place()?;
        let queue = || api.done(call, queue(self.raw), || doing.into());
        self.timeline
            .submit(uses, queue, |error, number| self.settles(api, error, number))
            .map(|number| LAST.set(number))
    }

    /// After a call that failed: whether it is certain that nothing of it is queued any more.
    #[cold]
    fn settles(&self, api: Api, error: &Error, number: u64) -> bool {
        let wait = || self.wait(api, Some(SETTLING), Some(number));
        error.rules_out_that_work_was_queued() || wait().is_ok()
    }
}

/// Copies on the device begin at multiples of 64 bytes; blocks do, so offsets have to.
#[rule(COPY_09)]
fn aligned(start: usize) -> Result<(), Error> {
    if start.is_multiple_of(DEVICE_ALIGNMENT) {
        return Ok(());
    }
    Err(Error::Misaligned { start, alignment: DEVICE_ALIGNMENT })
}

impl Shelf<Queue> {
    /// Whether the work that `use_of` stands for is done. A stream that is no longer here was synchronised before it
    /// was destroyed.
    pub(crate) fn has_done(&self, use_of: &LastUse) -> bool {
        use_of.is_over(
            |stream, number| self.get(stream).is_none_or(|queue| queue.has_done(number)),
            || self.all().iter().all(|queue| queue.timeline.clock().is_idle()),
        )
    }
}
