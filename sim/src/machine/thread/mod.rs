//! What a thread knows of itself.

pub(crate) mod current;
pub(crate) mod errors;
pub(crate) mod inside;
pub(crate) mod visits;
