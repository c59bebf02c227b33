//! Wakes the tasks of futures when their work is over.
//!
//! The vendor's library runs all callbacks of a context on one thread. If callbacks woke the futures, one slow callback
//! would delay all of them, and each future would add a callback to its stream. So an event is recorded behind the
//! work, and one thread of this crate queries the events of all waiting futures. A query needs no current context. The
//! thread sleeps while no future waits. The only code of the program that it runs is wakers. It never blocks inside the
//! library.

use crate::callback_guard::contained;
use crate::error::Error;
use crate::ffi::{Api, RawEvent, RawStream, unless_exiting};
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

/// From the thread that watches to the task. It serves one future after another.
#[derive(Default, Debug)]
struct Signal(Mutex<State>);

#[derive(Default, Debug)]
struct State {
    /// Each future begins and ends a turn. What the thread has to say of another turn is too late.
    turn: u64,
    given: bool,
    waker: Option<Waker>,
}

impl Signal {
    /// Begins a turn, or ends one.
    fn next_turn(&self) -> u64 {
        let mut state = self.lock();
        let before = state.waker.take();
        state.turn += 1;
        state.given = false;
        let turn = state.turn;
        drop(state);
        // Dropping a future does not panic.
        drop_quietly(before);
        turn
    }

    fn is_in(&self, turn: u64) -> bool {
        self.lock().turn == turn
    }

    /// The work of this turn is over.
    fn give(&self, turn: u64) {
        let mut state = self.lock();
        state.given |= state.turn == turn;
        drop(state);
        self.wake(turn);
    }

    fn wake(&self, turn: u64) {
        let mut state = self.lock();
        let waker = if state.turn == turn { state.waker.take() } else { None };
        drop(state);
        // Code of the executor: not under the lock, without the library, and a panic of it is its own.
        let Some(waker) = waker else { return };
        contained(|| waker.wake_by_ref());
        // A call of its own: the last pointer is not dropped while a panic of the waker unwinds.
        contained(|| drop(waker));
    }

