//! Captured graphs.

use super::operands::GraphOperands;
use super::topology::Topology;
use crate::brand::{Brand, INSIDE, Inside, Mark, Scoped};
use crate::current::Current;
use crate::error::{Boxed, Error, Failed};
use crate::ffi::{FirstPanic, NotReplayed, RawGraph, RawStream, c_path, c_text};
use crate::panics::after_dropping;
use crate::stream::{Operand, Pending, StreamOps, sealed_payload};
use ascendcl_macros::rule;
use core::fmt;
use core::mem::ManuallyDrop;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::path::Path;
use std::sync::{Arc, PoisonError};

/// How much of a graph [`CapturedGraph::debug_json`] writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GraphDetail {
    /// The tasks and their order.
    Summary,
    /// Also the parameters of each task.
    Verbose,
}

/// Captured work, and everything that it uses.
///
/// A replay moves the graph into its [`Pending`], which can be given to the next replay on the same stream. So a graph
/// has one replay at a time, or several in the order of one stream. No code can access the operands in that time.
/// Between replays [`operands`](Self::operands) gives access to them.
///
/// A graph that is dropped is destroyed by [`Current::collect`] or the end of its scope.
#[must_use = "a graph that is dropped is destroyed by `collect` or at the end of its scope"]
#[rule(GRAPH_05, GRAPH_07, GRAPH_10)]
#[diagnostic::on_move(
    message = "this graph replays, or was taken apart",
    note = "GRAPH-07: one replay at a time: `pending.wait(current)?` gives back the graph"
)]
pub struct CapturedGraph<
    C: Brand, // CTX-02: the context comes first, then what the graph has: `CapturedGraph<Vision, G>`
    G,
> {
    /// Behind one pointer, because a graph is moved into each of its replays, and out again.
    pub(super) parts: Box<Parts<G>>,
    _brand: Mark<C>,
}

pub(super) struct Parts<G> {
    pub(super) operands: G,
    pub(super) raw: Arc<RawGraph>,
    pub(super) topology: Topology,
    panicked: FirstPanic,
}

