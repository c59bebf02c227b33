//! Small errors for results inside the crate.

use super::Error;

/// An [`Error`] behind a pointer. A result with it fits into registers. A result with an unboxed [`Error`] is written
/// to memory and copied, even for a success.
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

// Programs never have a `Boxed`, so messages about `From` do not mention it.
#[diagnostic::do_not_recommend]
impl From<Boxed> for Error {
    #[cold]
    #[inline(never)]
    fn from(boxed: Boxed) -> Self {
        *boxed.0
    }
}
