//! Work of graphs: loads, executions and runs.

use super::RawSession;
use crate::error::EngineError;
use crate::ffi::{OptionList, RawGraph, RawOutputs};
use crate::raw_tensors::{RawInputs, RawOutputTensors};
use ascendcl::raw::{InFlight, LastUse, RawTensor};
use ascendcl::stream::{Pending, StreamOps};
use ascendcl::{Brand, Current, Error, Failed};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::Arc;

/// Objects that work uses and that have no wait of their own.
struct Uses<'a, const N: usize>([&'a LastUse; N]);

impl<const N: usize> InFlight for Uses<'_, N> {
    fn uses(&self) -> Vec<&LastUse> {
        self.0.to_vec()
    }
}

impl RawSession {
    /// Loads the graph on `stream`.
    #[rule(GE_16, GE_25)]
    pub(crate) fn load<C: Brand>(
        &self,
        current: &Current<C>,
        graph: &RawGraph,
        stream: &StreamOps<C>,
    ) -> Result<(), Error> {
        let session = self.idle_for(current, graph)?;
        // A stream of another context is refused before the engine is asked.
        stream.with_raw(current, |_| ())?;
        let mut stale = 0;
        // SAFETY: the function asks for a live session that has the graph (GE-11): `idle_for` gave the session out,
        // which has the graph. The function writes the answer to `stale` during the call; a pointer to a live local is
        // valid for writes (`core::ptr`, "Safety").
        let status = self
            .shim
            .call(current.library(), |shim| unsafe { (shim.needs_rebuild)(session, graph.id(), &raw mut stale) });
        self.shim.done("IsGraphNeedRebuild", status, || "ask whether a graph is stale".into())?;
        if stale != 0 {
            return Err(EngineError::Stale.into());
        }
        let options = OptionList::new(&[])?;
        let uses = Uses([graph.last_use()]);
        self.submit(current, stream, "LoadGraph", "load a graph", uses, |stream| {
            // SAFETY: the function asks for a live session that has the graph (GE-11): `idle_for` gave the session out,
            // which has the graph. Who queues has the stream's handle, so the stream is alive.
            self.shim.call(current.library(), |shim| unsafe {
                (shim.load_graph)(session, graph.id(), &options.raw(), stream)
            })
        })
        .map(drop)
        .map_err(|failed| failed.error)
    }

    /// An execution of a graph that this session [has](Self::check_ready_for), with the memory of its inputs.
    pub(crate) fn prepare<C: Brand>(
        &self,
        current: &Current<C>,
        graph: &RawGraph,
        inputs: Vec<Option<RawTensor>>,
    ) -> Result<Arc<RawOutputs>, Error> {
        let there = inputs.into_iter().enumerate().map(|(index, input)| match input {
            Some(input) if input.dims.len() > sys::MAX_RANK => {
                Err(EngineError::TooManyDimensions { index, rank: input.dims.len() }.into())
            }
            Some(input) => Ok(input),
            None => Err(EngineError::AbsentInput { index }.into()),
        });
        let inputs = there.collect::<Result<_, Error>>()?;
        let outputs = Arc::new(RawOutputs::new(self.shim, graph.id(), &self.home, LastUse::never(current), inputs));
        self.outputs().push(Arc::clone(&outputs));
        Ok(outputs)
    }

    /// An error unless the graph is one of this session, and the session can execute it here. Nothing of the engine is
    /// called.
    pub(crate) fn check_ready_for<C: Brand>(&self, current: &Current<C>, graph: &RawGraph) -> Result<(), Error> {
        self.ready_for(current, graph).map(drop)
    }

