//! The outputs of an execution, which the engine allocated.

use super::{Shim, Site};
use crate::kinds::GRAPH_OUTPUTS;
use ascendcl::error::ObjectKind;
use ascendcl::raw::{KeptMemory, LastUse, RawTensor};
use ascendcl::{Brand, Current, Element, ElementType, Error, RunMode};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use ascendcl_sys::types::{aclDataType, aclrtMemcpyKind};
use core::ffi::c_void;
use core::ptr::{NonNull, null, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

/// One execution: its inputs, which stay alive while it runs, and its outputs.
#[derive(Debug)]
pub(crate) struct RawOutputs {
    shim: Shim,
    graph: u32,
    /// Null before the engine has accepted the execution, and after the outputs were released.
    raw: AtomicPtr<sys::Outputs>,
    last_use: LastUse,
    /// While the execution's row exists, the inputs' memory has a name, so it is not collected.
    inputs: Vec<RawTensor>,
}

impl RawOutputs {
    pub(super) fn new(shim: Shim, graph: u32, last_use: LastUse, inputs: Vec<RawTensor>) -> Self {
        Self { shim, graph, raw: AtomicPtr::new(null_mut()), last_use, inputs }
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

    pub(super) fn fill(&self, raw: *mut sys::Outputs) {
        self.raw.store(raw, Ordering::Release);
    }

    pub(crate) fn count(&self) -> usize {
        // SAFETY: the function requires outputs that were not released (GE-21). Only the owner of their handle releases
        // them, or a collection when no handle exists.
        self.raw().map_or(0, |raw| unsafe { (self.shim.0.outputs_count)(raw.as_ptr()) })
    }

    /// The element type and shape of one output.
    pub(crate) fn describe(&self, index: usize) -> Option<(ElementType, Vec<i64>)> {
        let tensor = self.tensor(index)?;
        let dims = match tensor.rank {
            0 => Vec::new(),
            // SAFETY: `from_raw_parts` requires `rank` initialised sizes that nobody writes meanwhile. The engine's
            // answer has that many behind `dims` as long as the outputs exist (GE-21), and they are copied at once.
            rank => unsafe { core::slice::from_raw_parts(tensor.dims, rank) }.to_vec(),
        };
        Some((aclDataType(tensor.element).into(), dims))
    }

    pub(crate) fn bytes(&self, index: usize) -> usize {
        self.tensor(index).map_or(0, |tensor| tensor.bytes)
    }

    /// Copies an output to host memory. Returns after the copy has completed.
    #[rule(GE_20)]
    pub(crate) fn read<C: Brand, E: Element>(
        &self,
        current: &Current<C>,
        index: usize,
        to: &mut [E],
    ) -> Result<(), Error> {
        let tensor = self.tensor(index).ok_or(Error::NoSuchOutput { index, count: self.count() })?;
        let bytes = size_of_val(to);
        if bytes > tensor.bytes || self.last_use.is_in_doubt() {
            return Err(Error::TooShort { what: ObjectKind::DEVICE_MEMORY, need: bytes, have: tensor.bytes });
        }
        let kind = match current.run_mode() {
            RunMode::Host => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST,
            RunMode::Device => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE,
        };
        current.allows_calls()?;
        let (library, start) = (current.library(), to.as_mut_ptr().cast());
        // SAFETY: the function reads `bytes` bytes of the tensor and writes them to the slice during the call. The
        // engine allocated `tensor.bytes` bytes there, which are no fewer and stay until the outputs are released
        // (GE-21). The stream was synchronised (GE-20): the caller has the outputs, and they are not in doubt. The
        // slice is borrowed exclusively, and each bit pattern is an element (`Element`).
        let answer = unsafe { library.as_raw().aclrtMemcpy(start, bytes, tensor.address.cast_const(), bytes, kind) };
        library.answered(&format!("copy output {index} of a graph to the host"), "aclrtMemcpy", answer)
    }

    /// Returns the blocks to their allocator. Refuses while queued work may use them.
    #[rule(GE_21)]
    pub(super) fn release(&self, site: &impl Site) -> Result<(), Error> {
        if !site.is_over(&self.last_use) {
            return Err(Error::StillRunning { what: GRAPH_OUTPUTS });
        }
        if let Some(raw) = NonNull::new(self.raw.swap(null_mut(), Ordering::AcqRel)) {
            // SAFETY: the function requires outputs that no work uses, and may be called once for them (GE-21). An
            // execution made them, their mark says that they are idle, and the swap took the pointer.
            unsafe { (self.shim.0.outputs_release)(raw.as_ptr()) };
        }
        Ok(())
    }

    fn tensor(&self, index: usize) -> Option<sys::Tensor> {
        let mut tensor = sys::Tensor { element: 0, dims: null(), rank: 0, address: null_mut::<c_void>(), bytes: 0 };
        let raw = self.raw().filter(|_| index < self.count())?;
        // SAFETY: the function requires outputs that were not released (GE-21), and writes the result to `tensor`
        // during the call. Only the owner of their handle releases them, or a collection when no handle exists. The
        // index is below their number. A pointer to a live local is valid for writes (`core::ptr`, "Safety").
        unsafe { (self.shim.0.outputs_get)(raw.as_ptr(), index, &raw mut tensor) };
        Some(tensor)
    }

    fn raw(&self) -> Option<NonNull<sys::Outputs>> {
        NonNull::new(self.raw.load(Ordering::Acquire))
    }
}
