//! Work that is kept instead of run: what a stream gives it to, and what becomes part of an instance.

pub(crate) mod assembly;
pub(crate) mod captures;
pub(crate) mod conditions;
pub(crate) mod finished;
pub(crate) mod program;
pub(crate) mod recorder;
pub(crate) mod tasks;
pub(crate) mod update;

pub(in crate::machine) use recorder::Recorder;
