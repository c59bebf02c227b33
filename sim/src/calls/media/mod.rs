//! Media processing.

mod describe;
mod files;
mod pictures;
mod place;

pub(crate) use {describe::*, files::*, pictures::*};
