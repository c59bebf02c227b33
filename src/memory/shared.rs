//! Device memory with several readers.

use super::{DeviceBuffer, check_cast};
use crate::brand::{Brand, Mark, Scoped};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::RawBuffer;
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Bound, RangeBounds};
use static_assertions::assert_impl_all;
use std::sync::Arc;

/// Device memory with any number of readers and no writer: the counterpart of [`Arc`] for device memory.
///
/// A clone is a new handle of the same memory. Cloning calls nothing and takes no lock; it allocates a few bytes on the
/// host. Each handle can be the source of a copy or the input of an operator or a model, on different streams and at
/// the same time. No method writes or frees the memory. [`try_unshare`](Self::try_unshare) returns the [`DeviceBuffer`]
/// only if this is the last handle and no work reads the memory any more.
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let (first, second) = (current.stream()?, current.stream()?);
/// let table = current.upload(&[1.0_f32, 2.0, 3.0, 4.0])?.into_shared();
/// // Two streams read it at once.
/// let one = first.copy_to_host(current, table.clone(), current.host_buffer(4)?)?;
/// let two = second.copy_to_host(current, table.slice(2..)?, current.host_buffer(2)?)?;
/// let ((_, one), (_, two)) = (one.wait(current)?, two.wait(current)?);
/// assert_eq!((&*one, &*two), (&[1.0, 2.0, 3.0, 4.0][..], &[3.0, 4.0][..]));
/// // Nobody else has it any more: it can be written again.
/// let mut table = table.try_unshare(current)?;
/// table.copy_from(current, &[0.0; 4])?;
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
///
/// [`slice`](Self::slice) returns a part, also as a `SharedBuffer`, and [`cast`](Self::cast) changes the element type.
/// So one upload can be handed out in pieces:
///
/// ```
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let file: Vec<u8> = [1.0_f32, 2.0, 3.0].iter().flat_map(|number| number.to_ne_bytes()).collect();
/// let weights = current.upload(&file)?.into_shared();
/// let bias = weights.slice(4..12)?.cast::<f32>()?;
/// drop(weights);
/// assert_eq!(bias.to_vec(current)?, [2.0, 3.0]);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
///
/// The memory is freed by [`Current::collect`] or the end of its scope, when all handles were dropped and no work in
/// flight uses it. A handle that is forgotten ([`mem::forget`](core::mem::forget)) keeps the memory until the end of
/// the scope.
#[rule(MEM_02, MEM_07, MEM_10, MEM_11, MEM_12)]
#[diagnostic::on_move(
    message = "this handle of the memory is in use by queued work",
    note = "MEM-02: each reader has a handle of its own: `shared.clone()`; `pending.wait(current)?` gives this one back"
)]
pub struct SharedBuffer<
    C: Brand, // CTX-02: the context comes first: `SharedBuffer<C, f32>` with `C: Brand`; of a runtime: `SharedBuffer<Vision, f32>`
    E,
> {
    /// Boxed, so that a [`Failed`] with a `SharedBuffer` is no larger than other errors.
    part: Box<RawBuffer>,
    _brand: Mark<C>,
    _elements: PhantomData<fn(E) -> E>,
}

