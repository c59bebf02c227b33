//! Events: what a stream records and others wait for.
//!
//! An event belongs to a device. It stands for the newest record; a wait is for the record that is newest when the
//! wait is called.

mod external;
mod in_model;
mod outward;
mod record;
mod times;

pub(crate) use times::clock;

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::capture::{self, Mark};
use crate::machine::contexts::named::Named;
use crate::machine::device::Device;
use crate::machine::handles::{Numbers, Table};
use crate::machine::recording::Recorder;
use crate::machine::streams::refusals::{refuse_in_group, while_captured};
use crate::machine::streams::stream::Stream;
use crate::machine::streams::{Counted, Task, Watch, table};
use crate::machine::workers::point::{Duty, Point};
use crate::machine::workers::served::{Link, Outcome};
use ascendcl_rules::Object;
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclrtEvent;
use external::Step;
use outward::Part;
use record::{Newest, Record};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub(crate) struct Event {
    number: usize,
    id: u32,
    device: Arc<Device>,
    flags: u32,
    made: Made,
    state: Mutex<State>,
    /// Waits of streams that are not over.
    waits: Arc<AtomicUsize>,
}

/// By which function an event was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Made {
    /// `aclrtCreateEvent`.
    Plain,
    /// `aclrtCreateEventWithFlag`: streams can wait before it is recorded, and wait then for its first record.
    WithFlag,
    /// `aclrtCreateEventExWithFlag`: it counts as complete until it is recorded, and can be captured.
    Ex,
}

#[derive(Default)]
struct State {
    newest: Option<Newest>,
    /// The event was reset: streams wait for the next record. Other queries still answer for the last record.
    reset: bool,
    /// The streams and threads that the next record resumes.
    held_up: Vec<Duty>,
    /// The streams of these waits.
    stopped: Vec<usize>,
    /// One of them resets the event behind its wait.
    reset_behind: bool,
    /// It was used in a capture for streams outside.
    outward: bool,
    /// How it is recorded, and how it is waited for, since the first call of each sort.
    recorded: Option<Part>,
    awaited: Option<Part>,
}

static EVENTS: Table<Event> = Table::new();
static NUMBERS: Numbers = Numbers::new();

/// The abilities of a plain event: everything that needs no other kind of event.
pub(crate) const PLAIN: u32 = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;

/// An older flag, which has no name any more.
pub(crate) const ACROSS_DEVICES: u32 = 0x4;

/// The live event behind a C argument.
pub(crate) fn find(handle: aclrtEvent) -> Answer<Arc<Event>> {
    if handle.is_null() {
        return Err(Failure::invalid("the event is null"));
    }
    EVENTS.get(handle.0.addr()).ok_or_else(|| crate::machine::watch::not_there(handle, "event"))
}

pub(crate) fn create(device: &Arc<Device>, flags: u32, made: Made) -> Answer<aclrtEvent> {
    static IDS: AtomicU32 = AtomicU32::new(0);
    device.take_event()?;
    // No event is reached before the clock begins.
    times::begin_clock();
    let number = NUMBERS.take();
    let event = Event {
        number,
        id: IDS.fetch_add(1, SeqCst),
        device: Arc::clone(device),
        flags,
        made,
        state: Mutex::default(),
        waits: Arc::default(),
    };
    EVENTS.insert(number, Arc::new(event));
    Ok(aclrtEvent(core::ptr::without_provenance_mut(number)))
}

/// The event is destroyed at once. Waits for its records continue.
pub(crate) fn destroy(handle: aclrtEvent) -> Answer {
    let event = find(handle)?;
    let event = EVENTS.remove(event.number).ok_or_else(|| Failure::unknown("event"))?;
    event.give_back();
    event.abandon_waits();
    Ok(())
}

/// The device was released, and its events with it.
pub(super) fn lose_all_of(device: u32) {
    for event in EVENTS.remove_all(|event| event.device.id() == device) {
        event.give_back();
        event.abandon_waits();
    }
}

pub(crate) fn count() -> usize {
    EVENTS.len()
}

/// The state of an event, as far as it is known now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    NeverRecorded,
    Pending,
    Complete,
}

impl Event {
    /// No handle leads to it any more.
    fn give_back(&self) {
        self.device.give_event_back();
        NUMBERS.give_back(self.number);
    }

    /// Nothing records it any more.
    fn abandon_waits(&self) {
        let held_up = std::mem::take(&mut lock(&self.state).held_up);
        held_up.into_iter().for_each(Duty::abandon);
    }

