//! A method that takes a step in an object's life says which one; the compiler compares it with the line of the
//! declaration (`rules/src/life_cycles.rs`).

pub(crate) use ascendcl_rules::leads;
