//! Model instances: work that runs as often as it is asked to. It was captured, or the program built it task by task.

mod building;
mod labels;
mod parts;
mod run;

pub(crate) use labels::{count_labels, create_label, create_list, destroy_label, destroy_list, find_label, find_list};
pub(crate) use parts::tasks_of;

use crate::abi::HostCallback;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::capture::is_capturing;
use crate::machine::contexts::context;
use crate::machine::contexts::teardown::discard_stream;
use crate::machine::device::Device;
use crate::machine::handles::{self, Table};
use crate::machine::recording::assembly::Assembly;
use crate::machine::recording::captures::Captured;
use crate::machine::recording::conditions::{self, Condition};
use crate::machine::recording::tasks::{self, Node, Tie};
use crate::machine::recording::update;
use crate::machine::streams::stream::{Kind, Stream};
use crate::machine::streams::table;
use crate::machine::watch;
use crate::machine::workers::user_code;
use ascendcl_rules::{MODEL_01, MODEL_14, Object};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclmdlRI;
use parts::Parts;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Instant;

pub(crate) struct Instance {
    number: usize,
    id: u32,
    context: usize,
    device: Arc<Device>,
    content: Content,
    name: Mutex<String>,
    /// The function to call when it is destroyed.
    callbacks: Mutex<Vec<HostCallback>>,
}

enum Content {
    /// The tasks in the order of their submission.
    Captured(Vec<Arc<Node>>, Parts, Vec<Arc<Condition>>),
    Built(Arc<Assembly>),
}

/// What a task does in one run, if that depends on when the run was queued.
type Queued = Option<Box<dyn FnOnce(usize) -> Answer + Send>>;

static INSTANCES: Table<Instance> = Table::new();

/// What a capture leaves that has ended well. Answers the number of the instance.
pub(crate) fn add_captured(captured: Captured) -> usize {
    let Captured { number, context, device, nodes, streams, uses, conditions } = captured;
    let parts = Parts::new(&streams);
    let added = add(number, context, &device, Content::Captured(nodes, parts, conditions));
    watch::became_a_graph(added, uses);
    added
}

/// An instance of the current context that is built task by task from here on.
pub(crate) fn begin_build() -> Answer<usize> {
    let context = context::current_context()?;
    let number = handles::fresh();
    let assembly = Arc::new(Assembly::new(number, context.id()));
    Ok(add(number, context.id(), context.device(), Content::Built(assembly)))
}

fn add(number: usize, context: usize, device: &Arc<Device>, content: Content) -> usize {
    static IDS: AtomicU32 = AtomicU32::new(0);
    let id = IDS.fetch_add(1, SeqCst);
    let device = Arc::clone(device);
    let (name, callbacks) = (Mutex::default(), Mutex::default());
    INSTANCES.insert(number, Arc::new(Instance { number, id, context, device, content, name, callbacks }));
    number
}

/// The instance behind a C argument.
pub(crate) fn find(handle: aclmdlRI) -> Answer<Arc<Instance>> {
    let number = number_of(handle)?;
    INSTANCES.get(number).ok_or_else(|| {
        if is_capturing(number) {
            return Failure::new(ACL_ERROR_RT_MODEL_CAPTURED, "the model instance is still being captured");
        }
        unknown(number)
    })
}

fn unknown(number: usize) -> Failure {
    let failure = Failure::unknown("model instance");
    let failure = failure.breaks(MODEL_14, "a live model instance", "destroy each instance once, after its last run");
    failure.about(Object::graph(number as u64))
}

/// What an instance has, or will have, as JSON.
pub(crate) fn describe(handle: aclmdlRI) -> Answer<String> {
    let number = number_of(handle)?;
    match find(handle) {
        Ok(instance) => {
            let name = instance.name().escape_default().to_string();
            let (id, tasks) = (instance.id, instance.nodes().len());
            Ok(format!("{{\"id\": {id}, \"name\": \"{name}\", \"tasks\": {tasks}}}\n"))
        }
        Err(_) if is_capturing(number) => Ok("{\"capturing\": true}\n".to_owned()),
        Err(failure) => Err(failure),
    }
}

