//! Memory that the library allocated, or that was lent to it.

mod copies;
mod life;
mod peer;
mod registered;

mod part;

pub(crate) use life::NewBuffer;
use life::allocating;

use super::call::{Function, call, functions};
use super::home::Home;
use super::{Api, Here, LastUse, Owner, RawStream};
use crate::element::{LARGEST_ALIGNMENT, Pod};
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::sharing::HandleStamp;
use crate::ffi::shelf::{Shelf, ShelfPlace};
use crate::ffi::stamp::Obstacles;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtMemMallocPolicy;
use core::alloc::Layout;
use core::ffi::c_void;
use core::fmt;
use core::mem::ManuallyDrop;
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// One allocation, or a part of one ([`part`]). Only [`free`](Self::free) releases a block. A block that is not freed
/// stays allocated, because a task may still use it.
pub struct RawBuffer {
    /// A part is on no shelf.
    place: ShelfPlace,
    start: NonNull<c_void>,
    bytes: usize,
    home: Home,
    /// The layout of the program's own memory; empty for other memory.
    layout: Layout,
    last_use: HandleStamp<Arc<Self>>,
    freed: AtomicBool,
    owner: Owner,
}

impl fmt::Debug for RawBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawBuffer").field("bytes", &self.bytes).field("home", &self.home).finish_non_exhaustive()
    }
}

// SAFETY: sending the value to another thread must not make a data race. The memory has no thread affinity. Only calls
// that take the block access it, or slices for which the caller borrows the handle.
unsafe impl Send for RawBuffer {}
// SAFETY: sharing the value must not make a data race. Only atomics are written through a shared block. Its memory is
// written by the library, or through a slice for which `&mut` of the handle is borrowed (`as_host_mut`).
unsafe impl Sync for RawBuffer {}

/// The size of the largest slice. No memory has more bytes.
pub(crate) const MOST_BYTES: usize = isize::MAX as usize;

/// For a size above [`MOST_BYTES`].
pub(crate) fn beyond_all_memory(need: usize) -> Error {
    Error::TooShort { what: ObjectKind::ADDRESS_SPACE, need, have: MOST_BYTES }
}

impl RawBuffer {
    /// Allocates memory on the current context's device by this policy, or pinned memory of the host. The library
    /// refuses a length of zero, so the smallest block has one byte. It adds bytes of its own to the length, so it does
    /// not get one to which nothing can be added.
    ///
    /// For a program that runs on the device, pinned memory is memory of the device.
    #[rule(MEM_04, MEM_05, MEM_09, MODE_01)]
    pub(crate) fn allocate(api: Api, home: Home, bytes: usize, policy: aclrtMemMallocPolicy) -> Result<Self, Error> {
        if bytes > MOST_BYTES {
            return Err(beyond_all_memory(bytes));
        }
        let mut start = core::ptr::null_mut();
        let length = bytes.max(1);
        let home = if home == Home::Pinned && api.on_device() { Home::Unified } else { home };
        let answer = match home {
            Home::Device | Home::Unified => {
                // SAFETY: the function writes the address to `start` during the call; a pointer to a live local is
                // valid for writes (`core::ptr`, "Safety"). The policy is one of the library's (MEM-09).
                unsafe { call!(api.aclrtMalloc(&raw mut start, length, policy)) }
            }
            Home::Pinned => {
                // SAFETY: the function writes the address to `start` during the call; a pointer to a live local is
                // valid for writes (`core::ptr`, "Safety").
                unsafe { call!(api.aclrtMallocHost(&raw mut start, length)) }
            }
            // No caller asks the library for these.
            Home::Pageable | Home::Adopted | Home::Registered => return Ok(Self::of_vec(vec![0_u8; length])),
        };
        let call = answer.call();
        answer.done(|| allocating(length, home))?;
        let start = NonNull::new(start).ok_or(Error::NullAnswer { call })?;
        Ok(Self::at_home(home, start, bytes))
    }

    /// Takes over device memory that the library allocated and returned (DATA-06). It is freed like any other.
    pub(super) fn adopt(start: NonNull<c_void>, bytes: usize) -> Self {
        Self::at_home(Home::Device, start, bytes)
    }

