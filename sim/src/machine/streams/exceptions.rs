//! Functions of the caller that hear of queued work which fails.
//!
//! They run before the failed task ends, on the thread that ran it. So a wait for the task also waits for them.

use crate::abi::{Name, OfFailure, is_same, tell_of_failure, this_thread};
use crate::locks::lock;
use crate::machine::handles::{Table, fresh};
use crate::machine::workers::user_code;
use ascendcl_sys::types::aclrtExceptionInfo;
use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::read_link;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// The information about a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Info {
    /// The place of the task among all that were queued on its stream.
    pub(crate) task: u32,
    pub(crate) stream: u32,
    /// The thread that queued the task.
    pub(crate) thread: u32,
    pub(crate) device: u32,
    pub(crate) code: u32,
}

struct Listeners {
    /// There is one registration. A later one replaces it.
    single: Option<OfFailure>,
    registered: Vec<OfFailure>,
}

static LISTENERS: Mutex<Listeners> = Mutex::new(Listeners { single: None, registered: Vec::new() });
/// Whether there are any, to look at without the lock.
static LISTENED: AtomicBool = AtomicBool::new(false);

/// By their numbers, for the length of the calls that they are handed to.
static INFOS: Table<Info> = Table::new();

pub(crate) fn set(function: Option<OfFailure>) {
    change(|listeners| listeners.single = function);
}

/// A function that is registered already stays so, once.
pub(crate) fn register(function: OfFailure) {
    change(|listeners| {
        if !listeners.registered.iter().any(|known| is_same(*known, function)) {
            listeners.registered.push(function);
        }
    });
}

pub(crate) fn unregister(function: OfFailure) {
    change(|listeners| listeners.registered.retain(|known| !is_same(*known, function)));
}

fn change(with: impl FnOnce(&mut Listeners)) {
    let mut listeners = lock(&LISTENERS);
    with(&mut listeners);
    LISTENED.store(listeners.single.is_some() || !listeners.registered.is_empty(), SeqCst);
}

/// Whether anybody hears of failures.
pub(in crate::machine) fn are_listened_to() -> bool {
    LISTENED.load(SeqCst)
}

/// Tells of the failure of a task of the stream with this number.
pub(super) fn tell(stream: usize, info: Info) {
    let functions: Vec<OfFailure> = {
        let listeners = lock(&LISTENERS);
        listeners.single.iter().chain(&listeners.registered).copied().collect()
    };
    let number = fresh();
    INFOS.insert(number, Arc::new(info));
    for function in functions {
        user_code::run_callback(stream, || tell_of_failure(function, Name::new(number)));
    }
    INFOS.remove(number);
}

/// The information about a failure that is being reported.
pub(crate) fn find(info: Name<aclrtExceptionInfo>) -> Option<Info> {
    INFOS.get(info.0).map(|info| *info)
}

/// Which threads queued the tasks of a stream, noted while somebody listens.
#[derive(Default)]
pub(in crate::machine) struct Threads(VecDeque<(u64, u32)>);

impl Threads {
    /// This thread queues tasks, of which this is the first position; positions up to `done` are no longer needed.
    pub(in crate::machine) fn note(&mut self, first: u64, done: u64) {
        let thread = kernel_thread();
        if self.0.back().is_none_or(|(_, last)| *last != thread) {
            self.0.push_back((first, thread));
        }
        while self.0.get(1).is_some_and(|(next, _)| *next <= done + 1) {
            self.0.pop_front();
        }
    }

    /// The largest number when no function was registered at that time.
    pub(super) fn of(&self, position: u64) -> u32 {
        self.0.iter().rev().find(|(first, _)| *first <= position).map_or(u32::MAX, |(_, thread)| *thread)
    }
}

/// The number that the system has for this thread. The thread asks once.
fn kernel_thread() -> u32 {
    thread_local!(static NUMBER: Cell<Option<u32>> = const { Cell::new(None) });
    let ask = || {
        let path = read_link("/proc/thread-self").ok()?;
        path.file_name()?.to_str()?.parse().ok()
    };
    NUMBER.get().unwrap_or_else(|| {
        let number = ask().unwrap_or(this_thread() as u32);
        NUMBER.set(Some(number));
        number
    })
}

/// As if no function had been registered.
pub(in crate::machine) fn clear() {
    change(|listeners| *listeners = Listeners { single: None, registered: Vec::new() });
}
