//! From what was understood to the tokens that take its place.

mod attributes;

pub(crate) use attributes::{documented, proven};
