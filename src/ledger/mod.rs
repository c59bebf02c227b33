//! The ledger: who owns what the vendor's library gave out.
//!
//! Invariants:
//!
//! 1. Every vendor object of a context has a row here from its creation until the library agreed to its destruction.
//!    Forgetting a handle loses a name, never a row. What takes several calls to create gets its row before the first
//!    of them: if a later one fails, the row has what is there, and is taken down like any other.
//! 2. A row is a shared pointer: one in the ledger, one in the handle, and one in whatever needs the object alive (the
//!    stream of a pending copy, the weights of a model). An object is *unnamed* when the ledger's is the only one left;
//!    dropping a handle does nothing else, so `Drop` never calls the library and never fails.
//! 3. Objects go in the vendor's order: streams are synchronised, models unloaded, events and streams destroyed, memory
//!    freed, the context destroyed (DEV-10). If a stream cannot be synchronised, everything after it stays, and if a
//!    model cannot be unloaded, the memory stays (quarantine): the rows move to the device, which refuses to be reset
//!    while it has any. An object of other code goes before the kind of objects that it names; while it is there, they
//!    stay.
//! 4. An object's row keeps what was lent to the object: the workspace of a model that the library refused to unload is
//!    neither returned nor given to another model.
//! 5. Only idle memory is freed. The stamps in [`ffi`](crate::ffi) decide that, not the rows.
//! 6. No lock is held while the vendor's library or a user's code runs. Submitting, waiting and copying take no lock at
//!    all: they work on the row behind the handle. In a forked child no lock is taken: a thread that is not there may
//!    have it.

mod attachments;
mod device;
mod forced;
mod graphs;
mod kinds;
mod models;
mod registered;
mod room;
pub(crate) mod takes;
mod wait;

use crate::device_allocator::{ContextId, is_supported_on};
use crate::element::Element;
use crate::error::Error;
use crate::ffi::{
    Api, Entered, Home, KeptAllocator, LoadedModel, Owner, RawAttachment, RawBinding, RawBuffer, RawContext, RawEvent,
    RawGraph, RawInvocation, RawStream, Restore, Shelf, Site, next_number,
};
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtMemMallocPolicy;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

pub(crate) use device::DeviceRow;
use kinds::KINDS;
use room::is_used_up;

/// The rows of one context.
#[derive(Debug)]
#[rule(STREAM_01)]
pub(crate) struct Ledger {
    api: Api,
    site: Site,
    context: RawContext,
    id: ContextId,
    default_stream: OnceLock<Arc<RawStream>>,
    /// This is not a stream. It stands for the work that the library does without a stream: runs of models that it
    /// waits for. It has its row among the streams from the first run that may go on after a failure.
    runs: Arc<RawStream>,
    streams: Shelf<RawStream>,
    events: Shelf<RawEvent>,
    graphs: Shelf<RawGraph>,
    bindings: Shelf<RawBinding>,
    invocations: Shelf<RawInvocation>,
    models: Shelf<LoadedModel>,
    blocks: Shelf<RawBuffer>,
    /// Failures of work that a creation got from the library, for the next collection.
    unheard: Mutex<Vec<Error>>,
    /// Objects of other code.
    attachments: Shelf<RawAttachment>,
    /// The context itself was destroyed: nothing is left to take down.
    gone: AtomicBool,
}

impl Ledger {
    pub(crate) fn new(api: Api, context: RawContext, device: i32) -> Self {
        let (default_stream, streams, events, bindings, invocations, models, blocks, gone) = Default::default();
        let graphs = Shelf::default();
        let id = ContextId::next(device);
        Self {
            api,
            site: Site::of(api, id),
            context,
            id,
            default_stream,
            runs: Arc::new(RawStream::of_the_library(next_number(), Owner::of(id))),
            streams,
            events,
            graphs,
            bindings,
            invocations,
            models,
            blocks,
            unheard: Mutex::default(),
            attachments: Shelf::default(),
            gone,
        }
    }

    #[inline]
    pub(crate) fn streams(&self) -> &Shelf<RawStream> {
        &self.streams
    }

    #[inline]
    pub(crate) fn api(&self) -> Api {
        self.api
    }

    /// Where the calls of a `Current` of this context are made from.
    #[inline]
    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    pub(crate) fn context(&self) -> RawContext {
        self.context
    }

