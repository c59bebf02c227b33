//! Contexts, and this thread's current one.

use super::Api;
use super::call::{Function, Ready, call, functions};
use super::condition::SelectsContext;
use super::created;
use super::resets::UNKNOWN;
use super::thread_notes::{self, with_notes};
use crate::device_allocator::ContextId;
use crate::error::{Boxed, Error};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_CONTEXT_NULL, ACL_SUCCESS};
use ascendcl_sys::types::aclrtContext;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, Ordering};

pub(super) const MAKING_CURRENT: &str = "make a context current on this thread";

/// A vendor context, by its handle. The library looks the handle up and refuses an unknown one. But it reuses the
/// address of a destroyed context for the next one, so a handle that may be dead is never passed to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RawContext {
    handle: aclrtContext,
    /// The default context of its device, which outlives this context. A default context has its own handle here. Null
    /// if unknown.
    default: aclrtContext,
    device: i32,
    /// How often the device had been reset by force. A default context from before such a reset no longer exists.
    forced: u64,
}

// SAFETY: sending the handle to another thread must not make a data race. The vendor's contexts belong to the process,
// and any thread may make one current (CTX-05, THREAD-03).
unsafe impl Send for RawContext {}
// SAFETY: sharing the handle must not make a data race. It is never written, and any thread may make the context
// current (CTX-05, THREAD-03).
unsafe impl Sync for RawContext {}

impl RawContext {
    /// Creates a context on a device; the library also makes it current (CTX-04). `default` is the device's default
    /// context.
    pub(crate) fn create(api: Api, device: i32, default: Option<Self>) -> Result<Self, Error> {
        let mut context = aclrtContext::NULL;
        // SAFETY: the function writes the handle to `context` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclrtCreateContext(&raw mut context, device)) };
        let context = answer.wrote(context, || format!("create a context on device {device}"))?;
        let default = default.map_or(aclrtContext::NULL, |default| default.handle);
        created::record(api.resets(), context.0.addr());
        Ok(Self { handle: context, default, device, forced: api.resets().forced(device) })
    }

    /// The default context of a device that the preceding call has set.
    pub(crate) fn default_of(api: Api, device: i32) -> Option<Self> {
        let Self { handle, .. } = Self::current(api)?;
        Some(Self { handle, default: handle, device, forced: api.resets().forced(device) })
    }

    /// The default context of a device, if the library did not say which one that is.
    pub(super) fn default_without_handle(api: Api, device: i32) -> Self {
        let (handle, default) = (aclrtContext::NULL, aclrtContext::NULL);
        Self { handle, default, device, forced: api.resets().forced(device) }
    }

    /// This default context, if it is `current`; else `None`. If its handle is unknown, any `current` context that this
    /// crate did not create is taken for it, and the result has that handle.
    fn named(self, api: Api, current: Self) -> Option<Self> {
        match self.handle.is_null() {
            true if created::at_address(api.resets(), current.handle.0.addr()).is_some() => None,
            true => Some(Self { handle: current.handle, default: current.handle, ..self }),
            false => self.is(current).then_some(self),
        }
    }

    /// The error if the library did not say which context is current.
    pub(crate) fn null_context_error() -> Error {
        Error::NullAnswer { call: functions::aclrtGetCurrentContext::NAME }
    }

    #[inline(always)]
    pub(crate) fn raw(self) -> *mut c_void {
        self.handle.0
    }

    /// Whether `aclrtCreateContext` created it. A default context ends with its device.
    pub(crate) fn is_created(self) -> bool {
        self.handle != self.default
    }

    /// The default context of its device.
    #[inline]
    pub(super) fn home(self, api: Api) -> Option<Self> {
        let is_there = !self.default.is_null() && self.forced == api.resets().forced(self.device);
        is_there.then_some(Self { handle: self.default, ..self })
    }

    #[inline]
    pub(super) fn is(self, other: Self) -> bool {
        self.handle == other.handle
    }

    pub(super) fn device(self) -> i32 {
        self.device
    }

    /// Destroys a context that this crate created. Other contexts belong to their device.
    ///
    /// # Errors
    ///
    /// [`Error::CurrentElsewhere`] while another thread could not leave it (CTX-11).
    #[rule(CTX_02, CTX_03, CTX_11)]
    pub(crate) fn destroy(self, api: Api) -> Result<(), Error> {
        if !self.is_created() {
            return Ok(());
        }
        let threads = thread_notes::other_threads_in(api, self);
        if threads > 0 {
            return Err(Error::CurrentElsewhere { threads });
        }
        let made = created::remove(api.resets(), self.handle.0.addr());
        // SAFETY: the function asks for a handle of a context. The library looks the handle up and returns an error for
        // an unknown one. A handle that may be dead is never passed (see `RawContext`).
        let answer = unsafe { call!(api.aclrtDestroyContext(self.handle)) };
        let destroyed = answer.done(|| "destroy a context".into());
        match &destroyed {
            Ok(()) => made.into_iter().for_each(|made| thread_notes::record_destroyed(api, made)),
            Err(_) => made.into_iter().for_each(created::put_back),
        }
        destroyed
    }

