//! Running foreign code.

use super::standing;
use super::{Api, RawContext};
use crate::error::Error;

/// Exists while foreign code runs. Afterwards the entered context is current again.
pub(crate) struct Outside {
    api: Api,
    context: RawContext,
}

impl Outside {
    pub(crate) fn of(context: RawContext, api: Api) -> Self {
        Self { api, context }
    }

    /// Whether another context was current at the end; and why the right one could not be made current, if so.
    pub(crate) fn end(self) -> (bool, Option<Error>) {
        let ended = self.put_back();
        core::mem::forget(self);
        ended
    }

    fn put_back(&self) -> (bool, Option<Error>) {
        let found = RawContext::current(self.api);
        if found.is_some_and(|found| found.is(self.context)) {
            return (false, None);
        }
        let refused = self.context.make_current(self.api).err();
        standing::displaces(self.api, refused.is_some());
        (true, refused)
    }
}

impl Drop for Outside {
    /// On unwind.
    fn drop(&mut self) {
        let _ = self.put_back();
    }
}
