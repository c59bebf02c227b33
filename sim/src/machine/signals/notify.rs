//! Notifies: a mark that one stream sets and another waits for and takes away. They work across contexts and devices.
//!
//! A notify that was offered to other processes has its mark in a record that they share. It is polled then.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::{self, Table};
use crate::machine::recording::tasks::Sort;
use crate::machine::sharing::{Key, Kind, Record, What};
use crate::machine::signals::values::{self, Polled};
use crate::machine::streams::stream::Stream;
use crate::machine::watch;
use crate::machine::workers::point::Duty;
use crate::machine::workers::served::Link;
use ascendcl_sys::types::aclrtNotify;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) struct Notify {
    number: usize,
    id: u32,
    /// It is of another process.
    imported: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// It was recorded, and nothing has waited for it since.
    set: bool,
    /// The waiting streams, in order: a record resumes one of them.
    waiting: VecDeque<Duty>,
    /// The mark is here instead, since the notify was offered to other processes.
    shared: Option<Arc<Record>>,
}

impl Polled for Record {
    fn is_there(&self) -> bool {
        self.take_signal()
    }

    fn was_there(self: Arc<Self>) -> Option<Box<dyn FnOnce()>> {
        Some(Box::new(move || self.signal()))
    }
}

static NOTIFIES: Table<Notify> = Table::new();

pub(crate) fn create() -> aclrtNotify {
    enter(false, State::default())
}

/// The notify of another process.
pub(crate) fn import(key: &str) -> Answer<aclrtNotify> {
    let record = Record::import(Key::of_import(key)?, Kind::Notify)?;
    Ok(enter(true, State { shared: Some(Arc::new(record)), ..State::default() }))
}

fn enter(imported: bool, state: State) -> aclrtNotify {
    static IDS: AtomicU32 = AtomicU32::new(0);
    let number = handles::fresh();
    let notify = Notify { number, id: IDS.fetch_add(1, SeqCst), imported, state: Mutex::new(state) };
    NOTIFIES.insert(number, Arc::new(notify));
    aclrtNotify(core::ptr::without_provenance_mut(number))
}

/// The live notify behind a C argument.
pub(crate) fn find(handle: aclrtNotify) -> Answer<Arc<Notify>> {
    if handle.is_null() {
        return Err(Failure::invalid("the notify is null"));
    }
    NOTIFIES.get(handle.0.addr()).ok_or_else(|| watch::not_there(handle, "notify"))
}

/// As if none had been made.
pub(in crate::machine) fn clear() {
    NOTIFIES.remove_all(|_| true).iter().for_each(|notify| notify.close());
}

impl Notify {
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// It is never recorded again, and its waiters keep waiting.
    pub(crate) fn destroy(&self) -> Answer {
        NOTIFIES.remove(self.number).ok_or_else(|| Failure::unknown("notify"))?;
        self.close();
        let waiting = std::mem::take(&mut lock(&self.state).waiting);
        waiting.into_iter().for_each(Duty::abandon);
        Ok(())
    }

    /// Ends the offer to other processes at once: a stream that waits, or has just given up, keeps the record longer.
    fn close(&self) {
        let record = lock(&self.state).shared.clone();
        record.filter(|_| !self.imported).iter().for_each(|record| record.close());
    }

    /// Offers it to other processes; answers the key by which they find it.
    pub(crate) fn export(&self, for_all: bool) -> Answer<String> {
        if self.imported {
            return Err(Failure::refused("a notify of another process is not offered to a third one"));
        }
        values::begin()?;
        let mut state = lock(&self.state);
        if let Some(record) = &state.shared {
            return Ok(record.key().text());
        }
        let record = Arc::new(Record::new(Kind::Notify, What::default(), for_all)?);
        if std::mem::take(&mut state.set) {
            record.signal();
        }
        let key = record.key().text();
        let waiting = std::mem::take(&mut state.waiting);
        state.shared = Some(Arc::clone(&record));
        drop(state);
        waiting.iter().for_each(Duty::is_up_to_others);
        values::poll(waiting.into_iter().map(|duty| (Arc::clone(&record) as Arc<dyn Polled>, duty)).collect());
        Ok(key)
    }

    /// Lets these processes import it.
    pub(crate) fn allow(&self, processes: &[i32]) -> Answer {
        let record = lock(&self.state).shared.clone().filter(|_| !self.imported);
        record.ok_or_else(|| Failure::refused("the notify was not exported here"))?.allow(processes)
    }