    fn is_given_or_wakes(&self, waker: &Waker) -> bool {
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

/// In a forked child nobody ends the turn.
impl Drop for Signal {
    fn drop(&mut self) {
        drop_quietly(self.0.get_mut().unwrap_or_else(PoisonError::into_inner).waker.take());
    }
}

/// An event behind the work of a future, and what tells the task. Both serve a further future afterwards, so futures one
/// after the other allocate nothing.
#[derive(Debug)]
pub(super) struct Watched {
    queue: Arc<RawStream>,
    event: Arc<RawEvent>,
    signal: Arc<Signal>,
    api: Api,
    /// Whether there is a thread that watches.
    pub(super) by_thread: bool,
}

impl Watched {
    /// For an event that was recorded on this stream.
    pub(super) fn new(queue: &Arc<RawStream>, event: Arc<RawEvent>, api: Api) -> Self {
        let (by_thread, signal) = watch(&event, api);
        Self { queue: Arc::clone(queue), event, signal, api, by_thread }
    }

    /// Whether the event says that the work is over, or cannot say it.
    pub(super) fn is_over(&self) -> bool {
        self.event.is_complete_in_any_context(self.api).unwrap_or(true)
    }

    /// Whether the thread has seen the end of the work. Otherwise it wakes the task then. In a forked child the wait says
    /// what is the matter: the child takes no lock that another thread of its parent may have had.
    pub(super) fn is_given_or_wakes(&self, waker: &Waker) -> bool {
        self.api.is_of_this_process().is_err() || self.signal.is_given_or_wakes(waker)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // A forked child takes no lock that another thread of its parent may have had.
        if self.api.is_of_this_process().is_err() {
            return;
        }
        self.signal.next_turn();
        self.queue.spare(Arc::clone(&self.event));
        if self.by_thread {
            coming().end(&self.signal);
        }
    }
}

/// It keeps nothing: the event can be collected, and the future dropped.
struct Entry {
    event: Weak<RawEvent>,
    api: Api,
    signal: Weak<Signal>,
    turn: u64,
}

impl Entry {
    /// Whether there is more to wait for.
    fn look(&self) -> bool {
        let signal = self.signal.upgrade().filter(|signal| signal.is_in(self.turn));
        let Some(signal) = signal else { return false };
        self.event.upgrade().is_some_and(|event| self.asks(&event, &signal))
    }

    fn asks(&self, event: &RawEvent, signal: &Signal) -> bool {
        let Some(answer) = unless_exiting(|| event.is_complete_in_any_context(self.api)) else { return false };
        match answer {
            Ok(over) => {
                if over {
                    signal.give(self.turn);
                }
                !over
            }
            // Its context has ended: a future that was forgotten keeps its event's row for ever.
            Err(Error::Gone { .. }) => {
                signal.give(self.turn);
                false
            }
            // The task queries its event itself, and is woken again.
            Err(_) => {
                signal.wake(self.turn);
                true
            }
        }
    }
}

/// What futures leave for the thread, and for further futures.
struct Coming {
    /// Those that registered since the last look.
    entries: Vec<Entry>,
    spares: Vec<Arc<Signal>>,
}

impl Coming {
    /// The future has ended. Its signal serves another one, and the thread need not look for it.
    fn end(&mut self, signal: &Arc<Signal>) {
        let entry = self.entries.iter().rposition(|entry| Weak::as_ptr(&entry.signal) == Arc::as_ptr(signal));
        if let Some(entry) = entry {
            self.entries.swap_remove(entry);
        }
        if self.spares.len() < SPARES {
            self.spares.push(Arc::clone(signal));
        }
    }
}

/// About as many as futures that are under way at one time.
const SPARES: usize = 64;

static COMING: Mutex<Coming> = Mutex::new(Coming { entries: Vec::new(), spares: Vec::new() });
static CAME: Condvar = Condvar::new();
/// The process whose thread it is; `None` if it could not be started.
static THREAD: OnceLock<Option<u32>> = OnceLock::new();

/// Begins to watch an event. Returns whether a thread does, and what it signals to. A forked child does not have the
/// thread of its parent, even if it has loaded a library of its own.
fn watch(event: &Arc<RawEvent>, api: Api) -> (bool, Arc<Signal>) {
    let process = api.loading().process();
    let start = || thread::Builder::new().name("ascendcl futures".to_owned()).spawn(run).ok().map(|_| process);
    if *THREAD.get_or_init(start) != Some(process) {
        return (false, Arc::default());
    }
    let mut coming = coming();
    let signal = coming.spares.pop().unwrap_or_default();
    let turn = signal.next_turn();
    coming.entries.push(Entry { event: Arc::downgrade(event), api, signal: Arc::downgrade(&signal), turn });
    drop(coming);
    CAME.notify_one();
    (true, signal)
}

fn run() {
    let (mut entries, mut came, mut pause) = (Vec::with_capacity(SPARES), Vec::with_capacity(SPARES), SOON);
    loop {
        wait(&mut came, entries.is_empty(), pause);
        let new = !came.is_empty();
        entries.append(&mut came);
        let looked_at = entries.len();
        entries.retain(Entry::look);
        pause = if new || entries.len() < looked_at { SOON } else { (pause * 2).min(SELDOM) };
    }
}

/// Fills `came`, which is empty, with the futures that register within the given time. Returns as soon as there is one.
fn wait(came: &mut Vec<Entry>, idle: bool, pause: Duration) {
    let nothing = |coming: &mut Coming| coming.entries.is_empty();
    let mut coming = if idle {
        CAME.wait_while(coming(), nothing).unwrap_or_else(PoisonError::into_inner)
    } else {
        CAME.wait_timeout_while(coming(), pause, nothing).unwrap_or_else(PoisonError::into_inner).0
    };
    mem::swap(&mut coming.entries, came);
}

fn coming() -> MutexGuard<'static, Coming> {
    COMING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_is_said_of_an_ended_future_does_not_reach_the_next_one() {
        let (signal, woken) = (Signal::default(), Arc::new(Woken::default()));
        let waker = Waker::from(Arc::clone(&woken));
        let first = signal.next_turn();
        assert!(!signal.is_given_or_wakes(&waker));
        signal.next_turn();
        assert_eq!(Arc::strong_count(&woken), 2, "the end of a future drops its waker");

        let second = signal.next_turn();
        assert!(!signal.is_given_or_wakes(&waker));
        signal.give(first);
        signal.wake(first);
        assert!(!signal.is_given_or_wakes(&waker), "the second future is not told");
        assert_eq!(woken.0.load(Ordering::Relaxed), 0);
        assert!(!signal.is_in(first) && signal.is_in(second));
        signal.give(second);
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        assert!(signal.is_given_or_wakes(&waker));
    }

    #[test]
    fn only_so_many_signals_are_kept_for_other_futures() {
        let mut coming = Coming { entries: Vec::new(), spares: Vec::new() };
        let signals: Vec<Arc<Signal>> = (0..SPARES + 1).map(|_| Arc::default()).collect();
        signals.iter().for_each(|signal| coming.end(signal));
        assert_eq!(coming.spares.len(), SPARES);
    }
}
