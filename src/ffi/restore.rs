//! Puts back the context that was current on this thread before a call of this crate.

use super::Api;
use super::context::{CurrentContext, LeftCurrent, RawContext};
use super::created::{self, CreatedContext};
use super::thread_notes::{self, Unrestored, with_notes};
use crate::error::Boxed;
use ascendcl_macros::rule;

/// What was current before a call of this crate changed it.
#[derive(Clone, Copy)]
enum Before {
    /// Nothing, or something that may have ended since.
    Nothing,
    /// The context of the innermost `Current`, which outlives the call.
    Entered(RawContext),
    /// A context that code outside this crate chose.
    Foreign(RawContext),
    /// A context of this crate that code outside this crate chose.
    Chosen(RawContext, CreatedContext),
    /// A context that code outside this crate chose, and that the library refused to make current again when the thread
    /// left the outermost scope.
    Unrestored(Unrestored),
    /// A default context that this crate left current. Other code may rely on it until its device is reset.
    Left(LeftCurrent),
    /// No context was current when a device was set. The default context of that device stays current.
    Set(LeftCurrent),
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
    /// The context to leave current if none was current before. `None` for the default context of `within`.
    home: Option<RawContext>,
    /// The default context that is current until this is dropped, and that stays current if the library refuses.
    instead: Option<LeftCurrent>,
}

impl Restore {
    /// For the time during which `within` is current.
    #[inline(always)]
    pub(crate) fn around(api: Api, within: RawContext) -> Self {
        let instead = if within.is_created() { None } else { within.home(api).map(|home| LeftCurrent::now(api, home)) };
        Self { api, before: Before::here(api), within: Some(within), home: None, instead }
    }

