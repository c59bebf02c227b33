//! The ledger: the rows of all objects of a context, and their owners.
//!
//! Invariants:
//!
//! 1. Every vendor object of a context has a row from its creation until the library has agreed to its destruction.
//!    Forgetting a handle never loses the row. If several calls create an object, its row exists before the first call.
//!    If a later call fails, the row holds the parts that exist, and is taken down like any other.
//! 2. A row is a shared pointer. The ledger has one, the handle has one, and so has everything that needs the object to
//!    be alive (the stream of a pending copy, the weights of a model). An object is *unreferenced* when only the ledger's
//!    pointer is left. Dropping a handle drops its pointer and does nothing else, so `Drop` never calls the library and
//!    never fails.
//! 3. Objects end in the vendor's order: streams are synchronised, models unloaded, events and streams destroyed,
//!    memory freed, the context destroyed (DEV-10). If a stream cannot be synchronised, everything after it stays. If a
//!    model cannot be unloaded, the memory stays. This is the quarantine: the rows move to the device, which refuses to
//!    be reset while it has any. An attached object of other code ends before the kind of objects that it names; as
//!    long as it exists, those objects stay.
//! 4. An object's row keeps what was lent to the object. For example, the workspace of a model that the library refused
//!    to unload is neither returned nor given to another model.
//! 5. Only idle memory is freed. The stamps in [`ffi`](crate::ffi) decide which memory is idle; the rows do not.
//! 6. No lock is held while the vendor's library or code of the user runs. Submitting, copying and waiting for a stream take
//!    no lock. A wait for the context, or for an event whose stream was destroyed, takes one for a moment, after the call of
//!    the library. A forked child takes no lock, because a thread that only the parent has may hold it.

mod at_once;
mod attachments;
mod collect;
mod create;
mod device;
mod ending;
mod forced;
mod graphs;
mod kinds;
mod models;
mod registered;
pub(crate) mod takes;
mod wait;

use crate::device_allocator::{ContextId, is_supported_on};
use crate::element::Element;
use crate::error::{Boxed, Error};
use crate::ffi::{
    Api, Enterable, Entered, Home, KeptAllocator, LoadedModel, Owner, RawAttachment, RawBinding, RawBuffer, RawContext,
    RawEvent, RawGraph, RawOperator, RawStream, Restore, Shelf, Site, Visit, add_view,
};
use crate::panics::{Panics, drop_each_quietly};
use crate::thread::Occupied;
use crate::undelivered::UndeliveredErrors;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtMemMallocPolicy;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

pub(crate) use at_once::end;
use create::is_used_up;
pub(crate) use device::DeviceRow;
use kinds::KINDS;

/// The rows of one context. What calls need of the context comes first: it has the address of the whole, which fast paths that
/// need both then make once.
#[rule(STREAM_01)]
#[repr(C)]
pub(crate) struct Ledger {
    at: Enterable,
    api: Api,
    default_stream: OnceLock<Arc<RawStream>>,
    /// This is not a stream. It stands for the work that the library does without a stream: runs of models for which
    /// the library waits itself. It is added to `streams` when a run fails and may go on.
    runs: Arc<RawStream>,
    streams: Arc<Shelf<RawStream>>,
    events: Shelf<RawEvent>,
    /// The events on which calls are refused ([`hold_events`](Self::hold_events)).
    held: Mutex<Vec<Arc<RawEvent>>>,
    graphs: Shelf<RawGraph>,
    /// How many graphs were [given up](Self::give_up_graph) and not destroyed yet.
    graphs_given_up: AtomicUsize,
    /// State of callbacks of graphs that were destroyed where code of the user cannot run.
    states: Mutex<Vec<KeptAllocator>>,
    bindings: Shelf<RawBinding>,
    operators: Shelf<RawOperator>,
    operators_before_next_check: AtomicUsize,
    models: Shelf<LoadedModel>,
    blocks: Shelf<RawBuffer>,
    /// Errors that the function that got them could not report. The next collection reports them.
    undelivered: UndeliveredErrors,
    late_failures: wait::LateFailures,
    /// Attached objects of other code.
    attachments: Shelf<RawAttachment>,
    /// Whether the context itself was destroyed, so that nothing remains to take down.
    gone: AtomicBool,
}

