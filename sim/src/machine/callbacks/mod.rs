//! Functions of the caller: which there are, and who runs them.

pub(crate) mod notices;
pub(crate) mod reports;
