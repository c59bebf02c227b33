//! Failures that give something back: the object of a transition, the result of a scope's program.

use super::Error;
use crate::code::Code;
use ascendcl_macros::rule;
use core::fmt;

/// A transition that failed: why, and the object in the state that it was in before.
///
/// `value` is there to be used: to try again, or to go on without the transition. Dropping it leaves the object to its
/// scope.
///
/// `?` drops it, in functions that return [`Error`] or `Box<dyn std::error::Error>`. The value may borrow, so this is no
/// [`std::error::Error`] by itself; for other error types, `anyhow`'s say, [`or_drop`](OrDrop::or_drop) leaves the error alone:
///
/// ```
/// use ascendcl::{Acl, Library, OrDrop, Thread};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let acl = Acl::init(Library::Simulator)?;
///     let mut thread = Thread::new()?;
///     let device = acl.device(&mut thread, 0)?;
///     device.reset(&mut thread)?;
///     let closed: Result<(), ascendcl::Error> = acl.close().or_drop();
///     Ok(closed?)
/// }
/// ```
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

/// Gives up the object to its scope and keeps the reason, so that `?` works in functions that return [`Error`].
impl<T> From<Undone<T>> for Error {
    fn from(undone: Undone<T>) -> Self {
        undone.error
    }
}

impl<T> From<Undone<T>> for Box<dyn std::error::Error> {
    fn from(undone: Undone<T>) -> Self {
        undone.error.into()
    }
}

impl<T> From<Undone<T>> for Box<dyn std::error::Error + Send + Sync> {
    fn from(undone: Undone<T>) -> Self {
        undone.error.into()
    }
}

/// Of a transition that may fail, the error alone.
pub trait OrDrop<T>: sealed::Sealed {
    /// Drops the value of a transition that failed: the object is left to its scope. The error can be sent, shared and kept,
    /// as `anyhow` and `eyre` want it.
    ///
    /// # Errors
    ///
    /// Why the transition failed.
    fn or_drop(self) -> Result<T, Error>;
}

impl<T, V> OrDrop<T> for Result<T, Undone<V>> {
    fn or_drop(self) -> Result<T, Error> {
        self.map_err(|undone| undone.error)
    }
}

mod sealed {
    pub trait Sealed {}
    impl<T, V> Sealed for Result<T, super::Undone<V>> {}
}

/// A scope that did not go as it should: it could not be opened, or not everything in it could be taken down.
pub enum ScopeError<R> {
    /// The scope could not be opened; the program in it did not run.
    NotOpened(Error),
    /// The program ran, and returned `result`; afterwards the scope could not be taken down cleanly.
    Teardown {
        /// What went wrong, in the order in which it did.
        errors: Vec<Error>,
        /// What the program in the scope returned.
        result: R,
    },
}

impl<R> ScopeError<R> {
    /// What went wrong, in the order in which it did.
    pub fn errors(&self) -> &[Error] {
        match self {
            Self::NotOpened(error) => core::slice::from_ref(error),
            Self::Teardown { errors, .. } => errors,
        }
    }

    /// The vendor's code of the first error that has one.
    pub fn code(&self) -> Option<Code> {
        self.errors().iter().find_map(Error::code)
    }
}

impl<R> std::error::Error for ScopeError<R> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotOpened(error) => error.source(),
            Self::Teardown { errors, .. } => errors.first().map(|error| error as _),
        }
    }
}

impl<R> fmt::Display for ScopeError<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpened(error) => error.fmt(f),
            Self::Teardown { errors, .. } => {
                write!(f, "taking down the scope reported {} error(s): {}", errors.len(), List(errors))
            }
        }
    }
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
