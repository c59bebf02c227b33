//! Models: loading, describing, choosing a gear, running.

mod describe;
mod execute;
mod gears;
mod load;
mod preprocessing;
mod settings;

pub(crate) use {describe::*, execute::*, gears::*, load::*, preprocessing::*, settings::*};

use crate::failure::{Answer, Failure};
use crate::machine::thread::errors;
use crate::machine::watch;

/// The result of a call that does not return a code. The reason of a failure becomes the thread's recent text.
pub(super) fn told<T>(answer: Answer<T>) -> Option<T> {
    answer.map_err(watch::explained).inspect_err(errors::report).ok()
}

/// A pointer that has to be there (100000).
fn given(given: bool, what: &str) -> Answer {
    if given { Ok(()) } else { Err(Failure::invalid(format!("the {what} is null"))) }
}
