//! Media processing.

mod batches;
mod describe;
mod files;
mod pictures;
mod place;

pub(crate) use {batches::*, describe::*, files::*, pictures::*};
