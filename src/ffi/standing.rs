//! The crate's notes about the current context of each library, on each thread.

use super::process::Loading;
use super::{Api, RawContext};
use crate::device_allocator::ContextId;
use crate::error::Error;
use ascendcl_macros::rule;
use core::cell::Cell;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The notes about one library on this thread.
pub(super) struct Standing {
    of: Cell<Option<&'static Loading>>,
    /// The context of the innermost `Current`.
    pub(super) entered: Note<RawContext>,
    /// Whether the library refused to make `entered` current again, and who counts this thread then.
    displaced: Cell<Option<&'static Loading>>,
    /// The context of other code that the library refused to make current again when the thread left the outermost
    /// context.
    pub(super) owed: Note<Owed>,
    /// The default context that this crate left current.
    pub(super) left: Note<Left>,
    /// A context of this crate that is still current, because the library refused to make another one current.
    pub(super) stays: Note<RawContext>,
}

/// A value that is seldom present. Checking for it does not copy it.
pub(super) struct Note<T> {
    is_there: Cell<bool>,
    value: Cell<Option<T>>,
}

impl<T: Copy> Note<T> {
    const fn none() -> Self {
        Self { is_there: Cell::new(false), value: Cell::new(None) }
    }

    #[inline]
    pub(super) fn is_some(&self) -> bool {
        self.is_there.get()
    }

    #[inline]
    pub(super) fn get(&self) -> Option<T> {
        if self.is_some() { self.value.get() } else { None }
    }

    #[inline]
    pub(super) fn set(&self, value: Option<T>) {
        self.is_there.set(value.is_some());
        if value.is_some() {
            self.value.set(value);
        }
    }

    #[inline]
    fn replace(&self, value: Option<T>) -> Option<T> {
        let before = self.get();
        self.set(value);
        before
    }
}

/// More libraries than any process has. If a thread uses still more of them at once, the notes about one are lost.
const LIBRARIES: usize = 16;

/// The notes of one thread.
struct Notes {
    standings: [Standing; LIBRARIES],
    /// The context of the innermost `Current` of any library.
    entered: Cell<Option<ContextId>>,
}

thread_local! {
    /// Without destructors, so that nothing runs when the thread ends.
    static NOTES: Notes = const { Notes { standings: [const { Standing::new() }; LIBRARIES], entered: Cell::new(None) } };
}

impl Standing {
    const fn new() -> Self {
        Self {
            of: Cell::new(None),
            entered: Note::none(),
            displaced: Cell::new(None),
            owed: Note::none(),
            left: Note::none(),
            stays: Note::none(),
        }
    }

    /// Whether the notes are about the library, for certain: they were made by a caller that loaded it as this one did.
    #[inline(always)]
    fn is_of_loading(&self, api: Api) -> bool {
        self.of.get().is_some_and(|own| core::ptr::eq(own, api.loading()))
    }

    fn is_of(&self, api: Api) -> bool {
        self.of.get().is_some_and(|own| Api::new(own).is_of_the_library_of(api))
    }

    /// Whether this slot is unused, so that reusing it loses nothing.
    fn is_free(&self) -> bool {
        self.of.get().is_none()
    }

    /// The default context that this crate left current, where that is the only note.
    #[inline]
    pub(super) fn left_alone(&self) -> Option<Left> {
        if self.entered.is_some() || self.owed.is_some() || self.stays.is_some() { None } else { self.left.get() }
    }

    /// Records that the thread enters a context, where it [left alone](Self::left_alone) a default context. Calls are plain,
    /// so no context is displaced.
    #[inline]
    pub(super) fn enters_first(&self, context: RawContext) {
        self.entered.set(Some(context));
    }

    /// See [`displaces`].
    fn displaces(&self, displaced: Option<&'static Loading>) {
        if let Some(now) = displaced {
            now.has_displaced();
        }
        if let Some(before) = self.displaced.replace(displaced) {
            before.has_returned();
        }
    }

    /// Whether reusing this slot would lose only the note of a default context.
    fn is_spare(&self) -> bool {
        !self.entered.is_some() && !self.owed.is_some() && !self.stays.is_some()
    }
}

/// Passes the notes about the library on this thread to `look`. `None` if there is no room for a note.
#[inline]
pub(super) fn standing<R>(api: Api, look: impl FnOnce(&Standing) -> R) -> Option<R> {
    standing_and_entered(api, |own, _| look(own))
}

