//! From tokens to what was written, with the spans of the errors to come.

mod rule_ids;

pub(crate) use rule_ids::rule_ids;
