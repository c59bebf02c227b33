//! Graphs: what a session knows of each, and the registrations of allocators.

use super::Shim;
use crate::ffi::Members;
use crate::ffi::allocator::KeptAllocator;
use crate::ffi::{LastUse, RawBuffer, RawStream};
use ascendcl_ge_sys as sys;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A graph of a session.
#[derive(Debug)]
pub(crate) struct RawGraph {
    id: u32,
    /// The last work that used the graph: its load, or an execution.
    pub(super) last_use: LastUse,
    /// The session has it no longer; what it held may still have to go.
    pub(super) removed: AtomicBool,
    pub(super) holds: Mutex<Holds>,
}

/// The objects that a graph keeps alive.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// Where it is loaded, or its allocator registered.
    pub(super) stream: Option<Arc<RawStream>>,
    pub(super) registration: Option<Registration>,
    /// The memory that was set for it.
    pub(super) memory: Vec<Arc<RawBuffer>>,
}

/// An allocator that the engine may call, and what keeps it in place.
#[derive(Debug)]
pub(super) struct Registration {
    allocator: NonNull<sys::Allocator>,
    keeps: KeptAllocator,
}

// SAFETY: sending the handle to another thread must not make a data race. The allocator belongs to the process, and its
// handle is only handed back to the shim, once.
unsafe impl Send for Registration {}

impl RawGraph {
    pub(super) fn new(id: u32) -> Self {
        Self { id, last_use: LastUse::of(0), removed: AtomicBool::new(false), holds: Mutex::default() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// The stream on which the graph is loaded, or its allocator registered.
    pub(crate) fn stream(&self) -> Option<Arc<RawStream>> {
        self.holds().stream.clone()
    }

    /// All work that used it is known to be done.
    pub(crate) fn rest(&self) {
        self.last_use.rest();
    }

    /// Notes that the work queued on this stream so far comes after all work that used it.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.lead(&self.last_use);
    }

    pub(super) fn is_removed(&self) -> bool {
        self.removed.load(Ordering::Acquire)
    }

    pub(super) fn holds(&self) -> MutexGuard<'_, Holds> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registration {
    pub(super) fn new(allocator: NonNull<sys::Allocator>, keeps: KeptAllocator) -> Self {
        Self { allocator, keeps }
    }

    /// From now on the engine gets no memory from the allocator, whatever it still knows; gives back what kept it.
    pub(super) fn close(self, shim: Shim) -> KeptAllocator {
        // SAFETY: the function asks for an allocator that `register_allocator` made, once. This takes the value that
        // has it.
        unsafe { (shim.0.allocator_close)(self.allocator.as_ptr()) };
        self.keeps
    }
}

/// The C functions of an allocator, as the shim takes them.
pub(super) fn calls(members: &Members) -> sys::Calls {
    sys::Calls {
        object: members.object.as_ptr(),
        allocate: members.allocate,
        advise: members.advise,
        free: members.free,
        address_of: members.address_of,
    }
}
