//! Methods of [`Current`](crate::Current), called on the library or on a device.

use crate::acl::Acl;
use crate::brand::Scoped;
use crate::context::Context;
use crate::current::MemoryInfo;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::event::Event;
use crate::memory::{DeviceBuffer, HostBuffer};
use crate::model::Model;
use crate::stream::Stream;
use core::mem::MaybeUninit;

elsewhere! {
    /// A device.
    HasContexts:
        "what a device runs belongs to a context, which is current on this thread",
        "a device makes contexts, and a context's `current` makes the rest",
        "DEV-01: in a new context: `device.with_current(&mut thread, |current| ...)`",
        "in the device's default context: `device.default_context(&mut thread, |context, thread| context.enter(thread, |current| ...))`",
        "see `ascendcl-explain DEV-01`";

    /// The library.
    HasDevices:
        "a device is taken before anything is made on it",
        "this is the library, which gives devices",
        "DEV-01: take a device, then enter a context of it: `let device = acl.device(&mut Thread::new()?, 0)?;`",
        "`ascendcl::run(library, |current| ...)` does both",
        "see `ascendcl-explain DEV-01`";

    /// The end of the library's use.
    EndsByClose:
        "`close` takes the `Acl` by value",
        "no method of `Acl` has this name",
        "INIT-02: `acl.close()?`, when its devices are reset",
        "see `ascendcl-explain INIT-02`";

    /// A device without a library.
    TakenFromTheLibrary:
        "a device is taken from the initialised library",
        "a `Device` has no constructor of its own",
        "DEV-01, INIT-01: `let acl = Acl::init(library)?;`, and then `let device = acl.device(&mut Thread::new()?, 0)?;`",
        "see `ascendcl-explain DEV-01`";
}

/// Memory that nobody wrote.
type Unwritten<C, E> = DeviceBuffer<C, MaybeUninit<E>>;

#[doc(hidden)]
impl<'a> Device<'a> {
    pub fn stream(&self) -> Result<Stream<Scoped<'a>>, Error>
    where
        Self: HasContexts,
    {
        <Self as HasContexts>::never()
    }

    pub fn event(&self) -> Result<Event<Scoped<'a>>, Error>
    where
        Self: HasContexts,
    {
        <Self as HasContexts>::never()
    }

    pub fn device_buffer<E>(&self, _: usize) -> Result<Unwritten<Scoped<'a>, E>, Error>
    where
        Self: HasContexts,
    {
        <Self as HasContexts>::never()
    }

    pub fn host_buffer<E>(&self, _: usize) -> Result<HostBuffer<Scoped<'a>, E>, Error>
    where
        Self: HasContexts,
    {
        <Self as HasContexts>::never()
    }

    pub fn upload<E: Element>(&self, _: &[E]) -> Result<DeviceBuffer<Scoped<'a>, E>, Error>
    where
        Self: HasContexts,
    {
        <Self as HasContexts>::never()
    }

    pub fn load_model<P>(&self, _: P) -> Result<Model<Scoped<'a>>, Error>
    where
        Self: HasContexts,
    {
        <Self as HasContexts>::never()
    }

    pub fn synchronize(&self) -> Result<(), Error>
    where
        Self: HasContexts,
    {
        <Self as HasContexts>::never()
    }

    pub fn new(_: i32) -> Result<Self, Error>
    where
        Self: TakenFromTheLibrary,
    {
        <Self as TakenFromTheLibrary>::never()
    }

    pub fn memory_info(&self) -> Result<MemoryInfo, Error>
    where
        Self: HasContexts,
    {
        <Self as HasContexts>::never()
    }
}

/// The lifetime is needed: the compiler would refuse a bound without parameters here, and not at the call.
#[doc(hidden)]
impl Acl {
    pub fn stream<'a>(&'a self) -> Result<Stream<Scoped<'a>>, Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }

    pub fn context<'a>(&'a self) -> Result<Context<Scoped<'a>>, Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }

    pub fn set_device<'a>(&'a self, _: i32) -> Result<(), Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }

    pub fn load_model<'a, P>(&'a self, _: P) -> Result<Model<Scoped<'a>>, Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }

    pub fn finalize<'a>(&'a self) -> Result<(), Error>
    where
        &'a Self: EndsByClose,
    {
        <&Self as EndsByClose>::never()
    }

    pub fn event<'a>(&'a self) -> Result<Event<Scoped<'a>>, Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }

    pub fn device_buffer<'a, E>(&'a self, _: usize) -> Result<Unwritten<Scoped<'a>, E>, Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }

    pub fn upload<'a, E: Element>(&'a self, _: &[E]) -> Result<DeviceBuffer<Scoped<'a>, E>, Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }

    pub fn memory_info<'a>(&'a self) -> Result<MemoryInfo, Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }

    pub fn synchronize<'a>(&'a self) -> Result<(), Error>
    where
        &'a Self: HasDevices,
    {
        <&Self as HasDevices>::never()
    }
}
