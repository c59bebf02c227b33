//! Device memory.

use super::{MemoryPolicy, check_cast};
use crate::brand::owners::MemoryOfTwo;
use crate::brand::{Brand, Mark, Scoped};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::{ForColdPath, RawBuffer, cold_path};
use crate::ledger::{Ledger, end};
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::{Index, IndexMut};
use core::ptr::NonNull;
use core::slice::SliceIndex;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// Memory on a device for a number of elements (`aclrtMalloc`). The host cannot access it, only copy it.
///
/// * `DeviceBuffer<C, MaybeUninit<f32>>` is new memory with arbitrary contents. It can be the destination of a copy.
/// * `DeviceBuffer<C, f32>` is memory that was written completely. It can also be read.
///
/// A buffer that is dropped is freed by [`Current::collect`] or the end of its scope, and never while work in flight
/// uses it.
///
/// ```
/// # use ascendcl::{Library, RunError};
/// ascendcl::run(Library::Simulator, |current| {
///     let new = current.device_buffer::<f32>(3)?;
///     let mut written = new.write(current, &[1.0, 2.0, 3.0])?;
///     written.copy_from(current, &[4.0, 5.0, 6.0])?;
///     assert_eq!(written.to_vec(current)?, [4.0, 5.0, 6.0]);
///     written.free(current)?;
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok::<(), RunError<ascendcl::Error>>(())
/// ```
#[rule(MEM_07, MEM_10, MEM_11, MEM_12)]
#[diagnostic::on_move(
    message = "this `DeviceBuffer` was freed, or is in use by queued work",
    note = "COPY-04, MEM-01, STREAM-04, STREAM-12: queued work has its buffers until it was waited for: `pending.wait(current)?` gives back what it uses",
    note = "GRAPH-05: a graph has what its tasks use: `graph.into_operands(current)?`"
)]
pub struct DeviceBuffer<
    C: Brand, // CTX-02: the context comes first: `DeviceBuffer<C, f32>` with `C: Brand`; of a runtime: `DeviceBuffer<Vision, f32>`
    E,
> {
    block: Arc<RawBuffer>,
    _brand: Mark<C>,
    _elements: PhantomData<fn(E) -> E>,
}

