//! The operands of work that other functions queue.

use crate::brand::{Brand, Inside};
use crate::current::Current;
use crate::element::Element;
use crate::error::Error;
use crate::ffi::{RawBuffer, RawStream};
use crate::memory::{DeviceBuffer, HostBuffer, SharedBuffer};
use crate::stream::{Past, Payload, Pending};
use ascendcl_sys::MissingSymbol;
use core::ffi::c_void;
use core::mem::MaybeUninit;
use std::sync::Arc;

/// Memory of an operand, as a function of the library gets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RawMemory {
    /// Where it begins; in device memory, for a buffer of the device.
    pub start: *mut c_void,
    /// How many bytes it has.
    pub bytes: usize,
}

/// The operands of [`StreamOps::submit`](crate::stream::StreamOps::submit): a [`DeviceBuffer`], written before or not;
/// a [`HostBuffer`]; a [`SharedBuffer`] to read; one of these in flight on the same stream as a [`Pending`]; tuples of
/// up to eight of these; a `Vec` of one of these; or `()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used by work of this stream",
    label = "expected buffers of the stream's own context, by value, alone or in a tuple",
    note = "STREAM-09, MEM-11: a stream and what its work uses belong to one context",
    note = "COPY-05: a vector is ordinary memory, which work takes in a buffer of its own: `current.pageable_buffer(elements)`",
    note = "see `ascendcl-explain STREAM-09`"
)]
pub trait Operands<C: Brand>: sealed::Operands<C> {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be used by work of this stream",
        label = "expected buffers of the stream's own context, by value",
        note = "STREAM-09, MEM-11: a stream and what its work uses belong to one context",
        note = "COPY-05: a vector is ordinary memory, which work takes in a buffer of its own: `current.pageable_buffer(elements)`",
        note = "see `ascendcl-explain STREAM-09`"
    )]
    pub trait Operand<C: Brand> {
        type Written;

        fn usable_on(&self, queue: &Arc<RawStream>) -> Result<(), Error>;
        fn memory_of_operand(&self, key: Inside) -> (&RawBuffer, usize);
        fn past_of_raw_operand(&self, key: Inside) -> Past;
        fn into_written(self, key: Inside) -> Self::Written;
    }

    pub trait Operands<C: Brand>: Sized {
        /// The values that the function gets.
        type Raw;
        /// The values that the work returns.
        type Out: Payload;

        fn queue_with_operands(
            &self,
            queue: &Arc<RawStream>,
            current: &Current<C>,
            call: &'static str,
            function: impl FnOnce(*mut c_void, Self::Raw) -> Result<i32, MissingSymbol>,
            key: Inside,
        ) -> Result<u64, Error>;
        fn past_of_all(&self, key: Inside) -> Past;
        fn given_back_by_work(self, key: Inside) -> Self::Out;
    }
}

fn raw((block, bytes): (&RawBuffer, usize)) -> RawMemory {
    RawMemory { start: block.start(), bytes }
}

macro_rules! idle {
    ($($buffer:ty => $written:ty, $into:ident;)*) => { $(
        impl<C: Brand, E: Element> sealed::Operand<C> for $buffer {
            type Written = $written;

            fn usable_on(&self, _: &Arc<RawStream>) -> Result<(), Error> {
                Ok(())
            }

            fn memory_of_operand(&self, _: Inside) -> (&RawBuffer, usize) {
                (self.block(), self.len() * size_of::<E>())
            }

            fn past_of_raw_operand(&self, _: Inside) -> Past {
                Past::none()
            }

            fn into_written(self, _: Inside) -> $written {
                $into(self)
            }
        }
    )* };
}
idle! {
    DeviceBuffer<C, E> => DeviceBuffer<C, E>, same;
    DeviceBuffer<C, MaybeUninit<E>> => DeviceBuffer<C, E>, written;
    HostBuffer<C, E> => HostBuffer<C, E>, same;
    SharedBuffer<C, E> => SharedBuffer<C, E>, same;
}

fn same<T>(value: T) -> T {
    value
}

fn written<C: Brand, E: Element>(buffer: DeviceBuffer<C, MaybeUninit<E>>) -> DeviceBuffer<C, E> {
    buffer.into_written()
}

macro_rules! in_flight {
    ($($buffer:ident)*) => { $(
        impl<C: Brand, E: Element> sealed::Operand<C> for Pending<C, $buffer<C, E>> {
            type Written = $buffer<C, E>;

            fn usable_on(&self, queue: &Arc<RawStream>) -> Result<(), Error> {
                self.check_same_stream(queue)
            }

            fn memory_of_operand(&self, _: Inside) -> (&RawBuffer, usize) {
                (self.in_flight().block(), self.in_flight().len() * size_of::<E>())
            }

            fn past_of_raw_operand(&self, _: Inside) -> Past {
                self.past()
            }

            fn into_written(self, _: Inside) -> Self::Written {
                self.into_payload()
            }
        }
    )* };
}
in_flight!(DeviceBuffer HostBuffer SharedBuffer);

