//! Several errors, reported together.

use syn::{Error, Result};

#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// The parsed value, or `None` and one more error.
    pub(crate) fn keep<T>(&mut self, read: Result<T>) -> Option<T> {
        read.map_err(|error| self.add(error)).ok()
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
