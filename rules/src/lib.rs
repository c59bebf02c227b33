//! The rules of AscendCL, written down once.
//!
//! * The catalogue: what the vendor's library asks of its callers, in this project's words. Each rule is a constant
//!   ([`ALLOC_07`]) whose page says what it demands, how it gets broken, what happens then, and how `ascendcl` enforces
//!   it. [`RuleId`] is what errors, compile-fail programs and findings carry.
//! * The life cycles of the library's objects ([`acl`], [`device`], [`context`], [`stream`], [`event`], [`model`], [`dataset`],
//!   [`graph`], and four modules for the members of a descriptor): the states that are types in `ascendcl`, and monitors
//!   of the same lines.
//! * The checker: [`Event`] is one call as data, and [`Checker`] judges a process by its events: which object belongs to
//!   which context, what queued work may still use, which models may run at the same time, what ends in which order. A
//!   [`Finding`] names the rule that is broken, the objects, and the earlier call that is contradicted.

#![forbid(unsafe_code)]

mod catalogue;
mod events;
mod finding;
mod life_cycles;
mod relations;
mod rule;

pub use catalogue::*;
pub use events::{Access, Event, Flag, Kind, Member, Object, Op, Outcome, Place, Role, Span, Thread, Use};
pub use finding::{Call, Concerned, Finding};
pub use life_cycles::{
    acl, context, dataset, descriptor_address, descriptor_allocate, descriptor_free, descriptor_object, device, event,
    graph, model, stream,
};
pub use relations::Checker;
pub use rule::{Area, Class, ManualPage, ParseRuleIdError, Rule, RuleId, Severity};
