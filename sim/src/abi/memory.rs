//! Raw memory: blocks that the simulator hands out, and copies between addresses.

use super::arguments::Address;
use super::guarded::inside;
use core::ptr::NonNull;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A block of memory that the simulator owns and has handed out by address. Dropping it frees it.
#[derive(Debug)]
pub(crate) struct Block {
    allocated: NonNull<u8>,
    layout: Layout,
    /// Aligned, and in the allocation with `size` bytes from there.
    start: *mut u8,
    size: usize,
}

// SAFETY: sending the block must not make a data race. It is owned memory without thread affinity.
unsafe impl Send for Block {}
// SAFETY: sharing the block must not make a data race. A shared `Block` only tells its address and size.
unsafe impl Sync for Block {}

impl Block {
    /// `None` when the machine has no such block. The contents are initialised, because models read blocks as bytes.
    pub(crate) fn new(size: usize, align: usize) -> Option<Self> {
        // Aligned by hand: of memory with an alignment of its own the allocator would write every zero itself, while
        // large blocks are zeros as they come from the system, page by page as they are used.
        const NATURAL: usize = align_of::<u128>();
        let layout = Layout::from_size_align(size.max(1).checked_add(align)?, NATURAL).ok()?;
        // SAFETY: `alloc_zeroed` asks for a layout whose size is not zero, which the line above sees to.
        let allocated = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let gap = allocated.as_ptr().addr().next_multiple_of(align) - allocated.as_ptr().addr();
        Some(Self { allocated, layout, start: allocated.as_ptr().wrapping_add(gap), size })
    }

    pub(crate) fn address(&self) -> Address {
        Address(self.start.cast())
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `dealloc` asks for memory of the global allocator, with its layout, once. `new` allocated it with
        // this layout, and `drop` runs once.
        unsafe { dealloc(self.allocated.as_ptr(), self.layout) }
    }
}

/// Lends so many bytes from each address for the length of `f`, as [`Address::with_bytes`] does.
pub(crate) fn with_all_bytes<R>(areas: impl Iterator<Item = (Address, usize)>, f: impl FnOnce(Vec<&[u8]>) -> R) -> R {
    // SAFETY: `bytes_there` asks for initialised bytes that nobody writes while the slice is used, which is not longer
    // than `f` runs. An `Address` comes from a C argument or from a `Block`; the caller of the C function vouches for the
    // bytes there, and that nobody writes them is the contract of the calls that use this.
    f(areas.map(|(address, count)| unsafe { address.bytes_there(count) }).collect())
}

/// Copies `count` bytes; the two ranges may overlap.
///
/// Both ranges are arguments of a C call (or blocks of the simulator), so they are valid for `count` bytes until the
/// call, or the stream it was queued on, is done.
pub(crate) fn copy(to: Address, from: Address, count: usize) {
    let (to, from) = (inside(to), inside(from));
    if count > 0 && to != from {
        // SAFETY: `copy` asks for memory that is valid for reads and writes of `count` bytes. An `Address` comes from a
        // C argument or from a `Block`; the caller of the C function vouches for `count` bytes behind both.
        unsafe { core::ptr::copy(from.0.cast::<u8>().cast_const(), to.0.cast::<u8>(), count) }
    }
}

/// Sets `count` bytes.
pub(crate) fn fill(to: Address, value: u8, count: usize) {
    let to = inside(to);
    // SAFETY: `write_bytes` asks for memory that is valid for writes of `count` bytes. An `Address` comes from a C
    // argument or from a `Block`; the caller of the C function vouches for `count` bytes there.
    unsafe { core::ptr::write_bytes(to.0.cast::<u8>(), value, count) }
}

impl Address {
    /// A copy of `count` bytes from here.
    pub(crate) fn bytes(self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        copy(Self(bytes.as_mut_ptr().cast()), self, count);
        bytes
    }

    /// The `N` bytes from here.
    pub(crate) fn array<const N: usize>(self) -> [u8; N] {
        let mut bytes = [0; N];
        copy(Self(bytes.as_mut_ptr().cast()), self, N);
        bytes
    }

