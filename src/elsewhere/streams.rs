//! What streams do not make.

use crate::brand::Brand;
use crate::current::Current;
use crate::element::Element;
use crate::error::Error;
use crate::memory::DeviceBuffer;
use crate::raw::KeptStream;
use crate::stream::{Pending, Stream, StreamState, Undecided, Waited};
use core::mem::MaybeUninit;
use core::pin::Pin;
use core::task::{Context, Poll};

elsewhere! {
    /// A stream without a context.
    StreamsOfCurrent:
        "a stream is made in a context that is current",
        "a `Stream` has no constructor of its own",
        "DEV-01: `let stream = current.stream()?;`, with the `current` of `ascendcl::run`, `context.enter` or `runtime.with`",
        "see `ascendcl-explain DEV-01`";

    /// Memory of a stream.
    AllocatesBesideStreams:
        "memory belongs to a context, not to a stream",
        "the `current` of the stream's context allocates it",
        "MEM-06: `current.device_buffer::<f32>(length)?`, and with elements: `current.upload(&elements)?`",
        "MEM-07: memory of zeros: `current.device_buffer::<f32>(length)?.zero(current)?`",
        "see `ascendcl-explain MEM-06`";

    /// A stream that is kept.
    LentByCurrent:
        "a `KeptStream` gives its stream by `lend`, in the context that is current",
        "a `KeptStream` takes no work and no waits",
        "STREAM-09: `let stream = kept.lend(current)?;`, and then `stream.synchronize(current)?`",
        "see `ascendcl-explain STREAM-09`";

    /// A stream that is told of an event.
    WaitsByWaitFor:
        "a stream waits for an event by `wait_for`",
        "no method of a stream has this name",
        "EVENT-05, EVENT-07: `stream.wait_for(current, &event)?`, for an event that `stream.record(current, event)?` returned",
        "see `ascendcl-explain EVENT-05`";

    /// A stream that is told to record.
    RecordsByRecord:
        "a stream records an event by `record`, which returns it recorded",
        "no method of a stream has this name",
        "EVENT-01: `let event = stream.record(current, current.event()?)?;`",
        "see `ascendcl-explain EVENT-01`";

    /// A wait for a stream by another name.
    WaitedForByItsName:
        "`synchronize` waits for a stream, and `is_complete` looks without waiting",
        "no method of a stream has this name",
        "COPY-03: `stream.synchronize(current)?`; for the work and its buffers: `pending.wait(current)?`",
        "without a wait: `stream.is_complete(current)?`",
        "see `ascendcl-explain COPY-03`";

    /// A stream and its host functions.
    CallsByLaunchHostFn:
        "a stream calls a function of the host by `launch_host_fn`",
        "no method of a stream has this name",
        "CB-01: `stream.launch_host_fn(current, || ...)?`: the function does not call the library",
        "see `ascendcl-explain CB-01`";

    /// A stream whose allocator is set.
    TakesByRegister:
        "a stream gets an allocator by `register`, which returns the stream in another state",
        "no method of a stream has this name",
        "ALLOC-04: `let stream = current.stream()?.register(current, allocator)?;`",
        "see `ascendcl-explain ALLOC-04`";

    /// A queued copy of what the device may read later.
    CopiesBuffers:
        "a queued copy takes its buffers by value",
        "the device may read a slice after it is gone",
        "COPY-04: `stream.copy_to_device(current, host, device)?.wait(current)?`, with `current.host_buffer::<f32>(length)?`",
        "COPY-05: without a stream a slice is enough: `current.upload(&elements)?`, `buffer.copy_from(current, &elements)?`, \
         `buffer.to_vec(current)?`",
        "see `ascendcl-explain COPY-04`";

    /// Work that a task awaits without its stream.
    AwaitedWithItsStream:
        "work is awaited with the stream that it is on",
        "a `Pending` is not a future by itself",
        "COPY-03: `let value = work.into_future(current, &mut stream)?.await?;`",
        "THREAD-04: for a task that may go on on another thread: `work.when_done(current, &stream)?`",
        "see `ascendcl-explain COPY-03`";
}

