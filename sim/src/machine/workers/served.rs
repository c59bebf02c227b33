//! The interface of a stream for the workers. The workers are below the streams: each stream registers itself here when
//! it is made, and the workers call it by this trait.

use crate::failure::{Answer, Failure};
use crate::locks::{read, write};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_STREAM_ABORT, ACL_ERROR_RT_WAIT_TIMEOUT};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use std::time::Instant;

pub(in crate::machine) trait Served: Send + Sync {
    fn number(&self) -> usize;

    /// A number that no other stream has had, while [`number`](Self::number) may be given out again.
    fn life(&self) -> u64;

    /// Serves the stream for a while. Called by one worker at a time: the one that took it out of the run queue.
    fn run(self: Arc<Self>);

    /// Runs the callback at the head of the stream, unless it was discarded. On the thread of its context's callbacks.
    fn call(self: Arc<Self>, ticket: u64);

    /// Continues after a wait; `false` when the stream has continued already.
    fn resume(self: Arc<Self>, ticket: u64, end: Result<Outcome, TooLate>) -> bool;

    /// What it waits for without a time limit, if it waits.
    fn awaits(&self) -> Option<Link>;

    /// The event that it waits for did not happen for a long time.
    fn is_forsaken(&self);
}

static KNOWN: RwLock<BTreeMap<usize, Arc<dyn Served>>> = RwLock::new(BTreeMap::new());

pub(in crate::machine) fn enter(stream: Arc<dyn Served>) {
    write(&KNOWN).insert(stream.number(), stream);
}

/// The stream has ended.
pub(in crate::machine) fn leave(number: usize) {
    let left = write(&KNOWN).remove(&number);
    drop(left);
}

/// The stream with this number, also one that is about to end.
pub(in crate::machine) fn with_number(number: usize) -> Option<Arc<dyn Served>> {
    read(&KNOWN).get(&number).cloned()
}

/// One link of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Link {
    /// The stream with this number.
    Stream(usize),
    /// The thread with this id, which is there.
    Thread(u64),
    /// The thread that had this id when a stream was subscribed to it. A thread that has ended leaves its id to others.
    Reporter(u64),
    /// Nothing will ever happen.
    Never,
    /// Any thread that does it later: it records an event or a notify, or writes a value.
    Later,
    /// Another process, which may do it later.
    Elsewhere,
}

/// How a point ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Reached(Instant),
    /// The task that would have reached it was discarded.
    Discarded,
}

/// The time limit of a wait is over.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct TooLate;

/// The effect of the end of a wait on the stream that waited.
pub(in crate::machine) fn answer_of(end: Result<Outcome, TooLate>) -> Answer {
    match end {
        Ok(Outcome::Reached(_)) => Ok(()),
        Ok(Outcome::Discarded) => Err(Failure::new(
            ACL_ERROR_RT_STREAM_ABORT,
            "the stream waited for an event, and the work that would have recorded it was discarded",
        )),
        Err(TooLate) => {
            Err(Failure::new(ACL_ERROR_RT_WAIT_TIMEOUT, "the stream waited for an event longer than its time limit"))
        }
    }
}
