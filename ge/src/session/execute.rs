//! Loading and executing graphs.

use super::state::{CanLoad, GraphState, Loaded};
use super::{Graph, Outputs, Session};
use ascendcl::operator::{IdleInputs, OperatorInputs};
use ascendcl::raw::{InFlight, KeptMemory, LastUse, tensors};
use ascendcl::stream::{Pending, Stream, Undecided};
use ascendcl::{Brand, Current, DeviceAllocator, Failed};
use ascendcl_macros::rule;
use ascendcl_rules::graph::CanExecute;
use ascendcl_rules::leads;
use core::fmt;
use std::sync::Arc;

/// A completed execution; inside a [`Pending`], an execution in flight.
#[must_use = "the graph and its inputs are in here"]
pub struct Executed<C: Brand, S: GraphState, I> {
    /// The graph, which can be executed again.
    pub graph: Graph<C, S>,
    /// The inputs, unchanged.
    pub inputs: I,
    /// The outputs of the graph.
    pub outputs: Outputs<C>,
}

/// A graph in flight; after a failure, the graph and its inputs, unchanged.
type Execution<C, S, I> = Result<Pending<C, Executed<C, S, I>>, Failed<(Graph<C, S>, I)>>;

/// Graphs that have a stream before they are loaded, because it came with the allocator.
#[diagnostic::on_unimplemented(
    message = "a graph in state `{Self}` has no stream to be loaded on",
    label = "expected a graph with an allocator, which brought a stream along",
    note = "without an allocator, load it on a stream: `graph.load_on(session, current, stream)`"
)]
pub trait HasStream: GraphState {}

/// Graphs that have no stream before they are loaded.
#[diagnostic::on_unimplemented(
    message = "a graph in state `{Self}` has a stream already",
    label = "expected a graph without an allocator",
    note = "GE-16: a graph is loaded and executed on one stream, the one that its allocator was registered for",
    note = "load it there: `graph.load(session, current)`",
    note = "see `ascendcl-explain GE-16`"
)]
pub trait NeedsStream: GraphState {}

impl<A: DeviceAllocator> HasStream for super::WithAllocator<A> {}
impl NeedsStream for super::Compiled {}
impl NeedsStream for super::WithMemory {}
// The other bound reports that a loaded graph cannot be loaded again.
impl<B: GraphState> HasStream for Loaded<B> {}
impl<B: GraphState> NeedsStream for Loaded<B> {}

