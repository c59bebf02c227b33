//! Sessions of the graph engine.

mod teardown;

use super::graph::{Registration, calls};
use super::{OptionList, RawGraph, RawOutputs, SESSIONS, Shim};
use crate::error::{EngineError, Error, ObjectKind};
use crate::ffi::Members;
use crate::ffi::allocator::KeptAllocator;
use crate::ffi::call::Begins;
use crate::ffi::shelf::Shelf;
use crate::ffi::{Api, LastUse, RawBuffer, RawStream, Site, TensorArgument, c_path};
use crate::graph_source::{GraphSource, GraphSummary};
use crate::raw_tensors::{RawInputs, RawOutputTensors};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_FAILURE, ACL_SUCCESS};
use ascendcl_sys::types::aclrtStream;
use core::ptr::{NonNull, null, null_mut};
use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session, and everything in it. One caller uses it at a time: who has `&mut` of its handle, or the end of its
/// scope.
#[derive(Debug)]
pub(crate) struct RawSession {
    shim: Shim,
    /// `None` once it was destroyed.
    raw: Mutex<Option<Handle>>,
    next: AtomicU32,
    graphs: Mutex<BTreeMap<u32, Arc<RawGraph>>>,
    outputs: Mutex<Vec<Arc<RawOutputs>>>,
}

#[derive(Clone, Copy, Debug)]
struct Handle(NonNull<sys::Session>);

// SAFETY: sending the handle to another thread must not make a data race. A session belongs to the process and has no
// thread of its own. Two threads must not use it at once (GE-12), which the `&mut` of its handle sees to.
unsafe impl Send for Handle {}

impl RawSession {
    /// A session on the current context's device.
    pub(crate) fn create(api: Api, shim: Shim, options: &[(String, String)]) -> Result<Self, Error> {
        api.ready::<Begins>()?;
        let options = OptionList::new(options)?;
        let mut raw = null_mut();
        // SAFETY: the function reads the options, and writes the handle to `raw`, during the call. `OptionList` keeps
        // the texts, which are terminated; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
        let status = unsafe { (shim.0.session_create)(&options.raw(), &raw mut raw) };
        shim.done("Session", status, || "create a session".into())?;
        let raw = NonNull::new(raw).ok_or(Error::NullAnswer { call: "Session" })?;
        SESSIONS.fetch_add(1, Ordering::AcqRel);
        Ok(Self {
            shim,
            raw: Mutex::new(Some(Handle(raw))),
            next: AtomicU32::new(1),
            graphs: Mutex::default(),
            outputs: Mutex::default(),
        })
    }

    /// Reads a graph and adds it, under an id that no graph of the session had before.
    #[rule(GE_24)]
    pub(crate) fn add(
        &self,
        api: Api,
        source: GraphSource<'_>,
        options: &[(String, String)],
    ) -> Result<Arc<RawGraph>, Error> {
        let session = self.ready(api)?;
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
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the function asks for a live session (GE-11), which `ready` gave out, and reads source and options
        // during the call. They are borrowed for longer; whoever made a source of a graph object vouches for the object
        // (`GraphSource::graph`).
        let status = unsafe { (self.shim.0.add_graph)(session, id, &raw const source, &options.raw()) };
        let call = if status == sys::ABSENT { reader } else { "AddGraph" };
        self.shim.done(call, status, || "add a graph".into())?;
        let graph = Arc::new(RawGraph::new(id));
        self.graphs().insert(id, Arc::clone(&graph));
        Ok(graph)
    }

