//! Contexts, and this thread's current one.

use super::Api;
use super::call::{Function, call, functions};
use super::resets::UNKNOWN;
use super::standing::{self, Left, Owed, Standing, standing};
use crate::device_allocator::ContextId;
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtContext;
use core::ffi::c_void;

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
        answer.done(|| format!("create a context on device {device}"))?;
        let default = default.map_or(aclrtContext::NULL, |default| default.handle);
        Ok(Self { handle: context, default, device, forced: api.resets().forced(device) })
    }

    /// The default context of a device that the preceding call has set.
    pub(crate) fn default_of(api: Api, device: i32) -> Option<Self> {
        let Self { handle, .. } = Self::current(api)?;
        Some(Self { handle, default: handle, device, forced: api.resets().forced(device) })
    }

    /// The default context of a device, if the library did not say which one that is.
    fn unnamed_default_of(api: Api, device: i32) -> Self {
        let (handle, default) = (aclrtContext::NULL, aclrtContext::NULL);
        Self { handle, default, device, forced: api.resets().forced(device) }
    }

    /// This context, if it is current. If its handle is unknown, it takes the current one's. Otherwise `None`.
    pub(super) fn named(self, current: Self) -> Option<Self> {
        match self.handle.is_null() {
            true => Some(Self { handle: current.handle, default: current.handle, ..self }),
            false => self.is(current).then_some(self),
        }
    }

    /// The error for the case that the library did not say which context is current.
    pub(crate) fn has_no_name() -> Error {
        Error::NullAnswer { call: functions::aclrtGetCurrentContext::NAME }
    }

    pub(crate) fn raw(self) -> *mut c_void {
        self.handle.0
    }

    /// Whether `aclrtCreateContext` created it. A default context ends with its device.
    pub(crate) fn is_made(self) -> bool {
        self.handle != self.default
    }

    /// The default context of its device.
    #[inline]
    fn home(self, api: Api) -> Option<Self> {
        let is_there = !self.default.is_null() && self.forced == api.resets().forced(self.device);
        is_there.then_some(Self { handle: self.default, ..self })
    }

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
        if !self.is_made() {
            return Ok(());
        }
        let threads = standing::threads_that_stay_in(api, self);
        if threads > 0 {
            return Err(Error::CurrentElsewhere { threads });
        }
        // SAFETY: the function asks for a handle of a context. The library looks the handle up and returns an error for
        // an unknown one. A handle that may be dead is never passed (see `RawContext`).
        let answer = unsafe { call!(api.aclrtDestroyContext(self.handle)) };
        answer.done(|| "destroy a context".into())
    }

    #[inline]
    pub(crate) fn make_current(self, api: Api) -> Result<(), Error> {
        let ready = api.ready()?;
        // SAFETY: the function asks for a handle of a context. The library looks the handle up and returns an error for
        // an unknown one. A handle that may be dead is never passed (see `RawContext`).
        let answer = unsafe { call!(ready.aclrtSetCurrentContext(self.handle)) };
        answer.success("make a context current on this thread")?;
        standing::moved_to(api, self);
        Ok(())
    }

    /// This thread's current context, if it has one.
    #[inline]
    pub(crate) fn current(api: Api) -> Option<Self> {
        let (ready, mut context) = (api.ready().ok()?, aclrtContext::NULL);
        // SAFETY: the function writes the handle to `context` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(ready.aclrtGetCurrentContext(&raw mut context)) };
        let known = answer.is_success() && !context.is_null();
        known.then_some(Self { handle: context, default: aclrtContext::NULL, device: UNKNOWN, forced: 0 })
    }

    /// The context in words, for messages.
    pub(super) fn in_words(self) -> String {
        match self.device {
            UNKNOWN => format!("context {:#x}", self.handle.0.addr()),
            device => format!("context {:#x} of device {device}", self.handle.0.addr()),
        }
    }
}

/// While this value lives, this thread's innermost `Current` of the library stands for the context.
pub(crate) struct Entered {
    api: Api,
    outer: Option<RawContext>,
    outer_id: Option<ContextId>,
}

impl Entered {
    /// For a context that was just made current.
    #[inline]
    pub(crate) fn into(context: RawContext, api: Api, id: ContextId) -> Self {
        let outer = standing::enters_of(api, context);
        Self { api, outer, outer_id: standing::enters(Some(id)) }
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        standing(self.api, |own| own.entered.set(self.outer));
        standing::enters(self.outer_id);
    }
}