assert_impl_all!(DeviceBuffer<Scoped<'static>, f32>: Send, Sync);
assert_not_impl_any!(DeviceBuffer<Scoped<'static>, f32>: Clone);

#[doc(hidden)]
impl<C: Brand, E> DeviceBuffer<C, E> {
    #[allow(clippy::should_implement_trait, reason = "nothing meets its bound, which has the words of the message")]
    pub fn clone(&self) -> Self
    where
        Self: MemoryOfTwo,
    {
        self.never()
    }
}

impl<C: Brand> Current<C> {
    /// Allocates device memory for `length` elements (`aclrtMalloc`). Its contents are arbitrary, and its type says so
    /// until it is written. A buffer of no elements is a buffer like any other.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`]; its code is 207001 if the device has no memory left, even after freeing dropped buffers.
    /// [`Error::TooShort`] for more elements than any memory can hold, before anything is called.
    #[rule(MEM_04, MEM_07)]
    #[inline]
    pub fn device_buffer<E: Element>(&self, length: usize) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Error> {
        self.device_buffer_with(length, MemoryPolicy::default())
    }

    /// Like [`device_buffer`](Self::device_buffer), with pages as `policy` says.
    ///
    /// # Errors
    ///
    /// As for [`device_buffer`](Self::device_buffer); a policy that the device does not have is an [`Error::Vendor`].
    #[rule(MEM_04, MEM_07, MEM_09)]
    #[inline(always)]
    pub fn device_buffer_with<E: Element>(
        &self,
        length: usize,
        policy: MemoryPolicy,
    ) -> Result<DeviceBuffer<C, MaybeUninit<E>>, Error> {
        let block = self.ledger().allocate_here(self.here(), super::bytes::<E>(length)?, policy.raw())?;
        Ok(DeviceBuffer::of(block))
    }

    /// Allocates device memory and copies `elements` there (`aclrtMalloc`, `aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`device_buffer`](Self::device_buffer), and those of the copy.
    pub fn upload<E: Element>(&self, elements: &[E]) -> Result<DeviceBuffer<C, E>, Error> {
        self.device_buffer(elements.len())?.write(self, elements).map_err(Error::from)
    }
}

impl<C: Brand, E> DeviceBuffer<C, E> {
    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.block.elements::<E>()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Frees the memory (`aclrtFree`). Memory of an [arena](super::DeviceArena) is freed with the arena.
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged if the library refuses. It counts as not freed then: it works as before, and is freed by
    /// a later call, by [`Current::collect`], or by the end of its scope.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(MEM_01, MEM_02, MEM_13)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn free( // MEM-11: memory is freed while its own context is current: `context.enter(thread, |current| ...)`
        self, // MEM-01: memory is freed once and last: copy what is needed later, `to_vec(current)?`
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        let (ledger, here) = (current.ledger(), current.here());
        let slowly = |buffer: Self| ledger.free(&buffer.block).map_err(|error| Failed { error, value: buffer });
        end(self, |buffer| ledger.free_at_once(here, &buffer.block), slowly)
    }

    #[inline]
    pub(crate) fn block(&self) -> &RawBuffer {
        &self.block
    }

    /// The memory's row.
    pub(crate) fn row(&self) -> Arc<RawBuffer> {
        Arc::clone(&self.block)
    }

    /// Turns a buffer into its row.
    pub(crate) fn into_row(self) -> Arc<RawBuffer> {
        self.block
    }

    /// The only handle of a block.
    pub(crate) fn of(block: Arc<RawBuffer>) -> Self {
        Self { block, _brand: Mark::NEW, _elements: PhantomData }
    }

    #[cold]
    #[inline(never)]
    fn other_length(&self, found: usize) -> Error {
        Error::LengthMismatch { what: ObjectKind::COPY_COUNTERPART, expected: self.len(), found }
    }
}

impl<C: Brand, E: Element> DeviceBuffer<C, MaybeUninit<E>> {
    /// Writes the whole buffer from host memory (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::LengthMismatch`] when `from` has another length, or
    /// [`Error::Vendor`].
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn write( // MEM-11: while the memory's own context is current: `context.enter(thread, |current| ...)`
        self,
        current: &Current<C>,
        from: &[E],
    ) -> Result<DeviceBuffer<C, E>, Failed<Self>> {
        if from.len() != self.len() {
            return Err(Failed { error: self.other_length(from.len()), value: self });
        }
        match self.block.write(current.here(), from) {
            Ok(()) => Ok(self.into_written()),
            Err(error) => Err(Failed::boxed(error, self)),
        }
    }

    /// Sets every byte to zero (`aclrtMemset`).
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::Vendor`].
    #[rule(MEM_16)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn zero( // MEM-11: while the memory's own context is current: `context.enter(thread, |current| ...)`
        self,
        current: &Current<C>,
    ) -> Result<DeviceBuffer<C, E>, Failed<Self>> {
        match self.block.fill(current.ledger().api(), 0) {
            Ok(()) => Ok(self.into_written()),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Memory of other code, which has written it.
    pub(crate) fn adopted(ledger: &Ledger, start: NonNull<c_void>, length: usize) -> Result<DeviceBuffer<C, E>, Error> {
        let block = ledger.keep(RawBuffer::adopted(start, super::bytes::<E>(length)?));
        Ok(Self::of(block).into_written())
    }

    #[inline]
    pub(crate) fn into_written(self) -> DeviceBuffer<C, E> {
        DeviceBuffer::of(self.block)
    }
}

impl<C: Brand, E> DeviceBuffer<C, E> {
    /// The same bytes as elements of another type. This moves no byte.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let file: Vec<u8> = [1.0_f32, 2.0].iter().flat_map(|number| number.to_ne_bytes()).collect();
    /// let numbers = current.upload(&file)?.cast::<f32>()?;
    /// assert_eq!(numbers.to_vec(current)?, [1.0, 2.0]);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::CannotCast`] when the memory does not begin at a multiple of the alignment
    /// of `F`, or its length is no multiple of the size of `F`.
    pub fn cast<F: Element>(self) -> Result<DeviceBuffer<C, F>, Failed<Self>>
    where
        E: Element,
    {
        match check_cast::<F>(&self.block) {
            Ok(()) => Ok(DeviceBuffer::of(self.block)),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Overwrites the whole buffer from host memory (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `from` has another length, or [`Error::Vendor`].
    #[rule(COPY_01)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn copy_from( // MEM-11, COPY-02: in its context (`context.enter(...)`), from a slice; else `stream.copy_on_device(...)`
        &mut self,
        current: &Current<C>,
        from: &[E],
    ) -> Result<(), Error>
    where
        E: Element,
    {
        if from.len() != self.len() {
            return Err(self.other_length(from.len()));
        }
        let kept = ForColdPath::new(current);
        match self.block.write_at_once(current.here(), from) {
            Some(Ok(())) => Ok(()),
            Some(Err(failed)) => Err(failed.into_write_error(kept.get().here(), from.len())),
            None => cold_path(move || Ok(self.block.write(current.here(), from)?)),
        }
    }

    /// Copies the whole buffer to host memory (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `to` has another length, or [`Error::Vendor`].
    #[rule(COPY_01, COPY_07)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn copy_to( // MEM-11, COPY-02: in its context (`context.enter(...)`), to a slice; else `stream.copy_on_device(...)`
        &self,
        current: &Current<C>,
        to: &mut [E],
    ) -> Result<(), Error>
    where
        E: Element,
    {
        if to.len() != self.len() {
            return Err(self.other_length(to.len()));
        }
        let kept = ForColdPath::new(current);
        match self.block.read_at_once(current.here(), to) {
            Some(Ok(())) => Ok(()),
            Some(Err(failed)) => Err(failed.into_read_error(kept.get().here(), to.len())),
            None => cold_path(move || Ok(self.block.read(current.here(), to)?)),
        }
    }

    /// The whole buffer as a vector on the host (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`copy_to`](Self::copy_to).
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn to_vec( // MEM-11: while the memory's own context is current: `context.enter(thread, |current| ...)`
        &self,
        current: &Current<C>,
    ) -> Result<Vec<E>, Error>
    where
        E: Element,
    {
        let mut elements = vec![E::default(); self.len()];
        self.copy_to(current, &mut elements).map(|()| elements)
    }
}

/// Exists for the compiler's message only: the host cannot access elements of device memory. No type implements it.
#[diagnostic::on_unimplemented(
    message = "the host cannot access device memory",
    label = "the buffer is memory of the device",
    note = "MEM-10: copy the elements first: `buffer.to_vec(current)?`, or `stream.copy_to_host(current, buffer, host)?`",
    note = "to write them: `buffer.copy_from(current, &elements)?`; shared memory: `shared.try_unshare(current)?` first",
    note = "a queued copy takes a tensor's buffer: `tensor.into_buffer()`, and afterwards `buffer.into_tensor(&shape)?`",
    note = "see `ascendcl-explain MEM-10`"
)]
pub trait ReachedByTheHost {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

#[doc(hidden)]
impl<C: Brand, E> DeviceBuffer<C, E> {
    pub fn iter(&self) -> core::slice::Iter<'_, E>
    where
        Self: ReachedByTheHost,
    {
        self.never()
    }

