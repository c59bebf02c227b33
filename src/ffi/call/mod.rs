//! How the library is called: the checks that a call needs, the call itself, and the conversion of its answer.
//!
//! Only a [`Ready`] gives access to the functions, and only a check creates a `Ready`. So no call can omit a check. The
//! table (`needs.rs`) states which checks a function needs.

mod at_once;
mod ready;

use super::answer::{Answer, ReadyAnswer, Refusal, Written, lacks, written};
use super::api::{Api, text};
use super::condition::{HostOnly, Need, OutsideCallbacks, SelectsContext, ThisProcess};
use super::context::RawContext;
use super::process::LoadedLibrary;
use super::thread_notes;
use crate::callback_guard::InCallback;
use crate::error::{Boxed, Error, VendorError};
use crate::trace;
use ascendcl_macros::rule;
use ascendcl_sys::MissingSymbol;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_CONTEXT_NULL, ACL_SUCCESS};
use ascendcl_sys::types::aclError;
use core::convert::Infallible;
use core::marker::PhantomData;

pub(super) use super::condition::{Begins, Current, FastCheck};
pub(super) use at_once::{Cached, cached, cached_only, call_cached, call_cached_only, call_current};
pub(super) use ready::Ready;

impl Need for ThisProcess {
    #[inline(always)]
    fn check(api: Api) -> Result<(), Error> {
        api.check_process()
    }
}

impl Need for SelectsContext {
    #[inline(always)]
    fn check(api: Api) -> Result<(), Error> {
        InCallback::check_outside()?;
        api.check_process()
    }
}

impl Need for HostOnly {
    #[inline(always)]
    fn check(api: Api) -> Result<(), Error> {
        if api.loading().is_plain() { Ok(()) } else { thread_notes::refusal(api).map_or(Ok(()), Err) }
    }
}

impl Need for OutsideCallbacks {
    #[inline(always)]
    fn check(api: Api) -> Result<(), Error> {
        InCallback::check_outside()?;
        HostOnly::check(api)
    }
}

impl Need for Current {
    #[inline(always)]
    fn check(api: Api) -> Result<(), Error> {
        if api.loading().is_plain() { Ok(()) } else { thread_notes::return_to_entered(api) }
    }
}

impl Need for Begins {
    #[inline(always)]
    fn check(api: Api) -> Result<(), Error> {
        InCallback::check_outside()?;
        Current::check(api)
    }
}

/// A C function of the table.
pub(super) trait Function {
    type Need: Need;
    const NAME: &'static str;
}

macro_rules! functions {
    ($($need:ident: $($name:ident)+;)*) => {
        /// The functions of the table, each as a type.
        #[allow(non_camel_case_types, reason = "they have the names of the C functions")]
        pub(super) mod functions {
            $($(
                pub(crate) enum $name {}

                impl super::Function for $name {
                    type Need = super::$need;
                    const NAME: &'static str = stringify!($name);
                }
            )+)*
        }
    };
}
needs!(functions);

/// The receiver of a call: an [`Api`], which makes the checks, or a [`Ready`], for which they were already made.
pub(super) trait Calls<N>: Copy {
    /// The reason why the call is not made.
    type Refusal: Refusal;

    fn loading(self) -> &'static LoadedLibrary;
    fn checked(self) -> Result<Ready<N>, Self::Refusal>;
}

impl<N: Need> Calls<N> for Api {
    type Refusal = Error;

    #[inline(always)]
    fn loading(self) -> &'static LoadedLibrary {
        Api::loading(self)
    }

    #[inline(always)]
    fn checked(self) -> Result<Ready<N>, Error> {
        self.ready()
    }
}

impl<N> Calls<N> for Ready<N> {
    type Refusal = Infallible;

    #[inline]
    fn loading(self) -> &'static LoadedLibrary {
        self.loading
    }

    #[inline]
    fn checked(self) -> Result<Self, Infallible> {
        Ok(self)
    }
}

/// Calls a function of the library: `call!(api.aclrtSetDevice(id))`, or with a [`Ready`] instead of the `Api` if the
/// checks were made before. The macro is used in an unsafe block, whose comment says why the function's contract holds.
macro_rules! call {
    ($by:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let value = match $crate::ffi::call::checked::<$crate::ffi::call::functions::$function, _>($by) {
            // The function comes before its arguments, so the compiler keeps none of them across a first look-up.
            Ok(ready) => Ok(match ascendcl_sys::pointers_of::$function(ready.library()) {
                Ok(function) => Ok(function($($argument),*)),
                Err(missing) => Err($crate::ffi::call::boxed_missing(missing)),
            }),
            Err(refused) => Err(refused),
        };
        $crate::ffi::call::answer_of::<$crate::ffi::call::functions::$function, _, _>($by, value)
    }};
}
pub(super) use call;

