//! The user's allocator, in the form in which the library calls it.
//!
//! The library gets an object pointer and five C functions. The object is a [`Registered`], which does not move while
//! the library may call it (the stream's row keeps it). The functions are the trampolines below, and nothing unwinds
//! out of them. The allocator itself is put into the object (`in_place.rs`) after the library has accepted the
//! registration, and taken out before the registration is ended. A call at any other time finds no allocator and gets no
//! memory. A call takes no lock, except for the blocks of captured graphs.
//!
//! A block is passed to the library as a pointer to its place (`places.rs`) and comes back once, to be freed. The
//! allocator is not taken out before all blocks have come back. A block that a captured graph has comes back later
//! (`held.rs`).

use super::held::{Blocks, HeldBlocks, LentBlock, hold};
use super::in_place::{InPlace, NotTaken};
use super::members::Members;
use super::places::address_of as address_in;
use crate::callback_guard::contained;
use crate::device_allocator::{ContextId, DeviceAddress, DeviceAllocator};
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::mem::ManuallyDrop;
use core::num::NonZeroUsize;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, Ordering};
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// The object that the library calls, and the allocator behind it.
///
/// The type is public in a private module, because a stream's public state type has it.
#[allow(unreachable_pub, reason = "see above")]
pub struct Registered<A: DeviceAllocator> {
    allocator: InPlace<A>,
    /// The blocks that the library has, or that captured graphs have.
    blocks: Blocks<A>,
    misbehaved: AtomicBool,
}

/// While this value exists, the allocator and its registration's object are in place: a call of the library is inside
/// the allocator, or a block of it is out.
pub(super) struct InUse<A: DeviceAllocator>(ManuallyDrop<Arc<Registered<A>>>);

/// A block that the library has given back, and that captured graphs still have. Dropping the last pointer runs code of
/// the user.
pub(crate) type KeptBlock = Arc<dyn Any + Send + Sync>;

/// The value that keeps a registration's object in place.
pub(crate) type KeptAllocator = Arc<dyn Keeps>;

/// The owner of a registration's object.
pub(crate) trait Keeps: fmt::Debug + Send + Sync {
    /// Whether the device memory at this address is a block of the allocator that the library still has.
    fn has_lent(&self, address: NonZeroUsize) -> bool;

    /// From now on the graph has the blocks that the library has, and those that it gets until
    /// [`end_capture`](Self::end_capture). By default there are none.
    fn begin_capture(&self, _graph: &Arc<HeldBlocks>) {}

    /// Blocks that the library gets from now on are not the graph's.
    fn end_capture(&self) {}

    /// The library gets no further block of the allocator. It gives back those that it has. An allocator of C functions
    /// is not stopped.
    fn shut(&self) {}

    /// Reverts [`shut`](Self::shut).
    fn reopen(&self) {}
}

impl<A: DeviceAllocator> Keeps for Registered<A> {
    fn has_lent(&self, address: NonZeroUsize) -> bool {
        self.blocks.has_lent(address.into())
    }

    fn begin_capture(&self, graph: &Arc<HeldBlocks>) {
        self.blocks.begin_capture(graph);
    }

    fn end_capture(&self) {
        self.blocks.end_capture();
    }

    #[rule(ALLOC_16)]
    fn shut(&self) {
        self.allocator.shut();
    }

    fn reopen(&self) {
        self.allocator.reopen();
    }
}

/// The owner of an allocator of C functions: the caller keeps such an allocator in place.
#[derive(Debug)]
pub(crate) struct KeptByCaller;

impl KeptByCaller {
    /// The only value of this type. It is never freed: a note that memory came from C functions outlives their
    /// registration.
    pub(crate) fn kept() -> KeptAllocator {
        static ONE: OnceLock<Arc<KeptByCaller>> = OnceLock::new();
        ONE.get_or_init(|| Arc::new(Self)).clone()
    }
}

impl Keeps for KeptByCaller {
    /// This cannot be known, so the answer is yes. With no, memory of the allocator could be freed as if it belonged to
    /// the library. With yes, memory of the library leaks.
    fn has_lent(&self, _: NonZeroUsize) -> bool {
        true
    }
}

impl<A: DeviceAllocator> fmt::Debug for Registered<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registered<{}>", core::any::type_name::<A>())
    }
}

/// An error if the allocator has no memory for streams of this context.
pub(crate) fn check_serves<A: DeviceAllocator>(allocator: &A, context: ContextId) -> Result<(), Error> {
    if allocator.serves(context) { Ok(()) } else { Err(Error::AllocatorOfOtherContext { context }) }
}

impl<A: DeviceAllocator> Registered<A> {
    /// An object without an allocator. The allocator is [put](Self::put) there after the library has accepted the
    /// registration.
    pub(crate) fn vacant() -> Arc<Self> {
        Arc::new(Self { allocator: InPlace::vacant(), blocks: Blocks::default(), misbehaved: AtomicBool::new(false) })
    }

