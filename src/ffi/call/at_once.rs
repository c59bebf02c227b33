//! Calls that need no check beyond the look at their function.

use super::super::condition::{AtOnce, SelectsContext};
use super::super::plain::PLACES;
use super::{Begins, Current, Function, functions};
use crate::callback_guard::InCallback;

/// A function that has a place among the [plain calls](super::super::plain::PlainCalls).
pub(in crate::ffi) trait Plain: Function {
    const PLACE: usize;
}

macro_rules! plain {
    ($($name:ident)+) => {
        #[allow(non_camel_case_types, reason = "they have the names of the C functions")]
        enum Place {
            $($name,)+
            Behind,
        }

        const _: () = assert!(Place::Behind as usize <= PLACES);

        $(impl Plain for functions::$name {
            const PLACE: usize = Place::$name as usize;
        })+
    };
}

plain! {
    aclmdlExecute aclmdlExecuteAsync aclmdlRIExecuteAsync
    aclrtCreateEvent aclrtCreateStream aclrtDestroyEvent aclrtDestroyStream aclrtFree aclrtLaunchHostFunc aclrtMalloc
    aclrtGetCurrentContext aclrtMemcpy aclrtMemcpy2dAsync aclrtMemcpyAsync aclrtMemsetAsync aclrtRecordEvent
    aclrtSetCurrentContext aclrtStreamWaitEvent aclrtSynchronizeStreamWithTimeout
}

impl AtOnce for Current {
    #[inline(always)]
    fn passes() -> bool {
        true
    }
}

impl AtOnce for SelectsContext {
    #[inline(always)]
    fn passes() -> bool {
        !InCallback::is_running()
    }
}

impl AtOnce for Begins {
    #[inline(always)]
    fn passes() -> bool {
        !InCallback::is_running()
    }
}

/// The pointer to a function, if one look at it shows that the call needs no further check: `found!(here.aclrtMemcpyAsync)`.
/// Else `None`, which is rare, and the slower way follows: [`call!`].
///
/// For fast paths. With the look-up in them, they would keep the arguments of their call over it. The macro is used in an
/// unsafe block. It gives the place and the pointer of one function, which is what [`Here::found`](super::super::Here::found)
/// asks for. With a [`Site`](super::super::Site) in place of a `Here`, it finds the functions that choose a context.
macro_rules! found {
    ($here:ident.$function:ident) => {
        match $crate::ffi::call::known!($here.$function) {
            Some(function) => Some(function),
            None => {
                $here.keep::<$crate::ffi::call::functions::$function, _, _>(ascendcl_sys::pointers_of::$function);
                None
            }
        }
    };
}
pub(in crate::ffi) use found;

/// Like [`found!`], without the look-up that lets the next call find the function. For a caller whose slower way uses
/// [`found!`]: the compiler does not know that the look-up never unwinds, and the caller would keep its values in memory for
/// that.
macro_rules! known {
    ($here:ident.$function:ident) => {
        $here.found::<$crate::ffi::call::functions::$function, _, _>(ascendcl_sys::pointers_of::$function)
    };
}
pub(in crate::ffi) use known;

/// Calls a function if that needs no further check; else `None`, and nothing has happened. For fast paths, like
/// [`found!`].
macro_rules! call_found {
    ($here:ident.$function:ident($($argument:expr),* $(,)?)) => {
        match $crate::ffi::call::found!($here.$function) {
            Some(function) => {
                let code = function($($argument),*);
                Some($crate::ffi::call::success_of::<$crate::ffi::call::functions::$function>(code))
            }
            None => None,
        }
    };
}
pub(in crate::ffi) use call_found;

/// Calls a function that needs the current context:
/// `call_here!(here.aclrtSynchronizeStreamWithTimeout(...), |answer| ...)`. The short way is that of [`call_found!`]; the
/// checks and the look-up are a function by itself. The last argument gives the result after an answer that is not a
/// success. It is compiled in both places, so that nothing is kept for it during the call.
macro_rules! call_here {
    ($here:ident.$function:ident($($argument:expr),* $(,)?), |$answer:ident| $failed:expr) => {
        match $crate::ffi::call::call_found!($here.$function($($argument),*)) {
            Some(Ok(())) => Ok(()),
            Some(Err($answer)) => $failed,
            None => $crate::ffi::seldom::seldom(move || {
                let ready = $here.ready()?;
                match $crate::ffi::call::call!(ready.$function($($argument),*)).or_answer() {
                    Ok(()) => Ok(()),
                    Err($answer) => $failed,
                }
            }),
        }
    };
}
pub(in crate::ffi) use call_here;
