//! Sessions of the graph engine.

mod home;
mod teardown;
mod work;

pub(super) use home::Home;
pub(crate) use teardown::InContext;

use super::graph::{Registration, calls};
use super::{OptionList, RawGraph, RawOutputs, SESSIONS, Shim, Site, c_path};
use crate::error::EngineError;
use crate::graph_source::{GraphSource, GraphSummary};
use crate::kinds::{GRAPH, SESSION};
use ascendcl::raw::{AllocatorFunctions, KeptMemory, LastUse, SlotKeeper};
use ascendcl::stream::StreamOps;
use ascendcl::{Brand, Current, Error};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use core::ptr::{NonNull, null, null_mut};
use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session, and everything in it. Only one caller uses it at a time: the code that has `&mut` of its handle and a
/// `Current` of its context; or the end of the session, after the handle or when nobody is in the context any more.
#[derive(Debug)]
pub(crate) struct RawSession {
    shim: Shim,
    home: Arc<Home>,
    /// `None` after the session was destroyed.
    raw: Mutex<Option<Handle>>,
    next: AtomicU32,
    graphs: Mutex<BTreeMap<u32, Arc<RawGraph>>>,
    outputs: Mutex<Vec<Arc<RawOutputs>>>,
}

#[derive(Clone, Copy, Debug)]
struct Handle(NonNull<sys::Session>);

// SAFETY: sending the handle to another thread must not cause a data race. A session belongs to the process and not to
// a thread. Two threads must not use it at once (GE-12), which the `&mut` of its handle ensures; its end has no other
// caller, because a context takes an object down that no handle names, or when no thread is in the context any more.
unsafe impl Send for Handle {}

impl RawSession {
    /// Creates a session on the current context's device.
    pub(crate) fn create<C: Brand>(
        current: &Current<C>,
        shim: Shim,
        options: &[(String, String)],
    ) -> Result<Self, Error> {
        current.check_calls_allowed()?;
        let options = OptionList::new(options)?;
        let mut raw = null_mut();
        // SAFETY: the function reads the options, and writes the handle to `raw`, during the call. `OptionList` keeps
        // the texts, which are terminated; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
        let status =
            shim.call(current.library(), |shim| unsafe { (shim.session_create)(&options.raw(), &raw mut raw) });
        shim.done("Session", status, || "create a session".into())?;
        let raw = NonNull::new(raw).ok_or(Error::NullAnswer { call: "Session" })?;
        SESSIONS.fetch_add(1, Ordering::AcqRel);
        Ok(Self {
            shim,
            home: Home::of(current.id()),
            raw: Mutex::new(Some(Handle(raw))),
            next: AtomicU32::new(1),
            graphs: Mutex::default(),
            outputs: Mutex::default(),
        })
    }

    /// Reads a graph and adds it, under an id that no earlier graph of the session had.
    #[rule(GE_24)]
    pub(crate) fn add<C: Brand>(
        &self,
        current: &Current<C>,
        source: GraphSource<'_>,
        options: &[(String, String)],
    ) -> Result<Arc<RawGraph>, Error> {
        let session = self.ready(current)?;
        let options = OptionList::new(options)?;
        let path = source.path().map(c_path).transpose()?;
        let image = source.image().unwrap_or_default();
        let reader = source.reader();
        let source = sys::Source {
            format: source.format(),
            path: path.as_ref().map_or(null(), |path| path.as_ptr()),
            start: source.object().map_or(image.as_ptr().cast(), |graph| graph.as_ptr().cast_const()),
            bytes: image.len(),
        };
        let id = self.next_id()?;
        // SAFETY: the function requires a live session (GE-11), which `ready` returned, and reads source and options
        // during the call. Both are borrowed for longer. The creator of a source with a graph object guarantees that
        // object (`GraphSource::graph`).
        let status = self.shim.call(current.library(), |shim| unsafe {
            (shim.add_graph)(session, id, &raw const source, &options.raw())
        });
        let call = if status == sys::ABSENT { reader } else { "AddGraph" };
        self.shim.done(call, status, || "add a graph".into())?;
        let graph = Arc::new(RawGraph::new(id, &self.home, LastUse::never(current)));
        self.graphs().insert(id, Arc::clone(&graph));
        Ok(graph)
    }

