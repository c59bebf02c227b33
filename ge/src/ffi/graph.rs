//! The record that a session keeps of each graph, and the registrations of allocators.

use super::Shim;
use super::session::Home;
use ascendcl::error::ObjectKind;
use ascendcl::raw::{AllocatorFunctions, AllocatorSlot, KeptMemory, KeptStream, LastUse, LentStream, SlotKeeper};
use ascendcl::stream::IdleProof;
use ascendcl::{Brand, Current, DeviceAllocator, Error};
use ascendcl_ge_sys as sys;
use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A graph of a session.
#[derive(Debug)]
pub(crate) struct RawGraph {
    id: u32,
    /// The session that it is of.
    pub(super) home: Arc<Home>,
    /// The last work that used the graph: its load, or an execution.
    pub(super) last_use: LastUse,
    /// The session has removed the graph. Objects that it kept may still have to be released.
    pub(super) removed: AtomicBool,
    holds: Mutex<Holds>,
}

/// The objects that a graph keeps alive.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// The stream on which the graph is loaded, or for which its allocator is registered.
    stream: Option<KeptStream>,
    pub(super) registration: Option<Registration>,
    /// The memory that the program set for the graph.
    pub(super) memory: Vec<KeptMemory>,
}

/// The error for a graph whose stream was returned.
const GONE: Error = Error::Gone { what: ObjectKind::STREAM };

/// The stream of a graph. Dropping this returns the stream to the graph.
pub(crate) struct Borrowed<'a> {
    graph: &'a RawGraph,
    stream: Option<KeptStream>,
}

/// An allocator that the engine may call, and the value that keeps it at its address.
#[derive(Debug)]
pub(super) struct Registration {
    allocator: NonNull<sys::Allocator>,
    keeps: SlotKeeper,
}

// SAFETY: sending the handle to another thread must not cause a data race. The allocator belongs to the process, and
// the only use of its handle is to pass it back to the shim, once.
unsafe impl Send for Registration {}

impl RawGraph {
    pub(super) fn new(id: u32, home: &Arc<Home>, last_use: LastUse) -> Self {
        Self { id, home: Arc::clone(home), last_use, removed: AtomicBool::new(false), holds: Mutex::default() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn last_use(&self) -> &LastUse {
        &self.last_use
    }

    /// Gives the graph this stream.
    pub(crate) fn keep_stream(&self, stream: KeptStream) {
        self.holds().stream = Some(stream);
    }

    /// Takes the stream from the graph: nothing is loaded or registered there any more.
    pub(crate) fn leave_stream(&self) -> Option<KeptStream> {
        self.holds().stream.take()
    }

    /// Takes the stream on which the graph is loaded, or for which its allocator is registered. No lock is held while
    /// it is taken, because the code that has the session, or that ends it, has exclusive use of its graphs (GE-12).
    pub(crate) fn stream(&self) -> Borrowed<'_> {
        Borrowed { graph: self, stream: self.leave_stream() }
    }

    /// Waits for everything that was queued on the graph's stream, if it has one.
    pub(crate) fn synchronize<C: Brand>(&self, current: &Current<C>) -> Result<(), Error> {
        let borrowed = self.stream();
        borrowed.stream.as_ref().map_or(Ok(()), |stream| stream.lend(current)?.synchronize(current))
    }

    pub(super) fn has_registration(&self) -> bool {
        self.holds().registration.is_some()
    }

    pub(super) fn is_removed(&self) -> bool {
        self.removed.load(Ordering::Acquire)
    }

    pub(super) fn holds(&self) -> MutexGuard<'_, Holds> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Borrowed<'_> {
    /// Lends the stream, for work on it.
    pub(crate) fn lend<'s, C: Brand>(&'s self, current: &'s Current<C>) -> Result<LentStream<'s, C>, Error> {
        self.stream.as_ref().ok_or(GONE)?.lend(current)
    }

    /// Calls a function that gets the stream and queues no work on it.
    pub(super) fn with_raw<R>(&self, call: impl FnOnce(*mut c_void) -> R) -> Result<R, Error> {
        self.stream.as_ref().ok_or(GONE)?.with_raw(call)
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.graph.keep_stream(stream);
        }
    }
}

impl Registration {
    pub(super) fn new(allocator: NonNull<sys::Allocator>, keeps: SlotKeeper) -> Self {
        Self { allocator, keeps }
    }

    /// Prevents the engine from getting more memory from the allocator, even if the engine still knows it. Returns the
    /// value that kept the allocator at its address.
    pub(super) fn close(self, shim: Shim) -> SlotKeeper {
        // SAFETY: the function asks for an allocator that `register_allocator` made, once. This takes the value that
        // has it.
        unsafe { (shim.0.allocator_close)(self.allocator.as_ptr()) };
        self.keeps
    }
}

/// The C functions of an allocator, in the form that the shim takes.
pub(super) fn calls(functions: &AllocatorFunctions) -> sys::Calls {
    sys::Calls {
        object: functions.object,
        allocate: functions.allocate,
        advise: functions.allocate_near,
        free: functions.free,
        address_of: functions.address_of,
    }
}

/// Waits for the graph's stream, which is the only one that the allocator of this slot serves. The proof borrows the
/// slot, which the graph's handle owns.
pub(crate) fn idle<'i, C: Brand, A: DeviceAllocator>(
    graph: &RawGraph,
    slot: &'i mut AllocatorSlot<A>,
    current: &Current<C>,
) -> Result<IdleProof<'i, C, A>, Error> {
    graph.synchronize(current)?;
    // SAFETY: `idle` requires that no work exists, or can begin while the proof exists, that could use the allocator's
    // memory. The engine calls the allocator for work on the graph's stream only (GE-04), which was synchronised above
    // (GE-05). Queueing more work requires the graph's handle, whose slot the proof has borrowed exclusively.
    unsafe { slot.idle() }
}
