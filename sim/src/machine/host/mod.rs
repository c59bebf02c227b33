//! What concerns the process and the host alone.

pub(crate) mod json;
pub(crate) mod process;
pub(crate) mod profiling;
pub(crate) mod random;
pub(crate) mod stamps;
