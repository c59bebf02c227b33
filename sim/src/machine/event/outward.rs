//! Events that link a captured instance with streams outside of it: each run records them anew, or waits for what was recorded
//! when the run was queued.

use super::record::{Newest, Record};
use super::{Event, Made};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::recording::Recorder;
use crate::machine::recording::captures::Capture;
use crate::machine::recording::tasks::{Node, Outward, Sort, Tie};
use crate::machine::streams::refusals::refuse_in_group;
use crate::machine::streams::stream::Stream;
use crate::machine::watch;
use crate::machine::workers::point::{Duty, Point};
use crate::machine::workers::pool;
use crate::machine::workers::served::{Link, TooLate, answer_of};
use crate::machine::workers::waiting::Busy;
use ascendcl_rules::{EVENT_12, Object};
use ascendcl_sys::constants::ACL_EVENT_SYNC;
use ascendcl_sys::error_codes::ACL_ERROR_RT_STREAM_TASK_FULL;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

struct Records(Arc<Event>);

struct Awaits(Arc<Event>, Option<Duration>);

impl Outward for Records {
    fn queued(&self) -> Box<dyn FnOnce(usize) -> Answer + Send> {
        let point = Arc::new(Point::new(Link::Later));
        let duty = Duty::new(&point);
        let held_up = {
            let mut state = lock(&self.0.state);
            state.reset = false;
            // The stream of the run is not known to have seen it.
            let before = state.newest.replace(Newest::Queued(Record { point, stream: Weak::new(), position: 0 }));
            (std::mem::take(&mut state.held_up), before)
        };
        Box::new(move |_| {
            duty.fulfil();
            held_up.0.into_iter().for_each(Duty::fulfil);
            Ok(())
        })
    }

    fn tie(&self) -> Option<Tie> {
        Some(Tie::Records(self.0.number))
    }
}

impl Outward for Awaits {
    fn queued(&self) -> Box<dyn FnOnce(usize) -> Answer + Send> {
        let limit = self.1;
        let newest = lock(&self.0.state).newest.clone();
        // An event of its kind counts as complete until it is recorded.
        let Some(Newest::Queued(Record { point, .. })) = newest else { return Box::new(|_| Ok(())) };
        Box::new(move |stream| {
            // The stream is not parked: it waits for this thread, and this thread for the point.
            let _busy = Busy::on(stream);
            let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
            match pool::lend(|| point.wait(deadline))? {
                Some(outcome) => answer_of(Ok(outcome)),
                None => answer_of(Err(TooLate)),
            }
        })
    }

    fn tie(&self) -> Option<Tie> {
        Some(Tie::Awaits(self.0.number))
    }
}

impl Event {
    /// The stream is captured, and each run records the event for everybody.
    pub(crate) fn record_outward(self: Arc<Self>, stream: &Arc<Stream>) -> Answer {
        self.same_device(stream)?;
        add(stream, true, &self, Records)
    }

    /// The stream is captured, and each run waits for what was recorded last outside, or in another run.
    pub(crate) fn hold_up_outward(self: Arc<Self>, stream: &Arc<Stream>, limit: Option<Duration>) -> Answer {
        add(stream, false, &self, |event| Awaits(event, limit))
    }

    /// Both need an event of `aclrtCreateEventExWithFlag` and the flag `ACL_EVENT_SYNC` alone.
    fn is_outward(&self) -> bool {
        self.made == Made::Ex && self.flags == ACL_EVENT_SYNC
    }

    /// The first external use decides on the kind of the event, and a record has decided otherwise.
    fn become_outward(&self) -> Answer {
        let mut state = lock(&self.state);
        if !state.outward && state.newest.is_some() {
            return Err(self.breaks_order(
                "the event was recorded by aclrtRecordEvent, so it cannot be external any more",
                "an event that nothing has recorded before its first external use",
                "use the event in a capture first, and record it afterwards",
            ));
        }
        state.outward = true;
        Ok(())
    }

    /// The library takes both, and the manual excludes that.
    fn has_one_part(self: &Arc<Self>, capture: &Capture, records: bool) -> Answer {
        let place = Arc::as_ptr(self).addr();
        if !lock(&capture.state).outward.contains(&(place, !records)) {
            return Ok(());
        }
        watch::mistaken(|| {
            self.breaks_order(
                "one graph records the event for streams outside, and waits for it",
                "a graph that records the event or waits for it, and not both",
                "use another event for the other direction",
            )
        })
    }

    fn breaks_order(&self, found: &'static str, expected: &'static str, fix: &'static str) -> Failure {
        Failure::refused(found).breaks(EVENT_12, expected, fix).about(Object::event(self.number as u64))
    }
}

fn add<O: Outward + 'static>(
    stream: &Arc<Stream>,
    records: bool,
    event: &Arc<Event>,
    outward: impl FnOnce(Arc<Event>) -> O,
) -> Answer {
    let Some(Recorder::Capture(capture)) = stream.recorder() else {
        return Err(Failure::unsupported(
            "events are marked as external while a stream is captured, and not otherwise",
        ));
    };
    if !event.is_outward() {
        let text = "an external event is made by aclrtCreateEventExWithFlag, with ACL_EVENT_SYNC alone";
        return Err(Failure::unsupported(text));
    }
    refuse_in_group(stream, ACL_ERROR_RT_STREAM_TASK_FULL)?;
    event.has_one_part(&capture, records)?;
    event.become_outward()?;
    let outward = Arc::new(outward(Arc::clone(event)));
    let sort = if records { Sort::ACL_MODEL_RI_TASK_EVENT_RECORD } else { Sort::ACL_MODEL_RI_TASK_EVENT_WAIT };
    capture.add(stream.number(), Node::outward(stream.number(), sort, outward))?;
    lock(&capture.state).outward.insert((Arc::as_ptr(event).addr(), records));
    Ok(())
}
