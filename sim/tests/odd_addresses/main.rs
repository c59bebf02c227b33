//! A program whose allocator gives bytes odd addresses. It may: bytes ask for no alignment.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, unused_imports)]
#[path = "../runtime/support.rs"]
mod support;

#[macro_use]
#[allow(dead_code, unused_macros)]
#[path = "../single_operators/tensors.rs"]
mod tensors;

mod constants;
#[path = "../single_operators/results.rs"]
mod results;

use std::alloc::{GlobalAlloc, Layout, System};

struct Odd;

/// How far the bytes of a block are behind the start of what the system gave for it.
const BEHIND: usize = 1;

/// The layout that the system is asked for in the place of one without alignment.
fn with_room(layout: Layout) -> Option<Layout> {
    Layout::from_size_align(layout.size().checked_add(BEHIND)?, align_of::<u128>()).ok()
}

// SAFETY: an implementation gives blocks that fit their layout, and does not unwind. A block of the system fits. One that
// begins behind its start has room for as many bytes as the layout says, and an alignment of 1.
unsafe impl GlobalAlloc for Odd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > 1 {
            // SAFETY: the system's allocator asks for a layout that is not of size 0, which the caller promises.
            return unsafe { System.alloc(layout) };
        }
        let Some(larger) = with_room(layout) else { return std::ptr::null_mut() };
        // SAFETY: the system's allocator asks for a layout that is not of size 0: this one is larger by a byte.
        let block = unsafe { System.alloc(larger) };
        // SAFETY: `add` asks to stay inside of the block, which has this byte and more behind it.
        if block.is_null() { block } else { unsafe { block.add(BEHIND) } }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match with_room(layout).filter(|_| layout.align() == 1) {
            // SAFETY: the system's allocator asks for a block of its own with this layout. `alloc` got it there, and the
            // block that it gave begins so far behind it.
            Some(larger) => unsafe { System.dealloc(block.sub(BEHIND), larger) },
            // SAFETY: the system's allocator asks for a block of its own with this layout. `alloc` got it there, as the
            // caller promises.
            None => unsafe { System.dealloc(block, layout) },
        }
    }
}

#[global_allocator]
static ODD: Odd = Odd;

#[test]
fn bytes_have_odd_addresses_here() {
    let bytes = std::hint::black_box(vec![0_u8; 64]);
    assert!(!bytes.as_ptr().addr().is_multiple_of(2));
}
