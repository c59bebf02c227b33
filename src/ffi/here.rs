//! The context in which a call is made, if the caller can prove which one that is.

use super::Api;
use super::admission::Admission;
use super::call::{Cached, Current, FastCheck, Ready};
use super::condition::SelectsContext;
use super::function_cache::FunctionCache;
use super::home::{Home, Side};
use super::owner::Owner;
use super::stamp::Obstacles;
use crate::callback_guard::OutsideCallbacks;
use crate::device_allocator::ContextId;
use crate::error::Boxed;
use ascendcl_sys::Library;
use ascendcl_sys::types::aclrtMemcpyKind;
use core::marker::PhantomData;

/// A library, and one of its contexts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    api: Api,
    /// The context's number, or [`UNPROVEN`].
    context: u64,
    /// The word of pinned memory in that context ([`Home::in_context`]).
    pinned: u64,
    /// The directions of copies between host memory and memory of the device ([`Api::direction`]).
    to_device: aclrtMemcpyKind,
    to_host: aclrtMemcpyKind,
    /// The functions of the library that fast paths call.
    cache: &'static FunctionCache,
}

/// A value that is not the number of any context, nor that of an object without a context.
const UNPROVEN: u64 = u64::MAX;

/// A [`Site`], and the proof that this thread has entered its context: the caller has the context's `Current`. A site
/// that names no context proves nothing.
///
/// Entering another context borrows the `Current` exclusively, so a thread can only use the `Current` of the context
/// that it entered last. So a caller that has a `Current` need not look up which context the thread has entered: it
/// compares the number of an object's context with that of the site.
///
/// A `Here` lives as long as the borrow of the `Current`, and like a `Current` it stays on its thread.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    site: &'a Site,
    _on_this_thread: PhantomData<*const ()>,
}

/// The functions of a [`Site`] that select a context, for a thread that is [outside of callbacks](OutsideCallbacks).
#[derive(Clone, Copy)]
pub(super) struct Select<'a> {
    site: &'a Site,
    /// That of the site, so that it is loaded once.
    cache: &'static FunctionCache,
}

/// The functions that a [`Here`] gives, for a caller that takes several of them.
#[derive(Clone, Copy)]
pub(super) struct Functions<'a> {
    here: Here<'a>,
    /// That of the site, so that it is loaded once.
    cache: &'static FunctionCache,
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
        let (to_device, to_host) = (api.direction(Side::Device, Side::Host), api.direction(Side::Host, Side::Device));
        Self {
            api,
            context,
            pinned: Home::Pinned.in_context(context),
            to_device,
            to_host,
            cache: api.loading().cache(),
        }
    }

    #[inline(always)]
    pub(super) fn api(&self) -> Api {
        self.api
    }

    /// The functions that select a context, and need none.
    #[inline(always)]
    pub(super) fn select(&self, _: OutsideCallbacks) -> Select<'_> {
        Select { site: self, cache: self.cache }
    }

    /// Looks the function up and caches it for the next call.
    ///
    /// # Safety
    ///
    /// `of` is `ascendcl_sys::pointers_of` for the function `F`, so that [`cached`](Self::cached) gives a pointer of
    /// its type.
    #[cold]
    pub(super) unsafe fn fill_cache<F: Cached, P: Copy, E>(&self, of: impl FnOnce(&Library) -> Result<P, E>) {
        self.api.loading().fill_cache(F::PLACE, of);
    }

    /// If the site names a context, only that context's `Current` may call this. If it names none, any code may.
    #[inline]
    pub(crate) fn here(&self) -> Here<'_> {
        Here { site: self, _on_this_thread: PhantomData }
    }
}

impl Select<'_> {
    /// Like [`Here::cached`], for functions that select a context.
    ///
    /// # Safety
    ///
    /// `_of` is `ascendcl_sys::pointers_of` for the function `F`, as for every [`fill_cache`](Self::fill_cache).
    #[inline(always)]
    pub(super) unsafe fn cached<F, P: Copy, E>(self, _of: impl FnOnce(&Library) -> Result<P, E>) -> Option<P>
    where
        F: Cached<Need = SelectsContext>,
    {
        // SAFETY: `get` asks for the type of what was kept at this place. The callers keep there what `_of` returns.
        unsafe { self.cache.get::<P>(F::PLACE) }
    }

    /// Like [`Site::fill_cache`].
    ///
    /// # Safety
    ///
    /// As for [`Site::fill_cache`].
    #[cold]
    pub(super) unsafe fn fill_cache<F: Cached, P: Copy, E>(self, of: impl FnOnce(&Library) -> Result<P, E>) {
        // SAFETY: `Site::fill_cache` asks that `of` is `ascendcl_sys::pointers_of` for the function. This function asks
        // its caller for that.
        unsafe { self.site.fill_cache::<F, P, E>(of) };
    }
}

