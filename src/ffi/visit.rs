//! Entering a context, and leaving it.

use super::api::Api;
use super::call::{FailedCall, call_cached, functions};
use super::context::{Entered, LeftCurrent, MAKING_CURRENT, RawContext};
use super::here::{OutsideCallbacks, Select, Site};
use super::owner::Owner;
use super::restore::Restore;
use super::thread_notes::{Innermost, notes};
use crate::device_allocator::ContextId;
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtContext;
use core::mem::ManuallyDrop;

type NotMadeCurrent = FailedCall<functions::aclrtSetCurrentContext>;

/// A context, with everything that is needed to enter it.
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
/// [`of`](Self::of) creates it empty and [`enter`](Self::enter) fills it in place, so that it is not moved.
pub(crate) struct Visit<'l> {
    to: &'l Enterable,
    fast: Option<FastEntry>,
    /// The entry is dropped before the context from before is restored. [`leave_slow`](Self::leave_slow) drops both, so
    /// that the fast path has no code for them.
    slow: ManuallyDrop<Option<(Entered, Restore)>>,
}

/// What the fast path back needs. The fast path enters a context that this crate created, from the default context that
/// this crate left current on this thread. It copies little, and calls nothing but the library.
struct FastEntry {
    left: LeftCurrent,
    outer: Innermost,
    /// The thread was outside of callbacks when it entered the context, and it leaves it in the same function.
    outside: OutsideCallbacks,
}

impl<'l> Visit<'l> {
    /// The caller guarantees that the context does not end while this value lives.
    #[inline(always)]
    pub(crate) fn of(to: &'l Enterable) -> Self {
        Self { to, fast: None, slow: ManuallyDrop::new(None) }
    }

    /// Makes the context current.
    ///
    /// # Errors
    ///
    /// That of the library. The context from before is current when this value is dropped.
    #[inline(always)]
    #[rule(CTX_05, CTX_09)]
    pub(crate) fn enter(&mut self) -> Result<(), Error> {
        match self.enter_fast() {
            Some(Ok(())) => Ok(()),
            Some(Err(answer)) => Err(self.refused(answer)),
            None => self.enter_slow(),
        }
    }

    #[inline(always)]
    fn api(&self) -> Api {
        self.to.api()
    }

    /// Makes the context current by the fast path. `None` if that is not possible; then nothing has happened.
    #[inline(always)]
    fn enter_fast(&mut self) -> Option<Result<(), NotMadeCurrent>> {
        let Enterable { site, context, id } = self.to;
        let (own, innermost) = notes(site.api())?;
        let outside = OutsideCallbacks::now()?;
        let (is_only, left) = own.only_left_current();
        if !context.is_created() || !is_only {
            return None;
        }
        let fast = self.fast.insert(FastEntry { left, outer: innermost.get(), outside });
        let select = site.select(outside);
        if !is_current(fast.left.context(), select) || !fast.left.is_alive() {
            return None;
        }
        let made_current = make_current(context, select)?;
        if made_current.is_ok() {
            own.enter_outermost(context);
            innermost.set(Innermost(Some(*id)));
        }
        Some(made_current)
    }

    #[cold]
    #[inline(never)]
    fn refused(&self, failed: NotMadeCurrent) -> Error {
        failed.into_error(self.api(), MAKING_CURRENT).into()
    }

    #[cold]
    #[inline(never)]
    fn enter_slow(&mut self) -> Result<(), Error> {
        self.fast = None;
        let (api, context) = (self.api(), self.to.context);
        api.check_process()?;
        let restore = Restore::around(api, context);
        context.make_current(api)?;
        *self.slow = Some((Entered::into(context, api, self.to.id), restore));
        Ok(())
    }

    #[inline(always)]
    fn leave_fast(&self, FastEntry { left, outer, outside }: &FastEntry) -> bool {
        let Some((own, innermost)) = notes(self.api()) else { return false };
        innermost.set(*outer);
        // A visit within this one may have left another default context. And this one may end at any time: if its device is
        // reset during the call, the slow path makes another context current.
        own.leave_outermost()
            && own.has_left_current(left)
            && left.is_alive()
            && matches!(make_current(left.context(), self.to.site.select(*outside)), Some(Ok(())))
            && left.is_alive()
    }

    #[cold]
    #[inline(never)]
    fn leave_slow(&mut self) {
        if let Some(FastEntry { left, outer, .. }) = self.fast.take() {
            if let Some((own, innermost)) = notes(self.api()) {
                innermost.set(outer);
                own.leave_outermost();
            }
            drop(Restore::after_left(self.api(), left, self.to.context));
        }
        drop(self.slow.take());
    }
}

/// Makes the context from before current again.
impl Drop for Visit<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.fast.as_ref().is_some_and(|fast| self.leave_fast(fast)) {
            self.leave_slow();
        }
    }
}

/// Makes the context current. `None` when further checks are needed; then nothing has happened. Unlike
/// [`RawContext::make_current`], this does not update the note about a context that stayed current.
#[inline(always)]
fn make_current(context: &RawContext, select: Select<'_>) -> Option<Result<(), NotMadeCurrent>> {
    // SAFETY: the function asks for a handle of a context. The library looks the handle up and returns an error for an
    // unknown one. A handle that may be dead is never passed (see `RawContext`).
    unsafe { call_cached!(select.aclrtSetCurrentContext(aclrtContext(context.raw()))) }
}

/// Whether this context is current for certain.
#[inline(always)]
fn is_current(context: &RawContext, select: Select<'_>) -> bool {
    let mut current = aclrtContext::NULL;
    // SAFETY: the function writes the handle to `current` during the call; a pointer to a live local is valid for writes
    // (`core::ptr`, "Safety").
    let answer = unsafe { call_cached!(select.aclrtGetCurrentContext(&raw mut current)) };
    // The handle of an unnamed context is null.
    matches!(answer, Some(Ok(()))) && !current.is_null() && current.0 == context.raw()
}
