//! Submitting tasks to a stream. A stream takes a limited number of tasks. As in the vendor's library, the call that
//! would exceed the limit blocks until a task has completed.

use crate::abi::hands_over;
use crate::failure::{Answer, Failure};
use crate::locks::{lock, look_out, wait};
use crate::machine::recording::tasks::{Sort, Work};
use crate::machine::streams::exceptions;
use crate::machine::streams::queue::{Await, Call, Counted, Queue, Task, Turn};
use crate::machine::streams::refusals::{refuse_in_group, refuse_once_on};
use crate::machine::streams::stream::Stream;
use crate::machine::thread::{last_task, visits};
use crate::machine::workers::callback_thread;
use crate::machine::workers::point::{Duty, Point};
use crate::machine::workers::served::{Link, Served, TooLate, answer_of};
use crate::machine::workers::waiting::{Busy, Target, Waiting};
use crate::machine::workers::{pool, timer};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_STREAM_TASK_FULL, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

impl Stream {
    /// Queues a task and answers its position. Its failure is what the next synchronise answers. A stream that is captured
    /// does not take what can only run once.
    pub(crate) fn submit(self: &Arc<Self>, task: impl FnOnce() -> Answer + Send + 'static) -> Answer<u64> {
        self.refuse_once()?;
        self.push([Task::Run(Box::new(task))])
    }

    /// Like [`submit`](Self::submit), for a caller that holds a lock and so must not wait for room. Returns the task
    /// when the queue is full. The caller then releases its lock and [waits for room](Self::wait_for_room).
    pub(in crate::machine) fn submit_if_room(self: &Arc<Self>, task: Task) -> Answer<Result<u64, Task>> {
        self.refuse_once()?;
        let queue = self.open_queue()?;
        if self.is_full(&queue, 1) {
            return Ok(Err(task));
        }
        Ok(Ok(self.enqueue(queue, [task])))
    }

