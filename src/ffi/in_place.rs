//! A value that threads use while it is in place, and that one thread at a time puts there or takes out. Uses neither
//! wait nor take a lock.
//!
//! # States
//!
//! * *Vacant*: there is no value.
//! * *Changing*: one thread is putting the value there, or taking it out.
//! * *In place*: threads use the value. The word counts them.
//! * *Shut*: the value is there for the uses that had begun. No further use begins, and nobody takes the value out.
//!
//! A use first adds itself to the count, whatever the state, and then looks at the state. If the value is not in place,
//! the use ends at once.
//!
//! # Why these orderings suffice
//!
//! The value is accessed by the thread that changes it, and, while it is in place, by uses. Each change of the state is
//! one atomic operation that only one thread can make. The value is taken out only when the count is zero, and a use
//! that begins afterwards sees that it is not in place. What the thread that put the value there did is visible to each
//! use: the state becomes *in place* with `Release`, and a use begins with `Acquire`. What each use did is visible to
//! the thread that takes the value out: a use ends with `Release`, and the value is taken out with `Acquire`. Shutting
//! accesses no value, and its changes of the word are part of the release sequence of the thread that put the value there.
//!
//! `tests/stamps/` runs this file with loom.

use super::atomic::{AtomicUsize, Ordering};
use super::sync::LoomCell;
use std::panic::{RefUnwindSafe, UnwindSafe};

pub(crate) struct InPlace<T> {
    /// The state, and the count of uses.
    word: AtomicUsize,
    value: LoomCell<Option<T>>,
}

/// Why the value is not taken out.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum NotTaken {
    /// It is not in place.
    Vacant,
    /// This many uses have begun and not ended.
    InUse(usize),
}

const VACANT: usize = 1 << (usize::BITS - 1);
const CHANGING: usize = 1 << (usize::BITS - 2);
const SHUT: usize = VACANT | CHANGING;

// SAFETY: sharing must not make a data race on `value`. Nobody accesses it at the same time as the thread that changes
// it, and what each thread did is visible to the next (the head of this file). Uses share the value (`Sync`), and a
// thread may take out what another thread put there (`Send`).
unsafe impl<T: Send + Sync> Sync for InPlace<T> {}

// No code of `T` runs while it is put there or taken out, and a use only lends it.
impl<T> UnwindSafe for InPlace<T> {}
impl<T> RefUnwindSafe for InPlace<T> {}

impl<T> InPlace<T> {
    pub(crate) fn vacant() -> Self {
        Self { word: AtomicUsize::new(VACANT), value: LoomCell::new(None) }
    }

    /// Puts a value there.
    ///
    /// # Errors
    ///
    /// The value, if there is one already.
    pub(crate) fn put(&self, value: T) -> Result<(), T> {
        let changing = |word| (word & SHUT == VACANT).then_some(word ^ VACANT ^ CHANGING);
        if self.word.fetch_update(Ordering::Acquire, Ordering::Relaxed, changing).is_err() {
            return Err(value);
        }
        // SAFETY: the pointer must be valid, and nobody else may use it. The value is changing, by this thread, so no other
        // one accesses it (the head of this file).
        self.value.with_mut(|place| unsafe { *place = Some(value) });
        self.word.fetch_sub(CHANGING, Ordering::Release);
        Ok(())
    }

    /// Begins a use, which the caller must [end](Self::end). Returns `false`, and no use has begun, if the value is not
    /// in place.
    #[inline(always)]
    pub(crate) fn begin(&self) -> bool {
        let is_there = self.word.fetch_add(1, Ordering::Acquire) < CHANGING;
        if !is_there {
            self.end();
        }
        is_there
    }

    #[inline(always)]
    pub(crate) fn end(&self) {
        self.word.fetch_sub(1, Ordering::Release);
    }

    /// Calls `look` with the value, as one use. `None` if it is not in place.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
        /// Ends the use, also when `look` panics.
        struct Ends<'a, T>(&'a InPlace<T>);

        impl<T> Drop for Ends<'_, T> {
            fn drop(&mut self) {
                self.0.end();
            }
        }

        self.begin().then(|| {
            let ends = Ends(self);
            // SAFETY: `value` asks for a use that has begun and does not end while the reference exists. It has begun, and it
            // ends when `ends` is dropped, after the call.
            look(unsafe { ends.0.value() })
        })
    }

    /// The value.
    ///
    /// # Safety
    ///
    /// A use has begun, and it does not end while the reference exists.
    #[inline(always)]
    pub(crate) unsafe fn value(&self) -> &T {
        // SAFETY: the pointer must be valid, and nobody may write through it while the reference exists. A use has begun
        // (the safety section), so the value is in place, and nobody changes it (the head of this file).
        // `unwrap_unchecked` asks for a value: only `put` lets a value be in place, and puts it there before.
        self.value.with(|value| unsafe { (*value).as_ref().unwrap_unchecked() })
    }

    /// Lets no further use begin, if the value is in place. Uses that have begun go on.
    pub(crate) fn shut(&self) {
        let shut = |word| (word < CHANGING).then_some(word | SHUT);
        // If it is not in place, no use begins anyway.
        let _ = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, shut);
    }

    /// Reverts [`shut`](Self::shut).
    pub(crate) fn reopen(&self) {
        let open = |word| (word & SHUT == SHUT).then_some(word ^ SHUT);
        // It was not shut if it was not in place.
        let _ = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, open);
    }

    /// Takes the value out, if nobody uses it.
    ///
    /// # Errors
    ///
    /// The reason why it stays.
    pub(crate) fn take(&self) -> Result<T, NotTaken> {
        match self.word.compare_exchange(0, CHANGING, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => {}
            Err(word) if word < CHANGING => return Err(NotTaken::InUse(word)),
            Err(_) => return Err(NotTaken::Vacant),
        }
        // SAFETY: the pointer must be valid, and nobody else may use it. The value is changing, by this thread, so no other
        // one accesses it (the head of this file).
        let value = self.value.with_mut(|place| unsafe { (*place).take() });
        self.word.fetch_add(VACANT - CHANGING, Ordering::Release);
        value.ok_or(NotTaken::Vacant)
    }
}
