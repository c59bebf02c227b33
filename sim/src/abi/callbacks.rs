//! C functions that the caller handed in, to be called later.

use super::arguments::{Address, Opaque};
use ascendcl_sys::types::*;
use core::ffi::c_void;

/// A host function with its argument.
pub(crate) struct HostCallback {
    function: unsafe extern "C" fn(*mut c_void),
    argument: Opaque,
    number: u64,
}

impl HostCallback {
    /// `number`: by which those who watch know it.
    pub(crate) fn new(function: unsafe extern "C" fn(*mut c_void), argument: Opaque, number: u64) -> Self {
        Self { function, argument, number }
    }

    /// By which those who watch know it.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Where its state is.
    pub(crate) fn argument(&self) -> Address {
        Address(self.argument.0)
    }

    /// Whether it is this function.
    pub(crate) fn calls(&self, function: unsafe extern "C" fn(*mut c_void)) -> bool {
        core::ptr::fn_addr_eq(self.function, function)
    }

    /// Whether there is no memory where the function was: the file that it was in has been unloaded. The loader is not
    /// asked, because it holds a lock while it runs the file's destructors, and these may wait for this callback.
    pub(crate) fn is_gone(&self) -> bool {
        !is_mapped((self.function as *const ()).addr())
    }

    pub(crate) fn run(&self) {
        // SAFETY: the function asks for its argument, and as many calls as were agreed. The caller registered it to be
        // called with this argument, on a thread of the library: once, or once in every run of what it was captured in.
        unsafe { (self.function)(self.argument.0) }
    }
}

/// The members of an allocator descriptor that were set.
#[derive(Clone, Copy)]
pub(crate) struct AllocatorMembers {
    pub(crate) object: aclrtAllocator,
    pub(crate) allocate: aclrtAllocatorAllocFunc,
    pub(crate) free: aclrtAllocatorFreeFunc,
    pub(crate) advise: aclrtAllocatorAllocAdviseFunc,
    pub(crate) address_of: aclrtAllocatorGetAddrFromBlockFunc,
}

// SAFETY: sending the object must not make a data race. It is only handed back to the caller's functions, which are
// documented to run on threads of the library.
unsafe impl Send for AllocatorMembers {}
// SAFETY: sharing the object must not make a data race. It is only handed back to the caller's functions, which are
// documented to run on threads of the library.
unsafe impl Sync for AllocatorMembers {}

impl Default for AllocatorMembers {
    fn default() -> Self {
        Self { object: aclrtAllocator::NULL, allocate: None, free: None, advise: None, address_of: None }
    }
}

impl AllocatorMembers {
    /// The reason why a registration is refused. The vendor's library accepts a descriptor without a free function.
    /// Without a get-address function, its answer depends on old contents of the memory. The manual says that the free
    /// function is `needed`, too.
    pub(crate) fn missing(&self, needed: bool) -> Option<&'static str> {
        match self {
            Self { object, .. } if object.is_null() => Some("object"),
            Self { allocate: None, .. } => Some("allocate function"),
            Self { address_of: None, .. } => Some("get-address function"),
            Self { free: None, .. } if needed => Some("free function"),
            _ => None,
        }
    }

    /// The functions to call, if all mandatory ones were set.
    pub(crate) fn complete(&self) -> Option<AllocatorFunctions> {
        let Self { object, free, advise, .. } = *self;
        let allocate = self.allocate.filter(|_| !object.is_null())?;
        Some(AllocatorFunctions { object, allocate, free, advise, address_of: self.address_of? })
    }
}

/// An allocator of the caller: its object and its functions.
#[derive(Clone, Copy)]
pub(crate) struct AllocatorFunctions {
    object: aclrtAllocator,
    allocate: unsafe extern "C" fn(aclrtAllocator, usize) -> *mut c_void,
    free: aclrtAllocatorFreeFunc,
    advise: aclrtAllocatorAllocAdviseFunc,
    address_of: unsafe extern "C" fn(aclrtAllocatorBlock) -> *mut c_void,
}

// SAFETY: sending the object must not make a data race. It is only handed back to the caller's functions, which are
// documented to run on threads of the library.
unsafe impl Send for AllocatorFunctions {}
// SAFETY: sharing the object must not make a data race. It is only handed back to the caller's functions, which are
// documented to run on threads of the library.
unsafe impl Sync for AllocatorFunctions {}

/// The handle by which an allocator of the caller identifies a piece of its memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct AllocatorBlock(aclrtAllocatorBlock);

// SAFETY: sending the block must not make a data race. It is only handed back to the caller's functions, which are
// documented to run on threads of the library.
unsafe impl Send for AllocatorBlock {}
// SAFETY: sharing the block must not make a data race. It is only handed back to the caller's functions, which are
// documented to run on threads of the library.
unsafe impl Sync for AllocatorBlock {}

impl AllocatorFunctions {
    /// Names the allocator: registrations of one object are one allocator, whatever their functions.
    pub(crate) fn object(&self) -> usize {
        self.object.0.addr()
    }

    /// `None` when the allocator has no such block. `near` is an address that the block should be close to. An
    /// allocator without an advise function does not get it.
    pub(crate) fn allocate(&self, size: usize, near: Option<Address>) -> Option<AllocatorBlock> {
        let block = match (self.advise, near) {
            // SAFETY: the function asks for the object that it was registered for. The functions were registered for
            // this object, and stay callable until it is no longer registered and every block has been given back
            // (ALLOC-12).
            (Some(advise), Some(near)) => unsafe { advise(self.object, size, near.0) },
            // SAFETY: the function asks for the object that it was registered for. The functions were registered for
            // this object, and stay callable until it is no longer registered and every block has been given back
            // (ALLOC-12).
            _ => unsafe { (self.allocate)(self.object, size) },
        };
        (!block.is_null()).then_some(AllocatorBlock(aclrtAllocatorBlock(block)))
    }

    pub(crate) fn address_of(&self, block: AllocatorBlock) -> Address {
        // SAFETY: the function asks for its object's block that is out (ALLOC-19). The functions were registered for
        // this object, and stay callable until it is no longer registered and every block has been given back
        // (ALLOC-12); the block came from `allocate` and was not freed.
        Address(unsafe { (self.address_of)(block.0) })
    }

    /// Gives a block back; without a free function the caller keeps it.
    pub(crate) fn free(&self, block: AllocatorBlock) {
        if let Some(free) = self.free {
            // SAFETY: the function asks for its object and a block that is out, once (ALLOC-19). The functions were
            // registered for this object, and stay callable until it is no longer registered and every block has been
            // given back (ALLOC-12); each block is freed once.
            unsafe { free(self.object, block.0) }
        }
    }
}

/// Whether there is memory at this address, as far as the system tells.
#[cfg(target_os = "linux")]
fn is_mapped(address: usize) -> bool {
    use std::os::unix::fs::FileExt;
    let Ok(memory) = std::fs::File::open("/proc/self/mem") else { return true };
    memory.read_at(&mut [0], address as u64).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn is_mapped(_: usize) -> bool {
    true
}
