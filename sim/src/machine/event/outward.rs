//! Events that link a captured instance with streams outside of it: each run records them anew, or waits for what was recorded
//! when the run was queued.

use super::record::{Newest, Record};
use super::{Event, Made};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::contexts::named::Named;
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

/// What a record or a wait of an event is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// For the streams of the program, or inside of a capture.
    Ordinary,
    /// In a capture, for streams outside of it.
    Outward,
}

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
    pub(crate) fn record_outward(self: Arc<Self>, stream: Named) -> Answer {
        self.refuse_inward()?;
        self.is_recorded_as(Part::Outward)?;
        let stream = stream.for_work()?;
        self.same_device(&stream)?;
        add(&stream, true, &self, Records)
    }

    /// The stream is captured, and each run waits for what was recorded last outside, or in another run.
    pub(crate) fn hold_up_outward(self: Arc<Self>, stream: Named, limit: Option<Duration>) -> Answer {
        self.refuse_inward()?;
        self.is_awaited_as(Part::Outward)?;
        add(&stream.for_work()?, false, &self, |event| Awaits(event, limit))
    }

    /// Both need an event of `aclrtCreateEventExWithFlag` and the flag `ACL_EVENT_SYNC` alone (207000).
    fn refuse_inward(&self) -> Answer {
        if self.made == Made::Ex && self.flags == ACL_EVENT_SYNC {
            return Ok(());
        }
        let text = "an external event is made by aclrtCreateEventExWithFlag, with ACL_EVENT_SYNC alone";
        Err(Failure::unsupported(text))
    }

    /// All records of an event are for the same part (107000). The library remembers also what it then refuses for another
    /// reason.
    pub(super) fn is_recorded_as(&self, part: Part) -> Answer {
        if *lock(&self.state).recorded.get_or_insert(part) == part {
            return Ok(());
        }
        Err(match part {
            Part::Outward => self.breaks_order(
                "the event was recorded by aclrtRecordEvent, so a capture cannot record it for streams outside",
                "records of one kind for an event",
                "record another event in the capture",
            ),
            Part::Ordinary => self.breaks_order(
                "a capture records the event for streams outside, so aclrtRecordEvent cannot record it",
                "records of one kind for an event",
                "record another event",
            ),
        })
    }

    /// The same for waits. Records and waits may differ.
    pub(super) fn is_awaited_as(&self, part: Part) -> Answer {
        if *lock(&self.state).awaited.get_or_insert(part) == part {
            return Ok(());
        }
        Err(match part {
            Part::Outward => self.breaks_order(
                "a stream has waited for the event, so no capture can wait for it as for one from outside",
                "waits of one kind for an event",
                "let the capture wait for another event, recorded at the same place",
            ),
            Part::Ordinary => self.breaks_order(
                "a capture waits for the event as for one from outside, so no stream waits for it otherwise",
                "waits of one kind for an event",
                "let the stream wait for another event, recorded at the same place",
            ),
        })
    }

    /// The first external use comes before any record. The library waits for an event that a stream has recorded
    /// all the same, and the manual excludes that.
    fn become_outward(&self) -> Answer {
        let queued = {
            let mut state = lock(&self.state);
            if state.outward || state.newest.is_none() {
                state.outward = true;
                return Ok(());
            }
            matches!(state.newest, Some(Newest::Queued(_)))
        };
        let recorded = || {
            self.breaks_order(
                "the event was recorded by aclrtRecordEvent, so it cannot be external any more",
                "an event that nothing has recorded before its first external use",
                "use the event in a capture first, and record it afterwards",
            )
        };
        if !queued {
            return Err(recorded());
        }
        watch::mistaken(recorded)?;
        lock(&self.state).outward = true;
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
    refuse_in_group(stream, ACL_ERROR_RT_STREAM_TASK_FULL)?;
    event.has_one_part(&capture, records)?;
    event.become_outward()?;
    let outward = Arc::new(outward(Arc::clone(event)));
    let sort = if records { Sort::ACL_MODEL_RI_TASK_EVENT_RECORD } else { Sort::ACL_MODEL_RI_TASK_EVENT_WAIT };
    capture.add(stream.number(), Node::outward(stream.number(), sort, outward))?;
    lock(&capture.state).outward.insert((Arc::as_ptr(event).addr(), records));
    Ok(())
}