    /// As [`submit`](Self::submit), for a task that can run again, if the stream is captured. It gets the stream that
    /// it runs on. Task groups take no such tasks.
    pub(crate) fn submit_each(self: &Arc<Self>, task: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Answer<u64> {
        self.submit_sort(Sort::ACL_MODEL_RI_TASK_DEFAULT, task)
    }

    /// The same for a task of this sort.
    pub(in crate::machine) fn submit_sort(
        self: &Arc<Self>,
        sort: Sort,
        task: impl Fn(usize) -> Answer + Send + Sync + 'static,
    ) -> Answer<u64> {
        refuse_in_group(self, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT)?;
        self.submit_any(sort, task)
    }

    /// A task that can run only once cannot be part of a captured instance.
    fn refuse_once(&self) -> Answer {
        refuse_once_on(self)?;
        if self.is_bound() {
            return Err(Failure::unsupported("a stream of a model instance takes no work that runs only once"));
        }
        Ok(())
    }

    /// The same for work on the device's cores, which task groups take.
    pub(crate) fn submit_kernel(
        self: &Arc<Self>,
        task: impl Fn(usize) -> Answer + Send + Sync + 'static,
    ) -> Answer<u64> {
        self.submit_any(Sort::ACL_MODEL_RI_TASK_KERNEL, task)
    }

    fn submit_any(self: &Arc<Self>, sort: Sort, task: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Answer<u64> {
        match self.recorder() {
            // There is nothing to wait for: position 0 is over.
            Some(recorder) => recorder.record(self.number(), sort, Arc::new(task)).map(|()| 0),
            None => {
                let number = self.number();
                self.push([Task::Run(Box::new(move || task(number)))])
            }
        }
    }

    /// As [`submit_each`](Self::submit_each), for code of the caller that runs on the thread of the context's callbacks. The
    /// vendor's library takes three tasks for it.
    pub(crate) fn submit_callback(
        self: &Arc<Self>,
        code: impl Fn(usize) -> Answer + Send + Sync + 'static,
    ) -> Answer<u64> {
        refuse_in_group(self, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT)?;
        let thread = callback_thread::of(self.context());
        match self.recorder() {
            Some(recorder) => {
                let code: Work = Arc::new(code);
                let run = move |stream| thread.run(stream, &code);
                recorder.record(self.number(), Sort::ACL_MODEL_RI_TASK_DEFAULT, Arc::new(run)).map(|()| 0)
            }
            None => {
                let number = self.number();
                let call = Call { code: Box::new(move || code(number)), thread };
                self.push([Task::Place, Task::Place, Task::Call(call)])
            }
        }
    }

    /// Lets the tasks that follow wait until the duty is done that `begin` is given when the stream comes to it: again in every
    /// replay, if the stream is captured. The duty ends also when `begin` never runs, as on a device that is lost.
    pub(in crate::machine) fn submit_wait_each(
        self: &Arc<Self>,
        sort: Sort,
        by: Link,
        limit: Option<Duration>,
        begin: impl Fn(Duty) + Send + Sync + 'static,
    ) -> Answer {
        if self.is_recording() || self.is_bound() {
            let wait = move |stream| {
                let point = Arc::new(Point::new(by));
                // The stream is not parked: it waits for this thread, and this thread for the point.
                let _busy = Busy::on(stream);
                begin(Duty::new(&point));
                let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
                match pool::lend(|| point.wait(deadline))? {
                    Some(outcome) => answer_of(Ok(outcome)),
                    None => answer_of(Err(TooLate)),
                }
            };
            return self.submit_sort(sort, wait).map(drop);
        }
        let point = Arc::new(Point::new(by));
        let duty = Duty::new(&point);
        refuse_once_on(self)?;
        begin_timer(limit)?;
        let begin = move || {
            begin(duty);
            Ok(())
        };
        // Together: an abort between the two would leave a wait for what is never begun.
        self.push([Task::Run(Box::new(begin)), Task::Await(Await { point, limit, alarm: None, _counted: None })])
            .map(drop)
    }

    /// Lets the tasks that follow wait for a point, for `limit` at most.
    pub(in crate::machine) fn submit_wait(
        self: &Arc<Self>,
        point: Arc<Point>,
        limit: Option<Duration>,
        counted: Option<Counted>,
    ) -> Answer<u64> {
        begin_timer(limit)?;
        self.push([Task::Await(Await { point, limit, alarm: None, _counted: counted })])
    }

    /// Queues the tasks together. Answers the position of the last.
    fn push<const COUNT: usize>(self: &Arc<Self>, tasks: [Task; COUNT]) -> Answer<u64> {
        let queue = self.open_queue()?;
        if !self.is_full(&queue, COUNT as u64) {
            return Ok(self.enqueue(queue, tasks));
        }
        drop(queue);
        loop {
            self.wait_for_room(COUNT as u64)?;
            let queue = self.open_queue()?;
            if !self.is_full(&queue, COUNT as u64) {
                return Ok(self.enqueue(queue, tasks));
            }
        }
    }

    /// Blocks this thread until the stream takes more tasks or was closed. Another thread may be faster, so the caller
    /// tries again. Fails if the wait can never end. No lock may be held.
    #[cold]
    pub(in crate::machine) fn wait_for_room(&self, more: u64) -> Answer {
        let _waits = visits::waits();
        let before = self.done.load(SeqCst);
        look_out(|| self.done.load(SeqCst) > before);
        let mut waiting = Waiting::new(Target::Stream(self.awaited()), None);
        loop {
            let mut queue = lock(&self.queue);
            if queue.closed || queue.stopped.is_some() || !self.is_full(&queue, more) {
                return Ok(());
            }
            // Woken when there is room for a batch of tasks, not at every task; a look between finds what is less.
            let batch = (self.device().task_limit() / 8).max(more);
            queue.awaited = queue.awaited.min(queue.done + batch);
            let queue = wait(&self.moved, queue, waiting.until());
            let full = self.is_full(&queue, more);
            drop(queue);
            if full && let Some(failure) = waiting.given_up(ACL_ERROR_RT_STREAM_TASK_FULL) {
                return Err(failure);
            }
        }
    }

    /// The tasks of a persistent stream never run on their own, so waiting for room would not help.
    fn is_full(&self, queue: &Queue, more: u64) -> bool {
        !self.is_persistent() && !queue.has_room(more, self.device().task_limit())
    }

    /// The queue, if it takes tasks at all.
    fn open_queue(&self) -> Answer<MutexGuard<'_, Queue>> {
        pool::begin()?;
        let queue = lock(&self.queue);
        if queue.closed {
            drop(queue);
            return Err(Failure::unknown("stream"));
        }
        if let Some(failure) = &queue.stopped {
            let text = format!("the stream stopped at a failure and takes no more work: {}", failure.text);
            return Err(Failure::new(failure.code, text));
        }
        Ok(queue)
    }

    fn enqueue<const COUNT: usize>(self: &Arc<Self>, mut queue: MutexGuard<'_, Queue>, tasks: [Task; COUNT]) -> u64 {
        if exceptions::are_listened_to() {
            let (first, done) = (queue.submitted + 1, queue.done);
            queue.threads.note(first, done);
        }
        hands_over();
        queue.tasks.extend(tasks);
        queue.submitted += COUNT as u64;
        let position = queue.submitted;
        if !self.is_default() {
            last_task::queued(position as u32);
        }
        let start = matches!(queue.turn, Turn::Idle) && !self.is_persistent();
        if start {
            queue.turn = Turn::Ready;
        }
        drop(queue);
        if start {
            pool::push(Arc::clone(self) as Arc<dyn Served>);
        }
        position
    }
}

/// Whether a wait can have this limit.
fn begin_timer(limit: Option<Duration>) -> Answer {
    limit.map_or(Ok(()), |_| timer::begin())
}
