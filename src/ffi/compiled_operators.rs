//! Loads compiled operators.

use super::Api;
use super::call::call;
use crate::error::Error;
use core::ffi::CStr;

impl Api {
    /// Loads the compiled operators of a directory (OP-05).
    pub(crate) fn set_operator_directory(self, directory: &CStr) -> Result<(), Error> {
        // SAFETY: the function reads a terminated string during the call. A `CStr` is terminated, and is borrowed for
        // longer than the call.
        let answer = unsafe { call!(self.aclopSetModelDir(directory.as_ptr())) };
        answer.done(|| "load the operators of a directory".into())
    }

    /// Loads a compiled operator. The library continues to read the image (OP-06), so the image must live forever.
    pub(crate) fn load_operator(self, image: &'static [u8]) -> Result<(), Error> {
        // SAFETY: the function reads the image, during the call and later (OP-06). The slice is `'static` and shared,
        // so it lives forever and is never written.
        let answer = unsafe { call!(self.aclopLoad(image.as_ptr().cast(), image.len())) };
        answer.done(|| "load an operator".into())
    }
}
