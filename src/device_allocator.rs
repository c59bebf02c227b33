//! The trait for allocators of the program: their promises, and their information about contexts.

#![allow(unsafe_code, reason = "a declaration only: who implements the trait makes promises")]

use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::num::{NonZeroU64, NonZeroUsize};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};

/// A C function that allocates. It gets the object and a size, and returns a block or null.
pub type AllocateFn = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
/// A C function that allocates near an address. It gets the object, a size and the address, and returns a block or
/// null.
pub type AllocateNearFn = unsafe extern "C" fn(*mut c_void, usize, *mut c_void) -> *mut c_void;
/// A C function that takes a block back. It gets the object and the block.
pub type FreeFn = unsafe extern "C" fn(*mut c_void, *mut c_void);
/// A C function that returns a block's device address.
pub type AddressFn = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// Whether this product supports allocators of the caller, in AscendCL and in the graph engine. The vendor lists
/// support for all products except the Atlas 200I/500 A2, whose chip is the Ascend 310B.
pub(crate) fn is_supported_on(product: &str) -> bool {
    !product.contains("310B")
}

/// An address in device memory. It is a number, because the host cannot dereference it.
///
/// The library gets a pointer made of the number
/// ([`with_exposed_provenance_mut`](core::ptr::with_exposed_provenance_mut)). The simulator inside this program
/// dereferences it. So a number that comes from a pointer must be made with `expose_provenance`, as
/// [`From<NonNull<c_void>>`](Self::from) does, and not with `addr`.
///
/// ```
/// use ascendcl::memory::DeviceAddress;
///
/// let address = DeviceAddress::new(0x1_2000).unwrap();
/// assert_eq!(address.number(), 0x1_2000);
/// assert_eq!(DeviceAddress::new(0), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct DeviceAddress(NonZeroUsize);

impl DeviceAddress {
    /// The address with this number. `None` for zero, which is not an address.
    pub fn new(number: usize) -> Option<Self> {
        NonZeroUsize::new(number).map(Self)
    }

    /// The number.
    pub fn number(self) -> usize {
        self.0.get()
    }
}

/// Identifies one context among all others of this process, before and after its scope. Allocators use it: their memory
/// belongs to one context, and they outlive that context.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let here = current.id();
/// assert_eq!(here.device(), 0);
/// // An allocator compares the two: it has memory for the context that it was made in.
/// assert_eq!(here, current.id());
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
// Without padding, because each result of an operation has room for an error, and an error may name two contexts.
#[repr(C, packed(4))]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ContextId {
    number: NonZeroU64,
    device: i32,
}

impl ContextId {
    /// An identity that no other context has.
    pub(crate) fn next(device: i32) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NonZeroU64::new(NEXT.fetch_add(1, Ordering::Relaxed)).unwrap_or(NonZeroU64::MIN);
        Self { number, device }
    }

    /// Whether both are the same context, or both absent. Numbers are compared, because each context has a unique one.
    #[inline]
    pub(crate) fn are_one(first: Option<Self>, second: Option<Self>) -> bool {
        first.map(|context| context.number) == second.map(|context| context.number)
    }

    /// Identifies the context. No object without a context has this number.
    #[inline]
    pub(crate) fn number(self) -> u64 {
        self.number.get()
    }

    /// The number of the context's device.
    pub fn device(self) -> i32 {
        self.device
    }
}

impl From<NonZeroUsize> for DeviceAddress {
    fn from(number: NonZeroUsize) -> Self {
        Self(number)
    }
}

/// The address of a pointer, whose provenance is exposed.
impl From<NonNull<c_void>> for DeviceAddress {
    fn from(pointer: NonNull<c_void>) -> Self {
        let _ = pointer.as_ptr().expose_provenance();
        Self(pointer.addr())
    }
}

impl fmt::Display for ContextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on device {}", self.number(), self.device)
    }
}

impl fmt::Debug for DeviceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceAddress({:#x})", self.0)
    }
}

