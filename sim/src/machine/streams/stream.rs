//! One stream: its queue, and whether its work runs or is kept.

use crate::abi::takes_over;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::device::Device;
use crate::machine::device::settings::Settings;
use crate::machine::memory::areas::Area;
use crate::machine::recording::Recorder;
use crate::machine::streams::queue::Queue;
use crate::machine::thread::inside;
use crate::machine::watch;
use crate::machine::workers::pool;
use ascendcl_rules::{Object, Use};
use ascendcl_sys::constants::ACL_STREAM_PERSISTENT;
use ascendcl_sys::types::aclrtStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};

pub(crate) struct Stream {
    number: usize,
    /// Tells it from an earlier stream with its number.
    pub(in crate::machine) life: u64,
    context: usize,
    device: Arc<Device>,
    id: i32,
    priority: u32,
    flags: u32,
    default: bool,
    /// Working memory of the caller for the models that run here.
    work: Option<Area>,
    /// Work is captured instead of running. Set with the queue locked, to look at without.
    recording: AtomicBool,
    /// It is part of a model instance, which alone runs its work. Set with the queue locked, to look at without.
    bound: AtomicBool,
    /// The library made it, for a model instance.
    of_model: bool,
    /// Its context has ended, and another one may have the same number.
    context_ended: AtomicBool,
    pub(crate) settings: Settings,
    /// A single operator has run here with memory of the library's own (ALLOC-15).
    built_in: AtomicBool,
    pub(in crate::machine) queue: Mutex<Queue>,
    /// The queue's `done`, to look at without the lock.
    pub(in crate::machine) done: AtomicU64,
    /// Every position up to here is known to be over: somebody waited or asked for it.
    seen: AtomicU64,
    pub(in crate::machine) moved: Condvar,
}

/// The kind of stream to create.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Kind {
    pub(crate) priority: u32,
    pub(crate) flags: u32,
    pub(crate) default: bool,
    /// Working memory of the caller for the models that run on it.
    pub(crate) work: Option<Area>,
    /// The library makes it, for a model instance.
    pub(crate) of_model: bool,
}

impl Stream {
    /// It is in no table yet.
    pub(super) fn new(number: usize, context: usize, device: &Arc<Device>, id: i32, kind: Kind) -> Self {
        static LIVES: AtomicU64 = AtomicU64::new(1);
        Self {
            number,
            life: LIVES.fetch_add(1, SeqCst),
            context,
            device: Arc::clone(device),
            id,
            priority: kind.priority,
            flags: kind.flags,
            default: kind.default,
            work: kind.work,
            recording: AtomicBool::new(false),
            bound: AtomicBool::new(false),
            of_model: kind.of_model,
            context_ended: AtomicBool::new(false),
            settings: Settings::default(),
            built_in: AtomicBool::new(false),
            queue: Mutex::new(Queue::new()),
            done: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            moved: Condvar::new(),
        }
    }

    pub(crate) fn handle(&self) -> aclrtStream {
        aclrtStream(core::ptr::without_provenance_mut(self.number))
    }

    pub(crate) fn work(&self) -> Option<Area> {
        self.work
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

    /// It ends with its context, and is in the table of streams no more.
    pub(in crate::machine) fn loses_its_context(&self) {
        self.context_ended.store(true, SeqCst);
    }

    pub(in crate::machine) fn has_lost_its_context(&self) -> bool {
        self.context_ended.load(SeqCst)
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
    pub(in crate::machine) fn is_built_in(&self) -> bool {
        self.built_in.load(SeqCst)
    }

    pub(in crate::machine) fn set_built_in(&self) {
        self.built_in.store(true, SeqCst);
    }

    /// Whether work is captured instead of running.
    pub(crate) fn is_recording(&self) -> bool {
        self.recording.load(SeqCst)
    }

    /// Whether a capture takes its work, and not the update of a task group.
    pub(crate) fn is_captured(&self) -> bool {
        self.is_recording() && matches!(self.recorder(), Some(Recorder::Capture(_)))
    }

    pub(in crate::machine) fn recorder(&self) -> Option<Recorder> {
        if self.is_recording() || self.is_bound() { lock(&self.queue).recorder.clone() } else { None }
    }

    /// Answers `false` when work goes somewhere else already.
    pub(in crate::machine) fn start_recording(&self, recorder: Recorder) -> bool {
        let diverted = self.divert(recorder, &self.recording);
        if diverted {
            watch::begins_to_keep(self.number());
        }
        diverted
    }

    /// Whether it is part of a model instance.
    pub(crate) fn is_bound(&self) -> bool {
        self.bound.load(SeqCst)
    }

    /// Whether the library made it, for a model instance.
    pub(crate) fn is_of_model(&self) -> bool {
        self.of_model
    }

    /// From here on a model instance takes its work. Answers `false` when work goes somewhere else already.
    pub(in crate::machine) fn bind(&self, recorder: Recorder) -> bool {
        let diverted = self.divert(recorder, &self.bound);
        if diverted {
            watch::begins_to_keep(self.number());
        }
        diverted
    }

    fn divert(&self, recorder: Recorder, how: &AtomicBool) -> bool {
        let mut queue = lock(&self.queue);
        let free = queue.recorder.is_none() && !queue.closed;
        if free {
            queue.recorder = Some(recorder);
            how.store(true, SeqCst);
        }
        free
    }

    pub(in crate::machine) fn stop_recording(&self) -> Option<Recorder> {
        self.stop_keeping().0
    }

    /// The same. Answers also what the recorded work uses.
    pub(in crate::machine) fn stop_keeping(&self) -> (Option<Recorder>, Vec<Use>) {
        let uses = watch::keeps_no_more(self.number());
        let mut queue = lock(&self.queue);
        self.recording.store(false, SeqCst);
        self.bound.store(false, SeqCst);
        (queue.recorder.take(), uses)
    }

    /// Somebody learned that everything up to this position is over.
    pub(in crate::machine) fn has_seen(&self, position: u64) {
        self.seen.fetch_max(position, SeqCst);
        takes_over();
    }

    pub(in crate::machine) fn is_seen(&self, position: u64) -> bool {
        self.seen.load(SeqCst) >= position
    }

    /// The position of the task that was submitted last.
    pub(in crate::machine) fn last_position(&self) -> u64 {
        lock(&self.queue).submitted
    }

    /// A callback that waits for its own stream would never return (CB-01).
    pub(crate) fn refuse_self_wait(&self) -> Answer {
        // A task that goes on after the end of its stream may wait for a later one with the number.
        if inside::is_inside_of(self.number) && pool::life_of(self.number).is_none_or(|life| life == self.life) {
            return Err(Failure::unsupported("a callback cannot wait for the stream that waits for it"));
        }
        Ok(())
    }

    /// Accepts no further task.
    pub(in crate::machine) fn close(&self) {
        lock(&self.queue).closed = true;
        // Wakes the threads that wait for a place in the queue.
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
    pub(in crate::machine) fn stop(&self, failure: &Failure) {
        let mut queue = lock(&self.queue);
        let dropped = queue.stop(failure);
        self.done.store(queue.done, SeqCst);
        drop(queue);
        self.moved.notify_all();
        drop(dropped);
    }

    /// Drops the tasks that have not begun. A task that runs completes.
    pub(crate) fn abort(&self) {
        let mut queue = lock(&self.queue);
        let discarded = queue.discard();
        self.done.store(queue.done, SeqCst);
        drop(queue);
        self.moved.notify_all();
        drop(discarded);
    }
}