    /// A block of the current context, without a layout of its own.
    fn at_home(home: Home, start: NonNull<c_void>, bytes: usize) -> Self {
        let owner = Owner::current();
        let last_use = HandleStamp::alone(LastUse::of(home.in_context(owner.number())));
        let (freed, layout) = (AtomicBool::new(false), Layout::new::<()>());
        Self { place: ShelfPlace::new(), start, bytes, home, layout, last_use, freed, owner }
    }

    /// Wraps device memory of other code. It is used like any other, and never freed here.
    pub(crate) fn adopted(start: NonNull<c_void>, bytes: usize) -> Self {
        Self::at_home(Home::Adopted, start, bytes)
    }

    /// Takes over the memory of a vector, as ordinary host memory that copies may use until a synchronise covers them.
    pub(crate) fn of_vec<E: Pod>(elements: Vec<E>) -> Self {
        let mut elements = ManuallyDrop::new(elements);
        // Every existing vector has a valid layout, so the default is never used. Without a capacity nothing is freed.
        let layout = Layout::array::<E>(elements.capacity()).unwrap_or(Layout::new::<()>());
        let bytes = elements.len() * size_of::<E>();
        // SAFETY: `new_unchecked` asks for a pointer that is not null. `Vec::as_mut_ptr` is never null: without
        // a capacity it dangles.
        let start = unsafe { NonNull::new_unchecked(elements.as_mut_ptr().cast()) };
        Self { layout, ..Self::at_home(Home::Pageable, start, bytes) }
    }

    /// Gives the memory back as the vector that it was. A block of another home, or one that queued work may use, stays
    /// as it is. `handle` is the only handle, so nothing refers to the memory afterwards.
    pub(crate) fn take_vec<E: Pod>(handle: &mut Arc<Self>, streams: &Shelf<RawStream>) -> Option<Vec<E>> {
        if handle.home != Home::Pageable {
            return None;
        }
        let layout = handle.layout;
        let fits = layout.align() == align_of::<E>() || layout.size() == 0;
        if !fits || handle.last_use.is_in_doubt() || !streams.has_done(&handle.last_use) {
            return None;
        }
        if handle.freed.swap(true, Ordering::AcqRel) {
            return None;
        }
        let (length, capacity) = (handle.bytes / size_of::<E>(), layout.size() / size_of::<E>());
        // SAFETY: `Vec::from_raw_parts` asks for the parts of one vector of this element type, which nobody else owns.
        // `of_vec` took them from such a vector (the buffer's type says the element type), all elements are
        // initialised, nothing in flight uses them (the stamps, MEM-02), and `freed` prevents a second free.
        Some(unsafe { Vec::from_raw_parts(handle.start.as_ptr().cast(), length, capacity) })
    }

    /// Frees the block, once only. Refuses while queued work may use it.
    ///
    /// The caller holds the buffer's only handle, or the buffer's scope has ended. So nothing can refer to the block
    /// afterwards.
    #[rule(MEM_01, MEM_02, MEM_03, MEM_13)]
    pub(crate) fn free(&self, api: Api, streams: &Shelf<RawStream>) -> Result<(), Error> {
        if !streams.has_done(&self.last_use) {
            return Err(Error::StillRunning { what: self.home.kind() });
        }
        if self.freed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let answer = match self.home {
            // The whole block is freed when no handle of it is left.
            _ if self.is_part() => return Ok(()),
            Home::Adopted => return Ok(()),
            Home::Registered => {
                let given_back = self.pages_back(api).map(drop);
                return given_back.inspect_err(|_| self.freed.store(false, Ordering::Release));
            }
            // SAFETY: the function asks for memory of `aclrtMalloc` (MEM-03) that no work uses (MEM-02), once (MEM-01).
            // `home` says where it came from, the stamps show that it is idle, and `freed` was not set.
            Home::Device | Home::Unified => unsafe { call!(api.aclrtFree(self.start.as_ptr())) },
            // SAFETY: the function asks for memory of `aclrtMallocHost` (MEM-03) that no work uses (MEM-02), once
            // (MEM-01). `home` says where it came from, the stamps show that it is idle, and `freed` was not set.
            Home::Pinned => unsafe { call!(api.aclrtFreeHost(self.start.as_ptr())) },
            Home::Pageable => {
                if self.layout.size() > 0 {
                    // SAFETY: `dealloc` asks for memory of the global allocator, with the layout that it was allocated
                    // with, once. A vector allocated it with this layout (`of_vec`), the stamps show that no work uses
                    // it (MEM-02), and `freed` was not set.
                    unsafe { std::alloc::dealloc(self.start.as_ptr().cast(), self.layout) }
                }
                return Ok(());
            }
        };
        let freed = answer.done(|| self.freeing());
        freed.inspect_err(|_| self.freed.store(false, Ordering::Release))
    }

