//! The user's allocator as the library calls it.
//!
//! The library gets an object pointer and five C functions. The object is a [`Registered`] allocator, which stays where
//! it is while it is registered (the stream's row keeps it); the functions are the trampolines below. Nothing unwinds
//! out of them, and an allocator that is entered again from inside itself is not entered twice. A block goes to the
//! library as a pointer to a [`Cell`] and comes back once, to be freed; the allocator stays in place until all came back.

use super::descriptor::{AddressFn, AllocateFn, AllocateNearFn, FreeFn};
use crate::allocator::{ContextId, DeviceAddress, DeviceAllocator};
use crate::error::Error;
use crate::thread::InCallback;
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::mem;
use core::num::NonZeroUsize;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

/// An allocator that the library may call.
///
/// Public in a private module: it is what a stream carries in a state that is public.
#[allow(unreachable_pub, reason = "see above")]
pub struct Registered<A> {
    allocator: Mutex<A>,
    /// The thread that is inside the allocator, by [`here`]; 0 when none is.
    inside: AtomicUsize,
    misbehaved: AtomicBool,
    /// The device addresses of the blocks that the library has, by the addresses of their cells.
    lent: Mutex<BTreeMap<usize, DeviceAddress>>,
}

/// What keeps a registration's object in place.
pub(crate) type Kept = Arc<dyn Keeps>;

/// The owner of a registration's object.
pub(crate) trait Keeps: fmt::Debug + Send + Sync {
    /// Whether device memory at this address is a block of the allocator that the library has.
    fn has_lent(&self, address: NonZeroUsize) -> bool;
}

impl<A: DeviceAllocator> Keeps for Registered<A> {
    fn has_lent(&self, address: NonZeroUsize) -> bool {
        self.lent().values().any(|block| *block == address.into())
    }
}

/// The owner of an allocator of C functions, which is the caller.
#[derive(Debug)]
pub(crate) struct Elsewhere;

impl Keeps for Elsewhere {
    /// Nobody can tell, and what is not the allocator's is lost then; what is must not be freed as if it were not.
    fn has_lent(&self, _: NonZeroUsize) -> bool {
        true
    }
}

/// What the library knows a block by. The address comes first: [`address_of`] is not told the allocator's type.
#[repr(C)]
struct Cell<A: DeviceAllocator> {
    address: DeviceAddress,
    block: A::Block,
    /// A library that keeps a block beyond the registration, or for ever, finds the allocator in place.
    keeps: Arc<Registered<A>>,
}

/// The members of a descriptor. All five slots are always set: the library reads the optional one uninitialised
/// otherwise (ALLOC-17).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Members {
    pub(crate) object: NonNull<c_void>,
    pub(crate) allocate: AllocateFn,
    pub(crate) advise: AllocateNearFn,
    pub(crate) free: FreeFn,
    pub(crate) address_of: AddressFn,
}

impl<A> fmt::Debug for Registered<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registered<{}>", core::any::type_name::<A>())
    }
}

impl<A: DeviceAllocator> Registered<A> {
    pub(crate) fn new(allocator: A) -> Arc<Self> {
        Arc::new(Self {
            allocator: Mutex::new(allocator),
            inside: AtomicUsize::new(0),
            misbehaved: AtomicBool::new(false),
            lent: Mutex::default(),
        })
    }

    pub(crate) fn members(self: &Arc<Self>) -> Members {
        Members { object: object_of(self), allocate: allocate::<A>, advise: advise::<A>, free: free::<A>, address_of }
    }

    /// The allocator itself, or the pointer as it was when something else keeps one, too.
    pub(crate) fn try_into_allocator(self: Arc<Self>) -> Result<A, Arc<Self>> {
        Arc::try_unwrap(self).map(|own| own.allocator.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// The allocator itself, once it is no longer registered: the stream's row has given up its pointer then.
    pub(crate) fn into_allocator(mut self: Arc<Self>) -> A {
        loop {
            match self.try_into_allocator() {
                Ok(allocator) => return allocator,
                // Nobody keeps another pointer for longer than it takes to drop it.
                Err(shared) => self = shared,
            }
            std::thread::yield_now();
        }
    }

    /// An error when the allocator has no memory for streams of this context.
    pub(crate) fn serves(&self, context: ContextId) -> Result<(), Error> {
        match self.look(|allocator| allocator.serves(context)) {
            Some(true) => Ok(()),
            Some(false) => Err(Error::OtherContext { context }),
            None => Err(Error::InsideCallback),
        }
    }

    /// An error when the library has blocks.
    pub(crate) fn has_all_blocks(&self) -> Result<(), Error> {
        match self.lent().len() {
            0 => Ok(()),
            count => Err(Error::BlocksInUse { count }),
        }
    }

    /// Looks at the allocator while it is registered. `None` from inside one of its own callbacks.
    ///
    /// Not `&mut`: whoever had that could take the allocator out, and its memory with it, while the library uses it.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&A) -> R) -> Option<R> {
        self.with(|allocator| look(allocator))
    }

    fn with<R>(&self, look: impl FnOnce(&mut A) -> R) -> Option<R> {
        let here = here();
        if self.inside.load(Ordering::Relaxed) == here {
            return None;
        }
        let mut allocator = self.allocator.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.inside.store(here, Ordering::Relaxed);
        let _leaves = Leaves(&self.inside);
        Some(look(&mut allocator))
    }

    /// Whether the allocator panicked in a callback, was entered again from inside itself, or got back what it had not
    /// given.
    pub(crate) fn misbehaved(&self) -> bool {
        self.misbehaved.load(Ordering::Acquire)
    }

    fn lent(&self) -> MutexGuard<'_, BTreeMap<usize, DeviceAddress>> {
        self.lent.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs one callback. `None` when it panicked, or when this very thread is inside the allocator already.
    #[rule(CB_09, ALLOC_18)]
    fn call<R>(&self, callback: impl FnOnce(&mut A) -> R) -> Option<R> {
        let answer = contained(|| self.with(callback)).flatten();
        if answer.is_none() {
            self.misbehaved.store(true, Ordering::Release);
        }
        answer
    }
}

/// Runs code of the user's that the library called. `None` when it panicked.
fn contained<R>(code: impl FnOnce() -> R) -> Option<R> {
    let answer = catch_unwind(AssertUnwindSafe(|| {
        let _refuses = InCallback::begin();
        code()
    }));
    // A panic's own destructor could panic again, out into C: it is left alone.
    answer.map_err(mem::forget).ok()
}

/// Tells this thread from all others, as long as it lives.
fn here() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| ptr::from_ref(here).addr())
}

