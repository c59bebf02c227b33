//! The rules of AscendCL, written down once.
//!
//! * The catalogue: what the vendor's library asks of its callers, in this project's words. Each rule is a constant
//!   ([`ALLOC_07`]) whose page says what it demands, how it gets broken, what happens then, and how `ascendcl` enforces
//!   it. [`RuleId`] is what errors, compile-fail programs and findings carry.
//! * The life cycles of the library's objects ([`acl`], [`device`], [`context`], [`stream`], [`event`], [`model`], [`dataset`],
//!   [`graph`], and four modules for the members of a descriptor): the states that are types in `ascendcl`, and monitors
//!   of the same lines.

#![forbid(unsafe_code)]

mod catalogue;
mod life_cycles;
mod rule;

pub use catalogue::*;
pub use life_cycles::*;
pub use rule::{Area, Class, ParseRuleIdError, Rule, RuleId, Seed};