    pub fn iter_mut(&mut self) -> core::slice::IterMut<'_, E>
    where
        Self: ReachedByTheHost,
    {
        self.never()
    }

    pub fn get<I: SliceIndex<[E]>>(&self, _: I) -> Option<&I::Output>
    where
        Self: ReachedByTheHost,
    {
        self.never()
    }

    pub fn as_slice(&self) -> &[E]
    where
        Self: ReachedByTheHost,
    {
        self.never()
    }

    pub fn as_mut_slice(&mut self) -> &mut [E]
    where
        Self: ReachedByTheHost,
    {
        self.never()
    }
}

#[doc(hidden)]
impl<C: Brand, E, I: SliceIndex<[E]>> Index<I> for DeviceBuffer<C, E>
where
    Self: ReachedByTheHost,
{
    type Output = I::Output;

    fn index(&self, _: I) -> &I::Output {
        self.never()
    }
}

#[doc(hidden)]
impl<C: Brand, E, I: SliceIndex<[E]>> IndexMut<I> for DeviceBuffer<C, E>
where
    Self: ReachedByTheHost,
{
    fn index_mut(&mut self, _: I) -> &mut I::Output {
        self.never()
    }
}

impl<C: Brand, E> fmt::Debug for DeviceBuffer<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer").field("length", &self.len()).finish_non_exhaustive()
    }
}