/// Makes the checks before a function is called.
#[inline(always)]
pub(super) fn checked<F: Function, B: Calls<F::Need>>(by: B) -> Result<Ready<F::Need>, B::Refusal> {
    by.checked()
}

/// The answer of this function, or the reason why it was not called.
#[inline(always)]
pub(super) fn answer_of<F: Function, B: Calls<F::Need>, T>(
    by: B,
    value: Result<Result<T, Box<MissingSymbol>>, B::Refusal>,
) -> Answer<T, B::Refusal> {
    Answer::new(by.loading(), F::NAME, value)
}

/// Boxes a missing function, so that the answer of an existing function stays in registers.
#[cold]
#[inline(never)]
pub(super) fn boxed_missing(missing: MissingSymbol) -> Box<MissingSymbol> {
    Box::new(missing)
}

impl<R: Refusal> Answer<aclError, R> {
    /// What the function has [written](written), if it succeeded. The rest is as for [`done`](Self::done).
    #[inline]
    pub(super) fn wrote<H: Written>(self, handle: H, doing: impl FnOnce() -> String) -> Result<H, Error> {
        let call = self.call;
        self.done(doing)?;
        written(handle, call)
    }

    /// Turns the code into a result. An error includes this thread's recent error text.
    ///
    /// `doing` continues "could not": "create a stream".
    #[inline(always)]
    pub(super) fn done(self, doing: impl FnOnce() -> String) -> Result<(), Error> {
        let (loading, call) = (self.loading, self.call);
        match self.value {
            Ok(Ok(ACL_SUCCESS)) => Ok(()),
            Ok(Ok(code)) => Err(failed(loading, call, code, doing())),
            Ok(Err(missing)) => Err(lacks(loading, *missing, doing())),
            Err(refused) => Err(refused.into_error()),
        }
    }
}

impl ReadyAnswer<aclError> {
    /// Turns an answer that is not a success into an error.
    pub(super) fn into_error(self, doing: impl FnOnce() -> String) -> Error {
        let (loading, call) = (self.loading, self.call);
        let Ok(value) = self.value;
        no_success(loading, call, value, doing())
    }

    /// `Ok` on success, else the answer without the library, which the caller knows.
    #[inline(always)]
    pub(super) fn or_answer(self) -> Result<(), NoSuccess> {
        let Ok(value) = self.value;
        match value {
            Ok(ACL_SUCCESS) => Ok(()),
            value => Err(NoSuccess(self.call, value)),
        }
    }

    /// Like [`done`](Answer::done), for fast paths: the error is boxed.
    #[inline(always)]
    pub(super) fn success(self, doing: &'static str) -> Result<(), Boxed> {
        let (loading, call) = (self.loading, self.call);
        let Ok(value) = self.value;
        match value {
            Ok(ACL_SUCCESS) => Ok(()),
            value => Err(boxed(loading, call, value, doing)),
        }
    }
}

