//! The threads that run the streams' tasks.
//!
//! A stream with work stands in the run queue once, whatever the number of its tasks; a worker takes a stream and runs
//! its tasks in order. There are a few workers, however many streams there are. A worker that goes into code of the
//! caller lends its place, so that code that blocks does not stop other streams.
//!
//! Where the system starts no thread, the streams wait for the workers that there are. A stream takes no work before there is
//! one, and waits are given up that last while every worker is in code that may block.

use crate::abi::thread_begins;
use crate::failure::{Answer, Failure};
use crate::locks::{lock, look_out, wait};
use crate::machine::trouble;
use crate::machine::workers::served::{self, Served};
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

struct Pool {
    state: Mutex<State>,
    wake: Condvar,
    /// Streams in the run queue, to look at without the lock.
    ready: AtomicUsize,
    /// Workers that are awake and look for work: one of them will see what is pushed now.
    searching: AtomicUsize,
}

struct State {
    ready: VecDeque<Arc<dyn Served>>,
    workers: usize,
    /// Workers that the system is asked to start. It may refuse.
    starting: usize,
    sleeping: usize,
    /// Workers that are in code of the caller.
    lent: usize,
}

static POOL: Pool = Pool {
    state: Mutex::new(State { ready: VecDeque::new(), workers: 0, starting: 0, sleeping: 0, lent: 0 }),
    wake: Condvar::new(),
    ready: AtomicUsize::new(0),
    searching: AtomicUsize::new(0),
};

/// Streams that are ready while the devices hang.
static STALLED: Mutex<Vec<Arc<dyn Served>>> = Mutex::new(Vec::new());

/// How many threads of the simulator run tasks of a stream. It is raised before the thread looks at the stream's queue.
/// So a thread that has emptied the queues and then reads 0 here knows that no further task begins.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static ON_WORKER: Cell<bool> = const { Cell::new(false) };
    /// Whether another worker has this one's place.
    static LENT: Cell<bool> = const { Cell::new(false) };
    /// The stream whose tasks this thread runs.
    static SERVING: Cell<Option<Serving>> = const { Cell::new(None) };
}

/// A stream that is served, told from an earlier or later one with its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) struct Serving {
    pub(in crate::machine) number: usize,
    pub(in crate::machine) life: u64,
}

impl Serving {
    pub(in crate::machine) fn of(stream: &dyn Served) -> Self {
        Self { number: stream.number(), life: stream.life() }
    }

    /// The stream that this thread serves, if it has this number, or else the one that has it now.
    pub(in crate::machine) fn with_number(number: usize) -> Self {
        let own = SERVING.get().filter(|stream| stream.number == number);
        let known = || served::with_number(number).map(|stream| Self::of(&*stream));
        own.or_else(known).unwrap_or(Self { number, life: 0 })
    }
}

/// Whether this is one of the pool's threads.
pub(in crate::machine) fn on_worker() -> bool {
    ON_WORKER.get()
}

/// The number of the stream whose tasks this thread of the simulator runs.
pub(in crate::machine) fn serving() -> Option<usize> {
    SERVING.get().map(|stream| stream.number)
}

/// Which of the streams that have had this number this thread serves, if it serves one of them.
pub(in crate::machine) fn life_of(number: usize) -> Option<u64> {
    SERVING.get().filter(|stream| stream.number == number).map(|stream| stream.life)
}

/// Waits until no other thread of the simulator runs a task; only so long, since code of the caller may never end.
pub(in crate::machine) fn let_tasks_end() {
    const LIMIT: Duration = Duration::from_secs(5);
    let (begun, own) = (Instant::now(), usize::from(serving().is_some()));
    while RUNNING.load(SeqCst) > own && begun.elapsed() < LIMIT {
        thread::sleep(Duration::from_micros(50));
    }
}

/// Serves a stream; [`let_tasks_end`] waits for it.
pub(in crate::machine) fn counted<R>(code: impl FnOnce() -> R) -> R {
    struct Over;
    impl Drop for Over {
        fn drop(&mut self) {
            RUNNING.fetch_sub(1, SeqCst);
        }
    }
    RUNNING.fetch_add(1, SeqCst);
    let _over = Over;
    code()
}

/// Runs code on a thread that is not of the pool, as a part of serving the stream.
pub(in crate::machine) fn serve_as<R>(stream: Serving, code: impl FnOnce() -> R) -> R {
    struct Restore(Option<Serving>);
    impl Drop for Restore {
        fn drop(&mut self) {
            SERVING.set(self.0);
        }
    }
    let _restore = Restore(SERVING.replace(Some(stream)));
    code()
}

/// Sees to it that there is a worker. One always stays.
pub(in crate::machine) fn begin() -> Answer {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.load(SeqCst) {
        return Ok(());
    }
    let mut state = lock(&POOL.state);
    if state.workers == 0 {
        if !spawn() {
            return Err(no_worker());
        }
        state.workers = 1;
    }
    BEGUN.store(true, SeqCst);
    Ok(())
}

