//! The context that an object belongs to, compared with the context that this thread has entered.
//!
//! In a scope, the type of a value names its context, so the comparison never fails. Two contexts of
//! [runtimes](crate::Runtime) may have the same name, and then the comparison keeps their objects apart. Each row has
//! an owner, and passes its object to the library only after [`check_current`](Owner::check_current). Two calls need no
//! context and do not check: the query whether an event was reached, and a stream's wait for an event of another
//! context.

use super::Here;
use super::thread_notes::entered_id;
use crate::device_allocator::ContextId;
use crate::error::{Boxed, Error, ObjectKind};
use ascendcl_macros::rule;

/// The context that an object belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner(Option<ContextId>);

/// Whether this thread has entered a context of any library.
pub(crate) fn is_inside_a_context() -> bool {
    entered_id().is_some()
}

impl Owner {
    /// The context that this thread has entered.
    pub(crate) fn current() -> Self {
        Self(entered_id())
    }

    /// This context.
    pub(crate) fn of(context: ContextId) -> Self {
        Self(Some(context))
    }

    /// Whether both are one context.
    pub(super) fn is_same(self, other: Self) -> bool {
        ContextId::are_one(self.0, other.0)
    }

    /// The context's number; 0 if there is no context.
    #[inline]
    pub(super) fn number(self) -> u64 {
        self.0.map_or(0, ContextId::number)
    }

    /// Like [`check_current`](Self::check_current), for a caller that may have the context's `Current`.
    #[inline]
    #[rule(STREAM_09, STREAM_10)]
    pub(super) fn check_here(self, here: Here<'_>, what: ObjectKind) -> Result<(), Boxed> {
        if here.is_in(self) { Ok(()) } else { self.check_current_slow(what) }
    }

    #[cold]
    fn check_current_slow(self, what: ObjectKind) -> Result<(), Boxed> {
        self.check_current(what).map_err(Boxed::from)
    }

    /// An error unless this thread has entered the object's context.
    ///
    /// # Errors
    ///
    /// [`Error::WrongContext`].
    #[inline]
    #[rule(STREAM_09, STREAM_10)]
    pub(crate) fn check_current(self, what: ObjectKind) -> Result<(), Error> {
        if ContextId::are_one(self.0, entered_id()) { Ok(()) } else { Err(self.wrong_context_error(what)) }
    }

    /// An error unless the object belongs to this context. Which context is current does not matter.
    pub(super) fn check_context(self, context: ContextId, what: ObjectKind) -> Result<(), Error> {
        if ContextId::are_one(self.0, Some(context)) {
            return Ok(());
        }
        Err(Error::WrongContext { what, owner: self.0, current: Some(context) })
    }

    #[cold]
    fn wrong_context_error(self, what: ObjectKind) -> Error {
        Error::WrongContext { what, owner: self.0, current: entered_id() }
    }
}
