//! What a block costs on its way out of an allocator and back. The library's part is `null_round_trip` of
//! `tests/null/library.c`: it allocates a block, asks for its address, and frees it.

use crate::count::rounds;
use crate::operations::Operation;
use ascendcl::allocator::PoolAllocator;
use ascendcl::context::ContextId;
use ascendcl::memory::DeviceAddress;
use ascendcl::{Brand, Current, DeviceAllocator};
use ascendcl_sys::types::*;
use std::ffi::c_void;
use std::hint::black_box;
use std::path::Path;
use std::ptr::null_mut;

/// What the library does with the registered allocator.
type RoundTrip = unsafe extern "C" fn(usize) -> *mut c_void;

const BYTES: usize = 4096;
const POOL: usize = 1 << 20;

/// With C functions that always answer the same block.
pub(crate) fn of_c_functions(path: &Path, n: u32) {
    unsafe extern "C" fn allocate(object: aclrtAllocator, _: usize) -> *mut c_void {
        object.0
    }
    unsafe extern "C" fn free(_: aclrtAllocator, _: aclrtAllocatorBlock) {}
    unsafe extern "C" fn address(block: aclrtAllocatorBlock) -> *mut c_void {
        block.0
    }
    // SAFETY: the library was compiled from a source of these tests, which has the vendor's signatures.
    let library = unsafe { ascendcl_sys::Library::open(path) }.unwrap();
    let mut block = [0_u8; 64];
    // SAFETY: the functions set the members of a descriptor that is alive, and the library copies it when it registers
    // it. The block outlives the calls below.
    unsafe {
        let descriptor = library.aclrtAllocatorCreateDesc().unwrap();
        library.aclrtAllocatorSetObjToDesc(descriptor, aclrtAllocator(block.as_mut_ptr().cast())).unwrap();
        library.aclrtAllocatorSetAllocFuncToDesc(descriptor, Some(allocate)).unwrap();
        library.aclrtAllocatorSetFreeFuncToDesc(descriptor, Some(free)).unwrap();
        library.aclrtAllocatorSetGetAddrFromBlockFuncToDesc(descriptor, Some(address)).unwrap();
        library.aclrtAllocatorRegister(aclrtStream(null_mut()), descriptor).unwrap();
        library.aclrtAllocatorDestroyDesc(descriptor).unwrap();
    }
    round_trips(path, n);
}

/// With an allocator in Rust.
pub(crate) fn of_the_crate<C: Brand>(path: &Path, current: &Current<C>, operation: Operation, n: u32) {
    let stream = current.stream().unwrap();
    match operation {
        Operation::Allocator => {
            let allocator = OneBlock { address: DeviceAddress::new(0x1000).unwrap(), context: current.id() };
            let stream = stream.register(current, allocator).unwrap();
            round_trips(path, n);
            drop(stream.unregister(current).unwrap());
        }
        _ => {
            let stream = stream.register(current, PoolAllocator::new(current, POOL).unwrap()).unwrap();
            round_trips(path, n);
            drop(stream.unregister(current).unwrap());
        }
    }
}

fn round_trips(path: &Path, n: u32) {
    // SAFETY: the library was compiled from a source of these tests, without initialisers. The loader gives the library that is loaded already.
    let library = unsafe { libloading::Library::new(path) }.unwrap();
    // SAFETY: the function has this signature in the source of the library.
    let round_trip = *unsafe { library.get::<RoundTrip>("null_round_trip") }.unwrap();
    // SAFETY: an allocator is registered, and what it gives out is not used.
    rounds(n, (), |()| unsafe { round_trip(black_box(BYTES)) }, |address| assert!(!address.is_null()));
}

/// An allocator that costs nothing.
struct OneBlock {
    address: DeviceAddress,
    context: ContextId,
}

// SAFETY: `DeviceAllocator` asks for memory that nobody else has. The library of this bench uses none.
unsafe impl DeviceAllocator for OneBlock {
    type Block = ();

    fn allocate(&self, _: usize) -> Option<()> {
        Some(())
    }

    fn address(&self, (): &()) -> DeviceAddress {
        self.address
    }

    fn free(&self, (): ()) {}

    fn serves(&self, context: ContextId) -> bool {
        context == self.context
    }
}
