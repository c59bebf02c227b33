//! Groups of tasks. Their operators can be replaced between replays.

use super::objects::Objects;
use super::operands::GraphOperands;
use super::{CanCapture, Capture, CaptureBranch, Captured, CapturedGraph, Main};
use crate::brand::{Brand, INSIDE, Mark, Scoped};
use crate::current::Current;
use crate::element::ElementType;
use crate::error::{Error, Failed};
use crate::ffi::{RawOperator, RawTaskGroup, TensorMemory};
use crate::operator::{BoundOperator, IdleInputs, IdleOutputs};
use crate::stream::{Pending, Stream};
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::ffi::CString;
use std::sync::Arc;

/// The operators of a group, in order. This is a list of names, so dropping or forgetting it has no effect.
///
/// `L` lists the types of the operators: `(((), BoundOperator<…>), BoundOperator<…>)`. So an update has as many
/// operators as the group, of the same types. What these types do not say, [`Stream::update`] compares; it has an example.
#[must_use = "a list of tasks does nothing until `task_group` or `update` gets it"]
pub struct Tasks<'g, C: Brand, L = (), K = Main<'g>> {
    operators: Vec<usize>,
    _brands: PhantomData<fn(&'g (), C, L, K) -> (&'g (), C, L, K)>,
}

/// A group of tasks of a captured graph, whose operators can be replaced. [`Capture::task_group`] returns it.
///
/// The library destroys the group with the graph. Without this value the graph cannot be updated; it has no other use.
#[must_use = "updates name the group that they replace"]
#[rule(GRAPH_09)]
pub struct TaskGroup<C: Brand, L> {
    raw: RawTaskGroup,
    /// The kinds of the operators. The operators themselves are the graph's.
    kinds: Vec<Kind>,
    /// The number of its first task.
    first: usize,
    _list: PhantomData<fn(L) -> L>,
    _brand: Mark<C>,
}

