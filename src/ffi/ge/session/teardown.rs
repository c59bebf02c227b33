//! How what is in a session of the graph engine ends: outputs, graphs, the session itself.

use super::{Handle, RawSession};
use crate::ends_before::EndsBefore;
use crate::error::{EngineError, Error, ObjectKind};
use crate::ffi::allocator::KeptAllocator;
use crate::ffi::attachment::{Ended, ForeignObject};
use crate::ffi::ge::{RawGraph, RawOutputs, SESSIONS};
use crate::ffi::shelf::Shelf;
use crate::ffi::{Api, RawStream};
use ascendcl_macros::rule;
use core::sync::atomic::{Ordering, fence};
use std::sync::{Arc, PoisonError};

impl RawSession {
    /// Releases an execution's outputs; refused while it may run.
    pub(crate) fn release(&self, streams: &Shelf<RawStream>, outputs: &Arc<RawOutputs>) -> Result<(), Error> {
        outputs.release(streams)?;
        self.outputs().retain(|known| !Arc::ptr_eq(known, outputs));
        Ok(())
    }

    /// Releases the idle outputs that no handle refers to.
    pub(crate) fn release_unnamed(&self, streams: &Shelf<RawStream>) {
        let unnamed: Vec<_> = {
            let mut rows = self.outputs();
            let (gone, kept) = rows.drain(..).partition(|row| Arc::strong_count(row) == 1);
            *rows = kept;
            gone
        };
        fence(Ordering::Acquire);
        let busy: Vec<_> = unnamed.into_iter().filter(|row| row.release(streams).is_err()).collect();
        self.outputs().extend(busy);
    }

    /// Removes a graph. What it keeps stays until [`unregister`](Self::unregister) and [`forget`](Self::forget).
    ///
    /// Refused while it may run, and while outputs of it are named: their memory may be the allocator's.
    #[rule(GE_21)]
    pub(crate) fn remove(&self, api: Api, streams: &Shelf<RawStream>, graph: &RawGraph) -> Result<(), Error> {
        let session = self.ready(api)?;
        if !streams.has_done(&graph.last_use) {
            return Err(Error::StillRunning { what: ObjectKind::GRAPH });
        }
        self.release_unnamed(streams);
        match self.outputs().iter().filter(|row| row.graph() == graph.id()).count() {
            0 => (),
            count => return Err(EngineError::OutputsInUse { count }.into()),
        }
        if !graph.is_removed() {
            // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out, and
            // the other is not removed. No work may use the graph: the stamps say that it is idle.
            let status = unsafe { (self.shim.0.remove_graph)(session, graph.id()) };
            self.shim.done("RemoveGraph", status, || format!("remove graph {}", graph.id()))?;
            graph.removed.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Takes a removed graph, which has no registration any more, off the books.
    pub(crate) fn forget(&self, graph: &RawGraph) {
        self.graphs().remove(&graph.id());
        graph.holds().memory.clear();
    }

    /// The graphs that no handle refers to.
    pub(crate) fn unnamed_graphs(&self) -> Vec<Arc<RawGraph>> {
        let unnamed = self.graphs().values().filter(|row| Arc::strong_count(row) == 1).cloned().collect();
        fence(Ordering::Acquire);
        unnamed
    }

    /// Destroys the session, whose graphs are idle. The session has ended, whatever the answer.
    fn destroy(&self) -> Result<(), Error> {
        let taken = self.raw.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Handle(session)) = taken else { return Ok(()) };
        // SAFETY: the function asks for a live session, once (GE-11). `create` made it, and this took the handle.
        let status = unsafe { (self.shim.0.session_destroy)(session.as_ptr()) };
        SESSIONS.fetch_sub(1, Ordering::AcqRel);
        self.shim.done("~Session", status, || "destroy a session".into())
    }

    fn is_destroyed(&self) -> bool {
        self.raw.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl ForeignObject for Arc<RawSession> {
    fn in_words(&self, count: usize) -> String {
        format!("{count} session(s) of the graph engine")
    }

    fn ends_before(&self) -> EndsBefore {
        EndsBefore::Everything
    }

    /// Outputs are released, graphs removed, registrations ended, the session destroyed: each before what it uses.
    #[rule(GE_09, GE_11, GE_21)]
    fn take_down(&self, from: &Ended<'_>, kept: &mut Vec<KeptAllocator>) -> Result<(), Vec<Error>> {
        let (api, streams) = (from.api, from.streams);
        if self.is_destroyed() {
            return Ok(());
        }
        if let Err(error) = self.ready(api) {
            return Err(vec![error]);
        }
        let outputs = self.outputs().clone();
        let released = outputs.iter().map(|outputs| self.release(streams, outputs)).fold(Ok(()), Result::and);
        if let Err(error) = released {
            return Err(vec![error]);
        }
        let mut errors = Vec::new();
        let mut graphs: Vec<_> = self.graphs().values().cloned().collect();
        // Rows without a graph serve the graphs of others. Those return their blocks first.
        graphs.sort_by_key(|graph| graph.is_removed());
        for graph in &graphs {
            let removed = self.remove(api, streams, graph).and_then(|()| self.unregister(api, graph));
            match removed {
                Ok(allocator) => kept.extend(allocator),
                Err(error) => errors.push(error),
            }
        }
        // It ends what the engine refused to end one by one.
        errors.extend(self.destroy().err());
        for graph in &graphs {
            kept.extend(graph.holds().registration.take().map(|left| left.close(self.shim)));
            self.forget(graph);
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn is_gone(&self) -> bool {
        self.is_destroyed()
    }
}
