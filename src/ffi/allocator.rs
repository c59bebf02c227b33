//! The user's allocator, in the form in which the library calls it.
//!
//! The library gets an object pointer and five C functions. The object is a [`Registered`], which does not move while
//! the library may call it (the stream's row keeps it). The functions are the trampolines below, and nothing unwinds
//! out of them. The allocator itself is behind a pointer in the object. It is put there after the library has accepted
//! the registration, and taken out before the registration is ended. A call at any other time finds no allocator and
//! gets no memory. No lock is held while code of the allocator runs.
//!
//! A block is passed to the library as a pointer to its [`Place`] and comes back once, to be freed. The allocator is not
//! taken out before all blocks have come back. A block that a captured graph has comes back later (`held.rs`).

use super::held::{Blocks, ComesBack, HeldBlocks, Lent, hold};
use super::members::Members;
use super::places::Place;
use crate::callback_guard::contained;
use crate::device_allocator::{ContextId, DeviceAddress, DeviceAllocator};
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::num::NonZeroUsize;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, Ordering};
use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// The object that the library calls, and the allocator behind it.
///
/// The type is public in a private module, because a stream's public state type has it.
#[allow(unreachable_pub, reason = "see above")]
pub struct Registered<A: DeviceAllocator> {
    /// The lock is never held while the allocator runs.
    inside: Mutex<Inside<A>>,
    misbehaved: AtomicBool,
}

struct Inside<A: DeviceAllocator> {
    allocator: Option<Arc<A>>,
    /// The blocks that are out.
    blocks: Blocks<A>,
}

/// A block that the library has given back, for the graphs that have it. Dropping the last one runs code of the user.
pub(crate) type KeptBlock = Arc<dyn Any + Send + Sync>;

/// The value that keeps a registration's object in place.
pub(crate) type KeptAllocator = Arc<dyn Keeps>;

/// The owner of a registration's object.
pub(crate) trait Keeps: fmt::Debug + Send + Sync {
    /// Whether the device memory at this address is a block of the allocator that the library still has.
    fn has_lent(&self, address: NonZeroUsize) -> bool;

    /// From now on the graph has the blocks that the library has and gets. An owner that is not called for blocks has
    /// none.
    fn begin_capture(&self, _graph: &Arc<HeldBlocks>) {}

    /// The graph gets no more blocks.
    fn end_capture(&self) {}
}

impl<A: DeviceAllocator> Keeps for Registered<A> {
    fn has_lent(&self, address: NonZeroUsize) -> bool {
        self.inside().blocks.has_lent(address.into())
    }

    fn begin_capture(&self, graph: &Arc<HeldBlocks>) {
        self.inside().blocks.begin_capture(graph);
    }

    fn end_capture(&self) {
        self.inside().blocks.end_capture();
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
pub(crate) fn serves<A: DeviceAllocator>(allocator: &A, context: ContextId) -> Result<(), Error> {
    if allocator.serves(context) { Ok(()) } else { Err(Error::OtherContext { context }) }
}

impl<A: DeviceAllocator> Registered<A> {
    /// An object without an allocator. The allocator is [put](Self::put) there after the library has accepted the
    /// registration.
    pub(crate) fn vacant() -> Arc<Self> {
        let inside = Mutex::new(Inside { allocator: None, blocks: Blocks::default() });
        Arc::new(Self { inside, misbehaved: AtomicBool::new(false) })
    }

    pub(crate) fn members(self: &Arc<Self>) -> Members {
        Members { object: object_of(self), allocate: allocate::<A>, advise: advise::<A>, free: free::<A>, address_of }
    }

    /// Puts the allocator in place. From now on the library's calls reach it.
    pub(crate) fn put(&self, allocator: A) {
        self.inside().allocator = Some(Arc::new(allocator));
    }

    /// Like [`put`](Self::put), but returns the allocator if there already is one.
    pub(crate) fn put_if_vacant(&self, allocator: A) -> Result<(), A> {
        let mut inside = self.inside();
        if inside.allocator.is_some() {
            return Err(allocator);
        }
        inside.allocator = Some(Arc::new(allocator));
        Ok(())
    }

    /// Takes the allocator out. From now on the library's calls reach no allocator.
    ///
    /// This does not wait. The allocator stays if the library has blocks of it, or if a call of the library, or a
    /// program that [looks](Self::look), is inside it now.
    pub(crate) fn take(&self) -> Result<A, Error> {
        let mut inside = self.inside();
        let shared = inside.allocator.take().ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })?;
        let allocator = match Arc::try_unwrap(shared) {
            Ok(allocator) => allocator,
            Err(shared) => {
                inside.allocator = Some(shared);
                return Err(Error::StillRunning { what: ObjectKind::ALLOCATOR });
            }
        };
        // No thread is inside, and none can enter while the lock is held.
        match inside.blocks.out() {
            0 => Ok(allocator),
            count => {
                inside.allocator = Some(Arc::new(allocator));
                Err(Error::BlocksInUse { count })
            }
        }
    }

    /// The allocator itself. Returns `self` unchanged if the library may still call the allocator, or has a block of
    /// it.
    pub(crate) fn into_allocator(self: Arc<Self>) -> Result<A, Arc<Self>> {
        // Rows keep the object while the library may call it, and so do blocks that the library has.
        if Arc::strong_count(&self) > 1 {
            return Err(self);
        }
        self.take().map_err(|_| self)
    }

