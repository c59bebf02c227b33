//! Allocators made of C functions.

use super::null::{TIMEOUT, books, in_books, refusal};
use super::pool::{steps, work};
use ascendcl::allocator::Descriptor;
use ascendcl_macros::proves;
use std::ffi::c_void;
use std::mem;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An allocator of C functions: counts how often each was called, with which object.
mod c {
    use super::*;

    pub(crate) static CALLS: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
    pub(crate) const OBJECT: usize = 0x1230;
    const BLOCK: usize = 0x4560;

    fn answers(call: usize, object: *mut c_void, block: usize) -> *mut c_void {
        assert!(call == 3 || object.addr() == OBJECT);
        CALLS[call].fetch_add(1, Ordering::Relaxed);
        ptr::without_provenance_mut(block)
    }

    pub(crate) unsafe extern "C" fn allocate(object: *mut c_void, _: usize) -> *mut c_void {
        answers(0, object, BLOCK)
    }
    pub(crate) unsafe extern "C" fn near(object: *mut c_void, _: usize, _: *mut c_void) -> *mut c_void {
        answers(1, object, BLOCK)
    }
    pub(crate) unsafe extern "C" fn free(object: *mut c_void, block: *mut c_void) {
        answers(2, object, block.addr());
    }
    pub(crate) unsafe extern "C" fn address(block: *mut c_void) -> *mut c_void {
        answers(3, block, BLOCK)
    }
    pub(crate) fn object() -> NonNull<c_void> {
        NonNull::new(ptr::without_provenance_mut(OBJECT)).unwrap()
    }
    pub(crate) fn calls() -> [usize; 4] {
        CALLS.each_ref().map(|calls| calls.swap(0, Ordering::Relaxed))
    }
}

#[proves(ALLOC_06, ALLOC_07, ALLOC_17)]
#[test]
fn an_allocator_of_c_functions_is_called_with_its_object_and_given_back() {
    let books = books();
    in_books(&books, |current| {
        let descriptor = Descriptor::new().address(c::address).object(c::object()).free(c::free).allocate(c::allocate);
        books.refuse("aclrtAllocatorRegister", TIMEOUT, 1);
        // SAFETY: the functions are there for ever and need no object; the library of these tests follows no address.
        let failed = unsafe { current.stream().unwrap().register_descriptor(current, descriptor) }.unwrap_err();
        assert_eq!(refusal(&failed.error), ("aclrtAllocatorRegister", TIMEOUT));
        let (stream, descriptor) = failed.value;
        // SAFETY: the functions are there for ever and need no object; the library of these tests follows no address.
        let stream = unsafe { stream.register_descriptor(current, descriptor) }.unwrap();
        drop(work(current, &stream));
        assert_eq!(c::calls(), [1, 0, 1, 1]);

        // Without the optional function, the library gets a function that finds nothing near.
        books.propose(0x40);
        steps(&books);
        drop(work(current, &stream));
        assert_eq!(steps(&books), ["MemcpyAsync", "null-block"]);
        let (stream, descriptor) = stream.unregister(current).unwrap();

        // SAFETY: the functions are there for ever and need no object; the library of these tests follows no address.
        let stream = unsafe { stream.register_descriptor(current, descriptor.allocate_near(c::near)) }.unwrap();
        drop(work(current, &stream));
        assert_eq!(c::calls(), [0, 1, 1, 1]);
        mem::forget(stream);
    });
}
