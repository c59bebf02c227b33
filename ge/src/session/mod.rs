//! Sessions, and what is in them.

mod execute;
mod graph;
mod outputs;
mod session_stream;
mod state;

pub use execute::{Executed, HasStream, NeedsStream};
pub use graph::Graph;
pub use outputs::Outputs;
pub use session_stream::SessionStream;
pub use state::{Added, CanCompile, CanLoad, CanSetMemory, Compiled, GraphState, Loaded, WithAllocator, WithMemory};

use crate::error::EngineError;
use crate::ffi::{RawGraph, RawSession};
use crate::graph_source::{GraphSource, Options};
use crate::marks::{Mark, SessionOfOneThread};
use ascendcl::{Brand, Current, Error, Scoped};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::assert_not_impl_any;
use std::sync::Arc;

/// A session of the graph engine, for the length of its scope ([`Engine::session`](crate::Engine::session)).
///
/// Everything that works on its graphs takes `&mut` of it: a session is not used by two threads at once (GE-12). The
/// scope owns it and everything in it: a graph or outputs that are dropped or forgotten live on until
/// [`collect`](Self::collect) or the end of the scope.
#[rule(GE_12)]
pub struct Session<C: Brand> {
    row: Arc<RawSession>,
    _brand: Mark<C>,
    _not_shared: SessionOfOneThread,
}

assert_not_impl_any!(Session<Scoped<'static>>: Sync, Clone);

impl<C: Brand> Session<C> {
    pub(super) fn new(row: Arc<RawSession>) -> Self {
        Self { row, _brand: Mark::NEW, _not_shared: SessionOfOneThread::NEW }
    }

    pub(super) fn row(&self) -> &RawSession {
        &self.row
    }

    /// Reads a graph and adds it to the session (`Session::AddGraph`), under an id that this crate chooses.
    ///
    /// # Errors
    ///
    /// [`EngineError::Failed`](crate::EngineError::Failed) when the source cannot be read, or is no graph.
    #[rule(GE_24)]
    pub fn add(
        &mut self,
        current: &Current<C>,
        source: GraphSource<'_>,
        options: &Options,
    ) -> Result<Graph<C, Added>, Error> {
        self.row.add(current, source, options.pairs()).map(Graph::new)
    }

    /// Waits for the graphs that no handle names any more and removes them, and releases the outputs that no handle
    /// names and that are idle; the scope's end would do it later.
    ///
    /// The errors are those that dropped handles could not report. An allocator that goes with its graph is dropped
    /// here.
    #[must_use = "these are the errors that dropped handles could not report"]
    pub fn collect(&mut self, current: &Current<C>) -> Vec<Error> {
        let removed = self.row.unnamed_graphs().into_iter().map(|graph| self.remove(current, &graph));
        let errors = removed.filter_map(Result::err).filter(|error| !is_in_use(error)).collect();
        self.row.release_unnamed(current);
        errors
    }

    fn remove(&self, current: &Current<C>, graph: &RawGraph) -> Result<(), Error> {
        graph.synchronize(current)?;
        self.row.remove(current, graph)?;
        drop(self.row.unregister(current, graph)?);
        self.row.forget(graph);
        Ok(())
    }
}

/// While collecting, being in use is no failure, nor are outputs that have a name: the graph is removed another time.
fn is_in_use(error: &Error) -> bool {
    matches!(error, Error::StillRunning { .. }) || matches!(error.extension(), Some(EngineError::OutputsInUse { .. }))
}

impl<C: Brand> fmt::Debug for Session<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("row", &self.row).finish_non_exhaustive()
    }
}