/// Like [`standing`], with the context of the innermost `Current` of any library. Entering and leaving compile it in place.
#[inline(always)]
pub(super) fn standing_and_entered<R>(
    api: Api,
    look: impl FnOnce(&Standing, &Cell<Option<ContextId>>) -> R,
) -> Option<R> {
    // What runs inside of `LocalKey::with` is sometimes compiled apart, depending on unrelated code.
    let notes = NOTES.with(core::ptr::from_ref);
    // SAFETY: a reference asks for a pointer to a live value that nobody writes. The value has no destructor, so it lives
    // as long as its thread (`LocalKey`), and this call is on that thread. Its cells are written through `Cell` only.
    let notes = unsafe { &*notes };
    let [first, ..] = &notes.standings;
    // Nearly every thread uses one library.
    let own = if first.is_of_loading(api) { first } else { find(&notes.standings, api)? };
    Some(look(own, &notes.entered))
}

#[cold]
#[inline(never)]
fn find(all: &[Standing], api: Api) -> Option<&Standing> {
    all.iter().find(|own| own.is_of(api)).or_else(|| {
        let own = all.iter().find(|own| own.is_free()).or_else(|| all.iter().find(|own| own.is_spare()))?;
        own.of.set(Some(api.loading()));
        own.left.set(None);
        Some(own)
    })
}

/// The context of the thread's innermost `Current` of this library.
pub(super) fn entered(api: Api) -> Option<RawContext> {
    standing(api, |own| own.entered.get()).flatten()
}

/// The context of this thread's innermost `Current` of any library.
#[inline]
pub(super) fn entered_id() -> Option<ContextId> {
    NOTES.with(|notes| notes.entered.get())
}

/// Records that this thread enters the context, or returns to it. Returns the context that it was in before.
#[inline]
pub(super) fn enters(context: Option<ContextId>) -> Option<ContextId> {
    NOTES.with(|notes| notes.entered.replace(context))
}

/// Records that this thread enters a context of this library. Returns the context of the library that it was in before.
#[inline]
pub(super) fn enters_of(api: Api, context: RawContext) -> Option<RawContext> {
    let enters = |own: &Standing| {
        own.displaces(None);
        own.entered.replace(Some(context))
    };
    standing(api, enters).flatten()
}

/// Records whether the library refused to make the entered context current again. If so, the next call asks it once
/// more.
///
/// While there is such a thread, every call of this library checks whether it is on that thread. Else calls need not check.
pub(super) fn displaces(api: Api, displaced: bool) {
    standing(api, |own| own.displaces(displaced.then(|| api.loading())));
}

/// Makes the entered context current if it is displaced.
fn returns(api: Api) -> Result<(), Error> {
    let displaced = standing(api, |own| own.displaced.get().and_then(|_| own.entered.get())).flatten();
    let Some(entered) = displaced else { return Ok(()) };
    entered.make_current(api)?;
    displaces(api, false);
    Ok(())
}

/// If the library refused to make the entered context current again, asks it once more.
#[cold]
pub(super) fn return_to_entered(api: Api) -> Result<(), Error> {
    api.is_of_this_process()?;
    returns(api)?;
    objection(api).map_or(Ok(()), Err)
}

/// The reason why the library cannot be called on this thread now.
#[cold]
#[rule(CTX_05, CTX_08, THREAD_05)]
pub(super) fn objection(api: Api) -> Option<Error> {
    api.is_of_this_process().err().or_else(|| api.loading().verifies().then(|| current_is_entered(api).err())?)
}

fn current_is_entered(api: Api) -> Result<(), Error> {
    let Some(expected) = entered(api) else { return Ok(()) };
    match RawContext::current(api) {
        Some(found) if found.is(expected) => Ok(()),
        found => {
            let found = found.map_or_else(|| "none".to_owned(), RawContext::in_words);
            Err(Error::CurrentChanged { expected: expected.in_words().into(), found: found.into() })
        }
    }
}

/// A context of other code that must be made current again when the thread leaves the outermost context.
#[derive(Clone, Copy)]
pub(super) struct Owed {
    pub(super) left: Left,
    /// The context that was current on the thread instead; `None` when unknown.
    instead: Option<RawContext>,
}

impl Owed {
    /// The library has just refused to make the context current. Its device is unknown, so the context counts as alive
    /// until any device is reset.
    pub(super) fn now(api: Api, left: Left) -> Self {
        Self { left, instead: RawContext::current(api) }
    }

    /// Whether the context must still be made current. If the current context has changed since, other code has chosen
    /// another one.
    pub(super) fn stands(self, current: Option<RawContext>) -> bool {
        let chosen = self.instead.zip(current).is_some_and(|(instead, current)| !instead.is(current));
        !chosen && self.left.is_alive()
    }
}

/// Contexts that could not be left, one entry per thread that has it current. The thread has a note of its own, too;
/// this list is for the thread that destroys the context. It is empty unless the library refuses to change the current
/// context.
static STAYING: Mutex<Vec<(Api, RawContext)>> = Mutex::new(Vec::new());
static HOW_MANY_STAY: AtomicUsize = AtomicUsize::new(0);

