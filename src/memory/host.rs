//! Host memory for queued copies.

use crate::brand::owners::MemoryOfTwo;
use crate::brand::{Brand, InScope, Mark, Scoped};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed};
use crate::ffi::{Home, RawBuffer};
use crate::ledger::Ledger;
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut, Index, IndexMut};
use core::slice::SliceIndex;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// Host memory for queued copies. The host reads and writes it as a slice while no copy uses it. There are three kinds:
/// pinned memory ([`Current::host_buffer`]), the memory of a vector ([`Current::pageable_buffer`]), and registered
/// pages of the program ([`Current::register`]).
///
/// In a scope it dereferences to the slice. A buffer of a [`Runtime`](crate::Runtime) may outlive its memory, so
/// [`slice`](Self::slice) takes the [`Current`], which keeps the context open.
///
/// Copies between pinned memory and the device run asynchronously. With pageable memory, the library may block in the
/// queueing call until the copy is complete, and some releases do (COPY-05). A program cannot rely on either. So a
/// buffer of any kind is in flight until a wait returns it.
///
/// A failure may leave open whether a copy was queued. If the stream cannot be synchronised then, the buffer reads as
/// empty, because the device may be writing its memory. The memory stays with the scope.
///
/// A buffer that is dropped is freed by [`Current::collect`] or the end of its scope.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let stream = current.stream()?;
/// let mut pinned = current.host_buffer::<u8>(2)?;
/// pinned.copy_from_slice(&[0, 1]);
/// for number in &mut pinned {
///     *number += 1;
/// }
/// let copy = stream.copy_to_device(current, pinned, current.device_buffer(2)?)?;
/// let (_pinned, device) = copy.wait(current)?;
/// assert_eq!(device.to_vec(current)?, [1, 2]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[rule(MEM_12, COPY_05)]
#[diagnostic::on_move(
    message = "this `HostBuffer` was freed, or is in use by queued work",
    note = "COPY-03, COPY-04, MEM-01: queued work has its buffers until it was waited for: `pending.wait(current)?` gives back what it uses"
)]
pub struct HostBuffer<
    C: Brand, // CTX-02: the context comes first: `HostBuffer<C, f32>` with `C: Brand`; of a runtime: `HostBuffer<Vision, f32>`
    E,
> {
    block: Arc<RawBuffer>,
    _brand: Mark<C>,
    _elements: PhantomData<fn(E) -> E>,
}

