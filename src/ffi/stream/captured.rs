//! Work that a stream takes while it is being captured.
//!
//! Captured work does not run, so it has no stamps. The graph that the capture produces keeps the memory that the work
//! uses, and each replay of the graph has one stamp.

use super::{BlockPosition, RawStream, aligned};
use crate::callback_guard::caught;
use crate::error::{Error, ObjectKind};
use crate::ffi::allocator::KeptAllocator;
use crate::ffi::answer::ReadyAnswer;
use crate::ffi::call::{Current, Ready, call};
use crate::ffi::callback::{message_of, stay_inside};
use crate::ffi::{Api, HeldBlocks};
use ascendcl_macros::rule;
use ascendcl_sys::types::{aclError, aclrtStream};
use core::ffi::c_void;
use core::sync::atomic::Ordering;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// The state that a captured callback needs at each of its calls.
pub(crate) type KeptState = Arc<dyn Any + Send + Sync>;

/// The first panic of a graph's callbacks.
pub(crate) type FirstPanic = Arc<Mutex<Option<String>>>;

struct Callback<T> {
    state: T,
    run: fn(&T),
    panicked: FirstPanic,
}

impl RawStream {
    /// An error while the stream is being captured.
    #[inline]
    #[rule(GRAPH_04)]
    pub(super) fn check_not_captured(&self) -> Result<(), Error> {
        if self.gate.is_capturing() { Err(Error::Capturing) } else { Ok(()) }
    }

    /// The reason why the stream takes no work.
    #[cold]
    pub(super) fn why_refused(&self) -> Error {
        if self.is_gone() { Error::Gone { what: ObjectKind::STREAM } } else { Error::Capturing }
    }

    /// Begins a capture: from now on the stream takes only work of the capture. The graph gets the blocks of the
    /// stream's allocator that the library has during the capture (`held.rs`).
    ///
    /// Waits first for work with borrowed memory, because its scope cannot wait for a stream that is being captured.
    #[rule(GRAPH_05, ALLOC_14)]
    pub(in crate::ffi) fn begin_capture(&self, api: Api, blocks: &Arc<HeldBlocks>) -> Result<(), Error> {
        self.check_current()?;
        if self.borrows.load(Ordering::Relaxed) {
            self.synchronize(api, None)?;
            self.borrows.store(false, Ordering::Relaxed);
        }
        if self.allocators.in_doubt() {
            return Err(Error::AllocatorInDoubt);
        }
        if !self.admission().begin_capture(&self.gate) {
            return Err(self.why_refused());
        }
        if let Some(allocator) = self.allocator() {
            allocator.begin_capture(blocks);
        }
        Ok(())
    }

    /// The owner of the registered allocator.
    pub(in crate::ffi) fn allocator(&self) -> Option<KeptAllocator> {
        if self.allocators.were_never() { None } else { self.keeps()?.upgrade() }
    }

    /// Notes that the stream gets work with borrowed memory. The caller has the stream's handle, so no capture begins
    /// meanwhile.
    pub(in crate::ffi) fn mark_borrowing(&self) {
        self.borrows.store(true, Ordering::Relaxed);
    }

    /// Ends the capture: the stream takes work as before.
    pub(in crate::ffi) fn end_capture(&self) {
        if let Some(allocator) = self.allocator() {
            allocator.end_capture();
        }
        self.admission().end_capture(&self.gate);
    }