/// The answer of a failed call: the function's name, and the code or the missing function.
pub(super) struct NoSuccess(&'static str, Result<aclError, Box<MissingSymbol>>);

/// A failed call of the function `F`, in a fast path. It is the code alone, so that it is passed in a register: for a
/// larger value the caller would have room on its stack, also where nothing fails.
#[must_use]
pub(crate) struct FailedCall<F> {
    code: aclError,
    _function: PhantomData<F>,
}

impl<F: Function> From<FailedCall<F>> for NoSuccess {
    fn from(failed: FailedCall<F>) -> Self {
        Self(F::NAME, Ok(failed.code))
    }
}

impl<F> FailedCall<F> {
    #[cold]
    #[inline(never)]
    pub(super) fn into_error(self, api: Api, doing: &'static str) -> Boxed
    where
        F: Function,
    {
        NoSuccess::from(self).into_error(api, doing)
    }
}

/// `Ok` if the function returned success. For calls by a pointer from [`cached!`].
#[inline(always)]
pub(super) fn success_of<F>(code: aclError) -> Result<(), FailedCall<F>> {
    if code == ACL_SUCCESS { Ok(()) } else { Err(FailedCall { code, _function: PhantomData }) }
}

impl NoSuccess {
    /// The full answer, with this library.
    pub(super) fn into_answer(self, api: Api) -> ReadyAnswer<aclError> {
        Answer::from_parts(api.loading(), self.0, self.1)
    }

    #[cold]
    pub(super) fn into_error(self, api: Api, doing: &'static str) -> Boxed {
        boxed(api.loading(), self.0, self.1, doing)
    }
}

#[cold]
#[inline(never)]
fn boxed(
    loading: &'static LoadedLibrary,
    call: &'static str,
    value: Result<aclError, Box<MissingSymbol>>,
    doing: &'static str,
) -> Boxed {
    no_success(loading, call, value, doing.to_owned()).into()
}

#[cold]
fn no_success(
    loading: &'static LoadedLibrary,
    call: &'static str,
    value: Result<aclError, Box<MissingSymbol>>,
    doing: String,
) -> Error {
    match value {
        Ok(code) => failed(loading, call, code, doing),
        Err(missing) => lacks(loading, *missing, doing),
    }
}

#[cold]
fn failed(loading: &'static LoadedLibrary, call: &'static str, code: aclError, doing: String) -> Error {
    let api = Api::new(loading);
    let text = recent_text(api).filter(|text| code == ACL_ERROR_RT_CONTEXT_NULL || !is_made_up(api, text));
    let failure = Box::new(VendorError { call, code: code.into(), text, doing });
    trace::vendor_error(&failure);
    Error::Vendor(failure)
}

/// The text that the library keeps for this thread's last failure. Reading clears it.
#[rule(ERR_03)]
fn recent_text(api: Api) -> Option<String> {
    // SAFETY: the function takes no arguments, so it requires only that its signature is that of the table.
    let text_or_null = unsafe { call!(api.aclGetRecentErrMsg()) }.ok()?;
    // SAFETY: `text` asks for null or a terminated string that stays in place. The answer is such a string and is valid
    // until this thread's next call (ERR-03). It is copied before that.
    unsafe { text(text_or_null) }
}

/// Whether the text says nothing about the failure: on a thread without a context, the library's text is about the
/// missing context, whatever failed.
fn is_made_up(api: Api, text: &str) -> bool {
    RawContext::current(api).is_none() && text.to_ascii_lowercase().contains("context")
}

impl Api {
    /// Makes the checks for the call that follows. `call!` makes them itself. This is for calls that are prepared in
    /// advance.
    #[inline(always)]
    pub(super) fn ready<N: Need>(self) -> Result<Ready<N>, Error> {
        N::check(self)?;
        Ok(Ready::after_checks(self))
    }

    /// The checks for a call of another library that needs no context.
    pub(crate) fn check_outside_callbacks(self) -> Result<(), Error> {
        OutsideCallbacks::check(self)
    }

    /// The checks for a call of another library that begins something in the current context.
    pub(crate) fn check_begin(self) -> Result<(), Error> {
        Begins::check(self)
    }

    /// Turns the answer of a call that code outside this crate made into a result.
    pub(crate) fn result_of(
        self,
        call: &'static str,
        answer: Result<aclError, MissingSymbol>,
        doing: &str,
    ) -> Result<(), Error> {
        self.ready::<ThisProcess>()?;
        ReadyAnswer::from_parts(self.loading(), call, answer.map_err(boxed_missing)).done(|| doing.to_owned())
    }

    /// Discards the recent error text, where an answer is not a failure.
    pub(super) fn forget_text(self) {
        let _ = recent_text(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callback_guard::contained;

    #[test]
    fn inside_a_callback_nothing_is_begun_and_what_was_begun_is_used() {
        let api = Api::without_functions();
        let all = || [SelectsContext::check(api), OutsideCallbacks::check(api), Begins::check(api)];
        let refused = contained(all).unwrap();
        assert!(refused.iter().all(|refused| matches!(refused, Err(Error::InsideCallback))), "{refused:?}");
        let made = contained(|| [ThisProcess::check(api), HostOnly::check(api), Current::check(api)]).unwrap();
        assert!(made.iter().all(Result::is_ok), "{made:?}");
    }

    #[test]
    fn an_error_has_the_name_of_the_function_that_was_called() {
        let api = Api::without_functions();
        // SAFETY: a call must keep the function's contract. This library has no functions, so none is called.
        let missing = unsafe { call!(api.aclrtSetDevice(0)) };
        assert!(missing.is_missing());
        assert_eq!(missing.call(), "aclrtSetDevice");
        let Err(Error::MissingFunction(error)) = missing.done(|| "take device 0".into()) else { panic!() };
        assert_eq!((error.symbol, error.doing.as_str()), ("aclrtSetDevice", "take device 0"));
    }

    #[test]
    fn a_function_is_not_called_inside_a_callback() {
        let api = Api::without_functions();
        // SAFETY: a call must keep the function's contract. This library has no functions, so none is called.
        let refused = contained(|| unsafe { call!(api.aclrtSetDevice(0)) }).unwrap();
        assert!(!refused.is_missing() && refused.code().is_none());
        assert!(matches!(refused.done(|| "take device 0".into()), Err(Error::InsideCallback)));
    }
}
