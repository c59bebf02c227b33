//! Sessions, and the objects in them.

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

/// A session of the graph engine, which exists for its scope ([`Engine::session`](crate::Engine::session)).
///
/// Every call on its graphs takes `&mut Session`, so two threads cannot use a session at the same time (GE-12). The
/// scope owns the session and everything in it: dropped or forgotten graphs and outputs exist until
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
    /// [`EngineError::Failed`](crate::EngineError::Failed) when the source cannot be read, or is not a graph.
    #[rule(GE_24)]
    pub fn add(
        &mut self,
        current: &Current<C>,
        source: GraphSource<'_>,
        options: &Options,
    ) -> Result<Graph<C, Added>, Error> {
        self.row.add(current, source, options.pairs()).map(Graph::new)
    }

    /// Waits for the graphs without a handle and removes them. Releases the outputs that have no handle and are idle.
    /// Otherwise the end of the scope does this.
    ///
    /// The errors are those that dropped handles could not report. This also drops the allocators of removed graphs.
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

/// For a collection, an object in use is not an error, and outputs with a handle are not either: a later collection
/// removes the graph.
fn is_in_use(error: &Error) -> bool {
    matches!(error, Error::StillRunning { .. }) || matches!(error.extension(), Some(EngineError::OutputsInUse { .. }))
}

impl<C: Brand> fmt::Debug for Session<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("row", &self.row).finish_non_exhaustive()
    }
}
