//! Pinned host memory.

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

/// Pinned host memory (`aclrtMallocHost`), used like a slice.
///
/// After a failure that leaves open whether a copy was queued, and whose stream could not be synchronised either, the
/// buffer reads as empty: the device may be writing its memory, which stays with the scope.
///
/// Copies between it and the device run while the program goes on; between ordinary memory and the device they do not.
/// A buffer that is dropped is freed by [`Current::collect`] or the end of its scope.
#[rule(MEM_12, COPY_05)]
pub struct HostBuffer<'c, E, N = Unnamed> {
    block: Arc<Block>,
    _brand: Brand<'c, N>,
    _elements: PhantomData<fn(E) -> E>,
}

assert_impl_all!(HostBuffer<'static, f32>: Send, Sync);
assert_not_impl_any!(HostBuffer<'static, f32>: Clone);

impl<'c, E: Element, N> HostBuffer<'c, E, N> {
    pub(crate) fn zeroed(ledger: &'c Ledger, length: usize) -> Result<Self, Error> {
        let block = ledger.allocate(Home::Pinned, super::bytes::<E>(length)?)?;
        Ok(Self { block, _brand: Brand::NEW, _elements: PhantomData })
    }

    pub(crate) fn block(&self) -> &Block {
        &self.block
    }

    /// Frees the memory (`aclrtFreeHost`).
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
