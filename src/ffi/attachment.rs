//! Objects of other code that live in a context.

use super::allocator::KeptAllocator;
use super::shelf::{Row, Shelf, ShelfPlace};
use super::{Api, Keeps, Owner, RawContext, RawStream};
use crate::ends_before::EndsBefore;
use crate::error::Error;
use core::any::Any;
use core::fmt;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// An object of other code that a program has attached.
pub(crate) trait ForeignObject: fmt::Debug + Send + Sync {
    /// The name of `count` such objects, for messages.
    fn in_words(&self, count: usize) -> String;

    fn ends_before(&self) -> EndsBefore;

    /// Takes the object down. Every stream of the context is synchronised before. May be called again if the object has
    /// not ended. What registrations kept is moved to `kept`, because dropping it runs code of the user.
    fn take_down(&self, from: &TakeDownContext<'_>, kept: &mut Vec<KeptAllocator>) -> TakenDown;

    /// The context has ended without the object. Runs code of the user.
    fn on_lost(&self);
}

/// The result of taking an object down.
pub(crate) struct TakenDown {
    /// Whether nothing of the object is left.
    pub(crate) ended: bool,
    pub(crate) errors: Vec<Error>,
}

/// The context in which an object is taken down. It is current.
pub(crate) struct TakeDownContext<'a> {
    pub(crate) api: Api,
    pub(crate) context: RawContext,
    pub(crate) streams: &'a Shelf<RawStream>,
    /// Whether the device was reset by force since the object was attached.
    pub(crate) was_reset: bool,
}

/// The row of an attached object.
#[derive(Debug)]
pub(crate) struct RawAttachment {
    /// Objects that were attached later have higher numbers.
    place: ShelfPlace,
    owner: Owner,
    object: Box<dyn ForeignObject>,
    /// What the object uses. It is kept while the row exists.
    _uses: Vec<Arc<dyn Any + Send + Sync>>,
    ended: AtomicBool,
    was_reset: AtomicBool,
}

impl RawAttachment {
    pub(crate) fn new(owner: Owner, object: Box<dyn ForeignObject>, uses: Vec<Arc<dyn Any + Send + Sync>>) -> Self {
        let (ended, was_reset) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { place: ShelfPlace::new(), owner, object, _uses: uses, ended, was_reset }
    }

    /// The name of `count` such objects, for messages.
    pub(crate) fn in_words(&self, count: usize) -> String {
        self.object.in_words(count)
    }

    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }

    pub(crate) fn ends_before(&self) -> EndsBefore {
        self.object.ends_before()
    }

    /// Whether the object was taken down and must not be used any more.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(crate) fn after_forced_reset(&self) {
        self.was_reset.store(true, Ordering::Release);
    }

    /// The context has ended without the object. Runs code of the user.
    pub(crate) fn on_lost(&self) {
        self.object.on_lost();
    }

    /// Takes the object down, unless that has been done. The streams are synchronised, and the context is current.
    pub(crate) fn take_down(
        &self,
        api: Api,
        context: RawContext,
        streams: &Shelf<RawStream>,
        kept: &mut Vec<KeptAllocator>,
    ) -> TakenDown {
        if self.is_ended() {
            return TakenDown { ended: true, errors: Vec::new() };
        }
        let was_reset = self.was_reset.load(Ordering::Acquire);
        let taken_down = self.object.take_down(&TakeDownContext { api, context, streams, was_reset }, kept);
        self.ended.store(taken_down.ended, Ordering::Release);
        taken_down
    }
}

impl Row for RawAttachment {
    #[inline]
    fn place(&self) -> &ShelfPlace {
        &self.place
    }
}

/// A row may be queued for dropping, because that runs code of the user.
impl Keeps for RawAttachment {
    fn has_lent(&self, _: NonZeroUsize) -> bool {
        false
    }
}
