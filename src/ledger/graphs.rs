//! The rows of captures and of the captured graphs that result from them.

use super::Ledger;
use crate::capture_mode::CaptureMode;
use crate::error::{Error, ObjectKind};
use crate::ffi::{Keeps, KeptAllocator, KeptState, RawEvent, RawGraph, RawOperator, RawStream, RawTaskGroup};
use ascendcl_macros::rule;
use core::fmt;
use core::num::NonZeroUsize;
use core::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

impl Ledger {
    /// Begins to capture the stream. The graph's row exists before the capture begins.
    #[rule(GRAPH_01)]
    pub(crate) fn begin_capture(&self, stream: &Arc<RawStream>, mode: CaptureMode) -> Result<Arc<RawGraph>, Error> {
        self.api.check_process()?;
        let graph = self.graphs.put(RawGraph::new());
        graph.begin(self.api, stream, mode).inspect_err(|_| self.forget_if_gone(&graph))?;
        Ok(graph)
    }

    /// Begins to build a graph. After an error, what was created is destroyed, or stays with the scope.
    #[rule(GRAPH_08)]
    pub(crate) fn begin_build(&self) -> Result<Arc<RawGraph>, Error> {
        self.api.check_process()?;
        let graph = self.graphs.put(RawGraph::new());
        if let Err(error) = graph.begin_build(self.api) {
            // Nothing was added, so nothing of the user's is kept.
            let _ = self.destroy_graph(&graph, &mut Vec::new());
            return Err(error);
        }
        Ok(graph)
    }

    /// Ends the build of a graph. After an error the graph is [discarded](Self::destroy_graph).
    #[rule(GRAPH_08)]
    pub(crate) fn end_build(&self, graph: &RawGraph) -> Result<(), Error> {
        self.api.check_process()?;
        graph.end_build(self.api)
    }

    /// Ends the capture. After an error the graph is [discarded](Self::destroy_graph).
    #[rule(GRAPH_01)]
    pub(crate) fn end_capture(&self, graph: &Arc<RawGraph>) -> Result<(), Error> {
        self.api.check_process()?;
        graph.end(self.api)
    }

    /// Orders two streams of a capture or a build by an event, which lives until the graph is destroyed.
    pub(crate) fn order_captures(&self, graph: &RawGraph, before: &RawStream, after: &RawStream) -> Result<(), Error> {
        self.api.check_process()?;
        if graph.is_built() {
            let event = self.events.put(RawEvent::create_for_builds(self.api, self.device())?);
            graph.needs().rows.push(Arc::clone(&event) as _);
            return event.order_streams_each_run(self.api, before, after);
        }
        let event = self.events.put(RawEvent::create_for_captures(self.api, self.device())?);
        graph.needs().rows.push(Arc::clone(&event) as _);
        event.order_streams(self.api, before, after)
    }

    /// Captures operators as a group of tasks.
    #[rule(GRAPH_09)]
    pub(crate) fn group_tasks(
        &self,
        graph: &Arc<RawGraph>,
        stream: &RawStream,
        operators: &[Arc<RawOperator>],
    ) -> Result<RawTaskGroup, Error> {
        self.api.check_process()?;
        RawTaskGroup::capture(self.api, graph, stream, operators)
    }

    /// Destroys a graph, and first ends its capture if that is still open. Moves the state of callbacks to `kept`; the
    /// caller drops it after all bookkeeping is done, because that runs code of the user.
    #[rule(GRAPH_07)]
    pub(crate) fn destroy_graph(&self, graph: &Arc<RawGraph>, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        self.api.check_process()?;
        let needs = graph.destroy(self.api, &self.streams)?;
        self.graphs.remove(graph);
        if graph.clear_given_up() {
            self.graphs_given_up.fetch_sub(1, Ordering::AcqRel);
        }
        // Each is an entry of its own, so a panic in one drop does not affect the others.
        kept.extend(needs.states.into_iter().map(|state| Arc::new(State { _kept: state }) as KeptAllocator));
        Ok(())
    }

    /// Destroys the graph of a capture that failed and whose operands come back to the program. If the library refuses
    /// twice, the graph is *given up*: it stays with the scope, and none of its operands ends before it. Returns the
    /// state of callbacks, which may panic when it is dropped.
    #[rule(GRAPH_05)]
    pub(crate) fn give_up_graph(&self, graph: &Arc<RawGraph>) -> Vec<KeptAllocator> {
        let mut kept = Vec::new();
        let mut destroy = || self.destroy_graph(graph, &mut kept);
        if destroy().or_else(|_| destroy()).is_err() && graph.give_up() {
            self.graphs_given_up.fetch_add(1, Ordering::AcqRel);
        }
        kept
    }

    /// An error while a graph that was given up uses this object. Every function that ends an object that a graph can
    /// use calls this first.
    #[inline(always)]
    #[rule(GRAPH_05)]
    pub(super) fn no_graph_has<T>(&self, row: &Arc<T>) -> Result<(), Error> {
        match self.graphs_given_up.load(Ordering::Acquire) {
            0 => Ok(()),
            _ => self.destroy_given_up_graphs_with(Arc::as_ptr(row).cast()),
        }
    }

    /// Destroys the graphs that were given up and use this object.
    ///
    /// # Errors
    ///
    /// The library's, or [`Error::StillRunning`] while another thread destroys one.
    #[cold]
    #[inline(never)]
    fn destroy_given_up_graphs_with(&self, row: *const ()) -> Result<(), Error> {
        let mut kept = Vec::new();
        // No handle refers to these graphs, so only one thread at a time finds each of them unreferenced.
        let mut unreferenced = self.graphs.unreferenced();
        unreferenced.retain(|graph| graph.still_holds(row));
        let destroyed = unreferenced.iter().try_for_each(|graph| self.destroy_graph(graph, &mut kept));
        // A collection may call this. If code of the user panicked here, the collection would lose its errors, so the
        // next collection drops these values.
        self.states().append(&mut kept);
        destroyed?;
        drop(unreferenced);
        match self.graphs.all().iter().any(|graph| graph.still_holds(row)) {
            true => Err(Error::StillRunning { what: ObjectKind::CAPTURED_GRAPH }),
            false => Ok(()),
        }
    }

    /// The state of callbacks that the next collection drops.
    pub(super) fn states(&self) -> MutexGuard<'_, Vec<KeptAllocator>> {
        self.states.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Ends the captures that the library refused to end earlier. Then their streams can be waited for.
    pub(super) fn end_left_captures(&self) -> Vec<Error> {
        let left = self.graphs.all().into_iter().filter(|graph| graph.is_left());
        let ended = left.filter_map(|graph| {
            let ended = graph.end(self.api);
            // If the capture has ended, its error was already reported.
            if graph.is_left() { ended.err() } else { None }
        });
        ended.collect()
    }

    fn forget_if_gone(&self, graph: &Arc<RawGraph>) {
        if graph.is_gone() {
            self.graphs.remove(graph);
        }
    }
}

/// State of a callback that is about to be dropped.
struct State {
    _kept: KeptState,
}

impl Keeps for State {
    fn has_lent(&self, _: NonZeroUsize) -> bool {
        false
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("State")
    }
}
