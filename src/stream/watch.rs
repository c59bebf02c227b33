//! Wakes the tasks of futures when their work is over.
//!
//! The vendor's library runs all callbacks of a context on one thread. If callbacks woke the futures, one slow callback
//! would delay all of them, and each future would add a callback to its stream. So an event is recorded behind the
//! work, and one thread of this crate queries the events of all waiting futures. A query needs no current context. The
//! thread sleeps while no future waits. The only code of the program that it runs is wakers. It never blocks inside the
//! library.

use crate::callback_guard::{contained, occupy_token};
use crate::error::Error;
use crate::ffi::{Api, RawEvent, RawStream, unless_exiting, wait_before_destructors};
use crate::panics::drop_quietly;
use core::task::Waker;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// The pause before the next query after something has happened. Each further pause is twice as long, up to
/// [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_micros(50);
/// How long a task sleeps after the end of its work, at most.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// By this the watching thread tells a task that its work is over. It serves one future after another.
#[derive(Default, Debug)]
struct Signal(Mutex<State>);

#[derive(Default, Debug)]
struct State {
    /// The number of the future that the signal serves. It changes when a future begins and when it ends. So a report of
    /// the thread about an earlier future is recognised and ignored.
    turn: u64,
    /// The work of this turn is over.
    signalled: bool,
    waker: Option<Waker>,
}

impl Signal {
    /// Begins or ends a turn. Returns its number.
    fn next_turn(&self) -> u64 {
        let mut state = self.lock();
        let before = state.waker.take();
        state.turn += 1;
        state.signalled = false;
        let turn = state.turn;
        drop(state);
        // Dropping a future does not panic.
        drop_quietly(before);
        turn
    }

    fn is_in(&self, turn: u64) -> bool {
        self.lock().turn == turn
    }

    /// Takes a report of the end back: the task waits for more. Returns the turn. `None` if there was no report: then the
    /// thread still queries the event.
    fn take_back(&self) -> Option<u64> {
        let mut state = self.lock();
        mem::take(&mut state.signalled).then_some(state.turn)
    }

    /// Notes that the work of this turn is over, and wakes its task.
    fn signal_end(&self, turn: u64) {
        let mut state = self.lock();
        state.signalled |= state.turn == turn;
        drop(state);
        self.wake(turn);
    }

    fn wake(&self, turn: u64) {
        let mut state = self.lock();
        let waker = if state.turn == turn { state.waker.take() } else { None };
        drop(state);
        // This is code of the executor: it runs without the lock, cannot call the library, and its panic ends here.
        let Some(waker) = waker else { return };
        contained(|| waker.wake_by_ref());
        // A separate call, so that the waker is not dropped while a panic of `wake_by_ref` unwinds.
        contained(|| drop(waker));
    }

