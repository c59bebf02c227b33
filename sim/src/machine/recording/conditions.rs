//! Conditions of captured instances: a number in device memory that says which bodies of a task run. A body is an instance
//! inside of another one. It is captured on a stream of its own, and ends with the instance that it is part of.

use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::device::Device;
use crate::machine::handles::{self, Table};
use crate::machine::memory::{allocate_device, free_device};
use crate::machine::recording::captures::Captured;
use crate::machine::recording::tasks::{Node, Work};
use crate::machine::recording::update;
use crate::machine::trouble;
use crate::machine::watch;
use ascendcl_rules::Use;
use ascendcl_sys::types::{aclmdlRI, aclmdlRICondHandle, aclmdlRICondTaskType};
use std::sync::{Arc, Mutex, OnceLock};

pub(crate) struct Condition {
    number: usize,
    /// The number of the instance that it was made for.
    pub(crate) instance: usize,
    address: Address,
    /// What it is at the beginning of each run, if that is not left to the program.
    first: Option<u64>,
    task: OnceLock<Task>,
}

struct Task {
    kind: aclmdlRICondTaskType,
    bodies: Vec<Arc<Body>>,
}

pub(crate) struct Body {
    number: usize,
    state: Mutex<State>,
}

enum State {
    New,
    Captured,
    Ready(Content),
    Broken,
}

#[derive(Default)]
struct Content {
    nodes: Vec<Arc<Node>>,
    conditions: Vec<Arc<Condition>>,
    uses: Vec<Use>,
}

static CONDITIONS: Table<Condition> = Table::new();
static BODIES: Table<Body> = Table::new();

fn has_a_task() -> Failure {
    Failure::refused("the condition has a task already; a condition is for one task")
}

impl Condition {
    /// A condition of the instance with this number, which is being captured.
    pub(crate) fn new(instance: usize, device: &Arc<Device>, first: Option<u64>) -> Answer<Arc<Self>> {
        let address = allocate_device(device, size_of::<u64>())?;
        address.store(0);
        watch::handed_over(address, size_of::<u64>());
        let number = handles::fresh();
        let condition = Arc::new(Self { number, instance, address, first, task: OnceLock::new() });
        CONDITIONS.insert(number, Arc::clone(&condition));
        Ok(condition)
    }

    pub(crate) fn handle(&self) -> aclmdlRICondHandle {
        aclmdlRICondHandle(core::ptr::without_provenance_mut(self.number))
    }

    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// Makes the bodies of its task, once. Answers their handles.
    pub(crate) fn decide(&self, kind: aclmdlRICondTaskType, count: usize) -> Answer<Vec<aclmdlRI>> {
        let body = || {
            let number = handles::fresh();
            let body = Arc::new(Body { number, state: Mutex::new(State::New) });
            BODIES.insert(number, Arc::clone(&body));
            body
        };
        let mut made = None;
        self.task.get_or_init(|| {
            let bodies: Vec<_> = (0..count).map(|_| body()).collect();
            let handle = |body: &Arc<Body>| aclmdlRI(core::ptr::without_provenance_mut(body.number));
            made = Some(bodies.iter().map(handle).collect());
            Task { kind, bodies }
        });
        made.ok_or_else(has_a_task)
    }

    /// An error for a condition that has its task.
    pub(crate) fn check_no_task(&self) -> Answer {
        if self.task.get().is_some() { Err(has_a_task()) } else { Ok(()) }
    }

    /// What its task does in a run.
    pub(crate) fn work(self: Arc<Self>) -> Work {
        Arc::new(move |stream| self.run(stream))
    }

    fn run(&self, stream: usize) -> Answer {
        let Some(Task { kind, bodies }) = self.task.get() else { return Ok(()) };
        let body = |number: usize| bodies.get(number).map_or(Ok(()), |body| body.run(stream));
        match *kind {
            aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_IF => body(usize::from(self.address.load() == 0)),
            aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_WHILE => {
                while self.address.load() != 0 && !trouble::hangs() {
                    // A round that fails could leave the number as it is for good.
                    body(0)?;
                }
                Ok(())
            }
            _ => usize::try_from(self.address.load()).map_or(Ok(()), body),
        }
    }

