//! What the crate notes about the current context, for each thread and library.

use super::Api;
use super::context::{LeftCurrent, RawContext};
use super::created::{self, ContextNumber, CreatedContext};
use super::note::{Note, Place, Present};
use super::process::LoadedLibrary;
use super::staying;
use crate::device_allocator::ContextId;
use crate::error::Error;
use ascendcl_macros::rule;
use core::{cell::Cell, mem::MaybeUninit};

/// The notes about one library on this thread.
pub(super) struct LibraryNotes {
    of: Cell<Option<&'static LoadedLibrary>>,
    /// Which of the notes there are.
    present: Present,
    entered: Place<RawContext>,
    owed: Place<Unrestored>,
    left: Place<LeftCurrent>,
    stays: Place<ContextNumber>,
    /// Is there if the library refused to make `entered` current again. The value counts this thread.
    displaced: Cell<Option<&'static LoadedLibrary>>,
}

// The bits of the notes.
const ENTERED: u8 = 1;
const OWED: u8 = 2;
const LEFT: u8 = 4;
const STAYS: u8 = 8;

/// More libraries than any process has. If a thread uses still more of them at once, the notes about one are lost.
const LIBRARIES: usize = 16;

/// The notes of one thread.
struct ThreadNotes {
    libraries: [LibraryNotes; LIBRARIES],
    entered: Cell<Innermost>,
}

/// The context of the innermost `Current` of any library. It is aligned, so that it is copied as two words.
#[repr(align(8))]
#[derive(Clone, Copy)]
pub(super) struct Innermost(pub(super) Option<ContextId>);

thread_local! {
    /// Without destructors, so that nothing runs when the thread ends.
    static NOTES: ThreadNotes =
        const { ThreadNotes { libraries: [const { LibraryNotes::new() }; LIBRARIES], entered: Cell::new(Innermost(None)) } };
}

impl LibraryNotes {
    const fn new() -> Self {
        Self {
            of: Cell::new(None),
            present: Cell::new(0),
            entered: Cell::new(MaybeUninit::uninit()),
            owed: Cell::new(MaybeUninit::uninit()),
            left: Cell::new(MaybeUninit::uninit()),
            stays: Cell::new(MaybeUninit::uninit()),
            displaced: Cell::new(None),
        }
    }

    /// The context of the innermost `Current`.
    #[inline(always)]
    pub(super) fn entered(&self) -> Note<'_, RawContext> {
        Note::new(&self.present, ENTERED, &self.entered)
    }

    /// The context of other code that the library refused to make current again when the thread left the outermost
    /// context.
    #[inline(always)]
    pub(super) fn owed(&self) -> Note<'_, Unrestored> {
        Note::new(&self.present, OWED, &self.owed)
    }

    /// The default context that this crate left current.
    #[inline(always)]
    pub(super) fn left(&self) -> Note<'_, LeftCurrent> {
        Note::new(&self.present, LEFT, &self.left)
    }

    /// A context of this crate that is still current, because the library refused to make another one current.
    #[inline(always)]
    pub(super) fn stays(&self) -> Note<'_, ContextNumber> {
        Note::new(&self.present, STAYS, &self.stays)
    }

    /// Whether the notes were made by a caller that has the same [`LoadedLibrary`]. If not, they may still be about the same
    /// library.
    #[inline(always)]
    fn is_of_loading(&self, api: Api) -> bool {
        self.of.get().is_some_and(|own| core::ptr::eq(own, api.loading()))
    }

    fn is_of(&self, api: Api) -> bool {
        self.of.get().is_some_and(|own| Api::new(own).is_same_library(api))
    }

    /// Whether this slot is unused, so that reusing it loses nothing.
    fn is_free(&self) -> bool {
        self.of.get().is_none()
    }

    /// Whether this is the default context that this crate has left current.
    #[inline(always)]
    pub(super) fn has_left_current(&self, left: &LeftCurrent) -> bool {
        self.left().get().is_some_and(|own| own.context().is(*left.context()))
    }

    /// Records that the thread enters a context, and [`left`](Self::left) was the only note. Calls are plain, so no
    /// context is displaced.
    #[inline(always)]
    pub(super) fn enter_outermost(&self, context: &RawContext) {
        self.entered.set(MaybeUninit::new(*context));
        self.present.set(LEFT | ENTERED);
    }

    /// Records that the thread leaves the outermost context. Returns whether it was in one, and [`left`](Self::left) is
    /// now the only note.
    #[inline(always)]
    pub(super) fn leave_outermost(&self) -> bool {
        if self.present.get() == LEFT | ENTERED {
            self.present.set(LEFT);
            return true;
        }
        self.leave_beside_others();
        false
    }

    #[cold]
    #[inline(never)]
    fn leave_beside_others(&self) {
        self.present.set(self.present.get() & !ENTERED);
    }

    /// See [`set_displaced`].
    fn set_displaced(&self, displaced: Option<&'static LoadedLibrary>) {
        if let Some(now) = displaced {
            now.add_displaced();
        }
        if let Some(before) = self.displaced.replace(displaced) {
            before.remove_displaced();
        }
    }

    /// Whether reusing this slot would lose only the note of a default context.
    fn is_spare(&self) -> bool {
        self.present.get() & (ENTERED | OWED | STAYS) == 0
    }
}

