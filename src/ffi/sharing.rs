//! Several handles of one block: which of them still read it, and when one owner can have the block again.
//!
//! # States
//!
//! A block is *alone* (one handle has it, and its own [`LastUse`] is the stamp), or *shared*: a [`SharedBlock`] keeps
//! it, and each of its handles has a [`HandleStamp`]. A handle has one owner at a time: the program, or a piece of work
//! in flight. So each stamp has one writer, like the stamp of a block that is alone, and [`stamp`](super::stamp) is
//! used unchanged: queueing work writes the handle's stamp, and a wait marks it idle. Readers write no memory that they
//! share.
//!
//! A handle can end in three ways:
//!
//! * Dropped while it is idle: a wait has covered all its work, so there is nothing to wait for.
//! * Dropped with its work in flight: the drop first copies the handle's stamp to the whole ([`LeftUses::leave`]).
//! * Forgotten: the count of handles does not reach zero any more, and the block stays until the end of its context,
//!   which synchronises all streams first.
//!
//! # Invariant
//!
//! Work that may be running and uses a shared block is covered by the stamp of an existing handle, or by a stamp that a
//! dropped handle left. When the last handle is dropped, the stamps that were left go to the stamp of the block
//! ([`LeftUses::settle`]), and the pointer to the block is dropped after that. When an owner takes the block back
//! ([`HandleStamp::only`]), it has the only handle, and the work of all stamps that were left is over. So any code that
//! frees or writes the block has seen all stamps.
//!
//! # Why these orderings suffice
//!
//! [`leave`](LeftUses::leave) is the only operation in which several threads write the same words. All its accesses are
//! relaxed. They are read-modify-writes, so none is lost: a compare-exchange, which fails if another stream has the
//! place, and a maximum, since the later submission of a stream covers the earlier ones. Only the last handle reads the
//! places. It has seen the count at one with `Acquire` ([`Arc::get_mut`](std::sync::Arc::get_mut), or the last drop),
//! and each other handle was dropped with `Release` after it had left its stamp. So the last handle sees what all others
//! left. A place is claimed before its number is stored, and for the same reason nobody reads it in between.
//!
//! `tests/stamps/` runs this file with loom, and `tools/mutants-of-stamps.sh` changes each of these operations.

use super::atomic::{AtomicBool, AtomicU64, Ordering};
use super::stamp::{Awaited, LastUse};
use super::sync::SharedArc;
use core::ops::Deref;

/// How many streams have a place of their own. If dropped handles left work in flight on more streams, all streams are
/// awaited.
const STREAMS: usize = 4;
/// Not the id of any stream.
const NONE: u64 = 0;

/// A pointer to something with a stamp.
pub(crate) trait Stamped {
    fn last_use(&self) -> &LastUse;
}

/// A stamp, and the block that it belongs to if that block has several handles.
#[derive(Debug)]
pub(crate) struct HandleStamp<R: Stamped> {
    last_use: LastUse,
    whole: Option<SharedArc<SharedBlock<R>>>,
}

/// A block that has handles, and the stamps that dropped handles left.
#[derive(Debug)]
pub(crate) struct SharedBlock<R: Stamped> {
    row: R,
    left: LeftUses,
}

/// The work that dropped handles left to be awaited.
#[derive(Debug)]
struct LeftUses {
    places: [Place; STREAMS],
    /// Whether stamps were left that have no place.
    several: AtomicBool,
}

/// The last submission that was left on one stream.
#[derive(Debug)]
struct Place {
    stream: AtomicU64,
    number: AtomicU64,
}

/// Why an owner cannot take a block back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotOnly {
    /// It has other handles.
    Shared,
    /// A handle was dropped whose work may be running.
    InUse,
}

impl<R: Stamped> HandleStamp<R> {
    /// The stamp of a block that is alone.
    pub(crate) fn alone(last_use: LastUse) -> Self {
        Self { last_use, whole: None }
    }

    /// Reuses the stamp of a block that is alone, for another block that is alone.
    #[inline]
    pub(crate) fn renew(&mut self, last_use: LastUse) {
        self.last_use = last_use;
    }

    /// The first handle of a block. The caller has the block alone.
    pub(crate) fn first(row: R) -> Self {
        let context = row.last_use().context();
        Self {
            last_use: LastUse::of(context),
            whole: Some(SharedArc::new(SharedBlock { row, left: LeftUses::nothing() })),
        }
    }