    pub(crate) fn record(self: Arc<Self>, stream: &Arc<Stream>) -> Answer {
        let set = move |_| {
            self.set();
            Ok(())
        };
        stream.submit_each(set).map(drop)
    }

    fn set(&self) {
        loop {
            let first = {
                let mut state = lock(&self.state);
                if let Some(record) = &state.shared {
                    return record.signal();
                }
                let first = state.next();
                state.set |= first.is_none();
                first
            };
            // The stream of the first may give up at this moment; then the record is the next one's.
            if first.is_none_or(Duty::fulfil_for_one) {
                return;
            }
        }
    }

    /// Takes a record away that nothing has waited for.
    pub(crate) fn reset(&self) {
        let mut state = lock(&self.state);
        state.set = false;
        if let Some(record) = &state.shared {
            record.take_signal();
        }
    }

    /// Lets what follows on the stream wait for a record, and takes the record away. Only the process that has made a
    /// notify waits for it.
    pub(crate) fn hold_up(self: Arc<Self>, stream: &Arc<Stream>, limit: Option<Duration>) -> Answer {
        if self.imported {
            return Err(Failure::refused("only the process that has made a notify waits for it (IPC-02)"));
        }
        stream.submit_wait_each(Sort::ACL_MODEL_RI_TASK_DEFAULT, Link::Later, limit, move |duty| {
            let mut state = lock(&self.state);
            if let Some(record) = state.shared.clone() {
                drop(state);
                // It may have been shared after the wait was queued.
                duty.is_up_to_others();
                return values::poll(vec![(record, duty)]);
            }
            if !std::mem::take(&mut state.set) {
                return state.waiting.push_back(duty);
            }
            drop(state);
            duty.fulfil();
        })
    }
}

impl State {
    /// The first that still waits: the stream of another one may have given up.
    fn next(&mut self) -> Option<Duty> {
        while let Some(duty) = self.waiting.pop_front() {
            if duty.is_awaited() {
                return Some(duty);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::workers::point::Point;
    use std::time::Instant;

    #[test]
    fn a_destroyed_notify_is_offered_no_more_while_a_wait_keeps_its_record() {
        let notify = find(create()).unwrap();
        notify.export(true).unwrap();
        let kept_by_a_wait = lock(&notify.state).shared.clone().unwrap();
        assert!(kept_by_a_wait.is_open());
        notify.destroy().unwrap();
        assert!(!kept_by_a_wait.is_open());
    }

    #[test]
    fn a_record_that_other_processes_see_is_left_to_the_next_wait_when_the_first_has_just_been_given_up() {
        let notify = find(create()).unwrap();
        notify.export(true).unwrap();
        let record = lock(&notify.state).shared.clone().unwrap();
        let point = Arc::new(Point::new(Link::Later));
        let duty = Duty::new(&point);
        notify.set();
        assert!(record.is_there(), "the look for the wait takes it");
        assert!(point.wait(Some(Instant::now())).is_ok_and(|outcome| outcome.is_none()), "whose time is over");
        values::is_over((Arc::clone(&record) as Arc<dyn Polled>, duty));
        assert!(record.is_there(), "the next one finds it");
        let point = Arc::new(Point::new(Link::Later));
        values::is_over((Arc::clone(&record) as Arc<dyn Polled>, Duty::new(&point)));
        assert!(point.outcome().is_some() && !record.is_there(), "the stream goes on with it");
        notify.destroy().unwrap();
    }

    #[test]
    fn a_record_that_comes_when_the_first_wait_has_just_been_given_up_goes_to_the_next() {
        let notify = find(create()).unwrap();
        let points = [(); 3].map(|()| Arc::new(Point::new(Link::Later)));
        lock(&notify.state).waiting.extend(points.iter().map(Duty::new));
        // The time of the first two is over, and who waited still has the points.
        let over = Some(Instant::now());
        assert!(points[..2].iter().all(|point| point.wait(over).is_ok_and(|outcome| outcome.is_none())));
        notify.set();
        assert!(points[2].outcome().is_some(), "the third waits");
        assert!(!lock(&notify.state).set);
        let late = Arc::new(Point::new(Link::Later));
        lock(&notify.state).waiting.push_back(Duty::new(&late));
        assert!(late.wait(over).is_ok_and(|outcome| outcome.is_none()));
        notify.set();
        assert!(lock(&notify.state).set, "nobody has taken the record");
        notify.destroy().unwrap();
    }
}
