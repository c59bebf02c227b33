//! Checks at compile time that the declarations agree with the vendor's headers (x86-64). The numbers here come from the
//! compiled headers, the declarations from the headers' text.

mod constants;
mod enums_base;
mod enums_model;
mod enums_operator;
mod enums_runtime;
mod enums_tools;
mod layout;
