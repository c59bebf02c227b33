//! The proof that a context is current.

use crate::Element;
use crate::allocator::ContextId;
use crate::brand::{Brand, StaysOnItsThread, Unnamed};
use crate::error::Error;
use crate::event::{Event, Unrecorded};
use crate::ledger::Ledger;
use crate::library::Loaded;
use crate::life_cycle::leads;
use crate::memory::{DeviceBuffer, HostBuffer};
use crate::stream::{DefaultStream, Fresh, Stream};
use ascendcl_macros::rule;
use core::fmt;
use core::mem::MaybeUninit;
use static_assertions::assert_not_impl_any;
use std::time::Duration;

/// Proof that the context `'c` is this thread's current one, now.
///
/// Having a `Current<'c>` tells you that the library will take calls on objects of `'c` from this thread. It is only
/// ever lent, for the length of a [`Context::enter`](crate::Context::enter); entering another context takes it away
/// until that one is left. It cannot go to another thread, nor wait in a future that may.
///
/// Everything in a context is made here, and its scope owns it: a handle that is dropped or forgotten names an object
/// that lives on until [`collect`](Self::collect) or the end of the scope.
#[rule(DEV_01, CTX_07, THREAD_01, THREAD_04, STREAM_09, STREAM_10, MEM_06)]
pub struct Current<'c, N = Unnamed> {
    ledger: &'c Ledger,
    _brand: Brand<'c, N>,
    _here: StaysOnItsThread,
}

assert_not_impl_any!(Current<'static>: Send, Sync, Clone);

/// Free and total memory of a device, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryInfo {
    /// Bytes that can still be allocated.
    pub free: usize,
    /// All bytes.
    pub total: usize,
}

impl<'c, N> Current<'c, N> {
    pub(crate) fn new(ledger: &'c Ledger) -> Self {
        Self { ledger, _brand: Brand::NEW, _here: StaysOnItsThread::HERE }
    }

    pub(crate) fn ledger(&self) -> &'c Ledger {
        self.ledger
    }

    /// Creates a stream (`aclrtCreateStream`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`]; 207008 when the device has no more streams, also after destroying dropped ones whose work is
    /// over.
    #[rule(CTX_12, STREAM_11)]
    pub fn stream(&self) -> Result<Stream<'c, Fresh, N>, Error> {
        leads!(stream: Start --> Fresh : Create);
        self.ledger.create_stream().map(Stream::new)
    }

    /// Creates an event (`aclrtCreateEvent`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`]; 207007 when the device has no more events, also after destroying dropped ones.
    #[rule(EVENT_08)]
    pub fn event(&self) -> Result<Event<'c, Unrecorded, N>, Error> {
        leads!(event: Start --> Unrecorded : Create);
        self.ledger.create_event().map(Event::new)
    }

    /// The context's default stream. It is there without being created, and goes with the context (DEV-03, DEV-04).
    #[rule(DEV_03, STREAM_03)]
    pub fn default_stream(&self) -> DefaultStream<'c, N> {
        DefaultStream::new(self.ledger.default_stream())
    }

    /// Allocates device memory for `length` elements (`aclrtMalloc`). What it holds is arbitrary: the type says so
    /// until it is written.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`]; 207001 when the device has no room, also after freeing what no handle names any more.
    #[rule(MEM_04, MEM_07)]
    pub fn device_buffer<E: Element>(&self, length: usize) -> Result<DeviceBuffer<'c, MaybeUninit<E>, N>, Error> {
        DeviceBuffer::allocate(self.ledger, length)
    }

    /// Allocates device memory and copies `elements` there (`aclrtMalloc`, `aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`device_buffer`](Self::device_buffer), and those of the copy.
    pub fn upload<E: Element>(&self, elements: &[E]) -> Result<DeviceBuffer<'c, E, N>, Error> {
        self.device_buffer(elements.len())?.write(self, elements).map_err(Error::from)
    }

    /// Allocates pinned host memory for `length` elements, all zero (`aclrtMallocHost`): the host side of copies that
    /// run while the program goes on. Where the program runs on the device it is memory of the device (`aclrtMalloc`), which
    /// the program reads and writes all the same (MODE-01).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the host has no room.
    pub fn host_buffer<E: Element>(&self, length: usize) -> Result<HostBuffer<'c, E, N>, Error> {
        HostBuffer::zeroed(self.ledger, length)
    }

    /// Makes a buffer for queued copies out of a vector, in ordinary memory: without an allocation of the library's, and
    /// without the overlap that pinned memory gives (COPY-05). [`HostBuffer::into_vec`] gives the vector back.
    ///
    /// For a program that runs on the device, a copy of memory that does not begin at a multiple of 64 bytes is an
    /// [`Error::Misaligned`] (COPY-09), and a vector's seldom does: use [`host_buffer`](Self::host_buffer) there.
    pub fn pageable_buffer<E: Element>(&self, elements: Vec<E>) -> HostBuffer<'c, E, N> {
        HostBuffer::of_vec(self.ledger, elements)
    }

    /// Waits for everything in this context: on streams that have a handle, and on those that have none any more
    /// (`aclrtSynchronizeDeviceWithTimeout`, again and again, which waits for the streams of the current context; DEV-17).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] with the code of work that failed on the device (ERR-02); [`Error::WorkFailed`], once per stream,
    /// when another wait was told of that.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.ledger.synchronize_all(None)
    }

    /// As [`synchronize`](Self::synchronize), for at most `limit`, rounded up to whole milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] whose code [`is_timeout`](crate::Code::is_timeout) when the time was up (STREAM-16).
    pub fn synchronize_within(&self, limit: Duration) -> Result<(), Error> {
        self.ledger.synchronize_all(Some(limit))
    }

    /// Free and total memory of this context's device (`aclrtGetMemInfo`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    pub fn memory_info(&self) -> Result<MemoryInfo, Error> {
        self.ledger.api().memory_info().map(|(free, total)| MemoryInfo { free, total })
    }

    /// Destroys, unloads and frees now what no handle names any more and nothing in flight uses; the scope's end would
    /// do it later. Unnamed streams are waited for first, and so is work that is over by
    /// [`is_done`](crate::Tasks::is_done) and that nobody waited for.
    ///
    /// The errors are those that dropped handles could not report; an object that could not be destroyed stays with the
    /// scope.
    #[must_use = "these are the errors that dropped handles could not report"]
    #[rule(STREAM_01)]
    pub fn collect(&self) -> Vec<Error> {
        self.ledger.collect()
    }

    /// The library that this context is in.
    pub fn library(&self) -> Loaded {
        self.ledger.api().loaded()
    }

    /// Tells this context from all others.
    pub fn id(&self) -> ContextId {
        self.ledger.id()
    }

    /// The number of this context's device.
    pub fn device_id(&self) -> i32 {
        self.ledger.device()
    }
}

impl<N> fmt::Debug for Current<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Current").field("device", &self.ledger.device()).finish_non_exhaustive()
    }
}
