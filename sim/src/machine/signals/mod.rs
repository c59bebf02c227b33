//! Notifies and values, for which streams can wait.

pub(crate) mod notify;
pub(crate) mod values;
