//! Device memory.

use crate::Element;
use crate::brand::{Brand, Inside, Unnamed};
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::{Block, Home, Queue};
use crate::ledger::Ledger;
use crate::stream::{Past, Pending};
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// Device memory that a copy may write all of: written before, or not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the destination of this copy",
    label = "expected a `DeviceBuffer` of the stream's own context, with the elements of the source",
    note = "STREAM-09, MEM-11: stream and buffers of a copy belong to one context",
    note = "allocate the buffer in the stream's context: `current.device_buffer(length)?`"
)]
pub trait Destination<'c, E, N>: sealed::Sealed<'c, E, N> {}

impl<'c, E: Element, N> Destination<'c, E, N> for DeviceBuffer<'c, E, N> {}
impl<'c, E: Element, N> Destination<'c, E, N> for DeviceBuffer<'c, MaybeUninit<E>, N> {}
/// One that is in flight on the same stream (STREAM-04).
impl<'c, E: Element, N> Destination<'c, E, N> for Pending<'c, DeviceBuffer<'c, E, N>, N> {}

pub(crate) mod sealed {
    use super::{Block, DeviceBuffer, Error, Inside, Past, Queue};
    use std::sync::Arc;

    pub trait Sealed<'c, E, N> {
        /// Whether work on this stream can use it now.
        fn usable_on(&self, queue: &Arc<Queue>) -> Result<(), Error>;
        fn block(&self) -> &Block;
        fn room(&self) -> usize;
        fn written(self, key: Inside) -> DeviceBuffer<'c, E, N>;
        /// What happened to it before.
        fn past(&self, key: Inside) -> Past;
    }
}

/// Memory on a device for a number of elements (`aclrtMalloc`). The host cannot look into it; it is copied.
///
/// `DeviceBuffer<'c, MaybeUninit<f32>>` is memory that nobody has written yet; writing all of it makes it a
/// `DeviceBuffer<'c, f32>`. A buffer that is dropped is freed by [`Current::collect`] or the end of its scope, and
/// never while work in flight uses it.
#[rule(MEM_07, MEM_10, MEM_11, MEM_12)]
pub struct DeviceBuffer<'c, E, N = Unnamed> {
    block: Arc<Block>,
    length: usize,
    _brand: Brand<'c, N>,
    _elements: PhantomData<fn(E) -> E>,
}

