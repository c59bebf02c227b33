//! The captured tasks as data and as a diagram.

use core::fmt::{self, Write};
use std::collections::BTreeSet;

/// What a task of a captured graph does. `{}` prints one word, the same as in the [diagram](Topology::to_mermaid).
///
/// ```
/// use ascendcl::Library;
/// use ascendcl::capture::{CaptureMode, TaskKind};
///
/// ascendcl::run(Library::Simulator, |current| {
///     let mut stream = current.stream()?.without_allocator();
///     let operands = (current.upload(&[1_u8; 8])?, current.upload(&[0_u8; 8])?);
///     let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (from, mut to)| {
///         capture.set_bytes(&mut to, 7)?;
///         capture.copy_on_device(&from, &mut to)
///     })?;
///     let kinds: Vec<TaskKind> = graph.topology().tasks.iter().map(|task| task.kind).collect();
///     assert_eq!(kinds, [TaskKind::SetMemory, TaskKind::CopyMemory]);
///     assert_eq!(TaskKind::SetMemory.to_string(), "set");
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum TaskKind {
    /// A copy between two operands.
    CopyMemory,
    /// Sets all bytes of an operand.
    SetMemory,
    /// An execution of a model.
    ExecuteModel,
    /// An execution of an operator.
    LaunchOperator,
    /// A call of a function on the host.
    Callback,
    /// The wait for another branch.
    Wait,
    /// A condition. A [`Body`](Self::Body) follows for each list of tasks that may run, and then the [`End`](Self::End).
    If,
    /// A loop. Its [`Body`](Self::Body) follows, and then the [`End`](Self::End).
    While,
    /// The beginning of a body of a condition or loop, on a branch of its own.
    Body,
    /// A choice by a number. A [`Case`](Self::Case) follows for each case, in order, and then the [`End`](Self::End).
    Switch,
    /// The beginning of a case of a switch.
    Case,
    /// The end of a condition, a loop or a switch.
    End,
}

impl fmt::Display for TaskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::CopyMemory => "copy",
            Self::SetMemory => "set",
            Self::ExecuteModel => "model",
            Self::LaunchOperator => "operator",
            Self::Callback => "callback",
            Self::Wait => "wait",
            Self::If => "if",
            Self::While => "while",
            Self::Body => "body",
            Self::Switch => "switch",
            Self::Case => "case",
            Self::End => "end",
        })
    }
}

/// One task of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CapturedTask {
    /// What the task does.
    pub kind: TaskKind,
    /// The number of its branch, and so of its stream. The capture began on branch 0.
    pub branch: usize,
    /// The numbers of the tasks that it comes after.
    pub after: Vec<usize>,
    /// The numbers of the operands that it reads.
    pub reads: Vec<usize>,
    /// The numbers of the operands that it writes.
    pub writes: Vec<usize>,
}

/// The tasks of a graph, and the order between them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Topology {
    /// The operands' names, by number: `host 0`, `device 1`, `model 2`.
    pub operands: Vec<String>,
    /// The tasks in the order of the capture.
    pub tasks: Vec<CapturedTask>,
}

impl CapturedTask {
    pub(super) fn new(kind: TaskKind, branch: usize, after: Vec<usize>, (reads, writes): (&[usize], &[usize])) -> Self {
        Self { kind, branch, after, reads: reads.to_vec(), writes: writes.to_vec() }
    }
}

impl Topology {
    pub(super) fn new(operands: Vec<String>, tasks: Vec<CapturedTask>) -> Self {
        Self { operands, tasks }
    }

    /// Adds operands, whose names were made with numbers from 0 on.
    pub(super) fn add_operands(&mut self, names: Vec<String>) {
        let before = self.operands.len();
        let kinds = names.iter().filter_map(|name| name.split(' ').next()).enumerate();
        self.operands.extend(kinds.map(|(number, kind)| format!("{kind} {}", before + number)));
    }

    /// Replaces the operators of the tasks from `first` on.
    pub(super) fn replace_operators(&mut self, first: usize, operators: &[usize]) {
        for (task, operator) in self.tasks.iter_mut().skip(first).zip(operators) {
            task.writes = vec![*operator];
        }
    }

    /// Whether these operators, as those of the tasks from `first` on, would be used by other tasks that may run at the
    /// same time.
    pub(super) fn uses_at_once(&self, first: usize, operators: &[usize]) -> bool {
        let group = first..first + operators.len();
        let uses = |task: &CapturedTask, operator| task.reads.contains(operator) || task.writes.contains(operator);
        group.clone().zip(operators).any(|(own, operator)| {
            let tasks = self.tasks.iter().enumerate();
            let mut others = tasks.filter(|(number, task)| !group.contains(number) && uses(task, operator));
            others.any(|(other, _)| !self.before(own.max(other)).contains(&own.min(other)))
        })
    }

    /// The tasks that are done when this one begins, and itself.
    fn before(&self, task: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([task]);
        let mut next = Some(task);
        // A task comes after tasks with smaller numbers.
        while let Some(task) = next {
            found.extend(self.tasks.get(task).into_iter().flat_map(|task| &task.after));
            next = found.range(..task).next_back().copied();
        }
        found
    }

    /// The graph as a Mermaid flowchart. Each stream is a subgraph. An arrow within a stream is the order of the stream
    /// (STREAM-04), or leads to a case of a switch. A dotted arrow is an event between two streams (GRAPH-06).
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        let branches = self.tasks.iter().map(|task| task.branch).max().map_or(0, |last| last + 1);
        for branch in 0..branches {
            let _ = writeln!(text, "  subgraph stream{branch}[\"stream {branch}\"]");
            for (number, task) in self.tasks.iter().enumerate().filter(|(_, task)| task.branch == branch) {
                let _ = writeln!(text, "    t{number}[\"{}\"]", self.label(task));
            }
            text.push_str("  end\n");
        }
        for (number, task) in self.tasks.iter().enumerate() {
            if let (TaskKind::Case, [switch]) = (task.kind, task.after.as_slice()) {
                let _ = writeln!(text, "  t{switch} -- case {} --> t{number}", self.case(number, *switch));
                continue;
            }
            for before in &task.after {
                let arrow = match self.tasks.get(*before).is_some_and(|before| before.branch == task.branch) {
                    true => "-- STREAM-04 -->",
                    false => "-. GRAPH-06 .->",
                };
                let _ = writeln!(text, "  t{before} {arrow} t{number}");
            }
        }
        text
    }

    /// The number of the case that this task begins.
    fn case(&self, task: usize, switch: usize) -> usize {
        let earlier = self.tasks.iter().take(task);
        earlier.filter(|earlier| earlier.kind == TaskKind::Case && earlier.after == [switch]).count()
    }

    fn label(&self, task: &CapturedTask) -> String {
        let names = |numbers: &[usize]| {
            let names: Vec<_> =
                numbers.iter().filter_map(|number| self.operands.get(*number)).map(String::as_str).collect();
            names.join(", ")
        };
        match (task.reads.as_slice(), task.writes.as_slice()) {
            ([], []) => task.kind.to_string(),
            ([], writes) => format!("{}: {}", task.kind, names(writes)),
            (reads, []) => format!("{}: {}", task.kind, names(reads)),
            (reads, writes) => format!("{}: {} to {}", task.kind, names(reads), names(writes)),
        }
    }
}