fn staying() -> MutexGuard<'static, Vec<(Api, RawContext)>> {
    STAYING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Records that this thread could not leave the context.
pub(super) fn stays(api: Api, context: RawContext) {
    let before = standing(api, |own| own.stays.replace(Some(context))).flatten();
    if before.is_none_or(|before| !before.is(context)) {
        staying().push((api, context));
        HOW_MANY_STAY.fetch_add(1, Ordering::Release);
        before.into_iter().for_each(|before| leaves(api, before));
    }
}

/// Records that the context was made current on this thread. Another context that had stayed current has thereby been
/// left.
#[inline]
pub(super) fn moved_to(api: Api, context: RawContext) {
    if standing(api, |own| own.stays.is_some()).unwrap_or_default() {
        has_left_what_stayed(api, context);
    }
}

#[cold]
fn has_left_what_stayed(api: Api, context: RawContext) {
    let stayed = standing(api, |own| own.stays.get()).flatten();
    if let Some(stayed) = stayed.filter(|stayed| !stayed.is(context)) {
        standing(api, |own| own.stays.set(None));
        leaves(api, stayed);
    }
}

fn leaves(api: Api, context: RawContext) {
    let mut staying = staying();
    if let Some(at) = staying.iter().position(|(of, other)| of.is_of_the_library_of(api) && other.is(context)) {
        staying.swap_remove(at);
        HOW_MANY_STAY.fetch_sub(1, Ordering::Release);
    }
}

/// Records that the context was destroyed on this thread.
pub(super) fn has_ended(api: Api, context: RawContext) {
    let stayed = standing(api, |own| own.stays.get()).flatten();
    if stayed.is_some_and(|stayed| stayed.is(context)) {
        standing(api, |own| own.stays.set(None));
        leaves(api, context);
    }
    let ended = |own: &Standing| own.owed.get().is_some_and(|owed| owed.left.context().is(context));
    standing(api, |own| {
        if ended(own) {
            own.owed.set(None)
        }
    });
}

/// How many other threads have this context current because they could not leave it.
pub(super) fn threads_that_stay_in(api: Api, context: RawContext) -> usize {
    if HOW_MANY_STAY.load(Ordering::Acquire) == 0 {
        return 0;
    }
    let all = staying().iter().filter(|(of, other)| of.is_of_the_library_of(api) && other.is(context)).count();
    let here = standing(api, |own| own.stays.get()).flatten().is_some_and(|own| own.is(context));
    all - usize::from(here).min(all)
}

/// A default context that this crate left current on a thread. Its device may be reset at any time after that.
#[derive(Clone, Copy)]
pub(super) struct Left {
    context: RawContext,
    /// How many resets of its device had begun when it was left.
    resets: u64,
    /// How many have begun by now.
    begun: &'static AtomicU64,
}

impl Left {
    /// A default context that is alive.
    #[inline]
    pub(super) fn now(api: Api, context: RawContext) -> Self {
        let begun = api.resets().begun_of(context.device());
        Self { context, resets: begun.load(Ordering::SeqCst), begun }
    }

    #[inline]
    pub(super) fn context(self) -> RawContext {
        self.context
    }

    /// The same note, if `current` is its context. `None` if it is another one.
    pub(super) fn found(self, current: RawContext) -> Option<Self> {
        let context = self.context.named(current)?;
        Some(Self { context, ..self })
    }

    #[inline]
    pub(super) fn device(self) -> i32 {
        self.context.device()
    }

    /// Whether no reset of its device has begun since it was left.
    #[inline]
    pub(super) fn is_alive(self) -> bool {
        self.begun.load(Ordering::SeqCst) == self.resets
    }
}

#[cfg(test)]
mod tests {
    use super::{Api, Loading, displaces};
    use ascendcl_sys::Library;

    #[test]
    fn calls_are_plain_again_when_the_threads_that_were_displaced_are_back() {
        // SAFETY: `Library::from_table` asks for addresses of functions with the table's signatures. There are none.
        let library = unsafe { Library::from_table("none", |_| None) };
        let api = Api::new(Loading::new(library));
        for _ in 0..2 {
            displaces(api, true);
            // The library has refused once more: that is one thread all the same.
            displaces(api, true);
            let there = std::thread::spawn(move || displaces(api, true));
            there.join().unwrap();
            displaces(api, false);
            displaces(api, false);
            assert!(!api.loading().is_plain(), "the other thread is displaced");
            api.loading().has_returned();
            assert!(api.loading().is_plain());
        }
    }
}
