//! The proof that a context is current on this thread.

use crate::brand::{Brand, Mark, OfTheCurrentContext, Scoped};
use crate::device_allocator::ContextId;
use crate::error::Error;
use crate::ffi::Here;
use crate::ledger::Ledger;
use crate::library::Loaded;
use crate::run_mode::RunMode;
use crate::thread::{self, ThreadToken};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::assert_not_impl_any;
use std::sync::Arc;
use std::time::Duration;

/// Proof that the context `C` is the current context of this thread.
///
/// A program only borrows it, from [`Context::enter`](crate::Context::enter), [`Runtime::with`](crate::Runtime::with)
/// and similar methods, while it is inside the context. It cannot be used while another context is entered. Its methods
/// create all objects of the context. The scope owns these objects: an object whose handle is dropped or forgotten
/// lives until [`collect`](Self::collect) or the end of the scope.
///
/// Having a `Current<C>` tells you the following:
///
/// * The context `C` exists, and its device is taken.
/// * It is the current context of this thread, so the library takes calls on objects of `C` from here.
/// * This thread is not inside a callback of the library.
///
/// It does not tell you:
///
/// * that no other thread uses the context: several threads can have a `Current<C>` at a time;
/// * that code outside this crate has not changed the current context ([`foreign`](Self::foreign) runs such code,
///   [`Acl::verify_current`](crate::Acl::verify_current) finds what it changed);
/// * for a name that several runtimes have, that an object belongs to this one: a call with another runtime's object
///   returns [`Error::WrongContext`].
///
/// A `Current` cannot go to another thread, and cannot be held across an `await` in a future that may:
///
/// ```text
/// error[E0277]: the current context of one thread cannot be used by another thread
///    |
/// 11 |         let worker = scope.spawn(|| classify(current, model, image));
///    |                            ----- ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this needs the `Current` of the thread that has it
/// ```
#[rule(DEV_01, CTX_07, THREAD_01, THREAD_04, STREAM_09, STREAM_10, MEM_06)]
pub struct Current<
    C: Brand, // CTX-02: for every context: `fn f<C: Brand>(current: &Current<C>)`; for one of a runtime: `&Current<Vision>`
> {
    ledger: Arc<Ledger>,
    _brand: Mark<C>,
    _here: OfTheCurrentContext,
}

assert_not_impl_any!(Current<Scoped<'static>>: Send, Sync, Clone);

/// Free and total memory of a device, in bytes.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let memory = current.memory_info()?;
/// assert!(memory.free <= memory.total);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Bytes that can still be allocated.
    pub free: usize,
    /// All bytes.
    pub total: usize,
}

impl<C: Brand> Current<C> {
    pub(crate) fn new(ledger: &Arc<Ledger>) -> Self {
        Self { ledger: Arc::clone(ledger), _brand: Mark::NEW, _here: OfTheCurrentContext::NEW }
    }

