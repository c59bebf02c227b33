//! The C ABI of Huawei's AscendCL (`libacl_rt.so` and the libraries beside it; `libascendcl.so` in older releases), without
//! the vendor's headers and without linking.
//!
//! * [`types`], [`constants`], [`error_codes`]: what the C functions take and return, checked at compile time against
//!   the sizes, alignments and numbers of the vendor's headers.
//! * [`for_each_group!`]: the table. One declaration per function gives the pointer type ([`pointers`]), the loader's
//!   entry (the methods of [`Library`]) and, in the simulator, the exported function. A signature stands here only.
//! * [`Library`]: a library that was loaded at run time. Each function is looked up when it is first called; one that
//!   the installed release does not have is an error value then, and no trouble before.
//!
//! Every method of [`Library`] that calls the library is `unsafe`: it states the C signature and nothing else. The
//! rules of use are the business of the crate `ascendcl`.

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

    /// The name of a return code, as the headers spell it.
    pub fn error_name(code: aclError) -> Option<&'static str> {
        [acl::NAMES, rt::NAMES, ge::NAMES]
            .into_iter()
            .flatten()
            .find(|(number, _)| *number == code)
            .map(|(_, name)| *name)
    }

    /// The number of a return code that the headers spell so.
    pub fn error_code(name: &str) -> Option<aclError> {
        let named = |(_, known): &&(aclError, &str)| *known == name;
        [acl::NAMES, rt::NAMES, ge::NAMES].into_iter().flatten().find(named).map(|(number, _)| *number)
    }
}

pub use library::{Library, LoadError, MissingSymbol, Origin, Resolver};
pub use search::{Attempt, Candidate, Home, VARIABLES, candidates, homes};
pub use table::{Function, pointers, table};
