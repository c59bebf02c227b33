//! Conditions during a capture: who may have one, and the captures of their bodies.

use super::{Capture, begin_as, capture_of, modes};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::recording::conditions::{Body, Condition};
use crate::machine::recording::tasks::{Node, Sort};
use crate::machine::streams::stream::Stream;
use ascendcl_sys::error_codes::ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING;
use ascendcl_sys::types::{aclmdlRI, aclmdlRICaptureMode, aclmdlRICondTaskType};
use std::sync::Arc;

pub(super) use crate::machine::recording::conditions::break_body;

/// A condition of the instance with this number, if that is being captured.
pub(crate) fn add_condition(instance: usize, first: Option<u64>) -> Option<Answer<Arc<Condition>>> {
    let capture = modes::find(|capture| capture.number == instance)?;
    Some(Condition::new(instance, &capture.device, first).inspect(|condition| {
        lock(&capture.state).conditions.push(Arc::clone(condition));
    }))
}

/// The task of a condition on a stream that is captured for the same instance. Answers its bodies.
pub(crate) fn add_task(
    stream: &Stream,
    condition: Arc<Condition>,
    kind: aclmdlRICondTaskType,
    count: usize,
) -> Answer<Vec<aclmdlRI>> {
    let capture = capture_of(stream)?;
    if capture.number != condition.instance {
        return Err(Failure::refused(
            "the condition was made for another model instance than the stream is captured for",
        ));
    }
    let fits = match kind {
        aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_IF => count == 1 || count == 2,
        aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_WHILE => count == 1,
        _ => true,
    };
    if !fits {
        return Err(Failure::refused(format!("there is no conditional task of kind {} with {count} bodies", kind.0)));
    }
    let bodies = condition.decide(kind, count)?;
    capture.add(stream.number(), Node::new(stream.number(), Sort::ACL_MODEL_RI_TASK_DEFAULT, condition.work()))?;
    Ok(bodies)
}

/// Starts to capture what is submitted to the stream, as this body.
pub(crate) fn begin_body(number: usize, body: &Body, stream: &Arc<Stream>, mode: aclmdlRICaptureMode) -> Answer {
    body.begin_capture()?;
    begin_as(number, stream, mode).inspect_err(|_| body.is_new_again())
}

impl Capture {
    /// An error while a body of its conditions is not captured to the end. The capture goes on then.
    pub(super) fn has_its_bodies(&self) -> Answer {
        let conditions = lock(&self.state).conditions.clone();
        if conditions.iter().all(|condition| condition.is_ready() != Some(false)) {
            return Ok(());
        }
        let text = "a body of a condition is being captured, or was not captured yet";
        Err(Failure::new(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, text))
    }
}