assert_impl_all!(DeviceBuffer<'static, f32>: Send, Sync);
assert_not_impl_any!(DeviceBuffer<'static, f32>: Clone);

impl<'c, E, N> DeviceBuffer<'c, E, N> {
    /// How many elements it holds.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Frees the memory (`aclrtFree`).
    ///
    /// # Errors
    ///
    /// The buffer as it was, when the library refuses.
    #[rule(MEM_01, MEM_02, MEM_13)]
    pub fn free(self, current: &Current<'c, N>) -> Result<(), Undone<Self>> {
        current.ledger().free(&self.block).map_err(|error| Undone { error, value: self })
    }

    pub(crate) fn block(&self) -> &Block {
        &self.block
    }

    /// The memory's row.
    pub(crate) fn row(&self) -> Arc<Block> {
        Arc::clone(&self.block)
    }

    fn has(&self, length: usize) -> Result<(), Error> {
        if length == self.length {
            return Ok(());
        }
        Err(Error::LengthMismatch { what: "the other side of the copy", expected: self.length, found: length })
    }
}

impl<'c, E: Element, N> DeviceBuffer<'c, MaybeUninit<E>, N> {
    pub(crate) fn allocate(ledger: &'c Ledger, length: usize) -> Result<Self, Error> {
        let block = ledger.allocate(Home::Device, super::bytes::<E>(length)?)?;
        Ok(Self { block, length, _brand: Brand::NEW, _elements: PhantomData })
    }

    /// Writes the whole buffer from host memory (`aclrtMemcpy`).
    ///
    /// # Errors
    ///
    /// The buffer as it was: [`Error::LengthMismatch`] when `from` has another length, or [`Error::Vendor`].
    pub fn write(self, current: &Current<'c, N>, from: &[E]) -> Result<DeviceBuffer<'c, E, N>, Undone<Self>> {
        match self.has(from.len()).and_then(|()| self.block.write(current.ledger().api(), from)) {
            Ok(()) => Ok(self.into_written()),
            Err(error) => Err(Undone { error, value: self }),
        }
    }

    /// Sets every byte to zero (`aclrtMemset`).
    ///
    /// # Errors
    ///
    /// The buffer as it was, with [`Error::Vendor`].
    #[rule(MEM_16)]
    pub fn zero(self, current: &Current<'c, N>) -> Result<DeviceBuffer<'c, E, N>, Undone<Self>> {
        match self.block.fill(current.ledger().api(), 0) {
            Ok(()) => Ok(self.into_written()),
            Err(error) => Err(Undone { error, value: self }),
        }
    }

    pub(crate) fn into_written(self) -> DeviceBuffer<'c, E, N> {
        let Self { block, length, _brand, .. } = self;
        DeviceBuffer { block, length, _brand, _elements: PhantomData }
    }
}

impl<'c, E: Element, N> sealed::Sealed<'c, E, N> for DeviceBuffer<'c, MaybeUninit<E>, N> {
    #[inline]
    fn usable_on(&self, _: &Arc<Queue>) -> Result<(), Error> {
        Ok(())
    }

    fn block(&self) -> &Block {
        &self.block
    }

    fn room(&self) -> usize {
        self.length
    }

    fn written(self, _: Inside) -> DeviceBuffer<'c, E, N> {
        self.into_written()
    }

    #[inline]
    fn past(&self, _: Inside) -> Past {
        Past::none()
    }
}

impl<'c, E: Element, N> sealed::Sealed<'c, E, N> for DeviceBuffer<'c, E, N> {
    #[inline]
    fn usable_on(&self, _: &Arc<Queue>) -> Result<(), Error> {
        Ok(())
    }

    fn block(&self) -> &Block {
        &self.block
    }

    fn room(&self) -> usize {
        self.length
    }

    fn written(self, _: Inside) -> Self {
        self
    }

    #[inline]
    fn past(&self, _: Inside) -> Past {
        Past::none()
    }
}

impl<'c, E: Element, N> sealed::Sealed<'c, E, N> for Pending<'c, DeviceBuffer<'c, E, N>, N> {
    #[inline]
    fn usable_on(&self, queue: &Arc<Queue>) -> Result<(), Error> {
        self.is_on(queue)
    }

    fn block(&self) -> &Block {
        &self.in_flight().block
    }

    fn room(&self) -> usize {
        self.in_flight().length
    }

    fn written(self, _: Inside) -> DeviceBuffer<'c, E, N> {
        self.into_payload()
    }

    #[inline]
    fn past(&self, _: Inside) -> Past {
        Self::past(self)
    }
}

impl<'c, E, N> DeviceBuffer<'c, E, N> {
    /// Overwrites the whole buffer from host memory (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `from` has another length, or [`Error::Vendor`].
    #[rule(COPY_01)]
    pub fn copy_from(&mut self, current: &Current<'c, N>, from: &[E]) -> Result<(), Error>
    where
        E: Element,
    {
        self.has(from.len())?;
        self.block.write(current.ledger().api(), from)
    }

    /// Copies the whole buffer to host memory (`aclrtMemcpy`), and returns when that is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `to` has another length, or [`Error::Vendor`].
    #[rule(COPY_01, COPY_07)]
    pub fn copy_to(&self, current: &Current<'c, N>, to: &mut [E]) -> Result<(), Error>
    where
        E: Element,
    {
        self.has(to.len())?;
        self.block.read(current.ledger().api(), to)
    }

    /// The whole buffer as a vector on the host.
    ///
    /// # Errors
    ///
    /// As for [`copy_to`](Self::copy_to).
    pub fn to_vec(&self, current: &Current<'c, N>) -> Result<Vec<E>, Error>
    where
        E: Element,
    {
        let mut elements = vec![E::default(); self.length];
        self.copy_to(current, &mut elements).map(|()| elements)
    }
}

impl<E, N> fmt::Debug for DeviceBuffer<'_, E, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer").field("length", &self.length).finish_non_exhaustive()
    }
}