    #[inline(always)]
    pub(crate) fn make_current(self, api: Api) -> Result<(), Boxed> {
        let ready: Ready<SelectsContext> = api.ready()?;
        // SAFETY: the function asks for a handle of a context. The library looks the handle up and returns an error for
        // an unknown one. A handle that may be dead is never passed (see `RawContext`).
        let answer = unsafe { call!(ready.aclrtSetCurrentContext(self.handle)) };
        answer.success(MAKING_CURRENT)?;
        thread_notes::record_current(api, self);
        Ok(())
    }

    /// This thread's current context, if it has one and the library names it.
    #[inline(always)]
    pub(crate) fn current(api: Api) -> Option<Self> {
        match CurrentContext::of_this_thread(api) {
            CurrentContext::Is(context) => Some(context),
            CurrentContext::None | CurrentContext::Unknown | CurrentContext::NotAsked => None,
        }
    }

    /// The context in words, for messages.
    pub(super) fn in_words(self) -> String {
        match self.device {
            UNKNOWN => format!("context {:#x}", self.handle.0.addr()),
            device => format!("context {:#x} of device {device}", self.handle.0.addr()),
        }
    }
}

/// What is known of this thread's current context.
#[derive(Clone, Copy)]
pub(super) enum CurrentContext {
    Is(RawContext),
    /// There is none.
    None,
    /// The library does not say.
    Unknown,
    /// The library cannot be called here. So no call of this crate has changed the current context either.
    NotAsked,
}

impl CurrentContext {
    /// Asks the library, and once more if it does not say: without an answer, a context of other code could not be
    /// made current again.
    pub(super) fn of_this_thread(api: Api) -> Self {
        match Self::as_answered(api) {
            Self::Unknown => Self::as_answered(api),
            known => known,
        }
    }

    #[inline(always)]
    fn as_answered(api: Api) -> Self {
        let ready: Result<Ready<SelectsContext>, _> = api.ready();
        let Ok(ready) = ready else { return Self::NotAsked };
        let mut handle = aclrtContext::NULL;
        // SAFETY: the function writes the handle to `handle` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(ready.aclrtGetCurrentContext(&raw mut handle)) };
        match (answer.code(), handle) {
            (Some(ACL_ERROR_RT_CONTEXT_NULL), _) => {
                // A later failure of other code, which has no text of its own, would be told with this one.
                api.forget_text();
                Self::None
            }
            (Some(ACL_SUCCESS), handle) if !handle.is_null() => {
                Self::Is(RawContext { handle, default: aclrtContext::NULL, device: UNKNOWN, forced: 0 })
            }
            // Success without a handle says nothing (ERR-06).
            _ => Self::Unknown,
        }
    }

    /// Whether it is known that the context of this note is not current.
    pub(super) fn is_another_than(self, api: Api, left: LeftCurrent) -> bool {
        match self {
            Self::Is(current) => left.found(api, current).is_none(),
            Self::None => true,
            Self::Unknown | Self::NotAsked => false,
        }
    }
}

/// While this value lives, this thread's innermost `Current` of the library is that of a context.
pub(crate) struct Entered {
    api: Api,
    outer: Option<RawContext>,
    outer_id: Option<ContextId>,
}

impl Entered {
    /// For a context that was just made current.
    #[inline]
    pub(crate) fn into(context: RawContext, api: Api, id: ContextId) -> Self {
        let outer = thread_notes::set_entered(api, context);
        Self { api, outer, outer_id: thread_notes::set_entered_id(Some(id)) }
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        with_notes(self.api, |own| own.entered().set(self.outer));
        thread_notes::set_entered_id(self.outer_id);
    }
}

/// A default context that this crate left current on a thread. Its device may be reset at any time after that.
#[derive(Clone, Copy)]
pub(super) struct LeftCurrent {
    context: RawContext,
    /// How many resets of its device had begun when it was left.
    resets: u64,
    /// How many have begun by now.
    begun: &'static AtomicU64,
}

impl LeftCurrent {
    /// A default context that is alive.
    #[inline]
    pub(super) fn now(api: Api, context: RawContext) -> Self {
        let begun = api.resets().begun_of(context.device());
        Self { context, resets: begun.load(Ordering::SeqCst), begun }
    }

    #[inline(always)]
    pub(super) fn context(&self) -> &RawContext {
        &self.context
    }

    /// This note, with the context's handle, if `current` is its context; else `None`.
    pub(super) fn found(self, api: Api, current: RawContext) -> Option<Self> {
        let context = self.context.named(api, current)?;
        Some(Self { context, ..self })
    }

    #[inline]
    pub(super) fn device(self) -> i32 {
        self.context.device()
    }

    /// Whether no reset of its device has begun since it was left.
    #[inline(always)]
    pub(super) fn is_alive(&self) -> bool {
        self.begun.load(Ordering::SeqCst) == self.resets
    }
}