/// Passes the notes about the library on this thread to `look`. `None` if there is no room for a note.
#[inline]
pub(super) fn with_notes<R>(api: Api, look: impl FnOnce(&LibraryNotes) -> R) -> Option<R> {
    notes(api).map(|(own, _)| look(own))
}

/// The notes about the library on this thread, and the context of the innermost `Current` of any library. `None` if there
/// is no room for a note.
///
/// The references live as long as the thread. They cannot leave it, because a `Cell` is not `Sync`.
#[inline(always)]
pub(super) fn notes(api: Api) -> Option<(&'static LibraryNotes, &'static Cell<Innermost>)> {
    // Code inside of `LocalKey::with` is sometimes not inlined, so only the pointer is taken there.
    let notes = NOTES.with(core::ptr::from_ref);
    // SAFETY: a reference asks for a pointer to a live value that nobody writes. The value has no destructor, so it lives
    // as long as its thread (`LocalKey`), and this call is on that thread. Its cells are written through `Cell` only.
    // The references are neither `Send` nor in a value that is.
    let notes = unsafe { &*notes };
    let [first, ..] = &notes.libraries;
    // Nearly every thread uses one library.
    let own = if first.is_of_loading(api) { first } else { find(&notes.libraries, api)? };
    Some((own, &notes.entered))
}

#[cold]
#[inline(never)]
fn find(all: &[LibraryNotes], api: Api) -> Option<&LibraryNotes> {
    all.iter().find(|own| own.is_of(api)).or_else(|| {
        let own = all.iter().find(|own| own.is_free()).or_else(|| all.iter().find(|own| own.is_spare()))?;
        own.of.set(Some(api.loading()));
        own.left().set(None);
        Some(own)
    })
}

/// The context of the thread's innermost `Current` of this library.
pub(super) fn entered(api: Api) -> Option<RawContext> {
    with_notes(api, |own| own.entered().get()).flatten()
}

/// The context of this thread's innermost `Current` of any library.
#[inline]
pub(super) fn entered_id() -> Option<ContextId> {
    NOTES.with(|notes| notes.entered.get().0)
}

/// An error if this is a forked child of the process in which this thread entered a context.
pub(super) fn entered_in_this_process() -> Result<(), Error> {
    NOTES.with(|notes| {
        let entered = notes.libraries.iter().filter(|own| own.entered().is_some());
        entered.filter_map(|own| own.of.get()).try_for_each(|loading| Api::new(loading).check_process())
    })
}

/// Records that this thread enters the context, or returns to it. Returns the context in which it was before.
#[inline]
pub(super) fn set_entered_id(context: Option<ContextId>) -> Option<ContextId> {
    NOTES.with(|notes| notes.entered.replace(Innermost(context)).0)
}

/// Records that this thread enters a context of this library. Returns the library's context in which it was before.
#[inline]
pub(super) fn set_entered(api: Api, context: RawContext) -> Option<RawContext> {
    let enters = |own: &LibraryNotes| {
        own.set_displaced(None);
        own.entered().replace(Some(context))
    };
    with_notes(api, enters).flatten()
}

/// Records whether the library refused to make the entered context current again. If so, the next call asks it once
/// more.
///
/// While there is such a thread, no call of this library is plain: each checks whether it is on that thread.
pub(super) fn set_displaced(api: Api, displaced: bool) {
    with_notes(api, |own| own.set_displaced(displaced.then(|| api.loading())));
}

/// Makes the entered context current if it is displaced.
fn return_if_displaced(api: Api) -> Result<(), Error> {
    let displaced = with_notes(api, |own| own.displaced.get().and_then(|_| own.entered().get())).flatten();
    let Some(entered) = displaced else { return Ok(()) };
    entered.make_current(api)?;
    set_displaced(api, false);
    Ok(())
}

/// If the library refused to make the entered context current again, asks it once more.
#[cold]
pub(super) fn return_to_entered(api: Api) -> Result<(), Error> {
    api.check_process()?;
    return_if_displaced(api)?;
    refusal(api).map_or(Ok(()), Err)
}

