//! The proof that no queued work can use an allocator's memory.

use super::{AllocatorGroup, CustomAllocator, Stream};
use crate::allocator::{PoolAllocator, PoolStatistics};
use crate::brand::{Brand, Mark};
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::{Error, ObjectKind};
use crate::ffi::{Registered, WeakRegisteredOf};
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

/// Proof that no queued work can use the memory of the allocator `A`.
///
/// Only with this proof may an allocator give memory of freed blocks back to the system (ALLOC-11). Having an
/// `IdleProof` tells you the following:
///
/// * All work that was queued on the allocator's streams is complete.
/// * No work is queued there while the proof exists: it borrows the stream or the group.
///
/// It does not tell you:
///
/// * that the library has returned every block: a loaded model can still have some;
/// * that the allocator still exists: [`with_allocator`](Self::with_allocator) returns `None` when it does not;
/// * anything about streams with other allocators.
///
/// A method of your allocator that releases memory takes an `&IdleProof` of it:
///
/// ```
/// # use ascendcl::{Brand, DeviceAllocator, stream::IdleProof};
/// fn trim<C: Brand, A: DeviceAllocator>(idle: &IdleProof<'_, C, A>) {
///     idle.with_allocator(|pool| { /* release what was freed */ });
/// }
/// ```
///
/// Work on the stream ends the proof:
///
/// ```text
/// error[E0502]: cannot borrow `*stream` as immutable because it is also borrowed as mutable
///    |
///  9 |     let idle = stream.idle(current)?;
///    |                ------ mutable borrow occurs here
/// 10 |     let running = stream.launch(current, operator::relu(current, x)?)?;
///    |                   ^^^^^^ immutable borrow occurs here
/// 11 |     idle.trim(current)?;
///    |     ---- mutable borrow later used here
/// ```
#[rule(ALLOC_11)]
pub struct IdleProof<'i, C: Brand, A> {
    /// Weak: a proof that is still in a variable after its last use must not keep the allocator from being given back.
    allocator: WeakRegisteredOf<A>,
    /// Borrows the stream or the group: nobody can use it while the proof exists.
    _held: PhantomData<&'i mut A>,
    _brand: Mark<C>,
}

impl<C: Brand, A> Stream<C, CustomAllocator<A>> {
    /// Synchronises the stream (`aclrtSynchronizeStreamWithTimeout`, repeatedly) and returns the proof. As long as the
    /// proof exists, nothing can be queued on the stream.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if work failed or the wait failed. Then there is no proof, and no memory is freed.
    pub fn idle<'i>(&'i mut self, current: &Current<C>) -> Result<IdleProof<'i, C, A>, Error>
    where
        A: DeviceAllocator,
    {
        let allocator = WeakRegisteredOf::new(&self.allocator()?);
        self.synchronize(current)?;
        Ok(IdleProof { allocator, _held: PhantomData, _brand: Mark::NEW })
    }
}

impl<C: Brand, A> AllocatorGroup<C, A> {
    /// The group itself is a proof: no stream of the group is running.
    pub fn idle<'i>(&'i mut self) -> IdleProof<'i, C, A>
    where
        A: DeviceAllocator,
    {
        let allocator = self.registration();
        IdleProof { allocator, _held: PhantomData, _brand: Mark::NEW }
    }
}

impl<C: Brand, A: DeviceAllocator> IdleProof<'_, C, A> {
    /// The caller has synchronised the only stream that the allocator serves, and holds it.
    pub(crate) fn of(allocator: &Arc<Registered<A>>) -> Self {
        Self { allocator: WeakRegisteredOf::new(allocator), _held: PhantomData, _brand: Mark::NEW }
    }
}

impl<C: Brand, A: DeviceAllocator> IdleProof<'_, C, A> {
    /// Lends the allocator to a closure. Returns `None` if the allocator was dropped together with its stream.
    pub fn with_allocator<R>(&self, look: impl FnOnce(&A) -> R) -> Option<R> {
        self.allocator.upgrade()?.look(look)
    }
}

impl<C: Brand> IdleProof<'_, C, PoolAllocator> {
    /// Frees the chunks of the pool of which the library has no block (`aclrtFree`), and returns how many bytes they had.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the library refuses to free a chunk, which then stays with the scope; [`Error::AllocatorOfOtherContext`]
    /// when the pool's memory is of another context.
    #[rule(ALLOC_11, ALLOC_14)]
    pub fn trim(&self, current: &Current<C>) -> Result<usize, Error> {
        current.ledger().api().check_process()?;
        let chunks = self.with_allocator(|pool| pool.remove_idle(current.id()));
        let chunks = chunks.ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })??;
        let mut result = Ok(0_usize);
        for chunk in &chunks {
            let freed = current.ledger().free(chunk).map(|()| chunk.bytes());
            result = result.and_then(|bytes| freed.map(|more| bytes + more));
        }
        result
    }

    /// Reserves `bytes` more bytes for the pool, as [`Stream::grow_pool`] does.
    ///
    /// # Errors
    ///
    /// As for [`Stream::grow_pool`].
    pub fn grow(&self, current: &Current<C>, bytes: usize) -> Result<(), Error> {
        let gone = Error::Gone { what: ObjectKind::ALLOCATOR };
        grow(&*self.allocator.upgrade().ok_or(gone)?, current, bytes)
    }
}

impl<C: Brand> Stream<C, CustomAllocator<PoolAllocator>> {
    /// Reserves `bytes` more bytes for the stream's pool, in one chunk (`aclrtMalloc`). The stream may be running work.
    ///
    /// # Errors
    ///
    /// As for [`PoolAllocator::new`].
    pub fn grow_pool(&self, current: &Current<C>, bytes: usize) -> Result<(), Error> {
        grow(&*self.allocator()?, current, bytes)
    }

    /// The memory of the stream's pool, and its requests so far.
    ///
    /// # Errors
    ///
    /// [`Error::Gone`] if the pool was dropped together with its stream.
    pub fn pool_statistics(&self) -> Result<PoolStatistics, Error> {
        self.allocator()?.look(PoolAllocator::statistics).ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })
    }
}

/// Proofs that no queued work uses a pool. A pool does not accept any other proof.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not prove that the stream of this pool is idle",
    label = "queued work may still use the pool's memory",
    note = "ALLOC-11, ALLOC-14: memory goes back to the system after a synchronise, and nothing is queued in between",
    note = "trim through the proof: `stream.idle(current)?.trim(current)?`, or `group.idle().trim(current)?`",
    note = "see `ascendcl-explain ALLOC-11`"
)]
pub trait ProvesIdle: sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

impl PoolAllocator {
    /// Not available: this function is here to say so in the compiler's message. A pool is trimmed through the proof that
    /// its stream is idle ([`IdleProof::trim`], ALLOC-11).
    #[doc(hidden)]
    pub fn trim<P: ProvesIdle>(&self, proof: P) -> usize {
        let _ = proof;
        0
    }
}

fn grow<C: Brand>(pool: &Registered<PoolAllocator>, current: &Current<C>, bytes: usize) -> Result<(), Error> {
    let grown = pool.look(|pool| {
        pool.check_context(current.id())?;
        pool.add(current.id(), PoolAllocator::reserve(current, bytes)?)
    });
    grown.ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })?
}

impl<C: Brand, A: DeviceAllocator> fmt::Debug for IdleProof<'_, C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdleProof<{}>", core::any::type_name::<A>())
    }
}
