//! The C ABI of Huawei's AscendCL (`libacl_rt.so` and the libraries beside it; `libascendcl.so` in older releases),
//! without the vendor's headers and without linking.
//!
//! * [`types`], [`constants`], [`error_codes`]: the parameters and results of the C functions. The compiler compares
//!   sizes, alignments and numbers with those of the vendor's headers.
//! * [`for_each_group!`]: the table. One declaration per function generates the pointer type ([`pointers`]), the
//!   loader's entry (the methods of [`Library`]) and, in the simulator, the exported function. No signature is written
//!   twice.
//! * [`Library`]: a library that is loaded at run time. Each function is looked up at its first call. If the installed
//!   release lacks it, that call returns an error.
//!
//! Every method of [`Library`] that calls the library is `unsafe`: it has the C signature and checks nothing. The crate
//! `ascendcl` keeps the rules of use.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals, missing_docs)]
#![allow(clippy::too_many_arguments, clippy::missing_safety_doc)]

#[macro_use]
mod macros;

mod abi;
pub mod constants;
mod library;
mod search;
mod shared;
#[macro_use]
mod table;
mod groups;
pub mod types;

/// The library's return codes.
pub mod error_codes {
    mod acl;
    mod ge;
    mod rt;
    pub use {acl::*, ge::*, rt::*};

    use crate::types::aclError;

    /// The name of a return code in the headers.
    pub fn error_name(code: aclError) -> Option<&'static str> {
        [acl::NAMES, rt::NAMES, ge::NAMES]
            .into_iter()
            .flatten()
            .find(|(number, _)| *number == code)
            .map(|(_, name)| *name)
    }

    /// The number of a return code, by its name in the headers.
    pub fn error_code(name: &str) -> Option<aclError> {
        let named = |(_, known): &&(aclError, &str)| *known == name;
        [acl::NAMES, rt::NAMES, ge::NAMES].into_iter().flatten().find(named).map(|(number, _)| *number)
    }
}

pub use groups::pointers_of;
pub use library::{Library, LoadError, MissingSymbol, Origin, Resolver, looked_up};
pub use search::{Attempt, Candidate, Home, VARIABLES, candidates, homes};
pub use table::{Function, pointers, table};
