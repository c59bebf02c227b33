//! The context in which a call is made, as far as the caller can prove it.

use super::Api;
use super::admission::Admission;
use super::call::{AtOnce, Current, Plain, Ready};
use super::condition::SelectsContext;
use super::home::Home;
use super::owner::Owner;
use super::plain::PlainCalls;
use crate::device_allocator::ContextId;
use crate::error::Boxed;
use ascendcl_sys::Library;
use core::marker::PhantomData;

/// A library, and one of its contexts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    api: Api,
    /// The context's number, or [`UNPROVEN`].
    context: u64,
    /// The word of pinned memory in that context ([`Home::in_context`]).
    pinned: u64,
    /// Those of the library.
    plain: &'static PlainCalls,
}

/// A value that is not the number of any context, nor that of an object without a context.
const UNPROVEN: u64 = u64::MAX;

/// A [`Site`] whose context is the one that this thread has entered: the caller has its `Current`, or the site names no
/// context.
///
/// A thread uses the `Current` of the context that it entered last, because entering another context takes the
/// `Current` away. So a caller that has a `Current` need not ask which context the thread has entered. It compares an
/// object's owner with the context's number that it has.
///
/// A `Here` lives as long as the borrow of the `Current`, and like that it stays on its thread.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    site: &'a Site,
    _on_this_thread: PhantomData<*const ()>,
}

impl Site {
    pub(crate) fn of(api: Api, context: ContextId) -> Self {
        Self::with(api, context.number())
    }

    /// For callers without a `Current`: each object then asks which context this thread has entered.
    #[inline]
    pub(crate) fn unproven(api: Api) -> Self {
        Self::with(api, UNPROVEN)
    }

    #[inline]
    fn with(api: Api, context: u64) -> Self {
        Self { api, context, pinned: Home::Pinned.in_context(context), plain: api.loading().plain() }
    }

    #[inline(always)]
    pub(super) fn api(&self) -> Api {
        self.api
    }

    /// The result of `found!` for functions that choose a context, and need none.
    ///
    /// # Safety
    ///
    /// `_of` is `ascendcl_sys::pointers_of` for the function `F`, as for every [`keep`](Self::keep).
    #[inline(always)]
    pub(super) unsafe fn found<F, P: Copy, E>(&self, _of: impl FnOnce(&Library) -> Result<P, E>) -> Option<P>
    where
        F: Plain<Need = SelectsContext>,
    {
        // SAFETY: `find` asks for the type of what was kept at this place. The callers keep there what `_of` returns.
        if SelectsContext::passes() { unsafe { self.plain.find::<P>(F::PLACE) } } else { None }
    }

    /// Lets the next call find the function by one look.
    ///
    /// # Safety
    ///
    /// `of` is `ascendcl_sys::pointers_of` for the function `F`, so that [`found`](Self::found) gives a pointer of its type.
    #[cold]
    pub(super) unsafe fn keep<F: Plain, P: Copy, E>(&self, of: impl FnOnce(&Library) -> Result<P, E>) {
        self.api.loading().keep(F::PLACE, of);
    }

    /// On a site that names a context, only the `Current` of that context may call this. Any code may call it on a site
    /// that names none.
    #[inline]
    pub(crate) fn here(&self) -> Here<'_> {
        Here { site: self, _on_this_thread: PhantomData }
    }
}

impl Here<'_> {
    #[inline]
    pub(crate) fn api(self) -> Api {
        self.site.api
    }

    /// Whether it is certain, without a further look, that this thread has entered the owner's context.
    #[inline]
    pub(super) fn is_in(self, owner: Owner) -> bool {
        self.has(owner.number())
    }

    /// Whether it is certain, without a further look, that this thread has entered the context with this number.
    #[inline]
    pub(super) fn has(self, context: u64) -> bool {
        context == self.site.context
    }

    /// Whether this is the word of pinned memory in the context that this thread has entered, for certain.
    #[inline(always)]
    pub(super) fn has_pinned(self, word: u64) -> bool {
        word == self.site.pinned
    }

    /// Whether work is queued on a stream without a further look.
    #[inline(always)]
    pub(super) fn admits(self, admission: &Admission) -> bool {
        admission.is_for(self.site.context)
    }

    /// An error in a forked child. Call this before any lock is taken.
    #[inline]
    pub(crate) fn of_this_process(self) -> Result<(), Boxed> {
        if self.site.api.loading().is_plain() { Ok(()) } else { self.of_this_process_after_all() }
    }

    /// The result of `found!`. The code that loaded the library guarantees that its functions have the signatures of the
    /// table.
    ///
    /// # Safety
    ///
    /// `_of` is `ascendcl_sys::pointers_of` for the function `F`, as for every [`keep`](Self::keep).
    #[inline(always)]
    pub(super) unsafe fn found<F, P: Copy, E>(self, _of: impl FnOnce(&Library) -> Result<P, E>) -> Option<P>
    where
        F: Plain<Need: AtOnce>,
    {
        // SAFETY: `find` asks for the type of what was kept at this place. The callers keep there what `_of` returns.
        if F::Need::passes() { unsafe { self.site.plain.find::<P>(F::PLACE) } } else { None }
    }

    /// Lets the next call find the function by one look.
    ///
    /// # Safety
    ///
    /// `of` is `ascendcl_sys::pointers_of` for the function `F`, so that [`found`](Self::found) gives a pointer of its type.
    #[cold]
    pub(super) unsafe fn keep<F: Plain, P: Copy, E>(self, of: impl FnOnce(&Library) -> Result<P, E>) {
        // SAFETY: `Site::keep` asks that `of` is `ascendcl_sys::pointers_of` for the function. This function asks its caller
        // for that.
        unsafe { self.site.keep::<F, P, E>(of) };
    }

    /// The library, after the checks of a call in the current context.
    #[inline]
    pub(super) fn ready(self) -> Result<Ready<Current>, Boxed> {
        if self.site.api.loading().is_plain() { Ok(Ready::checked(self.site.api)) } else { self.ready_after_all() }
    }

    #[cold]
    #[inline(never)]
    fn of_this_process_after_all(self) -> Result<(), Boxed> {
        self.api().is_of_this_process().map_err(Boxed::from)
    }

    #[cold]
    #[inline(never)]
    fn ready_after_all(self) -> Result<Ready<Current>, Boxed> {
        self.api().ready().map_err(Boxed::from)
    }
}
