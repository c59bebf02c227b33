//! Errors as they travel inside the crate, on paths that succeed.

use super::Error;

/// An [`Error`] behind a pointer. A result of it fits into registers; one of [`Error`] is written to memory and copied,
/// also where it is a success.
#[derive(Debug)]
pub(crate) struct Boxed(Box<Error>);

impl Boxed {
    pub(crate) fn as_error(&self) -> &Error {
        &self.0
    }
}

impl From<Error> for Boxed {
    #[cold]
    #[inline(never)]
    fn from(error: Error) -> Self {
        Self(Box::new(error))
    }
}

impl From<Boxed> for Error {
    #[cold]
    #[inline(never)]
    fn from(boxed: Boxed) -> Self {
        *boxed.0
    }
}
