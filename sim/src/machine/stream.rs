//! Streams: first in, first out, served by the [pool](super::pool).

use super::capture::{self, Recorder};
use super::device::Device;
use super::handles::Numbers;
use super::locks::{expired, lock, look_out, wait};
use super::missed::Watch;
use super::queue::{Await, Queue, Turn};
use super::settings::Settings;
use super::streams::STREAMS;
use super::waiting::{Link, Target, Waiting};
use super::{allocator_calls, user_code};
use crate::failure::{Answer, Failure};
use ascendcl_rules::Object;
use ascendcl_sys::constants::ACL_STREAM_PERSISTENT;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclrtStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

pub(crate) struct Stream {
    number: usize,
    context: usize,
    device: Arc<Device>,
    id: i32,
    priority: u32,
    flags: u32,
    default: bool,
    /// Work is captured instead of running. Set with the queue locked, to look at without.
    recording: AtomicBool,
    pub(crate) settings: Settings,
    /// A single operator has run here with memory of the library's own (ALLOC-15).
    built_in: AtomicBool,
    pub(super) queue: Mutex<Queue>,
    /// The queue's `done`, to look at without the lock.
    pub(super) done: AtomicU64,
    /// Every position up to here is known to be over: somebody waited or asked for it.
    seen: AtomicU64,
    pub(super) moved: Condvar,
}

/// What kind of stream to create.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Kind {
    pub(crate) priority: u32,
    pub(crate) flags: u32,
    pub(crate) default: bool,
}

pub(super) static NUMBERS: Numbers = Numbers::new();

impl Stream {
    /// A new stream of the context that has this number.
    pub(crate) fn create(context: usize, device: &Arc<Device>, kind: Kind) -> Answer<Arc<Self>> {
        let id = device.take_stream()?;
        let number = NUMBERS.take();
        let stream = Arc::new(Self {
            number,
            context,
            device: Arc::clone(device),
            id,
            priority: kind.priority,
            flags: kind.flags,
            default: kind.default,
            recording: AtomicBool::new(false),
            settings: Settings::default(),
            built_in: AtomicBool::new(false),
            queue: Mutex::new(Queue::new()),
            done: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            moved: Condvar::new(),
        });
        STREAMS.insert(number, Arc::clone(&stream));
        Ok(stream)
    }