assert_impl_all!(SharedBuffer<Scoped<'static>, f32>: Send, Sync, Clone);

impl<C: Brand, E> DeviceBuffer<C, E> {
    /// Gives the memory to several readers. Nothing is called.
    ///
    /// [`SharedBuffer`] has an example.
    #[rule(MEM_02)]
    pub fn into_shared(self) -> SharedBuffer<C, E>
    where
        E: Element,
    {
        SharedBuffer::of(RawBuffer::into_part(self.into_row()))
    }
}

impl<C: Brand, E> SharedBuffer<C, E> {
    pub(crate) fn of(part: RawBuffer) -> Self {
        Self { part: Box::new(part), _brand: Mark::NEW, _elements: PhantomData }
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.part.elements::<E>()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The address in device memory: see [the obligations of its user](crate::raw). Other code must not write there while
    /// this is shared.
    pub fn as_raw(&self) -> *mut c_void {
        self.part.start()
    }

    /// The same handle, of the same bytes as elements of another type. The caller has compared the types.
    pub(crate) fn into_elements<F>(self) -> SharedBuffer<C, F> {
        SharedBuffer { part: self.part, _brand: Mark::NEW, _elements: PhantomData }
    }

    /// Turns the handle into its part of the memory.
    pub(crate) fn into_part(self) -> RawBuffer {
        *self.part
    }

    #[inline]
    pub(crate) fn block(&self) -> &RawBuffer {
        &self.part
    }

    /// One more handle, for an owner that keeps its memory behind a pointer.
    pub(crate) fn row(&self) -> Arc<RawBuffer> {
        Arc::new(self.part.clone_part())
    }
}

impl<C: Brand, E: Element> SharedBuffer<C, E> {
    /// A part of the memory, by its elements. It keeps all of the memory, and outlives this value.
    ///
    /// Copies on the device begin at multiples of 64 bytes, so a part that begins elsewhere is copied to the host only
    /// (COPY-09).
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchPart`] if the range does not lie in the buffer.
    #[rule(COPY_01)]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self, Error> {
        let (start, end) = ends(range, self.len());
        let no_such_part = || Error::NoSuchPart { what: ObjectKind::DEVICE_MEMORY, start, end, length: self.len() };
        let length = end.checked_sub(start).filter(|_| end <= self.len()).ok_or_else(no_such_part)?;
        let size = size_of::<E>();
        let part = self.part.part(start * size, length * size).ok_or_else(no_such_part)?;
        Ok(Self::of(part))
    }

    /// The same bytes as elements of another type, as a new handle of the memory.
    ///
    /// # Errors
    ///
    /// [`Error::CannotCast`] when the memory does not begin at a multiple of the alignment of `F`, or its length is no
    /// multiple of the size of `F`.
    pub fn cast<F: Element>(&self) -> Result<SharedBuffer<C, F>, Error> {
        check_cast::<F>(&self.part)?;
        Ok(SharedBuffer::of(self.part.clone_part()))
    }

    /// Copies all elements to host memory (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `to` has another length, or [`Error::Vendor`].
    #[rule(COPY_01, COPY_07)]
    pub fn copy_to(&self, current: &Current<C>, to: &mut [E]) -> Result<(), Error> {
        if to.len() != self.len() {
            let (what, expected, found) = (ObjectKind::COPY_COUNTERPART, self.len(), to.len());
            return Err(Error::LengthMismatch { what, expected, found });
        }
        Ok(self.part.read(current.here(), to)?)
    }

    /// All elements as a vector on the host (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// As for [`copy_to`](Self::copy_to).
    pub fn to_vec(&self, current: &Current<C>) -> Result<Vec<E>, Error> {
        let mut elements = vec![E::default(); self.len()];
        self.copy_to(current, &mut elements).map(|()| elements)
    }

    /// Turns the memory back into a buffer with one owner, which can write it, if this is the last handle. Nothing is waited
    /// for. Only if there seems to be another handle, this ends the operators that no handle refers to, because they may have
    /// it.
    ///
    /// For a [part](Self::slice), the result is a buffer of that part. The rest of the memory has no handle any more,
    /// and is freed together with the part. So no live data lies behind the part, where operators may write some bytes
    /// (MEM-08).
    ///
    /// # Errors
    ///
    /// Returns the memory unchanged, with [`Error::StillShared`] if there is another handle, including those in a
    /// [`Pending`](crate::Pending), a model, an operator or a captured graph; [`Error::StillRunning`] if a `Pending`
    /// was dropped whose work may still read the memory (synchronise its stream first); [`Error::WrongContext`] in
    /// another context.
    #[rule(MEM_02, MEM_11)]
    pub fn try_unshare(self, current: &Current<C>) -> Result<DeviceBuffer<C, E>, Failed<Self>> {
        match current.ledger().unshare(*self.part) {
            Ok(block) => Ok(DeviceBuffer::of(block)),
            Err((error, part)) => Err(Failed { error, value: Self::of(part) }),
        }
    }
}

/// Exists for the compiler's message only: shared memory has no owner that could write or free it. No type implements it.
#[diagnostic::on_unimplemented(
    message = "shared memory is only read, and freed when it has no handles any more",
    label = "others may read this memory",
    note = "MEM-02: the last handle becomes a buffer again, which can be written and freed: `shared.try_unshare(current)?`",
    note = "see `ascendcl-explain MEM-02`"
)]
pub trait HasOneOwner {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

/// Methods of buffers.
#[doc(hidden)]
impl<C: Brand, E> SharedBuffer<C, E> {
    pub fn copy_from(&mut self, _: &Current<C>, _: &[E]) -> Result<(), Error>
    where
        Self: HasOneOwner,
    {
        self.never()
    }

    pub fn free(self, _: &Current<C>) -> Result<(), Error>
    where
        Self: HasOneOwner,
    {
        self.never()
    }
}

/// One more handle of the same memory. Nothing is called or locked; the handle has a few bytes of its own on the host.
impl<C: Brand, E> Clone for SharedBuffer<C, E> {
    #[inline]
    fn clone(&self) -> Self {
        Self::of(self.part.clone_part())
    }
}

impl<C: Brand, E> fmt::Debug for SharedBuffer<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedBuffer").field("length", &self.len()).finish_non_exhaustive()
    }
}

/// The index of the first element of a range, and the index behind its last.
fn ends(range: impl RangeBounds<usize>, length: usize) -> (usize, usize) {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => length,
    };
    (start, end)
}