impl Ledger {
    /// The ledger of a created context, or one of the views of a default context (`src/ffi/views.rs`).
    pub(crate) fn new(api: Api, context: RawContext, device: i32) -> Self {
        let (default_stream, streams, events, bindings, operators, models, blocks, gone) = Default::default();
        let graphs = Shelf::default();
        let id = ContextId::next(device);
        if !context.is_created() {
            add_view(api, context, Owner::of(id), &streams);
        }
        Self {
            api,
            at: Enterable::new(api, context, id),
            default_stream,
            runs: Arc::new(RawStream::of_the_library(api, Owner::of(id), &streams)),
            streams,
            events,
            held: Mutex::default(),
            graphs,
            graphs_given_up: AtomicUsize::default(),
            states: Mutex::default(),
            bindings,
            operators,
            operators_before_next_check: AtomicUsize::default(),
            models,
            blocks,
            undelivered: UndeliveredErrors::default(),
            late_failures: Default::default(),
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

    /// The site of calls through a `Current` of this context.
    #[inline]
    pub(crate) fn site(&self) -> &Site {
        self.at.site()
    }

    pub(crate) fn context(&self) -> RawContext {
        self.at.context()
    }

    /// A visit to the context. The caller guarantees that the context does not end in that time.
    #[inline]
    pub(crate) fn visit(&self) -> Visit<'_> {
        Visit::of(&self.at)
    }

    #[inline]
    pub(crate) fn id(&self) -> ContextId {
        self.at.id()
    }

    pub(crate) fn device(&self) -> i32 {
        self.at.id().device()
    }

    // The functions below call the library. This ledger's context must be current.

    /// The context's default stream. It exists without being created (DEV-03). Its row exists from the first use on.
    pub(crate) fn default_stream(&self) -> Arc<RawStream> {
        let first = || RawStream::default_of_current(self.api);
        if self.api.check_process().is_err() {
            // A forked child takes no lock. Every call on the stream is refused.
            return Arc::new(first());
        }
        Arc::clone(self.default_stream.get_or_init(|| self.streams.put(first())))
    }

    /// Allocates memory. If the device has no room, frees memory without a handle and tries once more.
    pub(crate) fn allocate(&self, home: Home, bytes: usize) -> Result<Arc<RawBuffer>, Error> {
        self.allocate_after(None, home, bytes, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST)
    }

    /// Allocates memory, of pages that the policy chooses. `refused` is the error if the library has already refused
    /// once.
    fn allocate_after(
        &self,
        refused: Option<Boxed>,
        home: Home,
        bytes: usize,
        policy: aclrtMemMallocPolicy,
    ) -> Result<Arc<RawBuffer>, Error> {
        let allocate = || RawBuffer::allocate(self.api, home, bytes, policy);
        let block = match refused.map_or_else(allocate, |error| Err(error.into())) {
            Ok(block) => block,
            Err(error) if is_used_up(&error) && self.free_unreferenced_blocks() => allocate()?,
            Err(error) => return Err(error),
        };
        let block = self.keep(block.zeroed_on_host());
        match block.check_alignment() {
            Ok(()) => Ok(block),
            Err(error) => {
                // A block that the library refuses to free stays with the scope.
                drop(self.free(&block));
                Err(error)
            }
        }
    }

    /// Adds a block to the ledger.
    pub(crate) fn keep(&self, block: RawBuffer) -> Arc<RawBuffer> {
        self.blocks.put(block)
    }

    /// Returns an error on products whose library has no allocators (ALLOC-02), without calling it.
    pub(crate) fn supports_allocators(&self) -> Result<(), Error> {
        let product = self.api.soc_name().unwrap_or_default();
        if is_supported_on(&product) {
            return Ok(());
        }
        Err(Error::UnsupportedProduct { product: product.into(), what: "an allocator of the caller's" })
    }

    /// Makes a host block of a vector's memory. In a forked child the block gets no row, because a thread that only
    /// the parent has may be adding one there; nothing frees the block there.
    pub(crate) fn keep_vec<E: Element>(&self, elements: Vec<E>) -> Arc<RawBuffer> {
        let block = RawBuffer::of_vec(elements);
        if self.api.check_process().is_ok() { self.keep(block) } else { Arc::new(block) }
    }

    /// Returns the vector, if no work in flight uses it.
    pub(crate) fn take_vec<E: Element>(&self, block: &mut Arc<RawBuffer>) -> Option<Vec<E>> {
        self.api.check_process().ok()?;
        let elements = RawBuffer::take_vec(block, &self.streams)?;
        self.blocks.remove(block);
        Some(elements)
    }

    /// Frees a block of this context. The context is checked at run time, because the chunks of an allocator come in a
    /// value without a brand.
    pub(crate) fn free(&self, block: &Arc<RawBuffer>) -> Result<(), Error> {
        self.api.check_process()?;
        if block.is_part() {
            block.check_current()?;
        } else if !self.blocks.has(block) {
            return Err(block.check_current().err().unwrap_or(Error::Gone { what: block.home().kind() }));
        }
        self.no_graph_has(block)?;
        block.free(self.api, &self.streams)?;
        self.blocks.remove(block);
        Ok(())
    }

    /// Turns the last part of a block into the block for one owner. An operator that was taken apart in flight may still
    /// have a part.
    #[allow(clippy::result_large_err, reason = "the part comes back as it was")]
    pub(crate) fn unshare(&self, part: RawBuffer) -> Result<Arc<RawBuffer>, (Error, RawBuffer)> {
        match self.api.check_process() {
            Ok(()) => part.into_only(&self.streams).or_else(|(error, part)| match self.end_unreferenced_operators() {
                0 => Err((error, part)),
                _ => part.into_only(&self.streams),
            }),
            Err(error) => Err((error, part)),
        }
    }

    /// An error unless this is the only handle of its block, and no work uses any of the block any more.
    pub(crate) fn check_only_handle(&self, part: &mut RawBuffer) -> Result<(), Error> {
        self.api.check_process()?;
        if part.only_handle(&self.streams).is_err() {
            self.end_unreferenced_operators();
        }
        part.only_handle(&self.streams).map(drop)
    }

    /// Frees memory without a handle. Returns whether there was any.
    fn free_unreferenced_blocks(&self) -> bool {
        self.end_unreferenced_operators();
        self.blocks.unreferenced().iter().filter(|block| self.free(block).is_ok()).count() > 0
    }

    /// Takes down everything, including the context. Afterwards the ledger is empty, or the errors say why not.
    ///
    /// May be called again after a failure; then it tries only what is left. Waits for each stream, and for calls of
    /// other contexts on each event, for at most `teardown_timeout`, if there is a limit.
    ///
    /// Drops values of the user at the end, which may panic. That changes nothing of the result.
    #[rule(DEV_02, DEV_10)]
    pub(crate) fn tear_down(&self, teardown_timeout: Option<Duration>, panics: &mut Panics) -> Result<(), Vec<Error>> {
        let mut kept = Vec::new();
        let torn_down = self.tear_down_inside(teardown_timeout, &mut kept);
        // This comes last, when no lock is held, the bookkeeping is done, and the context from before is current again:
        // dropping allocators runs code of the user, which may enter another context.
        panics.drop_each(kept);
        torn_down
    }

    /// Adds values of the user to `kept`.
    fn tear_down_inside(
        &self,
        teardown_timeout: Option<Duration>,
        kept: &mut Vec<KeptAllocator>,
    ) -> Result<(), Vec<Error>> {
        if self.gone.load(Ordering::Acquire) {
            return Ok(());
        }
        self.api.check_process().map_err(|error| vec![error])?;
        let mut restore = Restore::around(self.api, self.context());
        if let Err(error) = self.context().make_current(self.api) {
            return Err(vec![error.into()]);
        }
        let _entered = Entered::into(self.context(), self.api, self.id());
        // Attached objects run code of the user. That code must find the thread occupied, also if the caller has no
        // token.
        let _occupied = Occupied::now();
        // Held events count as destroyed, so they could not be destroyed below.
        self.release_events();
        let mut errors = self.end_left_captures();
        for stream in self.streams.all() {
            errors.extend(stream.synchronize(self.api, teardown_timeout).err());
        }
        if !errors.is_empty() {
            // Work may still be running, so nothing that it could use may end.
            return Err(errors);
        }
        KINDS.iter().for_each(|kind| (kind.end_all)(self, teardown_timeout, &mut errors, kept));
        if errors.is_empty() && self.attachments.len() == 0 {
            let destroyed = self.context().destroy(self.api);
            self.gone.store(destroyed.is_ok(), Ordering::Release);
            if destroyed.is_ok() && self.context().is_created() {
                restore.without(self.context());
            }
            errors.extend(destroyed.err());
        }
        kept.append(&mut self.states());
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Like [`tear_down`](Self::tear_down), for callers that do not report the errors.
    pub(crate) fn tear_down_quietly(&self, teardown_timeout: Option<Duration>, panics: &mut Panics) -> bool {
        self.tear_down(teardown_timeout, panics).map_err(drop_each_quietly).is_ok()
    }

    /// The remaining objects, in words.
    pub(crate) fn inventory(&self) -> String {
        let parts: Vec<_> = KINDS.iter().flat_map(|kind| (kind.left)(self)).collect();
        if parts.is_empty() { "a context".to_owned() } else { parts.join(", ") }
    }
}

/// A dropped ledger whose context was not destroyed leaks what work may still use: the program gave up a context that
/// could not be taken down, and work in it may go on. What that work calls and uses on the host stays allocated for the
/// rest of the process: allocators, state of callbacks, memory, attached objects.
impl Drop for Ledger {
    #[rule(ALLOC_12, GRAPH_05, MEM_02)]
    fn drop(&mut self) {
        // Errors and values of the program may panic when they are dropped, and this may run during a panic.
        drop_each_quietly(self.undelivered.take_mut());
        drop_each_quietly(core::mem::take(self.states.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())));
        // A forked child has no thread that could use these objects, and takes no lock.
        if !self.gone.load(Ordering::Acquire) && self.api.check_process().is_ok() {
            KINDS.iter().for_each(|kind| (kind.leak)(self));
        }
    }
}
