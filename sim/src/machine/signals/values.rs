//! Values in memory that a stream writes, and that streams wait for.
//!
//! Any code can write the value that a stream waits for, also the host or another process, without a notice. So a thread
//! polls the values while a stream waits for one. It polls the marks of notifies that other processes share, too.

use crate::abi::{Address, thread_begins};
use crate::failure::{Answer, Failure};
use crate::locks::{lock, wait};
use crate::machine::memory::{Hold, exported};
use crate::machine::recording::tasks::Sort;
use crate::machine::streams::stream::Stream;
use crate::machine::workers::point::Duty;
use crate::machine::workers::served::Link;
use std::sync::{Arc, Condvar, Mutex};
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

    /// It was there. Answers how to leave it to others, if asking has taken it away.
    fn was_there(self: Arc<Self>) -> Option<Box<dyn FnOnce()>> {
        None
    }
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

struct Watch {
    waits: Vec<Wait>,
    /// Whether the thread is there.
    watched: bool,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { waits: Vec::new(), watched: false });
static CAME: Condvar = Condvar::new();

/// Sees to it that there is a thread to poll.
pub(super) fn begin() -> Answer {
    let mut watch = lock(&WATCH);
    if !watch.watched {
        thread_begins();
        let started = thread::Builder::new().name("ascendcl-sim-values".into()).spawn(look);
        started.map_err(|_| Failure::no_thread("waits for values, notifies and events of other processes"))?;
        watch.watched = true;
    }
    Ok(())
}

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
    begin()?;
    let by = if exported::is_shared(wanted.address) { Link::Elsewhere } else { Link::Later };
    let wanted: Arc<dyn Polled> = Arc::new(wanted);
    stream.submit_wait_each(Sort::ACL_MODEL_RI_TASK_VALUE_WAIT, by, None, move |duty| {
        poll(vec![(Arc::clone(&wanted), duty)]);
    })
}

/// Fulfils each duty when what belongs to it is there. Who waited first is asked for first. After [`begin`] only.
pub(super) fn poll(waits: Vec<Wait>) {
    lock(&WATCH).waits.extend(waits);
    CAME.notify_one();
}

fn look() {
    const PAUSE: Duration = Duration::from_micros(200);
    loop {
        let over: Vec<Wait> = {
            let mut watch = lock(&WATCH);
            while watch.waits.is_empty() {
                watch = wait(&CAME, watch, None);
            }
            // What is taken by looking is not taken for a stream that has given up.
            watch.waits.retain(|(_, duty)| duty.is_awaited());
            watch.waits.extract_if(.., |(wanted, _)| wanted.is_there()).collect()
        };
        over.into_iter().for_each(is_over);
        thread::sleep(PAUSE);
    }
}

pub(super) fn is_over((wanted, duty): Wait) {
    // What it kept is given back before the stream goes on: the program may free the memory then.
    let leave = wanted.was_there();
    // The stream may give up at this moment. Then the next one gets what was there.
    if !duty.fulfil_for_one()
        && let Some(leave) = leave
    {
        leave();
    }
}