macro_rules! alone {
    ($($buffer:ty;)*) => { $(
        impl<C: Brand, E: Element> Operands<C> for $buffer {}

        impl<C: Brand, E: Element> sealed::Operands<C> for $buffer {
            type Raw = RawMemory;
            type Out = <Self as sealed::Operand<C>>::Written;

            fn queue_with_operands(
                &self,
                queue: &Arc<RawStream>,
                current: &Current<C>,
                call: &'static str,
                function: impl FnOnce(*mut c_void, RawMemory) -> Result<i32, MissingSymbol>,
                key: Inside,
            ) -> Result<u64, Error> {
                sealed::Operand::<C>::usable_on(self, queue)?;
                let memory = sealed::Operand::<C>::memory_of_operand(self, key);
                queue.submit_raw(current.here(), call, [memory.0], |stream| function(stream, raw(memory)))
            }

            fn past_of_all(&self, key: Inside) -> Past {
                sealed::Operand::<C>::past_of_raw_operand(self, key)
            }

            fn given_back_by_work(self, key: Inside) -> Self::Out {
                sealed::Operand::<C>::into_written(self, key)
            }
        }
    )* };
}
alone! {
    DeviceBuffer<C, E>;
    DeviceBuffer<C, MaybeUninit<E>>;
    HostBuffer<C, E>;
    SharedBuffer<C, E>;
    Pending<C, DeviceBuffer<C, E>>;
    Pending<C, HostBuffer<C, E>>;
    Pending<C, SharedBuffer<C, E>>;
}

macro_rules! tuples {
    ($(($($part:ident $place:tt),*);)*) => { $(
        impl<C: Brand, $($part: sealed::Operand<C>),*> Operands<C> for ($($part,)*)
        where
            ($($part::Written,)*): Payload,
        {
        }

        #[allow(clippy::unused_unit, reason = "the tuple of nothing")]
        impl<C: Brand, $($part: sealed::Operand<C>),*> sealed::Operands<C> for ($($part,)*)
        where
            ($($part::Written,)*): Payload,
        {
            type Raw = ($(raw_of!($part),)*);
            type Out = ($($part::Written,)*);

            fn queue_with_operands(
                &self,
                queue: &Arc<RawStream>,
                current: &Current<C>,
                call: &'static str,
                function: impl FnOnce(*mut c_void, Self::Raw) -> Result<i32, MissingSymbol>,
                key: Inside,
            ) -> Result<u64, Error> {
                $(self.$place.usable_on(queue)?;)*
                let _ = key;
                let blocks = [$(self.$place.memory_of_operand(key).0),*];
                queue.submit_raw(current.here(), call, blocks, |stream| function(stream, ($(raw(self.$place.memory_of_operand(key)),)*)))
            }

            fn past_of_all(&self, key: Inside) -> Past {
                let _ = key;
                Past::none()$(.and(self.$place.past_of_raw_operand(key)))*
            }

            fn given_back_by_work(self, key: Inside) -> Self::Out {
                let _ = key;
                ($(self.$place.into_written(key),)*)
            }
        }
    )* };
}
macro_rules! raw_of {
    ($part:ident) => {
        RawMemory
    };
}
tuples! {
    ();
    (P0 0);
    (P0 0, P1 1);
    (P0 0, P1 1, P2 2);
    (P0 0, P1 1, P2 2, P3 3);
    (P0 0, P1 1, P2 2, P3 3, P4 4);
    (P0 0, P1 1, P2 2, P3 3, P4 4, P5 5);
    (P0 0, P1 1, P2 2, P3 3, P4 4, P5 5, P6 6);
    (P0 0, P1 1, P2 2, P3 3, P4 4, P5 5, P6 6, P7 7);
}

impl<C: Brand, T: sealed::Operand<C>> Operands<C> for Vec<T> where T::Written: Payload {}

/// As many operands of one type as the program has.
impl<C: Brand, T: sealed::Operand<C>> sealed::Operands<C> for Vec<T>
where
    T::Written: Payload,
{
    type Raw = Vec<RawMemory>;
    type Out = Vec<T::Written>;

    fn queue_with_operands(
        &self,
        queue: &Arc<RawStream>,
        current: &Current<C>,
        call: &'static str,
        function: impl FnOnce(*mut c_void, Vec<RawMemory>) -> Result<i32, MissingSymbol>,
        key: Inside,
    ) -> Result<u64, Error> {
        self.iter().try_for_each(|operand| operand.usable_on(queue))?;
        let memory: Vec<_> = self.iter().map(|operand| operand.memory_of_operand(key)).collect();
        let blocks: Vec<_> = memory.iter().map(|(block, _)| *block).collect();
        queue.submit_raw_list(current.here(), call, &blocks, |stream| {
            function(stream, memory.into_iter().map(raw).collect())
        })
    }

    fn past_of_all(&self, key: Inside) -> Past {
        self.iter().fold(Past::none(), |past, operand| past.and(operand.past_of_raw_operand(key)))
    }

    fn given_back_by_work(self, key: Inside) -> Self::Out {
        self.into_iter().map(|operand| operand.into_written(key)).collect()
    }
}
