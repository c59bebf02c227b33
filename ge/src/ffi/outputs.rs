//! The outputs of an execution, which the engine allocated.

use super::lent::{IsRead, Lent};
use super::session::Home;
use super::{Shim, Site};
use crate::kinds::GRAPH_OUTPUTS;
use ascendcl::error::ObjectKind;
use ascendcl::raw::{KeptMemory, LastUse, RawTensor};
use ascendcl::{Brand, Current, Element, ElementType, Error, RunMode};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use ascendcl_sys::types::{aclDataType, aclrtMemcpyKind};
use core::ffi::c_void;
use core::ptr::{null, null_mut};
use std::sync::Arc;

/// One execution: its inputs, which stay alive while it runs, and its outputs.
#[derive(Debug)]
pub(crate) struct RawOutputs {
    shim: Shim,
    graph: u32,
    /// The session that it is of.
    home: Arc<Home>,
    lent: Lent,
    last_use: LastUse,
    /// While the execution's row exists, the inputs' memory has a name, so it is not collected.
    inputs: Vec<RawTensor>,
}

impl RawOutputs {
    pub(super) fn new(shim: Shim, graph: u32, home: &Arc<Home>, last_use: LastUse, inputs: Vec<RawTensor>) -> Self {
        Self { shim, graph, home: Arc::clone(home), lent: Lent::nothing(), last_use, inputs }
    }

    pub(crate) fn last_use(&self) -> &LastUse {
        &self.last_use
    }

    /// The memory of the inputs.
    pub(crate) fn memory(&self) -> Vec<&KeptMemory> {
        self.inputs.iter().map(|input| &input.memory).collect()
    }

    /// The inputs in the form that the shim takes. They point into this row.
    pub(super) fn tensors(&self) -> Vec<sys::Tensor> {
        let tensor = |input: &RawTensor| sys::Tensor {
            element: input.element.number(),
            dims: input.dims.as_ptr(),
            rank: input.dims.len(),
            address: input.memory.start(),
            bytes: input.memory.bytes(),
        };
        self.inputs.iter().map(tensor).collect()
    }

    pub(super) fn graph(&self) -> u32 {
        self.graph
    }

    pub(super) fn home(&self) -> &Arc<Home> {
        &self.home
    }

    pub(super) fn fill(&self, raw: *mut sys::Outputs) {
        self.lent.fill(raw);
    }

    /// How many there are, if they were not released.
    pub(crate) fn count(&self) -> Option<usize> {
        let reading = self.lent.read()?;
        // SAFETY: the function requires outputs that were not released (GE-21). Nobody releases them while `reading`
        // exists.
        Some(unsafe { (self.shim.0.outputs_count)(reading.raw()) })
    }

    /// The element type and shape of one output.
    pub(crate) fn describe(&self, index: usize) -> Result<(ElementType, Vec<i64>), Error> {
        self.with_tensor(index, |tensor| {
            let dims = match tensor.rank {
                0 => Vec::new(),
                // SAFETY: `from_raw_parts` requires `rank` initialised sizes that nobody writes meanwhile. The engine's
                // answer has that many behind `dims` as long as the outputs exist (GE-21). Nobody releases them while
                // `with_tensor` lends the tensor, and the sizes are copied at once.
                rank => unsafe { core::slice::from_raw_parts(tensor.dims, rank) }.to_vec(),
            };
            Ok((aclDataType(tensor.element).into(), dims))
        })
    }

    pub(crate) fn bytes(&self, index: usize) -> Result<usize, Error> {
        self.with_tensor(index, |tensor| Ok(tensor.bytes))
    }

    /// Copies an output to host memory. Returns after the copy has completed.
    #[rule(GE_20)]
    pub(crate) fn read<C: Brand, E: Element>(
        &self,
        current: &Current<C>,
        index: usize,
        to: &mut [E],
    ) -> Result<(), Error> {
        self.home.check_here(current, GRAPH_OUTPUTS)?;
        self.with_tensor(index, |tensor| {
            let bytes = size_of_val(to);
            if self.last_use.is_in_doubt() {
                return Err(Error::InDoubt { what: GRAPH_OUTPUTS });
            }
            if bytes > tensor.bytes {
                return Err(Error::TooShort { what: ObjectKind::DEVICE_MEMORY, need: bytes, have: tensor.bytes });
            }
            let kind = match current.run_mode() {
                RunMode::Host => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST,
                RunMode::Device => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE,
            };
            current.check_calls_allowed()?;
            let (library, start) = (current.library().as_raw(), to.as_mut_ptr().cast());
            // SAFETY: the function reads `bytes` bytes of the tensor and writes them to the slice during the call. The
            // engine allocated `tensor.bytes` bytes there, which are no fewer and stay until the outputs are released
            // (GE-21), which nobody does while `with_tensor` lends the tensor. The stream was synchronised (GE-20): the
            // caller has the outputs, and they are not in doubt. The slice is borrowed exclusively, and each bit
            // pattern is an element (`Element`).
            let answer = unsafe { library.aclrtMemcpy(start, bytes, tensor.address.cast_const(), bytes, kind) };
            current.library().check_call(&format!("copy output {index} of a graph to the host"), "aclrtMemcpy", answer)
        })
    }

    /// Returns the blocks to their allocator. Refuses while queued work may use them, or another thread reads them.
    #[rule(GE_21)]
    pub(super) fn release(&self, site: &impl Site) -> Result<(), Error> {
        let is_used = || Error::StillRunning { what: GRAPH_OUTPUTS };
        if !site.is_over(&self.last_use) {
            return Err(is_used());
        }
        if let Some(raw) = self.lent.take().map_err(|IsRead| is_used())? {
            // SAFETY: the function requires outputs that no work uses, and may be called once for them (GE-21). An
            // execution made them, their mark says that they are idle, and `take` gives the pointer out once, when
            // nobody reads.
            self.shim.call(site.library(), |shim| unsafe { (shim.outputs_release)(raw.as_ptr()) });
        }
        Ok(())
    }

    /// Lends one output to `look`. Nobody releases the outputs meanwhile.
    fn with_tensor<R>(&self, index: usize, look: impl FnOnce(&sys::Tensor) -> Result<R, Error>) -> Result<R, Error> {
        let mut tensor = sys::Tensor { element: 0, dims: null(), rank: 0, address: null_mut::<c_void>(), bytes: 0 };
        let reading = self.lent.read().ok_or(Error::Gone { what: GRAPH_OUTPUTS })?;
        // SAFETY: the function requires outputs that were not released (GE-21). Nobody releases them while `reading`
        // exists.
        let count = unsafe { (self.shim.0.outputs_count)(reading.raw()) };
        if index >= count {
            return Err(Error::NoSuchOutput { index, count });
        }
        // SAFETY: the function requires outputs that were not released (GE-21), and writes the result to `tensor`
        // during the call. Nobody releases them while `reading` exists. The index is below their number. A pointer to a
        // live local is valid for writes (`core::ptr`, "Safety").
        unsafe { (self.shim.0.outputs_get)(reading.raw(), index, &raw mut tensor) };
        look(&tensor)
    }
}
