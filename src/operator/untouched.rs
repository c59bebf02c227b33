//! Methods that an operator in flight does not have. They exist so that the compiler's message says why, as in
//! `src/stream/untouched.rs`.

use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::stream::{Pending, Waited};

/// Methods of bound operators, and of tensors of any type.
#[doc(hidden)]
impl<C: Brand, T> Pending<C, T> {
    pub fn to_bytes(&self, _: &Current<C>) -> Result<Vec<u8>, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn copy_from_bytes(&mut self, _: &Current<C>, _: &[u8]) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn tensors<I, O>(&self) -> (&I, &O)
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn into_tensors<I, O>(self, _: &Current<C>) -> Result<(I, O), Error>
    where
        Self: Waited,
    {
        self.never()
    }
}
