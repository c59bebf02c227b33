//! An allocator descriptor out of C function pointers, member by member.

use super::allocator::Members;
use crate::current::Current;
use crate::error::Undone;
use crate::stream::{Stream, StreamState, Undecided, WithDescriptor};
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::ptr::NonNull;

/// A C function that allocates: the object and a size, to a block or null.
pub type AllocateFn = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
/// A C function that allocates near an address: the object, a size and the address, to a block or null.
pub type AllocateNearFn = unsafe extern "C" fn(*mut c_void, usize, *mut c_void) -> *mut c_void;
/// A C function that takes a block back: the object and the block.
pub type FreeFn = unsafe extern "C" fn(*mut c_void, *mut c_void);
/// A C function that tells a block's device address.
pub type AddressFn = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// An allocator made of C functions (`aclrtAllocatorCreateDesc` and the five setters).
///
/// The object, the allocate, the free and the address function are mandatory (ALLOC-07): a descriptor that lacks one is
/// not accepted by [`Stream::register_descriptor`](crate::Stream::register_descriptor). Each is set once. The type says
/// which are there: `Descriptor<Object, Allocate, Free, NoAddress>` has three of the four.
///
/// In Rust, [`DeviceAllocator`](crate::DeviceAllocator) does the same in a trait.
#[must_use = "a descriptor does nothing until it is registered"]
#[rule(ALLOC_07, ALLOC_17)]
pub struct Descriptor<O = NoObject, A = NoAllocate, F = NoFree, G = NoAddress> {
    object: O,
    allocate: A,
    free: F,
    address: G,
    near: Option<AllocateNearFn>,
}

macro_rules! members {
    ($($has:ident($value:ty), $lacks:ident, $is_set:ident, $is_unset:ident, $missing:literal, $twice:literal, $fix:literal;)*) => {
        $(
            /// This member is set.
            #[derive(Clone, Copy, Debug)]
            pub struct $has($value);

            /// This member is not set yet.
            #[derive(Clone, Copy, Debug)]
            pub struct $lacks {
                _private: (),
            }

            /// A member that is set, as registering demands it.
            #[diagnostic::on_unimplemented(
                message = $missing,
                label = "expected a descriptor with all four mandatory members",
                note = $fix,
                note = "ALLOC-07: object, allocate, free and address function are set before registering"
            )]
            pub trait $is_set: sealed::Sealed<$value> {}

            /// A member that is not set yet, as its setter demands it.
            #[diagnostic::on_unimplemented(
                message = $twice,
                label = "each member is set once",
                note = "ALLOC-07: the four mandatory members are set once each; make another descriptor for other values"
            )]
            pub trait $is_unset: sealed::Unset {}

            impl sealed::Unset for $lacks {}
            impl sealed::Sealed<$value> for $has {
                fn value(&self) -> $value {
                    self.0
                }
            }
        )*
    };
}
members! {
    Object(NonNull<c_void>), NoObject, HasObject, LacksObject,
        "this descriptor has no object", "this descriptor has its object already",
        "set it: `descriptor.object(pointer)`";
    Allocate(AllocateFn), NoAllocate, HasAllocate, LacksAllocate,
        "this descriptor has no allocate function", "this descriptor has its allocate function already",
        "set it: `descriptor.allocate(function)`";
    Free(FreeFn), NoFree, HasFree, LacksFree,
        "this descriptor has no free function", "this descriptor has its free function already",
        "set it: `descriptor.free(function)`";
    Address(AddressFn), NoAddress, HasAddress, LacksAddress,
        "this descriptor has no function that tells a block's address",
        "this descriptor has its address function already",
        "set it: `descriptor.address(function)`";
}

// SAFETY: the pointer is only handed to the library, on the word of the caller of `register_descriptor` that the object
// can be used from any thread.
unsafe impl Send for Object {}

// Not made by the macro: the compiler shows these lines in its messages.
impl HasObject for Object {}
impl HasAllocate for Allocate {}
impl HasFree for Free {}
impl HasAddress for Address {}
impl LacksObject for NoObject {}
impl LacksAllocate for NoAllocate {}
impl LacksFree for NoFree {}
impl LacksAddress for NoAddress {}

mod sealed {
    pub trait Unset {}
    pub trait Sealed<V> {
        fn value(&self) -> V;
    }
}

impl Descriptor {
    /// A descriptor without members.
    pub fn new() -> Self {
        Self {
            object: NoObject { _private: () },
            allocate: NoAllocate { _private: () },
            free: NoFree { _private: () },
            address: NoAddress { _private: () },
            near: None,
        }
    }
}

