//! Methods that work in flight does not have. They exist so that the compiler's message says why.
//!
//! No method of this file can be called: each has a bound that no type meets. The compiler prints the words of that
//! bound. Without these methods it would only print that there is no such method.

use super::Pending;
use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::memory::{DeviceBuffer, HostBuffer};
use core::ops::{Index, IndexMut};
use core::slice::SliceIndex;

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "this work is in flight: the host can use its buffers, models and tensors after a wait",
    label = "wait for the work first",
    note = "COPY-03, COPY-04, COPY-07, MEM-01: the device may use the buffers of a queued copy until the stream is synchronised: \
            `let buffers = pending.wait(current)?;`",
    note = "MODEL-15, MODEL-17, DATA-10, OP-03, GE-20: the wait also gives back what an execution uses: `pending.wait(current)?`",
    note = "STREAM-04: more work on the same stream takes a `Pending` as it is, without a wait",
    note = "see `ascendcl-explain COPY-03`"
)]
pub trait Waited {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

/// Methods of buffers.
#[doc(hidden)]
impl<C: Brand, T> Pending<C, T> {
    pub fn to_vec<E>(&self, _: &Current<C>) -> Result<Vec<E>, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn into_vec<E>(self, _: &Current<C>) -> Result<Vec<E>, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn slice<'a, E>(&'a self, _: &'a Current<C>) -> Result<&'a [E], Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn slice_mut<'a, E>(&'a mut self, _: &'a Current<C>) -> Result<&'a mut [E], Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn iter<E>(&self) -> core::slice::Iter<'_, E>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn fill<E>(&mut self, _: E)
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn copy_from_slice<E>(&mut self, _: &[E])
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn copy_from<E>(&mut self, _: &Current<C>, _: &[E]) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn copy_to<E>(&self, _: &Current<C>, _: &mut [E]) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn len(&self) -> usize
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn is_empty(&self) -> bool
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn unregister<R>(self, _: &Current<C>) -> Result<R, Error>
    where
        Self: Waited,
    {
        self.never()
    }

    pub fn free(self, _: &Current<C>) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }
}

/// Types with elements, which a program may try to index while they are in flight.
pub trait HasElements {
    #[doc(hidden)]
    type Element;
}

impl<C: Brand, E> HasElements for HostBuffer<C, E> {
    type Element = E;
}

impl<C: Brand, E> HasElements for DeviceBuffer<C, E> {
    type Element = E;
}

#[doc(hidden)]
impl<C: Brand, T: HasElements, I: SliceIndex<[T::Element]>> Index<I> for Pending<C, T>
where
    Self: Waited,
{
    type Output = I::Output;

    fn index(&self, _: I) -> &I::Output {
        self.never()
    }
}

#[doc(hidden)]
impl<C: Brand, T: HasElements, I: SliceIndex<[T::Element]>> IndexMut<I> for Pending<C, T>
where
    Self: Waited,
{
    fn index_mut(&mut self, _: I) -> &mut I::Output {
        self.never()
    }
}
