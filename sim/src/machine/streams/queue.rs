//! A stream's queue: tasks in the order of their submission, and whose turn it is.

use crate::failure::{Answer, Failure};
use crate::machine::recording::Recorder;
use crate::machine::streams::exceptions::Threads;
use crate::machine::workers::callback_thread::CallbackThread;
use crate::machine::workers::point::Point;
use crate::machine::workers::timer::Alarm;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

pub(in crate::machine) enum Task {
    Run(Box<dyn FnOnce() -> Answer + Send>),
    /// Later tasks run after the point is reached. No thread is blocked until then.
    Await(Await),
    /// Code of the caller, for the thread that runs the callbacks of the context.
    Call(Call),
    /// A place in the queue that the vendor's library takes for a task beside it. Nothing happens.
    Place,
}

pub(in crate::machine) struct Call {
    pub(in crate::machine) code: Box<dyn FnOnce() -> Answer + Send>,
    pub(in crate::machine) thread: Arc<CallbackThread>,
}

pub(in crate::machine) struct Await {
    pub(in crate::machine) point: Arc<Point>,
    pub(in crate::machine) limit: Option<Duration>,
    /// Ends the wait when its time is over. Is dropped with it: limits may be long, and waits many.
    pub(in crate::machine) alarm: Option<Alarm>,
    /// Is dropped when the wait is over.
    pub(in crate::machine) _counted: Option<Counted>,
}

/// Counts itself.
pub(crate) struct Counted(Arc<AtomicUsize>);

impl Counted {
    pub(crate) fn new(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, SeqCst);
        Self(Arc::clone(counter))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

/// Where the queue is served next.
pub(in crate::machine) enum Turn {
    /// Nowhere: the queue is empty.
    Idle,
    /// The stream stands in the pool's run queue.
    Ready,
    /// A worker is at it.
    Running,
    /// Where the stream is resumed with this ticket.
    Parked(u64, Await),
    /// The thread of the context's callbacks, when it comes to this ticket.
    Calling(u64, Call),
}

pub(in crate::machine) struct Queue {
    pub(in crate::machine) tasks: VecDeque<Task>,
    pub(in crate::machine) turn: Turn,
    /// How many tasks were ever submitted; the last one's position.
    pub(in crate::machine) submitted: u64,
    /// Every position up to here is over: its task has run, or was discarded.
    pub(in crate::machine) done: u64,
    /// The lowest position that a thread waits for.
    pub(in crate::machine) awaited: u64,
    /// First and last position of what was discarded last.
    discarded: (u64, u64),
    pub(in crate::machine) tickets: u64,
    /// The first failure since the last synchronise.
    pub(in crate::machine) failure: Option<Failure>,
    /// No new tasks: the stream was destroyed.
    pub(in crate::machine) closed: bool,
    /// No new tasks: a task failed, and the stream stops at failures.
    pub(in crate::machine) stopped: Option<Failure>,
    /// Where work goes instead of running.
    pub(in crate::machine) recorder: Option<Recorder>,
    pub(in crate::machine) threads: Threads,
}

impl Queue {
    pub(in crate::machine) fn new() -> Self {
        Self {
            tasks: VecDeque::new(),
            turn: Turn::Idle,
            submitted: 0,
            done: 0,
            awaited: u64::MAX,
            discarded: (1, 0),
            tickets: 0,
            failure: None,
            closed: false,
            stopped: None,
            recorder: None,
            threads: Threads::default(),
        }
    }

    /// One more task is over. Says whether a thread waits for that.
    #[must_use]
    pub(in crate::machine) fn finish(&mut self, answer: Answer) -> bool {
        self.done += 1;
        self.skip_discarded();
        if let Err(failure) = answer {
            self.failure.get_or_insert(failure);
        }
        let awaited = self.done >= self.awaited;
        if awaited {
            self.awaited = u64::MAX;
        }
        awaited
    }

    /// Removes all tasks that have not begun. The caller drops them after it has released the queue's lock.
    pub(in crate::machine) fn discard(&mut self) -> (VecDeque<Task>, Option<Task>) {
        let parked = match std::mem::replace(&mut self.turn, Turn::Idle) {
            Turn::Parked(_, task) => Some(Task::Await(task)),
            Turn::Calling(_, call) => Some(Task::Call(call)),
            other => {
                self.turn = other;
                None
            }
        };
        let tasks = std::mem::take(&mut self.tasks);
        let count = tasks.len() as u64 + u64::from(parked.is_some());
        if count > 0 {
            let first = self.submitted - count + 1;
            let joins = first == self.discarded.1 + 1;
            self.discarded = (if joins { self.discarded.0 } else { first }, self.submitted);
        }
        // A task that runs is not over; its end will do this.
        if !matches!(self.turn, Turn::Running) {
            self.skip_discarded();
        }
        (tasks, parked)
    }

    pub(in crate::machine) fn was_discarded(&self, position: u64) -> bool {
        (self.discarded.0..=self.discarded.1).contains(&position)
    }

    fn skip_discarded(&mut self) {
        if self.was_discarded(self.done + 1) {
            self.done = self.discarded.1;
        }
    }

    /// Called when a task has failed, so that no later task runs. The caller drops the removed tasks after it has
    /// released the queue's lock.
    pub(in crate::machine) fn stop(&mut self, failure: &Failure) -> (VecDeque<Task>, Option<Task>) {
        self.stopped.get_or_insert_with(|| failure.clone());
        self.failure.get_or_insert_with(|| failure.clone());
        self.discard()
    }

    /// Whether the stream takes more tasks.
    pub(in crate::machine) fn has_room(&self, more: u64, limit: u64) -> bool {
        self.submitted - self.done + more <= limit.max(more)
    }

    /// Gives memory back that a burst of tasks needed.
    pub(in crate::machine) fn shrink(&mut self) {
        const KEPT: usize = 256;
        if self.tasks.is_empty() && self.tasks.capacity() > KEPT {
            self.tasks = VecDeque::new();
        }
    }
}
