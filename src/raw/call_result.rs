//! What raw calls return.

use crate::brand::Inside;
use ascendcl_sys::MissingSymbol;

/// What a raw call returned: the function's code, 0 for success; or the result of a call by
/// [`Loaded::as_raw`](crate::library::Loaded::as_raw), which is an error if the library lacks the function.
///
/// [`check_call`](crate::library::Loaded::check_call) makes an [`Error`](crate::Error) of it, and
/// [`submit`](crate::stream::StreamOps::submit) takes it from the function that queues the work.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the result of a raw call",
    label = "expected the code, an `i32`, or the `Result` that a function of `library.as_raw()` returns",
    note = "ERR-01: the code says whether the call succeeded: let it be the closure's last expression, without `;`",
    note = "see `ascendcl-explain ERR-01`"
)]
pub trait CallResult: sealed::CallResult {}

impl CallResult for i32 {}
impl CallResult for Result<i32, MissingSymbol> {}

mod sealed {
    use super::*;

    pub trait CallResult {
        fn into_code(self, key: Inside) -> Result<i32, MissingSymbol>;
    }

    impl CallResult for i32 {
        fn into_code(self, _: Inside) -> Result<i32, MissingSymbol> {
            Ok(self)
        }
    }

    impl CallResult for Result<i32, MissingSymbol> {
        fn into_code(self, _: Inside) -> Self {
            self
        }
    }
}
