//! Which context an object belongs to, compared with the one that this thread has entered.
//!
//! The type of a scope's value names its context, so there the comparison never fails. Two contexts of
//! [runtimes](crate::Runtime) may have one name: there it is what keeps their objects apart. Each row has its owner, and
//! hands its object to the library only after asking [`is_current`](Owner::is_current). Two calls need no context and do not
//! ask: whether an event was reached, and a wait of a stream for an event of another context.

use super::standing::entered_id;
use crate::device_allocator::ContextId;
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;

/// The context that an object belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner(Option<ContextId>);

impl Owner {
    /// The context that this thread has entered.
    pub(crate) fn current() -> Self {
        Self(entered_id())
    }

    /// This context.
    pub(crate) fn of(context: ContextId) -> Self {
        Self(Some(context))
    }

    /// An error unless this thread has entered the object's context.
    ///
    /// # Errors
    ///
    /// [`Error::WrongContext`].
    #[inline]
    #[rule(STREAM_09, STREAM_10)]
    pub(crate) fn is_current(self, what: ObjectKind) -> Result<(), Error> {
        if ContextId::are_one(self.0, entered_id()) { Ok(()) } else { Err(self.is_of_another(what)) }
    }

    #[cold]
    fn is_of_another(self, what: ObjectKind) -> Error {
        Error::WrongContext { what, owner: self.0, current: entered_id() }
    }
}