impl Default for Descriptor {
    fn default() -> Self {
        Self::new()
    }
}

impl<O, A, F, G> Descriptor<O, A, F, G> {
    /// The object that the allocate and free functions get (`aclrtAllocatorSetObjToDesc`).
    pub fn object(self, object: NonNull<c_void>) -> Descriptor<Object, A, F, G>
    where
        O: LacksObject,
    {
        let Self { allocate, free, address, near, .. } = self;
        Descriptor { object: Object(object), allocate, free, address, near }
    }

    /// The function that allocates (`aclrtAllocatorSetAllocFuncToDesc`).
    pub fn allocate(self, function: AllocateFn) -> Descriptor<O, Allocate, F, G>
    where
        A: LacksAllocate,
    {
        let Self { object, free, address, near, .. } = self;
        Descriptor { object, allocate: Allocate(function), free, address, near }
    }

    /// The function that takes a block back (`aclrtAllocatorSetFreeFuncToDesc`).
    pub fn free(self, function: FreeFn) -> Descriptor<O, A, Free, G>
    where
        F: LacksFree,
    {
        let Self { object, allocate, address, near, .. } = self;
        Descriptor { object, allocate, free: Free(function), address, near }
    }

    /// The function that tells a block's address (`aclrtAllocatorSetGetAddrFromBlockFuncToDesc`).
    pub fn address(self, function: AddressFn) -> Descriptor<O, A, F, Address>
    where
        G: LacksAddress,
    {
        let Self { object, allocate, free, near, .. } = self;
        Descriptor { object, allocate, free, address: Address(function), near }
    }

    /// The function that allocates near an address (`aclrtAllocatorSetAllocAdviseFuncToDesc`). It is optional: without
    /// it, the library is given one that says that there is no memory near any address, and then allocates anywhere.
    pub fn allocate_near(mut self, function: AllocateNearFn) -> Self {
        self.near = Some(function);
        self
    }

    /// The same members, by the names of the types that are set.
    pub(crate) fn complete(&self) -> Descriptor<Object, Allocate, Free, Address>
    where
        O: HasObject,
        A: HasAllocate,
        F: HasFree,
        G: HasAddress,
    {
        Descriptor {
            object: Object(self.object.value()),
            allocate: Allocate(self.allocate.value()),
            free: Free(self.free.value()),
            address: Address(self.address.value()),
            near: self.near,
        }
    }

    pub(crate) fn members(&self) -> Members
    where
        O: HasObject,
        A: HasAllocate,
        F: HasFree,
        G: HasAddress,
    {
        Members {
            object: self.object.value(),
            allocate: self.allocate.value(),
            advise: self.near.unwrap_or(nothing_near),
            free: self.free.value(),
            address_of: self.address.value(),
        }
    }
}

/// The library reads the optional slot uninitialised when nobody sets it (ALLOC-17): it always gets a function.
unsafe extern "C" fn nothing_near(_: *mut c_void, _: usize, _: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
}

impl<O: fmt::Debug, A: fmt::Debug, F: fmt::Debug, G: fmt::Debug> fmt::Debug for Descriptor<O, A, F, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, allocate, free, address, near } = self;
        let mut out = f.debug_struct("Descriptor");
        out.field("object", object).field("allocate", allocate).field("free", free).field("address", address);
        out.field("near", near).finish()
    }
}

impl<'c, S: StreamState, N> Stream<'c, S, N> {
    /// Registers an allocator that is made of C functions (`aclrtAllocatorRegister`).
    ///
    /// # Safety
    ///
    /// The functions and the object keep the promises of [`DeviceAllocator`](crate::DeviceAllocator); the object can be
    /// used from any thread; and all of them stay usable until the stream was unregistered or destroyed. The end of the
    /// context's scope does that at the latest; when the scope reports that it could not be taken down, a later
    /// [`Device::reset`](crate::Device::reset) that succeeds does.
    ///
    /// # Errors
    ///
    /// As for [`Stream::register`].
    #[rule(ALLOC_07)]
    pub unsafe fn register_descriptor<O: HasObject, A: HasAllocate, F: HasFree, G: HasAddress>(
        self,
        current: &Current<'c, N>,
        descriptor: Descriptor<O, A, F, G>,
    ) -> Result<Stream<'c, WithDescriptor, N>, Undone<(Self, Descriptor<O, A, F, G>)>>
    where
        S: Undecided,
    {
        self.register_members(current, descriptor)
    }
}
