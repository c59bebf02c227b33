//! Stamps: the program's own marks and ranges of time, with a text. They stand in the file of the profiling session; without
//! one they are nothing.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::event::clock;
use crate::machine::handles::Table;
use crate::machine::host::profiling::{self, Range};
use crate::machine::watch;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// The text of each stamp.
static STAMPS: Table<Mutex<String>> = Table::new();
/// Ranges that were started and have not ended.
static OPEN: Mutex<BTreeMap<u32, (String, u64)>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// Ranges that this thread pushed.
    static PUSHED: RefCell<Vec<(String, u64)>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn create() -> usize {
    let number = STAMPS.add(Mutex::default());
    watch::is_described(number);
    number
}

pub(crate) fn destroy(stamp: usize) -> Answer {
    STAMPS.remove(stamp).ok_or_else(|| unknown(stamp))?;
    watch::is_described_no_more(stamp);
    Ok(())
}

pub(crate) fn set_text(stamp: usize, text: String) -> Answer {
    *lock(&*STAMPS.get(stamp).ok_or_else(|| unknown(stamp))?) = text;
    Ok(())
}

pub(crate) fn text_of(stamp: usize) -> Answer<String> {
    Ok(lock(&*STAMPS.get(stamp).ok_or_else(|| unknown(stamp))?).clone())
}

/// A moment.
pub(crate) fn mark(text: String) {
    let now = clock(Instant::now());
    profiling::note(Range { text, start: now, end: now });
}

/// Answers with the number that ends the range.
pub(crate) fn start(text: String) -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    lock(&OPEN).insert(number, (text, clock(Instant::now())));
    number
}

pub(crate) fn stop(number: u32) -> Answer {
    let (text, start) = lock(&OPEN)
        .remove(&number)
        .ok_or_else(|| Failure::invalid(format!("no range {number} was started, or it was stopped before")))?;
    profiling::note(Range { text, start, end: clock(Instant::now()) });
    Ok(())
}

/// Begins a range of this thread, inside those that it pushed before. A thread whose local objects have ended has none.
pub(crate) fn push(text: String) {
    let _ = PUSHED.try_with(|pushed| pushed.borrow_mut().push((text, clock(Instant::now()))));
}

pub(crate) fn pop() -> Answer {
    let popped = PUSHED.try_with(|pushed| pushed.borrow_mut().pop()).ok().flatten();
    let (text, start) = popped.ok_or_else(|| Failure::invalid("this thread pushed no range that it has not popped"))?;
    profiling::note(Range { text, start, end: clock(Instant::now()) });
    Ok(())
}

pub(in crate::machine) fn clear() {
    STAMPS.remove_all(|_| true);
    lock(&OPEN).clear();
}

fn unknown(stamp: usize) -> Failure {
    let failure = Failure::invalid("this is not a stamp that aclprofCreateStamp made, or it was destroyed");
    watch::no_description(stamp, failure)
}
