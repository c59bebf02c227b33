//! Running foreign code.

use super::context::{CurrentContext, LeftCurrent};
use super::created::{self, CreatedContext};
use super::thread_notes;
use super::{Api, RawContext};
use crate::error::Error;

/// Exists while foreign code runs. When it ends, it makes the context from before current again.
pub(crate) struct Outside {
    api: Api,
    context: RawContext,
    /// Is there if the thread has not entered the context: then the code may end it with calls of this crate.
    may_end: Option<(LeftCurrent, Option<CreatedContext>)>,
}

impl Outside {
    pub(crate) fn of(context: RawContext, api: Api) -> Self {
        Self { api, context, may_end: None }
    }

    /// For the context that is current here. `None` if none is, and the thread has entered none.
    ///
    /// A context that the thread could not leave counts as none: the program did not choose it, and any thread may destroy
    /// it as soon as the code has left it (CTX-11).
    pub(crate) fn here(api: Api) -> Option<Self> {
        let is_chosen = |context: &RawContext| !thread_notes::stays_in(api, *context);
        let context = match CurrentContext::of_this_thread(api) {
            CurrentContext::Is(context) => Some(context).filter(is_chosen).or_else(|| thread_notes::entered(api)),
            CurrentContext::None | CurrentContext::Unknown | CurrentContext::NotAsked => thread_notes::entered(api),
        };
        context.map(|context| {
            let is_entered = thread_notes::entered(api).is_some_and(|entered| entered.is(context));
            let made = || created::at_address(api.resets(), context.raw().addr());
            let may_end = (!is_entered).then(|| (LeftCurrent::now(api, context), made()));
            Self { api, context, may_end }
        })
    }

    /// Whether this crate has ended the context meanwhile, or reset a device that may be the context's.
    fn has_ended(&self) -> bool {
        // A reset does not end a context that was created, and of others the device may be unknown.
        let is_alive = |(left, made): (LeftCurrent, Option<CreatedContext>)| {
            made.map_or_else(|| left.is_alive(), CreatedContext::is_alive)
        };
        self.may_end.is_some_and(|context| !is_alive(context))
    }

    /// Makes the context from before current again. Returns whether the foreign code left another context current (`false` if
    /// the library does not say), and the error if the library refused.
    pub(crate) fn end(self) -> (bool, Option<Error>) {
        let ended = self.put_back();
        core::mem::forget(self);
        ended
    }

    fn put_back(&self) -> (bool, Option<Error>) {
        let is_known = match CurrentContext::of_this_thread(self.api) {
            CurrentContext::Is(found) if found.is(self.context) => return (false, None),
            // A reset of its device leaves none (CTX-06), and may have been a call of the other code.
            CurrentContext::None if self.may_end.is_some() => return (true, None),
            CurrentContext::Is(_) | CurrentContext::None => true,
            CurrentContext::Unknown | CurrentContext::NotAsked => false,
        };
        if self.has_ended() {
            return (is_known, None);
        }
        let refused = self.context.make_current(self.api).err().map(Error::from);
        // Code may have begun in another context than the entered one, inside of other foreign code for example.
        if thread_notes::entered(self.api).is_some_and(|entered| entered.is(self.context)) {
            thread_notes::set_displaced(self.api, refused.is_some());
        }
        (is_known, refused)
    }
}

impl Drop for Outside {
    /// Runs on unwind.
    fn drop(&mut self) {
        let _ = self.put_back();
    }
}
