//! How streams are created and destroyed.

use super::{REFERS, RawStream, WAITING};
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::allocator::KeptAllocator;
use crate::ffi::call::{Current, Ready, cached, call, call_cached, functions, success_of};
use crate::ffi::gate::Gate;
use crate::ffi::not_ended::{created_at_once, not_ended};
use crate::ffi::shelf::{Seed, Shelf, ShelfPlace};
use crate::ffi::timeline::Timeline;
use crate::ffi::wait::first_slice;
use crate::ffi::{Api, Enterable, Here};
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtStream;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const CREATING: &str = "create a stream";
const DESTROYING: &str = "destroy a stream";

/// A stream that was created, for a row.
pub(crate) struct NewStream<'a> {
    pub(crate) raw: aclrtStream,
    pub(crate) place: ShelfPlace,
    pub(crate) of: &'a Enterable,
}

impl Seed<RawStream> for NewStream<'_> {
    fn row(self) -> RawStream {
        RawStream::row(self.raw, self.place, (self.of.api(), self.of.owner()))
    }

    /// The rows of a shelf are of one library and one context. A row that refers to nothing has no registrations and no
    /// spare events. The row for a whole context is never renewed, because its ledger has another pointer to it.
    #[inline]
    fn renew(self, row: &mut RawStream) {
        let RawStream {
            place,
            raw,
            timeline,
            gate,
            ended,
            allocators,
            spares: _,
            whole_context: _,
            is_of_others,
            ends_slowly,
            api: _,
            owner: _,
            seen_over,
            borrows,
        } = row;
        (*raw, *timeline, *gate) = (self.raw, Timeline::new(self.place.number()), Gate::open());
        (*place, *is_of_others) = (self.place, false);
        (*ended, *seen_over) = (AtomicU64::new(0), AtomicU64::new(0));
        *borrows = AtomicBool::new(false);
        // A future on another thread may have left an event here while the stream was destroyed.
        *ends_slowly.get_mut() &= REFERS;
        allocators.belong_to(self.of.owner());
    }
}

impl RawStream {
    /// Creates a stream, like [`create`](Self::create). `None` when further checks are needed; then nothing has
    /// happened.
    #[inline(always)]
    pub(crate) fn create_at_once(here: Here<'_>) -> Option<Result<aclrtStream, Boxed>> {
        let mut raw = aclrtStream::NULL;
        // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let created = unsafe { call_cached!(here.aclrtCreateStream(&raw mut raw)) }?;
        Some(created_at_once(created, raw, here.api(), CREATING))
    }

    /// Creates a stream in the current context. Returns the handle, for a [row](Self::created).
    #[inline]
    pub(crate) fn create(api: Api) -> Result<aclrtStream, Error> {
        let mut raw = aclrtStream::NULL;
        // SAFETY: the function writes the handle to `raw` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclrtCreateStream(&raw mut raw)) };
        answer.wrote(raw, || CREATING.into())
    }