    /// A run begins.
    pub(crate) fn begin_run(&self) {
        if let Some(first) = self.first {
            self.address.store(first);
        }
        self.inner(&|condition| condition.begin_run());
    }

    /// Calls `each` with the conditions of its bodies.
    fn inner(&self, each: &dyn Fn(&Self)) {
        for body in self.task.get().iter().flat_map(|task| &task.bodies) {
            if let State::Ready(content) = &*lock(&body.state) {
                content.conditions.iter().for_each(|condition| each(condition));
            }
        }
    }

    /// Whether each body was captured, and the capture has ended. `None` when one is broken.
    pub(crate) fn is_ready(&self) -> Option<bool> {
        let mut ready = true;
        for body in self.task.get().iter().flat_map(|task| &task.bodies) {
            match &*lock(&body.state) {
                State::Ready(_) => {}
                State::Broken => return None,
                State::New | State::Captured => ready = false,
            }
        }
        Some(ready)
    }

    /// What the tasks of its bodies use.
    pub(crate) fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        for body in self.task.get().iter().flat_map(|task| &task.bodies) {
            if let State::Ready(content) = &*lock(&body.state) {
                uses.extend(content.uses.iter().cloned());
            }
        }
        uses
    }

    /// The instance is gone: no handle leads to the condition and its bodies any more.
    pub(crate) fn forget(&self) {
        drop(CONDITIONS.remove(self.number));
        for body in self.task.get().iter().flat_map(|task| &task.bodies) {
            drop(BODIES.remove(body.number));
            update::forget(body.number);
        }
        self.inner(&Self::forget);
    }
}

impl Drop for Condition {
    fn drop(&mut self) {
        watch::taken_back(self.address);
        // It may have been freed with its device.
        let _ = free_device(self.address);
    }
}

impl Body {
    fn run(&self, stream: usize) -> Answer {
        let nodes = match &*lock(&self.state) {
            State::Ready(content) => content.nodes.clone(),
            _ => return Err(Failure::invalid("a body of a condition was not captured")),
        };
        // As on a stream, a node that fails does not keep the next from running.
        let answers: Vec<Answer> = nodes.iter().map(|node| node.run(stream)).collect();
        answers.into_iter().collect()
    }

    /// Its capture begins, once.
    pub(crate) fn begin_capture(&self) -> Answer {
        let mut state = lock(&self.state);
        match &*state {
            State::New => {
                *state = State::Captured;
                Ok(())
            }
            _ => Err(Failure::refused("the body of the condition was captured before; that is done once")),
        }
    }

    /// Its capture has not begun.
    pub(crate) fn is_new_again(&self) {
        *lock(&self.state) = State::New;
    }
}

/// The condition behind a C argument.
pub(crate) fn find_condition(handle: aclmdlRICondHandle) -> Option<Arc<Condition>> {
    CONDITIONS.get(handle.0.addr())
}

/// The body behind a C argument.
pub(crate) fn find_body(handle: aclmdlRI) -> Option<Arc<Body>> {
    BODIES.get(handle.0.addr())
}

/// The number of a body, whose capture goes on.
pub(crate) fn is_body(number: usize) -> bool {
    BODIES.contains(number)
}

/// What was captured is the content of the body with this number.
pub(crate) fn complete_body(captured: Captured) {
    let Captured { number, nodes, uses, conditions, .. } = captured;
    if let Some(body) = BODIES.get(number) {
        *lock(&body.state) = State::Ready(Content { nodes, conditions, uses });
    }
}

/// The capture of the body with this number came to nothing.
pub(crate) fn break_body(number: usize) {
    if let Some(body) = BODIES.get(number) {
        *lock(&body.state) = State::Broken;
    }
}

pub(in crate::machine) fn clear() {
    drop(CONDITIONS.remove_all(|_| true));
    drop(BODIES.remove_all(|_| true));
}