    /// For the time during which a context that this crate created is current, after the default context that this
    /// crate had left current.
    pub(super) fn after_left(api: Api, left: LeftCurrent, within: RawContext) -> Self {
        Self { api, before: Before::Left(left), within: Some(within), home: None, instead: None }
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
            Before::Foreign(_) | Before::Chosen(..) if api.current_device().is_none_or(|current| current == device) => {
                Before::Nothing
            }
            Before::Left(left) if left.device() == device => Before::Nothing,
            before => before,
        };
        if let Before::Entered(_) = before {
            // The reset may take the entered context off this thread. Code of the program that runs before it is current
            // again (a subscriber of `tracing`, an allocator) asks for it first.
            thread_notes::set_displaced(api, true);
        }
        Self { api, before, within: None, home: None, instead: None }
    }

    /// Records that the device was set, and its default context, if the library said which that is.
    pub(crate) fn record_device_set(&mut self, device: i32, default: Option<RawContext>) {
        let default = default.unwrap_or_else(|| RawContext::default_without_handle(self.api, device));
        thread_notes::record_current(self.api, default);
        let default = LeftCurrent::now(self.api, default);
        self.instead = Some(default);
        if matches!(self.before, Before::Nothing) {
            self.before = Before::Set(default);
        }
    }

    /// Records the new context. If this crate created it, it is current.
    pub(crate) fn record_created(&mut self, context: RawContext) {
        if context.is_created() {
            thread_notes::record_current(self.api, context);
        }
        self.within = Some(context);
    }

    /// Records that the device was reset. If a default context of it that this crate had left current is not current any
    /// more, forgets it: the device's next default context may have its handle.
    pub(crate) fn record_device_reset(&self) {
        let left = with_notes(self.api, |own| own.left().get()).flatten();
        if let Some(left) = left.filter(|left| !left.is_alive())
            && CurrentContext::of_this_thread(self.api).is_another_than(self.api, left)
        {
            with_notes(self.api, |own| own.left().set(None));
        }
    }

    /// Records that the context has ended, so it is not restored.
    pub(crate) fn without(&mut self, ended: RawContext) {
        self.home = self.home();
        self.within = None;
        thread_notes::forget_owed(self.api, ended);
        // What is entered outlives the call: an entered default context goes on when a visit within it ends.
        if let Before::Foreign(before) | Before::Chosen(before, _) = self.before
            && before.is(ended)
        {
            self.before = Before::Nothing;
        }
        if let Before::Unrestored(owed) = self.before
            && owed.left.context().is(ended)
        {
            self.before = Before::Nothing;
        }
    }

    fn home(&self) -> Option<RawContext> {
        self.home.or_else(|| self.within?.home(self.api))
    }

    #[cold]
    #[inline(never)]
    fn make_default_current(&self) -> Result<(), Boxed> {
        let Some(home) = self.home() else {
            // Nothing else can be made current.
            return Err(RawContext::null_context_error().into());
        };
        home.make_current(self.api)?;
        with_notes(self.api, |own| own.left().set(Some(LeftCurrent::now(self.api, home))));
        Ok(())
    }

    /// Makes a default context current again that this crate had left current. It may end at any time: if the device is
    /// reset during the call, this makes another context current.
    #[inline]
    fn return_to(&self, left: LeftCurrent) -> Result<(), Boxed> {
        if left.is_alive() && left.context().make_current(self.api).is_ok() && left.is_alive() {
            // A visit within this one may have left another one.
            with_notes(self.api, |own| own.left().set(Some(left)));
            return Ok(());
        }
        self.make_default_current()
    }

    /// Makes a context of this crate current again. Another thread may destroy it at any time; then this makes a
    /// default context current instead. If the library refuses, it does the same, and also returns the context.
    #[cold]
    #[inline(never)]
    fn return_to_chosen(&self, context: RawContext, made: CreatedContext) -> (Result<(), Boxed>, Option<Unrestored>) {
        match made.is_alive().then(|| context.make_current(self.api)) {
            Some(Ok(())) if made.is_alive() => (Ok(()), None),
            Some(Err(_)) if made.is_alive() => {
                let home = self.make_default_current();
                (home, Some(Unrestored::now(self.api, LeftCurrent::now(self.api, context), Some(made))))
            }
            _ => (self.make_default_current(), None),
        }
    }

    /// Makes a context of other code current again. Also returns the context if the library refused.
    #[cold]
    #[inline(never)]
    fn return_to_foreign(&self, context: RawContext) -> (Result<(), Boxed>, Option<Unrestored>) {
        let restored = context.make_current(self.api);
        let owed = restored.is_err().then(|| Unrestored::now(self.api, LeftCurrent::now(self.api, context), None));
        (restored, owed)
    }

    /// The same for a context of other code that the library refused to make current before.
    #[cold]
    #[inline(never)]
    fn return_to_owed(&self, owed: Unrestored) -> (Result<(), Boxed>, Option<Unrestored>) {
        match owed.is_alive().then(|| owed.left.context().make_current(self.api)) {
            Some(Ok(())) if owed.is_alive() => (Ok(()), None),
            Some(Err(refused)) if owed.is_alive() => (Err(refused), Some(owed.again(self.api))),
            _ => (self.make_default_current(), None),
        }
    }

    /// Records which context of other code is still to be restored, if any.
    #[cold]
    #[inline(never)]
    fn note_what_is_owed(&self, owed: Option<Unrestored>) {
        with_notes(self.api, |own| own.owed().set(owed));
    }

    /// Records what stays current, because the library refused to make another context current. That need not be
    /// `within` or `instead`: the library may have refused to make them current, too.
    #[cold]
    #[inline(never)]
    fn note_what_stays(&self) {
        let left = with_notes(self.api, |own| own.left().get()).flatten();
        let (stays, leaves) = match CurrentContext::of_this_thread(self.api) {
            CurrentContext::Is(current) => (
                self.within.filter(|within| within.is(current)),
                self.instead.filter(|_| left.is_none_or(|left| !left.context().is(current))),
            ),
            CurrentContext::Unknown if thread_notes::stays_somewhere(self.api) => (None, self.instead),
            CurrentContext::Unknown => (self.within, self.instead),
            CurrentContext::None | CurrentContext::NotAsked => return,
        };
        if let Some(within) = stays.filter(|within| within.is_created()) {
            thread_notes::record_staying(self.api, within);
        }
        if let Some(instead) = leaves {
            with_notes(self.api, |own| own.left().set(Some(instead)));
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
        if let Self::Unrestored(owed) = Self::here(api)
            && owed.left.context().make_current(api).is_ok()
        {
            let home = with_notes(api, |own| {
                own.owed().set(None);
                own.left().get().filter(LeftCurrent::is_alive)
            });
            if let Some(home) = home.flatten().filter(|_| !owed.is_alive()) {
                // Another context may have its address by now.
                let _ = home.context().make_current(api);
            }
        }
    }

    #[inline(always)]
    fn here(api: Api) -> Self {
        let noted = with_notes(api, |own| match own.entered().get() {
            Some(context) => Some(Self::Entered(context)),
            None if own.owed().is_some() || own.stays().is_some() => None,
            None => own.left().get().map(Self::Left),
        });
        let noted = noted.flatten();
        if let Some(Self::Entered(context)) = noted {
            return Self::Entered(context);
        }
        let current = RawContext::current(api);
        match (noted, current) {
            (Some(Self::Left(left)), Some(current)) if left.context().is(current) && left.is_alive() => {
                Self::Left(left)
            }
            _ => Self::found(api, current),
        }
    }

    #[inline(never)]
    fn found(api: Api, current: Option<RawContext>) -> Self {
        let (owed, left) = with_notes(api, |own| (own.owed().get(), own.left().get())).unwrap_or_default();
        if let Some(owed) = owed.filter(|owed| owed.stands(current)) {
            return Self::Unrestored(owed);
        }
        let Some(current) = current else { return Self::Nothing };
        let left = left.map(|left| left.found(api, current));
        if let Some(Some(found)) = left {
            with_notes(api, |own| own.left().set(Some(found)));
        }
        match left {
            // It could not be left before, and the program did not choose it.
            _ if thread_notes::stays_in(api, current) => Self::Nothing,
            None | Some(None) => match created::at_address(api.resets(), current.raw().addr()) {
                Some(made) => Self::Chosen(current, made),
                None => Self::Foreign(current),
            },
            Some(Some(left)) if left.is_alive() => Self::Left(left),
            Some(Some(_)) => Self::Nothing,
        }
    }
}