    /// A row without a graph, for a registration that serves all graphs on its stream.
    pub(crate) fn registration_row<C: Brand>(&self, current: &Current<C>) -> Result<Arc<RawGraph>, Error> {
        let id = self.next_id()?;
        let registration = Arc::new(RawGraph::new(id, &self.home, LastUse::never(current)));
        registration.removed.store(true, Ordering::Release);
        self.graphs().insert(id, Arc::clone(&registration));
        Ok(registration)
    }

    /// A number that no graph of this session had: the engine drops a second graph of a number, and says nothing.
    #[rule(GE_24)]
    fn next_id(&self) -> Result<u32, Error> {
        take_number(&self.next)
    }

    pub(crate) fn compile(&self, site: &impl Site, graph: &RawGraph) -> Result<(), Error> {
        let session = self.idle_for(site, graph)?;
        // SAFETY: the function requires a live session that has the graph (GE-11): `idle_for` returned the session,
        // which has the graph.
        let status = self.shim.call(site.library(), |shim| unsafe { (shim.compile_graph)(session, graph.id()) });
        self.shim.done("CompileGraph", status, || format!("compile graph {}", graph.id()))
    }

    pub(crate) fn summary(&self, site: &impl Site, graph: &RawGraph) -> Result<GraphSummary, Error> {
        let session = self.ready_for(site, graph)?;
        let mut summary = sys::Summary::default();
        // SAFETY: the function requires a live session that has the graph (GE-11): `ready_for` returned the session,
        // which has the graph. The function writes the result to `summary` during the call; a pointer to a live
        // local is valid for writes (`core::ptr`, "Safety").
        let status = self
            .shim
            .call(site.library(), |shim| unsafe { (shim.graph_summary)(session, graph.id(), &raw mut summary) });
        let doing = || format!("ask what graph {} needs", graph.id());
        self.shim.done("GetCompiledGraphSummary", status, doing).map(|()| summary.into())
    }

    /// An error if the engine may have memory that was set for the graph. Nothing of the engine is called.
    #[rule(GE_22, GE_23)]
    pub(crate) fn check_no_memory(&self, graph: &RawGraph) -> Result<(), Error> {
        if graph.holds().memory.is_empty() { Ok(()) } else { Err(EngineError::MemoryInDoubt.into()) }
    }

    /// Registers an allocator for the graph's stream, which is `stream`. Returns what the replaced registration kept.
    ///
    /// The graph keeps `keeps`, and with it the object of the functions, until the registration ends.
    #[rule(GE_03, GE_06)]
    pub(crate) fn register<C: Brand>(
        &self,
        current: &Current<C>,
        graph: &RawGraph,
        stream: &StreamOps<C>,
        functions: AllocatorFunctions,
        keeps: SlotKeeper,
    ) -> Result<Option<SlotKeeper>, Error> {
        let session = self.has(current, graph)?;
        let mut made = null_mut();
        let status = stream.with_raw(current, |stream| {
            // SAFETY: the function asks for a live session (GE-11), a live stream, and an object and functions that
            // stay usable while they are registered (GE-09). `has` gave the session out, and `with_raw` lends a
            // stream that is not destroyed meanwhile. The graph keeps the object until the shim's allocator was closed,
            // and blocks keep it beyond that (`AllocatorSlot::functions`).
            self.shim.call(current.library(), |shim| unsafe {
                (shim.register_allocator)(session, stream, &calls(&functions), &raw mut made)
            })
        })?;
        self.shim.done("RegisterExternalAllocator", status, || "register an allocator".into())?;
        let made = NonNull::new(made).ok_or(Error::NullAnswer { call: "RegisterExternalAllocator" })?;
        let before = graph.holds().registration.replace(Registration::new(made, keeps));
        Ok(before.map(|before| before.close(self.shim)))
    }

    /// Ends the graph's registration, if it has one. Its stream is synchronised.
    #[rule(GE_09)]
    pub(crate) fn unregister(&self, site: &impl Site, graph: &RawGraph) -> Result<Option<SlotKeeper>, Error> {
        let session = self.has(site, graph)?;
        let Some(registration) = graph.holds().registration.take() else { return Ok(None) };
        let ended = graph
            .stream()
            .with_raw(|stream| {
                // SAFETY: the function asks for a live session (GE-11) and a live stream. `has` gave the session out, and
                // `with_raw` lends a stream that is not destroyed meanwhile.
                self.shim.call(site.library(), |shim| unsafe { (shim.unregister_allocator)(session, stream) })
            })
            .and_then(|status| {
                self.shim.done("UnregisterExternalAllocator", status, || "unregister an allocator".into())
            });
        match ended {
            Ok(()) => Ok(Some(registration.close(self.shim))),
            Err(error) => {
                graph.holds().registration = Some(registration);
                Err(error)
            }
        }
    }

