//! The rules of AscendCL.
//!
//! * The catalogue: the requirements of the vendor's library on its callers, in this project's words. Each rule is a
//!   constant ([`ALLOC_07`]). Its page states the requirement, a typical misuse, the consequence, and how `ascendcl`
//!   enforces the rule. Errors, compile-fail programs and findings name rules by [`RuleId`].
//! * The life cycles of the library's objects ([`acl`], [`device`], [`context`], [`stream`], [`event`], [`model`],
//!   [`dataset`], [`graph`], and four modules for the members of a descriptor). The types of `ascendcl` and the
//!   monitors come from the same lines.
//! * The checker: [`Event`] is one call as data, and [`Checker`] checks the events of a process: which object belongs
//!   to which context, which memory queued work may still use, which models may run at the same time, in which order
//!   objects end. A [`Finding`] names the broken rule, the objects, and the earlier call that conflicts.

#![forbid(unsafe_code)]

mod catalogue;
mod events;
mod finding;
mod leads;
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
pub use relations::{Checker, Refusal, Work};
pub use rule::{Area, Class, ManualPage, ParseRuleIdError, Rule, RuleId, Severity};
