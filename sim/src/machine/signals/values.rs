//! Values in memory that a stream writes, and that streams wait for.
//!
//! Any code can write the value that a stream waits for, also the host or another process, without a notice. So a thread
//! polls the values while a stream waits for one. It polls the marks of notifies that other processes share, too.

use crate::abi::{Address, thread_begins};
use crate::failure::Answer;
use crate::locks::lock;
use crate::machine::memory::{Hold, exported};
use crate::machine::recording::tasks::Sort;
use crate::machine::streams::stream::Stream;
use crate::machine::workers::point::Duty;
use crate::machine::workers::served::Link;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// When a wait is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Until {
    /// The value is not less, as the sign of the difference says.
    AtLeast,
    Equal,
    AnyBit,
    /// Some bit is set in neither.
    Nor,
}

impl Until {
    fn holds(self, found: u64, wanted: u64) -> bool {
        match self {
            Self::AtLeast => found.wrapping_sub(wanted) as i64 >= 0,
            Self::Equal => found == wanted,
            Self::AnyBit => found & wanted != 0,
            Self::Nor => !(found | wanted) != 0,
        }
    }
}

/// What is asked again and again, while a stream waits for it.
pub(super) trait Polled: Send + Sync {
    /// Asked no more when it was there once.
    fn is_there(&self) -> bool;
}

/// The value that a stream waits for.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) address: Address,
    /// Keeps the memory in place.
    pub(crate) _hold: Hold,
    pub(crate) value: u64,
    pub(crate) until: Until,
}

impl Polled for Wanted {
    fn is_there(&self) -> bool {
        self.until.holds(self.address.load(), self.value)
    }
}

type Wait = (Arc<dyn Polled>, Duty);

#[derive(Default)]
struct Watch {
    waits: Vec<Wait>,
    /// Whether the thread is there; it leaves when nothing is waited for.
    watched: bool,
}

impl Watch {
    /// There is no thread to poll the values.
    fn give_up(&mut self) -> Vec<Wait> {
        self.watched = false;
        std::mem::take(&mut self.waits)
    }
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { waits: Vec::new(), watched: false });

pub(crate) fn write(stream: &Arc<Stream>, address: Address, hold: Hold, value: u64) -> Answer {
    let write = move |_| {
        let _kept = &hold;
        address.store(value);
        Ok(())
    };
    stream.submit_sort(Sort::ACL_MODEL_RI_TASK_VALUE_WRITE, write).map(drop)
}

/// Lets what follows on the stream wait for a value.
pub(crate) fn hold_up(stream: &Arc<Stream>, wanted: Wanted) -> Answer {
    let by = if exported::is_shared(wanted.address) { Link::Elsewhere } else { Link::Later };
    let wanted: Arc<dyn Polled> = Arc::new(wanted);
    stream.submit_wait_each(Sort::ACL_MODEL_RI_TASK_VALUE_WAIT, by, None, move |duty| {
        poll(vec![(Arc::clone(&wanted), duty)]);
    })
}

/// Fulfils each duty when what belongs to it is there. Who waited first is asked for first.
pub(super) fn poll(waits: Vec<Wait>) {
    let watched = {
        let mut watch = lock(&WATCH);
        watch.waits.extend(waits);
        std::mem::replace(&mut watch.watched, true)
    };
    if watched {
        return;
    }
    thread_begins();
    if thread::Builder::new().name("ascendcl-sim-values".into()).spawn(look).is_err() {
        // The values are not polled. Their waiters get a failure, after the lock was released.
        let lost = lock(&WATCH).give_up();
        drop(lost);
    }
}

fn look() {
    const PAUSE: Duration = Duration::from_micros(200);
    loop {
        let over: Vec<Wait> = {
            let mut watch = lock(&WATCH);
            if watch.waits.is_empty() {
                watch.watched = false;
                return;
            }
            // What is taken by looking is not taken for a stream that has given up.
            watch.waits.extract_if(.., |(wanted, duty)| !duty.is_awaited() || wanted.is_there()).collect()
        };
        for (wanted, duty) in over {
            // What it kept is given back before the stream goes on: the program may free the memory then.
            drop(wanted);
            duty.fulfil();
        }
        thread::sleep(PAUSE);
    }
}
