//! What a capture became: work that runs as often as it is asked to.

use super::super::context::{self, Context};
use super::super::handles::Table;
use super::super::hooks::{self, Hooks};
use super::super::locks::lock;
use super::super::stream::Stream;
use super::super::user_code;
use super::{Node, Work, groups, is_capturing};
use crate::abi::HostCallback;
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclmdlRI;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Once};

pub(crate) struct Instance {
    id: u32,
    context: usize,
    nodes: Vec<Arc<Node>>,
    name: Mutex<String>,
    /// What to call when it is destroyed.
    callbacks: Mutex<Vec<HostCallback>>,
}

static INSTANCES: Table<Instance> = Table::new();

pub(super) fn add(number: usize, context: usize, nodes: Vec<Arc<Node>>) -> usize {
    static IDS: AtomicU32 = AtomicU32::new(0);
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| hooks::register(Hooks { context_ended, count: |_| {}, cleared }));
    let instance =
        Instance { id: IDS.fetch_add(1, SeqCst), context, nodes, name: Mutex::default(), callbacks: Mutex::default() };
    INSTANCES.insert(number, Arc::new(instance));
    number
}

/// The instance behind a C argument.
pub(crate) fn find(handle: aclmdlRI) -> Answer<Arc<Instance>> {
    let number = number_of(handle)?;
    INSTANCES.get(number).ok_or_else(|| {
        if is_capturing(number) {
            return Failure::new(ACL_ERROR_RT_MODEL_CAPTURED, "the model instance is still being captured");
        }
        Failure::unknown("model instance")
    })
}

/// What an instance has, or will have, as JSON.
pub(crate) fn describe(handle: aclmdlRI) -> Answer<String> {
    let number = number_of(handle)?;
    match find(handle) {
        Ok(instance) => {
            let name = instance.name().escape_default().to_string();
            let (id, tasks) = (instance.id, instance.nodes.len());
            Ok(format!("{{\"id\": {id}, \"name\": \"{name}\", \"tasks\": {tasks}}}\n"))
        }
        Err(_) if is_capturing(number) => Ok("{\"capturing\": true}\n".to_owned()),
        Err(failure) => Err(failure),
    }
}

/// Destroys an instance of the current context. One that is running is gone for the program (GRAPH-07); the run goes on.
pub(crate) fn remove(handle: aclmdlRI) -> Answer {
    find(handle)?.of_current_context()?;
    // Of two threads that destroy the same instance one finds it gone.
    let instance = INSTANCES.remove(number_of(handle)?).ok_or_else(|| Failure::unknown("model instance"))?;
    let callbacks = std::mem::take(&mut *lock(&instance.callbacks));
    for callback in callbacks {
        user_code::run_within(0, || callback.run());
    }
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
        if context::current_context()?.id() == self.context {
            return Ok(());
        }
        Err(Failure::new(
            ACL_ERROR_RT_MODEL_CONTEXT,
            "the model instance belongs to a context that is not current here",
        ))
    }

    /// Queues one run. A stream that is captured takes none.
    pub(crate) fn submit(self: &Arc<Self>, stream: &Arc<Stream>) -> Answer {
        let instance = Arc::clone(self);
        let number = stream.number();
        stream.submit(move || instance.run(number)).map(drop)
    }

    /// As on a stream, a node that fails does not keep the next from running.
    fn run(&self, stream: usize) -> Answer {
        let mut answer = Ok(());
        for node in &self.nodes {
            let work = Work::clone(&lock(&node.work));
            answer = answer.and(work(stream));
        }
        answer
    }
}

fn number_of(handle: aclmdlRI) -> Answer<usize> {
    if handle.is_null() {
        return Err(Failure::invalid("the model instance is null"));
    }
    Ok(handle.0.addr())
}

fn context_ended(context: &Context) {
    drop(INSTANCES.remove_all(|instance| instance.context == context.id()));
}

fn cleared() {
    drop(INSTANCES.remove_all(|_| true));
    groups::clear();
}
