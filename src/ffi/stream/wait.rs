//! Waits for all work of a stream.

use super::{ENDS_SLOWLY, RawStream, WAITING};
use crate::error::{Boxed, Error};
use crate::ffi::admission::CheckReason;
use crate::ffi::call::{NoSuccess, call, call_current};
use crate::ffi::failure::failure_of_work;
use crate::ffi::views::record_failure_in_other_views;
use crate::ffi::wait::{Wait, first_slice, is_final};
use crate::ffi::{Api, Here, Site};
use core::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// How long a successful wait lets other waits end, before it assumes that they have no failure to report. Only a few
/// instructions separate the library's answer and the note of a failure. A wait for later work may take much longer,
/// and a successful wait does not wait for that.
const MOMENT: Duration = Duration::from_millis(10);

impl RawStream {
    /// Waits until everything that was queued before this call is done, for at most `limit` if there is one.
    ///
    /// A destroyed stream was synchronised before, so nothing is left to wait for. This does not repeat a failure that
    /// another wait was given. The callers do that ([`failure_among`](Self::failure_among),
    /// [`take_failure`](Self::take_failure)).
    #[inline]
    pub(crate) fn synchronize(&self, api: Api, limit: Option<Duration>) -> Result<(), Error> {
        self.wait_elsewhere(api, limit, None).map_err(Error::from)
    }

    /// Like [`synchronize`](Self::synchronize), for a caller that has a `Current`.
    #[inline(always)]
    pub(crate) fn synchronize_here(&self, here: Here<'_>, limit: Option<Duration>) -> Result<(), Boxed> {
        self.wait(here, limit, None)
    }

    #[inline(always)]
    fn wait(&self, here: Here<'_>, limit: Option<Duration>, failed_call: Option<u64>) -> Result<(), Boxed> {
        // The slow path is also for streams that are captured, destroyed, or used by several threads.
        if !here.admits(self.admission()) {
            return self.wait_elsewhere(here.api(), limit, failed_call);
        }
        self.wait_at_the_gate(here, limit, failed_call)
    }

    /// Like [`wait`](Self::wait), when this thread has entered the stream's context.
    #[inline(always)]
    fn wait_at_the_gate(&self, here: Here<'_>, limit: Option<Duration>, failed_call: Option<u64>) -> Result<(), Boxed> {
        let Some(inside) = self.gate.pass_unless_captured() else { return takes_no_wait(self) };
        // Nothing below unwinds: the calls are those of the library, and a panic of a subscriber is caught where it is
        // informed. If something did, the stream would count as in use for good, and never be destroyed.
        let inside = inside.without_address();
        let wait = move || {
            // SAFETY: the function asks for a live stream. The gate is passed until the wait is over, so the stream is
            // not destroyed meanwhile (STREAM-07).
            unsafe {
                call_current!(here.aclrtSynchronizeStreamWithTimeout(self.raw, first_slice(limit)), |first| self
                    .go_on_waiting(limit, first))
            }
        };
        let end = move || {
            let others = self.gate.leave(inside);
            if others {
                // If another wait begins now, the count of calls inside does not show a waiter that this one ended.
                self.ended.fetch_add(1, Ordering::Release);
            }
            others
        };
        let under_way = || {
            let (mut all, mut since) = (None, None);
            move || self.others_end(&mut all, &mut since)
        };
        let failed = |error: &Boxed| self.failure_of_work(error.as_error());
        self.timeline.wait(failed_call, wait, failed, end, under_way)
    }

    /// Whether this crate counts all work of the stream, in the order in which it is queued: one thread queues it, and
    /// other code does not have the handle. Other code has that of an adopted stream.
    pub(in crate::ffi) fn counts_all_work(&self) -> bool {
        let is_for_one_thread = !self.admission().has(CheckReason::ManyThreads);
        is_for_one_thread && self.is_ours() && self.ends_slowly.load(Ordering::Acquire) & ENDS_SLOWLY == 0
    }

    /// Waits, for callers without a `Current` of the stream's context, and for the work that the library does without a
    /// stream.
    #[cold]
    #[inline(never)]
    pub(super) fn wait_elsewhere(
        &self,
        api: Api,
        limit: Option<Duration>,
        failed_call: Option<u64>,
    ) -> Result<(), Boxed> {
        self.check_current()?;
        if self.is_of_the_library() {
            return self.wait_for_context(api, limit).1.map_err(Boxed::from);
        }
        self.wait_at_the_gate(Site::unproven(api).here(), limit, failed_call)
    }

    /// Continues a wait whose first slice did not succeed. The gate is passed. It takes no `Here`, so that the caller keeps
    /// none during the first slice: what has to be checked now does not depend on it.
    #[cold]
    #[inline(never)]
    fn go_on_waiting(&self, limit: Option<Duration>, first: impl Into<NoSuccess>) -> Result<(), Boxed> {
        let (api, raw) = (self.api, self.raw);
        let first = first.into().into_answer(api);
        let ready = match Site::unproven(api).here().ready() {
            Ok(ready) => ready,
            // The library tells a failure of work once, so its answer comes before the crate's refusal to ask again.
            Err(_) if is_final(&first) => return Err(first.into_error(|| WAITING.into()).into()),
            Err(refused) => return Err(refused),
        };
        let wait = Wait {
            doing: WAITING,
            // SAFETY: the function asks for a live stream. The gate is passed until the wait is over, so the stream is
            // not destroyed meanwhile (STREAM-07).
            within: |milliseconds| unsafe { call!(ready.aclrtSynchronizeStreamWithTimeout(raw, milliseconds)) },
            // SAFETY: the function asks for a live stream. The gate is passed until the wait is over, so the stream is
            // not destroyed meanwhile (STREAM-07).
            unlimited: || unsafe { call!(ready.aclrtSynchronizeStream(raw)) },
            is_over: || self.is_complete(api).unwrap_or(false),
        };
        wait.after(api, limit, first).map_err(Boxed::from)
    }