impl Functions<'_> {
    /// Like [`Here::cached`].
    ///
    /// # Safety
    ///
    /// As for [`Here::cached`].
    #[inline(always)]
    pub(super) unsafe fn cached<F, P: Copy, E>(self, _of: impl FnOnce(&Library) -> Result<P, E>) -> Option<P>
    where
        F: Cached<Need: FastCheck>,
    {
        // SAFETY: `get` asks for the type of what was kept at this place. The callers keep there what `_of` returns.
        if F::Need::passes() { unsafe { self.cache.get::<P>(F::PLACE) } } else { None }
    }

    /// Like [`Here::fill_cache`].
    ///
    /// # Safety
    ///
    /// As for [`Here::fill_cache`].
    #[cold]
    pub(super) unsafe fn fill_cache<F: Cached, P: Copy, E>(self, of: impl FnOnce(&Library) -> Result<P, E>) {
        // SAFETY: `Here::fill_cache` asks that `of` is `ascendcl_sys::pointers_of` for the function. This function asks
        // its caller for that.
        unsafe { self.here.fill_cache::<F, P, E>(of) };
    }
}

impl<'a> Here<'a> {
    /// The functions, for a caller that takes several of them.
    #[inline(always)]
    pub(super) fn functions(self) -> Functions<'a> {
        Functions { here: self, cache: self.site.cache }
    }
}

impl Here<'_> {
    #[inline]
    pub(crate) fn api(self) -> Api {
        self.site.api
    }

    /// The direction of a copy of host memory to device memory.
    #[inline(always)]
    pub(super) fn to_device(self) -> aclrtMemcpyKind {
        self.site.to_device
    }

    /// The direction of a copy of device memory to host memory.
    #[inline(always)]
    pub(super) fn to_host(self) -> aclrtMemcpyKind {
        self.site.to_host
    }

    /// Whether this proves that the thread has entered the owner's context.
    #[inline]
    pub(super) fn is_in(self, owner: Owner) -> bool {
        self.has(owner.number())
    }

    /// Whether this proves that the thread has entered the context with this number.
    #[inline]
    pub(super) fn has(self, context: u64) -> bool {
        context == self.site.context
    }

    /// None if this proves that the thread has entered the context with this number.
    #[inline(always)]
    pub(super) fn unless_has(self, context: u64) -> Obstacles {
        Obstacles::unless_equal(context, self.site.context)
    }

    /// None if the word is that of pinned memory in the context that this proves the thread has entered.
    #[inline(always)]
    pub(super) fn unless_has_pinned(self, word: u64) -> Obstacles {
        Obstacles::unless_equal(word, self.site.pinned)
    }

    /// Whether a fast path may use the stream or the event with this word.
    #[inline(always)]
    pub(super) fn admits(self, admission: &Admission) -> bool {
        admission.is_for(self.site.context)
    }

    /// None if a fast path may use the stream or the event with this word.
    #[inline(always)]
    pub(super) fn unless_admitted(self, admission: &Admission) -> Obstacles {
        Obstacles::unless_equal(admission.word(), self.site.context)
    }

    /// An error in a forked child. Call this before any lock is taken.
    #[inline]
    pub(crate) fn check_process(self) -> Result<(), Boxed> {
        if self.site.api.loading().is_plain() { Ok(()) } else { self.check_process_slow() }
    }

    /// The pointer to a function, if it is cached and the call needs no further check. The code that loaded the library
    /// guarantees that its functions have the signatures of the table.
    ///
    /// # Safety
    ///
    /// `_of` is `ascendcl_sys::pointers_of` for the function `F`, as for every [`fill_cache`](Self::fill_cache).
    #[inline(always)]
    pub(super) unsafe fn cached<F, P: Copy, E>(self, _of: impl FnOnce(&Library) -> Result<P, E>) -> Option<P>
    where
        F: Cached<Need: FastCheck>,
    {
        // SAFETY: `get` asks for the type of what was kept at this place. The callers keep there what `_of` returns.
        if F::Need::passes() { unsafe { self.site.cache.get::<P>(F::PLACE) } } else { None }
    }

    /// Looks the function up and caches it for the next call.
    ///
    /// # Safety
    ///
    /// `of` is `ascendcl_sys::pointers_of` for the function `F`, so that [`cached`](Self::cached) gives a pointer of
    /// its type.
    #[cold]
    pub(super) unsafe fn fill_cache<F: Cached, P: Copy, E>(self, of: impl FnOnce(&Library) -> Result<P, E>) {
        // SAFETY: `Site::fill_cache` asks that `of` is `ascendcl_sys::pointers_of` for the function. This function asks
        // its caller for that.
        unsafe { self.site.fill_cache::<F, P, E>(of) };
    }

    /// The library, after the checks of a call in the current context.
    #[inline]
    pub(super) fn ready(self) -> Result<Ready<Current>, Boxed> {
        if self.site.api.loading().is_plain() { Ok(Ready::checked(self.site.api)) } else { self.ready_slow() }
    }

    #[cold]
    #[inline(never)]
    fn check_process_slow(self) -> Result<(), Boxed> {
        self.api().check_process().map_err(Boxed::from)
    }

    #[cold]
    #[inline(never)]
    fn ready_slow(self) -> Result<Ready<Current>, Boxed> {
        self.api().ready().map_err(Boxed::from)
    }
}
