//! Captures under way.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::device::Device;
use crate::machine::recording::conditions::Condition;
use crate::machine::recording::tasks::{Node, Sort, Work};
use ascendcl_rules::Use;
use ascendcl_sys::error_codes::ACL_ERROR_RT_STREAM_NOT_CAPTURED;
use ascendcl_sys::types::{aclError, aclmdlRICaptureMode};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

pub(crate) struct Capture {
    /// Of the instance that it becomes.
    pub(in crate::machine) number: usize,
    pub(in crate::machine) context: usize,
    pub(in crate::machine) device: Arc<Device>,
    pub(in crate::machine) origin: usize,
    pub(in crate::machine) thread: u64,
    /// When it began.
    pub(in crate::machine) begun: u64,
    pub(in crate::machine) mode: aclmdlRICaptureMode,
    pub(in crate::machine) state: Mutex<State>,
}

#[derive(Default)]
pub(in crate::machine) struct State {
    pub(in crate::machine) over: bool,
    /// The reason why it is broken.
    pub(in crate::machine) broken: Option<Cow<'static, str>>,
    /// A stream waited for an event of another capture. Synchronous copies are free again.
    pub(in crate::machine) in_conflict: bool,
    pub(in crate::machine) nodes: Vec<Arc<Node>>,
    /// The predecessors of the next work of each stream of the capture.
    pub(in crate::machine) clocks: BTreeMap<usize, Clock>,
    /// Nodes of the group that is open on a stream.
    pub(in crate::machine) groups: BTreeMap<usize, Vec<Arc<Node>>>,
    /// In the order in which they were made.
    pub(in crate::machine) conditions: Vec<Arc<Condition>>,
    /// The events that its runs record (`true`) or wait for, for streams outside: by the place in memory where the nodes
    /// keep them.
    pub(in crate::machine) outward: BTreeSet<(usize, bool)>,
    /// Streams whose open group was given what it does not take.
    pub(in crate::machine) spoilt: BTreeSet<usize>,
}

/// How much of each stream's work is known to come before.
pub(in crate::machine) type Clock = BTreeMap<usize, u64>;

impl Capture {
    pub(in crate::machine) fn record(&self, stream: usize, sort: Sort, work: Work) -> Answer {
        self.add(stream, Node::new(stream, sort, work))
    }

    /// A task of a stream that takes part.
    pub(in crate::machine) fn add(&self, stream: usize, node: Arc<Node>) -> Answer {
        let mut state = lock(&self.state);
        state.usable()?;
        *state.clocks.entry(stream).or_default().entry(stream).or_default() += 1;
        if let Some(group) = state.groups.get_mut(&stream) {
            group.push(Arc::clone(&node));
        }
        state.nodes.push(node);
        Ok(())
    }

    /// A task that only shows how streams depend on each other: the order of the others keeps that.
    pub(in crate::machine) fn note(&self, stream: usize, sort: Sort) {
        lock(&self.state).nodes.push(Node::empty(stream, sort));
    }

    /// A stream waited for an event of another capture.
    pub(in crate::machine) fn conflict(&self, why: &'static str) {
        let mut state = lock(&self.state);
        state.in_conflict = true;
        state.broken.get_or_insert(Cow::Borrowed(why));
    }

    /// Refuses what the open task group of the stream does not take.
    pub(in crate::machine) fn refuse_in_group(&self, stream: usize, code: aclError) -> Answer {
        let mut state = lock(&self.state);
        if !state.groups.contains_key(&stream) {
            return Ok(());
        }
        let text = "a task group takes work on the device's cores alone";
        state.spoilt.insert(stream);
        state.broken.get_or_insert(Cow::Borrowed(text));
        Err(Failure::new(code, text))
    }
}

impl State {
    pub(in crate::machine) fn usable(&self) -> Answer {
        if self.over {
            return Err(Failure::new(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the capture has ended"));
        }
        Ok(())
    }
}

/// A capture that has ended well.
pub(crate) struct Captured {
    /// Of the instance that it becomes.
    pub(in crate::machine) number: usize,
    pub(in crate::machine) context: usize,
    pub(in crate::machine) device: Arc<Device>,
    /// In the order of their submission.
    pub(in crate::machine) nodes: Vec<Arc<Node>>,
    /// The numbers of the streams that took part, the first one first.
    pub(in crate::machine) streams: Vec<usize>,
    /// What the nodes use, as the checker says.
    pub(in crate::machine) uses: Vec<Use>,
    pub(in crate::machine) conditions: Vec<Arc<Condition>>,
}

impl Captured {
    pub(crate) fn number(&self) -> usize {
        self.number
    }
}
