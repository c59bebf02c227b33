//! The vendor's return codes.

use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, error_name};
use ascendcl_sys::types::aclError;
use core::fmt;

/// A return code of the vendor's library. It prints as number and name: `107002 (ACL_ERROR_RT_CONTEXT_NULL)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(aclError);

/// What kind of failure a code stands for, by the vendor's own classes (ERR-05).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CodeKind {
    /// 1xxxxx: a call was used in a way the library does not allow. Trying again does not help.
    Usage,
    /// 2xxxxx: a resource is used up, or the product or release does not support the call.
    Resource,
    /// 3xxxxx: a service is in a state in which it cannot answer.
    Service,
    /// 5xxxxx: the library or the device failed.
    Internal,
    /// A number outside the documented classes.
    Unknown,
}

impl Code {
    /// The number.
    pub fn number(self) -> i32 {
        self.0
    }

    /// The name in the vendor's headers, if they have one for it.
    pub fn name(self) -> Option<&'static str> {
        error_name(self.0)
    }

    /// The vendor's class of the code.
    #[rule(ERR_05)]
    pub fn kind(self) -> CodeKind {
        match self.0 / 100_000 {
            1 => CodeKind::Usage,
            2 => CodeKind::Resource,
            3 => CodeKind::Service,
            5 => CodeKind::Internal,
            _ => CodeKind::Unknown,
        }
    }

    /// Whether this is how a synchronise with a time limit says that the time is up; the work is still in flight
    /// (STREAM-16).
    pub fn is_timeout(self) -> bool {
        self.0 == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
    }
}

impl From<aclError> for Code {
    fn from(number: aclError) -> Self {
        Self(number)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.0, self.name().unwrap_or("a code without a name in the headers"))
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({self})")
    }
}