#[doc(hidden)]
impl<C: Brand> Stream<C, Undecided> {
    pub fn new() -> Result<Self, Error>
    where
        Self: StreamsOfCurrent,
    {
        <Self as StreamsOfCurrent>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, S: StreamState> Stream<C, S> {
    pub fn alloc<E>(&self, _: usize) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Error>
    where
        Self: AllocatesBesideStreams,
    {
        <Self as AllocatesBesideStreams>::never()
    }

    pub fn alloc_zeros<E>(&self, _: usize) -> Result<DeviceBuffer<C, E>, Error>
    where
        Self: AllocatesBesideStreams,
    {
        <Self as AllocatesBesideStreams>::never()
    }

    pub fn device_buffer<E>(&self, _: usize) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Error>
    where
        Self: AllocatesBesideStreams,
    {
        <Self as AllocatesBesideStreams>::never()
    }

    pub fn clone_htod<E: Element>(&self, _: &[E]) -> Result<DeviceBuffer<C, E>, Error>
    where
        Self: CopiesBuffers,
    {
        <Self as CopiesBuffers>::never()
    }

    pub fn clone_dtoh<E: Element>(&self, _: &DeviceBuffer<C, E>) -> Result<Vec<E>, Error>
    where
        Self: CopiesBuffers,
    {
        <Self as CopiesBuffers>::never()
    }

    pub fn memcpy_htod<E: Element, D>(&self, _: &[E], _: D) -> Result<(), Error>
    where
        Self: CopiesBuffers,
    {
        <Self as CopiesBuffers>::never()
    }

    pub fn memcpy_dtoh<F, E: Element>(&self, _: F, _: &mut [E]) -> Result<(), Error>
    where
        Self: CopiesBuffers,
    {
        <Self as CopiesBuffers>::never()
    }

    pub fn memcpy_async<D, F>(&self, _: D, _: F) -> Result<Pending<C, D>, Error>
    where
        Self: CopiesBuffers,
    {
        <Self as CopiesBuffers>::never()
    }

    pub fn wait_event<E>(&self, _: E) -> Result<(), Error>
    where
        Self: WaitsByWaitFor,
    {
        <Self as WaitsByWaitFor>::never()
    }

    pub fn wait_for_event<E>(&self, _: E) -> Result<(), Error>
    where
        Self: WaitsByWaitFor,
    {
        <Self as WaitsByWaitFor>::never()
    }

    pub fn record_event<E>(&self, _: E) -> Result<(), Error>
    where
        Self: RecordsByRecord,
    {
        <Self as RecordsByRecord>::never()
    }

    pub fn sync(&self) -> Result<(), Error>
    where
        Self: WaitedForByItsName,
    {
        <Self as WaitedForByItsName>::never()
    }

    pub fn query(&self) -> Result<bool, Error>
    where
        Self: WaitedForByItsName,
    {
        <Self as WaitedForByItsName>::never()
    }

    pub fn add_callback<F>(&self, _: F) -> Result<(), Error>
    where
        Self: CallsByLaunchHostFn,
    {
        <Self as CallsByLaunchHostFn>::never()
    }

    pub fn set_allocator<A>(&self, _: A) -> Result<(), Error>
    where
        Self: TakesByRegister,
    {
        <Self as TakesByRegister>::never()
    }
}

#[doc(hidden)]
impl KeptStream {
    pub fn synchronize<C: Brand>(&self, _: &Current<C>) -> Result<(), Error>
    where
        for<'a> &'a Self: LentByCurrent,
    {
        <&Self as LentByCurrent>::never()
    }
}

/// What other APIs call a wait.
#[doc(hidden)]
impl<C: Brand, T> Pending<C, T> {
    pub fn get(self) -> Result<T, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn result(self, _: &Current<C>) -> Result<T, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn unwrap(self) -> T
    where
        Self: Waited,
    {
        self.never()
    }
}

#[doc(hidden)]
impl<C: Brand, T> Future for Pending<C, T>
where
    for<'a> &'a Self: AwaitedWithItsStream,
{
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        <&Self as AwaitedWithItsStream>::never()
    }
}
