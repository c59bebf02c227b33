//! New work for nodes that were captured before.

use crate::failure::Answer;
use crate::locks::lock;
use crate::machine::recording::tasks::{Node, Work};
use std::sync::{Arc, Mutex, Weak};

/// Nodes whose work is replaced together.
pub(crate) struct Group {
    /// The number of their instance.
    pub(in crate::machine) graph: usize,
    /// The instance has them, and their memory. The handle is good after it was destroyed, as measured.
    pub(in crate::machine) nodes: Vec<Weak<Node>>,
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