    /// The code, if a wait for this stream failed because work failed. For the default stream, that may be work of
    /// another view of the context, so the failure is passed on.
    #[cold]
    fn failure_of_work(&self, error: &Error) -> Option<i32> {
        let code = failure_of_work(error)?;
        self.end_slowly();
        if self.is_default() {
            record_failure_in_other_views(self.owner, code, Self::is_default);
        }
        Some(code)
    }

    /// Whether a successful wait should let other waits end: some that were inside with it still are, and [`MOMENT`]
    /// has not passed. The first call fills both values: `all` is the count of ended waits at which all of those have
    /// ended, and `since` is the time of the first call. A wait that began later and ends earlier counts as one of those,
    /// so the answer may come too early: ERR-02 names this case. To tell the two apart, each wait would have to keep a number
    /// during the call of the library.
    #[cold]
    #[inline(never)]
    fn others_end(&self, all: &mut Option<u64>, since: &mut Option<Instant>) -> bool {
        let (inside, ended) = (self.gate.inside(), self.ended.load(Ordering::Acquire));
        let all = *all.get_or_insert(ended + u64::from(inside));
        inside > 0 && ended < all && since.get_or_insert_with(Instant::now).elapsed() < MOMENT
    }

    /// Waits for all work in the context that this row stands for. A failure may be that of work on any of its streams, so
    /// it is recorded for all of them. Returns these, too.
    pub(crate) fn wait_for_context(&self, api: Api, limit: Option<Duration>) -> (Vec<Arc<Self>>, Result<(), Error>) {
        let streams = self.whole_context.as_ref().and_then(Weak::upgrade);
        let streams = streams.map(|streams| streams.all()).unwrap_or_default();
        let covers: Vec<_> = streams.iter().map(|stream| stream.covers()).collect();
        let waited = api.synchronize_device(limit);
        let failed = waited.as_ref().err().and_then(failure_of_work);
        // A run returns its own failure to its caller, so no later waiter needs it.
        let is_told = |stream: &Self| !stream.is_of_the_library();
        if let Some(code) = failed {
            record_failure_in_other_views(self.owner, code, is_told);
        }
        let mut since = None;
        for (stream, covers) in streams.iter().zip(covers) {
            match (&waited, failed) {
                (Ok(()), _) => {
                    let mut all = None;
                    stream.timeline.succeeded_among(covers, || stream.others_end(&mut all, &mut since));
                }
                (Err(_), Some(code)) if is_told(stream) => stream.record_failure(covers, code),
                (Err(_), _) => {}
            }
        }
        (streams, waited)
    }
}

/// Why there is nothing to wait for, or no wait.
#[cold]
#[inline(never)]
fn takes_no_wait(stream: &RawStream) -> Result<(), Boxed> {
    if stream.is_gone() { Ok(()) } else { Err(Error::Capturing.into()) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::device_allocator::ContextId;
    use crate::ffi::RawContext;
    use crate::ffi::call::{functions, success_of};
    use crate::ffi::thread_notes::{set_displaced, set_entered, set_entered_id, with_notes};
    use ascendcl_sys::error_codes::ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    use ascendcl_sys::types::{aclError, aclrtContext, aclrtStream};
    use core::ffi::c_void;
    use core::ptr::NonNull;

    extern "C" fn refuses(_: aclrtContext) -> aclError {
        507_899
    }

    /// The context of the wait is no longer current, and the library refuses to make it current again. So the crate
    /// does not ask again, and the first answer is the end of the wait only if it says how the work ended.
    #[test]
    fn a_wait_that_may_not_go_on_tells_a_failure_of_work_and_else_why_it_may_not() {
        let table = |name: &str| match name {
            "aclrtSetCurrentContext" => NonNull::new(refuses as *mut c_void),
            _ => None,
        };
        // SAFETY: `Api::from_table` asks that each address is of a function with the table's signature. `refuses` has it.
        let api = unsafe { Api::from_table("refuses contexts", table) };
        let context = ContextId::next(0);
        let outer = set_entered_id(Some(context));
        let stream = RawStream::created(api, aclrtStream::NULL);
        set_entered(api, RawContext::default_without_handle(api, 0));
        set_displaced(api, true);
        let waited = |code: aclError| {
            let first = success_of::<functions::aclrtSynchronizeStreamWithTimeout>(code).unwrap_err();
            match stream.go_on_waiting(None, first).map_err(Error::from) {
                Err(Error::Vendor(error)) => (error.call, error.code.number()),
                other => panic!("{other:?}"),
            }
        };
        let (up, failed) = (waited(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT), waited(507_011));
        set_displaced(api, false);
        with_notes(api, |own| own.entered().set(None));
        set_entered_id(outer);
        assert_eq!(up, ("aclrtSetCurrentContext", 507_899));
        assert_eq!(failed, ("aclrtSynchronizeStreamWithTimeout", 507_011));
    }
}
