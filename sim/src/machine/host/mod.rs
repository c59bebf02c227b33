//! State of the process and of the host.

mod configuration;
pub(crate) mod dump;
mod dump_section;
mod json;
pub(crate) mod process;
pub(crate) mod profiling;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod stamps;