struct Leaves<'a>(&'a AtomicUsize);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// The object of a registration; [`registered`] makes the shared pointer out of it again.
fn object_of<A>(registered: &Arc<Registered<A>>) -> NonNull<c_void> {
    // SAFETY: the pointer of an `Arc` is never null.
    unsafe { NonNull::new_unchecked(Arc::as_ptr(registered).cast_mut().cast()) }
}

/// # Safety
///
/// `object` is the object of [`Members`] that were made for an `A`, and is still in place.
unsafe fn registered<A>(object: *mut c_void) -> Arc<Registered<A>> {
    let registered = object.cast_const().cast::<Registered<A>>();
    // SAFETY: as the caller vouches, the pointer is that of an `Arc` that has a count.
    unsafe {
        Arc::increment_strong_count(registered);
        Arc::from_raw(registered)
    }
}

/// Asks for a block and gives it to the library: null when there is none.
#[rule(ALLOC_19)]
fn hand_out<A: DeviceAllocator>(
    registered: &Arc<Registered<A>>,
    ask: impl FnOnce(&mut A) -> Option<A::Block>,
) -> *mut c_void {
    let block = registered.call(|allocator| {
        let block = ask(allocator)?;
        let address = allocator.address(&block);
        Some((address, block))
    });
    let Some((address, block)) = block.flatten() else { return ptr::null_mut() };
    let cell = Box::into_raw(Box::new(Cell { address, block, keeps: Arc::clone(registered) }));
    registered.lent().insert(cell.addr(), address);
    cell.cast()
}

unsafe extern "C" fn allocate<A: DeviceAllocator>(object: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the library calls the functions of a registration with the object of the same registration.
    let registered = unsafe { registered::<A>(object) };
    hand_out(&registered, |allocator| allocator.allocate(size))
}

unsafe extern "C" fn advise<A: DeviceAllocator>(object: *mut c_void, size: usize, near: *mut c_void) -> *mut c_void {
    // SAFETY: as in `allocate`.
    let registered = unsafe { registered::<A>(object) };
    hand_out(&registered, |allocator| match DeviceAddress::new(near.expose_provenance()) {
        Some(near) => allocator.allocate_near(size, near),
        None => allocator.allocate(size),
    })
}

unsafe extern "C" fn free<A: DeviceAllocator>(object: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: as in `allocate`; a block that is out keeps the object in place.
    let registered = unsafe { registered::<A>(object) };
    if registered.lent().remove(&block.addr()).is_none() {
        // Given back before, or never given out: there is nothing behind it.
        registered.misbehaved.store(true, Ordering::Release);
        return;
    }
    // SAFETY: `hand_out` made it, and it is given back for the first time.
    let Cell { block, keeps, .. } = *unsafe { Box::from_raw(block.cast::<Cell<A>>()) };
    let mut block = Some(block);
    registered.call(|allocator| block.take().map(|block| allocator.free(block)));
    // When the allocator could not be entered, the block is lost and not freed twice.
    mem::forget(block);
    // Without a registration, the allocator ends with its last block, and its destructor is code of the user's.
    contained(|| drop((keeps, registered)));
}

unsafe extern "C" fn address_of(block: *mut c_void) -> *mut c_void {
    let Some(cell) = NonNull::new(block.cast::<DeviceAddress>()) else { return ptr::null_mut() };
    // Whoever made the number has exposed the pointer that it was taken from (`DeviceAddress`).
    // SAFETY: the library asks for a block that it has; a `Cell` begins with its address.
    ptr::with_exposed_provenance_mut(unsafe { cell.read() }.number())
}
