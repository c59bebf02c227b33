//! Loading: the two places where this crate vouches for what a library's functions look like.

use ascendcl_sys::{Candidate, Library, LoadError};

/// Opens the first candidate that exists.
///
/// The candidates are the vendor's documented places, or a path that the user of the program names as an AscendCL
/// library. No loader can check more than the names of its functions.
pub(crate) fn open_first(candidates: impl IntoIterator<Item = Candidate>) -> Result<&'static Library, LoadError> {
    // SAFETY: each candidate is named as an AscendCL library by its place or by whoever runs the program.
    unsafe { Library::open_first(candidates) }
}

#[cfg(feature = "sim")]
pub(crate) fn simulator() -> &'static Library {
    // SAFETY: the simulator's functions are generated from the same table as the loader's signatures.
    unsafe { Library::from_table("ascendcl-sim", ascendcl_sim::resolve) }
}
