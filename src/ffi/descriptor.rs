//! An allocator descriptor out of C function pointers, member by member.

use super::allocator::Members;
use crate::current::Current;
use crate::error::Undone;
use crate::stream::{CanRegisterDescriptor, Stream, StreamState, WithDescriptor};
pub use ascendcl_rules::descriptor_address::{
    Address, CanAddress as LacksAddress, CanRegister as HasAddress, NoAddress,
};
pub use ascendcl_rules::descriptor_allocate::{
    Allocate, CanAllocate as LacksAllocate, CanRegister as HasAllocate, NoAllocate,
};
pub use ascendcl_rules::descriptor_free::{CanFree as LacksFree, CanRegister as HasFree, Free, NoFree};
pub use ascendcl_rules::descriptor_object::{CanObject as LacksObject, CanRegister as HasObject, NoObject, Object};
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
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
pub struct Descriptor<O = NoObject, A = NoAllocate, F = NoFree, G = NoAddress> {
    /// A function that was not set yet is one that does no harm.
    members: Members,
    _set: PhantomData<(O, A, F, G)>,
}

// SAFETY: the object is only handed to the library, on the word of the caller of `register_descriptor` that it can be
// used from any thread.
unsafe impl<O, A, F, G> Send for Descriptor<O, A, F, G> {}

impl Descriptor {
    /// A descriptor without members.
    pub fn new() -> Self {
        let members = Members {
            object: NonNull::dangling(),
            allocate: nothing,
            advise: nothing_near,
            free: nothing_to_free,
            address_of: nowhere,
        };
        Self { members, _set: PhantomData }
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
        Descriptor::of(Members { object, ..self.members })
    }

    /// The function that allocates (`aclrtAllocatorSetAllocFuncToDesc`).
    pub fn allocate(self, function: AllocateFn) -> Descriptor<O, Allocate, F, G>
    where
        A: LacksAllocate,
    {
        Descriptor::of(Members { allocate: function, ..self.members })
    }

    /// The function that takes a block back (`aclrtAllocatorSetFreeFuncToDesc`).
    pub fn free(self, function: FreeFn) -> Descriptor<O, A, Free, G>
    where
        F: LacksFree,
    {
        Descriptor::of(Members { free: function, ..self.members })
    }

    /// The function that tells a block's address (`aclrtAllocatorSetGetAddrFromBlockFuncToDesc`).
    pub fn address(self, function: AddressFn) -> Descriptor<O, A, F, Address>
    where
        G: LacksAddress,
    {
        Descriptor::of(Members { address_of: function, ..self.members })
    }

    /// The function that allocates near an address (`aclrtAllocatorSetAllocAdviseFuncToDesc`). It is optional: without
    /// it, the library is given one that says that there is no memory near any address, and then allocates anywhere.
    pub fn allocate_near(self, function: AllocateNearFn) -> Self {
        Self::of(Members { advise: function, ..self.members })
    }

    /// The members, all of which are set.
    pub(crate) fn members(&self) -> Members
    where
        O: HasObject,
        A: HasAllocate,
        F: HasFree,
        G: HasAddress,
    {
        self.members
    }

    /// The same members, by the names of the states in which they are set.
    pub(crate) fn complete(&self) -> Descriptor<Object, Allocate, Free, Address>
    where
        O: HasObject,
        A: HasAllocate,
        F: HasFree,
        G: HasAddress,
    {
        Descriptor::of(self.members)
    }

    fn of(members: Members) -> Self {
        Self { members, _set: PhantomData }
    }
}

unsafe extern "C" fn nothing(_: *mut c_void, _: usize) -> *mut c_void {
    core::ptr::null_mut()
}

/// The library reads the optional slot uninitialised when nobody sets it (ALLOC-17): it always gets a function.
unsafe extern "C" fn nothing_near(_: *mut c_void, _: usize, _: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
}

unsafe extern "C" fn nothing_to_free(_: *mut c_void, _: *mut c_void) {}

unsafe extern "C" fn nowhere(_: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
}

impl<O, A, F, G> fmt::Debug for Descriptor<O, A, F, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Descriptor").field("members", &self.members).finish_non_exhaustive()
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
    pub unsafe fn register_descriptor<O: HasObject, A: HasAllocate, F: HasFree, G: HasAddress>(
        self,
        current: &Current<'c, N>,
        descriptor: Descriptor<O, A, F, G>,
    ) -> Result<Stream<'c, WithDescriptor, N>, Undone<(Self, Descriptor<O, A, F, G>)>>
    where
        S: CanRegisterDescriptor,
    {
        self.register_members(current, descriptor)
    }
}
