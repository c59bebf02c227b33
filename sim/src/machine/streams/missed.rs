//! Ends of work that a wait does not see, as in the vendor's library, when they are switched on.
//!
//! While a thread waits for a stream, another thread queues work on it. Then the number that the waiting thread watches
//! may not advance when its own work ends. Without a time limit the wait never ends. With a limit, the wait reports a
//! timeout. The next wait starts anew and gets the right answer.

use crate::config::switches::{self, Switch};
use crate::machine::streams::stream::Stream;
use crate::machine::streams::table;
use std::cell::RefCell;
use std::thread;
use std::time::{Duration, Instant};

thread_local! {
    /// The streams whose end this thread missed when it waited for them last.
    static MISSED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A wait of this thread for work of a stream. Made before the wait.
pub(in crate::machine) struct Watch {
    stream: usize,
    /// The position of the last task that was there; `None` when nothing is to be missed.
    last: Option<u64>,
}

impl Watch {
    /// `over`: there is nothing to wait for.
    pub(in crate::machine) fn begin(stream: &Stream, over: bool) -> Self {
        let number = stream.number();
        if !switches::is_on(Switch::VendorWaits) {
            return Self { stream: number, last: None };
        }
        // A thread whose local objects have ended remembers nothing more.
        let missed = MISSED.try_with(|missed| {
            let mut missed = missed.borrow_mut();
            let before = missed.len();
            missed.retain(|stream| *stream != number);
            missed.len() < before
        });
        let missed = missed.unwrap_or(false);
        Self { stream: number, last: (!over && !missed).then(|| stream.last_position()) }
    }

    /// The work is over. Answers whether this thread has missed that until its limit. Without a limit it does not return,
    /// unless the stream is destroyed.
    pub(in crate::machine) fn misses(&self, deadline: Option<Instant>) -> bool {
        const LOOK: Duration = Duration::from_millis(1);
        let stream = || self.last.and_then(|last| Some((last, table::with_number(self.stream)?)));
        if stream().is_none_or(|(last, stream)| stream.last_position() == last) {
            return false;
        }
        match deadline {
            Some(deadline) => thread::sleep(deadline.saturating_duration_since(Instant::now())),
            None => {
                while stream().is_some() {
                    thread::sleep(LOOK);
                }
                return false;
            }
        }
        let _ = MISSED.try_with(|missed| missed.borrow_mut().push(self.stream));
        true
    }
}