/// The reason why the library cannot be called on this thread now.
#[cold]
#[rule(CTX_05, CTX_08, THREAD_05)]
pub(super) fn refusal(api: Api) -> Option<Error> {
    api.check_process().err().or_else(|| api.loading().verifies().then(|| current_is_entered(api).err())?)
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
pub(super) struct Unrestored {
    pub(super) left: LeftCurrent,
    /// Is there if this crate created the context. Then any thread may destroy it.
    made: Option<CreatedContext>,
    /// The context that was current on the thread instead; `None` when unknown.
    instead: Option<RawContext>,
}

impl Unrestored {
    /// The library has just refused to make the context current. Its device is unknown, so the context counts as alive
    /// until any device is reset.
    pub(super) fn now(api: Api, left: LeftCurrent, made: Option<CreatedContext>) -> Self {
        Self { left, made, instead: RawContext::current(api) }
    }

    /// The same, after the library refused once more.
    pub(super) fn again(self, api: Api) -> Self {
        Self { instead: RawContext::current(api), ..self }
    }

    /// Whether neither this crate nor a reset of its device has ended the context.
    pub(super) fn is_alive(&self) -> bool {
        self.left.is_alive() && self.made.is_none_or(CreatedContext::is_alive)
    }

    /// Whether the context must still be made current. If the current context has changed since, other code has chosen
    /// another one.
    pub(super) fn stands(self, current: Option<RawContext>) -> bool {
        let chosen = self.instead.zip(current).is_some_and(|(instead, current)| !instead.is(current));
        !chosen && self.is_alive()
    }
}

fn number(api: Api, context: RawContext) -> Option<ContextNumber> {
    created::at_address(api.resets(), context.raw().addr()).map(CreatedContext::number)
}

/// Records that this thread could not leave the context.
pub(super) fn record_staying(api: Api, context: RawContext) {
    let Some(context) = number(api, context) else { return };
    let before = with_notes(api, |own| own.stays().replace(Some(context))).flatten();
    if before != Some(context) {
        staying::add(context);
        before.into_iter().for_each(staying::remove);
    }
}

/// The context that this thread could not leave.
fn stays(api: Api) -> Option<ContextNumber> {
    with_notes(api, |own| own.stays().get()).flatten()
}

/// Whether this thread could not leave some context.
pub(super) fn stays_somewhere(api: Api) -> bool {
    with_notes(api, |own| own.stays().is_some()).unwrap_or_default()
}

/// Whether this thread could not leave this context.
pub(super) fn stays_in(api: Api, context: RawContext) -> bool {
    stays(api).is_some_and(|own| number(api, context) == Some(own))
}

/// Records that the context was made current on this thread. Another context that had stayed current has thereby been
/// left.
#[inline]
pub(super) fn record_current(api: Api, context: RawContext) {
    if stays_somewhere(api) {
        leave_unless_in(api, context);
    }
}

#[cold]
fn leave_unless_in(api: Api, context: RawContext) {
    if !stays_in(api, context) {
        leave(api);
    }
}

fn leave(api: Api) {
    let left = with_notes(api, |own| own.stays().replace(None)).flatten();
    left.into_iter().for_each(staying::remove);
}

/// Records that the context was destroyed on this thread.
pub(super) fn record_destroyed(api: Api, context: CreatedContext) {
    if stays(api) == Some(context.number()) {
        leave(api);
    }
}

/// Forgets the context, which was destroyed, if it is still to be restored on this thread.
pub(super) fn forget_owed(api: Api, context: RawContext) {
    let ended = |own: &LibraryNotes| own.owed().get().is_some_and(|owed| owed.left.context().is(context));
    with_notes(api, |own| {
        if ended(own) {
            own.owed().set(None)
        }
    });
}

/// How many other threads have this context current because they could not leave it.
pub(super) fn other_threads_in(api: Api, context: RawContext) -> usize {
    if staying::is_empty() {
        return 0;
    }
    let Some(context) = number(api, context) else { return 0 };
    let all = staying::threads_in(context);
    all - usize::from(stays(api) == Some(context)).min(all)
}

#[cfg(test)]
mod tests {
    use super::{Api, set_displaced};

    #[test]
    fn calls_are_plain_again_when_the_threads_that_were_displaced_are_back() {
        let api = Api::without_functions();
        for _ in 0..2 {
            set_displaced(api, true);
            // The library has refused once more: that is one thread all the same.
            set_displaced(api, true);
            let there = std::thread::spawn(move || set_displaced(api, true));
            there.join().unwrap();
            set_displaced(api, false);
            set_displaced(api, false);
            assert!(!api.loading().is_plain(), "the other thread is displaced");
            api.loading().remove_displaced();
            assert!(api.loading().is_plain());
        }
    }
}
