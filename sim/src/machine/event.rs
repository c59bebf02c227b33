//! Events: what a stream records and others wait for.
//!
//! An event belongs to a device. It stands for the newest record; a wait is for the record that is newest when the
//! wait is called.

use super::capture::{self, Mark, Recorder};
use super::device::Device;
use super::handles::{Numbers, Table};
use super::locks::lock;
use super::missed::Watch;
use super::point::{Duty, Outcome, Point};
use super::queue::{Counted, Task};
use super::stream::Stream;
use super::waiting;
use crate::failure::{Answer, Failure};
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclrtEvent;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

pub(crate) struct Event {
    number: usize,
    id: u32,
    device: Arc<Device>,
    flags: u32,
    /// Made by the newer call, whose events count as complete until they are recorded.
    ex: bool,
    newest: Mutex<Option<Newest>>,
    /// Waits of streams that are not over.
    waits: Arc<AtomicUsize>,
}

/// The newest record.
#[derive(Clone)]
enum Newest {
    Queued(Arc<Point>),
    /// It is part of a capture, and never happens by itself.
    Captured(Mark),
}

static EVENTS: Table<Event> = Table::new();
static NUMBERS: Numbers = Numbers::new();

/// What a plain event can do: everything that needs no other event kind.
pub(crate) const PLAIN: u32 = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;

/// The live event behind a C argument.
pub(crate) fn find(handle: aclrtEvent) -> Answer<Arc<Event>> {
    if handle.is_null() {
        return Err(Failure::invalid("the event is null"));
    }
    EVENTS.get(handle.0.addr()).ok_or_else(|| Failure::unknown("event"))
}

pub(crate) fn create(device: &Arc<Device>, flags: u32, ex: bool) -> Answer<aclrtEvent> {
    static IDS: AtomicU32 = AtomicU32::new(0);
    device.take_event()?;
    let number = NUMBERS.take();
    let event = Event {
        number,
        id: IDS.fetch_add(1, SeqCst),
        device: Arc::clone(device),
        flags,
        ex,
        newest: Mutex::default(),
        waits: Arc::default(),
    };
    EVENTS.insert(number, Arc::new(event));
    Ok(aclrtEvent(core::ptr::without_provenance_mut(number)))
}

/// The event is gone at once; what waits for its records goes on waiting for them.
pub(crate) fn destroy(handle: aclrtEvent) -> Answer {
    let event = find(handle)?;
    let event = EVENTS.remove(event.number).ok_or_else(|| Failure::unknown("event"))?;
    event.give_back();
    Ok(())
}

/// The device was released, and its events with it.
pub(super) fn lose_all_of(device: u32) {
    for event in EVENTS.remove_all(|event| event.device.id() == device) {
        event.give_back();
    }
}

pub(crate) fn count() -> usize {
    EVENTS.len()
}

