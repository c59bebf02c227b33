//! Allocators of the program that other libraries call.

use crate::brand::Brand;
use crate::current::Current;
use crate::device_allocator::{AddressFn, AllocateFn, AllocateNearFn, DeviceAllocator, FreeFn};
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::{KeptAllocator, Registered, WeakRegisteredOf, check_serves};
use crate::stream::IdleProof;
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;

/// A slot for an allocator of the program. The C functions of [`functions`](Self::functions) call this allocator.
///
/// The functions let no panic out. The allocator cannot be taken out of the slot while a call is inside it or a block of
/// it is in use. While the slot is empty, the functions return null.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// use ascendcl::allocator::PoolAllocator;
/// use ascendcl::raw::AllocatorSlot;
///
/// let (slot, keeper) = AllocatorSlot::new();
/// let pool = PoolAllocator::new(current, 1 << 20)?;
/// AllocatorSlot::check_serves(current, &pool)?;
/// slot.put(pool)?;
/// // Your crate registers these functions with its library, which may call them as long as the slot is kept.
/// assert!(slot.functions().is_some());
/// // Later, when the library has forgotten them:
/// let pool = slot.take()?;
/// drop(keeper);
/// assert!(slot.functions().is_none());
/// pool.release(current)?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
pub struct AllocatorSlot<A>(WeakRegisteredOf<A>);

/// Keeps an [`AllocatorSlot`] alive for code that gave its functions to a library.
///
/// Dropping the last one drops the allocator, which is code of the program: see
/// [`EndingContext::drop_later`](crate::raw::EndingContext::drop_later).
#[derive(Clone, Debug)]
pub struct SlotKeeper {
    _keeps: KeptAllocator,
}

/// The object and the C functions of an allocator.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AllocatorFunctions {
    /// The first argument of each function but the last.
    pub object: *mut c_void,
    /// Returns a block of at least the given number of bytes, or null.
    pub allocate: AllocateFn,
    /// The same, near an address.
    pub allocate_near: AllocateNearFn,
    /// Takes a block back.
    pub free: FreeFn,
    /// The device address of a block.
    pub address_of: AddressFn,
}

impl<A: DeviceAllocator> AllocatorSlot<A> {
    /// An empty slot, and the value that keeps it alive.
    pub fn new() -> (Self, SlotKeeper) {
        let registered = Registered::vacant();
        (Self(WeakRegisteredOf::new(&registered)), SlotKeeper { _keeps: registered })
    }

    /// The functions, for a library that calls allocators. `None` when nothing keeps the slot alive any more.
    ///
    /// They may be called, on any thread, as long as a [`SlotKeeper`] exists or a block is in use. Each block is given back
    /// once, to the same object, and is not used afterwards. A library may give a block back before the queued work that
    /// uses it is over. So [take](Self::take) the allocator out only after that work.
    #[rule(ALLOC_07, ALLOC_18, ALLOC_19)]
    pub fn functions(&self) -> Option<AllocatorFunctions> {
        let members = self.0.upgrade()?.members();
        Some(AllocatorFunctions {
            object: members.object.as_ptr(),
            allocate: members.allocate,
            allocate_near: members.allocate_near,
            free: members.free,
            address_of: members.address_of,
        })
    }

    /// An error unless the allocator has memory for streams of this context. Ask this before you register it with a
    /// library.
    ///
    /// # Errors
    ///
    /// [`Error::AllocatorOfOtherContext`].
    #[rule(MEM_11)]
    pub fn check_serves<C: Brand>(current: &Current<C>, allocator: &A) -> Result<(), Error> {
        check_serves(allocator, current.id())
    }

    /// Puts an allocator into the slot. The functions call it from now on.
    ///
    /// # Errors
    ///
    /// Returns the allocator, with [`Error::StillRunning`] when the slot has one already, or [`Error::Gone`] when nothing
    /// keeps the slot alive any more.
    pub fn put(&self, allocator: A) -> Result<(), Failed<A>> {
        let refused = |error, value| Err(Failed { error, value });
        match self.0.upgrade() {
            Some(registered) => registered
                .put_if_vacant(allocator)
                .or_else(|allocator| refused(Error::StillRunning { what: ObjectKind::ALLOCATOR }, allocator)),
            None => refused(Error::Gone { what: ObjectKind::ALLOCATOR }, allocator),
        }
    }

    /// Takes the allocator out. From now on the functions return null. This does not wait.
    ///
    /// # Errors
    ///
    /// [`Error::BlocksInUse`] while blocks of the allocator are in use, [`Error::StillRunning`] while a call or
    /// [`with_allocator`](Self::with_allocator) is inside it: then the allocator stays. [`Error::Gone`] when there is none.
    #[rule(ALLOC_12)]
    pub fn take(&self) -> Result<A, Error> {
        self.0.upgrade().ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })?.take()
    }

    /// Calls `look` with the allocator, if there is one. No lock is held during the call.
    pub fn with_allocator<R>(&self, look: impl FnOnce(&A) -> R) -> Option<R> {
        self.0.upgrade()?.look(look)
    }

    /// Whether the allocator panicked in a call, or got back a block that it had not given.
    pub fn misbehaved(&self) -> bool {
        self.0.upgrade().is_some_and(|registered| registered.misbehaved())
    }

    /// The proof that no queued work uses the allocator's memory: with it, the allocator may give memory back to the
    /// system.
    ///
    /// # Safety
    ///
    /// All work that could use memory of the allocator is done, and none is queued as long as the proof exists.
    ///
    /// # Errors
    ///
    /// [`Error::Gone`] when nothing keeps the slot alive any more.
    #[rule(ALLOC_11)]
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the work")]
    pub unsafe fn idle<C: Brand>(&mut self) -> Result<IdleProof<'_, C, A>, Error> {
        let registered = self.0.upgrade().ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })?;
        Ok(IdleProof::of(&registered))
    }
}

impl<A> fmt::Debug for AllocatorSlot<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AllocatorSlot<{}>", core::any::type_name::<A>())
    }
}