    /// Calls `look` with the allocator while it is registered. No lock is held. `None` if the allocator is not in
    /// place.
    ///
    /// The closure gets `&A`, not `&mut A`: with `&mut A` it could take out the allocator and its memory while the
    /// library uses them.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&A) -> R) -> Option<R> {
        self.present().map(|allocator| look(&allocator))
    }

    /// Whether the allocator panicked in a callback, or the library returned a block that it did not have.
    pub(crate) fn misbehaved(&self) -> bool {
        self.misbehaved.load(Ordering::Acquire)
    }

    fn note_misbehaviour(&self) {
        self.misbehaved.store(true, Ordering::Release);
    }

    /// While this pointer exists, the allocator cannot be taken out.
    #[inline]
    fn present(&self) -> Option<Arc<A>> {
        self.inside().allocator.clone()
    }

    /// Notes that a block is no longer out. The allocator is found under the same lock, so code that takes it out sees
    /// either the block or the pointer.
    pub(super) fn comes_back(&self, note: impl FnOnce(&mut Blocks<A>)) -> Option<Arc<A>> {
        let mut inside = self.inside();
        note(&mut inside.blocks);
        inside.allocator.clone()
    }

    #[inline]
    fn inside(&self) -> MutexGuard<'_, Inside<A>> {
        self.inside.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Gives a block to the allocator, if it is in place.
    #[inline]
    pub(super) fn give_to(allocator: Option<Arc<A>>, lent: Lent<A>) {
        let Lent { block, keeps } = lent;
        // If the allocator panicked, it had the block already, so the block is not freed a second time.
        if contained(|| allocator.as_ref().map(|allocator| allocator.free(block))).flatten().is_none() {
            keeps.note_misbehaviour();
        }
        let_go(allocator);
        // If the registration has ended, the last block drops the allocator.
        let_go(Some(keeps));
    }
}

/// Drops a pointer. The last one drops what it points to, whose destructor may be code of the user.
#[inline]
pub(super) fn let_go<T>(pointer: Option<Arc<T>>) {
    if let Some(last) = pointer.and_then(Arc::into_inner) {
        contained(|| drop(last));
    }
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
    // SAFETY: `increment_strong_count` and `from_raw` ask for a pointer of an `Arc` of this type whose count is at
    // least one. The caller of this function promises that (its safety section). `from_raw` takes over the count that
    // is added here.
    unsafe {
        Arc::increment_strong_count(registered);
        Arc::from_raw(registered)
    }
}

/// Allocates a block for the library. Returns null if the allocator has no memory.
#[rule(ALLOC_19, CB_09, ALLOC_18)]
fn hand_out<A: DeviceAllocator>(
    registered: Arc<Registered<A>>,
    ask: impl FnOnce(&A) -> Option<A::Block>,
) -> *mut c_void {
    let Some(allocator) = registered.present() else {
        let_go(Some(registered));
        return ptr::null_mut();
    };
    let mut block = None;
    let address = contained(|| {
        block = ask(&allocator);
        block.as_ref().map(|block| allocator.address(block))
    });
    let place = match (address, block) {
        (Some(Some(address)), Some(block)) => {
            // Lent before the pointer is dropped, so that code that takes the allocator out sees either the pointer or the
            // block.
            let keeps = Arc::clone(&registered);
            registered.inside().blocks.lend(address, Lent { block, keeps })
        }
        (address, block) => refused(&registered, address.is_none(), block),
    };
    let_go(Some(allocator));
    let_go(Some(registered));
    place
}

/// The allocator has no memory, or panicked.
#[cold]
fn refused<A: DeviceAllocator>(registered: &Registered<A>, panicked: bool, block: Option<A::Block>) -> *mut c_void {
    if panicked {
        registered.note_misbehaviour();
    }
    // It was not dropped while a panic unwound.
    contained(|| drop(block));
    ptr::null_mut()
}

unsafe extern "C" fn allocate<A: DeviceAllocator>(object: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: `registered` asks for an object that was made for an `A` and is in place. The library calls the functions
    // of a registration with the object of that registration (ALLOC-07), and the stream's row keeps the object.
    let registered = unsafe { registered::<A>(object) };
    hand_out(registered, |allocator| allocator.allocate(size))
}

unsafe extern "C" fn advise<A: DeviceAllocator>(object: *mut c_void, size: usize, near: *mut c_void) -> *mut c_void {
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
    // The allocator is found under the same lock, so code that takes it out sees either the pointer or the block.
    let (allocator, back) = {
        let mut inside = registered.inside();
        (inside.allocator.clone(), inside.blocks.take_back(block))
    };
    match back {
        Some(ComesBack::ToTheAllocator(lent)) => Registered::give_to(allocator, lent),
        Some(ComesBack::ToGraphs(lent, graphs)) => hold(allocator, lent, graphs),
        // The block was returned before, or never allocated here, so nothing is read through the pointer.
        None => {
            registered.note_misbehaviour();
            let_go(allocator);
        }
    }
}

unsafe extern "C" fn address_of(block: *mut c_void) -> *mut c_void {
    if block.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: `Place::address` asks for a pointer of `lend` that did not come back, and for its places. The library passes a block that it has
    // (ALLOC-19), and such a block keeps the registration's object, which has the places.
    let address = unsafe { Place::address(block) };
    // The code that made the number exposed the provenance of its pointer (`DeviceAddress`).
    address.map_or(ptr::null_mut(), |address| ptr::with_exposed_provenance_mut(address.get()))
}

#[cfg(test)]
#[path = "allocator_tests.rs"]
mod tests;
