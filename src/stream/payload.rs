//! What can be in flight.

use super::Reply;
use crate::brand::Inside;
use crate::ffi::Queue;
use crate::memory::{DeviceBuffer, HostBuffer};
use crate::model::Prepared;
use crate::operator::BoundOperator;

/// What a [`Pending`](super::Pending) can hold: buffers, prepared models, operators, replies of
/// callbacks, and tuples of these.
pub trait Payload: sealed::Payload {}

impl<T: sealed::Payload> Payload for T {}

pub(crate) mod sealed {
    use super::{Inside, Queue};

    pub trait Payload {
        /// All work that used it is known to be done.
        fn rest(&self, key: Inside);
        /// What is queued on this stream by now comes after all work that used it.
        fn follow(&self, queue: &Queue, key: Inside);
    }
}

impl<E, N> sealed::Payload for DeviceBuffer<'_, E, N> {
    #[inline]
    fn rest(&self, _: Inside) {
        self.block().rest();
    }

    fn follow(&self, queue: &Queue, _: Inside) {
        self.block().follow(queue);
    }
}

impl<E, N> sealed::Payload for HostBuffer<'_, E, N> {
    #[inline]
    fn rest(&self, _: Inside) {
        self.block().rest();
    }

    fn follow(&self, queue: &Queue, _: Inside) {
        self.block().follow(queue);
    }
}

impl<N, P> sealed::Payload for Prepared<'_, N, P> {
    #[inline]
    fn rest(&self, _: Inside) {
        Prepared::rest(self);
    }

    fn follow(&self, queue: &Queue, _: Inside) {
        Prepared::follow(self, queue);
    }
}

impl<I, O, N> sealed::Payload for BoundOperator<'_, I, O, N> {
    fn rest(&self, _: Inside) {
        self.invocation().rest();
    }

    fn follow(&self, queue: &Queue, _: Inside) {
        self.invocation().follow(queue);
    }
}

#[cfg(feature = "ge")]
impl<S: crate::ge::GraphState, I, N> sealed::Payload for crate::ge::Executed<'_, S, I, N> {
    fn rest(&self, _: Inside) {
        crate::ge::Executed::rest(self);
    }

    fn follow(&self, queue: &Queue, _: Inside) {
        crate::ge::Executed::follow(self, queue);
    }
}

impl<R> sealed::Payload for Reply<R> {
    #[inline]
    fn rest(&self, _: Inside) {}

    fn follow(&self, _: &Queue, _: Inside) {}
}

impl sealed::Payload for () {
    #[inline]
    fn rest(&self, _: Inside) {}

    fn follow(&self, _: &Queue, _: Inside) {}
}

macro_rules! tuples {
    ($($($part:ident)+;)+) => { $(
        impl<$($part: sealed::Payload),+> sealed::Payload for ($($part,)+) {
            #[inline]
            fn rest(&self, key: Inside) {
                #[allow(non_snake_case)]
                let ($($part,)+) = self;
                $($part.rest(key);)+
            }

            fn follow(&self, queue: &Queue, key: Inside) {
                #[allow(non_snake_case)]
                let ($($part,)+) = self;
                $($part.follow(queue, key);)+
            }
        }
    )+ };
}
tuples! {
    A B;
    A B C;
    A B C D;
}
