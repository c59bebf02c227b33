//! Methods of [`Current`], called on a [`Context`] or a [`Runtime`]; and methods that `Current` has by another name.

use crate::brand::{Brand, Name};
use crate::context::Context;
use crate::current::{Current, MemoryInfo};
use crate::element::Element;
use crate::error::Error;
use crate::event::Event;
use crate::memory::{DeviceBuffer, HostBuffer};
use crate::model::Model;
use crate::runtime::Runtime;
use crate::stream::Stream;
use core::mem::MaybeUninit;

elsewhere! {
    /// A context of which no proof says that it is current.
    EnteredFirst:
        "a context is entered before anything is made or done in it",
        "this is a context, not the proof that it is current",
        "CTX-05, MEM-06: enter it, and use the `current` that the closure gets: \
         `context.enter(thread, |current| current.stream())??`",
        "see `ascendcl-explain CTX-05`";

    /// A runtime outside of its closures.
    LentByWith:
        "a runtime's context is current only inside of `with`",
        "this is the runtime, not the proof that its context is current",
        "CTX-05, THREAD-01: `runtime.with(|current| current.stream())??`: the outer `?` is of the runtime, the inner one of the call",
        "what is made there can be stored beside the runtime: `Stream<Vision>`, `Model<Vision>`",
        "see `ascendcl-explain CTX-05`";

    /// A runtime on a device that hangs.
    ClosedByForce:
        "a runtime on a device that hangs is closed by force, and opened anew",
        "no method of a `Runtime` has this name",
        "DEV-08, DEV-09: `let lost = runtime.close_by_force(limit)?;`, and then `Runtime::open(setup)?`; of several runtimes on one device \
         the last one that is closed so resets it; a device that works is reset by `runtime.close()?`, and one that still does not \
         answer by `device.reset_by_force(thread, limit)?`",
        "see `ascendcl-explain DEV-08`";

    /// The current context, asked for another one.
    KeepsItsContext:
        "the current context is not exchanged by a call",
        "while this `current` exists, its context stays current",
        "CTX-05, CTX-08: enter another context, of this device or another one: `other.enter(current, |current| ...)`",
        "a second device is taken beside this one: `acl.device(current, 1)?`",
        "see `ascendcl-explain CTX-05`";

    /// Memory and streams by the names of other APIs.
    NamesWhatItMakes:
        "memory, streams and events are made by methods of these names",
        "`Current` has no method of this name",
        "MEM-06, DEV-01: `current.device_buffer::<f32>(length)?`, `current.host_buffer::<f32>(length)?`, `current.stream()?`, \
         `current.event()?`",
        "see `ascendcl-explain MEM-06`";

    /// Copies and waits by the names of other APIs.
    CopiesByItsMethods:
        "a copy is a method of its buffer or of its stream, and a wait is `synchronize`",
        "`Current` has no method of this name",
        "COPY-05: `current.upload(&elements)?`, `buffer.copy_from(current, &elements)?`, `buffer.to_vec(current)?`; queued: \
         `stream.copy_to_device(current, host, device)?`",
        "DEV-17: all work of the context: `current.synchronize()?`",
        "see `ascendcl-explain COPY-05`";

    /// A context without a scope.
    MadeInAScope:
        "a context is made for a scope, which takes it down",
        "a `Context` has no constructor of its own",
        "CTX-01, CTX-02: `device.context(&mut thread, |context, thread| ...)`; for a struct: `Runtime::<Vision>::open(library)?`",
        "see `ascendcl-explain CTX-01`";
}

/// Memory that nobody wrote.
type Unwritten<C, E> = DeviceBuffer<C, MaybeUninit<E>>;