/// Starts a worker if streams are ready and every worker is in code that may block. `true` if the system starts none.
pub(in crate::machine) fn is_short_of_workers() -> bool {
    let mut state = lock(&POOL.state);
    // Another thread may ask the system at the same time, and be refused.
    if state.ready.is_empty() || state.workers > state.lent + state.starting {
        return false;
    }
    let help = state.spawn();
    drop(state);
    !help.call()
}

pub(in crate::machine) fn no_worker() -> Failure {
    Failure::no_thread("the work of streams")
}

/// Puts a stream at the end of the run queue.
pub(in crate::machine) fn push(stream: Arc<dyn Served>) {
    let mut state = lock(&POOL.state);
    state.ready.push_back(stream);
    POOL.ready.store(state.ready.len(), SeqCst);
    let help = if POOL.searching.load(SeqCst) > 0 { Help::None } else { state.help() };
    drop(state);
    help.call();
}

/// Puts a stream aside that is ready while nothing runs.
pub(in crate::machine) fn stall(stream: Arc<dyn Served>) {
    lock(&STALLED).push(stream);
    if !trouble::hangs() {
        wake_stalled();
    }
}

/// Streams that were put aside go on.
pub(crate) fn wake_stalled() {
    let stalled = std::mem::take(&mut *lock(&STALLED));
    stalled.into_iter().for_each(push);
}

/// Runs code that may block. On a worker thread, another worker takes its place until the code returns.
pub(in crate::machine) fn lend<R>(code: impl FnOnce() -> R) -> R {
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            LENT.set(false);
            lock(&POOL.state).lent -= 1;
        }
    }
    // A place is lent once, however often the code comes here.
    if !on_worker() || LENT.get() {
        return code();
    }
    let mut state = lock(&POOL.state);
    state.lent += 1;
    let help = if state.ready.is_empty() { Help::None } else { state.help() };
    drop(state);
    LENT.set(true);
    let _back = Back;
    help.call();
    code()
}

/// How to get hands for a stream that is ready.
enum Help {
    None,
    Wake,
    Spawn,
}

impl State {
    fn help(&mut self) -> Help {
        if self.sleeping > 0 {
            Help::Wake
        } else if self.workers - self.lent < wanted_workers() {
            self.spawn()
        } else {
            Help::None
        }
    }

    fn spawn(&mut self) -> Help {
        self.workers += 1;
        self.starting += 1;
        Help::Spawn
    }
}

impl Help {
    /// `false` when the system starts no thread.
    fn call(self) -> bool {
        match self {
            Self::None => {}
            Self::Wake => POOL.wake.notify_one(),
            Self::Spawn => {
                let is_started = spawn();
                let mut state = lock(&POOL.state);
                state.starting -= 1;
                state.workers -= usize::from(!is_started);
                return is_started;
            }
        }
        true
    }
}

fn spawn() -> bool {
    thread_begins();
    thread::Builder::new().name("ascendcl-sim".into()).spawn(work).is_ok()
}

/// One worker. Models run on its own thread, so that two streams run two models side by side.
fn work() {
    let served = catch_unwind(|| crate::model::serve(serve));
    if served.is_err() {
        // There was no thread to be had for models; they share one then. Without a worker the streams would stand still.
        serve();
    }
}

fn serve() {
    ON_WORKER.set(true);
    while let Some(stream) = next() {
        SERVING.set(Some(Serving::of(&*stream)));
        counted(|| stream.run());
        SERVING.set(None);
    }
}

/// The next stream to serve; `None` when there are more workers than wanted.
fn next() -> Option<Arc<dyn Served>> {
    loop {
        if let Some(stream) = take() {
            return Some(stream);
        }
        search();
        let mut state = lock(&POOL.state);
        if !state.ready.is_empty() {
            continue;
        }
        if state.workers - state.lent > wanted_workers() {
            state.workers -= 1;
            return None;
        }
        state.sleeping += 1;
        while state.ready.is_empty() {
            state = wait(&POOL.wake, state, None);
        }
        state.sleeping -= 1;
    }
}

fn take() -> Option<Arc<dyn Served>> {
    let mut state = lock(&POOL.state);
    let stream = state.ready.pop_front()?;
    POOL.ready.store(state.ready.len(), SeqCst);
    // Code that pushed other streams may have relied on this thread's search.
    let help = if state.ready.is_empty() { Help::None } else { state.help() };
    drop(state);
    help.call();
    Some(stream)
}

/// Looks out for work, visibly for those who push some.
fn search() {
    POOL.searching.fetch_add(1, SeqCst);
    look_out(|| POOL.ready.load(SeqCst) > 0);
    POOL.searching.fetch_sub(1, SeqCst);
}

fn wanted_workers() -> usize {
    static WANTED: AtomicUsize = AtomicUsize::new(0);
    match WANTED.load(SeqCst) {
        0 => {
            let wanted = thread::available_parallelism().map_or(2, usize::from).clamp(2, 16);
            WANTED.store(wanted, SeqCst);
            wanted
        }
        wanted => wanted,
    }
}
