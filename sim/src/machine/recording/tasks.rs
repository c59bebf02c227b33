//! The tasks of model instances, one by one, as a program can look at them.

use crate::config;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::{self, Table};
use ascendcl_sys::types::{aclmdlRITask, aclmdlRITaskType};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};

/// Work that can be run again, on the stream with the number that it is given.
pub(crate) type Work = Arc<dyn Fn(usize) -> Answer + Send + Sync>;

/// What a task of a captured instance has to do with events that streams outside record or wait for, too.
pub(crate) trait Outward: Send + Sync {
    /// A run of the instance is being queued; answers what the task does in this run. Dropped, it counts as given up.
    fn queued(&self) -> Box<dyn FnOnce(usize) -> Answer + Send>;

    /// How it orders the run and other work.
    fn tie(&self) -> Option<Tie>;
}

/// How a run of an instance is ordered with work outside, by the number of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tie {
    Records(usize),
    /// It waits for the record that was the newest when the run was queued.
    Awaits(usize),
    /// It waits for a record that may be queued after the run.
    AwaitsWhatIsToCome,
}

/// The description of a task, for queries.
pub(crate) type Sort = aclmdlRITaskType;

/// One task.
pub(crate) struct Node {
    work: Mutex<Work>,
    sort: Sort,
    /// The number of the stream that it was submitted to.
    stream: usize,
    /// The program wants it not to run.
    disabled: AtomicBool,
    /// An update has seen that.
    left_out: AtomicBool,
    /// Given out when somebody asks.
    number: OnceLock<usize>,
    outward: Option<Arc<dyn Outward>>,
}

static TASKS: Table<Node> = Table::new();

impl Node {
    pub(crate) fn new(stream: usize, sort: Sort, work: Work) -> Arc<Self> {
        Arc::new(Self::of(stream, sort, work, None))
    }

    /// A task that concerns streams outside of the instance.
    pub(crate) fn outward(stream: usize, sort: Sort, outward: Arc<dyn Outward>) -> Arc<Self> {
        Arc::new(Self::of(stream, sort, Arc::new(|_| Ok(())), Some(outward)))
    }

    fn of(stream: usize, sort: Sort, work: Work, outward: Option<Arc<dyn Outward>>) -> Self {
        let (disabled, left_out) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { work: Mutex::new(work), sort, stream, disabled, left_out, number: OnceLock::new(), outward }
    }

    /// A task that does nothing.
    pub(crate) fn empty(stream: usize, sort: Sort) -> Arc<Self> {
        Self::new(stream, sort, Arc::new(|_| Ok(())))
    }

    pub(crate) fn sort(&self) -> Sort {
        self.sort
    }

    pub(in crate::machine) fn stream(&self) -> usize {
        self.stream
    }

    /// The work before, which is to be dropped outside of every lock.
    #[must_use]
    pub(in crate::machine) fn replace(&self, work: Work) -> Work {
        std::mem::replace(&mut *lock(&self.work), work)
    }

    /// Whether the task is to be left out of what runs.
    pub(in crate::machine) fn is_left_out(&self) -> bool {
        self.left_out.load(SeqCst)
    }

    pub(in crate::machine) fn run(&self, stream: usize) -> Answer {
        if self.is_left_out() {
            return Ok(());
        }
        let work = Work::clone(&lock(&self.work));
        work(stream)
    }

    /// It does not run any more, from the next update of its instance on. This device cannot do so, as measured, unless the
    /// manual's word counts.
    pub(crate) fn disable(&self) -> Answer {
        refuse_changes("disabled")?;
        self.disabled.store(true, SeqCst);
        Ok(())
    }

    /// How the task orders a run and work outside.
    pub(in crate::machine) fn tie(&self) -> Option<Tie> {
        self.outward.as_ref().and_then(|outward| outward.tie())
    }

    /// What the task does in a run that is being queued now, if that depends on when it is.
    pub(in crate::machine) fn queued(&self) -> Option<Box<dyn FnOnce(usize) -> Answer + Send>> {
        self.outward.as_ref().map(|outward| outward.queued())
    }

    pub(in crate::machine) fn update(&self) {
        self.left_out.store(self.disabled.load(SeqCst), SeqCst);
    }

    /// The handle, for as long as the instance lives.
    pub(in crate::machine) fn handle(self: &Arc<Self>) -> aclmdlRITask {
        let number = *self.number.get_or_init(|| {
            let number = handles::fresh();
            TASKS.insert(number, Arc::clone(self));
            number
        });
        aclmdlRITask(core::ptr::without_provenance_mut(number))
    }
}

/// The task behind a C argument.
pub(crate) fn find_task(handle: aclmdlRITask) -> Answer<Arc<Node>> {
    if handle.is_null() {
        return Err(Failure::refused("the task is null"));
    }
    TASKS.get(handle.0.addr()).ok_or_else(|| Failure::unknown("task of a model instance"))
}

/// The instance is destroyed, and its handles with it.
pub(in crate::machine) fn forget(nodes: &[Arc<Node>]) {
    for number in nodes.iter().filter_map(|node| node.number.get()) {
        drop(TASKS.remove(*number));
    }
}

/// Tasks stay as they were captured (207000, as measured), unless the manual's word counts.
pub(in crate::machine) fn refuse_changes(what: &str) -> Answer {
    if config::is_documented() {
        return Ok(());
    }
    Err(Failure::unsupported(format!(
        "a task cannot be {what} on this device; the manual's word (`documented`) allows it"
    )))
}
