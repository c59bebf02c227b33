//! How threads wait for the work of a stream.

use crate::abi::takes_over;
use crate::failure::{Answer, Failure};
use crate::locks::{expired, lock, look_out, wait};
use crate::machine::streams::missed::Watch;
use crate::machine::streams::queue::Queue;
use crate::machine::streams::refusals::refuse_on;
use crate::machine::streams::stream::Stream;
use crate::machine::thread::visits;
use crate::machine::workers::served::Link;
use crate::machine::workers::waiting::{Awaited, Target, Waiting};
use ascendcl_sys::error_codes::*;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

impl Stream {
    /// Waits until everything submitted before is over, and answers the first failure among it, once. A stopped stream
    /// answers with the failure at each wait, at once: a task that runs goes on (STREAM-15).
    pub(crate) fn synchronize(&self, deadline: Option<Instant>) -> Answer {
        refuse_on(self, "waited for")?;
        if self.is_persistent() {
            return Ok(());
        }
        let (last, discarded, over) = {
            let queue = lock(&self.queue);
            (queue.submitted, queue.was_discarded(queue.submitted), queue.done == queue.submitted)
        };
        let watch = Watch::begin(self, over);
        let ends = |queue: &Queue| queue.stopped.is_some() || !discarded && queue.was_discarded(last);
        self.wait_for(last, Waiting::new(Target::Stream(self.awaited()), deadline), deadline, ends)?;
        if watch.misses(deadline) {
            return Err(still_working());
        }
        self.has_seen(last);
        lock(&self.queue).failure.take().map_or(Ok(()), Err)
    }

    /// Waits until the task at this position is over: it has run, well or not (`Ok`), or was discarded.
    pub(crate) fn finished(&self, position: u64, deadline: Option<Instant>) -> Answer {
        let ends = |queue: &Queue| queue.was_discarded(position);
        self.wait_for(position, Waiting::new(Target::Stream(self.awaited()), deadline), deadline, ends)?;
        self.has_seen(position);
        Ok(())
    }

    /// Waits for all work of a destroyed stream. Work that an earlier abort discarded is not a failure.
    pub(in crate::machine) fn run_out(&self) -> Answer {
        let (last, aborted) = {
            let queue = lock(&self.queue);
            (queue.submitted, queue.stopped.is_none() && queue.was_discarded(queue.submitted))
        };
        let ends = |queue: &Queue| !aborted && queue.was_discarded(last);
        let answer = self.wait_for(last, Waiting::new(Target::Ending(self.awaited()), None), None, ends);
        takes_over();
        answer
    }

    /// Waits for the task that runs, after everything else was discarded.
    pub(in crate::machine) fn come_to_rest(&self) {
        let _ =
            self.wait_for(self.last_position(), Waiting::new(Target::Ending(self.awaited()), None), None, |_| false);
        takes_over();
    }

    /// Waits for a task that runs, or until the wait is given up.
    fn wait_for(
        &self,
        position: u64,
        mut waiting: Waiting<'_>,
        deadline: Option<Instant>,
        given_up: impl Fn(&Queue) -> bool,
    ) -> Answer {
        let _waits = visits::waits();
        look_out(|| self.done.load(SeqCst) >= position);
        let mut queue = lock(&self.queue);
        while queue.done < position && !given_up(&queue) {
            self.refuse_self_wait()?;
            if expired(deadline) {
                return Err(still_working());
            }
            queue.awaited = queue.awaited.min(position);
            queue = wait(&self.moved, queue, waiting.until());
            if queue.done < position && !given_up(&queue) {
                drop(queue);
                if let Some(failure) = waiting.given_up(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) {
                    return Err(failure);
                }
                queue = lock(&self.queue);
            }
        }
        if given_up(&queue) {
            if let Some(failure) = queue.stopped.clone() {
                queue.failure = None;
                return Err(failure);
            }
            return Err(Failure::new(
                ACL_ERROR_RT_STREAM_ABORT,
                "the stream's work was discarded while it was awaited",
            ));
        }
        Ok(())
    }

    /// The stream or thread that will reach a point recorded on it.
    pub(in crate::machine) fn reaches(&self) -> Link {
        if self.is_persistent() { Link::Never } else { Link::Stream(self.number()) }
    }

    /// The waiting threads' descriptions.
    pub(super) fn awaited(&self) -> Awaited {
        Awaited { number: self.number(), named: self.named() }
    }
}

fn still_working() -> Failure {
    let text = "the stream was still working when the time limit was over; its work goes on";
    Failure::new(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, text)
}
