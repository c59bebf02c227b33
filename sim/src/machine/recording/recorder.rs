//! Where the work of a stream goes instead of running.

use crate::failure::{Answer, Failure};
use crate::machine::recording::assembly::Assembly;
use crate::machine::recording::captures::Capture;
use crate::machine::recording::finished::Finished;
use crate::machine::recording::tasks::{Sort, Work};
use crate::machine::recording::update::Update;
use ascendcl_sys::types::aclError;
use std::sync::Arc;

/// Recording of a stream's work instead of running it.
#[derive(Clone)]
pub(in crate::machine) enum Recorder {
    Capture(Arc<Capture>),
    /// The work takes the place of nodes that were captured before.
    Update(Arc<Update>),
    /// The work becomes part of an instance that is built task by task.
    Built(Arc<Assembly>),
    /// The stream is part of an instance that was captured, and takes nothing more.
    Finished(Arc<Finished>),
}

impl Recorder {
    pub(in crate::machine) fn record(&self, stream: usize, sort: Sort, work: Work) -> Answer {
        match self {
            Self::Capture(capture) => capture.record(stream, sort, work),
            Self::Update(update) => update.record(work),
            Self::Built(assembly) => assembly.record(stream, sort, work),
            Self::Finished(finished) => finished.issue(),
        }
    }

    /// A task group takes work on the device's cores alone. Anything else breaks the capture that the group is part of.
    pub(in crate::machine) fn refuse_in_group(&self, stream: usize, code: aclError) -> Answer {
        match self {
            Self::Update(_) => Err(Failure::new(code, "a task group is updated with work on the device's cores alone")),
            Self::Capture(capture) => capture.refuse_in_group(stream, code),
            Self::Built(_) | Self::Finished(_) => Ok(()),
        }
    }
}
