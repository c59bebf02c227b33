//! Loading: the places where somebody vouches for what a library's functions look like.

use ascendcl_sys::{Candidate, Library, LoadError};

/// Opens the first candidate that exists.
///
/// The candidates are the vendor's documented places, the file that `ASCENDCL_LIBRARY` names, or one that was vouched
/// for. No loader can check more than the names of its functions.
pub(crate) fn open_first(candidates: impl IntoIterator<Item = Candidate>) -> Result<&'static Library, LoadError> {
    // SAFETY: `Library::open_first` asks that each candidate is an AscendCL library, whose functions have the table's
    // signatures. It is one by its place, on the word of the code that called `Library::at`, or on that of whoever set
    // the environment of the program. A process trusts its environment: the dynamic loader does too (`LD_PRELOAD`), and
    // setting a variable from inside the program is unsafe.
    unsafe { Library::open_first(candidates) }
}

#[cfg(feature = "sim")]
pub(crate) fn simulator() -> &'static Library {
    // SAFETY: `Library::from_table` asks that each address is of a function with the table's signature. The simulator's
    // functions are generated from that table.
    unsafe { Library::from_table("ascendcl-sim", ascendcl_sim::resolve) }
}