assert_impl_all!(TaskGroup<Scoped<'static>, ()>: Send, Sync);
assert_not_impl_any!(TaskGroup<Scoped<'static>, ()>: Clone);

impl<'g, C: Brand, K> Tasks<'g, C, (), K> {
    /// A list without tasks.
    #[expect(clippy::new_without_default, reason = "a default would not name the capture")]
    pub fn new() -> Self {
        Self { operators: Vec::new(), _brands: PhantomData }
    }
}

impl<'g, C: Brand, L, K> Tasks<'g, C, L, K> {
    /// Adds one execution of an operator, after the tasks before.
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn launch<I: IdleInputs, O: IdleOutputs>( // GRAPH-09: of this graph and branch: `graph.with_operands(current, ...)` adds some
        mut self,
        operator: &mut Captured<'g, BoundOperator<C, I, O>, K>,
    ) -> Tasks<'g, C, (L, BoundOperator<C, I, O>), K> {
        self.operators.push(operator.object);
        Tasks { operators: self.operators, _brands: PhantomData }
    }
}

impl<'g, C: Brand, K> Capture<'g, C, K> {
    /// Captures operators as a group (`aclmdlRICaptureTaskGrpBegin`, `aclmdlRICaptureTaskGrpEnd`). Later
    /// [`Stream::update`] can replace them by other operators.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`], or [`Error::MissingFunction`] on releases that lack the functions. These do not break the
    /// capture: [`Error::InABody`] in a body of a [condition](Self::run_if), and [`Error::OtherCapture`] for an operator
    /// that is on another branch by now ([`adopt_after`](Self::adopt_after)).
    #[rule(GRAPH_06, GRAPH_09)]
    pub fn task_group<L>(&mut self, tasks: Tasks<'g, C, L, K>) -> Result<TaskGroup<C, L>, Error>
    where
        K: CaptureBranch,
    {
        self.check_no_body()?;
        let recording = self.recording;
        let operators = tasks.operators.iter().map(|object| recording.operator(*object, self.branch));
        let operators = operators.collect::<Result<Vec<_>, _>>()?;
        let grouped = recording.ledger().group_tasks(recording.graph(), &self.queue, &operators);
        let (first, raw) = recording.note_group(self.branch, &tasks.operators, grouped)?;
        let kinds = operators.iter().map(|operator| Kind::of(operator)).collect();
        Ok(TaskGroup { raw, kinds, first, _list: PhantomData, _brand: Mark::NEW })
    }
}

impl<C: Brand, S: CanCapture> Stream<C, S> {
    /// Queues an update of a graph that is not in flight (`aclmdlRICaptureTaskUpdateBegin`,
    /// `aclmdlRICaptureTaskUpdateEnd`). Each operator of `group` is replaced by the operator that `tasks` names at the
    /// same place. Both are operands of the graph; [`CapturedGraph::with_operands`] adds operands. Replays after the
    /// update run the new operators. `tasks` gets an empty list and the names of the graph's operands. The library is
    /// not called before `tasks` returns.
    ///
    /// Branches that are not ordered run at the same time. So a new operator has no task on another branch, unless that
    /// task comes before the group or after it in each replay.
    ///
    /// ```
    /// use ascendcl::capture::{CaptureMode, Tasks};
    /// use ascendcl::operator::Operator;
    /// use ascendcl::{Error, Library, RunError};
    ///
    /// ascendcl::run(Library::Simulator, |current| {
    ///     let mut stream = current.stream()?.without_allocator();
    ///     let negative = current.upload_tensor(&[2], &[-1.0_f32, -2.0])?;
    ///     let positive = current.upload_tensor(&[2], &[1.0_f32, 2.0])?;
    ///     let first = Operator::new("Relu").bind(current, negative, current.upload_tensor(&[2], &[9.0_f32; 2])?)?;
    ///     let second = Operator::new("Relu").bind(current, positive, current.upload_tensor(&[2], &[9.0_f32; 2])?)?;
    ///     let mut group = None;
    ///     let graph = stream.capture(current, CaptureMode::Relaxed, first, |capture, mut first| {
    ///         group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
    ///         Ok(())
    ///     })?;
    ///     let group = group.expect("the capture has made it");
    ///     let graph = graph.with_operands(current, second)?;
    ///     let updated = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second))?;
    ///     let mut graph = stream.replay(current, updated)?.wait(current)?;
    ///     let (first, second) = graph.operands(current)?;
    ///     assert_eq!(first.tensors().1.to_vec(current)?, [9.0, 9.0], "it has not run");
    ///     assert_eq!(second.tensors().1.to_vec(current)?, [1.0, 2.0]);
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), RunError<Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the graph unchanged, with [`Error::OtherCapture`] for a group of another graph and for an operator that
    /// another branch may run at the same time, [`Error::OtherOperator`] for an operator of another kind, or with another
    /// number of tensors or other element types where only run time knows them (`AnyTensor`, `Vec`, `Option`),
    /// [`Error::Capturing`] when the stream is being captured, [`Error::NotItsStream`] for a stream with an allocator on which
    /// the graph was not captured, [`Error::InDoubt`], or [`Error::WrongContext`]. With [`Error::Vendor`] the graph may be half
    /// updated. Then each replay of it returns [`Error::HalfUpdated`], and [`CapturedGraph::into_operands`] returns the
    /// operands.
    #[rule(GRAPH_06, GRAPH_07, GRAPH_09)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn update<G: GraphOperands<C>, L>( // GRAPH-07, GRAPH-09: between replays: `replay.wait(current)?` gives the graph back
        &mut self,
        current: &mut Current<C>,
        mut graph: CapturedGraph<C, G>,
        group: &TaskGroup<C, L>,
        tasks: impl for<'u> FnOnce(Tasks<'u, C>, G::Captured<'u, Main<'u>>) -> Tasks<'u, C, L>,
    ) -> Result<Pending<C, CapturedGraph<C, G>>, Failed<CapturedGraph<C, G>>> {
        if !group.raw.is_of(&graph.parts.raw) {
            return Err(Failed { error: Error::OtherCapture, value: graph });
        }
        let mut objects = Objects::of_a_graph();
        let named = graph.parts.operands.names_of_operands(&mut objects, INSIDE);
        let numbers = tasks(Tasks::new(), named).operators;
        let updated = group.replaced_by(&objects, &numbers).and_then(|operators| {
            if graph.parts.topology.uses_at_once(group.first, &numbers) {
                return Err(Error::OtherCapture);
            }
            current.ledger().api().check_process()?;
            graph.parts.raw.update(current.here(), self.queue(), &group.raw, &operators)
        });
        match updated {
            Ok(number) => {
                graph.parts.topology.replace_operators(group.first, &numbers);
                Ok(Pending::new(graph, self.queue(), number))
            }
            Err(error) => Err(Failed { error, value: graph }),
        }
    }
}