/// What was current before a call of this crate changed it.
#[derive(Clone, Copy)]
enum Before {
    /// Nothing, or something that may have ended since.
    Nothing,
    /// The context of the innermost `Current`, which outlives the call.
    Entered(RawContext),
    /// A context that code outside this crate chose.
    Foreign(RawContext),
    /// A context that code outside this crate chose, and that the library refused to make current again when the thread
    /// left the last scope.
    Owed(Owed),
    /// A default context that this crate left current. Other code may rely on it until its device is reset.
    Left(Left),
    /// No context was current when a device was set. The default context of that device stays current.
    Set(Left),
}

/// Restores this thread's current context when it is dropped, also on unwind.
///
/// If there was none before, the default context of the device becomes current: it lives as long as the device is set.
/// A context that this crate created must not stay current. Another thread will destroy it at the end of its scope
/// (CTX-11), and the vendor's library never frees a context that is current on a thread that ended.
///
/// If the library refuses, the context is made current later. For an entered context, each call that needs it asks
/// again, and fails while the library refuses. For a context of other code, the library is asked again when the next
/// context is left, but never while a context is entered, because work would run in the wrong context.
#[rule(CTX_04, CTX_08, CTX_09, CTX_11, CTX_14)]
pub(crate) struct Restore {
    api: Api,
    before: Before,
    /// The context that is current until this is dropped.
    within: Option<RawContext>,
    /// The context to leave current if none was current before.
    home: Option<RawContext>,
    /// The default context that is current until this is dropped, and that stays current if the library refuses.
    instead: Option<Left>,
}

impl Restore {
    /// For the time during which `within` is current.
    #[inline]
    pub(crate) fn around(api: Api, within: RawContext) -> Self {
        let home = within.home(api);
        let instead = home.filter(|_| !within.is_made()).map(|home| Left::now(api, home));
        Self { api, before: Before::here(api), within: Some(within), home, instead }
    }

    /// For a call that makes a new context of a device current.
    pub(crate) fn around_creating(api: Api, default: Option<RawContext>) -> Self {
        Self { api, before: Before::here(api), within: None, home: default, instead: None }
    }

    /// For a call that sets a device.
    pub(crate) fn around_setting(api: Api) -> Self {
        Self { api, before: Before::here(api), within: None, home: None, instead: None }
    }

    /// For a call that may end the default context of a device, which may be the current context (CTX-06).
    pub(crate) fn around_resetting(api: Api, device: i32) -> Self {
        Before::retry_restore(api);
        api.resets().begin(device);
        let before = match Before::here(api) {
            Before::Foreign(_) if api.current_device().is_none_or(|current| current == device) => Before::Nothing,
            Before::Left(left) if left.device() == device => Before::Nothing,
            before => before,
        };
        Self { api, before, within: None, home: None, instead: None }
    }

    /// Records that the device was set, and its default context, if the library said which that is.
    pub(crate) fn has_set(&mut self, device: i32, default: Option<RawContext>) {
        let default = default.unwrap_or_else(|| RawContext::unnamed_default_of(self.api, device));
        let default = Left::now(self.api, default);
        self.instead = Some(default);
        if matches!(self.before, Before::Nothing) {
            self.before = Before::Set(default);
        }
    }

    /// Records the new context.
    pub(crate) fn has_created(&mut self, context: RawContext) {
        self.within = Some(context);
    }

    /// Records that the context has ended, so it is not restored.
    pub(crate) fn without(&mut self, ended: RawContext) {
        self.within = None;
        standing::has_ended(self.api, ended);
        if let Before::Entered(before) | Before::Foreign(before) = self.before
            && before.is(ended)
        {
            self.before = Before::Nothing;
        }
        if let Before::Owed(owed) = self.before
            && owed.left.context().is(ended)
        {
            self.before = Before::Nothing;
        }
    }

    fn leave_home(&self) -> Result<(), Error> {
        let Some(home) = self.home else {
            // Nothing else can be made current.
            return Err(RawContext::has_no_name());
        };
        home.make_current(self.api)?;
        standing(self.api, |own| own.left.set(Some(Left::now(self.api, home))));
        Ok(())
    }

