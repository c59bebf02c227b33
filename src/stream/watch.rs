//! Wakes the tasks of futures when their work is over.
//!
//! The vendor's library runs all callbacks of a context on one thread. If callbacks woke the futures, one slow callback
//! would delay all of them, and each future would add a callback to its stream. So an event is recorded behind the
//! work, and one thread of this crate queries the events of all waiting futures. A query needs no current context. The
//! thread sleeps while no future waits. The only code of the program that it runs is wakers. It never blocks inside the
//! library.

use crate::callback_guard::contained;
use crate::error::Error;
use crate::ffi::{Api, RawEvent, RawStream};
use crate::panics::drop_quietly;
use core::task::Waker;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// The first look after something happened. Each look after that comes twice as late, up to [`SELDOM`].
const SOON: Duration = Duration::from_micros(50);
/// How long a task sleeps after the end of its work, at the most.
const SELDOM: Duration = Duration::from_millis(1);

/// From the thread that watches to the task.
#[derive(Default, Debug)]
pub(super) struct Signal(Mutex<State>);

#[derive(Default, Debug)]
struct State {
    given: bool,
    waker: Option<Waker>,
}

impl Signal {
    /// The work is over.
    fn give(&self) {
        self.lock().given = true;
        self.wake();
    }

    fn wake(&self) {
        let waker = self.lock().waker.take();
        // Code of the executor: not under the lock, without the library, and a panic of it is its own.
        let Some(waker) = waker else { return };
        contained(|| waker.wake_by_ref());
        // A call of its own: the last pointer is not dropped while a panic of the waker unwinds.
        contained(|| drop(waker));
    }

    pub(super) fn is_given_or_wakes(&self, waker: &Waker) -> bool {
        let next = waker.clone();
        let mut state = self.lock();
        let before = state.waker.replace(next);
        let given = state.given;
        drop(state);
        drop(before);
        given
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Dropping a future does not panic.
impl Drop for Signal {
    fn drop(&mut self) {
        let waker = self.lock().waker.take();
        drop_quietly(waker);
    }
}

/// An event behind the work of a future. It serves the stream's next future afterwards.
#[derive(Debug)]
pub(super) struct Watched {
    queue: Arc<RawStream>,
    event: Arc<RawEvent>,
    /// Whether there is a thread that watches.
    pub(super) by_thread: bool,
}

impl Watched {
    /// For an event that was recorded on this stream.
    pub(super) fn new(queue: &Arc<RawStream>, event: Arc<RawEvent>, api: Api, signal: &Arc<Signal>) -> Self {
        let entry = Entry { event: Arc::downgrade(&event), api, signal: Arc::downgrade(signal) };
        Self { queue: Arc::clone(queue), event, by_thread: watch(entry) }
    }
}

impl Watched {
    /// Whether the event says that the work is over, or cannot say it.
    pub(super) fn is_over(&self, api: Api) -> bool {
        self.event.is_complete_in_any_context(api).unwrap_or(true)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.queue.spare(Arc::clone(&self.event));
    }
}

/// It keeps nothing: the event can be collected, and the future dropped.
struct Entry {
    event: Weak<RawEvent>,
    api: Api,
    signal: Weak<Signal>,
}

impl Entry {
    /// Whether there is more to wait for.
    fn look(&self) -> bool {
        let Some(signal) = self.signal.upgrade() else { return false };
        let more = self.event.upgrade().is_some_and(|event| self.asks(&event, &signal));
        // The future may have been dropped by now. Then its waker is dropped here, which runs code of the executor,
        // too.
        contained(|| drop(signal));
        more
    }

    fn asks(&self, event: &RawEvent, signal: &Signal) -> bool {
        match event.is_complete_in_any_context(self.api) {
            Ok(over) => {
                if over {
                    signal.give();
                }
                !over
            }
            // Its context has ended: a future that was forgotten keeps its event's row for ever.
            Err(Error::Gone { .. }) => {
                signal.give();
                false
            }
            // The task queries its event itself, and is woken again.
            Err(_) => {
                signal.wake();
                true
            }
        }
    }
}

/// The futures that registered since the last call.
static COMING: Mutex<Vec<Entry>> = Mutex::new(Vec::new());
static CAME: Condvar = Condvar::new();
/// The process whose thread it is; `None` if it could not be started.
static THREAD: OnceLock<Option<u32>> = OnceLock::new();

/// Returns whether a thread watches the entry. A forked child does not have the thread of its parent, even if it has
/// loaded a library of its own.
fn watch(entry: Entry) -> bool {
    let process = entry.api.loading().process();
    let start = || thread::Builder::new().name("ascendcl futures".to_owned()).spawn(run).ok().map(|_| process);
    let runs = *THREAD.get_or_init(start) == Some(process);
    if runs {
        coming().push(entry);
        CAME.notify_one();
    }
    runs
}

fn run() {
    let (mut entries, mut pause) = (Vec::new(), SOON);
    loop {
        let before = entries.len();
        entries.append(&mut wait(entries.is_empty(), pause));
        let came = entries.len() > before;
        let looked_at = entries.len();
        entries.retain(Entry::look);
        pause = if came || entries.len() < looked_at { SOON } else { (pause * 2).min(SELDOM) };
    }
}

/// The futures that register within the given time. Returns as soon as there is one.
fn wait(idle: bool, pause: Duration) -> Vec<Entry> {
    let nothing = |coming: &mut Vec<Entry>| coming.is_empty();
    let mut coming = if idle {
        CAME.wait_while(coming(), nothing).unwrap_or_else(PoisonError::into_inner)
    } else {
        CAME.wait_timeout_while(coming(), pause, nothing).unwrap_or_else(PoisonError::into_inner).0
    };
    mem::take(&mut *coming)
}

fn coming() -> MutexGuard<'static, Vec<Entry>> {
    COMING.lock().unwrap_or_else(PoisonError::into_inner)
}
