//! Constructors of buffers, and methods of slices on device memory.

use crate::allocator::PoolAllocator;
use crate::brand::Brand;
use crate::current::Current;
use crate::device_allocator::DeviceAddress;
use crate::element::Element;
use crate::error::Error;
use crate::memory::{DeviceBuffer, HostBuffer, ReachedByTheHost, SharedBuffer};
use crate::operator::DeviceTensor;
use core::mem::MaybeUninit;
use core::ops::Index;
use core::slice::SliceIndex;

elsewhere! {
    /// Device memory without a context.
    DeviceMemoryOfCurrent:
        "device memory is allocated in a context that is current",
        "a `DeviceBuffer` has no constructor of its own",
        "MEM-06: `current.upload(&elements)?`, or without elements: `current.device_buffer::<f32>(length)?`",
        "see `ascendcl-explain MEM-06`";

    /// Host memory without a context.
    HostMemoryOfCurrent:
        "host memory for copies is allocated in a context that is current",
        "a `HostBuffer` has no constructor of its own",
        "MEM-06: `current.host_buffer::<f32>(length)?`; a vector becomes one by `current.pageable_buffer(elements)`",
        "see `ascendcl-explain MEM-06`";

    /// A tensor without a context.
    TensorsOfCurrent:
        "a tensor is made in a context that is current",
        "a `DeviceTensor` has no constructor of its own",
        "MEM-06: `current.upload_tensor(&[2, 3], &elements)?`, and of zeros: `current.zeros_tensor::<f32>(&[2, 3])?`; of a buffer: \
         `buffer.into_tensor(&[2, 3])?`",
        "see `ascendcl-explain MEM-06`";

    /// Memory of a pool.
    ServesTheLibrary:
        "a pool gives memory to the library, and the current context gives memory to the program",
        "no method of a `PoolAllocator` has this name",
        "ALLOC-03: for the library: `current.stream()?.register(current, pool)?`",
        "MEM-06: for the program: `current.device_buffer::<f32>(length)?`, and parts of one buffer: `current.device_arena(bytes)?`",
        "see `ascendcl-explain ALLOC-03`";

    /// Memory that is filled by the device.
    FilledByStreams:
        "a stream fills device memory, and `copy_from` writes it at once",
        "no method of a `DeviceBuffer` has this name",
        "COPY-03: `stream.set_bytes(current, buffer, 0)?.wait(current)?`, or `buffer.copy_from(current, &elements)?`",
        "see `ascendcl-explain COPY-03`";

    /// Elements that come back.
    ReadByToVec:
        "the elements of device memory come back by `to_vec` or `copy_to`",
        "no method of a `DeviceBuffer` has this name",
        "MEM-10: `buffer.to_vec(current)?`, or into a slice: `buffer.copy_to(current, &mut elements)?`",
        "see `ascendcl-explain MEM-10`";

    /// A part of memory that has one owner.
    SharedForParts:
        "a part of device memory is a handle of shared memory",
        "a buffer that is not shared has one handle, for all of it",
        "MEM-01, MEM-10: `buffer.into_shared().slice(0..4)?`; a queued copy takes a range: \
         `stream.copy_part_to_host(current, buffer, 0..4, host, 0)?`",
        "see `ascendcl-explain MEM-01`";

    /// Parts of shared memory.
    PartsBySlice:
        "a part of shared memory is made by `slice`",
        "no method of a `SharedBuffer` has this name",
        "MEM-01: `shared.slice(0..4)?` is another handle of those elements; memory whose parts are written: \
         `current.device_arena(bytes)?`",
        "see `ascendcl-explain MEM-01`";

    /// Memory that was written once.
    WrittenAgain:
        "this memory was written before, and is written again by `copy_from`",
        "`write` is for new memory, whose elements are `MaybeUninit`",
        "MEM-07, MEM-10: `buffer.copy_from(current, &elements)?`, or queued: `stream.copy_to_device(current, host, buffer)?`",
        "see `ascendcl-explain MEM-07`";

    /// An address of the device.
    AddressOfKeptMemory:
        "only kept memory and raw handles have a device address",
        "an address of the device means nothing to the host",
        "MEM-10, ALLOC-07: an allocator keeps its memory, and has the address of that: `let memory = buffer.keep();`, \
         `memory.start()`",
        "`stream.submit(current, ...)` lends the address to a function of the library that this crate does not have",
        "see `ascendcl-explain MEM-10`";
}

#[doc(hidden)]
impl<C: Brand, E> DeviceBuffer<C, E> {
    pub fn new(_: usize) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Error>
    where
        Self: DeviceMemoryOfCurrent,
    {
        <Self as DeviceMemoryOfCurrent>::never()
    }

    pub fn zeroed(_: usize) -> Result<Self, Error>
    where
        Self: DeviceMemoryOfCurrent,
    {
        <Self as DeviceMemoryOfCurrent>::never()
    }

    pub fn uninitialized(_: usize) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Error>
    where
        Self: DeviceMemoryOfCurrent,
    {
        <Self as DeviceMemoryOfCurrent>::never()
    }

    pub fn from_slice(_: &[E]) -> Result<Self, Error>
    where
        Self: DeviceMemoryOfCurrent,
    {
        <Self as DeviceMemoryOfCurrent>::never()
    }

    pub fn from_vec(_: Vec<E>) -> Result<Self, Error>
    where
        Self: DeviceMemoryOfCurrent,
    {
        <Self as DeviceMemoryOfCurrent>::never()
    }

    pub fn slice<R>(&self, _: R) -> Result<Self, Error>
    where
        Self: SharedForParts,
    {
        <Self as SharedForParts>::never()
    }