    /// Makes a default context current again that this crate had left current. It may end at any time: if the device is
    /// reset during the call, another context is made current at once.
    #[inline]
    fn return_to(&self, left: Left) -> Result<(), Error> {
        if left.is_alive() && left.context().make_current(self.api).is_ok() && left.is_alive() {
            return Ok(());
        }
        self.leave_home()
    }

    /// Records what stays current, because the library refused to make another context current.
    fn note_what_stays(&self) {
        self.within.filter(|within| within.is_made()).into_iter().for_each(|within| standing::stays(self.api, within));
        if let Some(instead) = self.instead {
            standing(self.api, |own| own.left.set(Some(instead)));
        }
    }
}

impl Api {
    /// The device of this thread's current context. `None` if there is no current context, or if the current one is a
    /// default context that this crate left current and that may have ended.
    pub(crate) fn chosen_device(self) -> Option<i32> {
        Before::retry_restore(self);
        match Before::here(self) {
            Before::Nothing => None,
            _ => self.current_device(),
        }
    }
}

impl Before {
    /// Makes the context of other code current that is still to be restored, if the library agrees now.
    fn retry_restore(api: Api) {
        if let Self::Owed(owed) = Self::here(api)
            && owed.left.context().make_current(api).is_ok()
        {
            standing(api, |own| own.owed.set(None));
        }
    }

    #[inline]
    fn here(api: Api) -> Self {
        if let Some(context) = standing(api, |own| own.entered.get()).flatten() {
            return Self::Entered(context);
        }
        let current = RawContext::current(api);
        Self::left_here(api, current).unwrap_or_else(|| Self::found(api, current))
    }

    /// The default context that this crate left current, if it is current and alive and no other note exists.
    #[inline]
    fn left_here(api: Api, current: Option<RawContext>) -> Option<Self> {
        let left = |own: &Standing| if own.owed.is_some() || own.stays.is_some() { None } else { own.left.get() };
        let left = standing(api, left).flatten()?;
        (left.context().is(current?) && left.is_alive()).then_some(Self::Left(left))
    }

    #[inline(never)]
    fn found(api: Api, current: Option<RawContext>) -> Self {
        let (owed, left, stays) =
            standing(api, |own| (own.owed.get(), own.left.get(), own.stays.get())).unwrap_or_default();
        if let Some(owed) = owed.filter(|owed| owed.stands(current)) {
            return Self::Owed(owed);
        }
        let Some(current) = current else { return Self::Nothing };
        let left = left.map(|left| left.found(current));
        if let Some(Some(found)) = left {
            standing(api, |own| own.left.set(Some(found)));
        }
        match left {
            // It could not be left before, and the program did not choose it.
            _ if stays.is_some_and(|context| context.is(current)) => Self::Nothing,
            None | Some(None) => Self::Foreign(current),
            Some(Some(left)) if left.is_alive() => Self::Left(left),
            Some(Some(_)) => Self::Nothing,
        }
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        let mut owed = None;
        let restored = match self.before {
            Before::Entered(context) => {
                let restored = context.make_current(self.api);
                standing::displaces(self.api, restored.is_err());
                restored
            }
            Before::Foreign(context) => {
                let restored = context.make_current(self.api);
                owed = restored.is_err().then(|| Left::now(self.api, context));
                restored
            }
            Before::Owed(Owed { left, .. }) => match left.is_alive().then(|| left.context().make_current(self.api)) {
                Some(Ok(())) if left.is_alive() => Ok(()),
                Some(Err(refused)) => {
                    owed = Some(left);
                    Err(refused)
                }
                _ => self.leave_home(),
            },
            Before::Left(left) => self.return_to(left),
            Before::Set(default) => {
                standing(self.api, |own| own.left.set(Some(default)));
                Ok(())
            }
            Before::Nothing if self.within.is_none() && self.home.is_none() => Ok(()),
            Before::Nothing => self.leave_home(),
        };
        let may_owe = owed.is_some() || standing(self.api, |own| own.owed.is_some()).unwrap_or_default();
        if may_owe && !matches!(self.before, Before::Entered(_)) {
            let owed = owed.map(|left| Owed::now(self.api, left));
            standing(self.api, |own| own.owed.set(owed));
        }
        if restored.is_err() {
            self.note_what_stays();
        }
    }
}