    pub(crate) fn handle(&self) -> aclrtStream {
        aclrtStream(core::ptr::without_provenance_mut(self.number))
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// By which those who watch know it.
    pub(crate) fn named(&self) -> Object {
        if self.default { Object::default_stream(self.context as u64) } else { Object::stream(self.number as u64) }
    }

    /// The number of its context.
    pub(crate) fn context(&self) -> usize {
        self.context
    }

    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    pub(crate) fn id(&self) -> i32 {
        self.id
    }

    pub(crate) fn priority(&self) -> u32 {
        self.priority
    }

    pub(crate) fn flags(&self) -> u32 {
        self.flags
    }

    pub(crate) fn is_default(&self) -> bool {
        self.default
    }

    /// Whether the library's own memory serves its operators for the rest of its life (ALLOC-15).
    pub(super) fn is_built_in(&self) -> bool {
        self.built_in.load(SeqCst)
    }

    pub(super) fn set_built_in(&self) {
        self.built_in.store(true, SeqCst);
    }

    /// Whether work is captured instead of running.
    pub(crate) fn is_recording(&self) -> bool {
        self.recording.load(SeqCst)
    }

    pub(super) fn recorder(&self) -> Option<Recorder> {
        if self.is_recording() { lock(&self.queue).recorder.clone() } else { None }
    }

    /// Answers `false` when work goes somewhere else already.
    pub(super) fn start_recording(&self, recorder: Recorder) -> bool {
        let mut queue = lock(&self.queue);
        let free = queue.recorder.is_none() && !queue.closed;
        if free {
            queue.recorder = Some(recorder);
            self.recording.store(true, SeqCst);
        }
        free
    }

    pub(super) fn stop_recording(&self) -> Option<Recorder> {
        let mut queue = lock(&self.queue);
        self.recording.store(false, SeqCst);
        queue.recorder.take()
    }

    /// Waits until everything submitted before is over, and answers the first failure among it, once.
    pub(crate) fn synchronize(&self, deadline: Option<Instant>) -> Answer {
        if self.is_persistent() {
            return Ok(());
        }
        capture::refuse_on(self, "waited for")?;
        let (last, discarded, over) = {
            let queue = lock(&self.queue);
            (queue.submitted, queue.was_discarded(queue.submitted), queue.done == queue.submitted)
        };
        let watch = Watch::begin(self, over);
        self.wait_for(last, Waiting::new(Target::Stream(self), deadline), deadline, discarded)?;
        if watch.misses(deadline) {
            return Err(still_working());
        }
        self.has_seen(last);
        lock(&self.queue).failure.take().map_or(Ok(()), Err)
    }

    /// Waits until the task at this position is over: it has run, well or not (`Ok`), or was discarded.
    pub(crate) fn finished(&self, position: u64, deadline: Option<Instant>) -> Answer {
        self.wait_for(position, Waiting::new(Target::Stream(self), deadline), deadline, false)?;
        self.has_seen(position);
        Ok(())
    }

    /// Somebody learned that everything up to this position is over.
    pub(super) fn has_seen(&self, position: u64) {
        self.seen.fetch_max(position, SeqCst);
    }

    pub(super) fn is_seen(&self, position: u64) -> bool {
        self.seen.load(SeqCst) >= position
    }

    /// Waits until everything is over that was submitted to a stream which nobody can name any more.
    pub(super) fn run_out(&self) -> Answer {
        self.wait_for(self.last_position(), Waiting::new(Target::Ending(self), None), None, false)
    }

    /// Waits for the task that runs, after everything else was discarded.
    pub(super) fn come_to_rest(&self) {
        let _ = self.wait_for(self.last_position(), Waiting::new(Target::Ending(self), None), None, true);
    }

    fn wait_for(
        &self,
        position: u64,
        mut waiting: Waiting<'_>,
        deadline: Option<Instant>,
        may_be_discarded: bool,
    ) -> Answer {
        let given_up = |queue: &Queue| !may_be_discarded && queue.was_discarded(position);
        let _waits = allocator_calls::waits();
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

    /// What it waits for without a time limit, if it waits.
    pub(super) fn awaits(&self) -> Option<Link> {
        let point = match &lock(&self.queue).turn {
            Turn::Parked(_, Await { point, limit: None, .. }) => Arc::clone(point),
            Turn::Calling(_, call) => return call.thread.link(),
            _ => return None,
        };
        point.awaits()
    }

    /// Nobody did what it waits for, in a long time.
    pub(super) fn is_forsaken(&self) {
        let point = match &lock(&self.queue).turn {
            Turn::Parked(_, Await { point, .. }) => Arc::clone(point),
            _ => return,
        };
        point.is_forsaken();
    }

    /// The position of the task that was submitted last.
    pub(super) fn last_position(&self) -> u64 {
        lock(&self.queue).submitted
    }

    /// A callback that waits for the stream that waits for it would wait for ever (CB-01).
    pub(crate) fn refuse_self_wait(&self) -> Answer {
        if user_code::inside(self.number) {
            return Err(Failure::unsupported("a callback cannot wait for the stream that waits for it"));
        }
        Ok(())
    }

    /// Accepts no further task.
    pub(super) fn close(&self) {
        lock(&self.queue).closed = true;
        // Whoever waits for room waits no longer.
        self.moved.notify_all();
    }

    /// Whether everything submitted is over.
    pub(crate) fn is_complete(&self) -> bool {
        let queue = lock(&self.queue);
        let (done, submitted) = (queue.done, queue.submitted);
        drop(queue);
        self.has_seen(done);
        done == submitted
    }

    /// Tasks on it only ever run as part of a model that it is bound to.
    pub(crate) fn is_persistent(&self) -> bool {
        self.flags & ACL_STREAM_PERSISTENT != 0
    }

    /// A task of this context failed, and its streams stop at failures.
    pub(super) fn stop(&self, failure: &Failure) {
        let mut queue = lock(&self.queue);
        let dropped = queue.stop(failure);
        self.done.store(queue.done, SeqCst);
        drop(queue);
        self.moved.notify_all();
        drop(dropped);
    }

    /// Drops the tasks that have not begun. One that runs goes on.
    pub(crate) fn abort(&self) {
        let mut queue = lock(&self.queue);
        let discarded = queue.discard();
        self.done.store(queue.done, SeqCst);
        drop(queue);
        self.moved.notify_all();
        drop(discarded);
    }
}

fn still_working() -> Failure {
    let text = "the stream was still working when the time limit was over; its work goes on";
    Failure::new(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, text)
}
