//! The context in which a call is made, as far as the caller can prove it.

use super::Api;
use super::call::{Begins, Current, Ready};
use super::owner::Owner;
use crate::device_allocator::ContextId;
use crate::error::Boxed;
use core::marker::PhantomData;

/// A library, and one of its contexts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    api: Api,
    /// The context's number, or [`UNPROVEN`].
    context: u64,
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
        Self { api, context: context.number() }
    }

    /// For callers without a `Current`: each object then asks which context this thread has entered.
    #[inline]
    pub(crate) fn unproven(api: Api) -> Self {
        Self { api, context: UNPROVEN }
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

    /// An error in a forked child. Call this before any lock is taken.
    #[inline]
    pub(crate) fn of_this_process(self) -> Result<(), Boxed> {
        if self.site.api.loading().is_plain() { Ok(()) } else { self.of_this_process_after_all() }
    }

    /// Like [`ready`](Self::ready); `None` when further checks are needed.
    #[inline(always)]
    pub(super) fn ready_for_certain(self) -> Option<Ready<Current>> {
        if self.site.api.loading().is_plain() { Some(Ready::checked(self.site.api)) } else { None }
    }

    /// The library, for a call that may call code of the program, or that code of the program may not make; `None` when
    /// further checks are needed.
    #[inline(always)]
    pub(super) fn begins_for_certain(self) -> Option<Ready<Begins>> {
        Ready::to_begin(self.site.api)
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