    #[inline]
    pub(crate) fn id(&self) -> ContextId {
        self.id
    }

    pub(crate) fn device(&self) -> i32 {
        self.id.device()
    }

    // The functions below call the library: this ledger's context has to be current.

    /// The context's default stream; it is there without being created (DEV-03), and its row from the first use on.
    pub(crate) fn default_stream(&self) -> Arc<RawStream> {
        let first = || RawStream::default_of_current(next_number());
        if self.api.is_of_this_process().is_err() {
            // A forked child takes no lock. Whatever is asked of the stream is refused.
            return Arc::new(first());
        }
        Arc::clone(self.default_stream.get_or_init(|| self.streams.put(first())))
    }

    /// Allocates memory. When the device has no room, it frees memory without a handle and tries once again.
    pub(crate) fn allocate(&self, home: Home, bytes: usize) -> Result<Arc<RawBuffer>, Error> {
        self.allocate_by(home, bytes, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST)
    }

    /// The same, of pages by this policy.
    pub(crate) fn allocate_by(
        &self,
        home: Home,
        bytes: usize,
        policy: aclrtMemMallocPolicy,
    ) -> Result<Arc<RawBuffer>, Error> {
        let allocate = || RawBuffer::allocate(self.api, home, bytes, policy);
        let block = match allocate() {
            Ok(block) => block,
            Err(error) if is_used_up(&error) && self.free_unnamed_blocks() > 0 => allocate()?,
            Err(error) => return Err(error),
        };
        let block = self.keep(block.zeroed_on_host());
        match block.is_aligned_for_elements() {
            Ok(()) => Ok(block),
            Err(error) => {
                // Objects that the library refuses to release stay with the scope.
                drop(self.free(&block));
                Err(error)
            }
        }
    }

    /// Takes a block that the library allocated into the ledger.
    pub(crate) fn keep(&self, block: RawBuffer) -> Arc<RawBuffer> {
        self.blocks.put(block)
    }

    /// An error on products where the library has no allocators (ALLOC-02), before it is asked.
    pub(crate) fn supports_allocators(&self) -> Result<(), Error> {
        let product = self.api.soc_name().unwrap_or_default();
        if is_supported_on(&product) {
            return Ok(());
        }
        Err(Error::UnsupportedProduct { product, what: "an allocator of the caller's" })
    }

    /// A vector's memory as a host block. In a forked child, which takes no lock, it gets no row: nothing frees it
    /// there.
    pub(crate) fn keep_vec<E: Element>(&self, elements: Vec<E>) -> Arc<RawBuffer> {
        let block = RawBuffer::of_vec(elements);
        if self.api.is_of_this_process().is_ok() { self.keep(block) } else { Arc::new(block) }
    }

    /// The vector back, when nothing in flight uses it.
    pub(crate) fn take_vec<E: Element>(&self, block: &mut Arc<RawBuffer>) -> Option<Vec<E>> {
        self.api.is_of_this_process().ok()?;
        let elements = RawBuffer::take_vec(block, &self.streams)?;
        self.blocks.remove(block);
        Some(elements)
    }

    /// Synchronises and destroys; the row goes when the library agreed to that, and to the end of the descriptors of
    /// the stream's allocators. What their registrations kept goes to `kept`, to be dropped when everything is in order
    /// again: that runs code of the user.
    pub(crate) fn destroy_stream(&self, stream: &Arc<RawStream>, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        self.api.is_of_this_process()?;
        if stream.is_capturing() {
            self.end_left_captures();
        }
        stream.synchronize(self.api, None)?;
        stream.destroy(self.api, kept)?;
        self.streams.remove(stream);
        Ok(())
    }

    pub(crate) fn destroy_event(&self, event: &Arc<RawEvent>) -> Result<(), Error> {
        self.api.is_of_this_process()?;
        event.destroy(self.api)?;
        self.events.remove(event);
        Ok(())
    }

    /// Frees a block of this context, through the library and in the context that it was allocated in. A block can come
    /// here by way of a value that has no brand: an allocator's.
    pub(crate) fn free(&self, block: &Arc<RawBuffer>) -> Result<(), Error> {
        self.api.is_of_this_process()?;
        if block.is_part() {
            block.is_current()?;
        } else if !self.blocks.has(block) {
            return Err(Error::OtherContext { context: self.id });
        }
        block.free(self.api, &self.streams)?;
        self.blocks.remove(block);
        Ok(())
    }