/// Destroys an instance of the current context. The program can no longer use a running instance (GRAPH-07); the run
/// goes on.
pub(crate) fn remove(handle: aclmdlRI) -> Answer {
    find(handle)?.of_current_context()?;
    // When two threads destroy the same instance, one of them finds it destroyed.
    let number = number_of(handle)?;
    let instance = INSTANCES.remove(number).ok_or_else(|| unknown(number))?;
    update::forget(number);
    let callbacks = std::mem::take(&mut *lock(&instance.callbacks));
    for callback in callbacks {
        user_code::run_within(0, || watch::run(&callback));
    }
    instance.release();
    Ok(())
}

/// Has a function called when the instance is destroyed.
pub(crate) fn register(handle: aclmdlRI, callback: HostCallback) -> Answer {
    lock(&find(handle)?.callbacks).push(callback);
    Ok(())
}

impl Instance {
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn name(&self) -> String {
        lock(&self.name).clone()
    }

    pub(crate) fn rename(&self, name: &str) {
        *lock(&self.name) = name.to_owned();
    }

    /// Whether this function is called when the instance is destroyed.
    pub(crate) fn is_registered(&self, is: impl Fn(&HostCallback) -> bool) -> bool {
        lock(&self.callbacks).iter().any(is)
    }

    /// No longer has a function called; `false` when it was not going to be.
    pub(crate) fn unregister(&self, is: impl Fn(&HostCallback) -> bool) -> bool {
        let removed: Vec<HostCallback> = lock(&self.callbacks).extract_if(.., |callback| is(callback)).collect();
        !removed.is_empty()
    }

    /// 107004 unless the instance belongs to the current context.
    pub(crate) fn of_current_context(&self) -> Answer {
        let current = context::current_context()?.id();
        if current == self.context {
            return Ok(());
        }
        let text =
            format!("the model instance belongs to context {:#x}, which is not current: {current:#x} is", self.context);
        let failure = Failure::new(ACL_ERROR_RT_MODEL_CONTEXT, text).breaks(
            MODEL_01,
            "the context is current in which the instance was made",
            "call aclrtSetCurrentContext with the instance's own context first",
        );
        Err(failure.about(Object::graph(self.number as u64)))
    }

    /// The state of an instance that the program builds. A captured instance is complete.
    pub(crate) fn assembly(&self) -> Answer<&Arc<Assembly>> {
        match &self.content {
            Content::Built(assembly) => Ok(assembly),
            Content::Captured(..) => {
                Err(Failure::refused("the model instance was captured; it is not built task by task"))
            }
        }
    }

    fn nodes(&self) -> Vec<Arc<Node>> {
        match &self.content {
            Content::Captured(nodes, ..) => nodes.clone(),
            Content::Built(assembly) => assembly.nodes(),
        }
    }

    /// How each run is ordered with work outside.
    pub(crate) fn ties(&self) -> Vec<Tie> {
        match &self.content {
            Content::Captured(nodes, ..) => nodes.iter().filter_map(|node| node.tie()).collect(),
            Content::Built(_) => Vec::new(),
        }
    }

    /// Queues one run. A stream that is captured takes none.
    pub(crate) fn submit(self: &Arc<Self>, stream: &Arc<Stream>) -> Answer {
        let number = stream.number();
        match &self.content {
            Content::Captured(nodes, parts, _) => {
                parts.refuse_late()?;
                let instance = Arc::clone(self);
                let list: Arc<Mutex<Vec<Queued>>> = Arc::default();
                let of_run = Arc::clone(&list);
                // A worker may come to the run before the list is filled, and waits for this lock then. Nobody else does.
                let mut queued = lock(&list);
                stream.submit(move || {
                    let queued = std::mem::take(&mut *lock(&of_run));
                    instance.run(number, queued)
                })?;
                // This comes after the submission: a run that the stream refuses changes no event.
                *queued = nodes.iter().map(|node| node.queued()).collect();
                Ok(())
            }
            Content::Built(assembly) => {
                let (program, assembly) = (assembly.program()?, Arc::clone(assembly));
                stream.submit(move || assembly.run(&program, number)).map(drop)
            }
        }
    }

