//! Streams of captured instances: they take nothing more.

use crate::failure::{Answer, Failure};
use crate::machine::recording::tasks::Node;
use crate::machine::watch;
use ascendcl_rules::GRAPH_08;
use ascendcl_sys::error_codes::ACL_ERROR_RT_MODEL_EXECUTE;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// What a stream of a captured instance has.
pub(crate) struct Finished {
    pub(in crate::machine) nodes: Vec<Arc<Node>>,
    /// Somebody gave it more work.
    pub(in crate::machine) late: Arc<AtomicBool>,
}

impl Finished {
    /// Nothing is added to what was captured, and the instance is not run any more.
    pub(in crate::machine) fn issue(&self) -> Answer {
        self.late.store(true, SeqCst);
        watch::mistaken(|| {
            refuse_late().breaks(
                GRAPH_08,
                "nothing is added to what was captured",
                "give the work to another stream, or capture it with the rest",
            )
        })
    }
}

/// Work came after the end (GRAPH-08).
pub(in crate::machine) fn refuse_late() -> Failure {
    let text = "a stream of the model instance was given work after its end; the end comes last, and nothing after it";
    Failure::new(ACL_ERROR_RT_MODEL_EXECUTE, text)
}
