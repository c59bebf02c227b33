//! The outputs of an execution, which the engine allocated.

use super::Shim;
use crate::element::{ElementType, Pod};
use crate::error::{Error, ObjectKind};
use crate::ffi::bytes::bytes_of_mut;
use crate::ffi::call::call;
use crate::ffi::home::Side;
use crate::ffi::shelf::Shelf;
use crate::ffi::{Api, LastUse, RawBuffer, RawStream};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclDataType;
use core::ffi::c_void;
use core::ptr::{NonNull, null, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Arc;

/// One execution: its inputs, which stay while it runs, and its outputs.
#[derive(Debug)]
pub(crate) struct RawOutputs {
    shim: Shim,
    graph: u32,
    /// Null until the engine has taken the execution, and once the outputs were released.
    raw: AtomicPtr<sys::Outputs>,
    pub(super) last_use: LastUse,
    /// While the execution's row exists, these blocks are referred to and are not freed.
    _inputs: Vec<Arc<RawBuffer>>,
}

impl RawOutputs {
    pub(super) fn new(shim: Shim, graph: u32, inputs: Vec<Arc<RawBuffer>>) -> Self {
        Self { shim, graph, raw: AtomicPtr::new(null_mut()), last_use: LastUse::of(0), _inputs: inputs }
    }

    /// All work that used it is known to be done.
    pub(crate) fn rest(&self) {
        self.last_use.rest();
    }

    /// Notes that the work queued on this stream so far comes after all work that used it.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.lead(&self.last_use);
    }

    pub(super) fn graph(&self) -> u32 {
        self.graph
    }

    pub(super) fn fill(&self, raw: *mut sys::Outputs) {
        self.raw.store(raw, Ordering::Release);
    }

    pub(crate) fn count(&self) -> usize {
        // SAFETY: the function asks for outputs that were not released (GE-21). They are released by the one who has
        // their handle, or when nobody has one.
        self.raw().map_or(0, |raw| unsafe { (self.shim.0.outputs_count)(raw.as_ptr()) })
    }

    /// Element type and shape of one.
    pub(crate) fn describe(&self, index: usize) -> Option<(ElementType, Vec<i64>)> {
        let tensor = self.tensor(index)?;
        let dims = match tensor.rank {
            0 => Vec::new(),
            // SAFETY: `from_raw_parts` asks for `rank` initialised sizes that nobody writes meanwhile. The engine's
            // answer has as many behind `dims` as long as the outputs are there (GE-21), and they are copied at once.
            rank => unsafe { core::slice::from_raw_parts(tensor.dims, rank) }.to_vec(),
        };
        Some((aclDataType(tensor.element).into(), dims))
    }

    pub(crate) fn bytes(&self, index: usize) -> usize {
        self.tensor(index).map_or(0, |tensor| tensor.bytes)
    }

    /// Copies an output to host memory of as many bytes, and returns when that is done.
    #[rule(GE_20)]
    pub(crate) fn read<E: Pod>(&self, api: Api, index: usize, to: &mut [E]) -> Result<(), Error> {
        let to = bytes_of_mut(to);
        let tensor = self.tensor(index).ok_or(Error::NoSuchOutput { index, count: self.count() })?;
        if to.len() > tensor.bytes || self.last_use.is_in_doubt() {
            return Err(Error::TooShort { what: ObjectKind::DEVICE_MEMORY, need: to.len(), have: tensor.bytes });
        }
        let kind = api.direction(Side::Host, Side::Device);
        // SAFETY: the function reads `to.len()` bytes of the tensor and writes them to the slice during the call. The
        // engine allocated `bytes` bytes there, which are no fewer and stay until the outputs are released (GE-21). The
        // stream was synchronised (GE-20): the caller has the outputs, and they are not in doubt. The slice is borrowed
        // exclusively.
        let answer = unsafe {
            call!(api.aclrtMemcpy(to.as_mut_ptr().cast(), to.len(), tensor.address.cast_const(), to.len(), kind))
        };
        answer.done(|| format!("copy output {index} of a graph to the host"))
    }

    /// Gives the blocks back to who allocated them; refused while queued work may use them.
    #[rule(GE_21)]
    pub(super) fn release(&self, streams: &Shelf<RawStream>) -> Result<(), Error> {
        if !streams.has_done(&self.last_use) {
            return Err(Error::StillRunning { what: ObjectKind::GRAPH_OUTPUTS });
        }
        if let Some(raw) = NonNull::new(self.raw.swap(null_mut(), Ordering::AcqRel)) {
            // SAFETY: the function asks for outputs that no work uses, once (GE-21). An execution made them, the stamps
            // say that they are idle, and the swap took the pointer.
            unsafe { (self.shim.0.outputs_release)(raw.as_ptr()) };
        }
        Ok(())
    }

    fn tensor(&self, index: usize) -> Option<sys::Tensor> {
        let mut tensor = sys::Tensor { element: 0, dims: null(), rank: 0, address: null_mut::<c_void>(), bytes: 0 };
        let raw = self.raw().filter(|_| index < self.count())?;
        // SAFETY: the function asks for outputs that were not released (GE-21), and writes the answer to `tensor`
        // during the call. They are released by the one who has their handle, or when nobody has one; the index is
        // below their number; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
        unsafe { (self.shim.0.outputs_get)(raw.as_ptr(), index, &raw mut tensor) };
        Some(tensor)
    }

    fn raw(&self) -> Option<NonNull<sys::Outputs>> {
        NonNull::new(self.raw.load(Ordering::Acquire))
    }
}