    /// Destroys the stream, like [`destroy`](Self::destroy), if its work is over, and takes its row off the shelf.
    /// `None` when the work is not over, or when further checks are needed; then nothing has happened. The caller has the
    /// stream's handle. The shelf is asked for after the calls, so that nothing keeps it during them.
    #[inline(always)]
    pub(crate) fn destroy_at_once<'s>(
        &self,
        here: Here<'_>,
        shelf: impl FnOnce() -> &'s Shelf<Self>,
    ) -> Option<Result<(), Boxed>> {
        // No context has its number in the word of a default stream, and other code has the handle of an adopted one.
        let is_plain = here.admits(self.admission()) && self.ends_slowly.load(Ordering::Acquire) == 0;
        if !is_plain || !self.is_idle() {
            return None;
        }
        // Both functions come first: if one were missing only after the wait below, the slow path would wait again. No code
        // of the program runs between the two calls, and the wait is for nothing, so what allows one allows the other.
        let functions = here.functions();
        // SAFETY: `cached!` asks for one function's place and pointer, which it makes itself. Nothing is called.
        let (wait, destroy) =
            unsafe { (cached!(functions.aclrtSynchronizeStreamWithTimeout)?, cached!(functions.aclrtDestroyStream)?) };
        if !self.admission().close_at_once(&self.gate) {
            return None;
        }
        // All work is over, so this wait returns at once. It is made nevertheless, because it is not defined what the
        // library does if it destroys a stream with unfinished work (STREAM-05).
        // SAFETY: the function asks for a live stream. The gate was open, so the stream was not destroyed before; it is
        // closed now, so nobody destroys it meanwhile (STREAM-07).
        let waited =
            success_of::<functions::aclrtSynchronizeStreamWithTimeout>(unsafe { wait(self.raw, first_slice(None)) });
        let Ok(()) = waited else { return not_ended(move || self.reopen(), here.api(), WAITING, Some(waited)) };
        // SAFETY: the function asks for a live stream that nobody uses (STREAM-07). The gate was open, so the stream
        // was not destroyed before, and nobody was inside; it is closed now.
        match success_of::<functions::aclrtDestroyStream>(unsafe { destroy(self.raw) }) {
            Ok(()) => {
                // It referred to nothing when `ends_slowly` was read. A future on another thread may have left an event here
                // since, as it may right after this step.
                shelf().take_out(self, true);
                Some(Ok(()))
            }
            refused => not_ended(move || self.reopen(), here.api(), DESTROYING, Some(refused)),
        }
    }

    /// Destroys the stream. Its work must be done: call [`synchronize`](Self::synchronize) before.
    ///
    /// Its context must be current (STREAM-06). The library's table of allocators outlives streams, so a registration
    /// is ended first. If the library refuses, the stream stays usable. If it refuses to destroy a descriptor, the
    /// stream [is gone](Self::is_gone), and the next call tries the descriptor again. What the registrations kept is
    /// moved to `kept`, because dropping it runs code of the user.
    #[rule(STREAM_05, STREAM_07, ALLOC_16)]
    pub(crate) fn destroy(&self, api: Api, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        self.check_not_captured()?;
        if !self.timeline.clock().is_idle() {
            return Err(Error::StillRunning { what: ObjectKind::STREAM });
        }
        self.check_current()?;
        // Check before the gate closes: in a forked child, a thread that does not exist there may be inside forever.
        let ready = api.ready()?;
        if !self.is_ours() {
            self.close();
            return Ok(());
        }
        if self.close() {
            let ended = self.allocators.end(api, self.raw);
            // The crate's own checks come before the call: if one of them fails, the registration is as it was.
            let was_called = ended.as_ref().err().is_none_or(|error| matches!(error, Error::Vendor(_)));
            if let Err(error) = ended.and_then(|()| self.take_down(ready)) {
                // The stream and its allocator are unchanged. The first error is the one to report.
                if was_called {
                    self.allocators.resume(api, self.raw);
                }
                self.reopen();
                return Err(error);
            }
        }
        self.allocators.clear(api, kept)
    }

    fn take_down(&self, ready: Ready<Current>) -> Result<(), Error> {
        // SAFETY: the function asks for a live stream that nobody uses (STREAM-07). The gate was open, so the stream
        // was not destroyed before; it is closed now, so nobody is inside.
        let answer = unsafe { call!(ready.aclrtDestroyStream(self.raw)) };
        answer.done(|| DESTROYING.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::device_allocator::ContextId;
    use crate::ffi::thread_notes::set_entered_id;
    use crate::ffi::{RawEvent, Site};
    use ascendcl_sys::types::{aclError, aclrtEvent};
    use core::ffi::c_void;
    use core::ptr::NonNull;
    use core::sync::atomic::AtomicUsize;
    use std::sync::Arc;

    static DESTROYED: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn waits(_: aclrtStream, _: i32) -> aclError {
        0
    }

    extern "C" fn destroys(_: aclrtStream) -> aclError {
        DESTROYED.fetch_add(1, Ordering::SeqCst);
        0
    }

    /// The wait of another thread is still inside the library when the stream is idle.
    #[test]
    fn a_stream_is_not_destroyed_at_once_while_a_call_is_inside() {
        let table = |name: &str| match name {
            "aclrtSynchronizeStreamWithTimeout" => NonNull::new(waits as *mut c_void),
            "aclrtDestroyStream" => NonNull::new(destroys as *mut c_void),
            _ => None,
        };
        // SAFETY: `Api::from_table` asks that each address is of a function with the table's signature. Both have it.
        let api = unsafe { Api::from_table("ends streams", table) };
        let (shelf, context) = (Shelf::default(), ContextId::next(0));
        let outer = set_entered_id(Some(context));
        let stream = shelf.put(RawStream::created(api, aclrtStream(NonNull::dangling().as_ptr())));
        set_entered_id(outer);
        let site = Site::of(api, context);
        let inside = stream.gate.pass().unwrap();
        // The first tries look the functions up.
        for _ in 0..4 {
            assert!(stream.destroy_at_once(site.here(), || &shelf).is_none());
        }
        assert_eq!(DESTROYED.load(Ordering::SeqCst), 0);
        drop(inside);
        assert!(matches!(stream.destroy_at_once(site.here(), || &shelf), Some(Ok(()))));
        assert_eq!(DESTROYED.load(Ordering::SeqCst), 1);
    }

    /// A future on another thread is done with its event while the stream is destroyed.
    #[test]
    fn a_stream_that_is_gone_keeps_no_event() {
        let api = Api::without_functions();
        let (stream, event) = (RawStream::created(api, aclrtStream::NULL), RawEvent::created(aclrtEvent::NULL, api, 0));
        let event = Arc::new(event);
        stream.spare(Arc::clone(&event));
        assert!(stream.take_spare().is_some_and(|spare| Arc::ptr_eq(&spare, &event)));
        assert!(stream.close());
        stream.spare(Arc::clone(&event));
        assert_eq!((stream.take_spares().len(), Arc::strong_count(&event)), (0, 1));
    }
}
