//! C functions that the caller handed in, to be called later.

use super::arguments::{Address, Opaque};
use ascendcl_sys::types::*;
use core::ffi::c_void;

/// A host function with its argument.
pub(crate) struct HostCallback {
    function: unsafe extern "C" fn(*mut c_void),
    argument: Opaque,
}

impl HostCallback {
    pub(crate) fn new(function: unsafe extern "C" fn(*mut c_void), argument: Opaque) -> Self {
        Self { function, argument }
    }

    pub(crate) fn run(self) {
        // SAFETY: the caller registered this function to be called once with this argument, on a thread of the library.
        unsafe { (self.function)(self.argument.0) }
    }
}

/// The members of an allocator descriptor, as far as they were set.
#[derive(Clone, Copy)]
pub(crate) struct AllocatorMembers {
    pub(crate) object: aclrtAllocator,
    pub(crate) allocate: aclrtAllocatorAllocFunc,
    pub(crate) free: aclrtAllocatorFreeFunc,
    pub(crate) advise: aclrtAllocatorAllocAdviseFunc,
    pub(crate) address_of: aclrtAllocatorGetAddrFromBlockFunc,
}

// SAFETY: the object is only handed back to the caller's functions, which are documented to run on threads of the
// library.
unsafe impl Send for AllocatorMembers {}
// SAFETY: as above.
unsafe impl Sync for AllocatorMembers {}

impl Default for AllocatorMembers {
    fn default() -> Self {
        Self { object: aclrtAllocator::NULL, allocate: None, free: None, advise: None, address_of: None }
    }
}

impl AllocatorMembers {
    /// What a registration would refuse. The vendor's library accepts a descriptor without a free function; without a
    /// get-address function it depends on what was in the memory before.
    pub(crate) fn missing(&self) -> Option<&'static str> {
        match self {
            Self { object, .. } if object.is_null() => Some("object"),
            Self { allocate: None, .. } => Some("allocate function"),
            Self { address_of: None, .. } => Some("get-address function"),
            _ => None,
        }
    }

    /// The functions to call, when none of those that are needed is missing.
    pub(crate) fn complete(&self) -> Option<AllocatorFunctions> {
        let (object, free) = (self.object, self.free);
        let allocate = self.allocate.filter(|_| !object.is_null())?;
        Some(AllocatorFunctions { object, allocate, free, address_of: self.address_of? })
    }
}

/// An allocator of the caller: its object and its functions.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "for operators and models whose shapes vary")]
pub(crate) struct AllocatorFunctions {
    object: aclrtAllocator,
    allocate: unsafe extern "C" fn(aclrtAllocator, usize) -> *mut c_void,
    free: aclrtAllocatorFreeFunc,
    address_of: unsafe extern "C" fn(aclrtAllocatorBlock) -> *mut c_void,
}

// SAFETY: the object is only handed back to the caller's functions, which are documented to run on threads of the
// library.
unsafe impl Send for AllocatorFunctions {}
// SAFETY: as above.
unsafe impl Sync for AllocatorFunctions {}

#[allow(dead_code, reason = "as above")]
impl AllocatorFunctions {
    /// Null when the allocator has no such block.
    pub(crate) fn allocate(&self, size: usize) -> aclrtAllocatorBlock {
        // SAFETY: the functions were registered for this object and stay callable until they are unregistered.
        aclrtAllocatorBlock(unsafe { (self.allocate)(self.object, size) })
    }

    pub(crate) fn address_of(&self, block: aclrtAllocatorBlock) -> Address {
        // SAFETY: as above; the block came from `allocate` and was not freed.
        Address(unsafe { (self.address_of)(block) })
    }

    /// Gives a block back; without a free function the caller keeps it.
    pub(crate) fn free(&self, block: aclrtAllocatorBlock) {
        if let Some(free) = self.free {
            // SAFETY: as above; each block is freed once.
            unsafe { free(self.object, block) }
        }
    }
}
