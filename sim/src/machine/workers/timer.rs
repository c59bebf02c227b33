//! The alarm of streams that wait for an event with a time limit.

use crate::abi::thread_begins;
use crate::failure::{Answer, Failure};
use crate::locks::{lock, wait};
use crate::machine::workers::served::{Served, TooLate};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, Weak};
use std::thread;
use std::time::Instant;

struct Alarms {
    /// By time; the serial number keeps alarms of the same time apart.
    set: BTreeMap<(Instant, u64), (Weak<dyn Served>, u64)>,
    serial: u64,
    /// Whether the thread is there.
    watched: bool,
}

static ALARMS: Mutex<Alarms> = Mutex::new(Alarms { set: BTreeMap::new(), serial: 0, watched: false });
static CHANGED: Condvar = Condvar::new();

/// Sees to it that there is a thread for the alarms.
pub(in crate::machine) fn begin() -> Answer {
    let mut alarms = lock(&ALARMS);
    if !alarms.watched {
        thread_begins();
        let started = thread::Builder::new().name("ascendcl-sim-timer".into()).spawn(watch);
        started.map_err(|_| Failure::no_thread("the time limits of waits"))?;
        alarms.watched = true;
    }
    Ok(())
}

/// An alarm that is set. If it is dropped, it does not go off any more.
#[must_use]
pub(in crate::machine) struct Alarm((Instant, u64));

impl Drop for Alarm {
    fn drop(&mut self) {
        let removed = lock(&ALARMS).set.remove(&self.0);
        drop(removed);
    }
}

/// Resumes the stream at that time, if it is still parked with this ticket then.
pub(in crate::machine) fn set(at: Instant, stream: Weak<dyn Served>, ticket: u64) -> Alarm {
    let mut alarms = lock(&ALARMS);
    alarms.serial += 1;
    let key = (at, alarms.serial);
    alarms.set.insert(key, (stream, ticket));
    drop(alarms);
    CHANGED.notify_one();
    Alarm(key)
}

/// How many alarms are set.
#[cfg(test)]
pub(in crate::machine) fn count() -> usize {
    lock(&ALARMS).set.len()
}

fn watch() {
    let mut alarms = lock(&ALARMS);
    loop {
        let Some(entry) = alarms.set.first_entry() else {
            alarms = wait(&CHANGED, alarms, None);
            continue;
        };
        let at = entry.key().0;
        if at > Instant::now() {
            alarms = wait(&CHANGED, alarms, Some(at));
            continue;
        }
        let (stream, ticket) = entry.remove();
        drop(alarms);
        if let Some(stream) = stream.upgrade() {
            stream.resume(ticket, Err(TooLate));
        }
        alarms = lock(&ALARMS);
    }
}