    /// Another handle of the same block. If the block is alone, this is a separate stamp that belongs to no block.
    pub(crate) fn another(&self) -> Self {
        let whole = self.whole.clone();
        let context = whole.as_ref().map_or(0, |whole| whole.row.last_use().context());
        Self { last_use: LastUse::of(context), whole }
    }

    /// The block, if it has handles.
    pub(crate) fn row(&self) -> Option<&R> {
        self.whole.as_ref().map(|whole| &whole.row)
    }

    /// The block, if this is its only handle and the work of all handles is over. `has_done` says whether a stream (by its
    /// id) has done a submission, and `are_idle` whether all streams are idle.
    ///
    /// # Errors
    ///
    /// The reason why the block cannot be taken back.
    pub(crate) fn only(
        &mut self,
        has_done: impl Fn(u64, u64) -> bool,
        are_idle: impl Fn() -> bool,
    ) -> Result<&R, NotOnly> {
        let whole = self.whole.as_mut().and_then(SharedArc::get_mut).ok_or(NotOnly::Shared)?;
        if !self.last_use.is_over(&has_done, &are_idle) || !whole.left.is_over(has_done, are_idle) {
            return Err(NotOnly::InUse);
        }
        self.last_use.mark_idle();
        whole.left = LeftUses::nothing();
        Ok(&whole.row)
    }
}

impl<R: Stamped> Deref for HandleStamp<R> {
    type Target = LastUse;

    #[inline]
    fn deref(&self) -> &LastUse {
        &self.last_use
    }
}

/// Calls nothing and waits for nothing. The pointer to the whole is dropped after this.
impl<R: Stamped> Drop for HandleStamp<R> {
    #[inline]
    fn drop(&mut self) {
        if let Some(whole) = &self.whole {
            whole.left.leave(&self.last_use);
        }
    }
}

/// Runs when the last handle is dropped. The pointer to the block is dropped after this.
impl<R: Stamped> Drop for SharedBlock<R> {
    fn drop(&mut self) {
        self.left.settle(self.row.last_use());
    }
}

impl LeftUses {
    fn nothing() -> Self {
        let place = || Place { stream: AtomicU64::new(NONE), number: AtomicU64::new(0) };
        Self { places: [place(), place(), place(), place()], several: AtomicBool::new(false) }
    }

    /// Records what a handle awaits, before the handle is dropped.
    #[inline]
    fn leave(&self, used: &LastUse) {
        if let Some(awaited) = used.awaited() {
            self.note(awaited);
        }
    }

    #[cold]
    fn note(&self, awaited: Awaited) {
        let Awaited::Submission { stream, number } = awaited else { return self.note_several() };
        for place in &self.places {
            match place.stream.compare_exchange(NONE, stream, Ordering::Relaxed, Ordering::Relaxed) {
                Err(taken) if taken != stream => {}
                _ => {
                    place.number.fetch_max(number, Ordering::Relaxed);
                    return;
                }
            }
        }
        self.note_several();
    }

    fn note_several(&self) {
        self.several.store(true, Ordering::Relaxed);
    }

    /// The work that dropped handles left. Only the last handle may ask.
    fn awaited(&self) -> impl Iterator<Item = Awaited> {
        let several = self.several.load(Ordering::Relaxed).then_some(Awaited::Several);
        let places = self.places.iter().map(|place| Awaited::Submission {
            stream: place.stream.load(Ordering::Relaxed),
            number: place.number.load(Ordering::Relaxed),
        });
        places.filter(|place| !matches!(place, Awaited::Submission { stream: NONE, .. })).chain(several)
    }

    /// Whether all work that dropped handles left is over.
    fn is_over(&self, has_done: impl Fn(u64, u64) -> bool, are_idle: impl Fn() -> bool) -> bool {
        self.awaited().all(|awaited| match awaited {
            Awaited::Submission { stream, number } => has_done(stream, number),
            Awaited::Several => are_idle(),
        })
    }

    /// Adds the work that dropped handles left to what the block's stamp awaits.
    fn settle(&self, used: &LastUse) {
        for awaited in self.awaited() {
            match awaited {
                Awaited::Submission { stream, number } if used.is_marked_idle() => used.follow(stream, number),
                _ => used.follow_several(),
            }
        }
    }
}
