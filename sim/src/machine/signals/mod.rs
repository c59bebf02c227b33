//! What streams wait for besides events.

pub(crate) mod notify;
pub(crate) mod values;