    pub(crate) fn members(self: &Arc<Self>) -> Members {
        Members {
            object: object_of(self),
            allocate: allocate::<A>,
            allocate_near: allocate_near::<A>,
            free: free::<A>,
            address_of,
        }
    }

    /// Puts the allocator in place, which the caller knows to be vacant. From now on the library's calls reach it.
    pub(crate) fn put(&self, allocator: A) {
        drop(self.put_if_vacant(allocator));
    }

    /// Like [`put`](Self::put), but returns the allocator if there already is one.
    pub(crate) fn put_if_vacant(&self, allocator: A) -> Result<(), A> {
        self.allocator.put(allocator)
    }

    /// Takes the allocator out. From now on the library's calls reach no allocator.
    ///
    /// This does not wait. The allocator stays if the library has blocks of it, or if a call of the library, or a
    /// program that [looks](Self::look), is inside it now.
    pub(crate) fn take(&self) -> Result<A, Error> {
        self.allocator.take().map_err(|reason| match reason {
            NotTaken::Vacant => Error::Gone { what: ObjectKind::ALLOCATOR },
            // Each block that is out is a use, and so is each call and each look.
            NotTaken::InUse(uses) => match self.blocks.out() {
                count if uses > count => Error::StillRunning { what: ObjectKind::ALLOCATOR },
                count => Error::BlocksInUse { count },
            },
        })
    }

    /// The allocator itself. Returns `self` unchanged, with the reason, if the library may still call the allocator, or has
    /// a block of it.
    pub(crate) fn into_allocator(self: Arc<Self>) -> Result<A, (Error, Arc<Self>)> {
        // Rows keep the object while the library may call it, and so do blocks that the library has.
        let taken = match self.blocks.out() {
            0 if Arc::strong_count(&self) > 1 => Err(Error::StillRunning { what: ObjectKind::ALLOCATOR }),
            _ => self.take(),
        };
        taken.map_err(|error| (error, self))
    }

    /// Calls `look` with the allocator while it is registered. No lock is held. `None` if the allocator is not in
    /// place.
    ///
    /// The closure gets `&A`, not `&mut A`: with `&mut A` it could take out the allocator and its memory while the
    /// library uses them.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&A) -> R) -> Option<R> {
        self.allocator.look(look)
    }

    /// Whether the allocator panicked in a callback, or the library returned a block that it did not have.
    pub(crate) fn misbehaved(&self) -> bool {
        self.misbehaved.load(Ordering::Acquire)
    }

    fn note_misbehaviour(&self) {
        self.misbehaved.store(true, Ordering::Release);
    }

    /// Gives a block to the allocator.
    #[inline(always)]
    pub(super) fn give_back(lent: LentBlock<A>) {
        let LentBlock { block, in_use } = lent;
        // If the allocator panicked, it had the block already, so the block is not freed a second time.
        if contained(|| in_use.allocator().free(block)).is_none() {
            in_use.0.note_misbehaviour();
        }
    }
}

impl<A: DeviceAllocator> InUse<A> {
    /// `None` if the allocator is not in place.
    #[inline(always)]
    fn begin(registered: Arc<Registered<A>>) -> Option<Self> {
        if registered.allocator.begin() {
            return Some(Self(ManuallyDrop::new(registered)));
        }
        let_go(registered);
        None
    }

    #[inline(always)]
    fn allocator(&self) -> &A {
        // SAFETY: `value` asks for a use that has begun and does not end while the reference exists. `begin` has begun it,
        // and it ends when this value, which is borrowed, is dropped.
        unsafe { self.0.allocator.value() }
    }

    pub(super) fn blocks(&self) -> &Blocks<A> {
        &self.0.blocks
    }
}

impl<A: DeviceAllocator> Drop for InUse<A> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.allocator.end();
        // SAFETY: `take` asks that the value is not used again. This is the only place that takes it, and it runs once.
        let registered = unsafe { ManuallyDrop::take(&mut self.0) };
        // If the registration has ended, the last block drops the allocator.
        let_go(registered);
    }
}

/// Drops a shared pointer. If it is the last one, this runs the destructor of the value, which may be code of the user
/// and may panic.
#[inline(always)]
fn let_go<T>(pointer: Arc<T>) {
    if let Some(last) = Arc::into_inner(pointer) {
        drop_contained(last);
    }
}

#[cold]
#[inline(never)]
fn drop_contained<T>(last: T) {
    contained(|| drop(last));
}

