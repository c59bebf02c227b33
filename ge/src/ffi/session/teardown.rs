//! The end of a session of the graph engine: its outputs, its graphs, the session itself.

use super::{Handle, RawSession};
use crate::error::EngineError;
use crate::ffi::{LOST_SESSIONS, RawGraph, RawOutputs, SESSIONS, Site};
use crate::kinds::{GRAPH, GRAPH_OUTPUTS};
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{Brand, Current, Error};
use ascendcl_macros::rule;
use core::sync::atomic::{Ordering, fence};
use std::sync::{Arc, PoisonError};

impl RawSession {
    /// Releases an execution's outputs. Refuses while the execution may run, or another thread reads them.
    pub(crate) fn release(&self, site: &impl Site, outputs: &Arc<RawOutputs>) -> Result<(), Error> {
        self.ready(site)?;
        outputs.home().check_same_session(&self.home, GRAPH_OUTPUTS)?;
        outputs.release(site)?;
        self.outputs().retain(|known| !Arc::ptr_eq(known, outputs));
        Ok(())
    }

    /// Releases the idle outputs that no handle refers to.
    pub(crate) fn release_unnamed(&self, site: &impl Site) {
        let unnamed: Vec<_> = {
            let mut rows = self.outputs();
            let (gone, kept) = rows.drain(..).partition(|row| Arc::strong_count(row) == 1);
            *rows = kept;
            gone
        };
        fence(Ordering::Acquire);
        let busy: Vec<_> = unnamed.into_iter().filter(|row| row.release(site).is_err()).collect();
        self.outputs().extend(busy);
    }

