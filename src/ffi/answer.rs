//! The answer of a call of the library, before it becomes a result of this crate.
//!
//! `call/mod.rs` turns the codes of failed calls into errors: such an error carries the library's text, and only
//! another call can read that text.

use super::api::Api;
use super::process::LoadedLibrary;
use crate::error::{Error, MissingFunction};
use crate::trace;
use ascendcl_macros::rule;
use ascendcl_sys::MissingSymbol;
use ascendcl_sys::error_codes::ACL_SUCCESS;
use ascendcl_sys::types::{
    aclError, aclmdlRI, aclmdlRICondHandle, aclrtAllocatorDesc, aclrtContext, aclrtEvent, aclrtLabel, aclrtLabelList,
    aclrtStream, aclrtTaskGrp,
};
use core::convert::Infallible;
use core::ptr::NonNull;

/// Why a check refused a call. `Infallible` if the checks were made before.
pub(super) trait Refusal {
    fn into_error(self) -> Error;
}

impl Refusal for Error {
    fn into_error(self) -> Error {
        self
    }
}

impl Refusal for Infallible {
    fn into_error(self) -> Error {
        match self {}
    }
}

/// What a function writes for a new object: a handle or an address. Null stands for no object, or for another one.
pub(super) trait Written: Copy {
    fn is_nothing(self) -> bool;
}

impl<T> Written for *mut T {
    #[inline(always)]
    fn is_nothing(self) -> bool {
        self.is_null()
    }
}

macro_rules! written {
    ($($handle:ident)+) => { $(
        impl Written for $handle {
            #[inline(always)]
            fn is_nothing(self) -> bool {
                self.is_null()
            }
        }
    )+ };
}
written!(aclmdlRI aclmdlRICondHandle aclrtAllocatorDesc aclrtContext aclrtEvent aclrtLabel aclrtLabelList aclrtStream aclrtTaskGrp);

/// What this call has written. Null is a failure, although the call succeeded (ERR-06).
#[inline]
#[rule(ERR_06)]
pub(super) fn written<H: Written>(handle: H, call: &'static str) -> Result<H, Error> {
    if handle.is_nothing() { Err(Error::NullAnswer { call }) } else { Ok(handle) }
}

/// The answer of a function, and the function's name.
#[must_use]
pub(super) struct Answer<T, R = Error> {
    pub(super) loading: &'static LoadedLibrary,
    pub(super) call: &'static str,
    /// An error if the function was not called: a check failed, or the library lacks the function.
    pub(super) value: Result<Result<T, Box<MissingSymbol>>, R>,
}

/// The answer of a call that was made by a [`Ready`](super::call::Ready).
pub(super) type ReadyAnswer<T> = Answer<T, Infallible>;

impl<T, R: Refusal> Answer<T, R> {
    #[inline(always)]
    pub(super) fn new(
        loading: &'static LoadedLibrary,
        call: &'static str,
        value: Result<Result<T, Box<MissingSymbol>>, R>,
    ) -> Self {
        Self { loading, call, value }
    }

    /// The C function's name.
    pub(super) fn call(&self) -> &'static str {
        self.call
    }

    /// Whether the library lacks the function.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self.value, Ok(Err(_)))
    }

    pub(super) fn ok(self) -> Option<T> {
        self.value.ok()?.ok()
    }

    /// The answer of a function that cannot fail.
    ///
    /// `doing` continues "could not": "create a stream".
    #[inline]
    pub(super) fn value(self, doing: impl FnOnce() -> String) -> Result<T, Error> {
        match self.value {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(missing)) => Err(lacks(self.loading, *missing, doing())),
            Err(refused) => Err(refused.into_error()),
        }
    }
}

impl<T, R: Refusal> Answer<*mut T, R> {
    /// The pointer that a function returned. Null is a failure (ERR-06).
    #[rule(ERR_06)]
    pub(super) fn pointer(self, doing: &'static str) -> Result<NonNull<T>, Error> {
        let call = self.call;
        NonNull::new(self.value(|| doing.into())?).ok_or(Error::NullAnswer { call })
    }
}

impl<R: Refusal> Answer<aclError, R> {
    #[inline(always)]
    pub(super) fn is_success(&self) -> bool {
        matches!(self.value, Ok(Ok(ACL_SUCCESS)))
    }

    /// The library's code; `None` if it was not called.
    #[inline]
    pub(super) fn code(&self) -> Option<aclError> {
        match self.value {
            Ok(Ok(code)) => Some(code),
            _ => None,
        }
    }
}

impl<T> ReadyAnswer<T> {
    pub(super) fn from_parts(
        loading: &'static LoadedLibrary,
        call: &'static str,
        value: Result<T, Box<MissingSymbol>>,
    ) -> Self {
        Self { loading, call, value: Ok(value) }
    }
}

#[cold]
pub(super) fn lacks(loading: &'static LoadedLibrary, missing: MissingSymbol, doing: String) -> Error {
    let (library, MissingSymbol { symbol, files }) = (loading.to_string(), missing);
    let searched = loading.library().searched_for(&missing);
    let missing = Box::new(MissingFunction { symbol, files, searched, library, doing });
    trace::missing(&missing);
    Error::MissingFunction(missing)
}

impl Api {
    /// [`Error::MissingFunction`] if the library lacks one of these functions, which `doing` needs.
    pub(super) fn check_functions(self, needed: &[&str], doing: &str) -> Result<(), Error> {
        let Some(missing) = self.loading().library().first_missing_of(needed) else { return Ok(()) };
        let missing = MissingSymbol { symbol: missing.name, files: missing.files };
        Err(lacks(self.loading(), missing, doing.into()))
    }
}
