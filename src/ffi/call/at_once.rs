//! Fast calls: the functions come from the [`FunctionCache`], which is empty while calls need further checks.
//!
//! [`FunctionCache`]: super::super::function_cache::FunctionCache

use super::super::condition::FastCheck;
use super::super::function_cache::PLACES;
use super::{Begins, Current, Function, functions};
use crate::callback_guard::InCallback;

/// A function that has a place in the [cache](super::super::function_cache::FunctionCache).
pub(in crate::ffi) trait Cached: Function {
    const PLACE: usize;
}

macro_rules! cached_functions {
    ($($name:ident)+) => {
        #[allow(non_camel_case_types, reason = "they have the names of the C functions")]
        enum Place {
            $($name,)+
            Behind,
        }

        const _: () = assert!(Place::Behind as usize <= PLACES);

        $(impl Cached for functions::$name {
            const PLACE: usize = Place::$name as usize;
        })+
    };
}

cached_functions! {
    aclmdlExecute aclmdlExecuteAsync aclmdlRIExecuteAsync
    aclrtCreateEvent aclrtCreateStream aclrtDestroyEvent aclrtDestroyStream aclrtFree aclrtLaunchHostFunc aclrtMalloc
    aclrtGetCurrentContext aclrtMemcpy aclrtMemcpy2dAsync aclrtMemcpyAsync aclrtMemsetAsync aclrtRecordEvent
    aclrtSetCurrentContext aclrtStreamWaitEvent aclrtSynchronizeStreamWithTimeout
}

impl FastCheck for Current {
    #[inline(always)]
    fn passes() -> bool {
        true
    }
}

impl FastCheck for Begins {
    #[inline(always)]
    fn passes() -> bool {
        !InCallback::is_running()
    }
}

/// The pointer to a function from the cache: `cached!(here.aclrtMemcpyAsync)`. If there is one, the call needs no
/// further check. Otherwise this gives `None`, which is rare, and looks the function up for the next call; the caller
/// then takes the slow path with [`call!`].
///
/// Fast paths use this instead of `call!`, because with the look-up inside they would have to keep the arguments of the
/// call across it. The macro is used in an unsafe block. It names the place and the pointer type of one function, which
/// is what [`Here::cached`](super::super::Here::cached) asks for. With a
/// [`Select`](super::super::here::Select) in place of a `Here`, it gives the functions that select a context.
macro_rules! cached {
    ($here:ident.$function:ident) => {
        match $crate::ffi::call::cached_only!($here.$function) {
            Some(function) => Some(function),
            None => {
                $here.fill_cache::<$crate::ffi::call::functions::$function, _, _>(ascendcl_sys::pointers_of::$function);
                None
            }
        }
    };
}
pub(in crate::ffi) use cached;

/// Like [`cached!`], without the look-up for the next call. For a caller whose slow path uses [`cached!`]: the compiler
/// does not know that the look-up never unwinds, so with it the caller would keep its values in memory.
macro_rules! cached_only {
    ($here:ident.$function:ident) => {
        $here.cached::<$crate::ffi::call::functions::$function, _, _>(ascendcl_sys::pointers_of::$function)
    };
}
pub(in crate::ffi) use cached_only;

/// Calls a function if it is [cached](cached!); else gives `None`, and nothing has happened.
macro_rules! call_cached {
    ($here:ident.$function:ident($($argument:expr),* $(,)?)) => {
        match $crate::ffi::call::cached!($here.$function) {
            Some(function) => {
                let code = function($($argument),*);
                Some($crate::ffi::call::success_of::<$crate::ffi::call::functions::$function>(code))
            }
            None => None,
        }
    };
}
pub(in crate::ffi) use call_cached;

/// Like [`call_cached!`], without the look-up for the next call, as [`cached_only!`].
macro_rules! call_cached_only {
    ($here:ident.$function:ident($($argument:expr),* $(,)?)) => {
        match $crate::ffi::call::cached_only!($here.$function) {
            Some(function) => {
                let code = function($($argument),*);
                Some($crate::ffi::call::success_of::<$crate::ffi::call::functions::$function>(code))
            }
            None => None,
        }
    };
}
pub(in crate::ffi) use call_cached_only;

/// Calls a function that needs the current context:
/// `call_current!(here.aclrtSynchronizeStreamWithTimeout(...), |answer| ...)`. The fast path is that of [`call_cached!`];
/// the checks and the look-up are out of line, as one part: between two, the caller would keep values in registers that it
/// saves each time. The last argument gives the result after an answer that is not a success. It is compiled in both
/// places, so that nothing is kept for it during the call.
macro_rules! call_current {
    ($here:ident.$function:ident($($argument:expr),* $(,)?), |$answer:ident| $failed:expr) => {{
        let cached = $crate::ffi::call::cached_only!($here.$function);
        let answer = cached.map(|function| {
            let code = function($($argument),*);
            $crate::ffi::call::success_of::<$crate::ffi::call::functions::$function>(code)
        });
        match answer {
            Some(Ok(())) => Ok(()),
            Some(Err($answer)) => $failed,
            None => $crate::ffi::cold_path::cold_path(move || {
                // Caches the function for the next call.
                let _ = $crate::ffi::call::cached!($here.$function);
                let ready = $here.ready()?;
                match $crate::ffi::call::call!(ready.$function($($argument),*)).or_answer() {
                    Ok(()) => Ok(()),
                    Err($answer) => $failed,
                }
            }),
        }
    }};
}
pub(in crate::ffi) use call_current;
