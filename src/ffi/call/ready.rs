//! The library, after the checks of a call.

use super::super::answer::{Answer, ReadyAnswer};
use super::super::api::Api;
use super::super::condition::Current;
use super::super::process::LoadedLibrary;
use ascendcl_sys::Library;
use ascendcl_sys::types::aclError;
use core::marker::PhantomData;

/// The library, after the checks that a call needs. It is used at once, so no code of the program runs between check
/// and call.
pub(in crate::ffi) struct Ready<N> {
    pub(super) loading: &'static LoadedLibrary,
    _checked: PhantomData<N>,
}

impl<N> Clone for Ready<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for Ready<N> {}

impl Ready<Current> {
    /// For a caller that has checked that calls are [plain](LoadedLibrary::is_plain), which implies that no entered context
    /// is displaced.
    #[inline]
    pub(in crate::ffi) fn checked(api: Api) -> Self {
        Self::after_checks(api)
    }
}

impl<N> Ready<N> {
    /// The caller has made the checks.
    #[inline(always)]
    pub(super) fn after_checks(api: Api) -> Self {
        Self { loading: api.loading(), _checked: PhantomData }
    }

    /// The functions. The code that loaded the library guarantees that they have the signatures of the table.
    #[inline(always)]
    pub(in crate::ffi) fn library(self) -> &'static Library {
        self.loading.library()
    }

    /// The answer of a call that is not in the table, because code outside this crate made it.
    #[inline]
    pub(in crate::ffi) fn answered(self, call: &'static str, code: aclError) -> ReadyAnswer<aclError> {
        Answer::from_parts(self.loading, call, Ok(code))
    }
}