    /// Queues one execution on the graph's stream. The engine allocates the outputs. `execution` is the use of the
    /// graph, the inputs and the outputs.
    #[rule(GE_02, GE_15, GE_20)]
    pub(crate) fn execute<C: Brand, T: InFlight>(
        &self,
        current: &Current<C>,
        graph: &RawGraph,
        stream: &StreamOps<C>,
        outputs: &RawOutputs,
        execution: T,
    ) -> Result<Pending<C, T>, Failed<T>> {
        let session = match self.ready_for(current, graph) {
            Ok(session) => session,
            Err(error) => return Err(Failed { error, value: execution }),
        };
        let tensors = outputs.tensors();
        // An engine may allocate the outputs of a graph with fixed shapes only by an allocator of the program.
        let doing = match graph.has_registration() {
            true => "queue an execution of a graph",
            false => {
                "queue an execution of a graph that has no allocator (some engines demand one for fixed shapes: \
                      `graph.register(...)`)"
            }
        };
        self.submit(current, stream, "ExecuteGraphWithStreamAsync", doing, execution, |stream| {
            let mut made = null_mut();
            // SAFETY: the function asks for a live session that has the graph (GE-11): `ready_for` gave the session out,
            // which has the graph. Who queues has the stream's handle, so the stream is alive. Inputs have to stay
            // until the stream is synchronised (GE-20): they are device memory of the stated sizes, which the
            // execution's row keeps until a synchronise has covered it (its mark). The function writes the outputs to
            // `made` during the call; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
            let status = self.shim.call(current.library(), |shim| unsafe {
                (shim.execute_graph)(session, graph.id(), stream, tensors.as_ptr(), tensors.len(), &raw mut made)
            });
            outputs.fill(made);
            status
        })
    }

    /// Queues one run on the stream that the allocator of this session's registration serves. The caller owns the outputs.
    #[rule(GE_02, GE_15, GE_16)]
    pub(crate) fn run_raw<C: Brand>(
        &self,
        current: &Current<C>,
        registration: &RawGraph,
        stream: &StreamOps<C>,
        graph: &RawGraph,
        inputs: &RawInputs,
    ) -> Result<RawOutputTensors, Error> {
        let session = self.idle_for(current, graph)?;
        let inputs = inputs.as_slice();
        let mut made = sys::RawTensors { tensors: null_mut(), count: 0 };
        let uses = Uses([graph.last_use(), registration.last_use()]);
        let queued =
            self.submit(current, stream, "RunGraphWithStreamAsync", "queue a run of a graph", uses, |stream| {
                // SAFETY: the function requires a live session that has the graph (GE-11): `idle_for` returned the
                // session, which has the graph. The code that queues has the stream's handle, so the stream is
                // alive. Inputs must be tensors that stay until the stream is synchronised (GE-20): the creator of
                // `inputs` guarantees that (`RawInputs::new`). `NonNull` has the layout of a pointer. The function
                // writes the outputs to `made` during the call; a pointer to a live local is valid for writes
                // (`core::ptr`, "Safety").
                self.shim.call(current.library(), |shim| unsafe {
                    let tensors = inputs.as_ptr().cast();
                    (shim.run_raw)(session, graph.id(), stream, tensors, inputs.len(), &raw mut made)
                })
            });
        drop(queued.map_err(|failed| failed.error)?);
        Ok(RawOutputTensors::new(made))
    }

    /// Queues work of a graph. All work goes through this function: see [`StreamOps::submit_object`].
    fn submit<C: Brand, T: InFlight>(
        &self,
        current: &Current<C>,
        stream: &StreamOps<C>,
        call: &'static str,
        doing: &'static str,
        object: T,
        queue: impl FnOnce(*mut c_void) -> sys::Status,
    ) -> Result<Pending<C, T>, Failed<T>> {
        // The engine's error text has to be read before the next call of the engine.
        let queue = |stream, _: &T| self.shim.done(call, queue(stream), || doing.to_owned());
        // SAFETY: `submit_object` asks for work on this stream alone, on memory that stays until it is over, and on
        // objects that stay until their marks say so (GE-20). The engine queues on the stream that it is given; the
        // memory is that of the object; the graph is removed, and the outputs are released, when their marks say that
        // they are idle. After a call the context from before is current again (`Shim::call`), and the shim lets no
        // exception out.
        unsafe { stream.submit_object(current, call, object, queue) }
    }
}