/// Device memory for the work of a stream, from a pool of the caller (`aclrtAllocatorRegister`).
///
/// The methods `allocate`, `address` and `free` are the mandatory members of the vendor's descriptor; the object is
/// `self`. An allocator is [registered](crate::Stream::register) on a stream before anything that needs memory runs
/// there, and moves into the stream until it is [unregistered](crate::Stream::unregister).
///
/// The library calls the methods on its own threads, under a lock of its own. The allocator and its blocks may be
/// dropped there, too. So the methods, and the destructors of both, must not call the library (ALLOC-18), and must not
/// wait for anything that calls it. A panic of a method does not reach the library. The library gets a null pointer
/// instead, or loses the block that was to be freed.
///
/// The methods take `&self`: a program may look at its allocator while the library calls it
/// ([`Stream::with_allocator`](crate::Stream::with_allocator)), and this crate holds no lock in that time. An allocator
/// keeps its changing state behind its own lock or in atomics.
///
/// A pool that hands out pieces of one buffer is [`PoolAllocator`](crate::allocator::PoolAllocator). An allocator of your
/// own is `'static`, so it cannot have a [`DeviceBuffer`](crate::memory::DeviceBuffer) of a scope:
/// [`DeviceBuffer::keep`](crate::memory::DeviceBuffer::keep) makes [`KeptMemory`](crate::raw::KeptMemory) of it, which has the
/// address and no lifetime. The book's chapter *Memory from your own allocator* has a complete allocator. The smallest one
/// has no memory, so the library reports that there is none:
///
/// ```
/// use ascendcl::{DeviceAllocator, context::ContextId, memory::DeviceAddress};
///
/// struct Empty;
///
/// // SAFETY: it hands out no block, so there is none whose memory could be wrong.
/// unsafe impl DeviceAllocator for Empty {
///     type Block = DeviceAddress;
///
///     fn allocate(&self, _bytes: usize) -> Option<DeviceAddress> {
///         None
///     }
///
///     fn address(&self, block: &DeviceAddress) -> DeviceAddress {
///         *block
///     }
///
///     fn free(&self, _block: DeviceAddress) {}
///
///     fn serves(&self, _context: ContextId) -> bool {
///         true
///     }
/// }
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let stream = current.stream()?.register(current, Empty)?;
/// # drop(stream);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
///
/// # Safety
///
/// The device reads and writes behind the addresses, so an implementation has to keep these promises:
///
/// * A block's address is that of device memory of at least the asked size, on the device of the stream, aligned to 64
///   bytes, and it stays so until the block was freed **and** the stream was synchronised after that (ALLOC-11,
///   ALLOC-14): work that is still queued may use a freed block.
/// * Blocks that are in use at the same time do not overlap.
/// * No two values hand out the same memory (ALLOC-10): values that share a pool behind a pointer must not be
///   registered on two streams. So an allocator with memory is not `Copy`, and its clone has other memory.
/// * The methods, and the destructors of the allocator and of its blocks, do not call the library (ALLOC-18), also not
///   through a [`Current`](crate::Current) that they find in a variable of the thread. Not every call of this crate
///   checks this: on each submission, the check would cost too much.
///
/// [`serves`](Self::serves) says whether the allocator's memory belongs to the context or the device of a stream.
///
/// The methods are safe to call: an implementation keeps its promises for every caller, on any thread and at any time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an allocator of device memory",
    label = "expected a `DeviceAllocator`, by value",
    note = "ALLOC-07, ALLOC-10: a stream takes an allocator by value and keeps it: `register(current, \
            PoolAllocator::new(current, bytes)?)`, one for each stream, and no reference or shared pointer to one",
    note = "see `ascendcl-explain ALLOC-07`"
)]
#[rule(ALLOC_07, ALLOC_17, ALLOC_18, ALLOC_19)]
pub unsafe trait DeviceAllocator: Send + Sync + 'static {
    /// The allocator's own handle of a piece of memory.
    type Block: Send + 'static;

    /// Allocates a block of at least `bytes` bytes. Returns `None` if there is no memory.
    fn allocate(&self, bytes: usize) -> Option<Self::Block>;

    /// The address of a block that is in use.
    fn address(&self, block: &Self::Block) -> DeviceAddress;

    /// Takes a block back. Work that is queued on the stream may still use its memory. So the allocator may give it to
    /// the same stream again, and must not use it for anything else before the stream was synchronised. A block that a
    /// [captured graph](crate::capture) may use comes back when the graph is destroyed.
    fn free(&self, block: Self::Block);

    /// Like [`allocate`](Self::allocate), if possible near an address that the library proposes.
    fn allocate_near(&self, bytes: usize, near: DeviceAddress) -> Option<Self::Block> {
        let _ = near;
        self.allocate(bytes)
    }

    /// Whether the allocator has memory for streams of this context; asked before it is registered or shared. An
    /// allocator that says no is given back with [`Error::AllocatorOfOtherContext`](crate::Error::AllocatorOfOtherContext).
    ///
    /// There is no default, because no answer fits all allocators. For example, memory of
    /// [`Current::device_buffer`](crate::Current::device_buffer) belongs to one context and is freed at the end of that
    /// context's scope.
    fn serves(&self, context: ContextId) -> bool;
}
