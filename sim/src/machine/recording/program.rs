//! What runs when an instance runs that was built task by task: the steps of each stream.

use crate::abi::Address;
use crate::locks::lock;
use crate::machine::handles;
use crate::machine::memory::Hold;
use crate::machine::recording::tasks::Node;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// One step of a stream.
pub(in crate::machine) struct Step {
    pub(in crate::machine) node: Arc<Node>,
    pub(in crate::machine) what: What,
}

/// The effects of a step in addition to the work of its node.
pub(crate) enum What {
    Work,
    /// The place of a label.
    Label(usize),
    Branch(Branch),
    /// Starts the stream with this number.
    Activate(usize),
    /// The same, if the comparison holds.
    Choose(Comparison, usize),
    Record(Arc<Mark>),
    Await(Arc<Mark>, Option<Duration>),
    /// Waits in the same run that follow are for the next record.
    Reset(Arc<Mark>),
    /// The end of what the stream runs.
    End,
}

/// Goes on behind the label whose index stands in memory when the stream comes to it.
pub(crate) struct Branch {
    pub(crate) index: Address,
    /// Keeps the memory in place.
    pub(crate) _hold: Hold,
    /// An index that is not below it counts as the last.
    pub(crate) count: u32,
    pub(crate) labels: Vec<usize>,
}

/// Two integers in memory, compared when a stream comes to it.
pub(crate) struct Comparison {
    pub(crate) left: Address,
    pub(crate) right: Address,
    /// Keep the memory in place.
    pub(crate) _holds: [Hold; 2],
    pub(crate) wide: bool,
    pub(crate) holds: fn(&i64, &i64) -> bool,
}

impl Comparison {
    pub(in crate::machine) fn is_true(&self) -> bool {
        let value = |address: Address| match self.wide {
            true => i64::from_ne_bytes(address.array()),
            false => i32::from_ne_bytes(address.array()).into(),
        };
        (self.holds)(&value(self.left), &value(self.right))
    }
}

impl Branch {
    /// The label to go on behind.
    pub(in crate::machine) fn target(&self) -> Result<usize, String> {
        let found = u32::from_ne_bytes(self.index.array());
        let at = found.min(self.count.saturating_sub(1)) as usize;
        let known = self.labels.len();
        self.labels.get(at).copied().ok_or_else(|| {
            format!(
                "the index in memory is {found}, of {} that the call named, and the list has {known} labels",
                self.count
            )
        })
    }
}

/// A record of an event that is part of an instance.
pub(crate) struct Mark {
    pub(in crate::machine) number: usize,
    /// The instance.
    pub(in crate::machine) owner: usize,
    /// When it was reached last, in any run.
    reached: Mutex<Option<Instant>>,
}

impl Mark {
    pub(in crate::machine) fn new(owner: usize) -> Arc<Self> {
        Arc::new(Self { number: handles::fresh(), owner, reached: Mutex::default() })
    }

    pub(in crate::machine) fn reach(&self) {
        *lock(&self.reached) = Some(Instant::now());
    }

    pub(crate) fn is_reached(&self) -> bool {
        lock(&self.reached).is_some()
    }
}

/// The state of the streams at the start of a run.
pub(in crate::machine) struct Program {
    pub(in crate::machine) parts: Vec<Part>,
    /// Where a label stands: in which part, and before which step.
    pub(in crate::machine) labels: BTreeMap<usize, (usize, usize)>,
}

/// The steps of one stream.
pub(in crate::machine) struct Part {
    pub(in crate::machine) stream: usize,
    /// It starts with the run; others start it otherwise.
    pub(in crate::machine) is_head: bool,
    pub(in crate::machine) steps: Vec<Arc<Step>>,
}

impl Program {
    pub(in crate::machine) fn new(parts: Vec<Part>) -> Self {
        let mut labels = BTreeMap::new();
        for (at, part) in parts.iter().enumerate() {
            for (position, step) in part.steps.iter().enumerate() {
                if let What::Label(label) = step.what {
                    labels.insert(label, (at, position));
                }
            }
        }
        Self { parts, labels }
    }

    /// The place of the part of this stream.
    pub(in crate::machine) fn part_of(&self, stream: usize) -> Option<usize> {
        self.parts.iter().position(|part| part.stream == stream)
    }
}

impl Step {
    pub(in crate::machine) fn work(node: Arc<Node>) -> Self {
        Self { node, what: What::Work }
    }
}
