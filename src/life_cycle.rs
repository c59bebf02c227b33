//! The macro by which a method names the step that it takes in an object's life. The compiler compares the step with
//! the declaration (`rules/src/life_cycles.rs`).

pub(crate) use ascendcl_rules::leads;
