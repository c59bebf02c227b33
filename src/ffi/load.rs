//! Loads libraries. These are the places that rely on a statement about the signatures of a library's functions.

use ascendcl_sys::{Candidate, Library, LoadError};

/// Opens the first candidate that exists.
///
/// The candidates are the vendor's documented places, the file that `ASCENDCL_LIBRARY` names, or a file for which the
/// program vouched. A loader can check only the names of the functions.
pub(crate) fn open_first(candidates: impl IntoIterator<Item = Candidate>) -> Result<&'static Library, LoadError> {
    // SAFETY: `Library::open_first` asks that each candidate is an AscendCL library, whose functions have the table's
    // signatures. That follows from its place, or is stated by the code that called `Library::at`, or by the one who
    // set the environment of the program. A process trusts its environment: the dynamic loader does so too
    // (`LD_PRELOAD`), and setting a variable from inside the program is unsafe.
    unsafe { Library::open_first(candidates) }
}

#[cfg(feature = "sim")]
pub(crate) fn simulator() -> &'static Library {
    // SAFETY: `Library::from_table` asks that each address is of a function with the table's signature. The simulator's
    // functions are generated from that table.
    unsafe { Library::from_table("ascendcl-sim", ascendcl_sim::resolve) }
}