    /// A row without a graph, for a registration that serves all graphs on its stream.
    pub(crate) fn registration_row(&self) -> Arc<RawGraph> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let registration = Arc::new(RawGraph::new(id));
        registration.removed.store(true, Ordering::Release);
        self.graphs().insert(id, Arc::clone(&registration));
        registration
    }

    pub(crate) fn compile(&self, api: Api, graph: &RawGraph) -> Result<(), Error> {
        let session = self.ready(api)?;
        // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out, and the
        // other is not removed.
        let status = unsafe { (self.shim.0.compile_graph)(session, graph.id()) };
        self.shim.done("CompileGraph", status, || format!("compile graph {}", graph.id()))
    }

    pub(crate) fn summary(&self, api: Api, graph: &RawGraph) -> Result<GraphSummary, Error> {
        let session = self.ready(api)?;
        let mut summary = sys::Summary::default();
        // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out, and the
        // other is not removed. The function writes the answer to `summary` during the call; a pointer to a live local
        // is valid for writes (`core::ptr`, "Safety").
        let status = unsafe { (self.shim.0.graph_summary)(session, graph.id(), &raw mut summary) };
        let doing = || format!("ask what graph {} needs", graph.id());
        self.shim.done("GetCompiledGraphSummary", status, doing).map(|()| summary.into())
    }

    /// Registers an allocator for the graph's stream, which is `stream` where there was none. Gives back what the
    /// replaced registration kept.
    ///
    /// The graph keeps `keeps`, and with it the members' object, until the registration ends.
    #[rule(GE_03, GE_06)]
    pub(crate) fn register(
        &self,
        api: Api,
        graph: &RawGraph,
        stream: &Arc<RawStream>,
        members: &Members,
        keeps: KeptAllocator,
    ) -> Result<Option<KeptAllocator>, Error> {
        let session = self.ready(api)?;
        let mut made = null_mut();
        // SAFETY: the function asks for a live session (GE-11), a live stream, and an object and functions that stay
        // usable while they are registered (GE-09). `ready` gave the session out, and `with_raw` passes the stream's
        // gate. The graph keeps object and functions until the shim's allocator was closed, and blocks keep them beyond
        // that.
        let status = stream.with_raw(|stream| unsafe {
            (self.shim.0.register_allocator)(session, stream.0, &calls(members), &raw mut made)
        })?;
        self.shim.done("RegisterExternalAllocator", status, || "register an allocator".into())?;
        let made = NonNull::new(made).ok_or(Error::NullAnswer { call: "RegisterExternalAllocator" })?;
        let mut holds = graph.holds();
        holds.stream = Some(Arc::clone(stream));
        let before = holds.registration.replace(Registration::new(made, keeps));
        drop(holds);
        Ok(before.map(|before| before.close(self.shim)))
    }

    /// Ends the graph's registration, if it has one. Its stream is synchronised.
    #[rule(GE_09)]
    pub(crate) fn unregister(&self, api: Api, graph: &RawGraph) -> Result<Option<KeptAllocator>, Error> {
        let session = self.ready(api)?;
        let mut holds = graph.holds();
        let (stream, registration) = (holds.stream.clone(), holds.registration.take());
        drop(holds);
        let (Some(stream), Some(registration)) = (stream, registration) else { return Ok(None) };
        let ended = stream
            // SAFETY: the function asks for a live session (GE-11) and a live stream. `ready` gave the session out, and
            // `with_raw` passes the stream's gate.
            .with_raw(|stream| unsafe { (self.shim.0.unregister_allocator)(session, stream.0) })
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

    /// The graph's stream is free for other things: nothing is loaded or registered there any more.
    pub(crate) fn leave_stream(&self, graph: &RawGraph) -> Option<Arc<RawStream>> {
        graph.holds().stream.take()
    }

    /// Gives the graph memory to work in. It stays with the graph, whatever the engine answers.
    #[rule(GE_23)]
    pub(crate) fn set_memory(&self, api: Api, graph: &RawGraph, memory: [Arc<RawBuffer>; 2]) -> Result<(), Error> {
        let session = self.ready(api)?;
        let [constants, features] = &memory;
        graph.holds().memory.extend(memory.clone());
        // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out, and the
        // other is not removed. It goes on to use the memory, which has as many bytes as stated (GE-23): the graph
        // keeps both blocks until it is removed.
        let status = unsafe {
            (self.shim.0.set_const_memory)(session, graph.id(), constants.start().cast_const(), constants.bytes())
        };
        self.shim.done("SetGraphConstMemoryBase", status, || "set the constant memory of a graph".into())?;
        // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out, and the
        // other is not removed. It goes on to use the memory, which has as many bytes as stated (GE-23): the graph
        // keeps both blocks until it is removed.
        let status = unsafe {
            (self.shim.0.set_feature_memory)(session, graph.id(), features.start().cast_const(), features.bytes())
        };
        self.shim.done("UpdateGraphFeatureMemoryBase", status, || "set the feature memory of a graph".into())
    }

    /// Loads the graph on `stream`.
    #[rule(GE_16, GE_25)]
    pub(crate) fn load(&self, api: Api, graph: &RawGraph, stream: &Arc<RawStream>) -> Result<(), Error> {
        let session = self.ready_for(api, graph)?;
        let mut stale = 0;
        // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out, and the
        // other is not removed. The function writes the answer to `stale` during the call; a pointer to a live local is
        // valid for writes (`core::ptr`, "Safety").
        let status = unsafe { (self.shim.0.needs_rebuild)(session, graph.id(), &raw mut stale) };
        self.shim.done("IsGraphNeedRebuild", status, || "ask whether a graph is stale".into())?;
        if stale != 0 {
            return Err(EngineError::Stale.into());
        }
        let options = OptionList::new(&[])?;
        self.submit(api, stream, "LoadGraph", "load a graph", [&graph.last_use], |stream| {
            // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out, and
            // the other is not removed. Who queues has the stream's handle, so the stream is alive.
            unsafe { (self.shim.0.load_graph)(session, graph.id(), &options.raw(), stream.0) }
        })?;
        graph.holds().stream = Some(Arc::clone(stream));
        Ok(())
    }

    /// Queues one execution on the graph's stream. The engine allocates the outputs.
    #[rule(GE_02, GE_15, GE_20)]
    pub(crate) fn execute(
        &self,
        api: Api,
        graph: &RawGraph,
        parts: Vec<TensorArgument>,
    ) -> Result<(Arc<RawOutputs>, u64), Error> {
        let session = self.ready_for(api, graph)?;
        let stream = graph.stream().ok_or(Error::Gone { what: ObjectKind::STREAM })?;
        let mut tensors = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let (block, element) = part.memory.as_ref().ok_or(EngineError::AbsentInput { index })?;
            let (dims, rank) = (part.dims.as_ptr(), part.dims.len());
            tensors.push(sys::Tensor {
                element: element.number(),
                dims,
                rank,
                address: block.start(),
                bytes: block.bytes(),
            });
        }
        let inputs = parts.iter().filter_map(|part| part.memory.as_ref()).map(|(block, _)| Arc::clone(block)).collect();
        let outputs = Arc::new(RawOutputs::new(self.shim, graph.id(), inputs));
        self.outputs().push(Arc::clone(&outputs));
        let mut made = null_mut();
        let uses = [&graph.last_use, &outputs.last_use];
        let executed =
            self.submit(api, &stream, "ExecuteGraphWithStreamAsync", "queue an execution of a graph", uses, |stream| {
                // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out,
                // and the other is not removed. Who queues has the stream's handle, so the stream is alive. Inputs have
                // to stay until the stream is synchronised (GE-20): they are device memory of the stated sizes, which
                // the execution's row keeps until a synchronise has covered it (the stamps). The function writes the
                // outputs to `made` during the call; a pointer to a live local is valid for writes (`core::ptr`,
                // "Safety").
                unsafe {
                    (self.shim.0.execute_graph)(
                        session,
                        graph.id(),
                        stream.0,
                        tensors.as_ptr(),
                        tensors.len(),
                        &raw mut made,
                    )
                }
            });
        outputs.fill(made);
        if executed.is_err() && outputs.last_use.is_in_doubt() {
            // They go back to the caller, who could free them.
            parts.iter().filter_map(|part| part.memory.as_ref()).for_each(|(block, _)| block.mark_in_doubt(&stream));
        }
        executed.map(|number| (outputs, number))
    }

    /// Queues one run on the stream that the registration's allocator serves. The outputs are the caller's.
    #[rule(GE_02, GE_15, GE_16)]
    pub(crate) fn run_raw(
        &self,
        api: Api,
        streams: &Shelf<RawStream>,
        registration: &RawGraph,
        graph: &RawGraph,
        inputs: &RawInputs,
    ) -> Result<RawOutputTensors, Error> {
        let session = self.ready_for(api, graph)?;
        let stream = registration.stream().ok_or(Error::Gone { what: ObjectKind::STREAM })?;
        if !streams.has_done(&graph.last_use) {
            return Err(Error::StillRunning { what: ObjectKind::GRAPH });
        }
        let inputs = inputs.as_slice();
        let mut made = sys::RawTensors { tensors: null_mut(), count: 0 };
        let uses = [&graph.last_use, &registration.last_use];
        self.submit(api, &stream, "RunGraphWithStreamAsync", "queue a run of a graph", uses, |stream| {
            // SAFETY: the function asks for a live session that has the graph (GE-11): `ready` gave the one out, and
            // the other is not removed. Who queues has the stream's handle, so the stream is alive. Inputs have to be
            // tensors that stay until the stream is synchronised (GE-20): whoever made `inputs` vouches for that
            // (`RawInputs::new`); `NonNull` is laid out as a pointer. The function writes the outputs to `made` during
            // the call; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
            unsafe {
                let tensors = inputs.as_ptr().cast();
                (self.shim.0.run_raw)(session, graph.id(), stream.0, tensors, inputs.len(), &raw mut made)
            }
        })?;
        Ok(RawOutputTensors::new(made))
    }

    /// The one way to queue work of a graph: see [`RawStream::submit`].
    fn submit<const N: usize>(
        &self,
        api: Api,
        stream: &RawStream,
        call: &'static str,
        doing: &'static str,
        uses: [&LastUse; N],
        queue: impl FnOnce(aclrtStream) -> sys::Status,
    ) -> Result<u64, Error> {
        let mut failed = None;
        let submitted = stream.submit(Site::unproven(api).here(), doing, uses, |ready, stream| match queue(stream) {
            sys::SUCCESS => ready.answered(call, ACL_SUCCESS),
            status => {
                // The engine's error text has to be read before the next call of the engine. It is unknown whether the
                // call queued work: the code of an internal failure makes `submit` wait for the stream.
                failed = Some(self.shim.failed(call, status, doing.to_owned()));
                ready.answered(call, ACL_ERROR_FAILURE)
            }
        });
        submitted.map_err(|error| failed.unwrap_or_else(|| error.into()))
    }

    fn ready(&self, api: Api) -> Result<*mut sys::Session, Error> {
        api.ready::<Begins>()?;
        let raw = *self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        raw.map(|handle| handle.0.as_ptr()).ok_or(Error::Gone { what: ObjectKind::SESSION })
    }

    /// Like [`ready`](Self::ready), for a graph that the session still has.
    fn ready_for(&self, api: Api, graph: &RawGraph) -> Result<*mut sys::Session, Error> {
        if graph.is_removed() { Err(Error::Gone { what: ObjectKind::GRAPH }) } else { self.ready(api) }
    }

    fn graphs(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<RawGraph>>> {
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outputs(&self) -> MutexGuard<'_, Vec<Arc<RawOutputs>>> {
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