    fn poll_signal(&self, waker: &Waker) -> bool {
        let next = waker.clone();
        let mut state = self.lock();
        let before = state.waker.replace(next);
        let signalled = state.signalled;
        drop(state);
        drop(before);
        signalled
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A waker is still here only in a forked child, where futures do not end their turns.
impl Drop for Signal {
    fn drop(&mut self) {
        drop_quietly(self.0.get_mut().unwrap_or_else(PoisonError::into_inner).waker.take());
    }
}

/// The event behind the work of a future, and the signal to its task. Later futures use both again, so futures one after
/// the other allocate nothing.
#[derive(Debug)]
pub(super) struct Watched {
    queue: Arc<RawStream>,
    event: Arc<RawEvent>,
    signal: Arc<Signal>,
    api: Api,
    /// Whether the watching thread queries the event. Otherwise the task has to poll.
    pub(super) by_thread: bool,
}

impl Watched {
    /// Begins to watch an event that was recorded on this stream.
    pub(super) fn new(queue: &Arc<RawStream>, event: Arc<RawEvent>, api: Api) -> Self {
        let (by_thread, signal) = watch(&event, api);
        Self { queue: Arc::clone(queue), event, signal, api, by_thread }
    }

    /// Makes the thread wake the task again after a pause: the work is over, but not what is behind it on the stream.
    pub(super) fn look_later(&self) {
        let Some(turn) = self.signal.take_back() else { return };
        let after = Instant::now().checked_add(LONGEST_PAUSE);
        inbox().add(Entry { after, ..Entry::new(&self.event, self.api, &self.signal, turn) });
    }

    /// Whether it is certain that nothing is behind the event on its stream.
    pub(super) fn is_last(&self) -> bool {
        self.event.is_last_on(&self.queue)
    }

    /// Whether the event says that the work is over, or cannot say it.
    pub(super) fn is_over(&self) -> bool {
        self.event.is_complete_in_any_context(self.api).unwrap_or(true)
    }

    /// Whether the thread has seen the end of the work. If not, it will wake the task then. `true` in a forked child: the
    /// wait that follows returns the error, and no lock is taken that another thread of the parent may have held.
    pub(super) fn poll_signal(&self, waker: &Waker) -> bool {
        self.api.check_process().is_err() || self.signal.poll_signal(waker)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // A forked child takes no lock that another thread of its parent may have had.
        if self.api.check_process().is_err() {
            return;
        }
        self.signal.next_turn();
        self.queue.spare(Arc::clone(&self.event));
        if self.by_thread {
            inbox().end(&self.signal);
        }
    }
}

/// An event that the thread queries. It keeps nothing alive: the event can be collected, and the future dropped.
struct Entry {
    event: Weak<RawEvent>,
    api: Api,
    signal: Weak<Signal>,
    turn: u64,
    /// The first query comes after this time, if there is one.
    after: Option<Instant>,
}

impl Entry {
    fn new(event: &Arc<RawEvent>, api: Api, signal: &Arc<Signal>, turn: u64) -> Self {
        Self { event: Arc::downgrade(event), api, signal: Arc::downgrade(signal), turn, after: None }
    }

    /// Queries the event, and signals the end of the work. Returns whether the thread has to query it again.
    fn look(&self) -> bool {
        if self.after.is_some_and(|after| Instant::now() < after) {
            return true;
        }
        let signal = self.signal.upgrade().filter(|signal| signal.is_in(self.turn));
        let Some(signal) = signal else { return false };
        self.event.upgrade().is_some_and(|event| self.asks(&event, &signal))
    }

    fn asks(&self, event: &RawEvent, signal: &Signal) -> bool {
        let Some(answer) = unless_exiting(|| event.is_complete_in_any_context(self.api)) else { return false };
        match answer {
            Ok(over) => {
                if over {
                    signal.signal_end(self.turn);
                }
                !over
            }
            // The context has ended. A future that was forgotten keeps its event's row for ever.
            Err(Error::Gone { .. }) => {
                signal.signal_end(self.turn);
                false
            }
            // The task queries its event itself, and the thread wakes it again later.
            Err(_) => {
                signal.wake(self.turn);
                true
            }
        }
    }
}

/// The futures that the thread does not know yet, and signals for further futures.
struct Inbox {
    /// The futures that registered since the thread last looked.
    entries: Vec<Entry>,
    spares: Vec<Arc<Signal>>,
}

impl Inbox {
    fn add(&mut self, entry: Entry) {
        self.entries.push(entry);
        ARRIVED.notify_one();
    }

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

/// How many signals are kept for further futures.
const SPARES: usize = 64;

static INBOX: Mutex<Inbox> = Mutex::new(Inbox { entries: Vec::new(), spares: Vec::new() });
static ARRIVED: Condvar = Condvar::new();
/// The process that has the watching thread; `None` if the system could not start it.
static THREAD: OnceLock<Option<u32>> = OnceLock::new();

/// Gives an event to the watching thread. Returns whether there is one, and the signal that it uses. A forked child does
/// not have the thread of its parent, even if it has loaded a library of its own.
fn watch(event: &Arc<RawEvent>, api: Api) -> (bool, Arc<Signal>) {
    let process = api.loading().process();
    let start = || thread::Builder::new().name("ascendcl futures".to_owned()).spawn(run).ok().map(|_| process);
    if *THREAD.get_or_init(start) != Some(process) {
        return (false, Arc::default());
    }
    wait_before_destructors();
    let mut inbox = inbox();
    let signal = inbox.spares.pop().unwrap_or_default();
    let turn = signal.next_turn();
    inbox.add(Entry::new(event, api, &signal, turn));
    drop(inbox);
    (true, signal)
}

fn run() {
    // The thread is no thread of the library: it never stays inside a callback.
    occupy_token();
    let (mut entries, mut arrived, mut pause) = (Vec::with_capacity(SPARES), Vec::with_capacity(SPARES), FIRST_PAUSE);
    loop {
        wait(&mut arrived, entries.is_empty(), pause);
        let new = !arrived.is_empty();
        entries.append(&mut arrived);
        // The program may have called functions since a future registered.
        wait_before_destructors();
        let looked_at = entries.len();
        entries.retain(Entry::look);
        pause = if new || entries.len() < looked_at { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
    }
}

/// Fills `arrived`, which is empty, with the futures that register within `pause`, or at any time if `idle`. Returns as
/// soon as there is one.
fn wait(arrived: &mut Vec<Entry>, idle: bool, pause: Duration) {
    let nothing = |inbox: &mut Inbox| inbox.entries.is_empty();
    let mut inbox = if idle {
        ARRIVED.wait_while(inbox(), nothing).unwrap_or_else(PoisonError::into_inner)
    } else {
        ARRIVED.wait_timeout_while(inbox(), pause, nothing).unwrap_or_else(PoisonError::into_inner).0
    };
    mem::swap(&mut inbox.entries, arrived);
}

fn inbox() -> MutexGuard<'static, Inbox> {
    INBOX.lock().unwrap_or_else(PoisonError::into_inner)
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
        assert!(!signal.poll_signal(&waker));
        signal.next_turn();
        assert_eq!(Arc::strong_count(&woken), 2, "the end of a future drops its waker");

        let second = signal.next_turn();
        assert!(!signal.poll_signal(&waker));
        signal.signal_end(first);
        signal.wake(first);
        assert!(!signal.poll_signal(&waker), "the second future is not told");
        assert_eq!(woken.0.load(Ordering::Relaxed), 0);
        assert!(!signal.is_in(first) && signal.is_in(second));
        signal.signal_end(second);
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        assert!(signal.poll_signal(&waker));
    }

    #[test]
    fn only_so_many_signals_are_kept_for_other_futures() {
        let mut inbox = Inbox { entries: Vec::new(), spares: Vec::new() };
        let signals: Vec<Arc<Signal>> = (0..SPARES + 1).map(|_| Arc::default()).collect();
        signals.iter().for_each(|signal| inbox.end(signal));
        assert_eq!(inbox.spares.len(), SPARES);
    }
}