    /// Removes a graph. What it keeps stays until [`unregister`](Self::unregister) and [`forget`](Self::forget).
    ///
    /// Refuses while the graph may run. Also refuses while outputs of it have a handle, because their memory may belong
    /// to the graph's allocator.
    #[rule(GE_21)]
    pub(crate) fn remove(&self, site: &impl Site, graph: &RawGraph) -> Result<(), Error> {
        let session = self.has(site, graph)?;
        if !site.is_over(graph.last_use()) {
            return Err(Error::StillRunning { what: GRAPH });
        }
        self.release_unnamed(site);
        match self.outputs().iter().filter(|row| row.graph() == graph.id()).count() {
            0 => (),
            count => return Err(EngineError::OutputsInUse { count }.into()),
        }
        if !graph.is_removed() {
            // SAFETY: the function requires a live session that has the graph (GE-11): `has` returned the session, and
            // the graph is not removed. No work may use the graph: its mark says that it is idle.
            let status = self.shim.call(site.library(), |shim| unsafe { (shim.remove_graph)(session, graph.id()) });
            self.shim.done("RemoveGraph", status, || format!("remove graph {}", graph.id()))?;
            graph.removed.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Removes the row of a removed graph, which has no registration any more. A handle of it keeps neither a stream nor
    /// memory.
    pub(crate) fn forget(&self, graph: &RawGraph) {
        self.graphs().remove(&graph.id());
        graph.holds().memory.clear();
        drop(graph.leave_stream());
    }

    /// The graphs that no handle refers to.
    pub(crate) fn unnamed_graphs(&self) -> Vec<Arc<RawGraph>> {
        let unnamed = self.graphs().values().filter(|row| Arc::strong_count(row) == 1).cloned().collect();
        fence(Ordering::Acquire);
        unnamed
    }

    /// Destroys the session, whose graphs are idle. The session has ended, even if the engine reports an error.
    fn destroy(&self, from: &EndingContext<'_>) -> Result<(), Error> {
        let taken = self.raw.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Handle(session)) = taken else { return Ok(()) };
        self.home.mark_ended();
        // SAFETY: the function requires a live session, once (GE-11). `create` made it, and this took the handle.
        let status = self.shim.call(from.library(), |shim| unsafe { (shim.session_destroy)(session.as_ptr()) });
        SESSIONS.fetch_sub(1, Ordering::AcqRel);
        self.shim.done("~Session", status, || "destroy a session".into())
    }

    /// Waits for everything in the session and takes it down, until something cannot be taken down.
    #[rule(GE_09, GE_21)]
    pub(crate) fn clear<C: Brand>(&self, current: &Current<C>) -> Result<(), Error> {
        self.ready(current)?;
        let graphs = self.graphs_in_order();
        graphs.iter().try_for_each(|graph| graph.synchronize(current))?;
        let outputs = self.outputs().clone();
        outputs.iter().try_for_each(|outputs| self.release(current, outputs))?;
        graphs.iter().try_for_each(|graph| self.take_off(current, graph))
    }

    /// Removes an idle graph, and drops its allocator, which is code of the user.
    pub(crate) fn take_off(&self, site: &impl Site, graph: &RawGraph) -> Result<(), Error> {
        self.remove(site, graph)?;
        drop(self.unregister(site, graph)?);
        self.forget(graph);
        Ok(())
    }

    /// Registration rows without a graph come last: other graphs return their blocks to them first.
    fn graphs_in_order(&self) -> Vec<Arc<RawGraph>> {
        let mut graphs: Vec<_> = self.graphs().values().cloned().collect();
        graphs.sort_by_key(|graph| graph.is_removed());
        graphs
    }

    /// Takes down everything in the session, and the session itself.
    fn end(&self, from: &EndingContext<'_>) -> Result<(), Error> {
        self.ready(from)?;
        let outputs = self.outputs().clone();
        outputs.iter().map(|outputs| self.release(from, outputs)).fold(Ok(()), Result::and)?;
        let graphs = self.graphs_in_order();
        for graph in &graphs {
            if let Err(error) = self.remove(from, graph) {
                from.also_failed(error);
            }
            // Also after that: the engine's table of allocators does not end with the session, and a later stream may have
            // the handle of this one.
            match self.unregister(from, graph) {
                Ok(slot) => from.drop_later(slot),
                Err(error) => {
                    from.also_failed(error);
                    // There is no later chance: the stream ends with the context.
                    let _ = self.unregister(from, graph).map(|slot| from.drop_later(slot));
                }
            }
        }
        // Destroying the session also ends the objects that the engine refused to end one by one.
        if let Err(error) = self.destroy(from) {
            from.also_failed(error);
        }
        for graph in &graphs {
            let left = graph.holds().registration.take();
            from.drop_later(left.map(|left| left.close(self.shim)));
            self.forget(graph);
        }
        Ok(())
    }

    /// The context has ended without the session. The engine may still know an allocator under the handle of a stream, which
    /// a new stream may get.
    #[rule(GE_09)]
    fn on_lost(&self) {
        if self.raw.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            LOST_SESSIONS.fetch_add(1, Ordering::AcqRel);
        }
        for graph in self.graphs_in_order() {
            let registration = graph.holds().registration.take();
            // The engine may have blocks, and the allocator has memory of the context. So it is never dropped.
            core::mem::forget(registration.map(|registration| registration.close(self.shim)));
        }
    }
}

/// A session as an attached object of its context.
pub(crate) struct InContext(pub(crate) Arc<RawSession>);

// SAFETY: `Attach` requires that no part of the object uses the context after the object has ended. Then the session is
// destroyed, with everything that it made. It ends before all other objects. Its graphs (`KeptStream`, `KeptMemory`)
// and the rows of executions keep the streams and the memory that it uses. No work of a graph is captured, because a
// stream that is captured takes no other work. Any thread may end the session: the engine requires one thread at a time
// (GE-12). A thread calls the engine with `&mut` of the session's handle, which keeps the name of this row, and inside the
// context. The context takes the row down when it has no name, when the handle is given to `Session::close`, or when no
// thread is inside. After each call of the engine the context from before is current again (`Shim::call`). Handles of graphs
// and outputs call nothing without the session, but for readers of outputs, which are not released under them (`Lent`).
unsafe impl Attach for InContext {
    const NAME: &'static str = "graph engine session";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    /// Releases outputs, removes graphs, ends registrations, and destroys the session, each before the objects that it
    /// uses.
    #[rule(GE_09, GE_11, GE_21)]
    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.end(from)?)
    }

    fn on_lost(&self) {
        self.0.on_lost();
    }
}
