//! Loading: the places where somebody vouches for what a library's functions look like.

use crate::library::Library as Chosen;
use ascendcl_sys::{Candidate, Library, LoadError};
use std::path::{Path, PathBuf};

/// A file that somebody vouched for: [`Library::at`](Chosen::at) makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryFile(PathBuf);

impl Chosen {
    /// The library in a file.
    ///
    /// ```
    /// # use ascendcl::{Acl, Library};
    /// // SAFETY: no file is there.
    /// let library = unsafe { Library::at("/nonexistent/libacl_rt.so") };
    /// assert!(Acl::init(library).is_err());
    /// ```
    ///
    /// Safe code names no file:
    ///
    /// ```compile_fail,E0133
    /// # use ascendcl::Library;
    /// let library = Library::at("/nonexistent/libacl_rt.so");
    /// ```
    ///
    /// # Safety
    ///
    /// Loading a file runs its initialisers, and calling a function assumes its signature: when it is loaded, the file has
    /// to be an AscendCL library, of the vendor or another, whose functions have the signatures of the vendor's headers,
    /// and so have the other libraries in its folder. A file that is absent, or that is no library, is an error.
    pub unsafe fn at(path: impl Into<PathBuf>) -> Self {
        Self::At(LibraryFile(path.into()))
    }
}

impl LibraryFile {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Opens the first candidate that exists.
///
/// The candidates are the vendor's documented places, the file that `ASCENDCL_LIBRARY` names, or one that was vouched for.
/// No loader can check more than the names of its functions.
pub(crate) fn open_first(candidates: impl IntoIterator<Item = Candidate>) -> Result<&'static Library, LoadError> {
    // SAFETY: each candidate is an AscendCL library by its place, on the word of the code that called `Library::at`, or on
    // that of whoever set the environment of the program. A process trusts its environment: the dynamic loader does too
    // (`LD_PRELOAD`), and setting a variable from inside the program is unsafe.
    unsafe { Library::open_first(candidates) }
}

#[cfg(feature = "sim")]
pub(crate) fn simulator() -> &'static Library {
    // SAFETY: the simulator's functions are generated from the same table as the loader's signatures.
    unsafe { Library::from_table("ascendcl-sim", ascendcl_sim::resolve) }
}