    /// An event that streams can wait for has its id from the start, a plain one since its first record, others none.
    pub(crate) fn id(&self) -> Answer<u32> {
        let has = match self.made {
            Made::WithFlag => self.is_waitable(),
            Made::Plain => lock(&self.state).newest.is_some(),
            Made::Ex => false,
        };
        if has { Ok(self.id) } else { Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, "the event has no id")) }
    }

    /// Whether its newest record is part of a capture.
    pub(crate) fn is_captured(&self) -> bool {
        matches!(lock(&self.state).newest, Some(Newest::Captured(_)))
    }

    /// Whether that capture is under way.
    pub(crate) fn is_being_captured(&self) -> bool {
        matches!(&lock(&self.state).newest, Some(Newest::Captured(mark)) if !mark.is_over())
    }

    pub(crate) fn is_ex(&self) -> bool {
        self.made == Made::Ex
    }

    fn is_waitable(&self) -> bool {
        self.flags & (ACL_EVENT_SYNC | ACROSS_DEVICES | ACL_EVENT_EXTERNAL) != 0
    }

    /// The host can neither ask about nor wait for an event of the flag `ACL_EVENT_EXTERNAL`.
    pub(crate) fn for_the_host(&self) -> Answer {
        if self.flags & ACL_EVENT_EXTERNAL == 0 {
            return Ok(());
        }
        Err(Failure::unsupported("the host has no part in an event made with ACL_EVENT_EXTERNAL"))
    }

    pub(crate) fn record(self: &Arc<Self>, stream: Named) -> Answer {
        self.is_recorded_as(Part::Ordinary)?;
        let stream = &stream.for_work()?;
        self.same_device(stream)?;
        match stream.recorder() {
            None => {}
            Some(Recorder::Capture(of)) if self.is_external() => return self.step_in_runs(&of, stream, Step::Sets),
            Some(Recorder::Capture(_)) if self.made != Made::Ex => {
                let text = "only an event made by aclrtCreateEventExWithFlag can be recorded during a capture";
                let failure = capture::not_joined(Failure::unsupported(text));
                return Err(failure.about(Object::event(self.number as u64)).about(capture::named(stream)));
            }
            Some(Recorder::Capture(capture)) => {
                refuse_in_group(stream, ACL_ERROR_RT_STREAM_TASK_FULL)?;
                let mark = Mark::of(&capture, stream)?;
                let before = lock(&self.state).newest.replace(Newest::Captured(mark));
                drop(before);
                return Ok(());
            }
            Some(Recorder::Built(assembly)) => return self.record_in_model(&assembly, stream),
            Some(Recorder::Finished(finished)) => return finished.issue(),
            Some(Recorder::Update(_)) => return Err(Failure::unsupported("a task group is updated with work alone")),
        }
        let point = Arc::new(Point::new(stream.reaches()));
        let duty = Duty::new(&point);
        let held_up: Arc<Mutex<Vec<Duty>>> = Arc::default();
        let lets_go = Arc::clone(&held_up);
        let mut task = Task::Run(Box::new(move || {
            duty.fulfil();
            std::mem::take(&mut *lock(&lets_go)).into_iter().for_each(Duty::fulfil);
            Ok(())
        }));
        loop {
            {
                // Held over the submission, so that of two records the later one on the queue is the newest.
                let mut state = lock(&self.state);
                // A worker may come to the task before the list is filled, and waits for this lock then.
                let mut list = lock(&held_up);
                match stream.submit_if_room(task)? {
                    Ok(position) => {
                        // This comes after the submission: if the stream refuses the record, waiters keep waiting for
                        // the earlier one.
                        list.append(&mut state.held_up);
                        drop(list);
                        state.stopped.clear();
                        state.reset = std::mem::take(&mut state.reset_behind);
                        // The role of the event in a running capture does not change.
                        if !matches!(&state.newest, Some(Newest::Captured(mark)) if !mark.is_over()) {
                            let record = Record { point, stream: Arc::downgrade(stream), position };
                            let before = state.newest.replace(Newest::Queued(record));
                            drop(state);
                            drop(before);
                        }
                        return Ok(());
                    }
                    Err(refused) => task = refused,
                }
            }
            stream.wait_for_room(1)?;
        }
    }

    /// Lets what follows on the stream wait for the newest record.
    pub(crate) fn hold_up(self: &Arc<Self>, stream: Named, limit: Option<Duration>) -> Answer {
        if !self.is_waitable() {
            return Err(Failure::unsupported(
                "the event was created without ACL_EVENT_SYNC, so no stream waits for it",
            ));
        }
        self.is_awaited_as(Part::Ordinary)?;
        let stream = stream.for_work()?;
        if let Some(Recorder::Capture(capture)) = stream.recorder().filter(|_| self.is_external()) {
            return self.step_in_runs(&capture, &stream, Step::Awaits(limit));
        }
        if stream.is_bound() {
            return match stream.recorder() {
                Some(Recorder::Built(assembly)) => self.hold_up_in_model(&assembly, &stream, limit),
                Some(Recorder::Finished(finished)) => finished.issue(),
                _ => Err(Failure::unknown("stream")),
            };
        }
        let mut state = lock(&self.state);
        let point = match (&state.newest, self.made) {
            (Some(Newest::Captured(mark)), _) => {
                let mark = mark.clone();
                drop(state);
                return mark.hold_up(&stream);
            }
            (Some(Newest::InModel(_)), _) => return Err(in_model::refuse_outside("waited for here")),
            (None, Made::Ex) => return Ok(()),
            (None, Made::Plain) => {
                return Err(Failure::refused("the event was never recorded, so there is nothing to wait for"));
            }
            (Some(Newest::Queued(record)), _) if !state.reset => Some(Arc::clone(&record.point)),
            _ => None,
        };
        if stream.is_recording() {
            return Err(capture::refuse_dependency(&stream).about(Object::event(self.number as u64)));
        }
        let counted = Some(Counted::new(&self.waits));
        if let Some(point) = point {
            drop(state);
            return stream.submit_wait(point, limit, counted).map(|_| ());
        }
        let point = Arc::new(Point::new(Link::Later));
        // This comes before the wait is queued. Queueing may block on a full stream, and no lock may be held then.
        state.held_up.retain(Duty::is_awaited);
        if state.held_up.is_empty() {
            state.stopped.clear();
        }
        state.held_up.push(Duty::new(&point));
        state.stopped.push(stream.number());
        drop(state);
        let queued = stream.submit_wait(point, limit, counted);
        if queued.is_err() {
            lock(&self.state).held_up.retain(Duty::is_awaited);
        }
        queued.map(drop)
    }

    /// Streams wait for the next record from here on.
    pub(crate) fn reset(self: &Arc<Self>, stream: Named) -> Answer {
        if self.made == Made::Ex || !self.is_waitable() {
            return Err(Failure::unsupported("the event was not created with ACL_EVENT_SYNC, or by a newer function"));
        }
        let stream = stream.for_work()?;
        if let Some(Recorder::Capture(capture)) = stream.recorder().filter(|_| self.is_external()) {
            return self.step_in_runs(&capture, &stream, Step::Clears);
        }
        if stream.is_recording() {
            let failure = Failure::unsupported("a capture does not take the reset of an event");
            return Err(while_captured(failure).about(stream.named()));
        }
        if let Some(Recorder::Built(assembly)) = stream.recorder() {
            return self.reset_in_model(&assembly, &stream);
        }
        let mut state = lock(&self.state);
        state.held_up.retain(Duty::is_awaited);
        // Behind a wait of its stream, the reset comes after the record that ends the wait.
        let behind = !state.held_up.is_empty() && state.stopped.contains(&stream.number());
        state.reset_behind |= behind;
        state.reset |= !behind;
        Ok(())
    }

    /// Blocks this thread until the newest record has run. Nothing was recorded: nothing to wait for.
    pub(crate) fn synchronize(&self, deadline: Option<Instant>) -> Answer {
        let newest = lock(&self.state).newest.clone();
        let record = match newest {
            None => return Ok(()),
            Some(Newest::Queued(record)) => record,
            Some(Newest::Captured(mark)) if mark.is_over() => return Ok(()),
            Some(Newest::Captured(mark)) => return Err(mark.refuse("waited for")),
            Some(Newest::InModel(_)) => return Err(in_model::refuse_outside("waited for")),
        };
        let point = &record.point;
        let watch =
            point.stream().and_then(table::with_number).map(|stream| Watch::begin(&stream, point.outcome().is_some()));
        let outcome = match point.wait(deadline)? {
            Some(_) if watch.is_some_and(|watch| watch.misses(deadline)) => None,
            outcome => outcome,
        };
        match outcome {
            Some(Outcome::Reached(_)) => {
                record.is_seen();
                Ok(())
            }
            Some(Outcome::Discarded) => {
                Err(Failure::new(ACL_ERROR_RT_STREAM_ABORT, "the stream's work was discarded before the event"))
            }
            None => Err(Failure::new(
                ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                "the event had not been reached when the time limit was over; the work goes on",
            )),
        }
    }

    pub(crate) fn status(&self) -> Answer<Status> {
        let newest = lock(&self.state).newest.clone();
        match newest {
            None => Ok(Status::NeverRecorded),
            Some(Newest::Queued(record)) if record.point.outcome().is_none() => Ok(Status::Pending),
            Some(Newest::Queued(record)) => {
                record.is_seen();
                Ok(Status::Complete)
            }
            Some(Newest::Captured(mark)) if mark.is_over() => Ok(Status::Complete),
            Some(Newest::Captured(mark)) => Err(mark.refuse("asked for its state")),
            Some(Newest::InModel(mark)) => Ok(if mark.is_reached() { Status::Complete } else { Status::Pending }),
        }
    }

    /// Whether no stream waits for it (any more).
    pub(crate) fn waits_are_over(&self) -> bool {
        self.waits.load(SeqCst) == 0
    }

    fn same_device(&self, stream: &Stream) -> Answer {
        if self.device.id() == stream.device().id() {
            return Ok(());
        }
        let text = format!("the event is of device {}, the stream of {}", self.device.id(), stream.device().id());
        Err(Failure::new(ACL_ERROR_RT_STREAM_CONTEXT, text))
    }
}
