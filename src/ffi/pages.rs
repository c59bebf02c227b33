//! Memory of the program in whole pages, for registering it with the library.

use super::beyond_all_memory;
use crate::element::Pod;
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;
use core::alloc::Layout;
use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// Memory of the global allocator that begins at a page boundary and covers whole pages, so no other memory is on them.
#[derive(Debug)]
pub(crate) struct RawPages {
    start: NonNull<c_void>,
    layout: Layout,
}

/// The alignment of registered memory (MEM-14).
const PAGE: usize = 4096;

// SAFETY: sending the value to another thread must not make a data race. No other value has a pointer to the memory.
unsafe impl Send for RawPages {}
// SAFETY: sharing the value must not make a data race. Through a shared value the memory is only read (`as_slice`).
unsafe impl Sync for RawPages {}

impl RawPages {
    /// Allocates at least `bytes` bytes and at least one page, all zero.
    #[rule(MEM_14)]
    pub(crate) fn zeroed(bytes: usize) -> Result<Self, Error> {
        let need = bytes.max(1).checked_next_multiple_of(PAGE).unwrap_or(usize::MAX);
        let layout = Layout::from_size_align(need, PAGE);
        let layout = layout.map_err(|_| beyond_all_memory(need))?;
        // SAFETY: `alloc_zeroed` asks for a layout whose size is not zero: it is at least one page.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        let start = NonNull::new(start.cast()).ok_or(Error::TooShort {
            what: ObjectKind::ADDRESS_SPACE,
            need: layout.size(),
            have: 0,
        })?;
        Ok(Self { start, layout })
    }

    /// The first `length` elements.
    pub(crate) fn as_slice<E: Pod>(&self, length: usize) -> &[E] {
        // SAFETY: `from_raw_parts` asks for memory that is long enough, aligned and initialised, and that nobody writes
        // while the slice exists. The length is limited by the layout, a page is aligned for all elements, `Pod` allows
        // every bit pattern, and the memory was zeroed. Writing takes `&mut`.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr().cast(), length.min(self.room::<E>())) }
    }

    /// The first `length` elements, for writing.
    pub(crate) fn as_mut_slice<E: Pod>(&mut self, length: usize) -> &mut [E] {
        let length = length.min(self.room::<E>());
        // SAFETY: `from_raw_parts_mut` asks for memory that is long enough, aligned and initialised, and that nobody
        // else uses while the slice exists. The length is limited by the layout, a page is aligned for all elements,
        // `Pod` allows every bit pattern, and the memory was zeroed. The value is borrowed exclusively.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr().cast(), length) }
    }

    fn room<E>(&self) -> usize {
        self.layout.size() / size_of::<E>().max(1)
    }

    pub(super) fn start(&self) -> NonNull<c_void> {
        self.start
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    /// The memory's address and layout. The memory is then no longer freed on drop.
    pub(super) fn into_parts(self) -> (NonNull<c_void>, Layout) {
        let kept = ManuallyDrop::new(self);
        (kept.start, kept.layout)
    }

    /// # Safety
    ///
    /// [`into_parts`](Self::into_parts) returned both for one value, and nothing else uses the memory from now on.
    pub(super) unsafe fn from_parts(start: NonNull<c_void>, layout: Layout) -> Self {
        Self { start, layout }
    }
}

impl Drop for RawPages {
    fn drop(&mut self) {
        // SAFETY: `dealloc` asks for memory of the global allocator, with the layout that it was allocated with, once.
        // `zeroed` allocated it with this layout, and no other value has it.
        unsafe { std::alloc::dealloc(self.start.as_ptr().cast(), self.layout) }
    }
}