/// What an event is at, as far as it is known now.
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

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn is_ex(&self) -> bool {
        self.ex
    }

    pub(crate) fn record(&self, stream: &Arc<Stream>) -> Answer {
        self.same_device(stream)?;
        match stream.recorder() {
            None => {}
            Some(Recorder::Capture(capture)) => {
                let mark = Mark::of(&capture, stream)?;
                let before = lock(&self.newest).replace(Newest::Captured(mark));
                drop(before);
                return Ok(());
            }
            Some(Recorder::Update(_)) => return Err(Failure::unsupported("a task group is updated with work alone")),
        }
        let point = Arc::new(Point::new(waiting::by_stream(stream)));
        let duty = Duty::new(&point);
        let mut task = Task::Run(Box::new(move || {
            duty.fulfil();
            Ok(())
        }));
        loop {
            {
                // Held over the submission, so that of two records the later one on the queue is the newest.
                let mut newest = lock(&self.newest);
                match stream.submit_if_room(task)? {
                    Ok(_) => {
                        let before = newest.replace(Newest::Queued(point));
                        drop(newest);
                        drop(before);
                        return Ok(());
                    }
                    Err(refused) => task = refused,
                }
            }
            stream.wait_for_room(1)?;
        }
    }

    /// Lets what follows on the stream wait for the newest record.
    pub(crate) fn hold_up(&self, stream: &Arc<Stream>, limit: Option<Duration>) -> Answer {
        self.needs(ACL_EVENT_SYNC, "wait for it on a stream")?;
        self.same_device(stream)?;
        let newest = lock(&self.newest).clone();
        match newest {
            Some(Newest::Captured(mark)) => mark.hold_up(stream),
            Some(Newest::Queued(_)) if stream.is_recording() => Err(capture::refuse_dependency(stream)),
            Some(Newest::Queued(point)) => {
                stream.submit_wait(point, limit, Some(Counted::new(&self.waits))).map(|_| ())
            }
            None if self.ex => Ok(()),
            None => Err(Failure::refused("the event was never recorded, so there is nothing to wait for")),
        }
    }

    /// Forgets the newest record.
    pub(crate) fn reset(&self, stream: &Arc<Stream>) -> Answer {
        if self.ex {
            return Err(Failure::unsupported("an event made by aclrtCreateEventExWithFlag cannot be reset"));
        }
        self.needs(ACL_EVENT_SYNC, "reset it")?;
        self.same_device(stream)?;
        let newest = lock(&self.newest).take();
        drop(newest);
        Ok(())
    }

    /// Blocks this thread until the newest record has run. Nothing was recorded: nothing to wait for.
    pub(crate) fn synchronize(&self, deadline: Option<Instant>) -> Answer {
        let point = match lock(&self.newest).clone() {
            None => return Ok(()),
            Some(Newest::Queued(point)) => point,
            Some(Newest::Captured(mark)) => return Err(mark.refused("waited for")),
        };
        let watch = point.stream().map(|stream| Watch::begin(&stream, point.outcome().is_some()));
        let outcome = match point.wait(deadline)? {
            Some(_) if watch.is_some_and(|watch| watch.misses(deadline)) => None,
            outcome => outcome,
        };
        match outcome {
            Some(Outcome::Reached(_)) => Ok(()),
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
        match lock(&self.newest).clone() {
            None => Ok(Status::NeverRecorded),
            Some(Newest::Queued(point)) if point.outcome().is_none() => Ok(Status::Pending),
            Some(Newest::Queued(_)) => Ok(Status::Complete),
            Some(Newest::Captured(mark)) => Err(mark.refused("asked for its state")),
        }
    }

    /// Whether no stream waits for it (any more).
    pub(crate) fn waits_are_over(&self) -> bool {
        self.waits.load(SeqCst) == 0
    }

    /// When the newest record ran.
    pub(crate) fn time(&self) -> Answer<Instant> {
        time_of(&*self.timed()?)
    }

    /// How long after `start` this event was reached.
    pub(crate) fn since(&self, start: &Self) -> Answer<Duration> {
        // Both have to be recorded before either is asked whether it has been reached.
        let (start, end) = (start.timed()?, self.timed()?);
        let (start, end) = (time_of(&start)?, time_of(&end)?);
        end.checked_duration_since(start).ok_or_else(|| {
            let text = "the end event was reached before the start event";
            Failure::new(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, text)
        })
    }

    /// The newest record, of an event that keeps the time.
    fn timed(&self) -> Answer<Arc<Point>> {
        if self.flags & ACL_EVENT_TIME_LINE == 0 {
            let text = "the event was created without ACL_EVENT_TIME_LINE, so it has no time";
            return Err(Failure::new(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, text));
        }
        let newest = lock(&self.newest).clone();
        match newest {
            Some(Newest::Queued(point)) => Ok(point),
            Some(Newest::Captured(mark)) => Err(mark.refused("asked for its time")),
            None => Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, "the event was never recorded")),
        }
    }

    fn needs(&self, flag: u32, what_for: &str) -> Answer {
        if self.flags & flag != 0 {
            return Ok(());
        }
        Err(Failure::unsupported(format!(
            "the event was created without the flag {flag:#x}, which it takes to {what_for}"
        )))
    }

    fn same_device(&self, stream: &Stream) -> Answer {
        if self.device.id() == stream.device().id() {
            return Ok(());
        }
        let text = format!("the event is of device {}, the stream of {}", self.device.id(), stream.device().id());
        Err(Failure::new(ACL_ERROR_RT_STREAM_CONTEXT, text))
    }
}

fn time_of(point: &Point) -> Answer<Instant> {
    match point.outcome() {
        Some(Outcome::Reached(at)) => Ok(at),
        Some(Outcome::Discarded) | None => {
            let text = "the event has not been reached yet; synchronise its stream first";
            Err(Failure::new(ACL_ERROR_RT_EVENT_NOT_COMPLETE, text))
        }
    }
}

/// Microseconds since the simulator's clock began.
pub(crate) fn clock(at: Instant) -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    // One more, because an event's time is never 0.
    let start = *START.get_or_init(|| at);
    at.saturating_duration_since(start).as_micros() as u64 + 1
}
