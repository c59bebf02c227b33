//! New work for nodes that were captured before.

use crate::failure::Answer;
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::recording::tasks::{Node, Work};
use crate::machine::watch;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Weak};

/// The groups that have a handle.
pub(in crate::machine) static GROUPS: Table<Group> = Table::new();

/// The instances with groups that are gone, the latest last.
static GONE: Mutex<VecDeque<usize>> = Mutex::new(VecDeque::new());

/// The instance with this number is gone, or its capture came to nothing.
pub(in crate::machine) fn forget(graph: usize) {
    /// Of how many such instances the handles of groups stay good. In the vendor's library they do for ever.
    const REMEMBERED: usize = 64;
    watch::has_no_groups(graph);
    if GROUPS.select(|group| group.graph == graph).is_empty() {
        return;
    }
    let mut gone = lock(&GONE);
    // A body is gone when its capture came to nothing, and again with its condition.
    if gone.contains(&graph) {
        return;
    }
    gone.push_back(graph);
    let forgotten = if gone.len() > REMEMBERED { gone.pop_front() } else { None };
    drop(gone);
    if let Some(graph) = forgotten {
        drop(GROUPS.remove_all(|group| group.graph == graph));
    }
}

pub(in crate::machine) fn clear() {
    lock(&GONE).clear();
    drop(GROUPS.remove_all(|_| true));
}

/// Nodes whose work is replaced together.
pub(crate) struct Group {
    /// The number of their instance.
    pub(in crate::machine) graph: usize,
    /// The instance has them, and their memory. The handle is good after it was destroyed, as measured.
    pub(in crate::machine) nodes: Vec<Weak<Node>>,
    /// A stream updates it. One at a time does.
    updating: AtomicBool,
}

impl Group {
    pub(in crate::machine) fn new(graph: usize, nodes: Vec<Weak<Node>>) -> Self {
        Self { graph, nodes, updating: AtomicBool::new(false) }
    }

    /// Answers `false` when a stream updates it already.
    pub(in crate::machine) fn begin_update(&self) -> bool {
        !self.updating.swap(true, SeqCst)
    }

    /// The update has ended, well or not, or its stream has.
    pub(in crate::machine) fn end_update(&self) {
        self.updating.store(false, SeqCst);
    }
}

/// New work for a group, until it is complete.
pub(crate) struct Update {
    /// The group's handle.
    pub(in crate::machine) handle: usize,
    pub(in crate::machine) group: Arc<Group>,
    /// When it began.
    pub(in crate::machine) begun: u64,
    pub(in crate::machine) work: Mutex<Vec<Work>>,
}

impl Update {
    pub(in crate::machine) fn record(&self, work: Work) -> Answer {
        lock(&self.work).push(work);
        Ok(())
    }
}