    /// Makes a call that adds work to the capture of this stream. This is the only way to do so.
    pub(in crate::ffi) fn capture_call(
        &self,
        api: Api,
        doing: &'static str,
        call: impl FnOnce(Ready<Current>, aclrtStream) -> ReadyAnswer<aclError>,
    ) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::STREAM }) };
        if !self.gate.is_capturing() {
            // Without a capture the work would run now, without stamps.
            return Err(Error::Gone { what: ObjectKind::CAPTURED_GRAPH });
        }
        self.check_current()?;
        call(api.ready()?, self.raw).done(|| doing.into())
    }

    /// Captures a copy. The graph keeps both blocks.
    pub(crate) fn capture_copy(
        &self,
        api: Api,
        to: BlockPosition<'_>,
        from: BlockPosition<'_>,
        bytes: usize,
    ) -> Result<(), Error> {
        to.block.check_range_anywhere(to.start, bytes)?;
        from.block.check_range_anywhere(from.start, bytes)?;
        let kind = api.direction(to.block.home().side(), from.block.home().side());
        let room = to.block.bytes() - to.start;
        aligned(kind, bytes, [to.block.at(to.start), from.block.at(from.start)])?;
        self.capture_call(api, "capture a copy", |ready, stream| {
            let (to, from) = (to.block.at(to.start), from.block.at(from.start));
            // SAFETY: the function asks for a live stream, and for memory that stays until the last replay is done
            // (GRAPH-05). `capture_call` passed the gate. `check_range` has compared the lengths of both blocks, and
            // the graph keeps them until its instance is destroyed.
            unsafe { call!(ready.aclrtMemcpyAsync(to, room, from, bytes, kind, stream)) }
        })
    }

    /// Captures a set of every byte. The graph keeps the block.
    pub(crate) fn capture_set(&self, api: Api, place: BlockPosition<'_>, value: u8) -> Result<(), Error> {
        let block = place.block;
        let bytes = block.bytes();
        block.check_range_anywhere(0, bytes)?;
        self.capture_call(api, "capture a set", |ready, stream| {
            // SAFETY: the function asks for a live stream, and for memory that stays until the last replay is done
            // (GRAPH-05). `capture_call` passed the gate. The bytes are all of the block, which the graph keeps until
            // its instance is destroyed.
            unsafe { call!(ready.aclrtMemsetAsync(block.start(), bytes, i32::from(value), bytes, stream)) }
        })
    }

    /// Captures a call of `run`, which borrows `state` at each replay. The graph has to keep the returned value, also
    /// after an error: the library may have taken the callback. Nothing of the program is dropped here.
    pub(crate) fn capture_callback<T: Send + Sync + 'static>(
        &self,
        api: Api,
        state: T,
        run: fn(&T),
        panicked: &FirstPanic,
    ) -> (KeptState, Result<(), Error>) {
        let callback = Arc::new(Callback { state, run, panicked: Arc::clone(panicked) });
        let argument = Arc::as_ptr(&callback).cast_mut().cast();
        let given = self.capture_call(api, "capture a callback", |ready, stream| {
            // SAFETY: the function asks for a live stream, and for a function that may be called with the argument on a
            // thread of the library, once per replay (CB-08, GRAPH-05). `capture_call` passed the gate. The trampoline
            // is for this type of state, which is `Send` and `Sync`. The graph keeps the state until its instance is
            // destroyed, whatever the call answers.
            unsafe { call!(ready.aclrtLaunchHostFunc(stream, Some(trampoline::<T>), argument)) }
        });
        (callback, given)
    }
}

/// Runs a captured callback. It may not call the library (CB-01), and a panic does not unwind out of it (CB-09).
///
/// # Safety
///
/// `argument` points to a `Callback<T>` that stays until this returns.
unsafe extern "C" fn trampoline<T>(argument: *mut c_void) {
    // SAFETY: a reference asks for a pointer to a live value of the type that nobody writes. The caller of this
    // function promises that (its safety section): the graph keeps the callback until its instance is destroyed
    // (GRAPH-05).
    let callback = unsafe { &*argument.cast_const().cast::<Callback<T>>() };
    stay_inside();
    if let Err(payload) = caught(|| (callback.run)(&callback.state)) {
        let message = message_of(payload);
        callback.panicked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_allocator::ContextId;
    use crate::ffi::thread_notes::set_entered_id;

    /// A stream of the context that this thread has entered, and the context in which it was before.
    fn entered() -> (Api, RawStream, Option<ContextId>) {
        let api = Api::without_functions();
        let outer = set_entered_id(Some(ContextId::next(0)));
        (api, RawStream::created(api, aclrtStream::NULL), outer)
    }

    #[test]
    fn work_for_a_capture_that_is_over_is_not_queued() {
        let (api, stream, outer) = entered();
        let refused = stream.capture_call(api, "capture work", |ready, _| ready.answered("queues", 0));
        set_entered_id(outer);
        assert!(matches!(refused, Err(Error::Gone { what: ObjectKind::CAPTURED_GRAPH })), "{refused:?}");
    }

    #[test]
    fn a_stream_that_is_gone_says_so() {
        let (_, stream, outer) = entered();
        set_entered_id(outer);
        assert!(matches!(stream.why_refused(), Error::Capturing));
        stream.close();
        assert!(matches!(stream.why_refused(), Error::Gone { what: ObjectKind::STREAM }));
    }
}
