//! What a program cannot do with work in flight, for the compiler to say so.
//!
//! No method of this file can be called: each has a bound that nothing meets. The words of the bound are the compiler's
//! message. Without the methods it would say that there are none, and not what to do.

use super::Pending;
use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::memory::{DeviceBuffer, HostBuffer};
use core::ops::{Index, IndexMut};
use core::slice::SliceIndex;

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "this work is in flight: what it uses is out of reach until it was waited for",
    label = "wait for the work first",
    note = "COPY-03, COPY-04, COPY-07: the device may use the buffers of a queued copy until the stream is synchronised: \
            `let buffers = pending.wait(current)?;`",
    note = "MODEL-17, OP-03, GE-20: so it is with what an execution uses: `pending.wait(current)?` gives it back",
    note = "STREAM-04: more work on the same stream takes a `Pending` as it is, without a wait"
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

    pub fn free(self, _: &Current<C>) -> Result<(), Error>
    where
        Self: Waited,
    {
        self.never()
    }
}

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "work in flight is not awaited without its stream",
    label = "a task awaits the work's future, which borrows the stream",
    note = "COPY-03, MODEL-17: make a future of it: `pending.into_future(current, &mut stream)?.await?`",
    note = "a task that may go on on another thread: `let done = pending.when_done(current, &stream)?.await;`"
)]
pub trait AwaitedWithoutItsStream {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(self) -> R;
}

impl<C: Brand, T> IntoFuture for Pending<C, T>
where
    Self: AwaitedWithoutItsStream,
{
    type Output = T;
    type IntoFuture = core::future::Ready<T>;

    fn into_future(self) -> Self::IntoFuture {
        AwaitedWithoutItsStream::never(self)
    }
}

macro_rules! no_element_of {
    ($($buffer:ident)+) => { $(
        impl<C: Brand, E, I: SliceIndex<[E]>> Index<I> for Pending<C, $buffer<C, E>>
        where
            Self: Waited,
        {
            type Output = I::Output;

            fn index(&self, _: I) -> &I::Output {
                self.never()
            }
        }

        impl<C: Brand, E, I: SliceIndex<[E]>> IndexMut<I> for Pending<C, $buffer<C, E>>
        where
            Self: Waited,
        {
            fn index_mut(&mut self, _: I) -> &mut I::Output {
                self.never()
            }
        }
    )+ };
}
no_element_of!(HostBuffer DeviceBuffer);
