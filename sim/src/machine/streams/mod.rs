//! Streams: first in, first out, served by the [workers](super::workers).

pub(crate) mod exceptions;
mod missed;
mod queue;
pub(crate) mod refusals;
mod serve;
pub(crate) mod stopping;
pub(crate) mod stream;
pub(crate) mod stream_settings;
mod submission;
pub(crate) mod table;
mod waits;

pub(in crate::machine) use missed::Watch;
pub(crate) use queue::Counted;
pub(in crate::machine) use queue::Task;
pub(crate) use table::{count, numbered, of_context, of_device};
