//! What the results of [`calls`](crate::calls) functions become on the C side.

use super::demands;
use crate::abi::{Address, CText, Name};
use crate::failure::{Answer, Failure};
use crate::faults::{self, Verdict};
use crate::machine::host::process;
use crate::machine::thread::errors;
use crate::machine::trouble;
use crate::machine::watch;
use ascendcl_sys::error_codes::{ACL_ERROR_INTERNAL_ERROR, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_SUCCESS};
use ascendcl_sys::types::*;
use core::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Turns a result into what C gets.
pub(super) trait IntoC<Raw> {
    fn into_c(self) -> Raw;
}

/// What C gets when the simulator itself is broken, or a call is made to fail.
pub(super) trait Broken: Sized {
    const BROKEN: Self;
    /// From a function that the simulator does not have.
    const ABSENT: Self;
    /// Whether `BROKEN` tells the caller of a failure.
    const TELLS: bool = true;

    /// Whether it may be the answer of a call that has failed.
    fn may_be_failure(&self) -> bool {
        false
    }

    /// What C gets for this failure.
    fn failed(_failure: &Failure) -> Self {
        Self::BROKEN
    }
}

/// Runs one call: nothing unwinds into C, and a failure leaves its text behind for the thread. `address`: the C function's.
/// `words`: those of its arguments that may be handles or addresses.
pub(super) fn enter<R, C: Broken>(
    (name, address): (&'static str, usize),
    words: impl FnOnce() -> Vec<usize>,
    call: impl FnOnce() -> R,
) -> C
where
    R: IntoC<C>,
{
    errors::during(name, Some(address), || {
        let call = || {
            catch_unwind(AssertUnwindSafe(call)).map_or_else(
                |_| {
                    errors::set("the simulator failed; this is a defect of the simulator");
                    C::BROKEN
                },
                IntoC::into_c,
            )
        };
        let verdict = faults::verdict(name, C::TELLS);
        let failure = match verdict {
            Verdict::Goes => match process::refuse_uninitialised() {
                Err(failure) if C::TELLS && trouble::needs_device(name) => failure,
                _ => {
                    let answer = call();
                    match answer.may_be_failure() {
                        true => watch::failed(name, words),
                        false => watch::succeeded(name, words),
                    }
                    return answer;
                }
            },
            Verdict::Fails(failure) => {
                if name == "aclInit" {
                    watch::initialisation_failed();
                }
                failure
            }
            // What the refusals leave behind belongs to the thread alone.
            Verdict::Refused(_) if name == "aclGetRecentErrMsg" => return call(),
            Verdict::Refused(failure) => {
                errors::report(&failure);
                return C::failed(&failure);
            }
            Verdict::FailsAfter(failure) => {
                call();
                failure
            }
        };
        watch::made_to_fail(name, words());
        errors::report(&failure);
        C::failed(&failure)
    })
}

/// The whole of a function that is not simulated.
pub(super) fn absent<C: Broken>(name: &'static str, arguments: &[demands::Named]) -> C {
    match demands::check(name, arguments) {
        Ok(()) => absent_for(name, "the simulator does not have this function"),
        Err(failure) => errors::during(name, None, || {
            errors::report(&failure);
            C::failed(&failure)
        }),
    }
}

pub(super) fn absent_for<C: Broken>(name: &'static str, reason: &'static str) -> C {
    errors::during(name, None, || {
        errors::report(&Failure::unsupported(reason));
        watch::absent(name);
        C::ABSENT
    })
}

pub(super) fn wrong(name: &'static str, text: String) -> aclError {
    errors::during(name, None, || Err(Failure::invalid(text)).into_c())
}

impl IntoC<aclError> for Answer {
    fn into_c(self) -> aclError {
        match self {
            Ok(()) => ACL_SUCCESS,
            Err(failure) => {
                let failure = watch::explained(failure);
                errors::report(&failure);
                failure.code
            }
        }
    }
}

/// A code that is the call's result and not its own failure.
impl IntoC<aclError> for aclError {
    fn into_c(self) -> aclError {
        self
    }
}

impl<T> IntoC<*mut T> for Option<Name<T>> {
    fn into_c(self) -> *mut T {
        self.map_or(core::ptr::null_mut(), Name::pointer)
    }
}

impl IntoC<*mut c_void> for Option<Address> {
    fn into_c(self) -> *mut c_void {
        self.map_or(core::ptr::null_mut(), Address::pointer)
    }
}

impl IntoC<*const c_char> for CText {
    fn into_c(self) -> *const c_char {
        self.pointer()
    }
}

macro_rules! plain {
    ($($ty:ty: $broken:expr, $tells:literal;)*) => { $(
        impl IntoC<$ty> for $ty {
            fn into_c(self) -> $ty {
                self
            }
        }
        impl Broken for $ty {
            const BROKEN: Self = $broken;
            const ABSENT: Self = $broken;
            const TELLS: bool = $tells;
        }
    )* };
}
plain! {
    (): (), false;
    usize: 0, false;
    u8: 0, false;
    u16: 0, false;
    u32: 0, false;
    u64: 0, false;
    i64: 0, false;
    f32: 0.0, false;
    f64: 0.0, false;
    aclDataType: aclDataType::ACL_DT_UNDEFINED, false;
    aclFormat: aclFormat::ACL_FORMAT_UNDEFINED, false;
    aclrtAllocatorDesc: aclrtAllocatorDesc::NULL, true;
    aclrtBinary: aclrtBinary::NULL, true;
    acltdtTensorType: acltdtTensorType::ACL_TENSOR_DATA_UNDEFINED, false;
    aclprofSubscribeOpFlag: aclprofSubscribeOpFlag::ACL_SUBSCRIBE_NONE, false;
    acldvppPixelFormat: acldvppPixelFormat::PIXEL_FORMAT_YUV_400, false;
    acldvppStreamFormat: acldvppStreamFormat::H265_MAIN_LEVEL, false;
    acldvppBorderType: acldvppBorderType::BORDER_CONSTANT, false;
    aclvdecCallback: None, false;
    aclvencCallback: None, false;
}

impl Broken for aclError {
    const BROKEN: Self = ACL_ERROR_INTERNAL_ERROR;
    const ABSENT: Self = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

    fn failed(failure: &Failure) -> Self {
        failure.code
    }

    fn may_be_failure(&self) -> bool {
        *self != ACL_SUCCESS
    }
}
impl<T> Broken for *mut T {
    const BROKEN: Self = core::ptr::null_mut();
    const ABSENT: Self = core::ptr::null_mut();

    fn may_be_failure(&self) -> bool {
        self.is_null()
    }
}
impl<T> Broken for *const T {
    const BROKEN: Self = core::ptr::null();
    const ABSENT: Self = core::ptr::null();

    fn may_be_failure(&self) -> bool {
        self.is_null()
    }
}
