//! Notifies and values, for which streams can wait.

pub(crate) mod notify;
pub(crate) mod shared_event;
pub(crate) mod values;