#[doc(hidden)]
impl<C: Brand> Context<C> {
    pub fn stream(&self) -> Result<Stream<C>, Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn event(&self) -> Result<Event<C>, Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn device_buffer<E>(&self, _: usize) -> Result<Unwritten<C, E>, Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn host_buffer<E>(&self, _: usize) -> Result<HostBuffer<C, E>, Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn upload<E: Element>(&self, _: &[E]) -> Result<DeviceBuffer<C, E>, Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn load_model<P>(&self, _: P) -> Result<Model<C>, Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn synchronize(&self) -> Result<(), Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn set_current(&self) -> Result<(), Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn bind_to_thread(&self) -> Result<(), Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn push(&self) -> Result<(), Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }

    pub fn new<D>(_: D) -> Result<Self, Error>
    where
        Self: MadeInAScope,
    {
        <Self as MadeInAScope>::never()
    }

    pub fn memory_info(&self) -> Result<MemoryInfo, Error>
    where
        Self: EnteredFirst,
    {
        <Self as EnteredFirst>::never()
    }
}

#[doc(hidden)]
impl<N: Name> Runtime<N> {
    pub fn stream(&self) -> Result<Stream<N>, Error>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }

    pub fn event(&self) -> Result<Event<N>, Error>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }

    pub fn device_buffer<E>(&self, _: usize) -> Result<Unwritten<N, E>, Error>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }

    pub fn host_buffer<E>(&self, _: usize) -> Result<HostBuffer<N, E>, Error>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }

    pub fn upload<E: Element>(&self, _: &[E]) -> Result<DeviceBuffer<N, E>, Error>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }

    pub fn load_model<P>(&self, _: P) -> Result<Model<N>, Error>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }

    pub fn synchronize(&self) -> Result<(), Error>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }

    pub fn recover<L>(&self, _: L) -> Result<(), Error>
    where
        Self: ClosedByForce,
    {
        <Self as ClosedByForce>::never()
    }

    pub fn reset_by_force<L>(&self, _: L) -> Result<(), Error>
    where
        Self: ClosedByForce,
    {
        <Self as ClosedByForce>::never()
    }

    pub fn reset(&self) -> Result<(), Error>
    where
        Self: ClosedByForce,
    {
        <Self as ClosedByForce>::never()
    }

    pub fn current(&self) -> &Current<N>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }

    pub fn memory_info(&self) -> Result<MemoryInfo, Error>
    where
        Self: LentByWith,
    {
        <Self as LentByWith>::never()
    }
}

#[doc(hidden)]
impl<C: Brand> Current<C> {
    pub fn set_device(&self, _: i32) -> Result<(), Error>
    where
        Self: KeepsItsContext,
    {
        <Self as KeepsItsContext>::never()
    }

    pub fn set_current<D>(&self, _: D) -> Result<(), Error>
    where
        Self: KeepsItsContext,
    {
        <Self as KeepsItsContext>::never()
    }

    pub fn create_context(&self, _: i32) -> Result<(), Error>
    where
        Self: KeepsItsContext,
    {
        <Self as KeepsItsContext>::never()
    }

    pub fn malloc<E>(&self, _: usize) -> Result<Unwritten<C, E>, Error>
    where
        Self: NamesWhatItMakes,
    {
        <Self as NamesWhatItMakes>::never()
    }

    pub fn alloc<E>(&self, _: usize) -> Result<Unwritten<C, E>, Error>
    where
        Self: NamesWhatItMakes,
    {
        <Self as NamesWhatItMakes>::never()
    }

    pub fn malloc_host<E>(&self, _: usize) -> Result<HostBuffer<C, E>, Error>
    where
        Self: NamesWhatItMakes,
    {
        <Self as NamesWhatItMakes>::never()
    }

    pub fn create_stream(&self) -> Result<Stream<C>, Error>
    where
        Self: NamesWhatItMakes,
    {
        <Self as NamesWhatItMakes>::never()
    }

    pub fn create_event(&self) -> Result<Event<C>, Error>
    where
        Self: NamesWhatItMakes,
    {
        <Self as NamesWhatItMakes>::never()
    }

    pub fn memcpy<T, F>(&self, _: T, _: F) -> Result<(), Error>
    where
        Self: CopiesByItsMethods,
    {
        <Self as CopiesByItsMethods>::never()
    }

    pub fn sync(&self) -> Result<(), Error>
    where
        Self: CopiesByItsMethods,
    {
        <Self as CopiesByItsMethods>::never()
    }
}