    pub fn fill<V>(&mut self, _: &Current<C>, _: V) -> Result<(), Error>
    where
        Self: FilledByStreams,
    {
        <Self as FilledByStreams>::never()
    }

    pub fn to_host(&self, _: &Current<C>) -> Result<Vec<E>, Error>
    where
        Self: ReadByToVec,
    {
        <Self as ReadByToVec>::never()
    }

    pub fn address(&self) -> DeviceAddress
    where
        Self: AddressOfKeptMemory,
    {
        <Self as AddressOfKeptMemory>::never()
    }

    pub fn as_ptr(&self) -> *const E
    where
        Self: AddressOfKeptMemory,
    {
        <Self as AddressOfKeptMemory>::never()
    }

    pub fn as_mut_ptr(&mut self) -> *mut E
    where
        Self: AddressOfKeptMemory,
    {
        <Self as AddressOfKeptMemory>::never()
    }
}

/// New memory has a `write` that can be called.
#[doc(hidden)]
impl<C: Brand, E: Element> DeviceBuffer<C, E> {
    pub fn write<V>(&mut self, _: &Current<C>, _: V) -> Result<(), Error>
    where
        Self: WrittenAgain,
    {
        <Self as WrittenAgain>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, E> SharedBuffer<C, E> {
    pub fn part<R>(&self, _: R) -> Result<Self, Error>
    where
        Self: PartsBySlice,
    {
        <Self as PartsBySlice>::never()
    }

    pub fn view<R>(&self, _: R) -> Result<Self, Error>
    where
        Self: PartsBySlice,
    {
        <Self as PartsBySlice>::never()
    }

    pub fn split_at(&self, _: usize) -> Result<(Self, Self), Error>
    where
        Self: PartsBySlice,
    {
        <Self as PartsBySlice>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, E> HostBuffer<C, E> {
    pub fn new(_: usize) -> Result<Self, Error>
    where
        Self: HostMemoryOfCurrent,
    {
        <Self as HostMemoryOfCurrent>::never()
    }

    pub fn zeroed(_: usize) -> Result<Self, Error>
    where
        Self: HostMemoryOfCurrent,
    {
        <Self as HostMemoryOfCurrent>::never()
    }

    pub fn from_slice(_: &[E]) -> Result<Self, Error>
    where
        Self: HostMemoryOfCurrent,
    {
        <Self as HostMemoryOfCurrent>::never()
    }

    pub fn from_vec(_: Vec<E>) -> Result<Self, Error>
    where
        Self: HostMemoryOfCurrent,
    {
        <Self as HostMemoryOfCurrent>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, E> DeviceTensor<C, E> {
    pub fn new<S>(_: S) -> Result<Self, Error>
    where
        Self: TensorsOfCurrent,
    {
        <Self as TensorsOfCurrent>::never()
    }

    pub fn zeros<S>(_: S) -> Result<Self, Error>
    where
        Self: TensorsOfCurrent,
    {
        <Self as TensorsOfCurrent>::never()
    }

    pub fn from_vec<S>(_: Vec<E>, _: S) -> Result<Self, Error>
    where
        Self: TensorsOfCurrent,
    {
        <Self as TensorsOfCurrent>::never()
    }

    pub fn from_slice<S>(_: &[E], _: S) -> Result<Self, Error>
    where
        Self: TensorsOfCurrent,
    {
        <Self as TensorsOfCurrent>::never()
    }
}

#[doc(hidden)]
impl PoolAllocator {
    pub fn alloc<C: Brand, E>(&self, _: &Current<C>, _: usize) -> Result<DeviceBuffer<C, E>, Error>
    where
        for<'a> &'a Self: ServesTheLibrary,
    {
        <&Self as ServesTheLibrary>::never()
    }

    pub fn malloc<C: Brand, E>(&self, _: &Current<C>, _: usize) -> Result<DeviceBuffer<C, E>, Error>
    where
        for<'a> &'a Self: ServesTheLibrary,
    {
        <&Self as ServesTheLibrary>::never()
    }
}

/// What slices have, of device memory. `DeviceBuffer` has these methods itself.
macro_rules! device_memory {
    ($($memory:ident)+) => { $(
        #[doc(hidden)]
        impl<C: Brand, E> $memory<C, E> {
            pub fn iter(&self) -> core::slice::Iter<'_, E>
            where
                Self: ReachedByTheHost,
            {
                self.never()
            }

            pub fn as_slice(&self) -> &[E]
            where
                Self: ReachedByTheHost,
            {
                self.never()
            }
        }

        #[doc(hidden)]
        impl<C: Brand, E, I: SliceIndex<[E]>> Index<I> for $memory<C, E>
        where
            Self: ReachedByTheHost,
        {
            type Output = I::Output;

            fn index(&self, _: I) -> &I::Output {
                self.never()
            }
        }
    )+ };
}
device_memory!(DeviceTensor SharedBuffer);

/// For a loop over elements. The compiler prints the words of a bound for each reference. Those of a bound for the type
/// itself it would not print here.
macro_rules! no_iterator {
    ($($memory:ident)+) => { $(
        #[doc(hidden)]
        impl<'a, C: Brand, E> Iterator for &'a $memory<C, E>
        where
            for<'b> &'b $memory<C, E>: ReachedByTheHost,
        {
            type Item = &'a E;

            fn next(&mut self) -> Option<&'a E> {
                ReachedByTheHost::never(self)
            }
        }

        #[doc(hidden)]
        impl<C: Brand, E> Iterator for $memory<C, E>
        where
            for<'b> &'b Self: ReachedByTheHost,
        {
            type Item = E;

            fn next(&mut self) -> Option<E> {
                ReachedByTheHost::never(&&*self)
            }
        }
    )+ };
}
no_iterator!(DeviceBuffer DeviceTensor SharedBuffer);