assert_impl_all!(CapturedGraph<Scoped<'static>, ()>: Send);
assert_not_impl_any!(CapturedGraph<Scoped<'static>, ()>: Clone);

impl<C: Brand> StreamOps<C> {
    /// Queues one run of a graph (`aclmdlRIExecuteAsync`) on any stream of its context. The graph may already be in
    /// flight on this stream; then the runs follow each other.
    ///
    /// # Errors
    ///
    /// Returns the graph unchanged, with [`Error::OtherStream`] when it is in flight on another stream,
    /// [`Error::NotItsStream`] when it was captured on another stream that has an allocator, [`Error::InDoubt`] when a
    /// replay that could not be waited for may still be running, or [`Error::Vendor`].
    #[rule(GRAPH_07)]
    #[inline]
    pub fn replay<G: GraphOperands<C>, R: Operand<C, CapturedGraph<C, G>>>(
        &self,
        current: &Current<C>,
        graph: R,
    ) -> Result<Pending<C, CapturedGraph<C, G>>, Failed<R>> {
        if let Err(error) = graph.usable_on(self.queue()) {
            return Err(Failed { error, value: graph });
        }
        // As in `set_bytes`.
        let graph = ManuallyDrop::new(graph);
        let (here, stream) = (current.here(), self.queue());
        let raw = &graph.operand_value(INSIDE).parts.raw;
        let (queue, number) = match raw.replay_at_once(here, stream) {
            Some((queue, Ok(number))) => (queue, number),
            Some((queue, Err(failed))) => return Err(not_replayed(queue, failed, ManuallyDrop::into_inner(graph))),
            None => match raw.replay(here, stream) {
                Ok(number) => (Arc::clone(stream), number),
                Err(error) => return Err(failed_to_replay(error, ManuallyDrop::into_inner(graph))),
            },
        };
        let graph = ManuallyDrop::into_inner(graph);
        let past = R::HAS_PAST.then(|| graph.past_of_operand(INSIDE));
        let mut graph = graph.taken_by_work(INSIDE);
        graph.parts.operands.note_replay(INSIDE);
        let replay = Pending::with_queue(graph, queue, number);
        Ok(match past {
            Some(past) => replay.after(past),
            None => replay,
        })
    }
}

/// Settles a replay that failed.
#[cold]
#[inline(never)]
fn not_replayed<C: Brand, G: GraphOperands<C>, R: Operand<C, CapturedGraph<C, G>>>(
    queue: Arc<RawStream>,
    failed: NotReplayed,
    graph: R,
) -> Failed<R> {
    let error = graph.operand_value(INSIDE).parts.raw.settle_replay(&queue, failed);
    failed_to_replay(error, graph)
}

/// A replay that may have run all the same leaves outputs of which nobody knows what they are of.
#[cold]
#[inline(never)]
fn failed_to_replay<C: Brand, G: GraphOperands<C>, R: Operand<C, CapturedGraph<C, G>>>(
    error: Boxed,
    mut graph: R,
) -> Failed<R> {
    if !error.as_error().rules_out_that_work_was_queued() {
        graph.operand_value_mut(INSIDE).parts.operands.note_failure(INSIDE);
    }
    Failed::boxed(error, graph)
}

impl<C: Brand, G> CapturedGraph<C, G> {
    pub(super) fn new(operands: G, raw: Arc<RawGraph>, topology: Topology, panicked: FirstPanic) -> Self {
        Self { parts: Box::new(Parts { operands, raw, topology, panicked }), _brand: Mark::NEW }
    }

    /// The same graph with other operands, which it owns from now on.
    pub(super) fn with<H>(self, operands: impl FnOnce(G) -> H) -> CapturedGraph<C, H> {
        let Parts { operands: before, raw, topology, panicked } = *self.parts;
        CapturedGraph::new(operands(before), raw, topology, panicked)
    }

    /// The tasks, and the order between them.
    pub fn topology(&self) -> &Topology {
        &self.parts.topology
    }

    /// The graph as a diagram: [`Topology::to_mermaid`].
    pub fn to_mermaid(&self) -> String {
        self.parts.topology.to_mermaid()
    }

    /// Returns the first panic of a captured callback since the last call, as [`Error::CallbackPanicked`].
    pub fn take_panic(&mut self) -> Option<Error> {
        let message = self.parts.panicked.lock().unwrap_or_else(PoisonError::into_inner).take();
        message.map(|message| Error::CallbackPanicked { message })
    }

    /// Sets the graph's name in the library's tools (`aclmdlRISetName`).
    ///
    /// # Errors
    ///
    /// [`Error::NulInText`], [`Error::MissingFunction`] on releases that lack the function, or [`Error::Vendor`].
    pub fn set_name(&self, current: &Current<C>, name: &str) -> Result<(), Error> {
        self.parts.raw.set_name(current.ledger().api(), &c_text(name)?)
    }

    /// The graph's name (`aclmdlRIGetName`).
    ///
    /// # Errors
    ///
    /// [`Error::MissingFunction`] on releases that lack the function, or [`Error::Vendor`].
    pub fn name(&self, current: &Current<C>) -> Result<String, Error> {
        self.parts.raw.name(current.ledger().api())
    }

    /// Makes the library print its information about the graph to the standard output (`aclmdlRIDebugPrint`).
    ///
    /// # Errors
    ///
    /// [`Error::MissingFunction`] on releases that lack the function, or [`Error::Vendor`].
    pub fn debug_print(&self, current: &Current<C>) -> Result<(), Error> {
        self.parts.raw.debug_print(current.ledger().api())
    }

    /// Makes the library write its information about the graph to a file, as JSON (`aclmdlRIDebugJsonPrint`).
    ///
    /// ```
    /// use ascendcl::capture::{CaptureMode, GraphDetail};
    ///
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let mut stream = current.stream()?.without_allocator();
    /// let bytes = current.device_buffer::<u8>(4)?.zero(current)?;
    /// let graph = stream.capture(current, CaptureMode::Relaxed, bytes, |capture, mut bytes| {
    ///     capture.set_bytes(&mut bytes, 7)
    /// })?;
    /// let file = std::env::temp_dir().join(format!("graph_{}.json", std::process::id()));
    /// graph.debug_json(current, &file, GraphDetail::Summary)?;
    /// # assert!(std::fs::remove_file(file).is_ok());
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NulInPath`], [`Error::MissingFunction`] on releases that lack the function, or [`Error::Vendor`].
    pub fn debug_json(&self, current: &Current<C>, path: impl AsRef<Path>, detail: GraphDetail) -> Result<(), Error> {
        let verbose = detail == GraphDetail::Verbose;
        self.parts.raw.debug_json(current.ledger().api(), &c_path(path.as_ref())?, verbose)
    }
}

impl<C: Brand, G: GraphOperands<C>> CapturedGraph<C, G> {
    /// Access to the operands between replays: pinned memory as slices, the others as an
    /// [`OperandAccess`](crate::capture::OperandAccess). The next replay reads what is written here.
    ///
    /// # Errors
    ///
    /// [`Error::InDoubt`] when a replay that could not be waited for may still be running; [`Error::WrongContext`] with a
    /// `Current` of another context.
    #[rule(GRAPH_05)]
    pub fn operands<'a>(&'a mut self, current: &'a Current<C>) -> Result<G::Access<'a>, Error> {
        self.parts.raw.check_usable()?;
        self.parts.operands.access_between_replays(current, INSIDE)
    }

    /// Destroys the graph (`aclmdlRIDestroy`) and returns the operands. The state of callbacks is dropped.
    ///
    /// The operands have the types that they had at the capture. So an output of an operator that was bound to new
    /// memory is unwritten memory here, too, although the replays have written it:
    /// [`Capture::launch`](super::Capture::launch) says how to read it.
    ///
    /// # Errors
    ///
    /// Returns the graph: unchanged with [`Error::StillRunning`], when a replay that could not be waited for may still be
    /// running. After [`Error::Vendor`] a graph that was [built](super::GraphBuild) cannot be replayed any more
    /// ([`Error::Gone`]), because the library may have taken its streams out of it: only this method can be called again.
    #[rule(GRAPH_07, GRAPH_08)]
    pub fn into_operands(self, current: &Current<C>) -> Result<G, Failed<Self>> {
        let mut kept = Vec::new();
        match current.ledger().destroy_graph(&self.parts.raw, &mut kept) {
            Ok(()) => Ok(after_dropping(kept, self.parts.operands)),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<C: Brand, G: GraphOperands<C>> sealed_payload::Payload for CapturedGraph<C, G> {
    #[inline]
    fn mark_work_done(&self, _: Inside) {
        self.parts.raw.mark_idle();
    }

    fn follow(&self, _: (u64, u64), queue: &RawStream, _: Inside) {
        self.parts.raw.follow(queue);
    }

    fn note_failure(&mut self, _: Inside) {
        self.parts.operands.note_failure(INSIDE);
    }
}

impl<C: Brand, G> fmt::Debug for CapturedGraph<C, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.raw.shown_as("CapturedGraph", f)
    }
}