/// The object of a registration. [`registered`] turns it back into the shared pointer.
fn object_of<A: DeviceAllocator>(registered: &Arc<Registered<A>>) -> NonNull<c_void> {
    // SAFETY: `new_unchecked` asks for a pointer that is not null. `Arc::as_ptr` points at the value, so it is never
    // null.
    unsafe { NonNull::new_unchecked(Arc::as_ptr(registered).cast_mut().cast()) }
}

/// # Safety
///
/// `object` is the object of [`Members`] that were made for an `A`, and is still in place.
unsafe fn registered<A: DeviceAllocator>(object: *mut c_void) -> Arc<Registered<A>> {
    let registered = object.cast_const().cast::<Registered<A>>();
    // SAFETY: `increment_strong_count` and `from_raw` ask for a pointer that `Arc::into_raw` gave, of an `Arc` of this type
    // whose count is at least one. `object_of` uses `Arc::as_ptr`, which gives the same pointer. The caller of this function
    // promises the rest (its safety section). `from_raw` takes over the count that is added here.
    unsafe {
        Arc::increment_strong_count(registered);
        Arc::from_raw(registered)
    }
}

/// Allocates a block for the library. Returns null if the allocator has no memory.
#[rule(ALLOC_19, CB_09, ALLOC_18)]
#[inline(always)]
fn hand_out<A: DeviceAllocator>(
    registered: Arc<Registered<A>>,
    ask: impl FnOnce(&A) -> Option<A::Block>,
) -> *mut c_void {
    let Some(in_use) = InUse::begin(registered) else { return ptr::null_mut() };
    let mut block = None;
    let address = contained(|| {
        block = ask(in_use.allocator());
        block.as_ref().map(|block| in_use.allocator().address(block))
    });
    let (address, block) = match (address, block) {
        (Some(Some(address)), Some(block)) => (address, block),
        (address, block) => return refused(&in_use, address.is_none(), block),
    };
    // SAFETY: a reference asks for a value that lives. `in_use` keeps it alive, first as a local and then in the
    // block's place. The block does not come back before the library has the pointer to it (ALLOC-19), which this
    // function returns.
    let blocks = unsafe { &(*Arc::as_ptr(&in_use.0)).blocks };
    blocks.lend(address, LentBlock { block, in_use })
}

/// The allocator has no memory, or panicked.
#[cold]
fn refused<A: DeviceAllocator>(in_use: &InUse<A>, panicked: bool, block: Option<A::Block>) -> *mut c_void {
    if panicked {
        in_use.0.note_misbehaviour();
    }
    // If `address` panicked, the block exists.
    contained(|| drop(block));
    ptr::null_mut()
}

unsafe extern "C" fn allocate<A: DeviceAllocator>(object: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: `registered` asks for an object that was made for an `A` and is in place. The library calls the functions
    // of a registration with the object of that registration (ALLOC-07), and the stream's row keeps the object.
    let registered = unsafe { registered::<A>(object) };
    hand_out(registered, |allocator| allocator.allocate(size))
}

unsafe extern "C" fn allocate_near<A: DeviceAllocator>(
    object: *mut c_void,
    size: usize,
    near: *mut c_void,
) -> *mut c_void {
    // SAFETY: `registered` asks for an object that was made for an `A` and is in place. The library calls the functions
    // of a registration with the object of that registration (ALLOC-07), and the stream's row keeps the object.
    let registered = unsafe { registered::<A>(object) };
    hand_out(registered, |allocator| match DeviceAddress::new(near.expose_provenance()) {
        Some(near) => allocator.allocate_near(size, near),
        None => allocator.allocate(size),
    })
}

unsafe extern "C" fn free<A: DeviceAllocator>(object: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: a reference asks for a value that lives. The library returns a block with the object of the registration that
    // it came from (ALLOC-19), which the stream's row keeps, and which a block that the library has keeps, too.
    let registered = unsafe { &*object.cast_const().cast::<Registered<A>>() };
    match registered.blocks.take_back(block) {
        Some(back) if back.was_marked() => {
            let (lent, graphs) = registered.blocks.take_graphs_of(block, back);
            hold(lent, graphs);
        }
        Some(back) => Registered::give_back(back.leave()),
        // The block was returned before, or never allocated here, so nothing is read through the pointer.
        None => registered.note_misbehaviour(),
    }
}

unsafe extern "C" fn address_of(block: *mut c_void) -> *mut c_void {
    if block.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: `address_in` asks for a pointer of `lend` that did not come back, and for its places. The library passes a
    // block that it has (ALLOC-19), and such a block keeps the registration's object, which has the places.
    let address = unsafe { address_in(block) };
    // The code that made the number exposed the provenance of its pointer (`DeviceAddress`).
    address.map_or(ptr::null_mut(), |address| ptr::with_exposed_provenance_mut(address.get()))
}

#[cfg(test)]
#[path = "allocator_tests.rs"]
mod tests;
