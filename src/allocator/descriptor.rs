//! An allocator descriptor made of C function pointers, member by member.

#![allow(unsafe_code, reason = "a declaration only: what is handed to the library may be sent there")]

pub use crate::device_allocator::{AddressFn, AllocateFn, AllocateNearFn, FreeFn};
use crate::ffi::Members;
use ascendcl_macros::rule;
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

/// An allocator made of C functions (`aclrtAllocatorCreateDesc` and the five setters).
///
/// The object, the allocate, the free and the address function are mandatory (ALLOC-07).
/// [`Stream::register_descriptor`](crate::Stream::register_descriptor) does not accept a descriptor that lacks one.
/// Each member can be set once. The type says which members are set: `Descriptor<Object, Allocate, Free, NoAddress>`
/// has three of the four.
///
/// For allocators in Rust, implement [`DeviceAllocator`](crate::DeviceAllocator) instead.
///
/// ```
/// use ascendcl::allocator::Descriptor;
/// use core::ffi::c_void;
/// use core::ptr::{NonNull, null_mut};
///
/// unsafe extern "C" fn allocate(_pool: *mut c_void, _bytes: usize) -> *mut c_void {
///     null_mut() // this pool is always empty
/// }
/// unsafe extern "C" fn free(_pool: *mut c_void, _block: *mut c_void) {}
/// unsafe extern "C" fn address(block: *mut c_void) -> *mut c_void {
///     block
/// }
///
/// let pool = NonNull::<u8>::dangling().cast();
/// let descriptor = Descriptor::new().object(pool).allocate(allocate).free(free).address(address);
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// // SAFETY: the functions keep to the rules of `register_descriptor`: they use nothing, and can be called on any thread.
/// let stream = unsafe { current.stream()?.register_descriptor(current, descriptor) }?;
/// let (stream, _descriptor) = stream.unregister(current)?;
/// stream.destroy(current)?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[must_use = "a descriptor does nothing until it is registered"]
#[rule(ALLOC_07, ALLOC_17)]
pub struct Descriptor<O = NoObject, A = NoAllocate, F = NoFree, G = NoAddress> {
    /// A function that is not set yet is a harmless default.
    members: Members,
    _set: PhantomData<(O, A, F, G)>,
}

// SAFETY: sending the value to another thread must not make a data race. The object is only handed to the library, and
// the caller of `register_descriptor` promises that it can be used from any thread.
unsafe impl<O, A, F, G> Send for Descriptor<O, A, F, G> {}

impl Descriptor {
    /// A descriptor without members.
    pub fn new() -> Self {
        Self { members: Members::nothing(), _set: PhantomData }
    }
}

impl Default for Descriptor {
    fn default() -> Self {
        Self::new()
    }
}

impl<O, A, F, G> Descriptor<O, A, F, G> {
    /// Sets the object that is passed to the allocate and free functions (`aclrtAllocatorSetObjToDesc`).
    pub fn object(self, object: NonNull<c_void>) -> Descriptor<Object, A, F, G>
    where
        O: LacksObject,
    {
        Descriptor::of(Members { object, ..self.members })
    }

    /// Sets the allocate function (`aclrtAllocatorSetAllocFuncToDesc`).
    pub fn allocate(self, function: AllocateFn) -> Descriptor<O, Allocate, F, G>
    where
        A: LacksAllocate,
    {
        Descriptor::of(Members { allocate: function, ..self.members })
    }

    /// Sets the free function (`aclrtAllocatorSetFreeFuncToDesc`).
    pub fn free(self, function: FreeFn) -> Descriptor<O, A, Free, G>
    where
        F: LacksFree,
    {
        Descriptor::of(Members { free: function, ..self.members })
    }

    /// Sets the function that returns a block's address (`aclrtAllocatorSetGetAddrFromBlockFuncToDesc`).
    pub fn address(self, function: AddressFn) -> Descriptor<O, A, F, Address>
    where
        G: LacksAddress,
    {
        Descriptor::of(Members { address_of: function, ..self.members })
    }

    /// Sets the function that allocates near an address (`aclrtAllocatorSetAllocAdviseFuncToDesc`). It is optional.
    /// Without it, the library gets a function that always returns null, and then uses the allocate function.
    pub fn allocate_near(self, function: AllocateNearFn) -> Self {
        Self::of(Members { allocate_near: function, ..self.members })
    }

    /// The members; all are set.
    pub(crate) fn members(&self) -> Members
    where
        O: HasObject,
        A: HasAllocate,
        F: HasFree,
        G: HasAddress,
    {
        self.members
    }

    /// The same members, with the types of the states in which they are set.
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

impl<O, A, F, G> fmt::Debug for Descriptor<O, A, F, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Descriptor").finish_non_exhaustive()
    }
}