    /// The block as host memory. The slice is empty for device memory, whose addresses the host cannot access (MEM-10),
    /// and for a block that a failed call left in doubt: a copy may be running, and no wait covers it.
    ///
    /// `handle` is the pointer in the buffer's handle. Queued work takes that handle until it is synchronised, so
    /// nothing writes to the memory while the slice exists. A pinned block is zeroed before it gets a handle.
    pub(crate) fn as_host<E: Pod>(handle: &Arc<Self>) -> &[E] {
        match handle.home {
            Home::Device | Home::Adopted => &[],
            _ if handle.last_use.is_in_doubt() => &[],
            // SAFETY: `from_raw_parts` asks for memory that is long enough, aligned and initialised, and that nobody
            // writes while the slice exists. The block is `bytes` long. The ledger called `check_alignment`
            // before it gave a handle out, and a vector's memory is aligned for its own elements. The memory was
            // zeroed, or was a vector. Work in flight takes the handle, which is borrowed here. Unified memory belongs
            // to the program: it runs on the device that has the memory (MODE-01).
            Home::Pinned | Home::Unified | Home::Pageable | Home::Registered => unsafe {
                core::slice::from_raw_parts(handle.start.as_ptr().cast::<E>(), handle.bytes / size_of::<E>())
            },
        }
    }

    /// Like [`as_host`](Self::as_host), for writing. `&mut` of the handle's pointer makes the access exclusive. The
    /// ledger's own pointer is never used to access the memory.
    pub(crate) fn as_host_mut<E: Pod>(handle: &mut Arc<Self>) -> &mut [E] {
        match handle.home {
            Home::Device | Home::Adopted => &mut [],
            _ if handle.last_use.is_in_doubt() => &mut [],
            // SAFETY: `from_raw_parts_mut` asks for memory that is long enough, aligned and initialised, and that
            // nobody else uses while the slice exists. The block is `bytes` long. The ledger called
            // `check_alignment` before it gave a handle out, and a vector's memory is aligned for its own
            // elements. The memory was zeroed, or was a vector. The handle is borrowed exclusively, and work in flight
            // takes it. Unified memory belongs to the program (MODE-01).
            Home::Pinned | Home::Unified | Home::Pageable | Home::Registered => unsafe {
                core::slice::from_raw_parts_mut(handle.start.as_ptr().cast::<E>(), handle.bytes / size_of::<E>())
            },
        }
    }

    /// An error unless the memory is aligned for elements of every type. The program never accesses device memory, and
    /// a vector's memory is aligned for the elements that the vector had.
    pub(crate) fn check_alignment(&self) -> Result<(), Error> {
        let call = match self.home {
            Home::Device | Home::Adopted | Home::Pageable | Home::Registered => return Ok(()),
            Home::Pinned => functions::aclrtMallocHost::NAME,
            Home::Unified => functions::aclrtMalloc::NAME,
        };
        if self.start.addr().get().is_multiple_of(LARGEST_ALIGNMENT) {
            return Ok(());
        }
        Err(Error::MisalignedAnswer { call, alignment: LARGEST_ALIGNMENT })
    }

    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many elements of this type it holds.
    #[inline]
    pub(crate) fn elements<E>(&self) -> usize {
        self.bytes / size_of::<E>().max(1)
    }

    #[inline]
    pub(crate) fn start(&self) -> *mut c_void {
        self.start.as_ptr()
    }

    /// The address of the first byte. Its provenance is exposed, so pointers may be made from this number.
    pub(crate) fn exposed_start(&self) -> NonZeroUsize {
        self.start.as_ptr().expose_provenance();
        self.start.addr()
    }

    /// The address of a byte of the block, or the address just past its last byte.
    #[inline]
    pub(super) fn at(&self, byte: usize) -> *mut c_void {
        self.start.as_ptr().wrapping_byte_add(byte)
    }

    #[inline]
    pub(crate) fn home(&self) -> Home {
        self.home
    }

    /// Whether the block is pageable memory of the host.
    #[inline]
    pub(super) fn is_pageable(&self) -> bool {
        matches!(self.home, Home::Pageable)
    }

