//! State of each thread.

pub(crate) mod current;
pub(crate) mod ended;
pub(crate) mod errors;
pub(crate) mod inside;
pub(crate) mod last_task;
pub(crate) mod visits;
