//! Entering a context, and leaving it.

use super::Api;
use super::call::Ready;
use super::context::{Entered, RawContext};
use super::restore::Restore;
use super::seldom::seldom;
use super::standing::{Left, Standing, standing_and_entered};
use crate::device_allocator::ContextId;
use crate::error::{Boxed, Error};
use ascendcl_macros::rule;
use core::cell::Cell;

/// While this value lives, the context that it [enters](Self::enter) is current on this thread, and is the thread's
/// innermost one. Afterwards the context from before is current again, also on unwind.
///
/// It is made first and filled afterwards, so that it need not be moved.
pub(crate) struct Visit<'l> {
    api: Api,
    context: &'l RawContext,
    id: ContextId,
    short: Option<Short>,
    /// What was entered is left before the context from before is restored.
    long: Option<(Entered, Restore)>,
}

/// What the short way back needs. The short way leads from the default context that this crate left current on this
/// thread into a context that this crate created. It copies little, and calls nothing but the library.
struct Short {
    left: Left,
    outer: Option<ContextId>,
}

impl<'l> Visit<'l> {
    /// The caller guarantees that the context does not end while this value lives.
    #[inline]
    pub(crate) fn of(api: Api, context: &'l RawContext, id: ContextId) -> Self {
        Self { api, context, id, short: None, long: None }
    }

    /// Makes the context current.
    ///
    /// # Errors
    ///
    /// That of the library. The context from before is current when this value is dropped.
    #[rule(CTX_05, CTX_09)]
    pub(crate) fn enter(&mut self) -> Result<(), Error> {
        match standing_and_entered(self.api, |own, innermost| self.enters_shortly(own, innermost)) {
            Some(Some(Ok(()))) => Ok(()),
            Some(Some(Err(refused))) => Err(refused.into()),
            Some(None) | None => self.enters(),
        }
    }

    /// Makes the context current, if the short way leads there; else does nothing.
    #[inline(always)]
    fn enters_shortly(&mut self, own: &Standing, innermost: &Cell<Option<ContextId>>) -> Option<Result<(), Boxed>> {
        let ready = Ready::for_certain(self.api)?;
        let left = own.left_alone()?;
        if !self.context.is_made() || !left.context().is_set(ready) || !left.is_alive() {
            return None;
        }
        // From here on the end of this value restores what was current.
        self.short = Some(Short { left, outer: innermost.get() });
        let set = self.context.set(ready);
        if set.is_ok() {
            own.enters_first(*self.context);
            innermost.set(Some(self.id));
        }
        Some(set)
    }

    #[cold]
    #[inline(never)]
    fn enters(&mut self) -> Result<(), Error> {
        self.api.is_of_this_process()?;
        let restore = Restore::around(self.api, *self.context);
        self.context.make_current(self.api)?;
        self.long = Some((Entered::into(*self.context, self.api, self.id), restore));
        Ok(())
    }

    /// Makes the default context current again that the short way came from. It may end at any time: if the device is
    /// reset during the call, another context is made current at once.
    #[inline(always)]
    fn is_back(&self, left: &Left) -> bool {
        let Some(ready) = Ready::for_certain(self.api) else { return false };
        left.is_alive() && left.context().set(ready).is_ok() && left.is_alive()
    }
}

impl Drop for Visit<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        let Some(Short { left, outer }) = &self.short else { return };
        let stayed = standing_and_entered(self.api, |own, innermost| {
            own.entered.set(None);
            innermost.set(*outer);
            own.stays.is_some()
        });
        if stayed != Some(false) || !self.is_back(left) {
            let (api, left, within) = (self.api, *left, *self.context);
            seldom(move || drop(Restore::after_left(api, left, within)));
        }
    }
}
