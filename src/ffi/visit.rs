//! Entering a context, and leaving it.

use super::api::Api;
use super::call::{NoSuccess, call_found};
use super::context::{Entered, Left, MAKING_CURRENT, RawContext};
use super::here::Site;
use super::owner::Owner;
use super::restore::Restore;
use super::standing::notes;
use crate::device_allocator::ContextId;
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtContext;
use core::mem::ManuallyDrop;

/// A context, with what entering it needs.
#[derive(Debug)]
pub(crate) struct Enterable {
    site: Site,
    context: RawContext,
    id: ContextId,
}

impl Enterable {
    pub(crate) fn new(api: Api, context: RawContext, id: ContextId) -> Self {
        Self { site: Site::of(api, id), context, id }
    }

    /// The site of calls through a `Current` of the context.
    #[inline]
    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    #[inline]
    pub(crate) fn context(&self) -> RawContext {
        self.context
    }

    #[inline]
    pub(crate) fn id(&self) -> ContextId {
        self.id
    }

    #[inline]
    pub(super) fn api(&self) -> Api {
        self.site.api()
    }

    /// The owner of what is made in the context.
    #[inline]
    pub(super) fn owner(&self) -> Owner {
        Owner::of(self.id)
    }
}

/// While this value lives, the context that it [enters](Self::enter) is current on this thread, and is the thread's
/// innermost one. Afterwards the context from before is current again, also on unwind.
///
/// It is made first and filled afterwards, so that it need not be moved.
pub(crate) struct Visit<'l> {
    to: &'l Enterable,
    short: Option<Short>,
    /// What was entered is left before the context from before is restored. [`returns`](Self::returns) drops it, so that
    /// the short way has no code for it.
    long: ManuallyDrop<Option<(Entered, Restore)>>,
}

/// What the short way back needs. The short way leads from the default context that this crate left current on this
/// thread into a context that this crate created. It copies little, and calls nothing but the library.
struct Short {
    left: Left,
    outer: Option<ContextId>,
}

impl<'l> Visit<'l> {
    /// The caller guarantees that the context does not end while this value lives.
    #[inline(always)]
    pub(crate) fn of(to: &'l Enterable) -> Self {
        Self { to, short: None, long: ManuallyDrop::new(None) }
    }

    /// Makes the context current.
    ///
    /// # Errors
    ///
    /// That of the library. The context from before is current when this value is dropped.
    #[inline(always)]
    #[rule(CTX_05, CTX_09)]
    pub(crate) fn enter(&mut self) -> Result<(), Error> {
        match self.enters_shortly() {
            Some(Ok(())) => Ok(()),
            Some(Err(answer)) => Err(self.refused(answer)),
            None => self.enters(),
        }
    }

    #[inline(always)]
    fn api(&self) -> Api {
        self.to.api()
    }

    /// Makes the context current, if the short way leads there; else does nothing.
    #[inline(always)]
    fn enters_shortly(&mut self) -> Option<Result<(), NoSuccess>> {
        let Enterable { site, context, id } = self.to;
        let (own, innermost) = notes(site.api())?;
        if !context.is_made() {
            return None;
        }
        let short = self.short.insert(Short { left: own.left_alone()?, outer: innermost.get() });
        if !is_set(short.left.context(), site) || !short.left.is_alive() {
            return None;
        }
        let set = set(context, site)?;
        if set.is_ok() {
            own.enters_first(context);
            innermost.set(Some(*id));
        }
        Some(set)
    }

    #[cold]
    #[inline(never)]
    fn refused(&self, answer: NoSuccess) -> Error {
        answer.into_error(self.api(), MAKING_CURRENT).into()
    }

    #[cold]
    #[inline(never)]
    fn enters(&mut self) -> Result<(), Error> {
        self.short = None;
        let (api, context) = (self.api(), self.to.context);
        api.is_of_this_process()?;
        let restore = Restore::around(api, context);
        context.make_current(api)?;
        *self.long = Some((Entered::into(context, api, self.to.id), restore));
        Ok(())
    }

    /// Makes the context from before current again. Dropping the value does the same, and takes longer.
    #[inline(always)]
    pub(crate) fn leave(&mut self) {
        if self.short.as_ref().is_some_and(|short| self.returns_shortly(short)) {
            self.short = None;
        }
    }

    #[inline(always)]
    fn returns_shortly(&self, Short { left, outer }: &Short) -> bool {
        let Some((own, innermost)) = notes(self.api()) else { return false };
        innermost.set(*outer);
        // The default context may end at any time: if its device is reset during the call, another context is made
        // current at once.
        own.leaves_first()
            && left.is_alive()
            && matches!(set(left.context(), &self.to.site), Some(Ok(())))
            && left.is_alive()
    }

    #[cold]
    #[inline(never)]
    fn returns(&mut self) {
        if let Some(Short { left, outer }) = self.short.take() {
            if let Some((own, innermost)) = notes(self.api()) {
                innermost.set(outer);
                own.leaves_first();
            }
            drop(Restore::after_left(self.api(), left, self.to.context));
        }
        drop(self.long.take());
    }
}

impl Drop for Visit<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.short.is_some() || self.long.is_some() {
            self.returns();
        }
    }
}

/// Makes the context current if that needs no further check. `None` if it does: nothing has happened. The caller sees to
/// what stayed current.
#[inline(always)]
fn set(context: &RawContext, site: &Site) -> Option<Result<(), NoSuccess>> {
    // SAFETY: the function asks for a handle of a context. The library looks the handle up and returns an error for an
    // unknown one. A handle that may be dead is never passed (see `RawContext`).
    unsafe { call_found!(site.aclrtSetCurrentContext(aclrtContext(context.raw()))) }
}

/// Whether this context is current for certain.
#[inline(always)]
fn is_set(context: &RawContext, site: &Site) -> bool {
    let mut current = aclrtContext::NULL;
    // SAFETY: the function writes the handle to `current` during the call; a pointer to a live local is valid for writes
    // (`core::ptr`, "Safety").
    let answer = unsafe { call_found!(site.aclrtGetCurrentContext(&raw mut current)) };
    // The handle of an unnamed context is null.
    matches!(answer, Some(Ok(()))) && !current.is_null() && current.0 == context.raw()
}
