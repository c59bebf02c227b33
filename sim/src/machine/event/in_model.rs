//! Events that the streams of a model instance record and wait for: each run records them anew.

use super::{Event, Newest};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::recording::assembly::Assembly;
use crate::machine::recording::program::What;
use crate::machine::recording::tasks::Sort;
use crate::machine::streams::stream::Stream;
use std::sync::Arc;
use std::time::Duration;

impl Event {
    /// The stream is bound to an instance, and records the event when the instance runs.
    pub(super) fn record_in_model(&self, assembly: &Assembly, stream: &Stream) -> Answer {
        let mark = assembly.mark();
        assembly.issue(stream.number(), Sort::ACL_MODEL_RI_TASK_EVENT_RECORD, What::Record(Arc::clone(&mark)))?;
        let before = lock(&self.state).newest.replace(Newest::InModel(mark));
        drop(before);
        Ok(())
    }

    /// The stream waits for the newest record, if that is part of the same instance.
    pub(super) fn hold_up_in_model(&self, assembly: &Assembly, stream: &Stream, limit: Option<Duration>) -> Answer {
        let newest = lock(&self.state).newest.clone();
        let Some(Newest::InModel(mark)) = newest.filter(|newest| newest.is_of(assembly)) else {
            return Err(Failure::unsupported(
                "the event was not recorded by a stream of the same model instance, and its streams wait for no other",
            ));
        };
        assembly.issue(stream.number(), Sort::ACL_MODEL_RI_TASK_EVENT_WAIT, What::Await(mark, limit))
    }

    /// Each run has to record the event before its streams go on, so that only a second record in one run is waited for anew.
    pub(super) fn reset_in_model(&self, assembly: &Assembly, stream: &Stream) -> Answer {
        let newest = lock(&self.state).newest.clone();
        if let Some(Newest::InModel(mark)) = newest.filter(|newest| newest.is_of(assembly)) {
            assembly.issue(stream.number(), Sort::ACL_MODEL_RI_TASK_EVENT_RESET, What::Reset(mark))?;
        }
        Ok(())
    }
}

impl Newest {
    fn is_of(&self, assembly: &Assembly) -> bool {
        matches!(self, Self::InModel(mark) if assembly.owns(mark))
    }
}

/// A record that is part of an instance is nothing that anybody else waits for.
pub(super) fn refuse_outside(what: &str) -> Failure {
    let text = format!("the event is recorded by a stream of a model instance, so it cannot be {what}");
    Failure::unsupported(text)
}