    /// The block of which this is the last part, for one owner.
    #[allow(clippy::result_large_err, reason = "the part comes back as it was")]
    pub(crate) fn unshare(&self, part: RawBuffer) -> Result<Arc<RawBuffer>, (Error, RawBuffer)> {
        match self.api.is_of_this_process() {
            Ok(()) => part.into_only(&self.streams),
            Err(error) => Err((error, part)),
        }
    }

    /// Destroys the objects that no handle refers to and no work in flight uses. Returns the errors.
    pub(crate) fn collect(&self) -> Vec<Error> {
        if let Err(forked) = self.api.is_of_this_process() {
            return vec![forked];
        }
        let (mut errors, mut kept) = (core::mem::take(&mut *self.unheard()), Vec::new());
        errors.extend(self.wait_for_what_is_over());
        // Streams first: their ends wait for the work that uses the others.
        let (streams, others): (Vec<_>, Vec<_>) = KINDS.iter().partition(|kind| kind.waits);
        streams.into_iter().chain(others).for_each(|kind| (kind.end_unnamed)(self, &mut errors, &mut kept));
        drop_each(kept);
        errors
    }

    fn free_unnamed_blocks(&self) -> usize {
        self.blocks.unnamed().iter().filter(|block| self.free(block).is_ok()).count()
    }

    /// Takes everything down, and the context with it. Afterwards the ledger is empty, or the errors say why not.
    ///
    /// May be called again after a failure: it tries again only what is left. Each stream is waited for at most
    /// `teardown_timeout`, if there is a limit.
    #[rule(DEV_02, DEV_10)]
    pub(crate) fn tear_down(&self, teardown_timeout: Option<Duration>) -> Result<(), Vec<Error>> {
        if self.gone.load(Ordering::Acquire) {
            return Ok(());
        }
        self.api.is_of_this_process().map_err(|error| vec![error])?;
        let mut restore = Restore::around(self.api, self.context);
        if let Err(error) = self.context.make_current(self.api) {
            return Err(vec![error]);
        }
        let _entered = Entered::into(self.context, self.api, self.id);
        let (mut errors, mut kept) = (self.end_left_captures(), Vec::new());
        for stream in self.streams.all() {
            errors.extend(stream.synchronize(self.api, teardown_timeout).err());
        }
        if !errors.is_empty() {
            // Work may still be running: nothing that it could use may go.
            return Err(errors);
        }
        KINDS.iter().for_each(|kind| (kind.end_all)(self, &mut errors, &mut kept));
        if errors.is_empty() && self.attachments.len() == 0 {
            let destroyed = self.context.destroy(self.api);
            self.gone.store(destroyed.is_ok(), Ordering::Release);
            if destroyed.is_ok() {
                restore.without(self.context);
            }
            errors.extend(destroyed.err());
        }
        // Last, and with nothing locked or half done: the allocators are the user's, and so is what dropping them does.
        drop_each(kept);
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// The remaining objects, in words.
    pub(crate) fn inventory(&self) -> String {
        let parts: Vec<_> = KINDS.iter().flat_map(|kind| (kind.left)(self)).collect();
        if parts.is_empty() { "a context".to_owned() } else { parts.join(", ") }
    }
}

/// The program gave up a context that could not be taken down, and work in it may go on. What that work calls and uses
/// on the host is kept for the rest of the process: allocators, state of callbacks, memory, objects of other code.
impl Drop for Ledger {
    #[rule(ALLOC_12, GRAPH_05, MEM_02)]
    fn drop(&mut self) {
        // A forked child has no thread that could use it, and takes no lock.
        if !self.gone.load(Ordering::Acquire) && self.api.is_of_this_process().is_ok() {
            KINDS.iter().for_each(|kind| (kind.leak)(self));
        }
    }
}

/// Drops every allocator, also when dropping one of them panics; the first panic goes on.
fn drop_each(kept: Vec<KeptAllocator>) {
    let mut first = None;
    for allocator in kept {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(allocator))) {
            match first {
                None => first = Some(panic),
                // Dropping what was thrown could throw again.
                Some(_) => core::mem::forget(panic),
            }
        }
    }
    if let Some(panic) = first {
        resume_unwind(panic);
    }
}
