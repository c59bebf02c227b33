//! Failures that give something back: the object of a transition, the result of a scope's program.

use super::Error;
use ascendcl_macros::rule;
use core::fmt;

/// A transition that failed: why, and the object in the state that it was in before.
///
/// `value` is there to be used: to try again, or to go on without the transition. Dropping it leaves the object to its
/// scope.
#[must_use = "the object that could not make the transition is in here"]
#[rule(ERR_01)]
pub struct Undone<T> {
    /// Why it failed.
    pub error: Error,
    /// The object, as it was.
    pub value: T,
}

impl<T> fmt::Debug for Undone<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Undone").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for Undone<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<T> std::error::Error for Undone<T> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Gives up the object to its scope and keeps the reason, so that `?` works in functions that return [`Error`].
impl<T> From<Undone<T>> for Error {
    fn from(undone: Undone<T>) -> Self {
        undone.error
    }
}

/// A scope that did not go as it should: it could not be opened, or not everything in it could be taken down.
#[derive(thiserror::Error)]
pub enum ScopeError<R> {
    /// The scope could not be opened; the program in it did not run.
    #[error(transparent)]
    NotOpened(Error),
    /// The program ran, and returned `result`; afterwards the scope could not be taken down cleanly.
    #[error("taking down the scope reported {} error(s): {}", .errors.len(), List(errors))]
    Teardown {
        /// What went wrong, in the order in which it did.
        errors: Vec<Error>,
        /// What the program in the scope returned.
        result: R,
    },
}

impl<R> fmt::Debug for ScopeError<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpened(error) => f.debug_tuple("NotOpened").field(error).finish(),
            Self::Teardown { errors, .. } => f.debug_struct("Teardown").field("errors", errors).finish_non_exhaustive(),
        }
    }
}

struct List<'a>(&'a [Error]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, error)| match index {
            0 => write!(f, "{error}"),
            _ => write!(f, "; {error}"),
        })
    }
}