    #[inline]
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The place of calls on objects of this context.
    #[inline]
    pub(crate) fn here(&self) -> Here<'_> {
        self.ledger.site().here()
    }

    /// Waits for all work of this context, including that of streams whose handles were dropped. It calls
    /// `aclrtSynchronizeDeviceWithTimeout` repeatedly, which waits for the streams of the current context (DEV-17).
    ///
    /// # Other threads
    ///
    /// The library reports a failure of work to one wait only, and this one may have got it long before it ends: it goes on
    /// waiting for the other streams. A wait of another thread for the failed work may succeed in that time (ERR-02). So if
    /// this call reports a failure, no result of the context may be used for which another thread has waited since the call
    /// began. Waits that begin after it has ended report the failure themselves. A program that cannot tell which
    /// results these are waits for its streams instead: [`StreamOps::synchronize`](crate::stream::StreamOps::synchronize).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] with the code of work that failed on the device (ERR-02), or if another thread captures a stream of
    /// the context meanwhile (STREAM-18). [`Error::WorkFailed`], once per stream, if another wait got the failure.
    #[rule(DEV_17)]
    pub fn synchronize(&self) -> Result<(), Error> {
        self.ledger.synchronize_all(None)
    }

    /// Like [`synchronize`](Self::synchronize), for at most `limit`, rounded up to whole milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] whose code [`is_timeout`](crate::error::Code::is_timeout) when the limit has passed
    /// (STREAM-16).
    pub fn synchronize_within(&self, limit: Duration) -> Result<(), Error> {
        self.ledger.synchronize_all(Some(limit))
    }

    /// Free and total memory of this context's device (`aclrtGetMemInfo`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot report it.
    pub fn memory_info(&self) -> Result<MemoryInfo, Error> {
        self.ledger.api().memory_info().map(|(free, total)| MemoryInfo { free, total })
    }

    /// Destroys, unloads and frees the objects that no handle refers to and no work in flight uses. Otherwise the end
    /// of the scope does this. It first waits for streams without a handle, **without a limit**, and for work that
    /// [`is_complete`](crate::stream::StreamOps::is_complete) reported as over and that no wait has covered. Use
    /// [`collect_within`](Self::collect_within) where a device that hangs must not block the thread.
    ///
    /// The errors are those that dropped handles could not report; an object that could not be destroyed stays with the
    /// scope. At most 64 of the failures that happened before this call are kept for it.
    #[must_use = "these are the errors that dropped handles could not report"]
    #[rule(STREAM_01)]
    pub fn collect(&self) -> Vec<Error> {
        self.ledger.collect(None)
    }

    /// Like [`collect`](Self::collect), but waits for at most `limit` in all, rounded up to whole milliseconds.
    /// `Duration::ZERO` takes what is idle by now. A stream without a handle whose work goes on stays with the scope, and
    /// so does all that this work uses; that is no error. When the limit has passed, each further stream is still asked
    /// whether its work is over, which takes a few milliseconds for each (`aclrtSynchronizeStreamWithTimeout`). The
    /// library's calls that destroy and free have no limit.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let stream = current.stream()?;
    /// let (started, start) = std::sync::mpsc::channel::<()>();
    /// // Work that goes on is dropped with its stream.
    /// drop(stream.launch_host_fn(current, move || start.recv())?);
    /// drop(stream);
    /// assert!(current.collect_within(Duration::ZERO).is_empty());
    /// drop(started);
    /// assert!(current.collect_within(Duration::from_secs(5)).is_empty());
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// The errors are as for [`collect`](Self::collect).
    #[must_use = "these are the errors that dropped handles could not report"]
    #[rule(STREAM_01, STREAM_16)]
    pub fn collect_within(&self, limit: Duration) -> Vec<Error> {
        self.ledger.collect(Some(limit))
    }

    /// The library of this context.
    pub fn library(&self) -> Loaded {
        Loaded::of(self.ledger.api())
    }

    /// Where the program runs. [`Acl::run_mode`](crate::Acl::run_mode) asked the library when the device was taken.
    pub fn run_mode(&self) -> RunMode {
        self.ledger.api().known_run_mode()
    }

    /// The name of the devices' system on chip (`aclrtGetSocName`). `None` if the library does not report one.
    pub fn soc_name(&self) -> Option<String> {
        self.ledger.api().soc_name()
    }

    /// Identifies this context among all others.
    pub fn id(&self) -> ContextId {
        self.ledger.id()
    }

    /// Whether this is the default context of its device, which exists as long as the device is taken: that of
    /// [`Device::default_context`](crate::Device::default_context), and of a runtime whose [`Setup`](crate::Setup) asks
    /// for it. Some libraries of the vendor work in no other.
    ///
    /// ```
    /// use ascendcl::{Library, Setup};
    ///
    /// for default in [false, true] {
    ///     let setup = Setup::builder().library(Library::Simulator).default_context(default).build();
    ///     ascendcl::run(setup, |current| {
    ///         assert_eq!(current.is_default_context(), default);
    ///         Ok::<_, ascendcl::Error>(())
    ///     })?;
    /// }
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    #[rule(DEV_03)]
    pub fn is_default_context(&self) -> bool {
        !self.ledger.context().is_created()
    }

    /// The number of this context's device.
    pub fn device_id(&self) -> i32 {
        self.ledger.device()
    }
}

impl<C: Brand> ThreadToken for Current<C> {}
impl<C: Brand> thread::sealed::Sealed for Current<C> {}

impl<C: Brand> fmt::Debug for Current<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Current").field("device", &self.ledger.device()).finish_non_exhaustive()
    }
}
