//! Failed calls of the vendor's library, and functions that it lacks.

use super::Cited;
use crate::code::Code;
use ascendcl_macros::rule;
use ascendcl_sys::Attempt;
use core::fmt;

/// A failed vendor call: the operation, the function, its code, and the library's text on the calling thread.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[rule(ERR_03)]
pub struct VendorError {
    /// The C function.
    pub call: &'static str,
    /// The return code.
    pub code: Code,
    /// The library's recent error text (`aclGetRecentErrMsg`), read on the failing thread.
    pub text: Option<String>,
    /// The operation, worded to follow "could not".
    pub doing: String,
}

/// A function that the loaded library lacks.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MissingFunction {
    /// The C function.
    pub symbol: &'static str,
    /// The files that hold it in the vendor's releases, newest first.
    pub files: &'static [&'static str],
    /// Where the crate looked for it; empty for the simulator inside this program.
    pub searched: Vec<Attempt>,
    /// The library that was loaded.
    pub library: String,
    /// The operation, worded to follow "could not".
    pub doing: String,
}

impl fmt::Display for VendorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not {}: {} answered {}", self.doing, self.call, self.code)?;
        self.text.iter().try_for_each(|text| write!(f, "; the library says: {text}"))?;
        Cited(self.code.rules()).fmt(f)
    }
}

impl std::error::Error for VendorError {}

impl fmt::Display for MissingFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { symbol, files, searched, library, doing } = self;
        write!(f, "could not {doing}: {library} has no `{symbol}`")?;
        if searched.is_empty() {
            return write!(f, " (the vendor's is in {})", files.join(", earlier in "));
        }
        f.write_str("; looked for it in")?;
        searched.iter().try_for_each(|attempt| write!(f, "\n  {attempt}"))
    }
}

impl std::error::Error for MissingFunction {}
