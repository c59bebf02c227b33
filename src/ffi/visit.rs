//! Entering a context, and leaving it.

use super::api::Api;
use super::call::{FailedCall, call_cached, functions};
use super::context::{Entered, LeftCurrent, MAKING_CURRENT, RawContext};
use super::here::{Select, Site};
use super::owner::Owner;
use super::restore::Restore;
use super::thread_notes::{Innermost, LibraryNotes, notes};
use crate::callback_guard::OutsideCallbacks;
use crate::device_allocator::ContextId;
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtContext;
use core::cell::Cell;
use core::mem::{self, ManuallyDrop, MaybeUninit};

type NotMadeCurrent = FailedCall<functions::aclrtSetCurrentContext>;

/// A context, with everything that is needed to enter it. The site comes first, because the ledger of the context has its
/// address.
#[derive(Debug)]
#[repr(C)]
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

/// The way into a context and back. [`of`](Self::of) creates it empty and [`enter`](Self::enter) fills it in place, so
/// that it is not moved. Nothing is written that the way does not need.
pub(crate) struct Visit<'l> {
    to: &'l Enterable,
    /// Whether the thread has entered by the slow path. The fast path enters a context that this crate created, from the
    /// default context that this crate left current on this thread. It copies little, and calls nothing but the library.
    is_slow: bool,
    /// The default context that this crate had left current. Is there on the fast path.
    left: MaybeUninit<LeftCurrent>,
    /// The thread's innermost context before. Is there on the fast path.
    outer: MaybeUninit<Innermost>,
    /// Is there on the slow path. The entry is dropped before the context from before is restored.
    slow: MaybeUninit<(Entered, Restore)>,
}

/// While this value lives, the context of the visit is current on this thread, and is the thread's innermost one.
/// Afterwards the context from before is current again, also on unwind.
pub(crate) struct Inside<'v, 'l> {
    visit: &'v mut Visit<'l>,
    /// Is there if the thread entered by the fast path.
    fast: Option<Notes>,
}

/// Where the thread's notes are. Not in the [`Visit`]: so they stay in registers while the program runs.
#[derive(Clone, Copy)]
struct Notes {
    /// These stay the notes of the same library while they say that the thread has entered a context of it.
    own: &'static LibraryNotes,
    innermost: &'static Cell<Innermost>,
    /// The thread was outside of callbacks when it entered the context, and it leaves it in the same function.
    outside: OutsideCallbacks,
}

impl<'l> Visit<'l> {
    /// The caller guarantees that the context does not end while this value lives.
    #[inline(always)]
    pub(crate) fn of(to: &'l Enterable) -> Self {
        let (left, outer, slow) = (MaybeUninit::uninit(), MaybeUninit::uninit(), MaybeUninit::uninit());
        Self { to, is_slow: false, left, outer, slow }
    }

    /// Makes the context current. A caller that has just seen that this thread is outside of callbacks gives the proof.
    ///
    /// # Errors
    ///
    /// That of the library. The context from before is current then.
    #[inline(always)]
    #[rule(CTX_05, CTX_09)]
    pub(crate) fn enter(&mut self, outside: Option<OutsideCallbacks>) -> Result<Inside<'_, 'l>, Error> {
        let fast = match self.enter_fast(outside) {
            Some(Ok(notes)) => Some(notes),
            Some(Err(answer)) => return Err(self.refused(answer)),
            None => self.enter_slow().map(|()| None)?,
        };
        Ok(Inside { visit: self, fast })
    }

    #[inline(always)]
    fn api(&self) -> Api {
        self.to.api()
    }

    /// Makes the context current by the fast path. `None` if that is not possible; then nothing has happened.
    #[inline(always)]
    fn enter_fast(&mut self, outside: Option<OutsideCallbacks>) -> Option<Result<Notes, NotMadeCurrent>> {
        let Enterable { site, context, id } = self.to;
        let (own, innermost) = notes(site.api())?;
        let outside = match outside {
            Some(outside) => outside,
            None => OutsideCallbacks::now()?,
        };
        if !context.is_created() {
            return None;
        }
        let left = own.left().copy_only_to(&mut self.left)?;
        self.outer.write(innermost.get());
        let select = site.select(outside);
        if !is_current(left.context(), select) || !left.is_alive() {
            return None;
        }
        let made_current = make_current(context, select)?;
        if let Err(refused) = made_current {
            return Some(Err(refused));
        }
        own.enter_outermost(context);
        innermost.set(Innermost(Some(*id)));
        Some(Ok(Notes { own, innermost, outside }))
    }

    #[cold]
    #[inline(never)]
    fn refused(&mut self, failed: NotMadeCurrent) -> Error {
        let error = failed.into_error(self.api(), MAKING_CURRENT).into();
        // A refusal is settled in the same way as the end of the visit.
        self.leave_slow();
        error
    }

    #[cold]
    #[inline(never)]
    fn enter_slow(&mut self) -> Result<(), Error> {
        let (api, context) = (self.api(), self.to.context);
        api.check_process()?;
        let restore = Restore::around(api, context);
        context.make_current(api)?;
        self.slow.write((Entered::into(context, api, self.to.id), restore));
        self.is_slow = true;
        Ok(())
    }

    #[inline(always)]
    fn leave_fast(&self, Notes { own, innermost, outside }: Notes) -> bool {
        // SAFETY: `assume_init_ref` asks for values that were written. `enter_fast` writes both before it returns the notes,
        // which only this function gets.
        let (left, outer) = unsafe { (self.left.assume_init_ref(), self.outer.assume_init_ref()) };
        innermost.set(*outer);
        // A visit within this one may have left another default context. And this one may end at any time: if its device is
        // reset during the call, the slow path makes another context current.
        own.leave_outermost()
            && own.has_left_current(left)
            && left.is_alive()
            && matches!(make_current(left.context(), self.to.site.select(outside)), Some(Ok(())))
            && left.is_alive()
    }

    /// Is called once for each entry: by [`refused`](Self::refused), or when the [`Inside`] is dropped. So the fast path has called the
    /// library, or the slow path has succeeded.
    #[cold]
    #[inline(never)]
    fn leave_slow(&mut self) {
        if mem::take(&mut self.is_slow) {
            // SAFETY: `assume_init_read` asks for a value that was written, and that nobody reads again. `enter_slow` has
            // written it before it set `is_slow`, which was taken back above.
            drop(unsafe { self.slow.assume_init_read() });
            return;
        }
        // SAFETY: `assume_init` asks for values that were written. `enter_fast` writes both before it calls the library,
        // and without `enter_slow` this function is only called after that. Both are `Copy`.
        let (left, outer) = unsafe { (self.left.assume_init(), self.outer.assume_init()) };
        if let Some((own, innermost)) = notes(self.api()) {
            innermost.set(outer);
            own.leave_outermost();
        }
        drop(Restore::after_left(self.api(), left, self.to.context));
    }
}

impl Inside<'_, '_> {
    /// Makes the context from before current again. Dropping the value does the same by the slow path.
    #[inline(always)]
    pub(crate) fn leave(self) {
        let inside = ManuallyDrop::new(self);
        if !inside.fast.is_some_and(|notes| inside.visit.leave_fast(notes)) {
            drop(ManuallyDrop::into_inner(inside));
        }
    }
}

impl Drop for Inside<'_, '_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.visit.leave_slow();
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