impl<C: Brand, S: GraphState> Graph<C, S> {
    /// Loads the graph on the stream that its allocator serves (`Session::LoadGraph`).
    ///
    /// # Errors
    ///
    /// The graph, unchanged: [`EngineError::Stale`](crate::EngineError::Stale) when it has to be built again;
    /// [`Error::StillRunning`](ascendcl::Error::StillRunning) when an earlier load failed, and its work could not be waited
    /// for, until [`Current::synchronize`] has succeeded; or [`EngineError::Failed`](crate::EngineError::Failed), for example
    /// when the allocator has no memory.
    #[rule(GE_01, GE_16, GE_17, GE_25)]
    pub fn load(self, session: &mut Session<C>, current: &Current<C>) -> Result<Graph<C, Loaded<S>>, Failed<Self>>
    where
        S: CanLoad + HasStream,
    {
        leads!(graph: S, CanLoad => Loaded<S>);
        let loaded = session.row().check_ready_for(current, &self.row).and_then(|()| {
            let kept = self.row.stream();
            session.row().load(current, &self.row, &*kept.lend(current)?)
        });
        match loaded {
            Ok(()) => Ok(self.into_loaded()),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Loads the graph on a stream (`Session::LoadGraph`). The stream moves into the graph.
    ///
    /// For a graph with fixed shapes, the engine may refuse each [execution](Self::execute), because it takes the memory of
    /// the outputs from an allocator of the program only: [`register`](Self::register) one where the product supports it.
    ///
    /// # Errors
    ///
    /// The graph and the stream, unchanged, with the errors of [`load`](Self::load).
    #[rule(GE_16, GE_17, GE_18, GE_25)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn load_on( // GE-12, GE-18: on a stream of the session's own context: `current.stream()?`
        self,
        session: &mut Session<C>,
        current: &Current<C>,
        stream: Stream<C, Undecided>,
    ) -> Result<Graph<C, Loaded<S>>, Failed<(Self, Stream<C, Undecided>)>>
    where
        S: CanLoad + NeedsStream,
    {
        leads!(graph: S, CanLoad => Loaded<S>);
        match session.row().load(current, &self.row, &stream) {
            Ok(()) => {
                self.row.keep_stream(stream.keep());
                Ok(self.into_loaded())
            }
            Err(error) => Err(Failed { error, value: (self, stream) }),
        }
    }

    /// Queues one execution on the graph's stream (`Session::ExecuteGraphWithStreamAsync`). Inputs are written device
    /// tensors: one, or a tuple, an array or a `Vec` of them. Nothing orders the execution behind work of another stream,
    /// so they were waited for. The engine allocates the outputs.
    ///
    /// The engine does not compare the inputs with the graph, and this crate cannot ask it what the graph takes. A tensor
    /// that is shorter than the graph's input, or has another element type, gives wrong results or a read beyond its end on
    /// the device. The program ensures that shapes and types fit.
    ///
    /// Memory that executions on several streams have read through shared tensors is freed when no stream has work left, once
    /// its last handle is dropped. [`try_unshare`](ascendcl::SharedBuffer::try_unshare) of the last handle gives a buffer that
    /// can be freed earlier, after waits for up to four streams.
    ///
    /// # Errors
    ///
    /// The graph and the inputs, unchanged: [`EngineError::TooManyDimensions`](crate::EngineError::TooManyDimensions) for
    /// an input with more than 25 dimensions; [`EngineError::Failed`](crate::EngineError::Failed), for example when the
    /// allocator has no memory, or when the graph has fixed shapes and no allocator, and the engine demands one for the
    /// outputs.
    #[rule(GE_02, GE_15, GE_17, GE_19, GE_20, STREAM_04)]
    pub fn execute<I: OperatorInputs<C> + IdleInputs>(
        self, // GE-05, GE-20: `wait(current)?` on the result returns the graph and what it uses
        session: &mut Session<C>,
        current: &Current<C>,
        inputs: I,
    ) -> Execution<C, S, I>
    where
        S: CanExecute,
    {
        let (row, session) = (Arc::clone(&self.row), session.row());
        if let Err(error) = session.check_ready_for(current, &row) {
            return Err(Failed { error, value: (self, inputs) });
        }
        session.release_unnamed(current);
        let stream = row.stream();
        let prepared = stream.lend(current).and_then(|stream| {
            let inputs = tensors(current, &inputs)?;
            Ok((stream, session.prepare(current, &row, inputs)?))
        });
        match prepared {
            Ok((stream, outputs)) => {
                let execution = Executed { graph: self, inputs, outputs: Outputs::new(Arc::clone(&outputs)) };
                let queued = session.execute(current, &row, &stream, &outputs, execution);
                queued.map_err(|failed| failed.map(|execution| (execution.graph, execution.inputs)))
            }
            Err(error) => Err(Failed { error, value: (self, inputs) }),
        }
    }

    fn into_loaded(self) -> Graph<C, Loaded<S>>
    where
        S: CanLoad,
    {
        self.with_state(|carries| carries)
    }
}

impl<C: Brand, S: GraphState, I> fmt::Debug for Executed<C, S, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executed").field("graph", &self.graph).field("outputs", &self.outputs).finish_non_exhaustive()
    }
}

/// While it is in flight, its graph cannot be executed or removed, its inputs are not written or freed, and its outputs
/// stay allocated.
impl<C: Brand, S: GraphState, I> InFlight for Executed<C, S, I> {
    fn uses(&self) -> Vec<&LastUse> {
        vec![self.graph.row.last_use(), self.outputs.row().last_use()]
    }

    fn memory(&self) -> Vec<&KeptMemory> {
        self.outputs.row().memory()
    }
}