assert_impl_all!(HostBuffer<Scoped<'static>, f32>: Send, Sync);
assert_not_impl_any!(HostBuffer<Scoped<'static>, f32>: Clone);

#[doc(hidden)]
impl<C: Brand, E> HostBuffer<C, E> {
    #[allow(clippy::should_implement_trait, reason = "nothing meets its bound, which has the words of the message")]
    pub fn clone(&self) -> Self
    where
        Self: MemoryOfTwo,
    {
        self.never()
    }
}

impl<C: Brand> Current<C> {
    /// Allocates pinned host memory for `length` elements, all zero (`aclrtMallocHost`): the host side of asynchronous
    /// copies. If the program runs on the device, this is device memory (`aclrtMalloc`), which such a program can read
    /// and write (MODE-01).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the host has no memory left; [`Error::TooShort`] for more elements than any memory can hold.
    pub fn host_buffer<E: Element>(&self, length: usize) -> Result<HostBuffer<C, E>, Error> {
        HostBuffer::allocated(self.ledger(), length)
    }

    /// Makes a buffer for queued copies out of a vector, in ordinary memory: without an allocation of the library's,
    /// and without the overlap that pinned memory gives (COPY-05). [`HostBuffer::into_vec`] gives the vector back.
    ///
    /// With newer drivers such a copy takes place in the call, ahead of what is queued. So where the other side of the
    /// copy is in flight, the call waits for the stream first, without a limit.
    ///
    /// For a program that runs on the device, a copy of memory that does not begin at a multiple of 64 bytes is an
    /// [`Error::Misaligned`] (COPY-09). A vector's memory seldom begins there: use [`host_buffer`](Self::host_buffer).
    pub fn pageable_buffer<E: Element>(&self, elements: Vec<E>) -> HostBuffer<C, E> {
        HostBuffer::of_vec(self.ledger(), elements)
    }
}

impl<C: Brand, E> HostBuffer<C, E> {
    #[inline]
    pub(crate) fn block(&self) -> &RawBuffer {
        &self.block
    }

    /// The memory's row.
    pub(crate) fn row(&self) -> Arc<RawBuffer> {
        Arc::clone(&self.block)
    }
}

impl<C: Brand, E: Element> HostBuffer<C, E> {
    /// The only handle of a block of host memory.
    pub(super) fn of(block: Arc<RawBuffer>) -> Self {
        Self { block, _brand: Mark::NEW, _elements: PhantomData }
    }

    pub(crate) fn of_vec(ledger: &Ledger, elements: Vec<E>) -> Self {
        Self { block: ledger.keep_vec(elements), _brand: Mark::NEW, _elements: PhantomData }
    }

    /// Returns the elements as a vector. A pageable buffer gives back its own vector. From any other buffer the elements
    /// are copied, and the buffer is dropped.
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::InDoubt`] if a failure left open whether a copy is using it, or
    /// [`Error::WrongContext`] with a `Current` of another context.
    pub fn into_vec(mut self, current: &Current<C>) -> Result<Vec<E>, Failed<Self>> {
        if self.block.is_in_doubt() {
            return Err(Failed { error: Error::InDoubt { what: self.block.home().kind() }, value: self });
        }
        if let Err(error) = self.block.check_current() {
            return Err(Failed { error, value: self });
        }
        Ok(current.ledger().take_vec(&mut self.block).unwrap_or_else(|| RawBuffer::as_host(&self.block).to_vec()))
    }

    pub(crate) fn allocated(ledger: &Ledger, length: usize) -> Result<Self, Error> {
        let block = ledger.allocate(Home::Pinned, super::bytes::<E>(length)?)?;
        Ok(Self { block, _brand: Mark::NEW, _elements: PhantomData })
    }

    /// Frees the memory (`aclrtFreeHost`, for pinned memory).
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged if the library refuses. It counts as not freed then: it works as before, and is freed by
    /// a later call, by [`Current::collect`], or by the end of its scope.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(MEM_01, MEM_02)]
    pub fn free(
        // MEM-11: memory is freed while its own context is current: `context.enter(thread, |current| ...)`
        self, // MEM-01: memory is freed once and last: `into_vec(current)?` copies what is needed later
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        current.ledger().free(&self.block).map_err(|error| Failed { error, value: self })
    }
}

impl<C: Brand, E: Element> HostBuffer<C, E> {
    /// The number of elements; 0 while a failure leaves open whether a copy uses the memory.
    pub fn len(&self) -> usize {
        if self.block.is_in_doubt() { 0 } else { self.block.elements::<E>() }
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All elements, for as long as this thread is inside the context. (The method of the same name of a
    /// [`SharedBuffer`](super::SharedBuffer) takes a range, and makes a handle of a part.)
    ///
    /// # Errors
    ///
    /// [`Error::WrongContext`] with a `Current` of another context.
    #[rule(MEM_12)]
    pub fn slice<'a>(&'a self, _current: &'a Current<C>) -> Result<&'a [E], Error> {
        self.block.check_current()?;
        Ok(RawBuffer::as_host(&self.block))
    }

    /// The elements, to be written, for as long as this thread is inside the context.
    ///
    /// # Errors
    ///
    /// As for [`slice`](Self::slice).
    #[rule(MEM_12)]
    pub fn slice_mut<'a>(&'a mut self, _current: &'a Current<C>) -> Result<&'a mut [E], Error> {
        self.block.check_current()?;
        Ok(RawBuffer::as_host_mut(&mut self.block))
    }
}

/// Methods of slices. `Deref` would find the slice's method, but a method of this type lets the compiler's message for a
/// runtime's buffer name the fix.
#[doc(hidden)]
impl<C: Brand, E: Element> HostBuffer<C, E> {
    pub fn iter(&self) -> core::slice::Iter<'_, E>
    where
        C: InScope,
    {
        (**self).iter()
    }

    pub fn iter_mut(&mut self) -> core::slice::IterMut<'_, E>
    where
        C: InScope,
    {
        (**self).iter_mut()
    }

    pub fn as_slice(&self) -> &[E]
    where
        C: InScope,
    {
        self
    }

    pub fn as_mut_slice(&mut self) -> &mut [E]
    where
        C: InScope,
    {
        self
    }

    pub fn copy_from_slice(&mut self, from: &[E])
    where
        C: InScope,
    {
        (**self).copy_from_slice(from);
    }

    pub fn fill(&mut self, value: E)
    where
        C: InScope,
    {
        (**self).fill(value);
    }

    pub fn to_vec(&self) -> Vec<E>
    where
        C: InScope,
    {
        (**self).to_vec()
    }
}

/// A buffer of a scope cannot outlive its memory.
impl<C: InScope, E: Element> Deref for HostBuffer<C, E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        RawBuffer::as_host(&self.block)
    }
}

impl<C: InScope, E: Element> DerefMut for HostBuffer<C, E> {
    fn deref_mut(&mut self) -> &mut [E] {
        RawBuffer::as_host_mut(&mut self.block)
    }
}

/// Indexes the elements as a slice does. `Deref` would find the slice's `Index`, but an implementation for this type
/// lets the compiler's message for a runtime's buffer name the fix.
impl<C: InScope, E: Element, I: SliceIndex<[E]>> Index<I> for HostBuffer<C, E> {
    type Output = I::Output;

    #[track_caller]
    fn index(&self, index: I) -> &I::Output {
        Index::index(&**self, index)
    }
}

impl<C: InScope, E: Element, I: SliceIndex<[E]>> IndexMut<I> for HostBuffer<C, E> {
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut I::Output {
        IndexMut::index_mut(&mut **self, index)
    }
}

impl<'a, C: InScope, E: Element> IntoIterator for &'a HostBuffer<C, E> {
    type Item = &'a E;
    type IntoIter = core::slice::Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        (**self).iter()
    }
}

impl<'a, C: InScope, E: Element> IntoIterator for &'a mut HostBuffer<C, E> {
    type Item = &'a mut E;
    type IntoIter = core::slice::IterMut<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        (**self).iter_mut()
    }
}

impl<C: Brand, E: Element> fmt::Debug for HostBuffer<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuffer").field("length", &self.len()).finish_non_exhaustive()
    }
}
