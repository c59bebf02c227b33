//! Why a runtime could not be closed.

use super::{Cited, Error, Lines};
use crate::code::Code;
use ascendcl_rules::{CTX_11, DEV_10, RuleId};
use core::fmt;

/// A context is not destroyed under a thread, and not twice at a time.
const BUSY: &[RuleId] = &[CTX_11, DEV_10];

/// Why a [`Runtime`](crate::Runtime) could not be closed.
///
/// ```
/// use ascendcl::{Library, Runtime, runtime::CloseError};
///
/// ascendcl::names!(Vision);
///
/// let runtime = Runtime::<Vision>::open(Library::Simulator)?;
/// // A thread that is inside cannot close the runtime under itself.
/// let refused = runtime.with(|_current| runtime.close())?;
/// assert!(matches!(refused, Err(CloseError::Refused(_))));
/// runtime.close()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[non_exhaustive]
pub enum CloseError {
    /// Threads are inside. The runtime is open as before. One that an [`Actor`](crate::runtime::Actor) has is closed behind
    /// the queued jobs.
    Busy {
        /// How many there were at the end of the wait.
        inside: u32,
    },
    /// Another thread is closing it, or recovers its device; or code that runs while it is being closed tried to.
    Closing,
    /// Closing was refused: this thread has a [`Thread`](crate::Thread), is inside a context or in a callback, or the process
    /// is a forked child. The runtime is unchanged.
    Refused(Error),
    /// Not everything could be taken down. The runtime cannot be entered any more; closing it again tries the rest.
    Teardown {
        /// The errors, in the order in which they occurred.
        errors: Vec<Error>,
    },
}

impl CloseError {
    /// The errors, in the order in which they occurred.
    pub fn errors(&self) -> &[Error] {
        match self {
            Self::Busy { .. } | Self::Closing => &[],
            Self::Refused(error) => core::slice::from_ref(error),
            Self::Teardown { errors } => errors,
        }
    }

    /// The vendor's code of the first of [these](Self::errors) that has one.
    pub fn code(&self) -> Option<Code> {
        self.errors().iter().find_map(Error::code)
    }

    /// The rules of the library that the error is about; the message ends with them. [`Error::rules`] of
    /// [`Error::NotClosed`] has the same.
    ///
    /// ```
    /// use ascendcl::{Library, Runtime};
    ///
    /// ascendcl::names!(Vision);
    ///
    /// let runtime = Runtime::<Vision>::open(Library::Simulator)?;
    /// let refused = runtime.with(|_current| runtime.close())?.unwrap_err();
    /// assert!(refused.rules().iter().any(|rule| rule.as_str() == "THREAD-01"));
    /// runtime.close()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rules(&self) -> &'static [RuleId] {
        match self {
            Self::Busy { .. } | Self::Closing => BUSY,
            Self::Refused(_) | Self::Teardown { .. } => self.errors().last().map_or(&[], Error::rules),
        }
    }

    /// The errors, without a copy.
    pub(crate) fn into_errors(self) -> Vec<Error> {
        match self {
            Self::Busy { .. } | Self::Closing => Vec::new(),
            Self::Refused(error) => vec![error],
            Self::Teardown { errors } => errors,
        }
    }
}

/// So `?` works in functions that return the crate's own error.
impl From<CloseError> for Error {
    fn from(error: CloseError) -> Self {
        Self::NotClosed(Box::new(error))
    }
}

impl fmt::Display for CloseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { inside } => {
                write!(
                    f,
                    "{inside} thread(s) are inside the runtime: close it again when they have left, or wait longer for them "
                )?;
                write!(f, "(`close_within`, `close_by_force`){}", Cited(BUSY))
            }
            Self::Closing => {
                write!(f, "the runtime is being closed already: wait for the thread that closes it{}", Cited(BUSY))
            }
            Self::Refused(error) => write!(f, "the runtime cannot be closed here: {error}"),
            Self::Teardown { errors } => {
                f.write_str("not everything could be taken down; close the runtime again to try the rest:")?;
                errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
            }
        }
    }
}

/// The text, because `unwrap` and a failed `main` print it.
impl fmt::Debug for CloseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { .. } | Self::Closing => fmt::Display::fmt(self, f),
            Self::Refused(error) => write!(f, "the runtime cannot be closed here: {error:?}"),
            Self::Teardown { errors } => {
                write!(
                    f,
                    "not everything could be taken down; close the runtime again to try the rest:{}",
                    Lines(errors)
                )
            }
        }
    }
}

/// The text contains those of the [errors](CloseError::errors), so none of them is a `source`.
impl std::error::Error for CloseError {}
