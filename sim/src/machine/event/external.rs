//! Events made with `ACL_EVENT_EXTERNAL` in captures: a record sets them and a reset clears them, both when a run of the
//! instance comes to it, and a wait of a run lasts while they are not set. So a run waits for a record that the program
//! queues on another stream after the run, as it does when it has replaced the work of a task group.

use super::record::{Newest, Record};
use super::{EVENTS, Event};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::recording::captures::Capture;
use crate::machine::recording::tasks::{Node, Outward, Sort, Tie};
use crate::machine::streams::refusals::refuse_in_group;
use crate::machine::streams::stream::Stream;
use crate::machine::workers::point::{Duty, Point};
use crate::machine::workers::pool;
use crate::machine::workers::served::{Link, TooLate, answer_of};
use crate::machine::workers::waiting::Busy;
use ascendcl_sys::constants::ACL_EVENT_EXTERNAL;
use ascendcl_sys::error_codes::ACL_ERROR_RT_STREAM_TASK_FULL;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// What a run does to the event.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Sets,
    Clears,
    /// Waits for it to be set, with a time limit.
    Awaits(Option<Duration>),
}

struct External {
    event: Arc<Event>,
    step: Step,
}

impl Outward for External {
    fn queued(&self) -> Box<dyn FnOnce(usize) -> Answer + Send> {
        let (event, step) = (Arc::clone(&self.event), self.step);
        Box::new(move |stream| match step {
            _ if !event.is_there() => Err(Failure::unknown("event")),
            Step::Sets => {
                event.set();
                Ok(())
            }
            Step::Clears => {
                event.clear();
                Ok(())
            }
            Step::Awaits(limit) => event.wait_in_run(stream, limit),
        })
    }

    fn tie(&self) -> Option<Tie> {
        match self.step {
            Step::Sets => Some(Tie::Records(self.event.number)),
            Step::Clears => None,
            Step::Awaits(_) => Some(Tie::AwaitsWhatIsToCome),
        }
    }
}

impl Event {
    pub(super) fn is_external(&self) -> bool {
        self.flags & ACL_EVENT_EXTERNAL != 0
    }

    /// The stream is captured, and each run takes this step.
    pub(super) fn step_in_runs(self: &Arc<Self>, capture: &Capture, stream: &Stream, step: Step) -> Answer {
        refuse_in_group(stream, ACL_ERROR_RT_STREAM_TASK_FULL)?;
        let sort = match step {
            Step::Sets => Sort::ACL_MODEL_RI_TASK_EVENT_RECORD,
            Step::Clears => Sort::ACL_MODEL_RI_TASK_EVENT_RESET,
            Step::Awaits(_) => Sort::ACL_MODEL_RI_TASK_EVENT_WAIT,
        };
        let external = Arc::new(External { event: Arc::clone(self), step });
        capture.add(stream.number(), Node::outward(stream.number(), sort, external))
    }

    /// Whether the program has not destroyed it. Its number may stand for another event by now.
    fn is_there(&self) -> bool {
        EVENTS.get(self.number).is_some_and(|event| std::ptr::eq(&*event, self))
    }

    fn set(&self) {
        let point = Arc::new(Point::new(Link::Later));
        Duty::new(&point).fulfil();
        let (held_up, before) = {
            let mut state = lock(&self.state);
            state.reset = false;
            let before = state.newest.replace(Newest::Queued(Record { point, stream: Weak::new(), position: 0 }));
            (std::mem::take(&mut state.held_up), before)
        };
        drop(before);
        held_up.into_iter().for_each(Duty::fulfil);
    }

    /// A record that is queued and has not run sets the event after this.
    fn clear(&self) {
        let mut state = lock(&self.state);
        let to_come = matches!(&state.newest, Some(Newest::Queued(record)) if record.point.outcome().is_none());
        state.reset |= !to_come;
    }

    fn wait_in_run(&self, stream: usize, limit: Option<Duration>) -> Answer {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let point = {
            let mut state = lock(&self.state);
            // Who destroys the event gives up the waits behind this lock, after the event is there no more.
            if !self.is_there() {
                return Err(Failure::unknown("event"));
            }
            match &state.newest {
                Some(Newest::Queued(record)) if !state.reset => Arc::clone(&record.point),
                _ => {
                    let point = Arc::new(Point::new(Link::Later));
                    state.held_up.push(Duty::new(&point));
                    point
                }
            }
        };
        // The stream is not parked: it waits for this thread, and this thread for the point.
        let _busy = Busy::on(stream);
        match pool::lend(|| point.wait(deadline))? {
            Some(outcome) => answer_of(Ok(outcome)),
            None => answer_of(Err(TooLate)),
        }
    }
}