impl<C: Brand, L> TaskGroup<C, L> {
    /// The operators with these numbers, if they are of the group's kinds.
    fn replaced_by(&self, objects: &Objects<'_>, numbers: &[usize]) -> Result<Vec<Arc<RawOperator>>, Error> {
        let pairs = self.kinds.iter().zip(numbers).map(|(expected, number)| {
            let operator = objects.operator(*number)?;
            let found = Kind::of(&operator);
            if found == *expected {
                return Ok(operator);
            }
            let (expected, found) = match found.name == expected.name {
                true => (expected.to_string(), found.to_string()),
                false => (expected.name_in_words(), found.name_in_words()),
            };
            Err(Error::OtherOperator { expected: expected.into(), found: found.into() })
        });
        pairs.collect()
    }
}

/// What an operator and the one that replaces it have in common (GRAPH-09). The types of a list say less where the tensors
/// are `AnyTensor`s, or in a `Vec` or an `Option`.
#[derive(PartialEq, Eq)]
struct Kind {
    name: CString,
    /// The element types of the inputs and of the outputs; `None` for an input that is left out.
    tensors: [Vec<Option<ElementType>>; 2],
}

impl Kind {
    fn of(operator: &RawOperator) -> Self {
        let types = |all: &[Option<TensorMemory>]| {
            all.iter().map(|tensor| tensor.as_ref().map(|tensor| tensor.element)).collect()
        };
        let (inputs, outputs) = operator.tensors();
        Self { name: operator.kind().to_owned(), tensors: [types(inputs), types(outputs)] }
    }

    fn name_in_words(&self) -> String {
        self.name.to_string_lossy().into_owned()
    }
}

/// `Relu(f32) -> f32`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [inputs, outputs] = self.tensors.each_ref().map(|all| {
            let words =
                all.iter().map(|element| element.map_or_else(|| "none".to_owned(), |element| element.to_string()));
            words.collect::<Vec<_>>().join(", ")
        });
        write!(f, "{}({inputs}) -> {outputs}", self.name_in_words())
    }
}

impl<C: Brand, G: GraphOperands<C>> CapturedGraph<C, G> {
    /// Adds operands to the graph, for [updates](Stream::update). Does not call the library. The graph keeps the
    /// operands until [`into_operands`](Self::into_operands), even if no task uses them any more.
    ///
    /// # Errors
    ///
    /// Returns both unchanged, with [`Error::NotPinned`] for ordinary host memory; [`Error::InDoubt`] and
    /// [`Error::WrongContext`] as for queued work.
    #[rule(GRAPH_05, GRAPH_09)]
    pub fn with_operands<H: GraphOperands<C>>(
        mut self,
        current: &Current<C>,
        more: H,
    ) -> Result<CapturedGraph<C, (G, H)>, Failed<(Self, H)>> {
        let api = current.ledger().api();
        let usable = api.check_process().and_then(|()| self.parts.raw.check_current());
        if let Err(error) = usable.and_then(|()| more.check_capturable(current, INSIDE)) {
            return Err(Failed { error, value: (self, more) });
        }
        let raw = Arc::clone(&self.parts.raw);
        let mut objects = Objects::new(&raw);
        let _ = more.names_of_operands::<Main<'_>>(&mut objects, INSIDE);
        self.parts.topology.add_operands(objects.into_names());
        Ok(self.with(|operands| (operands, more)))
    }
}

impl<C: Brand, L, K> fmt::Debug for Tasks<'_, C, L, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tasks").field(&self.operators).finish()
    }
}

impl<C: Brand, L> fmt::Debug for TaskGroup<C, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskGroup").field("tasks", &self.kinds.len()).finish_non_exhaustive()
    }
}
