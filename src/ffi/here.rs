//! Where a call is made from: in which context, as far as the caller can prove it.

use super::Api;
use super::call::{Current, Ready};
use super::owner::Owner;
use crate::device_allocator::ContextId;
use crate::error::Boxed;
use core::marker::PhantomData;

/// The library, and the context that the caller has the `Current` of.
///
/// A thread uses the `Current` of the context that it entered last: entering another one takes it away. So whoever has
/// one need not ask which context the thread has entered, and compares an object's owner with a number at hand.
///
/// It lives as long as the `Current` is lent, and stays on its thread as that does.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    api: Api,
    /// The context's number, or [`UNPROVEN`].
    context: u64,
    _lent: PhantomData<(&'a (), *const ())>,
}

/// No context's number, and not the number of an object without a context.
const UNPROVEN: u64 = u64::MAX;

impl Here<'_> {
    /// To be called by a `Current`, of the context that it stands for.
    #[inline]
    pub(crate) fn inside(api: Api, context: ContextId) -> Self {
        Self { api, context: context.number(), _lent: PhantomData }
    }

    #[inline]
    pub(crate) fn api(self) -> Api {
        self.api
    }

    /// Whether it is certain, without a further look, that this thread has entered the owner's context.
    #[inline]
    pub(super) fn is_in(self, owner: Owner) -> bool {
        owner.number() == self.context
    }

    /// An error in a forked child. No lock is taken before this was asked.
    #[inline]
    pub(crate) fn of_this_process(self) -> Result<(), Boxed> {
        if self.api.loading().is_plain() { Ok(()) } else { self.api.is_of_this_process().map_err(Boxed::from) }
    }

    /// What a call in the current context needs.
    #[inline]
    pub(super) fn ready(self) -> Result<Ready<Current>, Boxed> {
        if self.api.loading().is_plain() { Ok(Ready::checked(self.api)) } else { self.ready_after_all() }
    }

    #[cold]
    fn ready_after_all(self) -> Result<Ready<Current>, Boxed> {
        self.api.ready().map_err(Boxed::from)
    }
}

/// Without a `Current`: each object asks which context this thread has entered.
impl From<Api> for Here<'_> {
    #[inline]
    fn from(api: Api) -> Self {
        Self { api, context: UNPROVEN, _lent: PhantomData }
    }
}
