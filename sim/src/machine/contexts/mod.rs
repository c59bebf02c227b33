//! Contexts, how a call finds a stream of the current one, and the end of streams.

pub(crate) mod context;
pub(crate) mod named;
pub(crate) mod teardown;