    /// Lends `count` bytes from here for the length of `f`: memory of the caller that nothing writes during the call
    /// (an input of a running model).
    pub(crate) fn with_bytes<R>(self, count: usize, f: impl FnOnce(&[u8]) -> R) -> R {
        // SAFETY: `bytes_there` asks for `count` initialised bytes that nobody writes while the slice is used, which is not
        // longer than `f` runs. An `Address` comes from a C argument or from a `Block`; the caller of the C function
        // vouches for `count` bytes there, and that nobody writes them is the contract of the calls that use this.
        f(unsafe { self.bytes_there(count) })
    }

    /// # Safety
    ///
    /// `count` initialised bytes begin here, unless this is null, and nobody writes them as long as the slice is used.
    unsafe fn bytes_there<'a>(self, count: usize) -> &'a [u8] {
        if count == 0 || self.is_null() {
            return &[];
        }
        // SAFETY: `from_raw_parts` asks for what this function asks for. The place is another view of the same bytes.
        unsafe { core::slice::from_raw_parts(inside(self).0.cast::<u8>().cast_const(), count) }
    }

    /// Lends `count` bytes from here to be written: memory of the caller, or of the simulator, that nothing else uses
    /// during the call (an output of a running model).
    pub(crate) fn with_bytes_mut<R>(self, count: usize, f: impl FnOnce(&mut [u8]) -> R) -> R {
        if count == 0 || self.is_null() {
            return f(&mut []);
        }
        let place = inside(self);
        // SAFETY: `from_raw_parts_mut` asks for `count` initialised bytes that nobody else uses meanwhile. An `Address`
        // comes from a C argument or from a `Block`; the caller of the C function vouches for `count` bytes there, and
        // that nobody uses them is the contract of the calls that use this.
        f(unsafe { core::slice::from_raw_parts_mut(place.0.cast::<u8>(), count) })
    }

    /// The value of eight bytes that stands here. Other threads may write it at the same time: at an aligned address
    /// this never reads half of a write.
    pub(crate) fn load(self) -> u64 {
        match self.word() {
            Some(word) => word.load(SeqCst),
            None => u64::from_ne_bytes(self.array()),
        }
    }

    /// Writes a value of eight bytes. Other threads may read it at the same time, as with [`load`](Self::load).
    pub(crate) fn store(self, value: u64) {
        match self.word() {
            Some(word) => word.store(value, SeqCst),
            None => self.write(&value.to_ne_bytes()),
        }
    }

    /// Writes a value of eight bytes over the one that stands here, and answers that.
    pub(crate) fn replace(self, value: u64) -> u64 {
        match self.word() {
            Some(word) => word.swap(value, SeqCst),
            None => {
                let before = self.load();
                self.store(value);
                before
            }
        }
    }

    /// Adds to the aligned value of eight bytes that stands here, whatever other threads and processes do; answers the sum.
    pub(crate) fn add(self, more: u64) -> Option<u64> {
        self.word().map(|word| word.fetch_add(more, SeqCst).wrapping_add(more))
    }

    /// Makes the aligned value of eight bytes that stands here at least as large, whatever other threads and processes do.
    pub(crate) fn raise(self, least: u64) {
        if let Some(word) = self.word() {
            word.fetch_max(least, SeqCst);
        }
    }

    /// The eight bytes from here, if they are aligned.
    fn word<'a>(self) -> Option<&'a AtomicU64> {
        let word = inside(self).0.cast::<u64>();
        // SAFETY: `AtomicU64::from_ptr` asks for aligned memory that is valid while the reference is used, and for no
        // other access than atomic ones. The address was asked; the caller of the C function vouches for eight bytes
        // there. Who else writes them is a program in C, which writes a value that a stream waits for at once.
        word.is_aligned().then(|| unsafe { AtomicU64::from_ptr(word) })
    }

    /// Writes `bytes` to here.
    pub(crate) fn write(self, bytes: &[u8]) {
        copy(self, Self(bytes.as_ptr().cast_mut().cast()), bytes.len());
    }
}