    /// A captured instance runs on a stream of the program only.
    pub(crate) fn refuse_captured(&self) -> Answer {
        match self.content {
            Content::Built(_) => Ok(()),
            Content::Captured(..) => {
                Err(Failure::refused("a model instance that was captured is run by aclmdlRIExecuteAsync"))
            }
        }
    }

    /// Runs it once, on no stream of the program's, and waits for the end.
    pub(crate) fn execute(self: &Arc<Self>, deadline: Option<Instant>) -> Answer {
        let stream = table::create(self.context, &self.device, Kind { of_model: true, ..Kind::default() })?;
        let answer = self.submit(&stream).and_then(|()| stream.synchronize(deadline));
        discard_stream(&stream);
        answer
    }

    /// As on a stream, a node that fails does not keep the next from running.
    fn run(&self, stream: usize, queued: Vec<Queued>) -> Answer {
        let (nodes, conditions): (&[_], &[_]) = match &self.content {
            Content::Captured(nodes, _, conditions) => (nodes, conditions),
            Content::Built(_) => (&[], &[]),
        };
        conditions.iter().for_each(|condition| condition.begin_run());
        let mut answer = Ok(());
        for (node, queued) in nodes.iter().zip(queued) {
            let ran = match queued {
                Some(task) if !node.is_left_out() => task(stream),
                Some(_) => Ok(()),
                None => node.run(stream),
            };
            answer = answer.and(ran);
        }
        answer
    }

    /// Ends the runs that are under way. There is nothing to break off in what was captured: it runs on a stream of the
    /// program's.
    pub(crate) fn abort(&self) {
        if let Content::Built(assembly) = &self.content {
            assembly.abort();
        }
    }

    /// Disabled tasks are left out of the runs from here on.
    pub(crate) fn update(&self) -> Answer {
        tasks::refuse_changes("changed")?;
        self.nodes().iter().for_each(|node| node.update());
        Ok(())
    }

    /// The handles of its streams. Those of a captured instance are the library's own.
    pub(crate) fn streams(&self) -> Answer<Vec<usize>> {
        match &self.content {
            Content::Captured(nodes, parts, _) => parts.streams(self.context, &self.device, nodes),
            Content::Built(assembly) => Ok(assembly.streams()),
        }
    }

    /// No handle leads to it any more.
    fn release(&self) {
        tasks::forget(&self.nodes());
        match &self.content {
            Content::Captured(_, parts, conditions) => {
                conditions.iter().for_each(|condition| condition.forget());
                parts.release();
            }
            Content::Built(assembly) => assembly.release(),
        }
    }
}

fn number_of(handle: aclmdlRI) -> Answer<usize> {
    if handle.is_null() {
        return Err(watch::no_graph(Failure::invalid("the model instance is null")));
    }
    Ok(handle.0.addr())
}

/// The context ends, and its instances with it: no handle leads to them any more.
pub(in crate::machine) fn take_of_context(context: usize) -> Vec<Arc<Instance>> {
    INSTANCES.remove_all(|instance| instance.context == context)
}

/// The streams of their context have run out.
pub(in crate::machine) fn release(instances: Vec<Arc<Instance>>) {
    for instance in instances {
        instance.abort();
        update::forget(instance.number);
        instance.release();
    }
}

pub(in crate::machine) fn clear() {
    release(INSTANCES.remove_all(|_| true));
    labels::clear();
    update::clear();
    conditions::clear();
}