    /// An error unless the tasks of a graph can use the block: pageable host memory cannot be captured (GRAPH-05).
    #[rule(GRAPH_05)]
    pub(crate) fn check_capturable(&self) -> Result<(), Error> {
        if self.is_pageable() { Err(Error::NotPinned) } else { self.check_range_anywhere(0, self.bytes) }
    }

    /// Whether the block is in doubt: it is not known whether work uses it, and no wait could cover that work.
    #[inline]
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.last_use.is_in_doubt()
    }

    /// Marks the block idle: all work that used it is known to be done.
    #[inline]
    pub(crate) fn mark_idle(&self) {
        self.last_use.mark_idle();
    }

    /// Records that everything queued on this stream so far comes after all work that used the block.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.stamp_latest(&self.last_use);
    }

    /// Marks the block as in doubt: a failed call may have queued work that uses it, after everything else on this
    /// stream, and no wait could cover that work.
    pub(super) fn mark_in_doubt(&self, queue: &RawStream) {
        queue.stamp_latest(&self.last_use);
        self.last_use.mark_in_doubt();
    }

    #[inline]
    pub(super) fn last_use(&self) -> &LastUse {
        &self.last_use
    }

    /// An error unless this thread has entered the block's context.
    #[inline]
    #[rule(MEM_11)]
    pub(crate) fn check_current(&self) -> Result<(), Error> {
        self.owner.check_current(self.home.kind())
    }

    /// An error unless work can use the block now: this thread has entered its context, and the block is not in doubt.
    pub(super) fn check_usable(&self) -> Result<(), Error> {
        self.check_range_anywhere(0, 0)
    }

    /// An error unless work of other code can use the block now.
    pub(crate) fn check_ready_for_work(&self, here: Here<'_>) -> Result<(), Error> {
        self.check_bytes(here, self.bytes).map_err(Error::from)
    }

    /// Like [`check_range`](Self::check_range), for callers without a [`Here`].
    pub(super) fn check_range_anywhere(&self, start: usize, bytes: usize) -> Result<(), Error> {
        self.check_range_slow(start.saturating_add(bytes)).map_err(Error::from)
    }

    /// An error unless `bytes` bytes can be copied to or from the start of the block now.
    #[inline]
    pub(super) fn check_bytes(&self, here: Here<'_>, bytes: usize) -> Result<(), Boxed> {
        self.check_range(here, 0, bytes)
    }

    /// Like [`check_bytes`](Self::check_bytes), from the byte `start` on.
    #[inline]
    pub(super) fn check_range(&self, here: Here<'_>, start: usize, bytes: usize) -> Result<(), Boxed> {
        let end = start.saturating_add(bytes);
        if self.is_at_hand(here) && end <= self.bytes { Ok(()) } else { self.check_range_slow(end) }
    }

    /// Whether it is certain that this thread has entered the block's context and that the block is not in doubt.
    #[inline]
    pub(super) fn is_at_hand(&self, here: Here<'_>) -> bool {
        here.has(Home::context_in(self.last_use.context()))
    }

    /// Like [`is_at_hand`](Self::is_at_hand), and the block is device memory that the library allocated for the crate,
    /// or a part of such memory.
    #[inline(always)]
    pub(super) fn is_device_memory_at_hand(&self, here: Here<'_>) -> bool {
        here.has(self.last_use.context())
    }

    /// None if [`is_device_memory_at_hand`](Self::is_device_memory_at_hand).
    #[inline(always)]
    pub(super) fn unless_device_memory_at_hand(&self, here: Here<'_>) -> Obstacles {
        here.unless_has(self.last_use.context())
    }

    /// None if it is at hand (as in [`is_at_hand`](Self::is_at_hand)), and pinned memory of the host.
    #[inline(always)]
    pub(super) fn unless_pinned_memory_at_hand(&self, here: Here<'_>) -> Obstacles {
        here.unless_has_pinned(self.last_use.context())
    }

    #[cold]
    #[inline(never)]
    fn check_range_slow(&self, end: usize) -> Result<(), Boxed> {
        self.check_current()?;
        if self.last_use.is_in_doubt() {
            return Err(Error::InDoubt { what: self.home.kind() }.into());
        }
        if end <= self.bytes {
            return Ok(());
        }
        Err(Error::TooShort { what: self.home.kind(), need: end, have: self.bytes }.into())
    }
}
