//! How a worker serves a stream: task by task, until there is nothing to do or something to wait for.

use super::locks::lock;
use super::point::Outcome;
use super::queue::{Queue, Task, TooLate, Turn, answer_of};
use super::stream::Stream;
use super::{exceptions, pool, streams, timer};
use crate::failure::{Answer, Failure};
use crate::faults::trouble;
use ascendcl_sys::error_codes::ACL_ERROR_RT_INTERNAL_ERROR;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

impl Stream {
    /// Serves the stream for a while. Called by one worker at a time: the one that took it out of the run queue.
    pub(super) fn run(self: Arc<Self>) {
        /// How many tasks in a row before other streams have their turn.
        const SLICE: usize = 256;

        if trouble::hangs() {
            // It stays ready, and nobody takes it.
            return pool::stall(self);
        }
        let mut queue = lock(&self.queue);
        queue.turn = Turn::Running;
        for _ in 0..SLICE {
            if trouble::hangs() {
                break;
            }
            match queue.tasks.pop_front() {
                None => {
                    queue.turn = Turn::Idle;
                    return queue.shrink();
                }
                Some(Task::Run(task)) => {
                    drop(queue);
                    let answer = self.heed(caught(task));
                    queue = lock(&self.queue);
                    self.finish(&mut queue, answer);
                }
                Some(Task::Place) => self.finish(&mut queue, Ok(())),
                Some(Task::Call(call)) => {
                    queue.tickets += 1;
                    let (ticket, thread) = (queue.tickets, Arc::clone(&call.thread));
                    queue.turn = Turn::Calling(ticket, call);
                    drop(queue);
                    // From here on the thread of the callbacks goes on with it.
                    return thread.post(self, ticket);
                }
                Some(Task::Await(task)) => {
                    queue.tickets += 1;
                    let (ticket, limit, point) = (queue.tickets, task.limit, Arc::clone(&task.point));
                    queue.turn = Turn::Parked(ticket, task);
                    drop(queue);
                    match point.park(&self, ticket) {
                        // From here on whoever resumes the stream goes on with it.
                        None => return self.limit_wait(ticket, limit),
                        Some(outcome) if self.end_wait(ticket, Ok(outcome), Turn::Running) => {
                            queue = lock(&self.queue);
                        }
                        Some(_) => return,
                    }
                }
            }
        }
        queue.turn = Turn::Ready;
        drop(queue);
        pool::push(self);
    }

    /// Runs the callback at the head of the stream, unless it was discarded. On the thread of its context's callbacks.
    pub(super) fn call(self: Arc<Self>, ticket: u64) {
        let mut queue = lock(&self.queue);
        if !matches!(&queue.turn, Turn::Calling(current, _) if *current == ticket) {
            return;
        }
        let Turn::Calling(_, call) = std::mem::replace(&mut queue.turn, Turn::Running) else { return };
        if trouble::hangs() {
            queue.tasks.push_front(Task::Call(call));
            queue.turn = Turn::Ready;
            drop(queue);
            return pool::stall(self);
        }
        drop(queue);
        let answer = self.heed(pool::serve_as(self.number(), || caught(call.code)));
        let mut queue = lock(&self.queue);
        self.finish(&mut queue, answer);
        if queue.tasks.is_empty() {
            queue.turn = Turn::Idle;
            return queue.shrink();
        }
        queue.turn = Turn::Ready;
        drop(queue);
        pool::push(self);
    }

    /// Goes on after a wait, unless the stream has gone on already.
    pub(super) fn resume(self: &Arc<Self>, ticket: u64, end: Result<Outcome, TooLate>) {
        if self.end_wait(ticket, end, Turn::Ready) {
            pool::push(Arc::clone(self));
        }
    }

    fn end_wait(&self, ticket: u64, end: Result<Outcome, TooLate>, next: Turn) -> bool {
        let mut queue = lock(&self.queue);
        if !matches!(&queue.turn, Turn::Parked(current, _) if *current == ticket) {
            return false;
        }
        let wait = std::mem::replace(&mut queue.turn, Turn::Running);
        let mut answer = answer_of(end);
        if let Err(failure) = &answer
            && exceptions::are_listened_to()
        {
            // Whoever ends a wait does not run code of the caller: a worker does, in place of the wait.
            let failure = failure.clone();
            queue.tasks.push_front(Task::Run(Box::new(move || Err(failure))));
            queue.turn = next;
            drop(queue);
            drop(wait);
            return true;
        }
        if answer.is_err() {
            drop(queue);
            answer = self.heed(answer);
            queue = lock(&self.queue);
        }
        queue.turn = next;
        self.finish(&mut queue, answer);
        drop(queue);
        drop(wait);
        true
    }

    /// A failure of a stream that stops at failures stops every stream of its context (STREAM-15). The failed task has not
    /// ended yet, so that what follows it is discarded before anybody sees it end. The queue keeps the failure then.
    fn heed(&self, answer: Answer) -> Answer {
        let Err(failure) = answer else { return Ok(()) };
        exceptions::tell(self, &failure);
        if !self.settings.stops_at_failure() {
            return Err(failure);
        }
        // This one last: whoever waits for it finds the others stopped.
        for stream in streams::of_context(self.context()) {
            if stream.number() != self.number() {
                stream.stop(&failure);
            }
        }
        self.stop(&failure);
        Ok(())
    }

    fn finish(&self, queue: &mut Queue, answer: Answer) {
        let awaited = queue.finish(answer);
        self.done.store(queue.done, SeqCst);
        if awaited {
            self.moved.notify_all();
        }
    }

    fn limit_wait(self: &Arc<Self>, ticket: u64, limit: Option<Duration>) {
        if let Some(at) = limit.and_then(|limit| Instant::now().checked_add(limit)) {
            timer::set(at, Arc::downgrade(self), ticket);
        }
    }
}

/// The answer of a task, whatever happens in it.
fn caught(task: impl FnOnce() -> Answer) -> Answer {
    let task = || trouble::before_task().and_then(|()| task());
    catch_unwind(AssertUnwindSafe(task)).unwrap_or_else(|_| {
        let text = "a task of the simulator failed; this is a defect of the simulator";
        Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text))
    })
}