impl Drop for Restore {
    #[inline(always)]
    fn drop(&mut self) {
        if self.api.check_process().is_err() {
            // A forked child makes no call, and takes no lock.
            return;
        }
        let (restored, owed) = match self.before {
            Before::Entered(context) => {
                let restored = context.make_current(self.api);
                thread_notes::set_displaced(self.api, restored.is_err());
                (restored, None)
            }
            Before::Left(left) => (self.return_to(left), None),
            Before::Foreign(context) => self.return_to_foreign(context),
            Before::Chosen(context, made) => self.return_to_chosen(context, made),
            Before::Unrestored(owed) => self.return_to_owed(owed),
            Before::Set(default) => {
                with_notes(self.api, |own| own.left().set(Some(default)));
                (Ok(()), None)
            }
            Before::Nothing if self.within.is_none() && self.home.is_none() => (Ok(()), None),
            Before::Nothing => (self.make_default_current(), None),
        };
        let is_entered = matches!(self.before, Before::Entered(_));
        if !is_entered {
            // The thread has left its outermost context, so none can be displaced.
            thread_notes::set_displaced(self.api, false);
        }
        if !is_entered && (owed.is_some() || with_notes(self.api, |own| own.owed().is_some()).unwrap_or_default()) {
            self.note_what_is_owed(owed);
        }
        if restored.is_err() {
            self.note_what_stays();
        }
    }
}
