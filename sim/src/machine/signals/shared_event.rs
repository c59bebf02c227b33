//! Events that several processes record and wait for. Their records are counted in memory that the processes share, and a wait
//! polls that.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::capture::refuse_dependency;
use crate::machine::handles::{Table, fresh};
use crate::machine::recording::tasks::Sort;
use crate::machine::sharing::{Key, Kind, Record, What};
use crate::machine::signals::values::{self, Polled};
use crate::machine::streams::stream::Stream;
use crate::machine::thread::visits;
use crate::machine::trouble::Patience;
use crate::machine::workers::pool;
use crate::machine::workers::served::Link;
use crate::machine::workers::waiting::{Target, Waiting};
use ascendcl_sys::error_codes::ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
use ascendcl_sys::types::aclrtEvent;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) struct SharedEvent {
    number: usize,
    imported: bool,
    record: Arc<Record>,
    /// The newest record of this process, and what comes to it.
    own: Mutex<Option<(u64, Link)>>,
}

/// One record of an event. It counts as reached when a stream has come to it, or never will.
struct Reached(Arc<Record>, u64);

impl Drop for Reached {
    fn drop(&mut self) {
        self.0.reach(self.1);
    }
}

/// The record of an event that is waited for.
struct Until(Arc<Record>, u64);

impl Polled for Until {
    fn is_there(&self) -> bool {
        self.0.has_reached(self.1)
    }
}

static EVENTS: Table<SharedEvent> = Table::new();

pub(crate) fn create() -> Answer<aclrtEvent> {
    // Every process that has the handle may open it.
    Ok(enter(false, Record::new(Kind::Event, What::default(), true)?))
}

/// The event of another process.
pub(crate) fn open(key: &str) -> Answer<aclrtEvent> {
    Ok(enter(true, Record::import(Key::of_import(key)?, Kind::Event)?))
}

fn enter(imported: bool, record: Record) -> aclrtEvent {
    let number = fresh();
    EVENTS.insert(number, Arc::new(SharedEvent { number, imported, record: Arc::new(record), own: Mutex::default() }));
    aclrtEvent(core::ptr::without_provenance_mut(number))
}

/// The event behind a C argument, if it is one of these.
pub(crate) fn find(handle: aclrtEvent) -> Option<Arc<SharedEvent>> {
    EVENTS.get(handle.0.addr())
}

/// As if none had been made.
pub(in crate::machine) fn clear() {
    EVENTS.remove_all(|_| true).iter().for_each(|event| event.close());
}

impl SharedEvent {
    /// The key by which other processes open it.
    pub(crate) fn key(&self) -> Answer<String> {
        if self.imported {
            return Err(Failure::refused("an event of another process is not offered to a third one"));
        }
        Ok(self.record.key().text())
    }

    /// Processes that have opened it keep it.
    pub(crate) fn destroy(&self) -> Answer {
        EVENTS.remove(self.number).ok_or_else(|| Failure::unknown("event"))?;
        self.close();
        Ok(())
    }

    fn close(&self) {
        if !self.imported {
            self.record.close();
        }
    }

    pub(crate) fn record(&self, stream: &Arc<Stream>) -> Answer {
        refuse_captured(stream)?;
        let number = self.record.next();
        let reached = Reached(Arc::clone(&self.record), number);
        let record = move || {
            drop(reached);
            Ok(())
        };
        stream.submit(record)?;
        *lock(&self.own) = Some((number, stream.reaches()));
        Ok(())
    }

    /// Lets what follows on the stream wait for the record that is the newest now; for nothing, if there is none.
    pub(crate) fn hold_up(&self, stream: &Arc<Stream>, limit: Option<Duration>) -> Answer {
        refuse_captured(stream)?;
        values::begin()?;
        let (record, newest) = (Arc::clone(&self.record), self.record.newest());
        stream.submit_wait_each(Sort::ACL_MODEL_RI_TASK_EVENT_WAIT, Link::Elsewhere, limit, move |duty| {
            values::poll(vec![(Arc::new(Until(Arc::clone(&record), newest)), duty)]);
        })
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.record.has_reached(self.record.newest())
    }

    /// Blocks this thread until a stream has come to the newest record.
    pub(crate) fn synchronize(&self, deadline: Option<Instant>) -> Answer {
        const PAUSE: Duration = Duration::from_micros(200);
        let _waits = visits::waits();
        let newest = self.record.newest();
        let awaits = || match *lock(&self.own) {
            _ if self.record.has_reached(newest) => None,
            Some((number, by)) if number == newest => Some(by),
            _ => Some(Link::Elsewhere),
        };
        let mut waiting = Waiting::new(Target::Reached(&awaits), deadline);
        let mut look = Instant::now() + Patience::LOOK;
        pool::lend(|| {
            while !self.record.has_reached(newest) {
                if Instant::now() >= look {
                    look = Instant::now() + Patience::LOOK;
                    if let Some(failure) = waiting.given_up(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT) {
                        return Err(failure);
                    }
                }
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    let text = "the event had not been reached when the time limit was over; the work goes on";
                    return Err(Failure::new(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, text));
                }
                sleep(PAUSE);
            }
            Ok(())
        })
    }
}

/// A replay does not count records anew.
fn refuse_captured(stream: &Stream) -> Answer {
    if stream.is_recording() || stream.is_bound() { Err(refuse_dependency(stream)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_never_runs_holds_nobody_up() {
        let event = find(create().unwrap()).unwrap();
        assert!(event.is_complete(), "nothing was recorded");
        let lost = Reached(Arc::clone(&event.record), event.record.next());
        assert!(!event.is_complete());
        drop(lost);
        assert!(event.is_complete());
        event.destroy().unwrap();
    }
}
