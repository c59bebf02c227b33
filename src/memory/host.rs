//! Host memory for queued copies.

use crate::Element;
use crate::brand::{Brand, Unnamed};
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::{Block, Home};
use crate::ledger::Ledger;
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// Host memory that queued copies can use, read and written like a slice while none does: pinned
/// ([`Current::host_buffer`]), or a vector's own memory ([`Current::pageable_buffer`]).
///
/// Copies between pinned memory and the device run while the program goes on. With pageable memory the library may hold up
/// the call that queues the copy until the copy is done, and some releases do (COPY-05); a program cannot rely on either,
/// so a buffer of both kinds is in flight until a wait gives it back.
///
/// After a failure that leaves open whether a copy was queued, and whose stream could not be synchronised either, the
/// buffer reads as empty: the device may be writing its memory, which stays with the scope.
///
/// A buffer that is dropped is freed by [`Current::collect`] or the end of its scope.
#[rule(MEM_12, COPY_05)]
pub struct HostBuffer<'c, E, N = Unnamed> {
    block: Arc<Block>,
    _brand: Brand<'c, N>,
    _elements: PhantomData<fn(E) -> E>,
}

assert_impl_all!(HostBuffer<'static, f32>: Send, Sync);
assert_not_impl_any!(HostBuffer<'static, f32>: Clone);

impl<E, N> HostBuffer<'_, E, N> {
    #[inline]
    pub(crate) fn block(&self) -> &Block {
        &self.block
    }
}

impl<'c, E: Element, N> HostBuffer<'c, E, N> {
    pub(crate) fn of_vec(ledger: &'c Ledger, elements: Vec<E>) -> Self {
        Self { block: ledger.keep_vec(elements), _brand: Brand::NEW, _elements: PhantomData }
    }

    /// The elements as a vector: a pageable buffer's own, without a copy; else a copy, and the buffer is left to its
    /// scope.
    ///
    /// # Errors
    ///
    /// The buffer as it was, with [`Error::StillRunning`], when a failure left open whether a copy is using it.
    pub fn into_vec(mut self, current: &Current<'c, N>) -> Result<Vec<E>, Undone<Self>> {
        if self.block.is_in_doubt() {
            return Err(Undone { error: Error::StillRunning { what: "host memory" }, value: self });
        }
        Ok(current.ledger().take_vec(&mut self.block).unwrap_or_else(|| self.to_vec()))
    }

    pub(crate) fn zeroed(ledger: &'c Ledger, length: usize) -> Result<Self, Error> {
        let block = ledger.allocate(Home::Pinned, super::bytes::<E>(length)?)?;
        Ok(Self { block, _brand: Brand::NEW, _elements: PhantomData })
    }

    /// Frees the memory (`aclrtFreeHost`, for pinned memory).
    ///
    /// # Errors
    ///
    /// The buffer as it was, when the library refuses.
    #[rule(MEM_01, MEM_02)]
    pub fn free(self, current: &Current<'c, N>) -> Result<(), Undone<Self>> {
        current.ledger().free(&self.block).map_err(|error| Undone { error, value: self })
    }
}

impl<E: Element, N> Deref for HostBuffer<'_, E, N> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        Block::as_host(&self.block)
    }
}

impl<E: Element, N> DerefMut for HostBuffer<'_, E, N> {
    fn deref_mut(&mut self) -> &mut [E] {
        Block::as_host_mut(&mut self.block)
    }
}

impl<E: Element, N> fmt::Debug for HostBuffer<'_, E, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuffer").field("length", &self.len()).finish_non_exhaustive()
    }
}
