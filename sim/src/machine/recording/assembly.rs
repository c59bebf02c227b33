//! The instance that a program builds task by task, before it is complete.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::recording::finished::refuse_late;
use crate::machine::recording::program::{Mark, Part, Program, Step, What};
use crate::machine::recording::tasks::{self, Node, Sort, Work};
use crate::machine::watch;
use ascendcl_rules::{GRAPH_08, Object};
use ascendcl_sys::error_codes::*;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};

pub(crate) struct Assembly {
    /// Of the instance.
    pub(in crate::machine) number: usize,
    pub(in crate::machine) context: usize,
    pub(in crate::machine) state: Mutex<State>,
    /// Whether a run is under way: there is one at a time, since each uses all streams.
    pub(in crate::machine) busy: Mutex<bool>,
    pub(in crate::machine) free: Condvar,
    /// How often the runs were broken off.
    pub(in crate::machine) aborts: AtomicU64,
}

#[derive(Default)]
pub(in crate::machine) struct State {
    /// In the order of their binding.
    pub(in crate::machine) bound: Vec<Bound>,
    pub(in crate::machine) complete: bool,
    /// Work came after the end.
    pub(in crate::machine) late: bool,
}

pub(in crate::machine) struct Bound {
    pub(in crate::machine) stream: usize,
    pub(in crate::machine) is_head: bool,
    /// Nothing follows.
    pub(in crate::machine) ended: bool,
    pub(in crate::machine) steps: Vec<Arc<Step>>,
}

impl Assembly {
    pub(in crate::machine) fn new(number: usize, context: usize) -> Self {
        let (busy, free) = (Mutex::new(false), Condvar::new());
        Self { number, context, state: Mutex::default(), busy, free, aborts: AtomicU64::new(0) }
    }

    pub(in crate::machine) fn take(&self, stream: usize) -> Option<Bound> {
        let mut state = lock(&self.state);
        let at = state.bound.iter().position(|bound| bound.stream == stream)?;
        Some(state.bound.remove(at))
    }

    /// The stream is destroyed.
    pub(in crate::machine) fn forget_stream(&self, stream: usize) {
        drop(self.take(stream));
    }

    /// Nothing follows on the stream.
    pub(crate) fn end_task(&self, stream: usize) -> Answer {
        let mut state = lock(&self.state);
        let bound = state.bound.iter_mut().find(|bound| bound.stream == stream);
        let refused = |text: &'static str| Err(self.out_of_order(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text)));
        match bound {
            None => refused("the stream is not bound to this model instance, so it has no tasks to end there"),
            Some(bound) if bound.ended => refused("the tasks of the stream have ended already"),
            Some(bound) => {
                let node = Node::empty(bound.stream, Sort::ACL_MODEL_RI_TASK_DEFAULT);
                bound.steps.push(Arc::new(Step { node, what: What::End }));
                bound.ended = true;
                Ok(())
            }
        }
    }