    /// Gives the graph working memory. The memory stays with the graph, even if the engine reports an error.
    #[rule(GE_23)]
    pub(crate) fn set_memory(&self, site: &impl Site, graph: &RawGraph, memory: [KeptMemory; 2]) -> Result<(), Error> {
        let session = self.idle_for(site, graph)?;
        let [constants, features] = &memory;
        graph.holds().memory.extend(memory.clone());
        // SAFETY: the function asks for a live session that has the graph (GE-11): `idle_for` gave the session out,
        // which has the graph. It goes on to use the memory, which has as many bytes as stated (GE-23): the graph
        // keeps both blocks until it is removed.
        let status = self.shim.call(site.library(), |shim| unsafe {
            (shim.set_const_memory)(session, graph.id(), constants.start().cast_const(), constants.bytes())
        });
        self.shim.done("SetGraphConstMemoryBase", status, || "set the constant memory of a graph".into())?;
        // SAFETY: the function asks for a live session that has the graph (GE-11): `idle_for` gave the session out,
        // which has the graph. It goes on to use the memory, which has as many bytes as stated (GE-23): the graph
        // keeps both blocks until it is removed.
        let status = self.shim.call(site.library(), |shim| unsafe {
            (shim.set_feature_memory)(session, graph.id(), features.start().cast_const(), features.bytes())
        });
        self.shim.done("UpdateGraphFeatureMemoryBase", status, || "set the feature memory of a graph".into())
    }

    /// The session, to be used in its own context.
    pub(super) fn ready(&self, site: &impl Site) -> Result<*mut sys::Session, Error> {
        site.check_calls_allowed()?;
        self.home.check_here(site, SESSION)?;
        let raw = *self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        raw.map(|handle| handle.0.as_ptr()).ok_or(Error::Gone { what: SESSION })
    }

    /// Like [`ready`](Self::ready), for a graph or a registration of this session.
    fn has(&self, site: &impl Site, graph: &RawGraph) -> Result<*mut sys::Session, Error> {
        let session = self.ready(site)?;
        graph.home.check_same_session(&self.home, GRAPH).map(|()| session)
    }

    /// Like [`ready`](Self::ready), for a graph that the session still has.
    fn ready_for(&self, site: &impl Site, graph: &RawGraph) -> Result<*mut sys::Session, Error> {
        let session = self.has(site, graph)?;
        if graph.is_removed() { Err(Error::Gone { what: GRAPH }) } else { Ok(session) }
    }

    /// Like [`ready_for`](Self::ready_for), for a graph that no work uses: a run that was not waited for, or a load that failed
    /// halfway, may still use it.
    fn idle_for(&self, site: &impl Site, graph: &RawGraph) -> Result<*mut sys::Session, Error> {
        let session = self.ready_for(site, graph)?;
        if site.is_over(graph.last_use()) { Ok(session) } else { Err(Error::StillRunning { what: GRAPH }) }
    }

    /// An error unless no work uses the graph, which is one of this session. Nothing of the engine is called.
    pub(crate) fn check_idle(&self, site: &impl Site, graph: &RawGraph) -> Result<(), Error> {
        self.idle_for(site, graph).map(drop)
    }

    /// An error unless the session exists, and its context is the current one. Nothing of the engine is called.
    pub(crate) fn check_usable(&self, site: &impl Site) -> Result<(), Error> {
        self.ready(site).map(drop)
    }

    /// An error unless this is a graph or a registration of this session, in its context. Nothing of the engine is called.
    pub(crate) fn owns(&self, site: &impl Site, graph: &RawGraph) -> Result<(), Error> {
        self.has(site, graph).map(drop)
    }

    fn graphs(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<RawGraph>>> {
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outputs(&self) -> MutexGuard<'_, Vec<Arc<RawOutputs>>> {
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn take_number(next: &AtomicU32) -> Result<u32, Error> {
    let more = |next: u32| next.checked_add(1);
    next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).map_err(|_| EngineError::NoMoreGraphs.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_graphs_end_and_none_is_given_twice() {
        let next = AtomicU32::new(u32::MAX - 1);
        assert!(take_number(&next).is_ok_and(|id| id == u32::MAX - 1));
        for _ in 0..2 {
            let refused = take_number(&next).map_err(|error| error.to_string());
            assert!(refused.is_err_and(|said| said.ends_with("[GE-24]")));
        }
    }
}
