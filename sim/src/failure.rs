//! A call that failed: the code for the caller, and the text that `aclGetRecentErrMsg` gives to the same thread.

use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclError;
use std::borrow::Cow;

/// The answer of a call that returns an `aclError`.
pub(crate) type Answer<T = ()> = Result<T, Failure>;

/// Why a call failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) code: aclError,
    pub(crate) text: Cow<'static, str>,
}

impl Failure {
    pub(crate) fn new(code: aclError, text: impl Into<Cow<'static, str>>) -> Self {
        Self { code, text: text.into() }
    }

    /// An argument that the AscendCL layer itself refuses (100000).
    pub(crate) fn invalid(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ACL_ERROR_INVALID_PARAM, text)
    }

    /// An argument that the runtime below it refuses (107000).
    pub(crate) fn refused(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ACL_ERROR_RT_PARAM_INVALID, text)
    }

    /// The thread has no current context (107002).
    pub(crate) fn no_context() -> Self {
        Self::new(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no current context; set a device or a context first")
    }

    /// A handle that was destroyed, or never issued (107017).
    pub(crate) fn unknown(what: &'static str) -> Self {
        Self::new(ACL_ERROR_RT_INVALID_HANDLE, format!("this is not the handle of a live {what}"))
    }

    /// The object belongs to a context that is not the current one (107003).
    pub(crate) fn other_context(what: &'static str) -> Self {
        Self::new(ACL_ERROR_RT_STREAM_CONTEXT, format!("the {what} belongs to a context that is not current here"))
    }

    /// Something this library does not do (207000).
    pub(crate) fn unsupported(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, text)
    }
}