    /// The stream has no tasks any more, until the build ends.
    pub(crate) fn clean(&self, stream: usize) -> Answer {
        let dropped = {
            let mut state = lock(&self.state);
            if state.complete {
                let text = "the build of the model instance has ended, so its tasks stay";
                return Err(self.out_of_order(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text)));
            }
            let bound = state.bound.iter_mut().find(|bound| bound.stream == stream);
            let unbound = || self.out_of_order(in_no_model("the stream is not bound to this model instance"));
            let bound = bound.ok_or_else(unbound)?;
            bound.ended = false;
            std::mem::take(&mut bound.steps)
        };
        watch::begins_to_keep(stream);
        dropped.iter().for_each(|step| tasks::forget(std::slice::from_ref(&step.node)));
        Ok(())
    }

    /// The instance is complete; it may be said twice.
    pub(crate) fn complete(&self) -> Answer {
        let mut state = lock(&self.state);
        if state.bound.is_empty() {
            return Err(self.out_of_order(in_no_model("no stream is bound to the model instance")));
        }
        let again = std::mem::replace(&mut state.complete, true);
        let streams: Vec<usize> = state.bound.iter().map(|bound| bound.stream).collect();
        drop(state);
        if !again {
            watch::became_a_built_graph(self.number, streams.into_iter().flat_map(watch::keeps_no_more).collect());
        }
        Ok(())
    }

    /// A task of a bound stream.
    pub(in crate::machine) fn record(&self, stream: usize, sort: Sort, work: Work) -> Answer {
        self.push(stream, Step::work(Node::new(stream, sort, work)))
    }

    /// A step of a bound stream that says which steps run.
    pub(crate) fn issue(&self, stream: usize, sort: Sort, what: What) -> Answer {
        self.push(stream, Step { node: Node::empty(stream, sort), what })
    }

    /// A task that comes too late is accepted, as measured, and the instance can no longer run (GRAPH-08).
    fn push(&self, stream: usize, step: Step) -> Answer {
        let mut state = lock(&self.state);
        let complete = state.complete;
        match state.bound.iter_mut().find(|bound| bound.stream == stream) {
            Some(bound) if !complete && !bound.ended => {
                bound.steps.push(Arc::new(step));
                Ok(())
            }
            // It was unbound since.
            None => Ok(()),
            Some(_) => {
                state.late = true;
                drop(state);
                drop(step);
                watch::mistaken(|| self.out_of_order(refuse_late()))
            }
        }
    }

    /// Something of the build does not come in its turn (GRAPH-08).
    pub(in crate::machine) fn out_of_order(&self, failure: Failure) -> Failure {
        let failure = failure.breaks(
            GRAPH_08,
            "a build: begin, bind persistent streams, give them work, end the tasks of a stream, end the build; nothing comes after",
            "call aclmdlRIBuildBegin, aclmdlRIBindStream, the work, aclmdlRIEndTask and aclmdlRIBuildEnd in this order",
        );
        failure.about(Object::graph(self.number as u64))
    }

    /// A record of an event on one of its streams.
    pub(in crate::machine) fn mark(&self) -> Arc<Mark> {
        Mark::new(self.number)
    }

    pub(in crate::machine) fn owns(&self, mark: &Mark) -> bool {
        mark.owner == self.number
    }

    pub(crate) fn has(&self, stream: usize) -> bool {
        lock(&self.state).bound.iter().any(|bound| bound.stream == stream)
    }

    pub(in crate::machine) fn streams(&self) -> Vec<usize> {
        lock(&self.state).bound.iter().map(|bound| bound.stream).collect()
    }

    pub(in crate::machine) fn nodes(&self) -> Vec<Arc<Node>> {
        lock(&self.state).bound.iter().flat_map(Bound::nodes).collect()
    }

    pub(in crate::machine) fn nodes_of(&self, stream: usize) -> Vec<Arc<Node>> {
        lock(&self.state).bound.iter().find(|bound| bound.stream == stream).map(Bound::nodes).unwrap_or_default()
    }

    /// The program of a run, if the instance can run (507011).
    pub(in crate::machine) fn program(&self) -> Answer<Program> {
        let state = lock(&self.state);
        let refused = |text: &'static str| Err(self.out_of_order(Failure::new(ACL_ERROR_RT_MODEL_EXECUTE, text)));
        if state.late {
            return Err(self.out_of_order(refuse_late()));
        }
        if state.bound.is_empty() {
            return refused("no stream is bound to the model instance, so it has nothing to run");
        }
        if !state.complete {
            return refused("the model instance is still being built; aclmdlRIBuildEnd comes before its first run");
        }
        if !state.bound.iter().any(|bound| bound.ended) {
            return refused("no stream of the model instance has an end; aclmdlRIEndTask gives it one");
        }
        if !state.bound.iter().any(|bound| bound.is_head) {
            return refused(
                "no stream of the model instance was bound with ACL_MODEL_STREAM_FLAG_HEAD, so none starts",
            );
        }
        let part = |bound: &Bound| Part { stream: bound.stream, is_head: bound.is_head, steps: bound.steps.clone() };
        Ok(Program::new(state.bound.iter().map(part).collect()))
    }

    /// The runs that are under way end before their next step.
    pub(in crate::machine) fn abort(&self) {
        self.aborts.fetch_add(1, SeqCst);
    }
}

impl Bound {
    pub(in crate::machine) fn nodes(&self) -> Vec<Arc<Node>> {
        self.steps.iter().map(|step| Arc::clone(&step.node)).collect()
    }
}

pub(in crate::machine) fn in_no_model(text: impl Into<std::borrow::Cow<'static, str>>) -> Failure {
    Failure::new(ACL_ERROR_RT_STREAM_MODEL, text)
}
