//! How a worker serves a stream: task by task, until there is nothing to do or something to wait for.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::streams::queue::{Await, Queue, Task, Turn};
use crate::machine::streams::stream::Stream;
use crate::machine::streams::{exceptions, table};
use crate::machine::trouble;
use crate::machine::workers::pool::{self, Serving};
use crate::machine::workers::served::{Link, Outcome, Served, TooLate, answer_of};
use crate::machine::workers::timer;
use ascendcl_sys::error_codes::ACL_ERROR_RT_INTERNAL_ERROR;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

impl Served for Stream {
    fn number(&self) -> usize {
        Self::number(self)
    }

    fn life(&self) -> u64 {
        self.life
    }

    fn run(self: Arc<Self>) {
        /// How many tasks in a row before other streams have their turn.
        const SLICE: usize = 256;

        if trouble::hangs() {
            // It stays ready, but no worker takes it.
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
                    // From here on, the callback thread continues with the task.
                    return thread.post(self, ticket);
                }
                Some(Task::Await(task)) => {
                    queue.tickets += 1;
                    let (ticket, limit, point) = (queue.tickets, task.limit, Arc::clone(&task.point));
                    queue.turn = Turn::Parked(ticket, task);
                    drop(queue);
                    match point.park(Arc::clone(&self) as Arc<dyn Served>, ticket) {
                        // From here on the code that resumes the stream serves it.
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

    fn call(self: Arc<Self>, ticket: u64) {
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
        let answer = pool::serve_as(Serving::of(&*self), || self.heed(caught(call.code)));
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

    fn resume(self: Arc<Self>, ticket: u64, end: Result<Outcome, TooLate>) -> bool {
        let resumed = self.end_wait(ticket, end, Turn::Ready);
        if resumed {
            pool::push(self);
        }
        resumed
    }

    fn awaits(&self) -> Option<Link> {
        let point = match &lock(&self.queue).turn {
            Turn::Parked(_, Await { point, limit: None, .. }) => Arc::clone(point),
            Turn::Calling(_, call) => return call.thread.link(),
            _ => return None,
        };
        point.awaits()
    }

    fn is_forsaken(&self) {
        let point = match &lock(&self.queue).turn {
            Turn::Parked(_, Await { point, .. }) => Arc::clone(point),
            _ => return,
        };
        point.is_forsaken();
    }
}

impl Stream {
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
            // Code that ends a wait does not run code of the caller. A worker runs it in place of the wait.
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
        if exceptions::are_listened_to() {
            exceptions::tell(self.number(), self.info_of(&failure));
        }
        if !self.settings.stops_at_failure() {
            return Err(failure);
        }
        // This one comes last, so a thread that waits for it finds the others stopped.
        for stream in table::of_context_of(self) {
            if !std::ptr::eq(&*stream, self) {
                stream.stop(&failure);
            }
        }
        self.stop(&failure);
        Ok(())
    }

    /// The information about the failure of the task that the stream runs.
    fn info_of(&self, failure: &Failure) -> exceptions::Info {
        let position = self.done.load(SeqCst) + 1;
        exceptions::Info {
            task: position as u32,
            stream: self.id().cast_unsigned(),
            thread: lock(&self.queue).threads.of(position),
            device: self.device().id(),
            code: failure.code.cast_unsigned(),
        }
    }

    fn finish(&self, queue: &mut Queue, answer: Answer) {
        let awaited = queue.finish(answer);
        self.done.store(queue.done, SeqCst);
        if awaited {
            self.moved.notify_all();
        }
    }

    fn limit_wait(self: &Arc<Self>, ticket: u64, limit: Option<Duration>) {
        let Some(at) = limit.and_then(|limit| Instant::now().checked_add(limit)) else { return };
        let stream: Weak<dyn Served> = Arc::<Self>::downgrade(self);
        // The wait may be over by now.
        if let Turn::Parked(current, wait) = &mut lock(&self.queue).turn
            && *current == ticket
        {
            wait.alarm = Some(timer::set(at, stream, ticket));
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
